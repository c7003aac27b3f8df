"""What a comparison gives: counts to print, and every row that differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchwright.differences.rows import Compared

if TYPE_CHECKING:
    import pandas as pd


_ROWS = pa.schema(
    [
        *((name, pa.string()) for name in ("level", "key", "change", "column", "a", "b")),
        ("size", pa.float64()),
        ("cause", pa.string()),
    ]
)


class Aspect(msgspec.Struct, frozen=True):
    """What two sides say differently of themselves; None where one says nothing."""

    what: str
    a: str | None
    b: str | None


class ColumnChange(msgspec.Struct, frozen=True):
    """A column whose values differ.

    Attributes:
        column: its name.
        unit: of its values.
        rows: how many rows it differs in.
        median, q95, largest: of the absolute change, over the rows where both have a number; null where none have.
        example: key, and value in A and in B, of the first row, or of the largest change.
    """

    column: str
    unit: str
    rows: int
    median: float | None
    q95: float | None
    largest: float | None
    example: tuple[str, Any, Any]


class LevelChange(msgspec.Struct, frozen=True):
    """The rows of one level: samples, or a kind of things in them.

    Attributes:
        level: its name.
        a, b: rows on each side.
        common: rows of the same key.
        removed, added, changed: rows that only A has, that only B has, common ones that differ in any column.
        same_order: whether the common rows follow one another in the same order.
        columns: those that differ.
        not_compared: columns that only one side has.
        reasons: what the ledgers say of removed and added rows: `removed` or `added`, rule, reason, how many.
    """

    level: str
    a: int
    b: int
    common: int
    removed: int
    added: int
    changed: int
    same_order: bool
    columns: list[ColumnChange]
    not_compared: list[str]
    reasons: list[tuple[str, str, str, int]]


class Summary(msgspec.Struct, frozen=True):
    """What `diff --json` prints.

    Attributes:
        a, b: what was compared.
        differ: whether rows, their order, or columns of whole manifests differ.
        identities: what the two say differently of themselves.
        levels: samples first.
        explained: by cause, how many rows of all levels it accounts for; each row has one, perhaps of several parts.
        unexplained: the other rows that differ.
        because: why they are not explained.
        notes: what could not be compared or built.
    """

    a: str
    b: str
    differ: bool
    identities: list[Aspect]
    levels: list[LevelChange]
    explained: dict[str, int]
    unexplained: int
    because: str
    notes: list[str]


@dataclass(frozen=True, eq=False)
class Diff:
    """Two sides, compared; `summary` counts, `to_pandas` has every row that differs."""

    summary: Summary
    compared: Mapping[str, Compared]
    labels: Mapping[str, NDArray[np.object_]]

    @property
    def differ(self) -> bool:
        """Whether rows, their order, or columns of whole manifests differ."""
        return self.summary.differ

    def names(self, change: Literal["removed", "added"], most: int) -> list[str]:
        """The names of the first rows that were removed or added, of all levels."""
        found: list[str] = []
        for each in self.compared.values():
            rows, places = (each.a, each.removed) if change == "removed" else (each.b, each.added)
            found += rows.keys.take(pa.array(places[: most - len(found)])).to_pylist()
        return found

    def to_pandas(self) -> pd.DataFrame:
        """A row per row removed or added, and per changed value: level, key, change, column, a, b, size, cause.

        `size` is the absolute change of a number, `cause` is empty where nothing explains the row.
        """
        import pandas as pd

        return pd.DataFrame(_records(self.compared, self.labels), columns=_ROWS.names)

    def table(self) -> pa.Table:
        """As `to_pandas`, with values as text, of lists and records in JSON."""
        columns = list(zip(*_records(self.compared, self.labels), strict=True)) or [()] * len(_ROWS)
        texts = {name: list(map(_text, columns[place])) for place, name in enumerate(_ROWS.names) if name in ("a", "b")}
        return pa.table(dict(zip(_ROWS.names, columns, strict=True)) | texts, schema=_ROWS)

    def __repr__(self) -> str:
        counts = [
            f"{each.removed:,} removed, {each.added:,} added, {each.changed:,} changed {each.level} rows"
            for each in self.summary.levels
        ]
        return f"<Diff of {self.summary.a} and {self.summary.b}: {'; '.join(counts)}>"


def _records(compared: Mapping[str, Compared], causes: Mapping[str, NDArray[np.object_]]) -> Iterator[tuple[Any, ...]]:
    for level, each in compared.items():
        labels = dict(zip(each.keys.to_pylist(), causes[level].tolist(), strict=True))
        for change, rows, places in (("removed", each.a, each.removed), ("added", each.b, each.added)):
            for key in rows.keys.take(pa.array(places)).to_pylist():
                yield level, key, change, None, None, None, None, labels[key]
        for name, mask in each.columns.items():
            at = np.flatnonzero(mask)
            a, b, sizes = each.values(name, at)
            keys = each.a.keys.take(pa.array(each.common[0][at])).to_pylist()
            for key, one, other, size in zip(keys, a.to_pylist(), b.to_pylist(), sizes.tolist(), strict=True):
                yield level, key, "changed", name, one, other, None if isnan(size) else size, labels[key]


def _text(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else msgspec.json.encode(value).decode()
