"""Whether the columns of a table are what those who read it rely on: there once, of their types, without nulls.

A manifest comes from anybody, and its digests say only that nobody changed it since. What shares the name of a column
of a schema in `KINDS` is of that column's type, or the table is refused, by file, column and row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.activity import activity_schema
from schemas.arrays import booleans, integers, one_array
from schemas.columns import column
from schemas.detection import detection_schema
from schemas.errors import InputError, Problem, shown
from schemas.input.columns import flat, is_list, is_text
from schemas.instruction import INSTRUCTION, INSTRUCTION_SCHEMA
from schemas.temporal import temporal_schema

_NAMES = [column(name, str, name) for name in ("sample_id", "split")]
# What several benchmarks of spans have beside the shared columns.
_TIMES = pa.list_(pa.struct([pa.field(name, pa.float64(), nullable=False) for name in ("start_s", "end_s")]))
_SPANS = [
    column("onsets_s", list[float], "onsets of the annotators"),
    column("heldout_onset_s", float, "onset of one more annotator", required=False),
    column("reannotated", _TIMES, "spans of other people", required=False),
]
KINDS = {
    "boxes": (frozenset({"objects"}), detection_schema("boxes", 1)),
    "spans": (frozenset({"start_s", "end_s"}), temporal_schema("spans", 1)),
    "activities": (frozenset({"persons", "global_activities"}), activity_schema("activities", 1)),
    "instruction": (frozenset({"turns", "source_id"}), INSTRUCTION_SCHEMA),
}
"""By kind of manifest, the columns by which it is known, and its schema."""

MOST = 2**53
"""Whole numbers beyond it are not exact as floats, which pixels are computed with."""


def plain(table: pa.Table, file: str) -> pa.Table:
    """The table with each text and each list in Arrow's plain type, whatever wrote it.

    Raises:
        InputError: a column, or a field of records, that stands twice; a type that cannot be read as a plain one.
    """
    _refuse_twice(table.column_names, file, "")
    fields = [field.with_type(_plain_type(field.type, file, field.name)) for field in table.schema]
    schema = pa.schema(fields, table.schema.metadata)
    if schema.equals(table.schema):
        return table
    try:
        return table.cast(schema)
    except (pa.ArrowException, NotImplementedError) as failure:
        raise InputError(Problem(file, "", "", shown(str(failure)), "columns of plain types")) from None


def refuse_other_rows(table: pa.Table, split: str, file: str) -> None:
    """Refuse rows without names or of another split, and columns that are not what their kind has.

    A recipe's own schema may have fewer columns than its kind: those who need all call `refuse_lacking`.

    Raises:
        InputError: as `refuse_other_columns`; a split of another name, which may be a path, and exporters make folders.
    """
    refuse_lacking(table.schema, pa.schema(_NAMES), file)
    if (table.schema.metadata or {}).get(b"schema") == INSTRUCTION.encode():  # no recipe of anybody makes such rows
        refuse_lacking(table.schema, INSTRUCTION_SCHEMA, file)
    known = [schema for names, schema in KINDS.values() if names.issubset(table.column_names)]
    for fields in (_NAMES, *known, _SPANS if "start_s" in table.column_names else ()):
        refuse_other_columns(table, fields, file)
    others = [name for name in table["split"].unique().to_pylist() if name != split]
    if others:
        raise InputError(Problem(file, "", "split", shown(others[0]), shown(split), "no build writes such rows"))


def refuse_other_columns(table: pa.Table, fields: Iterable[pa.Field], file: str) -> None:
    """Refuse columns of the names of these fields, and fields of their records, that are not as they are declared.

    Raises:
        InputError: another type, or null where there may be none, or pixels beyond `MOST`; names file, column and row.
    """
    for field in fields:
        if field.name in table.column_names:
            _refuse_other_type(table.schema.field(field.name).type, field.type, file, field.name)
            array = one_array(table[field.name])
            for problem in _wrong_values(array, field, field.name, np.arange(len(array)), file):
                raise InputError(problem)


def refuse_lacking(found: pa.Schema, expected: pa.Schema, file: str) -> None:
    """Refuse a schema that lacks a column of another, or a field of its records; `InputError`."""
    _refuse_lacking(pa.struct(list(found)), pa.struct(list(expected)), file, "")


def _refuse_twice(names: list[str], file: str, path: str) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(Problem(file, "", f"{path}{twice[0]}", "a column that stands twice", "one column of a name"))


def _plain_type(kind: pa.DataType, file: str, path: str) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return _plain_type(kind.value_type, file, path)
    if is_text(kind):
        return pa.string()
    if kind in (pa.large_binary(), pa.binary_view()):
        return pa.binary()
    if is_list(kind):
        inside = kind.value_field
        return pa.list_(inside.with_type(_plain_type(inside.type, file, path)))
    if pa.types.is_struct(kind):
        _refuse_twice([field.name for field in kind], file, f"{path}.")
        return pa.struct([field.with_type(_plain_type(field.type, file, f"{path}.{field.name}")) for field in kind])
    return kind


def _refuse_lacking(found: pa.DataType, expected: pa.DataType, file: str, path: str) -> None:
    if is_list(found) and is_list(expected):
        _refuse_lacking(found.value_type, expected.value_type, file, path)
    elif pa.types.is_struct(found) and pa.types.is_struct(expected):
        for field in expected:
            place = f"{path}.{field.name}".lstrip(".")
            if found.get_field_index(field.name) < 0:
                raise InputError(Problem(file, "", place, "no such column", f"one of {field.type}"))
            _refuse_lacking(found.field(field.name).type, field.type, file, place)


def _refuse_other_type(found: pa.DataType, expected: pa.DataType, file: str, path: str) -> None:
    if is_list(found) and is_list(expected):
        _refuse_other_type(found.value_type, expected.value_type, file, path)
    elif pa.types.is_struct(found) and pa.types.is_struct(expected):
        for field in expected:
            if found.get_field_index(field.name) >= 0:
                _refuse_other_type(found.field(field.name).type, field.type, file, f"{path}.{field.name}")
    elif found != expected:
        raise InputError(Problem(file, "", path, f"a column of {found}", str(expected)))


def _wrong_values(array: pa.Array, field: pa.Field, path: str, rows: NDArray[np.int64], file: str) -> Iterator[Problem]:
    """Nulls where there may be none, numbers of pixels that no float has; `rows` are those of the table."""
    if array.null_count and not field.nullable:
        row = rows[int(np.flatnonzero(booleans(array.is_null()))[0])]
        yield Problem(file, f"row {row + 1}", path, "nothing", str(field.type))
    if is_list(field.type):
        items, row = flat(array)
        inside = field.type.value_field
        whole = inside.with_nullable(
            inside.nullable and not pa.types.is_struct(inside.type)
        )  # no list has empty records
        yield from _wrong_values(items, whole, path, rows[row], file)
    elif pa.types.is_struct(field.type):
        there = np.flatnonzero(booleans(array.is_valid()))
        records = array.take(pa.array(there)) if array.null_count else array
        known = [inside for inside in field.type if array.type.get_field_index(inside.name) >= 0]
        for inside in known:
            yield from _wrong_values(records.field(inside.name), inside, f"{path}.{inside.name}", rows[there], file)
    elif field.type == pa.int64() and (field.metadata or {}).get(b"unit") == b"px":
        beyond = np.flatnonzero(np.abs(integers(array)) > MOST)
        for place in beyond[:1]:
            yield Problem(file, f"row {rows[place] + 1}", path, f"{array[int(place)]}", f"at most {MOST:,} px")
