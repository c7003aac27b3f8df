"""CSV and TSV with a header line: every column as text, since guessing types Arrow takes 0:01:05 for a time of day."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from schemas.errors import InputError, Problem, shown
from schemas.input.files import NO_LIMIT, check_utf8, read_bytes

DELIMITERS = {".csv": ",", ".tsv": "\t"}
"""By the suffix of the file."""


def read_csv(path: Path, columns: Sequence[str] = (), limit: int = NO_LIMIT, content: bytes = b"") -> pa.Table:
    """Read CSV, or TSV by its suffix; empty cells are null, blank lines left out, a byte order mark of UTF-8 too.

    Args:
        columns: those wanted, in this order, which must be there once; all if none are named.
        content: of the file, if it was read.

    Raises:
        InputError: a file that cannot be read or is not UTF-8; a row of another length than the header, or a quote that
            is not closed, with the line; one of the `columns` that is missing or repeated.
    """
    from pyarrow import csv as arrow

    file, content, delimiter = str(path), content or read_bytes(path, limit), DELIMITERS.get(path.suffix.lower(), ",")
    check_utf8(file, content)
    if b'"' in content:
        _refuse_broken_lines(file, content, delimiter)  # Arrow takes `"2"3` for 23, and closes open quotes
    shape = arrow.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    buffer = pa.py_buffer(content)
    try:
        with arrow.open_csv(pa.BufferReader(buffer), parse_options=shape) as stream:
            text = dict.fromkeys(stream.schema.names, pa.string())
        types = arrow.ConvertOptions(column_types=text, strings_can_be_null=True, null_values=[""])
        table = arrow.read_csv(pa.BufferReader(buffer), parse_options=shape, convert_options=types)
    except pa.ArrowException as failure:
        _refuse_broken_lines(file, content, delimiter)
        raise InputError(Problem(file, "", "", shown(str(failure)), "CSV with a header line")) from None
    for column in columns:
        require_column(file, table, column)
    return table.select(columns) if columns else table


def require_column(file: str, table: pa.Table, column: str) -> None:
    """Refuse a table that has a column not once; `InputError` lists those that it has."""
    count = table.column_names.count(column)
    if count != 1:
        found = "it twice among" if count else "only"
        listing = ", ".join(table.column_names[:20])
        raise InputError(Problem(file, "", column, f"{found} the columns {listing}", f"one column {column!r}"))


def _refuse_broken_lines(file: str, content: bytes, delimiter: str) -> None:
    """Refuse the first row that the rules of CSV do not allow, by its (last) line."""
    limit = csv.field_size_limit(len(content))
    reader = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), delimiter=delimiter, strict=True)
    try:
        header = next(reader, [])
        for cells in reader:
            if cells and len(cells) != len(header):
                expected = f"{len(header)}, as the header has"
                raise InputError(Problem(file, f"line {reader.line_num}", "", f"{len(cells)} cells", expected))
    except csv.Error as failure:
        expected = "cells with closed quotes"
        raise InputError(Problem(file, f"line {reader.line_num}", "", str(failure), expected)) from None
    finally:
        csv.field_size_limit(limit)
