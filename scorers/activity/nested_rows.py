"""Predicted activities in rows of the manifest's own shape, taken apart into tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from schemas.errors import InputError, Problem, shown
from schemas.input.columns import flat, names_of, row_named
from scorers.activity.parts import KEYS, ActivityTables, Part, fields_of, record_named, unread_keys

GLOBAL = {"global_activities": "labels", "global_scores": "scores"}
NESTED = ("persons", "groups", *GLOBAL)
_OTHERS = (*KEYS, "split", "sequence_index", "file_name", "width", "height")


class _Shape(NamedTuple):
    """The records of a column: kind of table, names of the fields that are read, the identity first, and others."""

    kind: str
    fields: dict[str, str]
    others: tuple[str, ...]


_RECORDS = {
    "persons": _Shape(
        "individual",
        {"person_id": "person", "actions": "labels", "action_scores": "scores"},
        ("x", "y", "width", "height", "social", "group_id", "group_difficult"),
    ),
    "groups": _Shape(
        "groups", {"member_ids": "members", "activities": "labels", "activity_scores": "scores"}, ("group_id",)
    ),
}


def has_key(names: set[str]) -> bool:
    """Whether columns say which key frame a row is about."""
    return "sample_id" in names or names.issuperset(KEYS[1:])


def unnested(file: str, table: pa.Table) -> ActivityTables:
    """The tables that rows of the manifest's shape hold; `file` is for messages.

    Raises:
        InputError: a key frame without a name or twice, lists that do not hold what they should, a misspelt key.
    """
    names = set(table.column_names)
    if not has_key(names):
        found = f"columns {', '.join(table.column_names)}"
        raise InputError(Problem(file, "", "", found, "sample_id, or sequence and frame"))
    columns = {name: table[name] for name in table.column_names}
    unread = unread_keys(file, columns, NESTED, _OTHERS, row_named)
    keys = table.select([name for name in KEYS if name in names])
    _refuse_repeated(file, keys)
    parts = {}
    for column in filter(names.__contains__, _RECORDS):
        part, strange = _records(file, table, column, keys)
        parts[_RECORDS[column].kind] = part
        unread += strange
    for old in names.intersection(GLOBAL):
        if "global" in parts:
            raise InputError(Problem(file, "", "", f"both {' and '.join(GLOBAL)}", "one of them"))
        named = {GLOBAL[old]: old}
        parts["global"] = Part(file, keys.append_column(GLOBAL[old], table[old]), True, named)
    return with_remarks(parts, [f"{file}: keys that are not read: {', '.join(map(shown, unread))}"] if unread else [])


def with_remarks(parts: ActivityTables, remarks: Sequence[str]) -> ActivityTables:
    """The tables, the first of them with further remarks."""
    if not remarks:
        return parts
    kind, first = next(iter(parts.items()))
    return parts | {kind: replace(first, remarks=(*first.remarks, *remarks))}


def _refuse_repeated(file: str, keys: pa.Table) -> None:
    codes = np.stack([names_of(keys[name], file, name)[0] for name in keys.column_names])
    _, first, number = np.unique(codes, axis=1, return_index=True, return_inverse=True)
    again = np.flatnonzero(first[number.ravel()] != np.arange(len(keys)))
    if len(again):
        row = int(again[0])
        found = ", ".join(shown(keys[name][row].as_py()) for name in keys.column_names)
        earlier = row_named(int(first[number.ravel()[row]]))
        problem = Problem(
            file, row_named(row), ", ".join(keys.column_names), f"{found} as in {earlier}", "one row each"
        )
        raise InputError(problem)


def _records(file: str, table: pa.Table, column: str, keys: pa.Table) -> tuple[Part, list[str]]:
    """One row a record of a column of lists: the keys of its row, its fields under new names; and its unread fields."""
    kind = table.schema.field(column).type
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_null(kind)):
        raise InputError(Problem(file, "", column, f"a column of {kind}", "lists of records"))
    if pa.types.is_null(kind) or pa.types.is_null(kind.value_type):
        return Part(file, keys.slice(0, 0), True), []
    _, fields, others = _RECORDS[column]
    records, row = flat(table[column])
    held = fields_of(records)
    strange = unread_keys(file, held, tuple(fields), others, lambda record: record_named(row, column, record))
    identity, *labels = fields
    if identity not in held or len(held.keys() & set(labels)) != 1:
        found = f"records of {', '.join(sorted(held))}" if held else f"lists of {kind.value_type}"
        raise InputError(Problem(file, "", column, found, f"records of {identity}, and {' or '.join(labels)}"))
    taken = keys.take(pa.array(row))
    for old in filter(held.__contains__, fields):
        taken = taken.append_column(fields[old], held[old])
    names = {new: old for old, new in fields.items() if old in held}
    part = Part(file, taken, True, names, column, row, _lacking(table, column, held))
    return part, [f"{column}.{name}" for name in strange]


def _lacking(table: pa.Table, column: str, held: dict[str, pa.Array]) -> tuple[str, ...]:
    """How many rows have no groups, and how many groups no activities; who lacks other keys is counted as missing."""
    if column != "groups":
        return ()
    found = (
        (table[column].null_count, len(table), "rows have no groups: everybody stands alone there"),
        (
            held["activities"].null_count if "activities" in held else 0,
            len(held["member_ids"]),
            "groups have no activities",
        ),
    )
    return tuple(f"{count:,} of {among:,} {told}" for count, among, told in found if count)
