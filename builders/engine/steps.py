"""One rule on the tables: what it keeps, drops and changes, and the account of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from builders.engine.ledger import CHANGED, DROPPED, NOTED, VIA_PARENT, Ledger
from builders.engine.rules import ROOT, Outcome, Rule, mask_of
from builders.engine.sources import Sources
from schemas.identity import Count, Value

Tables = dict[str, pd.DataFrame]


def apply_rule(
    rule: Rule,
    order: int,
    tables: Tables,
    sources: Sources,
    parameters: Mapping[str, Value],
    ledger: Ledger,
    root: str,
) -> Tables:
    """The tables after a rule.

    Args:
        rule: the rule, `order` its place in the recipe.
        order: from 1.
        tables: one a level, under `ROOT` and the names of the child levels; the index is the candidate's row number.
        sources: for rules that read one.
        parameters: of the rule, by name.
        ledger: gets the account.
        root: what a row of the root level is called.
    """
    named = {level_name(level, root): rows for level, rows in tables.items()} | {"sources": sources}
    given = rule(tables[rule.level], *(named[name] for name in rule.tables), **parameters)
    # A rule sees the tables as they were, so its outcomes may not have rows taken away by one another.
    before = tables
    for outcome in [given] if isinstance(given, Outcome) else given:
        tables = _carry_out(rule, order, outcome, before, tables, ledger, root)
    return tables


def _carry_out(
    rule: Rule, order: int, outcome: Outcome, seen: Tables, tables: Tables, ledger: Ledger, root: str
) -> Tables:
    """The tables after one outcome of a rule, which enters the ledger."""
    level = outcome.level or rule.level
    table, name = seen[level], level_name(level, root)
    if len(table) != len(tables[level]):
        raise TypeError(f"rule {rule.name!r} gives two outcomes for the level {name!r}, or one for a parent before it")
    keep = np.ones(len(table), bool) if outcome.keep is None else mask_of(outcome.keep, table)
    touched = np.zeros(len(table), bool) if outcome.touched is None else mask_of(outcome.touched, table) & keep
    changes = bool(outcome.columns)
    for mask, action in ((~keep, DROPPED), (touched, CHANGED if changes else NOTED)):
        reason, values = _rows_of(outcome, mask)
        ledger.enter(rule, order, name, _keys(seen, level, mask), action=action, reason=reason, values=values)
    everyone = int(keep.sum()) if changes and outcome.touched is None else 0
    changed = everyone or (int(touched.sum()) if changes else 0)
    noted = 0 if changes else int(touched.sum())
    ledger.count(Count(name, rule.name, order, len(table), int((~keep).sum()), 0, changed, noted))
    result = tables | {level: table.assign(**outcome.columns)[keep] if changes or not keep.all() else table}
    if level == ROOT and not keep.all():
        _drop_children(rule, order, tables, result, ledger)
    return result


def _drop_children(rule: Rule, order: int, before: Tables, result: Tables, ledger: Ledger) -> None:
    """Children fall with their parent, under the same rule."""
    for level, rows in before.items():
        if level == ROOT:
            continue
        orphaned = ~rows["parent"].isin(result[ROOT].index).to_numpy()
        fallen = int(orphaned.sum())
        entries = _keys(before, level, orphaned)
        ledger.enter(rule, order, level, entries, action=DROPPED, reason=VIA_PARENT, values={})
        ledger.count(Count(level, rule.name, order, len(rows), fallen, fallen, 0, 0))
        result[level] = rows[~orphaned]


def _rows_of(outcome: Outcome, mask: Any) -> tuple[Any, dict[str, Any]]:
    def chosen(given: Any) -> Any:
        return given if np.ndim(given) == 0 else np.asarray(given)[mask]

    return chosen(outcome.reason), {name: chosen(given) for name, given in outcome.values.items()}


def _keys(tables: Tables, level: str, mask: Any) -> pd.DataFrame:
    if level == ROOT:
        return pd.DataFrame({"key": tables[ROOT]["sample_id"][mask]})
    rows = tables[level][["parent", "key"]][mask]
    parents = tables[ROOT]["sample_id"].reindex(rows["parent"])
    return pd.DataFrame({"key": parents.to_numpy(), "child_key": rows["key"].to_numpy()})


def level_name(level: str, root: str) -> str:
    """The name of a level as people read it: the recipe's word for the root."""
    return root if level == ROOT else level
