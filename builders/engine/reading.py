"""What the reader of a recipe gave, checked: the candidates as tables, before the first rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa

from builders.engine.recipe import Candidates, Recipe, reader_options
from builders.engine.rules import READER, ROOT
from builders.engine.sources import Sources
from schemas.cards import Card, Claim
from schemas.claims import measured
from schemas.errors import MOST_PROBLEMS, Problem, UsageError, shown, unknown_name
from schemas.identity import Value
from schemas.input.problems import raise_any
from schemas.user_code import place_of, user_code


@dataclass(frozen=True)
class Reading:
    """Candidates that were read.

    Attributes:
        candidates: as the reader gave them.
        tables: the same by level, checked, rows numbered from 0.
        splits: names of those that the manifest will have.
        aggregates: what the claims on candidates say, measured.
    """

    candidates: Candidates
    tables: dict[str, pd.DataFrame]
    splits: list[str]
    aggregates: dict[str, float | None]


def read_sources(recipe: Recipe, sources: Sources, card: Card, settings: Mapping[str, Value]) -> Reading:
    """Call the reader and check what it gives.

    Raises:
        UsageError: a source that is needed is not there, or rules ask for levels that the reader does not give.
        InputError: the sources break their format, or name a sample twice.
    """
    with user_code(recipe.read, "reader", known=sources):
        candidates = recipe.read(sources, **reader_options(settings))
        tables = _level_tables(candidates)
        raise_any(_repeats(recipe, tables[ROOT]))
    _check_levels(recipe, tables)
    aggregates = {claim.name: _candidate_value(claim, tables) for claim in card.claims if claim.scope == "candidates"}
    return Reading(candidates, tables, _split_names(card, candidates, settings), aggregates)


def _level_tables(candidates: Candidates) -> dict[str, pd.DataFrame]:
    if not isinstance(candidates, Candidates):
        raise TypeError(f"it gives {type(candidates).__name__}, expected Candidates")
    for level, table in {"root": candidates.root, **candidates.children}.items():
        if not isinstance(table, pd.DataFrame):
            raise TypeError(f"its table {level!r} is {type(table).__name__}, expected a pandas DataFrame")
    root = candidates.root.reset_index(drop=True)
    for name in ("sample_id", "split"):
        if name not in root:
            raise ValueError(f"its table has no column {name!r} (columns: {', '.join(map(str, root))})")
        for row, value in enumerate(root[name]):
            if not isinstance(value, str):
                raise TypeError(f"row {row} of its table has the {name} {shown(value)}, expected text")
    for level, table in candidates.children.items():
        lacking = {"parent", "key"} - set(table)
        if lacking:
            raise ValueError(f"its table {level!r} has no column {min(lacking)!r}")
        unknown = table["parent"][~table["parent"].isin(root.index)]
        if len(unknown):
            found = f"the parent {shown(unknown.iloc[0])}"
            raise ValueError(f"its table {level!r} has {found}, expected the number of a row of the root table")
    return {ROOT: root} | {level: table.reset_index(drop=True) for level, table in candidates.children.items()}


def _repeats(recipe: Recipe, root: pd.DataFrame) -> list[Problem]:
    """A problem for each row whose sample already has one; it names no file where the reader does not say which."""
    again = root[root["sample_id"].duplicated()][:MOST_PROBLEMS]
    if "file" not in root or not root["file"].all():
        names, file = again["sample_id"].unique(), root.attrs.get("file", "")
        return [
            Problem(file, f"{recipe.level} {shown(name)}", "sample_id", "the same name twice", "unique names")
            for name in names
        ]
    first = root.drop_duplicates("sample_id").set_index("sample_id")["file"].reindex(again["sample_id"])
    return [
        Problem(file, f"{recipe.level} {name}", "", f"one that {earlier} has too", f"each {recipe.level} once")
        for file, name, earlier in zip(again["file"], again["sample_id"], first, strict=True)
    ]


def _check_levels(recipe: Recipe, levels: Iterable[str]) -> None:
    """Refuse rules that work on levels, or ask for tables, that the reader does not give."""
    children = [level for level in levels if level != ROOT]
    for rule in recipe.rules:
        place = place_of(rule.function, f"rule {rule.name}")
        if rule.level not in (ROOT, *children):
            raise UsageError(f"{place}: {unknown_name('level', rule.level, [ROOT, *children])}")
        for name in rule.tables:
            if name not in (recipe.level, *children, "sources"):
                unknown = unknown_name("table", name, [recipe.level, *children, "sources"])
                raise UsageError(f"{place}: {unknown}; parameters stand after a * in its arguments")


def _split_names(card: Card, candidates: Candidates, settings: Mapping[str, Value]) -> list[str]:
    """The splits of the card; where the user may ask for others, those that were read, also if no row is left."""
    if f"{READER}.split" not in settings:
        return card.splits
    found = dict.fromkeys(candidates.root["split"])
    return [split for split in dict.fromkeys([*card.splits, *found]) if split in found]


def _candidate_value(claim: Claim, tables: Mapping[str, pd.DataFrame]) -> float | None:
    if (claim.level or ROOT) not in tables:
        raise unknown_name(f"level of claim {claim.name!r}", claim.level, list(tables))
    rows = tables[claim.level or ROOT]
    wanted = dict.fromkeys(["sample_id", "key", "split", claim.column, claim.per, *claim.only])
    return measured(claim, pa.table({name: pa.array(rows[name], from_pandas=True) for name in wanted if name in rows}))
