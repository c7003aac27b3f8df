"""Files of predicted activities: three long tables, or rows of the manifest's own shape.

The tables are Parquet, CSV, TSV or JSON Lines, in one folder or given one by one; their columns say which is which.
Each has `sequence` (name, or number in the label files) and `frame`, or `sample_id` in place of both, and labels in one
of four ways: `label`, one a row (null for none); `label` and `score`; `labels`, a list; or `scores`, one for each class
in the order of the classes. In CSV the numbers of a list stand in one cell with spaces between.

* individual: `person` and the labels.
* groups: one row a group (or a group and `label`), `members` (a list of persons) and labels, `group` if it has one;
  or one row a person, with `person`, `group` (null: alone) and the labels of the group, of which those of its first
  member count.
* global: the labels.

Rows of the manifest's shape (Parquet or JSON Lines) hold `persons`, a list of records with `person_id` and `actions` or
`action_scores`; `groups`, of records with `member_ids` and `activities` or `activity_scores`; `global_activities` or
`global_scores`. Labels may be plain ids or records with an `id` and, optionally, a `score`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from schemas.errors import InputError, Problem, UsageError, shown
from schemas.input.columns import row_named
from schemas.input.csv import read_csv
from schemas.input.documents import read_document
from schemas.input.files import unreadable
from schemas.input.parquet import read_parquet
from scorers.activity.nested_rows import NESTED, has_key, unnested, with_remarks
from scorers.activity.parts import KEYS, KINDS, ActivityTables, Part, unread_keys

__all__ = ["KINDS", "ActivityTables", "Part", "read_activity_tables", "unnested"]

_SUFFIXES = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson", ".json")
_EXAMPLES = 3
_LABELS = ("label", "labels", "scores")
_COLUMNS = ("person", "group", "members", "label", "score", "labels", "scores")
_OTHERS = (*KEYS, "sequence_index", "split")


def read_activity_tables(path: Path | Sequence[Path]) -> ActivityTables:
    """Read a folder, a file, or several files.

    Raises:
        UsageError: a folder without tables.
        InputError: an unreadable file, columns that fit no table, a misspelt column, two tables of one kind.
    """
    paths, passed = _files_of(path) if isinstance(path, Path) else (list(path), [])
    tables: ActivityTables = {}
    for file in paths:
        for kind, part in _parts_of(file).items():
            if kind in tables:
                found = f"a second table of {kind} predictions, beside {tables[kind].file}"
                raise InputError(Problem(str(file), "", "", found, "one"))
            tables[kind] = part
    more = ", ..." if len(passed) > _EXAMPLES else ""
    told = f"{', '.join(passed[:_EXAMPLES])}{more}: not read, as tables end in {', '.join(_SUFFIXES)}"
    return with_remarks(tables, [told] if passed else [])


def _files_of(path: Path) -> tuple[list[Path], list[str]]:
    """The tables of a folder, and what else lies there; a file is its own table."""
    if not path.is_dir():
        return [path], []
    seen = sorted(child for child in path.iterdir() if child.name[0] not in "._")
    found = [child for child in seen if child.suffix.lower() in _SUFFIXES]
    others = [child.name for child in seen if child not in found]
    if not found:
        held = f" (found {', '.join(others[:_EXAMPLES])})" if others else ""
        expected = f"{', '.join(KINDS)} as {', '.join(_SUFFIXES)}"
        raise UsageError(f"{path}: a folder without tables{held}; expected {expected}")
    return found, others


def _parts_of(path: Path) -> ActivityTables:
    table = _read(path)
    repeated = sorted({name for name in table.column_names if table.column_names.count(name) > 1})
    if repeated:
        raise InputError(Problem(str(path), "", repeated[0], "several columns of this name", "one"))
    if set(NESTED) & set(table.column_names):
        return unnested(str(path), table)
    columns = {name: table[name] for name in table.column_names}
    unread = unread_keys(str(path), columns, _COLUMNS, _OTHERS, row_named)
    remarks = (f"{path}: columns that are not read: {', '.join(map(shown, unread))}",) if unread else ()
    return {_kind_of(path, table): Part(str(path), table, remarks=remarks)}


def _read(path: Path) -> pa.Table:
    """A table by the content of the file; only CSV and TSV are known by their suffix."""
    suffix = path.suffix.lower()
    if suffix in (".csv", ".tsv"):
        return read_csv(path)
    try:
        with path.open("rb") as stream:
            start = stream.read(4)
    except OSError as failure:
        raise unreadable(path, failure) from None
    if start == b"PAR1":
        return read_parquet(path)
    if suffix not in _SUFFIXES and start.lstrip()[:1] not in (b"{", b"["):
        named = f"the unknown suffix {suffix}" if suffix else "a name without a suffix"
        raise InputError(Problem(str(path), "", "", named, ", ".join(_SUFFIXES)))
    if not start and path.stem in KINDS:
        return pa.table({"sample_id": pa.array([], pa.string()), "labels": pa.array([], pa.list_(pa.int64()))})
    return read_document(path).as_table()


def _kind_of(path: Path, table: pa.Table) -> str:
    names = set(table.column_names)
    if not len(table) and path.stem in KINDS:
        return path.stem
    if not has_key(names) or len(names.intersection(_LABELS)) != 1:
        expected = f"sample_id, or sequence and frame; and one of {', '.join(_LABELS)}"
        raise InputError(Problem(str(path), "", "", f"columns {', '.join(table.column_names)}", expected))
    return "groups" if names & {"group", "members"} else "individual" if "person" in names else "global"
