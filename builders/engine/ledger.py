"""The ledger: for every level and rule the rows in, dropped and changed, and an entry for each row concerned.

It adds up at every level: candidates = kept + dropped, each dropped row under exactly one rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pyarrow as pa

from builders.engine.rules import Rule
from schemas.errors import shown
from schemas.identity import FIELD, Count
from schemas.ledger import LEDGER

DROPPED, CHANGED, NOTED = "dropped", "changed", "noted"
VIA_PARENT = "via=parent"


class Ledger:
    """Gathers what the rules do; `table` and `counts` are the account, `makers` says which rule made a column last."""

    def __init__(self) -> None:
        self.counts: list[Count] = []
        self.makers: dict[tuple[str, str], Rule] = {}
        self._parts: list[pa.Table] = []

    def copy(self) -> Ledger:
        """The account so far, to go on with in another way."""
        other = Ledger()
        other.counts, other.makers, other._parts = [*self.counts], {**self.makers}, [*self._parts]
        return other

    def enter(
        self,
        rule: Rule,
        order: int,
        level: str,
        rows: pd.DataFrame,
        *,
        action: str,
        reason: Any,
        values: Mapping[str, Any],
    ) -> None:
        """Add an entry for each of `rows` (`key`, `child_key`); reason and values: one for all, or one per row."""
        n = len(rows)
        reasons = pa.array(np.broadcast_to(np.asarray(reason, dtype=object), n))
        # One reason for all is a mistake also where no row happens to get it.
        given = [reason] if isinstance(reason, str) and (reason or n) else reasons.unique().to_pylist()
        unknown = set(given) - set(rule.reasons) - {VIA_PARENT}
        if unknown:
            declared = ", ".join(rule.reasons) or "none"
            raise ValueError(f"it gives the reason {shown(min(unknown, key=str))} (declared: {declared})")
        _check_sentences(rule, given, values)
        if n == 0:
            return
        columns = [
            _constant(level, n),
            pa.array(rows["key"], pa.string()),
            _constant(None, n) if "child_key" not in rows else pa.array(rows["child_key"].astype(str), pa.string()),
            _constant(rule.name, n),
            pa.array(np.full(n, order, np.int16)),
            _constant(action, n),
            reasons.cast(pa.string()),
            _value_lists(values, n),
        ]
        self._parts.append(pa.Table.from_arrays(columns, schema=LEDGER))

    def count(self, count: Count) -> None:
        """Add a count; a second one of the same rule and level joins the first."""
        for position, known in enumerate(self.counts):
            if (known.order, known.level) == (count.order, count.level):
                summed = {
                    name: getattr(known, name) + getattr(count, name)
                    for name in ("dropped", "with_parent", "changed", "noted")
                }
                self.counts[position] = msgspec.structs.replace(known, **summed)
                return
        self.counts.append(count)

    def table(self) -> pa.Table:
        return pa.concat_tables([LEDGER.empty_table(), *self._parts]).combine_chunks()


def _check_sentences(rule: Rule, reasons: Iterable[str], values: Mapping[str, Any]) -> None:
    """Refuse sentences that `why` could not fill in."""
    known = {*values, *(parameter.name for parameter in rule.parameters)}
    for sentence in (rule.reasons.get(reason, "") for reason in reasons):
        unknown = {name for name, _ in FIELD.findall(sentence)} - known
        if unknown or re.search("[{}]", FIELD.sub("", sentence)):
            listing = ", ".join(sorted(known)) or "none"
            raise ValueError(f"its sentence {sentence!r} has other fields than NAME or NAME:FORMAT (names: {listing})")


def _constant(text: str | None, n: int) -> pa.Array:
    return pa.repeat(pa.scalar(text, pa.string()), n)


def _value_lists(values: Mapping[str, Any], n: int) -> pa.Array:
    """One list of (name, value) records per row; a null or NaN is stored as null."""
    width = len(values)
    names = pa.array(np.tile(np.asarray(list(values), dtype=object), n), pa.string())
    grid = np.empty((n, width), np.float64)
    for position, given in enumerate(values.values()):
        grid[:, position] = np.broadcast_to(pd.to_numeric(np.asarray(given)), n)
    numbers = pa.array(grid.ravel(), from_pandas=True)
    records = pa.StructArray.from_arrays([names, numbers], fields=list(LEDGER.field("values").type.value_type))
    return pa.ListArray.from_arrays(np.arange(n + 1, dtype=np.int32) * width, records)
