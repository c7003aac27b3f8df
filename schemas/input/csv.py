"""CSV files with a header line: the columns asked for, as text, with the line each row stands on."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from schemas.errors import InputError, Problem
from schemas.input.files import read_text


class Row(NamedTuple):
    """One row: the (last) line it stands on, counted from 1, and the cells of the columns asked for, in that order."""

    line: int
    cells: tuple[str, ...]


def read_rows(path: Path, columns: Sequence[str]) -> list[Row]:
    """All rows below the header, in file order; other columns are ignored, blank lines skipped.

    Raises:
        InputError: the file cannot be read as UTF-8; a column is missing or occurs twice; a row has more or fewer cells
            than the header; a quote is not closed.
    """
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        header = next(reader, [])
        places = [_place(path, header, column) for column in columns]
        rows = []
        for cells in reader:
            if cells and len(cells) != len(header):
                raise _error(path, reader.line_num, f"{len(cells)} cells", f"{len(header)}, as the header has")
            if cells:
                rows.append(Row(reader.line_num, tuple(cells[place] for place in places)))
    except csv.Error as error:
        raise _error(path, reader.line_num, str(error), "comma-separated cells with closed quotes") from None
    return rows


def _place(path: Path, header: Sequence[str], column: str) -> int:
    if header.count(column) != 1:
        found = "twice the column" if column in header else "no such column"
        raise InputError(Problem(str(path), "line 1", column, found, f"one column named {column}"))
    return header.index(column)


def _error(path: Path, line: int, found: str, expected: str) -> InputError:
    return InputError(Problem(str(path), f"line {line}", "", found, expected))
