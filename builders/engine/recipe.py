"""What a recipe is: a card, a reader that gives candidates, ordered rules, a schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
import pandas as pd
import pyarrow as pa

from builders.engine.rules import READER, Rule, reader_step, settings_of
from schemas.cards import SPLIT_NAME, Card
from schemas.errors import UsageError, printable, shown
from schemas.identity import RecipeOrigin, RuleText, Value
from schemas.notices import Notice

_PLAIN = [("version", int, "a whole number"), ("version_reason", str, "a text"), ("level", str, "a text")]


@dataclass
class Candidates:
    """What a reader found, as flat tables.

    Attributes:
        root: one row = one future manifest row; columns `sample_id` (unique text), `split`, and what the rules need;
            `file` where errors should name the file that a row comes from.
        children: tables of the things that samples hold, by level name; columns `parent` (row number in `root`) and
            `key` (int64 or text, its name within the sample).
        findings: data anomalies that change no row, with their counts; a `Counted` is printed with its first names.
        warnings: doubts whether the source means what it says.
    """

    root: pd.DataFrame
    children: dict[str, pd.DataFrame] = field(default_factory=dict)
    findings: dict[str, int] = field(default_factory=dict)
    warnings: Sequence[Notice] = ()


@dataclass(frozen=True)
class Recipe:
    """A benchmark as a specification.

    Attributes:
        card: name of the bundled card, or a `Card` of the recipe's own.
        version: raised whenever a default build of the same sources would give other rows.
        version_reason: why it was last raised.
        level: what one manifest row is, in a word: clip, image, key frame.
        read: reads the sources that the card names into candidates. Its keyword arguments are parameters of the step
            `source`, declared like those of a rule; `{split}` in the card's file names stands for `source.split`.
        rules: the ordered steps.
        schema: the schema of the manifest; a list of records named like a child level holds that level.
        origin: where it was loaded from, unless it is bundled.

    Raises:
        TypeError, ValueError: it cannot be run: parts of other types, rules that share a name, an incomplete schema.
    """

    card: str | Card
    version: int
    version_reason: str
    level: str
    read: Callable[..., Candidates]
    rules: tuple[Rule, ...]
    schema: pa.Schema
    origin: RecipeOrigin | None = None

    def __post_init__(self) -> None:
        _check(self)

    @property
    def texts(self) -> list[RuleText]:
        """What the rules say for themselves, for manifests to keep."""
        return [RuleText(rule.name, rule.cites, dict(rule.reasons), rule.gives) for rule in self.rules]

    @property
    def name(self) -> str:
        return self.card if isinstance(self.card, str) else self.card.name

    @property
    def steps(self) -> tuple[Rule, ...]:
        """All that has parameters: the reader, as `source`, and the rules."""
        reader = reader_step(self.read)
        return (reader, *self.rules) if reader.parameters else self.rules

    def settings(self, overrides: Mapping[str, object]) -> dict[str, Value]:
        """Value of every parameter; `UsageError` for unknown names and values, or an invalid split."""
        settings = settings_of(self.steps, overrides)
        split = settings.get(f"{READER}.split")
        if isinstance(split, str) and not re.fullmatch(SPLIT_NAME, split):
            expected = "letters, digits and underscores, with dots between them"
            raise UsageError(printable(f"{READER}.split={split}: expected {expected}"))
        return settings


def reader_options(settings: Mapping[str, Value]) -> dict[str, Value]:
    """The parameters of the reader among all settings, by their own names."""
    return {name.removeprefix(f"{READER}."): value for name, value in settings.items() if name.startswith(f"{READER}.")}


def _check(recipe: Recipe) -> None:
    """Refuse a recipe that cannot be run, where it is made: that is the line to mend."""
    rules = recipe.rules
    if not isinstance(rules, tuple | list) or not all(isinstance(rule, Rule) for rule in rules):
        raise TypeError(f"its rules are {_kinds(rules)}, expected a tuple of functions with @rule, such as (size,)")
    names = [rule.name for rule in rules]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"two rules are named {twice[0]!r}")
    for name, kind, expected in _PLAIN:
        if not isinstance(getattr(recipe, name), kind):
            raise TypeError(f"its {name} is {shown(getattr(recipe, name))}, expected {expected}")
    if not callable(recipe.read) or isinstance(recipe.read, Rule):
        raise TypeError(f"its reader is {shown(recipe.read)}, expected a function such as read(sources)")
    if not isinstance(recipe.schema, pa.Schema) or b"schema" not in (recipe.schema.metadata or {}):
        found = "has no name" if isinstance(recipe.schema, pa.Schema) else f"is {shown(recipe.schema)}"
        raise TypeError(f"its schema {found}; make it with table_schema(name, version, columns)")
    lacking = [name for name in ("sample_id", "split") if name not in recipe.schema.names]
    if lacking:
        raise ValueError(f"its schema has no column {lacking[0]!r}")
    try:
        msgspec.convert(msgspec.to_builtins(recipe.card), str if isinstance(recipe.card, str) else Card)
    except (msgspec.ValidationError, TypeError) as failure:
        raise TypeError(printable(f"its card: {failure}")) from None
    reader_step(recipe.read)


def _kinds(rules: object) -> str:
    """The rules that are not such, in words."""
    if not isinstance(rules, tuple | list):
        return f"the rule {rules.name!r} alone" if isinstance(rules, Rule) else shown(rules)
    others = [rule for rule in rules if not isinstance(rule, Rule)]
    return f"with {getattr(others[0], '__name__', None) or shown(others[0])}, which has no @rule"
