"""One table of predicted activities, and what its rows and columns are called in the file that it comes from."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import InputError, Problem, nearest, shown
from schemas.input.columns import Column, Integers, Place, row_named

KINDS = ("individual", "groups", "global")
KEYS = ("sample_id", "sequence", "frame")

# "scoer" is like "score" and "activity" like "activities"; "label_id" is a column of somebody's own.
_MUCH_ALIKE = 0.775


@dataclass(frozen=True)
class Part:
    """One table of predictions, as it came.

    Attributes:
        file: the path as the user knows it.
        table: keys, and the columns that `scorers.activity.formats` describes.
        nested: whether it comes from rows of the manifest's shape, where a person may stand in several groups.
        names: what the file calls the columns, where that differs.
        within: the column of the file whose records the rows are, empty where they are the file's own.
        origin: the row of the file that each record stands in, ascending; shape (rows,).
        remarks: what the reader should know.
    """

    file: str
    table: pa.Table
    nested: bool = False
    names: Mapping[str, str] = field(default_factory=dict)
    within: str = ""
    origin: Integers | None = None
    remarks: tuple[str, ...] = ()

    def called(self, column: str) -> str:
        """What the file calls a column."""
        return self.names.get(column, column)

    def row(self, row: int) -> str:
        """The row of the file that a row comes from."""
        return row_named(row if self.origin is None else int(self.origin[row]))

    def place(self, row: int) -> str:
        """Where a row stands in the file."""
        return row_named(row) if self.origin is None else record_named(self.origin, self.within, row)


ActivityTables = dict[str, Part]
"""The tables at hand, by `KINDS`."""


def record_named(origin: Integers, within: str, record: int) -> str:
    """The place of a record of a column of lists, for messages; `origin` is as in `Part`."""
    first = int(np.searchsorted(origin, origin[record]))
    return f"{row_named(int(origin[record]))}, record {record - first + 1} of {within}"


def fields_of(records: pa.Array) -> dict[str, pa.Array]:
    """The fields of records by name, null where a record lacks one; none of what are no records."""
    if not pa.types.is_struct(records.type):
        return {}
    names = [records.type.field(place).name for place in range(records.type.num_fields)]
    return {name: pc.struct_field(records, name) for name in names}


def unread_keys(
    file: str, columns: Mapping[str, Column], read: Collection[str], others: Collection[str], place: Place
) -> list[str]:
    """The keys that mean nothing here.

    Args:
        file: for messages.
        columns: the values of each key, null where a record lacks it.
        read: the keys that are read.
        others: keys that are known and not read.
        place: names a record.

    Raises:
        InputError: a record with a key that is much like one of `read`, and without that one.
    """
    unread = [name for name in columns if name not in read and name not in others]
    for name in unread:
        near = nearest(name, read, cutoff=_MUCH_ALIKE)
        alone = pc.is_valid(columns[name])
        for known in columns.keys() & set(near):
            alone = pc.and_(alone, pc.is_null(columns[known]))
        if near and pc.any(alone).as_py():
            first = pc.index(alone, True).as_py()
            advice = f"did you mean {near[0]}?"
            raise InputError(Problem(file, place(first), "", f"the unknown key {shown(name)}", ", ".join(read), advice))
    return unread
