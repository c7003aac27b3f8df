"""The engine that runs a recipe: candidates through the ordered rules to tables and a ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa

from builders.engine.laws import newly_broken
from builders.engine.ledger import Ledger
from builders.engine.nesting import nested, split_tables
from builders.engine.reading import Reading, read_sources
from builders.engine.recipe import Recipe, reader_options
from builders.engine.rules import LIFT, ROOT
from builders.engine.sources import Sources
from builders.engine.steps import Tables, apply_rule, level_name
from schemas.cards import Card
from schemas.errors import BenchwrightError, UsageError
from schemas.identity import Identity, Level, Value
from schemas.input.files import recorded_digests
from schemas.notices import Counted, Notice
from schemas.user_code import place_of

Progress = Callable[[str], None]
Settings = Mapping[str, Value]


def silent(_: str) -> None:
    """Progress that nobody looks at."""


@dataclass(frozen=True)
class Build:
    """The result of a run, in memory.

    Attributes:
        splits: the table of each split, in the order of the card.
        ledger: an entry for each row dropped, changed or noted (`builders.engine.ledger.LEDGER`).
        identity: what the manifest will say of itself, without the digests of its tables.
    """

    splits: dict[str, pa.Table]
    ledger: pa.Table
    identity: Identity


@dataclass(frozen=True)
class State:
    """Where a run is before the first rule, or after one of them.

    Attributes:
        tables: the rows by level, `ROOT` and the names of the child levels.
        ledger: the account so far.
        warnings: those of the reader, and of rows that a rule made invalid.
        used: the sources that were asked for so far.
    """

    tables: Tables
    ledger: Ledger
    warnings: list[Notice]
    used: dict[str, Path]


class Runs:
    """Runs of one recipe on the same sources, with any settings.

    The sources are read once, and again only where a parameter of the reader changes. The state after a rule depends on
    the parameters of the rules up to it alone; if `kept`, a run starts where its settings part from those of the run
    before it.
    """

    def __init__(self, recipe: Recipe, sources: Sources, card: Card, *, kept: bool = True) -> None:
        """
        Args:
            recipe: the recipe.
            sources: where its raw files are.
            card: gives the splits, and the claims on candidates.
            kept: whether the state after each rule stays in memory, or that before the first alone.
        """
        self.recipe = recipe
        self._card = card
        self._sources = sources
        self._kept = kept
        self._reading: Reading
        self._given: list[Settings] = []
        self._states: list[State] = []
        self._digests: dict[str, str] = {}

    def run(self, overrides: Mapping[str, object] | None = None, progress: Progress = silent) -> Build:
        """Read the sources, apply the rules in order, nest and split the result.

        Args:
            overrides: `rule.parameter` -> value, in the words of the command line or typed; `rule.lift` -> whether
                the rule runs, but drops nothing.
            progress: called with the name of each step before it starts.

        Raises:
            UsageError: unknown rule, parameter, value or level; a source that is needed is not there.
            InputError: the sources break their format, or name a sample twice.
            BenchwrightError: a rule fails; or a rule that is lifted cannot be, and why.
        """
        settings = self.recipe.settings(overrides or {})
        try:
            state = self.after(len(self.recipe.rules), settings, progress)
            progress("nesting rows")
            return self._build(state, settings)
        except UsageError:
            raise
        except BenchwrightError as failure:
            lifted = [name for name in settings if name.endswith(f".{LIFT.name}")]
            if not lifted:
                raise
            raise BenchwrightError(
                f"{', '.join(lifted)}: later steps cannot go on with the rows that stay: {failure}"
            ) from failure

    def after(self, last: int, settings: Settings, progress: Progress = silent) -> State:
        """The state after the rule of this number, from 1; of 0 that before the first.

        Raises as `run`.
        """
        names = [step.name for step in self.recipe.rules[:last]]
        given = [reader_options(settings), *(_of_rule(name, settings) for name in names)]
        common = 0
        while common < min(len(given), len(self._given)) and given[common] == self._given[common]:
            common += 1
        with recorded_digests(self._digests):
            if not common:
                self._given, self._states = [given[0]], [self._read(settings, progress)]
            elif self._kept:
                del self._given[common:], self._states[common:]
            state = self._states[-1]
            for order in range(len(self._states), last + 1):
                state = self._step(order, state, settings, progress)
                if self._kept:
                    self._given.append(given[order])
                    self._states.append(state)
        return state

    def _read(self, settings: Settings, progress: Progress) -> State:
        progress("reading sources")
        sources = self._sources.with_options(reader_options(settings))
        reading = read_sources(self.recipe, sources, self._card, settings)
        self._sources, self._reading = sources, reading
        return State(reading.tables, Ledger(), list(reading.candidates.warnings), dict(sources.used))

    def _step(self, order: int, state: State, settings: Settings, progress: Progress) -> State:
        rule = self.recipe.rules[order - 1]
        progress(rule.name)
        ledger, self._sources.used = state.ledger.copy(), dict(state.used)
        parameters = _of_rule(rule.name, settings)
        tables = apply_rule(rule, order, state.tables, self._sources, parameters, ledger, self.recipe.level)
        warnings = [*state.warnings, *newly_broken(rule.name, state.tables, tables)]
        return State(tables, ledger, warnings, dict(self._sources.used))

    def _build(self, state: State, settings: Settings) -> Build:
        recipe, reading, tables, ledger = self.recipe, self._reading, state.tables, state.ledger
        makers = {key: place_of(rule.function, f"rule {rule.name}") for key, rule in ledger.makers.items()}
        reader = place_of(recipe.read, "reader")
        table = nested(recipe.schema, tables, makers, reader)
        splits = split_tables(table, reading.splits, makers.get((ROOT, "split"), reader))
        metadata, defaults = recipe.schema.metadata, recipe.settings({})
        levels = {
            level_name(level, recipe.level): Level(len(rows), len(tables[level]))
            for level, rows in reading.tables.items()
        }
        self._sources.used = dict(state.used)
        with recorded_digests(self._digests):
            sources = self._sources.identities()
        found = reading.candidates.findings | self._sources.findings()
        identity = Identity(
            name=recipe.name,
            schema=metadata[b"schema"].decode(),
            schema_version=int(metadata[b"schema_version"]),
            recipe_version=recipe.version,
            version_reason=recipe.version_reason,
            parameters=dict(settings),
            changed_parameters=[name for name, value in settings.items() if value != defaults.get(name)],
            sources=sources,
            levels=levels,
            counts=ledger.counts,
            findings={text: int(count) for text, count in found.items()},
            aggregates=reading.aggregates,
            splits={},
            content_digest="",
            tool_version=version("benchwright"),
            rules=recipe.texts,
            recipe=recipe.origin,
            card=None if isinstance(recipe.card, str) else recipe.card,
            warnings=state.warnings,
            examples={text: list(count.names) for text, count in found.items() if isinstance(count, Counted)},
        )
        return Build(splits, ledger.table(), identity)


def run(
    recipe: Recipe,
    sources: Sources,
    overrides: Mapping[str, object] | None = None,
    *,
    card: Card,
    progress: Progress = silent,
) -> Build:
    """One run alone; arguments and errors as of `Runs`."""
    return Runs(recipe, sources, card, kept=False).run(overrides, progress)


def _of_rule(name: str, settings: Settings) -> dict[str, Value]:
    """The parameters of a rule among all settings, by their own names."""
    return {key.removeprefix(f"{name}."): value for key, value in settings.items() if key.rpartition(".")[0] == name}
