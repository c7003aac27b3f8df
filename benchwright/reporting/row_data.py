"""The row table as JSON for the page's script: arrays in place of objects, texts that occur twice written once."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from benchwright.reporting.rows import Outline, Row, RowTable, Timeline
from benchwright.reporting.texts import Code, Text, plain

_LEAST = 4
"""Shorter texts are as short as their number."""

TIMELINE, OUTLINE = 1, 2


class _Numbers(dict[str, int]):
    """Numbers of texts in the order in which they are first asked for."""

    def __missing__(self, text: str) -> int:
        return self.setdefault(text, len(self))


def row_data(table: RowTable, benchmark: str) -> str:
    """JSON that may stand in a script element.

    `texts`, `fates`, `splits`, `lanes` are what numbers in `rows` stand for. A row is name, fate, split, cells,
    picture, notes and, if it has one, the thumbnail. A cell is a text or its number; a note a list of these, in a list
    what is code. A picture is 0, or TIMELINE, length, start, end, marks, number of the lanes, ends of their spans; or
    OUTLINE, width, height, whether boxes are grouped, then x, y, width, height, number and label of each box.
    """
    seen = Counter(text for row in table.rows for text in _texts(row))
    texts, lanes = _Numbers(), dict[tuple[str, ...], int]()
    fates = list(dict.fromkeys(["kept", *table.total, *(row.fate for row in table.rows)]))
    splits = list(dict.fromkeys(row.split for row in table.rows))

    def short(text: str) -> str | int:
        return texts[text] if seen[text] > 1 and len(text) >= _LEAST else text

    def note(text: Text) -> list[Any]:
        parts = (text,) if isinstance(text, str) else text
        return [[short(part.text)] if isinstance(part, Code) else short(plain((part,))) for part in parts]

    def picture(held: Timeline | Outline | None) -> Any:
        if isinstance(held, Timeline):
            names = tuple(name for name, _ in held.lanes)
            ends = [_number(end) for _, span in held.lanes for end in (span or (None, None))]
            marks = [_number(mark) for mark in held.marks]
            span = map(_number, (held.length, *held.span))
            return [TIMELINE, *span, marks, lanes.setdefault(names, len(lanes)), *ends]
        if isinstance(held, Outline):
            boxes = [each for *box, number, label in held.boxes for each in (*map(_tenth, box), number, short(label))]
            return [OUTLINE, _tenth(held.width), _tenth(held.height), int(held.grouped), *boxes]
        return 0

    def record(row: Row) -> list[Any]:
        cells, notes = [short(cell) for cell in row.cells], [note(text) for text in row.notes]
        whole = [row.name, fates.index(row.fate), splits.index(row.split), cells, picture(row.picture), notes]
        return [*whole, row.thumbnail] if row.thumbnail else whole

    rows = [record(row) for row in table.rows]
    return _script_safe(
        {
            "benchmark": benchmark,
            "thing": table.thing,
            "columns": table.columns,
            "numeric": sorted(table.numeric),
            "systems": table.systems,
            "fates": fates,
            "splits": splits,
            "lanes": list(lanes),
            "texts": list(texts),
            "rows": rows,
            "evidence": evidence_of(table),
        }
    )


def evidence_of(table: RowTable) -> dict[str, list[int]]:
    """By the id of a finding, the places of its rows in the table; those without any are left out."""
    places: dict[str, list[int]] = {}
    for place, row in enumerate(table.rows):
        places.setdefault(row.name, []).append(place)
    found = {
        finding: [place for name in dict.fromkeys(names) for place in places.get(name, ())]
        for finding, names in table.evidence.items()
    }
    return {finding: rows for finding, rows in found.items() if rows}


def _texts(row: Row) -> Iterator[str]:
    yield from row.cells
    for text in row.notes:
        for part in (text,) if isinstance(text, str) else text:
            yield part if isinstance(part, str) else part.text
    if isinstance(row.picture, Outline):
        for *_, label in row.picture.boxes:
            yield str(label)


def _number(value: float | None, places: int = 3) -> float | int | None:
    """Milliseconds are enough for a picture; a whole number without its point."""
    if value is None or not math.isfinite(value):
        return None
    rounded = round(float(value), places)
    return int(rounded) if rounded.is_integer() else rounded


def _tenth(value: float) -> float | int | None:
    """Tenths of pixels are enough for a picture."""
    return _number(value, 1)


def _script_safe(value: dict[str, Sequence[Any] | Any]) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode().replace("<", "\\u003c")
