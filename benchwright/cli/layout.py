"""Layout of tables that lose nothing: every cell is printed whole, or in a legend below, whatever the width.

A table wider than the page first folds its texts at words, then shortens its names in the middle, then turns: rows
become columns, or blocks of one line per column. Words and numbers are never broken. Where even one line of a block is
wider than the page, it is printed all the same, and the terminal breaks it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from rich.cells import cell_len

from benchwright.cli.short_names import shortened

Kind = Literal["number", "name", "text"]

_GAP = 2
# Least width of texts that are folded, where they are not narrower by themselves, and of names that are shortened.
_LEAST_TEXT, _LEAST_NAME = 16, 9


# Where texts may break: not before a unit with its arrow, an arrow alone or a sign of equality.
_BREAK = re.compile(r" (?!(?:(?:%|s|fraction|count) )?[↑↓](?: |$)|= )")


class Name(str):
    """A name of something that a reader gave or knows: not folded, but shortened in the middle, whole in the legend."""


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        heading: folded at words; a `Name` is shortened where need be.
        kind: `number`, right-aligned, never broken; `name`, whose cells are each a `Name`; `text`, folded at words.
    """

    heading: str
    kind: Kind = "text"


def numeric(heading: str) -> Column:
    """A column of numbers."""
    return Column(heading, "number")


def named(heading: str) -> Column:
    """A column of names."""
    return Column(heading, "name")


class Grid(NamedTuple):
    """A table that is laid out: each cell as lines, the headings first.

    Attributes:
        rows: cells in their lines.
        widths: of the columns.
        right: whether a column is right-aligned.
        headed: whether the first row is headings.
    """

    rows: list[list[list[str]]]
    widths: list[int]
    right: list[bool]
    headed: bool = True

    @property
    def width(self) -> int:
        """Of the whole table."""
        return sum(self.widths) + _GAP * (len(self.widths) - 1)


Legend = list[tuple[str, str]]
"""Names as they are shortened, and whole."""


class Page(NamedTuple):
    """What is printed: one table or its parts, and the whole names of those that are shortened."""

    grids: list[Grid]
    legend: Legend


Table = Sequence[Sequence[str]]
"""Cells row by row, the headings first."""


def lay_out(columns: Sequence[Column], rows: Table, width: int | None) -> Page:
    """A table on a page of this width; None for a page as wide as the table."""
    named = [column.kind == "name" for column in columns]
    cells = [[Name(cell) if name else cell for cell, name in zip(row, named, strict=True)] for row in rows]
    table = [[column.heading for column in columns], *cells]
    right = [column.kind == "number" for column in columns]
    if width is None:
        return Page([_grid(table, right, _natural(table))], [])
    grid = _folded(table, right, width)
    return Page([grid], []) if grid else _shortened(table, right, width) or _turned(table, right, width)


def folded(text: str, width: int) -> list[str]:
    """Lines of at most this width, broken at single blanks alone: a longer word is a longer line.

    >>> folded("no word is ever broken", 10), folded("the mIoU, fraction ↑", 9)
    (['no word is', 'ever', 'broken'], ['the', 'mIoU, fraction ↑'])
    """
    first, *words = _BREAK.split(text)
    lines = [first]
    for word in words:
        if cell_len(lines[-1]) + 1 + cell_len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _natural(table: Table) -> list[int]:
    return [max(map(cell_len, column)) for column in zip(*table, strict=True)]


def _grid(table: Table, right: Sequence[bool], widths: Sequence[int], headed: bool = True) -> Grid:
    """The cells folded to these widths, and the widths that they then need; numbers below the headings stay whole."""
    rows = []
    for number, row in enumerate(table):
        heading = headed and number == 0
        whole = [isinstance(cell, Name) or (numbers and not heading) for cell, numbers in zip(row, right, strict=True)]
        rows.append([[c] if keep else folded(c, width) for c, width, keep in zip(row, widths, whole, strict=True)])
    needed = [max(cell_len(line) for cell in column for line in cell) for column in zip(*rows, strict=True)]
    return Grid(rows, needed, list(right), headed)


def _folded(table: Table, right: Sequence[bool], width: int) -> Grid | None:
    """The table with texts folded as need be; None where it is wider yet."""
    least = [_least(column, numbers) for column, numbers in zip(zip(*table, strict=True), right, strict=True)]
    room = width - _GAP * (len(right) - 1)
    return _grid(table, right, _shared(_natural(table), least, room)) if sum(least) <= room else None


def _shortened(table: Table, right: Sequence[bool], width: int) -> Page | None:
    """The table with texts folded and names shortened; None where it is wider yet."""
    columns = list(zip(zip(*table, strict=True), right, strict=True))
    least, whole = ([_least(column, numbers, name) for column, numbers in columns] for name in (_LEAST_NAME, None))
    room = width - _GAP * (len(right) - 1)
    if sum(least) > room:
        return None
    widths = _shared(whole, least, room)
    short, legend = _with_short_names(table, widths)
    return Page([_grid(short, right, widths)], legend)


def _least(column: Sequence[str], numbers: bool, name: int | None = None) -> int:
    """The least width of a column: of names at most `name` each, of numbers all, of texts the longest word."""
    names = [cell_len(text) for text in column if isinstance(text, Name)]
    texts = [text for text in (column[:1] if numbers else column) if not isinstance(text, Name)]
    whole = [cell_len(cell) for cell in column[1:] if numbers and not isinstance(cell, Name)]
    words = [cell_len(word) for text in texts for word in _BREAK.split(text)]
    prose = 0 if numbers else min(max(map(cell_len, texts), default=0), _LEAST_TEXT)
    return max(prose, *words, *whole, *(min(wide, name or wide) for wide in names), 0)


def _shared(natural: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Widths between the least and the natural ones: the narrowest columns get what they need, the others are alike."""

    def widths(level: int) -> list[int]:
        return [min(most, max(fewest, level)) for most, fewest in zip(natural, least, strict=True)]

    return widths(max(level for level in range(room + 1) if level == 0 or sum(widths(level)) <= room))


def _with_short_names(table: Table, widths: Sequence[int]) -> tuple[Table, Legend]:
    """The table with names as wide as their columns, those of one column, or of the headings, told apart; a legend."""
    tight = [
        w for heading, w in zip(table[0], widths, strict=True) if isinstance(heading, Name) and cell_len(heading) > w
    ]
    headings, legend = _short_names(table[0], tight)
    columns = []
    for at, width in enumerate(widths):
        cells, more = _short_names([row[at] for row in table[1:]], [width])
        columns.append(cells)
        legend += more
    return [headings, *zip(*columns, strict=True)], legend


def _short_names(cells: Sequence[str], widths: Sequence[int]) -> tuple[list[str], Legend]:
    """Cells of which those that are names fit the least of these widths; the whole names of those shortened."""
    names = [cell for cell in cells if isinstance(cell, Name)]
    forms = shortened(names, min(widths)) if widths else {name: name for name in names}
    legend = [(form, name) for name, form in forms.items() if form != name]
    return [Name(forms[cell]) if isinstance(cell, Name) else cell for cell in cells], legend


def _turned(table: Table, right: Sequence[bool], width: int) -> Page:
    """Rows as columns, as many beside one another as fit, where all but the first are numbers; else row by row."""
    headings, legend = _short_names(table[0], [width // 3])
    rows = table[1:] or [[""] * len(headings)]
    if all(right[1:]):
        numbers = max((cell_len(cell) for row in rows for cell in row[1:]), default=0)
        whole = [row[0] for row in rows]
        short, more = _short_names(whole, [max(numbers, _LEAST_NAME)])
        pages = [
            Page(_side_by_side([headings, *([n, *row[1:]] for n, row in zip(names, rows, strict=True))], width), told)
            for names, told in ((whole, legend), (short, legend + more))
        ]
        # Whole names, unless short ones make fewer tables.
        if found := sorted((page for page in pages if page.grids), key=lambda page: len(page.grids)):
            return found[0]
    return Page([_block(headings, row, width) for row in rows], legend)


def _block(headings: Sequence[str], row: Sequence[str], width: int) -> Grid:
    """A row with a line or more per column: its heading and its cell, below one another where a heading is long."""
    label = min(max(map(cell_len, headings)), width // 3)
    if max(cell_len(word) for heading in headings for word in _BREAK.split(heading)) > label:
        lines = [[text] for pair in zip(headings, row, strict=True) for text in pair]
        return _grid(lines, [False], [width], headed=False)
    pairs = [[heading, cell] for heading, cell in zip(headings, row, strict=True)]
    return _grid(pairs, [False, False], [label, max(width - label - _GAP, _LEAST_TEXT)], headed=False)


def _side_by_side(columns: Table, width: int) -> list[Grid]:
    """Columns of numbers beside the first, which are labels, in as few tables as can be; none where they cannot."""
    labels, *numbers = columns
    for size in dict.fromkeys(-(-len(numbers) // parts) for parts in range(1, len(numbers) + 1)):
        grids = []
        for first in range(0, len(numbers) if size < width else 0, size):
            part = numbers[first : first + size]
            grids.append(_folded(list(zip(labels, *part, strict=True)), [False, *[True] * len(part)], width))
        if grids and None not in grids:
            return [grid for grid in grids if grid]
    return []
