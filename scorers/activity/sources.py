"""Where predicted activities come from: a folder, one or several files, tables in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from schemas.errors import InputError, Problem, UsageError
from schemas.input.documents import read_document
from schemas.input.tables import table_of

KINDS = ("individual", "groups", "global")
"""The tables of a run, by the name of file or key."""

_LINES = (".jsonl", ".ndjson")
_SUFFIXES = (".parquet", ".csv", ".tsv", *_LINES, ".json")
_EXAMPLES = 3


def tables_in(source: object, warnings: list[str]) -> Iterator[tuple[str, str, pa.Table]]:
    """What messages call each table, the stem of its file or its key, and the table.

    Args:
        source: path of a file or a folder, several paths, one table in memory, or such tables by `KINDS`.
        warnings: gets the files of a folder that are not read.

    Raises:
        UsageError: a folder without tables, an object that is no table.
        InputError: an unreadable file.
    """
    if isinstance(source, str | os.PathLike):
        paths = _files_of(Path(source), warnings)
    elif isinstance(source, Sequence) and all(isinstance(path, str | os.PathLike) for path in source):
        paths = [Path(path) for path in source]
    elif isinstance(source, Mapping) and source and source.keys() <= set(KINDS):
        yield from ((kind, kind, table_of(table)) for kind, table in source.items())
        return
    else:
        yield "predictions", "", table_of(source)
        return
    yield from ((str(path), path.stem, _read(path)) for path in paths)


def _files_of(path: Path, warnings: list[str]) -> list[Path]:
    """The tables of a folder; a file is its own table."""
    if not path.is_dir():
        return [path]
    seen = sorted(child for child in path.iterdir() if child.name[0] not in "._")
    found = [child for child in seen if child.suffix.lower() in _SUFFIXES]
    others = [child.name for child in seen if child not in found]
    examples = ", ".join(others[:_EXAMPLES]) + (", ..." if len(others) > _EXAMPLES else "")
    if not found:
        held = f" (found {examples})" if others else ""
        expected = f"{', '.join(KINDS)} as {', '.join(_SUFFIXES)}"
        raise UsageError(f"{path}: a folder without tables{held}; expected {expected}")
    if others:
        warnings.append(f"{examples}: not read, as tables end in {', '.join(_SUFFIXES)}")
    return found


def _read(path: Path) -> pa.Table:
    """A table by the content of the file; only CSV and TSV are known by their suffix."""
    suffix = path.suffix.lower()
    if suffix in _LINES and path.stem in KINDS and path.is_file() and not path.stat().st_size:
        return pa.table({})
    try:
        return read_document(path, may_be_empty=True).as_table()
    except InputError as failure:
        if suffix in _SUFFIXES or failure.problems[0].record != "byte 0":
            raise
        named = f"the unknown suffix {suffix}" if suffix else "a name without a suffix"
        raise InputError(Problem(str(path), "", "", named, ", ".join(_SUFFIXES))) from None
