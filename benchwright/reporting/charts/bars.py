"""Bars from left to right: shares, counts, and what each rule keeps of what the one before it left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchwright.reporting.charts.axis import CHARACTER, WIDTH, cut
from benchwright.reporting.drawing import Drawing, Label, Rectangle, Shape

_PITCH, _THICK = 26.0, 16.0
_LEFT, _NAME_LENGTH = 180.0, 18
_LEAST = 1.5  # width of what is not quite nothing


class Bar(NamedTuple):
    """A bar: its name, its length, how that is written, and its colour."""

    name: str
    value: float
    text: str
    colour: str = "bar"


class Fall(NamedTuple):
    """A step of a waterfall: how many stay, how many are dropped, and how that is written."""

    name: str
    stay: int
    dropped: int
    text: str


def bars(rows: Sequence[Bar], description: str) -> Drawing:
    """Draw a bar per row, the longest as wide as there is room; none of no length."""
    longest = max((row.value for row in rows), default=0.0) or 1.0
    text = CHARACTER * max((len(row.text) for row in rows), default=0) + 22
    room = WIDTH - _LEFT - text
    shapes: list[Shape] = []
    for place, row in enumerate(rows):
        top, width = 4 + _PITCH * place, room * row.value / longest
        shown = max(width, _LEAST) if row.value else 0.0
        shapes += [
            Label(_LEFT - 10, top + 14, cut(row.name, _NAME_LENGTH), "strong", "end"),
            Rectangle(_LEFT, top + 2, shown, _THICK, row.colour, f"{row.name}: {row.text}"),
            Label(_LEFT + width + 8, top + 14, row.text),
        ]
    return Drawing(WIDTH, _PITCH * len(rows) + 4, tuple(shapes), description)


def waterfall(steps: Sequence[Fall], description: str) -> Drawing:
    """Draw what stays beside what is dropped; the first step has all there is."""
    whole = max((step.stay + step.dropped for step in steps), default=0) or 1
    text = CHARACTER * max((len(step.text) for step in steps), default=0) + 4
    left, pitch, thick = 150.0, 34.0, 22.0
    room = WIDTH - left - text
    shapes: list[Shape] = []
    for place, step in enumerate(steps):
        top, stay = 4 + pitch * place, room * step.stay / whole
        shapes.append(Label(left - 10, top + 16, cut(step.name, 14), "strong", "end", bold=True))
        shapes.append(Rectangle(left, top, stay, thick, "kept", f"{step.stay:,} stay"))
        if step.dropped:
            width = max(room * step.dropped / whole, _LEAST)
            title = f"{step.dropped:,} dropped by {step.name}"
            shapes.append(Rectangle(left + stay, top, width, thick, "gone", title))
        shapes.append(Label(WIDTH - 2, top + 16, step.text, "strong", "end"))
    return Drawing(WIDTH, pitch * len(steps), tuple(shapes), description)
