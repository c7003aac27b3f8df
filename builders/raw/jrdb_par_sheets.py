"""JRDB-PAR spreadsheets: a workbook per sequence, a row per group and key frame, with social and global labels.

Layout as in `RuizeHan/PAR : PAR-main/PanoAct_source-code-12_23/data/annotated_excel`: ids are texts or numbers; labels
are one number, or a text of several with blanks between and before them, or nothing; notes are in two languages. Social
labels are counted in a way of their own, from 1 to 12.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from builders.raw.jrdb_par import MOST_FRAMES, MOST_IDS, N_SEQUENCES
from builders.raw.spreadsheets import Row, read_sheet
from schemas.errors import InputError, Problem, shown
from schemas.input.files import files_in
from schemas.input.problems import gather, raise_any

SHEET = "Sheet1"
HEADER = ("", "seq_id", "frame_id", "group_id", "social_activity_labels", "global_labels", "notes")
# The id in the text files of each social label of the sheets, which count from 1; found by joining both.
SOCIAL_IDS = (1, 2, 4, 28, 11, 18, 7, 9, 29, 30, 31, 32)
N_GLOBAL = 7

# How the published workbooks are named after their sequence.
_NAME = re.compile(r"seq_([0-9]+)_[0-9]+\.xlsx")
_WHOLE = re.compile(r"[0-9]{1,9}")


class _Column(NamedTuple):
    """The least and greatest number in the cells of a column, and how many numbers a cell may hold."""

    low: int
    high: int
    counts: range


_COLUMNS = {
    "seq_id": _Column(0, N_SEQUENCES - 1, range(2)),
    "frame_id": _Column(0, MOST_FRAMES - 1, range(1, 2)),
    "group_id": _Column(0, MOST_IDS - 1, range(1, 2)),
    "social_activity_labels": _Column(1, len(SOCIAL_IDS), range(len(SOCIAL_IDS) + 1)),
    "global_labels": _Column(1, N_GLOBAL, range(N_GLOBAL + 1)),
}


class _Labels(NamedTuple):
    number: int
    sequence: int | None
    frame: int
    group: int
    social: tuple[int, ...]
    global_labels: tuple[int, ...]


class _Book(NamedTuple):
    path: Path
    sequence: int
    rows: list[_Labels]


def read_sheets(folder: Path) -> pd.DataFrame:
    """All workbooks of a folder, by sequence.

    Returns:
        One row per row of a sheet: `number` (of the row in its sheet), `sequence`, `frame`, `group` (int64); `social`
        (ids as in the text files) and `global_labels` (ids from 1), tuples in the order of the sheet, empty for a blank
        cell; `named` (bool), whether the row itself names its sequence, else that of its workbook's other rows; `file`
        (text), the workbook.

    Raises:
        InputError: with the problems of all files: what `read_sheet` refuses; a cell that holds no ids, or unknown
            ones, an error or a formula without value; a frame or group without id; several sequences or none in a
            workbook; two workbooks of a sequence; a group twice in a frame; rows of a frame whose global labels differ.
    """
    # Office leaves a file of such a name beside a workbook that is open.
    paths = [path for path in files_in(folder, ".xlsx") if not path.name.startswith("~$")]
    if not paths:
        raise InputError(Problem(str(folder), "", "", "no *.xlsx file", "at least one *.xlsx file"))
    books = gather(_read_book, paths)
    raise_any(_repeated_sequences(books))
    books = sorted(books, key=lambda book: book.sequence)
    table = pd.DataFrame([row for book in books for row in book.rows], columns=list(_Labels._fields))
    owners = [book for book in books for _ in book.rows]
    return table.assign(
        named=table["sequence"].notna(),
        sequence=[book.sequence for book in owners],
        file=[str(book.path) for book in owners],
    )


def _repeated_sequences(books: list[_Book]) -> list[Problem]:
    """A problem for each further workbook of a sequence; the one that is named after it comes first."""
    first: dict[int, str] = {}
    return [
        Problem(str(path), "", "seq_id", f"sequence {sequence} again", f"one workbook of it (there is {earlier})")
        for path, sequence, _ in sorted(books, key=_is_named_otherwise)
        if (earlier := first.setdefault(sequence, path.name)) != path.name
    ]


def _is_named_otherwise(book: _Book) -> bool:
    name = _NAME.fullmatch(book.path.name)
    return name is None or int(name[1]) != book.sequence


def _read_book(path: Path) -> _Book:
    file = str(path)
    rows = gather(lambda row: _read_row(file, row), read_sheet(path, SHEET, HEADER))
    named = sorted({row.sequence for row in rows if row.sequence is not None})
    if len(named) != 1:
        found = f"sequences {', '.join(map(str, named))}" if named else "no sequence"
        raise InputError(Problem(file, "", "seq_id", found, "one sequence in all rows"))
    raise_any(list(_contradictions(file, rows)))
    return _Book(path, named[0], rows)


def _read_row(file: str, row: Row) -> _Labels:
    record = f"row {row.number}"
    named = zip(_COLUMNS, row.cells[1:], strict=False)
    sequence, frame, group, social, global_labels = gather(lambda cell: _numbers_in(file, record, *cell), named)
    social = tuple(SOCIAL_IDS[label - 1] for label in social)
    return _Labels(row.number, sequence[0] if sequence else None, frame[0], group[0], social, global_labels)


def _numbers_in(file: str, record: str, name: str, cell: object) -> tuple[int, ...]:
    numbers = _valid_numbers(name, cell)
    if numbers is None:
        low, high, counts = _COLUMNS[name]
        several = "s, each once, with blanks between them," if len(counts) > 2 else ""
        expected = f"{'' if several else 'a '}whole number{several} from {low} to {high}"
        written = int(cell) if isinstance(cell, float) and cell.is_integer() else cell  # sheets hold floats alone
        raise InputError(Problem(file, record, name, shown(written), expected))
    return numbers


# Typed, as the cells 1.0 and True are equal. Few cells are unlike all others.
@lru_cache(maxsize=10_000, typed=True)
def _valid_numbers(name: str, cell: object) -> tuple[int, ...] | None:
    """The numbers in a cell, None if they are not what its column holds."""
    low, high, counts = _COLUMNS[name]
    numbers = _whole_numbers(cell)
    if numbers is None or len(set(numbers)) != len(numbers) or not all(low <= number <= high for number in numbers):
        return None
    return numbers if len(numbers) in counts else None


def _whole_numbers(cell: object) -> tuple[int, ...] | None:
    """The numbers in a cell, none in a blank one; None where it holds anything else."""
    if isinstance(cell, str):
        words = cell.split()
        return tuple(map(int, words)) if all(map(_WHOLE.fullmatch, words)) else None
    if isinstance(cell, (int, float)) and not isinstance(cell, bool) and float(cell).is_integer():
        return (int(cell),)
    return None


def _contradictions(file: str, rows: Iterable[_Labels]) -> Iterator[Problem]:
    """Groups that are twice in a frame, and frames whose rows give different global labels."""
    groups: dict[tuple[int, int], int] = {}
    frames: dict[int, _Labels] = {}
    for row in rows:
        record, earlier = f"row {row.number}", groups.setdefault((row.frame, row.group), row.number)
        if earlier != row.number:
            found = f"group {row.group} of frame {row.frame} again"
            yield Problem(file, record, "group_id", found, f"each once (first in row {earlier})")
        first = frames.setdefault(row.frame, row) if row.global_labels else row
        if set(first.global_labels) != set(row.global_labels):
            expected = f"{_listed(first)}, as row {first.number} has for frame {row.frame}"
            yield Problem(file, record, "global_labels", _listed(row), expected)


def _listed(row: _Labels) -> str:
    return " ".join(map(str, row.global_labels))
