"""Rows of two tables side by side by their keys: removed, added, changed in which column."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.arrays import booleans, floats, integers, one_array, texts_of, values_of
from schemas.errors import InputError, Problem
from schemas.input.columns import decoded, is_list

Places = NDArray[np.int64]
Mask = NDArray[np.bool_]
# What names a thing that has no id.
_BOX = ("category", "x", "y", "width", "height")


class Rows(NamedTuple):
    """The rows of one level of a manifest: samples, or the things in them.

    Attributes:
        keys: of each row, unique: the sample's, or `12 of SAMPLE`.
        table: their columns, but for those that are levels themselves.
    """

    keys: pa.Array
    table: pa.Table


@dataclass(frozen=True)
class Compared:
    """Two tables of one level side by side.

    Attributes:
        a, b: the rows.
        common: the place in `a` and in `b` of each row that both have, in the order of `a`; shape (2, rows).
        removed: places of the rows that only `a` has.
        added: places of those that only `b` has.
        columns: by name of a column that both have, which of the common rows it differs in.
    """

    a: Rows
    b: Rows
    common: Places
    removed: Places
    added: Places
    columns: dict[str, Mask]

    @cached_property
    def changed(self) -> Mask:
        """Which of the common rows differ in any column."""
        nowhere = np.zeros(self.common.shape[1], np.bool_)
        changed: Mask = np.logical_or.reduce([nowhere, *self.columns.values()], axis=0)
        return changed

    @property
    def in_order(self) -> bool:
        """Whether the common rows are in the same order."""
        return bool((np.diff(self.common[1]) > 0).all())

    @cached_property
    def kinds(self) -> tuple[pa.Array, pa.Array, pa.Array]:
        """Keys of the rows removed, added and changed."""
        changed = self.a.keys.take(pa.array(self.common[0][self.changed]))
        return self.a.keys.take(pa.array(self.removed)), self.b.keys.take(pa.array(self.added)), changed

    @cached_property
    def keys(self) -> pa.Array:
        """Keys of all rows that differ, in the order of `kinds`."""
        return pa.concat_arrays(self.kinds)

    def values(self, name: str, at: Places) -> tuple[pa.Array, pa.Array, NDArray[np.float64]]:
        """A column in some of the common rows: its values in `a` and in `b`, and the absolute change of numbers."""
        rows = zip((self.a, self.b), self.common, strict=True)
        a, b = (one_array(each.table[name]).take(pa.array(places[at])) for each, places in rows)
        if not (_is_number(a.type) and _is_number(b.type)):
            return a, b, np.full(len(at), np.nan)
        with np.errstate(invalid="ignore"):  # between infinities there is no distance
            return a, b, np.abs(floats(_as_float(b)) - floats(_as_float(a)))


def levels_of(table: pa.Table, root: str, file: str) -> dict[str, Rows]:
    """The rows of each level: the samples, under the name `root`, and each list of records that have a key.

    The key of a record is its `annotation_id`, or `person_id` in a list `persons`; where one has none, its category and
    box. Records of one sample that are named alike are told apart by their order.

    Raises:
        InputError: two samples have the same name, or one has none.
    """
    samples = one_array(decoded(table["sample_id"])).cast(pa.string())
    counted = samples.value_counts()
    repeated = counted.filter(pc.greater(counted.field("counts"), 1)).field("values").to_pylist()
    if repeated or samples.null_count:
        again, found = (f"sample {repeated[0]!r}", "the same name twice") if repeated else ("", "no name")
        raise InputError(Problem(file, again, "sample_id", found, "a name of its own for each row"))
    names = {field.name: key for field in table.schema if (key := _key_of(field))}
    plain = table.select([name for name in table.column_names if name not in {*names, "sample_id"}])
    levels = {root: Rows(samples, plain)}
    for name, key in names.items():
        column = one_array(table[name])
        parents = samples.take(pc.list_parent_indices(column))
        records = column.flatten()
        things = pa.Table.from_arrays(records.flatten(), schema=pa.schema(list(records.type)))
        levels[name] = Rows(_within(parents, _named(things, key)), things)
    return levels


def compare(a: Rows, b: Rows) -> Compared:
    """The rows of `a` and `b` side by side.

    Values are the same if their bits are: nulls are alike, so are NaNs, 0.0 and -0.0 are not.
    """
    place = integers(pc.index_in(a.keys, value_set=b.keys), null=-1)
    mine = np.flatnonzero(place >= 0)
    common = np.stack([mine, place[mine]])
    added = np.ones(len(b.keys), np.bool_)
    added[common[1]] = False
    columns = {
        name: _differ(
            *(one_array(rows.table[name]).take(pa.array(at)) for rows, at in zip((a, b), common, strict=True))
        )
        for name in a.table.column_names
        if name in b.table.column_names
    }
    return Compared(a, b, common, np.flatnonzero(place < 0), np.flatnonzero(added), columns)


def _key_of(field: pa.Field) -> str:
    """The field that names a record of a list, empty where the column is no list of records that have names."""
    if not (is_list(field.type) and pa.types.is_struct(field.type.value_type)):
        return ""
    known = [each.name for each in field.type.value_type]
    return next((name for name in ("annotation_id", f"{field.name.removesuffix('s')}_id") if name in known), "")


def _named(things: pa.Table, key: str) -> pa.Array:
    """The names of records, perhaps not unique; of all by their boxes where one has no id."""
    ids = one_array(things[key])
    if not ids.null_count:
        return ids.cast(pa.string())
    parts = [one_array(things[name]).cast(pa.string()).fill_null("") for name in _BOX if name in things.column_names]
    return pc.binary_join_element_wise(*parts, " ")


def _within(parents: pa.Array, names: pa.Array) -> pa.Array:
    """`NAME of SAMPLE`, with a number where a sample has several of the name."""
    keys = pc.binary_join_element_wise(names, parents, " of ")
    codes = integers(one_array(keys).dictionary_encode().indices)
    order = np.argsort(codes, kind="stable")
    first = np.r_[True, np.diff(codes[order]) > 0] if len(codes) else np.zeros(0, np.bool_)
    number = np.empty(len(codes), np.int64)
    number[order] = np.arange(len(codes)) - np.maximum.accumulate(np.where(first, np.arange(len(codes)), 0))
    if not number.any():
        return keys
    return pc.binary_join_element_wise(keys, texts_of([f" ({n + 1})" if n else "" for n in number.tolist()]), "")


def _differ(a: pa.Array, b: pa.Array) -> Mask:
    """In which places two arrays of the same length differ."""
    a, b = decoded(a), decoded(b)
    if a.type != b.type and _is_number(a.type) and _is_number(b.type):
        a, b = _as_float(a), _as_float(b)
    valid = booleans(a.is_valid()), booleans(b.is_valid())
    differ: Mask = valid[0] != valid[1]
    both = np.flatnonzero(valid[0] & valid[1])
    if len(both):
        differ[both] = _values_differ(*(array.take(pa.array(both)) for array in (a, b)))
    return differ


def _values_differ(a: pa.Array, b: pa.Array) -> Mask:
    """As `_differ`, of arrays without nulls."""
    if is_list(a.type) and is_list(b.type):
        return _lists_differ(a, b)
    if pa.types.is_struct(a.type) and pa.types.is_struct(b.type):
        names = [[field.name for field in array.type] for array in (a, b)]
        if set(names[0]) != set(names[1]):
            return np.ones(len(a), np.bool_)
        fields: Mask = np.logical_or.reduce([_differ(a.field(name), b.field(name)) for name in names[0]], axis=0)
        return fields
    if _is_number(a.type) and _is_number(b.type):
        one, other = values_of(a), values_of(b)
        if not np.issubdtype(one.dtype, np.floating):
            return np.asarray(one != other)
        bits = f"i{one.dtype.itemsize}"
        return np.asarray((one.view(bits) != other.view(bits)) & ~(np.isnan(one) & np.isnan(other)))
    try:
        return booleans(pc.not_equal(a, b))
    except pa.ArrowException:  # of types that have nothing in common
        return np.ones(len(a), np.bool_)


def _lists_differ(a: Any, b: Any) -> Mask:
    lengths = tuple(integers(pc.list_value_length(lists)) for lists in (a, b))
    differ: Mask = lengths[0] != lengths[1]
    alike = np.flatnonzero(~differ)
    items = [lists.take(pa.array(alike)).flatten() for lists in (a, b)]
    owners = np.repeat(alike, lengths[0][alike])
    differ[owners[_differ(*items)]] = True
    return differ


def _as_float(numbers: pa.Array) -> pa.Array:
    """Numbers as float64, whole ones beyond 2**53 rounded."""
    return numbers.cast(pa.float64(), safe=False)


def _is_number(kind: pa.DataType) -> bool:
    """Whether values of a type have a size."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
