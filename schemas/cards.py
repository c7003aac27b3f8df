"""Cards: what is known of a benchmark before any file is read (`manifests/cards/<name>.toml`)."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from schemas.errors import BenchwrightError, unknown_name
from schemas.publication import Publication

# Files beside the cards that hold a paper's tables and prompts.
PAPER = "ual-bench-"
LONGEST_NAME = 200
"""Bytes of a name that becomes one of files, which may have 255 with what is put behind it."""
CARD_NAME = r"\w[\w.-]*"
# Names of splits become names of files; `datasets` allows no others.
SPLIT_NAME = r"\w+(\.\w+)*"
Aggregate = Literal["rows", "items", "distinct", "equal_counts", "mean", "mean_characters", "mean_words"]
Scope = Literal["candidates", "manifest"]


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One raw file, or one folder of raw files.

    Attributes:
        name: name within the benchmark.
        files: where it is below some folder, the preferred place first. A pattern with `*` in its last part means the
            folder that holds such files.
        what: what it holds.
        obtain: where it comes from.
        optional: whether a build with default parameters does without it.
        sha256: only of bytes that the authors published, else empty.
    """

    name: str
    files: list[str]
    what: str
    obtain: str
    optional: bool = False
    sha256: str = ""


class LabelList(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The classes of one task, in the order of their ids, from 1.

    Attributes:
        name: the task. Of boxes: `source` for all classes of the source, `parts` for those that monitor persons, and
            `RULE.PARAMETER=VALUE` for the classes that a build with this setting has.
        labels: as the authors' main list names them.
        where: that list.
        renamed: other names that another list of theirs has, by id.
        renamed_where: that other list.
        columns: columns of the manifest that hold these ids, by their paths, such as `persons.actions.id`.
    """

    name: str
    labels: list[str]
    where: str
    renamed: dict[str, str] = {}
    renamed_where: str = ""
    columns: list[str] = []


class ResultCard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A result file that the authors published: `export --to official` gives these bytes (for `split`, if named)."""

    file: str
    sha256: str
    split: str = ""


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A printed number and the expression that rebuilds it.

    Attributes:
        name: short name, unique in its card.
        where: table, column or section that has the number.
        paper: the printed number.
        aggregate: `rows`, `items` of lists, `distinct` values, `mean`, mean length of a text in `mean_characters` or
            `mean_words`; `equal_counts`: how many of the classes 1, 2, ... occur as often as `counts` says.
        scope: `manifest` (rows kept) or `candidates` (before any rule).
        level: of candidates, the child table that is counted; the root table when empty.
        split: one split of the manifest, all when empty.
        column: the column aggregated, or a path into its lists and records, such as `persons.actions.id`.
        counts: the printed count of each class, for `equal_counts`.
        per: average over the distinct values of this column instead of over rows.
        only: count only rows where each named column has the given value, or starts with it if the value ends in `*`.
        unit: unit of the number that was really used.
        digits: digits printed after the point.
        source: optional source without which the number cannot be rebuilt.
        whole: claim of the card, this one perhaps, that holds only of the authors' whole source, not of a part of
            it or another one; where it does not hold, this one `needs source`.
        media: true where the number needs the videos themselves; then `settings` says what a build from them uses.
        settings: rule parameters under which the claim holds, where they are not the defaults.
        expected: the verdict that a default build is known to give.
        reason: why the claim cannot be reproduced, or how it has to be read.
    """

    name: str
    where: str
    paper: float
    aggregate: Aggregate
    scope: Scope = "manifest"
    level: str = ""
    split: str = ""
    column: str = "sample_id"
    counts: list[int] = []
    per: str = ""
    only: dict[str, str] = {}
    unit: str = ""
    digits: int = 0
    source: str = ""
    whole: str = ""
    media: bool = False
    settings: dict[str, str] = {}
    expected: Literal["reproduced", "differs", "needs media"] = "reproduced"
    reason: str = ""


Kind = Literal["equivalent", "repair", "other benchmark"]
"""What an alternative to a published choice is: either could have been published; it mends an error; it asks for
something else, so that its scores are not those of the same benchmark."""


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a paper prints of one system.

    Attributes:
        system: as printed.
        where: the table, or who quotes it.
        scores: by metric, as texts with the paper's digits.
        split: the one that it is about, the usual one when empty.
        kind: a `system`, a trivial `guess`, or one that was scored on rows `elsewhere`, which is not compared.
        note: how it has to be read.
    """

    system: str
    where: str
    scores: dict[str, str]
    split: str = ""
    kind: Literal["system", "guess", "elsewhere"] = "system"
    note: str = ""


class AuditCard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an audit of a benchmark looks at.

    Attributes:
        metrics: the main ones, the usual ones of its scorer when empty.
        clusters: what rows that belong together share, in the plural; the scorer's clusters when empty.
        column: the column that names the cluster of a row.
        pattern: a regular expression whose first group, at the beginning of the column's text, is the cluster; the
            whole text where it is empty or does not match.
        kinds: by `RULE.PARAMETER` or `RULE.PARAMETER=VALUE`, where an alternative is not `equivalent`.
        grids: values to try of parameters that may have any, by `RULE.PARAMETER`.
    """

    metrics: list[str] = []
    clusters: str = ""
    column: str = "sample_id"
    pattern: str = ""
    kinds: dict[str, Kind] = {}
    grids: dict[str, list[str]] = {}

    def __post_init__(self) -> None:
        try:
            groups = re.compile(self.pattern).groups
        except re.error as failure:
            raise ValueError(f"pattern {self.pattern!r}: {failure}") from None
        if self.pattern and not groups:
            raise ValueError(f"pattern {self.pattern!r}: expected a group, as in '(.*?)_\\d+'")

    def cluster(self, text: str) -> str:
        """The cluster that a text of the column names.

        >>> AuditCard(pattern=r"(.*?)\\d+$").cluster("Fails of the Week 38")
        'Fails of the Week '
        """
        found = re.match(self.pattern, text) if self.pattern else None
        return text if found is None else found[1]


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything a person wants to know of a benchmark before building it.

    `aliases` are columns whose values name a row as well as its `sample_id` does; `sample_ids` is a regular expression
    of all sample ids, to tell whose they are, empty where they follow no pattern.
    `labels` are the classes in the order of their ids, from 1; `label_lists` those of several tasks. `random_draws`
    says how many random spans the authors' code draws before those of this benchmark, by measure. `answer_patterns`
    names the set of patterns by which the authors read free answers, by the beginning of the name of the field that
    holds them (as `llama3`), or `others`. `published` says what papers print of their systems, on the scale of the
    scores (an object, which earlier versions wrote, is not read). `audit` is what an audit looks at, `publication`
    what the front page of the data set says beside it.
    """

    name: str
    title: str
    task: str
    citation: str
    licence: str
    access: str
    rows: str
    splits: list[str]
    sources: list[Source]
    claims: list[Claim] = []
    results: list[ResultCard] = []
    notes: list[str] = []
    aliases: list[str] = []
    labels: list[str] = []
    label_lists: list[LabelList] = []
    sample_ids: str = ""
    random_draws: dict[str, int] = {}
    answer_patterns: dict[str, str] = {}
    published: list[Published] | dict[str, str] = []
    audit: AuditCard = AuditCard()
    publication: Publication = Publication()

    def __post_init__(self) -> None:
        if not re.fullmatch(CARD_NAME, self.name):
            raise ValueError(f"name {self.name!r}: expected letters, digits, dots and hyphens, as it names a folder")
        for split in self.splits:
            if not re.fullmatch(SPLIT_NAME, split):
                raise ValueError(f"split {split!r}: expected letters, digits and underscores")
        unknown = {claim.whole for claim in self.claims} - {"", *(claim.name for claim in self.claims)}
        if unknown:
            raise ValueError(f"whole = {min(unknown)!r}: expected the name of a claim")

    def files_of(self, source: Source) -> list[str]:
        """The names of a source's files as a default build looks for them: `{split}` stands for the first split."""
        return [file.replace("{split}", self.splits[0]) for file in source.files]


def read_card(path: Path) -> Card:
    """Decode one card.

    Raises:
        BenchwrightError: not TOML, or not the fields of `Card`.
    """
    try:
        return msgspec.toml.decode(path.read_bytes(), type=Card)
    except (msgspec.DecodeError, OSError) as failure:
        raise BenchwrightError(f"{path}: not a card: {failure}") from None


@cache
def cards() -> dict[str, Card]:
    """All bundled cards by name, in alphabetical order."""
    paths = (path for path in card_folder().glob("*.toml") if not path.stem.startswith(PAPER))
    return {card.name: card for card in map(read_card, sorted(paths))}


def card_folder() -> Path:
    """The folder of the bundled cards: beside this floor, in the source as in an installed copy."""
    return Path(__file__).parents[1] / "manifests" / "cards"


def card_named(name: str) -> Card:
    """The bundled card of a benchmark; `UsageError` with suggestions for an unknown name."""
    if name not in cards():
        raise unknown_name("benchmark", name, list(cards()))
    return cards()[name]
