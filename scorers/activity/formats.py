"""Predicted activities of every format, as one long table per task: from a folder, files, tables in memory.

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

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from schemas.arrays import texts_of
from schemas.errors import InputError, Problem, UsageError, first_few, shown, unknown_name
from schemas.input.columns import Column, flat, is_list, row_named
from schemas.input.documents import read_document
from schemas.input.tables import table_of
from scorers.activity.records import LongTable, fields_of, unread_keys

KINDS = ("individual", "groups", "global")
"""The tables of a run, by the name of file or key."""

_KEYS = ("sample_id", "sequence", "frame")
_LABELS = ("label", "labels", "scores")
_READ = ("person", "group", "members", "label", "score", "labels", "scores")
_OTHERS = (*_KEYS, "sequence_index", "split")
_LINES = (".jsonl", ".ndjson")
_SUFFIXES = (".parquet", ".csv", ".tsv", *_LINES, ".json")
_EXAMPLES = 3

# Of each nested column: its task, what its fields are called in long tables, the identity first, and those not read.
_PERSON = {"person_id": "person", "actions": "labels", "action_scores": "scores"}
_GROUP = {"member_ids": "members", "activities": "labels", "activity_scores": "scores"}
_NESTED = {
    "persons": ("individual", _PERSON, ("x", "y", "width", "height", "social", "group_id", "group_difficult")),
    "groups": ("groups", _GROUP, ("group_id",)),
}
_GLOBAL = {"global_activities": "labels", "global_scores": "scores"}
_NESTED_OTHERS = (*_OTHERS, "file_name", "width", "height")


def long_tables(source: object) -> tuple[dict[str, LongTable], list[str]]:
    """The table of each task that a source has predictions of, by `KINDS`, and what a reader should know.

    Args:
        source: path of a file or a folder, several paths, one table in memory, or such tables or paths by `KINDS`.

    Raises:
        UsageError: a folder without tables, an object that is not a table, an unknown task.
        InputError: an unreadable file, columns that fit no task, one much like a known one, two tables of one task.
    """
    tables: dict[str, LongTable] = {}
    warnings: list[str] = []
    for file, name, table in _tables_in(source, warnings):
        for kind, long in _by_task(file, name, table, warnings).items():
            if kind in tables:
                found = f"a second table of {kind} predictions, beside {tables[kind].file}"
                advice = "of several runs name each file, or give each a folder of its own"
                raise InputError(Problem(file, "", "", found, "one", advice))
            tables[kind] = long
    return tables, warnings


def _tables_in(source: object, warnings: list[str]) -> Iterator[tuple[str, str, pa.Table]]:
    """What messages call each table, the stem of its file or its key, and the table."""
    paths = [source] if isinstance(source, str | os.PathLike) else source
    if isinstance(paths, Sequence) and paths and all(isinstance(path, str | os.PathLike) for path in paths):
        for file in (file for path in paths for file in _files_of(Path(path), warnings)):
            yield str(file), file.stem, _read(file)
    elif isinstance(source, Mapping) and any(kind in KINDS or _is_table(value) for kind, value in source.items()):
        for kind, table in source.items():
            if kind not in KINDS:
                raise unknown_name("task", str(kind), KINDS)
            if isinstance(table, str | os.PathLike):
                yield str(table), kind, _read(Path(table))
            else:
                yield kind, kind, table_of(table)
    else:
        yield "predictions", "", table_of(source)


def _is_table(value: object) -> bool:
    """Whether a value is a table, and not a column of one."""
    return isinstance(value, Mapping) or hasattr(value, "columns")


def holds_tables(folder: Path) -> bool:
    """Whether a folder has tables in it, which are those of one run."""
    return any(child.suffix.lower() in _SUFFIXES and child.name[0] not in "._" for child in folder.iterdir())


def _files_of(path: Path, warnings: list[str]) -> list[Path]:
    """The tables of a folder; a file is its own table."""
    if not path.is_dir():
        return [path]
    seen = sorted(child for child in path.iterdir() if child.name[0] not in "._")
    found = [child for child in seen if child.suffix.lower() in _SUFFIXES]
    others = [child.name for child in seen if child.suffix.lower() not in _SUFFIXES]
    examples = first_few(others[:_EXAMPLES], len(others))
    if not found:
        held = f" (found {examples})" if others else ""
        raise UsageError(
            f"{path}: a folder without tables{held}; expected {', '.join(KINDS)} as {', '.join(_SUFFIXES)}"
        )
    if others:
        warnings.append(f"{examples}: not read, as tables end in {', '.join(_SUFFIXES)}")
    return found


def _read(path: Path) -> pa.Table:
    """A table by the content of the file; only CSV and TSV are known by their suffix."""
    suffix = path.suffix.lower()
    if suffix in _LINES and path.stem in KINDS and path.is_file() and not path.stat().st_size:
        return pa.table({})
    try:
        return read_document(path, may_be_empty=True).as_table(_READ)
    except InputError as failure:
        if suffix in _SUFFIXES or failure.problems[0].record != "byte 0":
            raise
        named = f"the unknown suffix {suffix}" if suffix else "a name without a suffix"
        raise InputError(Problem(str(path), "", "", named, ", ".join(_SUFFIXES))) from None


def _by_task(file: str, name: str, table: pa.Table, warnings: list[str]) -> dict[str, LongTable]:
    again = sorted({column for column in table.column_names if table.column_names.count(column) > 1})
    if again:
        raise InputError(Problem(file, "", again[0], "several columns of this name", "one"))
    columns = {column: table[column] for column in table.column_names}
    keys = table.select([key for key in _KEYS if key in columns])
    nested = not columns.keys().isdisjoint({*_NESTED, *_GLOBAL})
    if not nested and not len(table) and name in KINDS:
        return {name: LongTable(file, pa.table({"sample_id": texts_of([])}), {})}
    held = f"columns {', '.join(columns)}"
    if not ("sample_id" in columns or {"sequence", "frame"} <= columns.keys()):
        raise InputError(Problem(file, "", "", held, "sample_id, or sequence and frame"))
    if nested:
        return _unnested(file, columns, keys, warnings)
    unread = unread_keys(file, columns, _READ, _OTHERS, row_named)
    if unread:
        warnings.append(f"{file}: columns that are not read: {', '.join(map(shown, unread))}")
    if len(columns.keys() & set(_LABELS)) != 1:
        raise InputError(Problem(file, "", "", held, f"one of {', '.join(_LABELS)}"))
    kind = "groups" if columns.keys() & {"group", "members"} else "individual" if "person" in columns else "global"
    if name == file != kind:
        raise InputError(Problem(file, "", "", held, f"those of {name} predictions"))
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
        tables["global"] = LongTable(file, keys, {new: columns[column]}, True, {new: column})
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
    unread = unread_keys(file, held, fields, others, table.place)
    identity, *labels = fields
    if len(records) and (identity not in held or len(held.keys() & set(labels)) != 1):
        found = f"records of {', '.join(sorted(held))}" if held else f"lists of {records.type}"
        raise InputError(Problem(file, "", column, found, f"records of {identity}, and {' or '.join(labels)}"))
    if kind == "groups" and lists.null_count:
        warnings.append(f"{lists.null_count:,} of {len(lists):,} rows have no groups: everybody is alone there")
    if kind == "groups" and "labels" in names and table.columns["labels"].null_count:
        warnings.append(f"{table.columns['labels'].null_count:,} of {len(records):,} groups have no activities")
    return table, unread
