"""Columns of lists in the tables that rules see: Arrow lists, so that no row becomes a Python object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from schemas.arrays import one_array
from schemas.input.columns import flat

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]


def lists_of(rows: NDArray[Any], count: int, values: Sequence[NDArray[Any]], kind: pa.DataType) -> pd.Series:
    """A list for each of `count` rows.

    Args:
        rows: (items,) the row of each item, ascending.
        count: how many lists there are; rows without items have empty ones.
        values: the items, or each field of theirs where they are records; arrays of shape (items,).
        kind: type of the lists.
    """
    item = kind.value_type
    if pa.types.is_struct(item):
        fields = [item.field(place) for place in range(item.num_fields)]
        arrays = [pa.array(given, field.type) for given, field in zip(values, fields, strict=True)]
        items = pa.StructArray.from_arrays(arrays, fields=fields)
    else:
        items = pa.array(values[0], item)
    return _series(list_array(np.bincount(rows, minlength=count), items, kind))


def items_of(lists: pd.Series, field: str = "") -> tuple[Rows, NDArray[Any]]:
    """The row (position) of each item, and the items, or one field of theirs where they are records."""
    items, rows = flat(pa.array(lists))
    return rows, (items.field(field) if field else items).to_numpy(zero_copy_only=False)


def lengths_of(lists: pd.Series) -> Rows:
    """How many items each list has."""
    lengths: Rows = np.diff(_array(lists).offsets.to_numpy()).astype(np.int64)
    return lengths


def filtered(lists: pd.Series, keep: Mask) -> pd.Series:
    """The lists without the items that are not to `keep`, one flag for each item of all lists."""
    rows, _ = items_of(lists)
    array = _array(lists)
    counts = np.bincount(rows[keep], minlength=len(array))
    items = array.flatten().filter(pa.array(keep))
    return _series(list_array(counts, items, array.type)).set_axis(lists.index)


def list_array(counts: NDArray[Any], items: pa.Array, kind: pa.DataType) -> pa.ListArray:
    """Lists of so many items each, one after the other."""
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return pa.ListArray.from_arrays(offsets, items, type=kind)


def _array(lists: pd.Series) -> pa.ListArray:
    return one_array(pa.array(lists))


def _series(array: pa.ListArray) -> pd.Series:
    return pd.Series(pd.arrays.ArrowExtensionArray(array))
