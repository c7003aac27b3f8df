"""One rule on the tables: what it keeps, drops and changes, and the account of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from builders.engine.ledger import CHANGED, DROPPED, NOTED, VIA_PARENT, Ledger
from builders.engine.rules import LIFT, ROOT, Outcome, Rule, mask_of
from builders.engine.sources import Sources
from schemas.errors import unknown_name
from schemas.identity import Count, Value
from schemas.user_code import user_code

Tables = dict[str, pd.DataFrame]

# Since pandas 3, a shallow copy that is written to leaves the original as it is.
_COPIED = int(pd.__version__.split(".")[0]) < 3


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
        tables: one per level, under `ROOT` and the names of the child levels; the index is the candidate's row number.
        sources: for rules that read one.
        parameters: of the rule, by name. Where it is lifted, rows that it would drop stay and are noted.
        ledger: gets the account.
        root: what a row of the root level is called.
    """
    columns = [name for rows in tables.values() for name in map(str, rows)]
    own = {name: value for name, value in parameters.items() if name != LIFT.name}
    with user_code(rule.function, f"rule {rule.name}", known=columns):
        given = _call(rule, tables, sources, own, root)
        # A rule sees the tables as they were, so its outcomes may not have rows taken away by one another.
        before = tables
        for outcome in _outcomes(given):
            tables = _carry_out(rule, order, outcome, before, tables, ledger, root, lifted=LIFT.name in parameters)
    return tables


def _call(rule: Rule, tables: Tables, sources: Sources, parameters: Mapping[str, Value], root: str) -> object:
    """What a rule returns, which gets copies: of what it does to them itself the ledger would not know."""
    seen = {level: rows.copy(deep=_COPIED) for level, rows in tables.items()}
    named = {level_name(level, root): rows for level, rows in seen.items()} | {"sources": sources}
    given = rule(seen[rule.level], *(named[name] for name in rule.tables), **parameters)
    for level, rows in seen.items():
        if not rows.index.equals(tables[level].index):
            name = level_name(level, root)
            raise ValueError(f"it drops, adds or sorts rows of the table {name!r} in place, expected an Outcome alone")
    return given


def _outcomes(given: object) -> list[Outcome]:
    """What a rule returned, as a list."""
    outcomes = given if isinstance(given, list | tuple) else [given]
    for outcome in outcomes:
        if not isinstance(outcome, Outcome):
            raise TypeError(f"it gives {type(outcome).__name__}, expected an Outcome, or a list of them")
    return list(outcomes)


def _carry_out(
    rule: Rule, order: int, outcome: Outcome, seen: Tables, tables: Tables, ledger: Ledger, root: str, *, lifted: bool
) -> Tables:
    """The tables after one outcome of a rule, which enters the ledger."""
    level = outcome.level or rule.level
    if level not in seen:
        raise ValueError(f"it gives an outcome for the {unknown_name('level', level, list(seen))}")
    table, name = seen[level], level_name(level, root)
    if len(table) != len(tables[level]):
        raise TypeError(f"it gives two outcomes for the level {name!r}, or one for a parent before it")
    _check_rows(outcome, table)
    keep = np.ones(len(table), bool) if outcome.keep is None else mask_of(outcome.keep, table, "keep")
    given = np.zeros(len(table), bool) if outcome.touched is None else mask_of(outcome.touched, table, "touched")
    spared = ~keep & lifted
    keep, touched = keep | spared, given & keep
    ledger.makers.update(dict.fromkeys([(level, column) for column in outcome.columns], rule))
    changes = bool(outcome.columns)
    for mask, action in ((~keep, DROPPED), (touched, CHANGED if changes else NOTED), (spared, NOTED)):
        reason, values = _rows_of(outcome, mask)
        ledger.enter(rule, order, name, _keys(seen, level, mask), action=action, reason=reason, values=values)
    everyone = int(keep.sum()) if changes and outcome.touched is None else 0
    changed = everyone or (int(touched.sum()) if changes else 0)
    noted = int(spared.sum()) + (0 if changes else int(touched.sum()))
    ledger.count(Count(name, rule.name, order, len(table), int((~keep).sum()), 0, changed, noted))
    result = tables | {level: table.assign(**outcome.columns)[keep] if changes or not keep.all() else table}
    if level == ROOT and not keep.all():
        _drop_children(rule, order, tables, result, ledger)
    return result


def _check_rows(outcome: Outcome, table: pd.DataFrame) -> None:
    """Refuse parts that are not one per row or in another order than the rows, and those about no row."""
    parts = {"keep": outcome.keep, "touched": outcome.touched, "reason": outcome.reason}
    parts |= {f"value {name!r}": given for name, given in outcome.values.items()}
    parts |= {f"column {name!r}": given for name, given in outcome.columns.items()}
    for what, given in parts.items():
        if pd.api.types.is_list_like(given) and len(given) != len(table):
            raise ValueError(f"its {what} has {len(given):,} entries, the table {len(table):,} rows")
        if isinstance(given, pd.Series) and not given.index.equals(table.index):
            advice = "give its `.to_numpy()` if that is in the order of the table"
            raise ValueError(
                f"its {what} is a Series with other row labels than the table, or in another order; {advice}"
            )
    if "sample_id" in outcome.columns:
        raise ValueError("it gives the column 'sample_id', by which the ledger knows rows: the reader alone names them")
    explained = outcome.values or not isinstance(outcome.reason, str) or outcome.reason
    if explained and outcome.keep is None and outcome.touched is None:
        raise ValueError("it gives a reason or values, but neither keep nor touched says for which rows")


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
