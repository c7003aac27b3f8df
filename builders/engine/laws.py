"""Rows that a rule makes invalid: those that break a law of spans or boxes after the rule, and did not before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from builders.engine.rules import ROOT
from schemas.laws import SIDES, SPAN, Broken, broken_boxes, broken_spans
from schemas.notices import Notice

_SIZE = ("width", "height")

Tables = Mapping[str, pd.DataFrame]


def newly_broken(rule: str, before: Tables, after: Tables) -> Iterator[Notice]:
    """A warning for each law that rows break after a rule, and did not before it.

    Args:
        rule: its name.
        before, after: the tables by level; the index is the candidate's row number.
    """
    for level, rows in after.items():
        if _same(before[level], rows) and _same(before[ROOT], after[ROOT]):
            continue
        known = {check: set(before[level].index[mask]) for _, check, _, mask in _broken(level, before)}
        for _, check, what, mask in _broken(level, after):
            broken = rows.index[mask]
            new = [row for row in broken if row not in known.get(check, ())] if len(broken) else []
            if new:
                example = _named(level, new[0], after)
                message = f"{len(new):,} {what}, but did not before this rule, such as {example!r}"
                yield Notice("warning", check, f"rule {rule}", message, len(new), example)


def _same(before: pd.DataFrame, after: pd.DataFrame) -> bool:
    """Whether all times, boxes and sizes are as they were: a rule that only drops rows breaks no law."""
    names = [name for name in (*SPAN, "duration_s", *SIDES) if name in after]
    return all(name in before and before[name].reindex(after.index).equals(after[name]) for name in names)


def _broken(level: str, tables: Tables) -> Broken:
    """What breaks a law in the table of a level, as far as it has the columns yet."""
    rows = tables[level]
    if set(SPAN) <= set(rows):
        yield from broken_spans(*_numbers(rows, (*SPAN, "duration_s")))
    if set(SIDES) <= set(rows):
        images = tables[ROOT].reindex(rows["parent"]) if level != ROOT else rows[[]]
        yield from broken_boxes(_numbers(rows, SIDES), _numbers(images, _SIZE), level)


def _numbers(rows: pd.DataFrame, names: Sequence[str]) -> NDArray[np.float64]:
    """Columns as numbers, NaN where there is none; shape (columns, rows)."""
    nothing = np.full(len(rows), np.nan)
    columns = (pd.to_numeric(rows[name], errors="coerce") if name in rows else nothing for name in names)
    return np.array([pd.Series(column).to_numpy(np.float64, na_value=np.nan) for column in columns])


def _named(level: str, row: int, tables: Tables) -> str:
    """The sample of a row, and what it is called within."""
    if level == ROOT:
        return str(tables[ROOT]["sample_id"][row])
    rows = tables[level]
    sample, key = tables[ROOT].at[rows.at[row, "parent"], "sample_id"], rows.at[row, "key"]
    return f"{sample!s}, {key!s}"
