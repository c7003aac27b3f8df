"""Files of predicted activities: three long tables, or rows of the manifest's own shape.

The tables are Parquet, CSV, TSV or JSON Lines, in one folder or named one by one; their columns say which is which.
Each has `sequence` (name, or number in the label files) and `frame`, or `sample_id` in place of both, and labels in one
of four ways: `label`, one a row (null for none); `label` and `score`; `labels`, a list; or `scores`, one for each class
in the order of the classes. In CSV the numbers of a list stand in one cell with spaces between.

* individual: `person` and the labels.
* groups: one row a group, `members` (a list of persons) and labels, `group` if it has a name; or one row a person, with
  `person`, `group` (null: alone) and the labels of the group, of which those of its first member count.
* global: the labels.

Rows of the manifest's shape (Parquet or JSON Lines) hold `persons`, a list of records with `person_id` and `actions` or
`action_scores`; `groups`, of records with `member_ids` and `activities` or `activity_scores`; `global_activities` or
`global_scores`. Labels may be plain ids or records with an `id` and, optionally, a `score`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import InputError, Problem, UsageError
from schemas.manifest import read_parquet
from scorers.predictions.columns import flat, names_of
from scorers.predictions.documents import read_csv, read_document, records_of

KINDS = ("individual", "groups", "global")
KEYS = ("sample_id", "sequence", "frame")
_SUFFIXES = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson", ".json")
_GLOBAL = {"global_activities": "labels", "global_scores": "scores"}
_LABELS = ("label", "labels", "scores")


@dataclass(frozen=True)
class Part:
    """One table of predictions, as it came.

    Attributes:
        file: the path as the user knows it.
        table: keys, and the columns that the module describes.
        nested: whether it comes from rows of the manifest's shape, where a person may stand in several groups.
    """

    file: str
    table: pa.Table
    nested: bool = False


ActivityTables = dict[str, Part]
"""The tables at hand, by `KINDS`."""


def read_activity_tables(path: Path | Sequence[Path]) -> ActivityTables:
    """Read a folder, a file, or several files.

    Raises:
        UsageError: a folder without tables.
        InputError: an unreadable file, columns that fit no table, two tables of one kind.
    """
    paths = _files_of(path) if isinstance(path, Path) else list(path)
    tables: ActivityTables = {}
    for file in paths:
        for kind, part in _parts_of(file).items():
            if kind in tables:
                found = f"a second table of {kind} predictions, beside {tables[kind].file}"
                raise InputError(Problem(str(file), "", "", found, "one"))
            tables[kind] = part
    return tables


def _files_of(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = sorted(child for child in path.iterdir() if child.suffix.lower() in _SUFFIXES and child.name[0] not in "._")
    if not found:
        raise UsageError(f"{path}: a folder without tables; expected {', '.join(KINDS)} as {', '.join(_SUFFIXES)}")
    return found


def _parts_of(path: Path) -> ActivityTables:
    table = _read(path)
    repeated = sorted({name for name in table.column_names if table.column_names.count(name) > 1})
    if repeated:
        raise InputError(Problem(str(path), "", repeated[0], "several columns of this name", "one"))
    if {"persons", "groups", *_GLOBAL} & set(table.column_names):
        return unnested(str(path), table)
    return {_kind_of(path, table): Part(str(path), table)}


def _read(path: Path) -> pa.Table:
    """A table by the content of the file; only CSV and TSV are known by their suffix."""
    if path.suffix.lower() in (".csv", ".tsv"):
        return read_csv(path)
    try:
        with path.open("rb") as stream:
            start = stream.read(4)
    except OSError as failure:
        raise InputError(Problem(str(path), "", "", failure.strerror or str(failure), "a readable file")) from None
    if start == b"PAR1":
        return read_parquet(path)
    if not start and path.stem in KINDS:
        return pa.table({"sample_id": pa.array([], pa.string()), "labels": pa.array([], pa.list_(pa.int64()))})
    return _table_of_records(path)


def _table_of_records(path: Path) -> pa.Table:
    document = read_document(path)
    if document.keys is not None:
        # A lone row of JSON Lines looks like an object of records.
        records = [dict(zip(document.keys, document.records, strict=True))]
    else:
        records = records_of(document, dict, "an object")
    names = dict.fromkeys(name for record in records for name in record)
    columns = {}
    for name in names:
        try:
            columns[name] = pa.array([record.get(name) for record in records])
        except (pa.ArrowException, OverflowError) as failure:
            raise InputError(Problem(str(path), "", name, str(failure), "values of one kind in all rows")) from None
    return pa.table(columns)


def _kind_of(path: Path, table: pa.Table) -> str:
    names = set(table.column_names)
    if not len(table) and path.stem in KINDS:
        return path.stem
    if not _has_key(names) or len(names.intersection(_LABELS)) != 1:
        expected = f"sample_id, or sequence and frame; and one of {', '.join(_LABELS)}"
        raise InputError(Problem(str(path), "", "", f"columns {', '.join(table.column_names)}", expected))
    return "groups" if names & {"group", "members"} else "individual" if "person" in names else "global"


def _has_key(names: set[str]) -> bool:
    return "sample_id" in names or names.issuperset(KEYS[1:])


def unnested(file: str, table: pa.Table) -> ActivityTables:
    """The tables that rows of the manifest's shape hold; `file` is for messages.

    Raises:
        InputError: a key frame without a name or twice, lists that do not hold what they should.
    """
    names = set(table.column_names)
    if not _has_key(names):
        found = f"columns {', '.join(table.column_names)}"
        raise InputError(Problem(file, "", "", found, "sample_id, or sequence and frame"))
    keys = table.select([name for name in KEYS if name in names])
    codes = np.stack([names_of(keys[name], file, name)[0] for name in keys.column_names])
    if np.unique(codes, axis=1).shape[1] < len(keys):
        raise InputError(Problem(file, "", ", ".join(keys.column_names), "a key frame twice", "one row each"))
    parts = {}
    if "persons" in names:
        fields = {"person_id": "person", "actions": "labels", "action_scores": "scores"}
        parts["individual"] = _records(file, table, "persons", keys, fields)
    if "groups" in names:
        fields = {"member_ids": "members", "activities": "labels", "activity_scores": "scores"}
        parts["groups"] = _records(file, table, "groups", keys, fields)
    for old in names.intersection(_GLOBAL):
        if "global" in parts:
            raise InputError(Problem(file, "", "", f"both {' and '.join(_GLOBAL)}", "one of them"))
        parts["global"] = keys.append_column(_GLOBAL[old], table[old])
    return {kind: Part(file, part, nested=True) for kind, part in parts.items()}


def _records(file: str, table: pa.Table, column: str, keys: pa.Table, fields: dict[str, str]) -> pa.Table:
    """One row a record of a column of lists: the keys of its row, its fields under new names."""
    kind = table.schema.field(column).type
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_null(kind)):
        raise InputError(Problem(file, "", column, f"a column of {kind}", "lists of records"))
    if pa.types.is_null(kind) or pa.types.is_null(kind.value_type):
        return keys.slice(0, 0)
    identity, *labels = fields
    inner = kind.value_type
    held = [inner.field(place).name for place in range(inner.num_fields)] if pa.types.is_struct(inner) else []
    if identity not in held or len(set(labels).intersection(held)) != 1:
        found = f"records of {', '.join(sorted(held))}" if held else f"lists of {inner}"
        raise InputError(Problem(file, "", column, found, f"records of {identity}, and {' or '.join(labels)}"))
    records, row = flat(table[column])
    taken = keys.take(pa.array(row))
    for old in filter(held.__contains__, fields):
        taken = taken.append_column(fields[old], pc.struct_field(records, old))
    return taken
