"""Shares of labels, split beside split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from benchwright.reporting.charts.axis import WIDTH, Scale, across, cut
from benchwright.reporting.drawing import Drawing, Label, Line, Marker, Shape
from benchwright.reporting.frames.labels import Counts

_LEFT, _RIGHT, _PITCH = 184.0, WIDTH - 76, 21.0
_NAME_LENGTH = 19
_HOLLOW: tuple[tuple[Literal["circle", "triangle", "diamond", "inverted"], str], ...] = (
    ("circle", "○"),
    ("triangle", "△"),
    ("diamond", "◇"),
    ("inverted", "▽"),
)


def by_split(found: Counts, things: str, most: int, description: str) -> Drawing:
    """Draw a row per label: its share of each split, the last split filled, its number there on the right.

    Labels that the last split has none of are in the colour of what is dropped.

    Args:
        found: the labels from top to bottom.
        things: what is counted, in the plural.
        most: rows to draw; the rest is not.
        description: what the drawing shows.
    """
    labels, shares, numbers = found.labels[:most], 100 * found.shares, found.numbers
    bottom = _PITCH * len(labels) + 6
    x = Scale(0, 1.05 * float(shares.max(initial=1.0)), _LEFT, _RIGHT)
    shapes: list[Shape] = across(x, 4, bottom, "%")
    for row, label in enumerate(labels):
        y, absent = 14 + _PITCH * row, bool(numbers[row, -1] == 0)
        ends = (float(shares[row].min()), float(shares[row].max()))
        shapes.append(Label(_LEFT - 10, y + 4, cut(label, _NAME_LENGTH - 2 * absent), "strong", "end", bold=absent))
        shapes.append(Line(((x(ends[0]), y), (x(ends[1]), y)), "axis"))
        for place, split in enumerate(found.splits):
            title = f"{label}: {numbers[row, place]:,} {things} in {split}, {shares[row, place]:.1f} %"
            shapes.append(_mark(x(float(shares[row, place])), y, title, len(found.splits) - 1 - place, absent))
        shapes.append(Label(WIDTH - 2, y + 4, f"{numbers[row, -1]:,}", "strong" if absent else "soft", "end", absent))
    return Drawing(WIDTH, bottom + 24, tuple(shapes), description)


def _mark(x: float, y: float, title: str, before: int, absent: bool) -> Marker:
    """Filled for the last split, hollow for those before it."""
    if not before:
        return Marker(x, y, "square", "gone" if absent else "kept", title, 4.5)
    return Marker(x, y, _HOLLOW[(before - 1) % 4][0], "guess", title, 4.5, hollow=True)


def key_of(splits: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """What the marks mean, in words."""
    before = [(_HOLLOW[place % 4][1], split) for place, split in enumerate(reversed(splits[:-1]))]
    return (*reversed(before), ("■", splits[-1]))
