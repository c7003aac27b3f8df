"""Rows of one predicted group as one: with a label a row, a group of several labels has several."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.arrays import integers
from schemas.errors import InputError, Problem
from schemas.input.columns import names_of
from scorers.activity.formats import Part
from scorers.activity.labels import RowLabels, united_labels
from scorers.activity.lookup import repeated
from scorers.activity.sets import Integers, Sets


def one_row_a_group(
    part: Part, labels: RowLabels, frame: Integers, group: Integers, identity: Integers
) -> tuple[Integers, Sets]:
    """The first row of each group, ascending, and the labels of all its rows; both of shape (groups,).

    Rows with a label each are of one group where they name it or, without a name, have the same members.

    Args:
        part: the table.
        labels: of its rows.
        frame: row of the key frame of each row, shape (rows,), -1 for key frames that are not scored.
        group: the row that each member stands in, ascending; shape (members,).
        identity: who each member is, shape (members,).

    Raises:
        InputError: a named group in two rows that have lists of labels, or other members; a label twice.
    """
    rows = np.arange(len(frame))
    name = np.full(len(frame), -1)
    if "group" in part.table.column_names:
        name = names_of(part.table["group"], part.file, "group")[0]
    if labels.whole:
        again = _named_before(frame, name)
        if len(again):
            found = "a group that was there already"
            raise InputError(Problem(part.file, part.place(int(again[0])), "group", found, "one row a group"))
        return rows, labels.sets
    # Key frames that are not scored have no number to tell them apart by.
    apart = np.where(frame < 0, -1 - rows, frame)
    keys = np.stack([apart, name, _members(len(frame), group, identity)])
    _, first, owner = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    order = np.sort(first)
    owner = np.searchsorted(order, first[owner.ravel()])
    again = _named_before(frame[order], name[order])
    if len(again):
        place = part.place(int(order[again[0]]))
        found = "other members than in an earlier row of the same group"
        raise InputError(Problem(part.file, place, "members", found, "the same members"))

    def quoted(groups: Integers) -> str:
        return f"the group of {part.place(int(order[groups[0]]))}"

    return order, united_labels(labels, owner, len(order), part.file, quoted)


def _named_before(frame: Integers, name: Integers) -> Integers:
    """Rows that name a group of a scored key frame which an earlier row names."""
    named = np.flatnonzero((name >= 0) & (frame >= 0))
    return named[repeated(frame[named], name[named])]


def _members(rows: int, group: Integers, identity: Integers) -> Integers:
    """A number for each different set of members, shape (rows,)."""
    order = np.lexsort((identity, group))
    offsets = np.append(0, np.cumsum(np.bincount(group, minlength=rows))).astype(np.int32)
    lists = pa.ListArray.from_arrays(pa.array(offsets), pa.array(identity[order]).cast(pa.string()))
    return integers(pc.binary_join(lists, " ").dictionary_encode().indices)
