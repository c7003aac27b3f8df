"""Values as points with their intervals, one row each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchwright.reporting.charts.axis import WIDTH, Scale, across, cut
from benchwright.reporting.charts.marks import GUESS, marker, style_of
from benchwright.reporting.drawing import Drawing, Label, Line, Shape

_LEFT, _RIGHT, _NAME_LENGTH = 218.0, WIDTH - 66, 20
_PITCH, _DENSE, _MANY = 26.0, 18.0, 16


class Dot(NamedTuple):
    """A row: name, value, interval, how the value is written, the system's place; null for a guess."""

    name: str
    value: float
    low: float | None
    high: float | None
    text: str
    system: int | None


def dots(rows: Sequence[Dot], description: str, unit: str = "") -> Drawing:
    """Draw each value at its place, its interval as a line through it.

    Args:
        rows: from top to bottom.
        description: what the drawing shows.
        unit: of the values.
    """
    pitch = _PITCH if len(rows) <= _MANY else _DENSE
    ends = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
    least, most = min(0.0, *ends, 0.0), max(0.0, *ends, 0.0)
    x = Scale(least, most + 0.02 * (most - least) or 1.0, _LEFT, _RIGHT)
    bottom = 8 + pitch * len(rows)
    shapes: list[Shape] = across(x, 4, bottom, unit)
    for place, row in enumerate(rows):
        y = 4 + pitch * (place + 0.5)
        style = GUESS if row.system is None else style_of(row.system)
        text, title = ("soft" if row.system is None else "strong"), f"{row.name}: {row.text}"
        if row.low is not None and row.high is not None:
            shapes.append(Line(((x(row.low), y), (x(row.high), y)), style.colour, width=2.2))
            title += f", 95 % interval {row.low:.2f} to {row.high:.2f}"
        shapes += [
            Label(_LEFT - 12, y + 4, cut(row.name, _NAME_LENGTH), text, "end", bold=row.system is not None),
            marker(x(row.value), y, style, title),
            Label(WIDTH - 4, y + 4, row.text, text, "end", bold=row.system is not None),
        ]
    return Drawing(WIDTH, bottom + 24, tuple(shapes), description)
