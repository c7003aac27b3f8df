"""What a recipe is: a card, a reader that gives candidates, ordered rules, a schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import msgspec
import pandas as pd
import pyarrow as pa

from builders.engine.rules import READER, Rule, reader_step, settings_of
from schemas.cards import SPLIT_NAME, Card
from schemas.errors import UsageError, printable, shown
from schemas.identity import RecipeOrigin, RuleText, Value


@dataclass
class Candidates:
    """What a reader found, as flat tables.

    Attributes:
        root: one row = one future manifest row; columns `sample_id` (unique text), `split`, and what the rules need;
            `file` where errors should name the file that a row comes from.
        children: tables of the things that samples hold, by level name; columns `parent` (row number in `root`) and
            `key` (int64 or text, its name within the sample).
        findings: data anomalies that change no row, with their counts.
    """

    root: pd.DataFrame
    children: dict[str, pd.DataFrame] = field(default_factory=dict)
    findings: dict[str, int] = field(default_factory=dict)


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
    """

    card: str | Card
    version: int
    version_reason: str
    level: str
    read: Callable[..., Candidates]
    rules: tuple[Rule, ...]
    schema: pa.Schema
    origin: RecipeOrigin | None = None

    @property
    def texts(self) -> list[RuleText]:
        """What the rules say for themselves, for manifests to keep."""
        return [RuleText(rule.name, rule.cites, dict(rule.reasons)) for rule in self.rules]

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


def check_recipe(recipe: Recipe, where: str) -> None:
    """Refuse a recipe that cannot be run: parts of other types, rules that share a name, a schema that is not complete.

    Raises:
        UsageError: says what is wrong; `where` is in front.
    """
    rules = recipe.rules
    if not isinstance(rules, tuple | list) or not all(isinstance(rule, Rule) for rule in rules):
        found = type(rules).__name__ if isinstance(rules, Rule) or callable(rules) else shown(rules)
        raise UsageError(f"{where}: its rules are {found}, expected a tuple of functions with @rule, such as (size,)")
    names = [rule.name for rule in rules]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(f"{where}: two rules are named {twice[0]!r}")
    if not isinstance(recipe.schema, pa.Schema) or b"schema" not in (recipe.schema.metadata or {}):
        raise UsageError(f"{where}: its schema has no name; make it with table_schema(name, version, columns)")
    lacking = [name for name in ("sample_id", "split") if name not in recipe.schema.names]
    if lacking:
        raise UsageError(f"{where}: its schema has no column {lacking[0]!r}")
    try:
        msgspec.convert(msgspec.to_builtins(recipe.card), str if isinstance(recipe.card, str) else Card)
    except (msgspec.ValidationError, TypeError) as failure:
        raise UsageError(printable(f"{where}: its card: {failure}")) from None
