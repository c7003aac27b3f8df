"""Where predicted activities come from: a folder, one or several files, tables in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from schemas.errors import InputError, Problem, UsageError
from schemas.input.csv import read_csv
from schemas.input.documents import read_document
from schemas.input.files import unreadable
from schemas.input.parquet import read_parquet
from schemas.input.tables import table_of

KINDS = ("individual", "groups", "global")
"""The tables of a run, by the name of file or key."""

_SUFFIXES = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson", ".json")
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
        return pa.table({})
    return read_document(path).as_table()
