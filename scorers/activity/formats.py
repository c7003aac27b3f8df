"""Predicted activities of every format, as one long table per task.

Long tables are Parquet, CSV, TSV or JSON Lines, in one folder or given one by one, or tables in memory; their columns
say which is which. Each has `sequence` (name, or number in the label files) and `frame`, or `sample_id` in place of
both, and labels in one of four ways: `label`, one per row (null for none); `label` and `score`; `labels`, a list; or
`scores`, one for each class in the order of the classes. In CSV the numbers of a list are in one cell with spaces
between.

* individual: `person` and the labels.
* groups: one row per group (or per group and `label`), `members` (a list of persons) and labels, `group` if it has one;
  or one row per person, with `person`, `group` (null: alone) and the labels of the group, of which those of its first
  member count.
* global: the labels.

Rows of the manifest's shape hold `persons`, a list of records with `person_id` and `actions` or `action_scores`;
`groups`, of records with `member_ids` and `activities` or `activity_scores`; `global_activities` or `global_scores`.
Labels may be plain ids or records with an `id` and, optionally, a `score`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import SupportsInt

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.arrays import texts_of
from schemas.errors import InputError, Problem, nearest, shown
from schemas.input.columns import Column, Place, flat, is_list, row_named
from scorers.activity.label_sets import Integers
from scorers.activity.sources import KINDS, tables_in

KEYS = ("sample_id", "sequence", "frame")

_LABELS = ("label", "labels", "scores")
_READ = ("person", "group", "members", "label", "score", "labels", "scores")
_OTHERS = (*KEYS, "sequence_index", "split")
# "scoer" is like "score" and "activity" like "activities"; "label_id" is a column of somebody's own.
_MUCH_ALIKE = 0.775


# Of each nested column: its task, what its fields are called in long tables, the identity first, and those not read.
_NESTED = {
    "persons": (
        "individual",
        {"person_id": "person", "actions": "labels", "action_scores": "scores"},
        ("x", "y", "width", "height", "social", "group_id", "group_difficult"),
    ),
    "groups": (
        "groups",
        {"member_ids": "members", "activities": "labels", "activity_scores": "scores"},
        ("group_id",),
    ),
}
_GLOBAL = {"global_activities": "labels", "global_scores": "scores"}
_NESTED_OTHERS = (*_OTHERS, "file_name", "width", "height")


@dataclass(frozen=True)
class LongTable:
    """The predictions of one task: one record per person, group or key frame, or per label of one.

    Attributes:
        file: what messages call the source.
        keys: `sample_id`, `sequence`, `frame` of each row of the source, as far as they are there.
        columns: `person`, `group`, `members`, `label`, `score`, `labels`, `scores` of each record, likewise.
        nested: whether rows have the manifest's shape: one per key frame, a person in several groups if need be.
        names: what the source calls the columns, where that differs.
        within: the column of the source whose records these are, empty where they are its rows.
        row: the row of the source that each record is in, ascending, shape (records,); None where they are its rows.
    """

    file: str
    keys: pa.Table
    columns: Mapping[str, Column]
    nested: bool = False
    names: Mapping[str, str] = field(default_factory=dict)
    within: str = ""
    row: Integers | None = None

    def __len__(self) -> int:
        return len(self.keys) if self.row is None else len(self.row)

    def called(self, column: str) -> str:
        """What the source calls a column."""
        return self.names.get(column, column)

    def place(self, record: int) -> str:
        """Where a record is in the source."""
        if self.row is None:
            return row_named(record)
        first = int(np.searchsorted(self.row, self.row[record]))
        return f"{row_named(int(self.row[record]))}, record {record - first + 1} of {self.within}"

    def error(self, column: str, found: str, expected: str, record: SupportsInt | None = None) -> InputError:
        """What is wrong in a column, of a record or as a whole."""
        place = "" if record is None else self.place(int(record))
        return InputError(Problem(self.file, place, self.called(column), found, expected))

    def place_in(self, record: Integers) -> Place:
        """Names the place of an item, of which `record` says the record that it is in."""
        return lambda item: self.place(int(record[item]))


def long_tables(source: object) -> tuple[dict[str, LongTable], list[str]]:
    """The table of each task that a source has predictions of, by `KINDS`, and what a reader should know.

    Args:
        source: path of a file or a folder, several paths, one table in memory, or such tables by `KINDS`.

    Raises:
        UsageError: a folder without tables, an object that is no table.
        InputError: an unreadable file, columns that fit no task, a misspelt column, two tables of one task.
    """
    tables: dict[str, LongTable] = {}
    warnings: list[str] = []
    for file, name, table in tables_in(source, warnings):
        for kind, long in _by_task(file, name, table, warnings).items():
            if kind in tables:
                found = f"a second table of {kind} predictions, beside {tables[kind].file}"
                raise InputError(Problem(file, "", "", found, "one"))
            tables[kind] = long
    return tables, warnings


def _by_task(file: str, name: str, table: pa.Table, warnings: list[str]) -> dict[str, LongTable]:
    again = sorted({column for column in table.column_names if table.column_names.count(column) > 1})
    if again:
        raise InputError(Problem(file, "", again[0], "several columns of this name", "one"))
    columns = {column: table[column] for column in table.column_names}
    keys = table.select([key for key in KEYS if key in columns])
    nested = not columns.keys().isdisjoint({*_NESTED, *_GLOBAL})
    if not nested and not len(table) and name in KINDS:
        return {name: LongTable(file, pa.table({"sample_id": texts_of([])}), {})}
    held = ", ".join(columns)
    if not ("sample_id" in columns or {"sequence", "frame"} <= columns.keys()):
        raise InputError(Problem(file, "", "", f"columns {held}", "sample_id, or sequence and frame"))
    if nested:
        return _unnested(file, columns, keys, warnings)
    unread = unread_keys(file, columns, _READ, _OTHERS, row_named)
    if unread:
        warnings.append(f"{file}: columns that are not read: {', '.join(map(shown, unread))}")
    if len(columns.keys() & set(_LABELS)) != 1:
        raise InputError(Problem(file, "", "", f"columns {held}", f"one of {', '.join(_LABELS)}"))
    kind = "groups" if columns.keys() & {"group", "members"} else "individual" if "person" in columns else "global"
    if name == file != kind:
        raise InputError(Problem(file, "", "", f"columns {held}", f"those of {name} predictions"))
    return {kind: LongTable(file, keys, {column: columns[column] for column in _READ if column in columns})}


def _unnested(file: str, columns: dict[str, Column], keys: pa.Table, warnings: list[str]) -> dict[str, LongTable]:
    """The tables that rows of the manifest's shape hold."""
    unread = unread_keys(file, columns, (*_NESTED, *_GLOBAL), _NESTED_OTHERS, row_named)
    tables = {}
    for column in filter(columns.__contains__, _NESTED):
        tables[_NESTED[column][0]], others = _records(file, columns[column], column, keys, warnings)
        unread += [f"{column}.{name}" for name in others]
    if unread:
        warnings.append(f"{file}: keys that are not read: {', '.join(map(shown, unread))}")
    if columns.keys() >= _GLOBAL.keys():
        raise InputError(Problem(file, "", "", f"both {' and '.join(_GLOBAL)}", "one of them"))
    for column in filter(columns.__contains__, _GLOBAL):
        new = _GLOBAL[column]
        tables["global"] = LongTable(file, keys, {new: columns[column]}, nested=True, names={new: column})
    return tables


def _records(file: str, lists: Column, column: str, keys: pa.Table, warnings: list[str]) -> tuple[LongTable, list[str]]:
    """The records of a column of lists, and the names of their fields that mean nothing here."""
    if pa.types.is_null(lists.type):
        lists = lists.cast(pa.list_(pa.null()))
    if not is_list(lists.type):
        raise InputError(Problem(file, "", column, f"a column of {lists.type}", "lists of records"))
    kind, fields, others = _NESTED[column]
    records, row = flat(lists)
    held = fields_of(records)
    names = {new: old for old, new in fields.items() if old in held}
    table = LongTable(file, keys, {new: held[old] for new, old in names.items()}, True, names, column, row)
    unread = unread_keys(file, held, tuple(fields), others, table.place)
    identity, *labels = fields
    if len(records) and (identity not in held or len(held.keys() & set(labels)) != 1):
        found = f"records of {', '.join(sorted(held))}" if held else f"lists of {records.type}"
        raise InputError(Problem(file, "", column, found, f"records of {identity}, and {' or '.join(labels)}"))
    if kind == "groups" and lists.null_count:
        warnings.append(f"{lists.null_count:,} of {len(lists):,} rows have no groups: everybody is alone there")
    if kind == "groups" and "labels" in names and table.columns["labels"].null_count:
        warnings.append(f"{table.columns['labels'].null_count:,} of {len(records):,} groups have no activities")
    return table, unread


def fields_of(records: pa.Array) -> dict[str, pa.Array]:
    """The fields of records by name, null where a record lacks one; none of what are no records."""
    if not pa.types.is_struct(records.type):
        return {}
    names = [records.type.field(place).name for place in range(records.type.num_fields)]
    return {name: pc.struct_field(records, name) for name in names}


def unread_keys(
    file: str, columns: Mapping[str, Column], read: Collection[str], others: Collection[str], place: Place
) -> list[str]:
    """The keys that are neither read nor known as `others`; `columns` are null where a record lacks the key.

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
