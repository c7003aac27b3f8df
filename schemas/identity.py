"""What a manifest says of itself: stored in the footer of each of its Parquet files and in `manifest.json`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import msgspec

from schemas.cards import Card
from schemas.notices import Notice

FOOTER_KEY = b"benchwright"
FORMAT = 2
IDENTITY_FILE = "manifest.json"
LEDGER_FILE = "ledger.parquet"

Value = bool | int | float | str
# A value in the sentence of a rule, and its format.
FIELD = re.compile(r"\{(\w+)(?::(,?(?:\.\d{1,2})?[defgn%]?))?\}")


class SourceIdentity(msgspec.Struct, frozen=True):
    """A source as it was read: file name and SHA-256 of its bytes."""

    file: str
    sha256: str


class Count(msgspec.Struct, frozen=True):
    """What one rule did at one level. `dropped` includes `with_parent`, the rows that fell with their parent."""

    level: str
    rule: str
    order: int
    rows_in: int
    dropped: int
    with_parent: int
    changed: int
    noted: int


class Level(msgspec.Struct, frozen=True):
    """Rows of one level before the first rule and after the last."""

    candidates: int
    kept: int


class Split(msgspec.Struct, frozen=True):
    """One split: its rows and the content digest of its table."""

    rows: int
    digest: str


class RecipeOrigin(msgspec.Struct, frozen=True):
    """Where a recipe that the toolkit does not bundle comes from.

    Attributes:
        file: name of its Python file, without the folder, as an identity holds nothing of a machine.
        sha256: of that file.
        entry_point: or the object of an installed package, as `my_package.my_benchmark:RECIPE`.
        package: that package and its version.
    """

    file: str = ""
    sha256: str = ""
    entry_point: str = ""
    package: str = ""


class RuleText(msgspec.Struct, frozen=True):
    """What a rule says for itself: the source it cites, and for each reason code the sentence that `why` fills in.

    In a sentence, `{width}` or `{width:.1f}` is the place of a value compared, or for a parameter of the rule. `gives`
    is the sentence on the columns that it gives to every row, whose places are for columns of the row.
    """

    name: str
    cites: str
    reasons: dict[str, str]
    gives: str = ""

    def sentence(self, reason: str, values: Mapping[str, Value | None]) -> str:
        """The sentence of a reason with its values; of an unknown reason the bare code.

        >>> size = RuleText("size", "", {"narrow": "{width:g} px is less than {least}"})
        >>> size.sentence("narrow", {"width": 8.0, "least": 64})
        '8 px is less than 64'
        """

        return _filled(self.reasons.get(reason, reason.replace("_", " ")), values)

    def given(self, row: Mapping[str, object]) -> str:
        """The sentence on what it gave to a row; empty where the row has not all of it.

        >>> onset = RuleText("onset", "", {}, gives="start_s = {start_s:.10g}, {pick} of {onsets_s:.10g}")
        >>> onset.given({"start_s": 1.69, "onsets_s": [1.69, 2.5], "pick": "earliest"})
        'start_s = 1.69, earliest of 1.69, 2.5'
        """
        return _filled(self.gives, row) if set(self.places) <= set(row) else ""

    @property
    def places(self) -> list[str]:
        """The columns and parameters that `gives` names."""
        return [name for name, _ in FIELD.findall(self.gives)]


def _filled(sentence: str, values: Mapping[str, object]) -> str:
    # Not `str.format`: a manifest is untrusted, and a format can reach into objects or fill the memory.
    def text(value: object, form: str) -> str:
        if isinstance(value, list):
            return ", ".join(text(each, form) for each in value) or "none"
        try:
            return format(math.nan if value is None and form else value, form)
        except (TypeError, ValueError):
            return str(value)

    return FIELD.sub(lambda field: text(values.get(field[1]), field[2] or ""), sentence)


def written(value: object) -> str:
    """A parameter's value as a person writes it on the command line: `true`, not `True`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


class Identity(msgspec.Struct, frozen=True):
    """Everything needed to say what a manifest is, to explain its rows, and to build it again.

    `warnings` are doubts about the sources, and rows that a rule made invalid. `examples` are the first names behind
    each of `findings`. `recipe` and `card` are of recipes that the toolkit does not bundle: nobody needs their code to
    verify, explain or score what they built.
    """

    name: str
    schema: str
    schema_version: int
    recipe_version: int
    version_reason: str
    parameters: dict[str, Value]
    changed_parameters: list[str]
    sources: dict[str, SourceIdentity]
    levels: dict[str, Level]
    counts: list[Count]
    findings: dict[str, int]
    aggregates: dict[str, float | None]
    splits: dict[str, Split]
    content_digest: str
    tool_version: str
    ledger_digest: str = ""
    format: int = FORMAT
    rules: list[RuleText] = []
    recipe: RecipeOrigin | None = None
    card: Card | None = None
    examples: dict[str, list[str]] = {}
    warnings: list[Notice] = []
