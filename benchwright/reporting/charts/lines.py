"""Lines of several systems over one number, such as the tolerance of a monitor."""

from __future__ import annotations

from collections.abc import Mapping

from benchwright.reporting.charts.axis import WIDTH, Scale, across, along
from benchwright.reporting.charts.marks import marker, style_of
from benchwright.reporting.drawing import Drawing, Line, Shape

HEIGHT = 220.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 56.0, WIDTH - 16, 14.0, HEIGHT - 26


def lines(systems: Mapping[str, Mapping[float, float | None]], unit: str, description: str) -> Drawing:
    """Draw a line per system, broken where it has no value, and a mark with its number at each value.

    Args:
        systems: values by place from left to right, by the name of the system, in the order of their colours.
        unit: of the places.
        description: what the drawing shows.
    """
    known = {name: {x: y for x, y in values.items() if y is not None} for name, values in systems.items()}
    places = [x for values in known.values() for x in values] or [0.0, 1.0]
    heights = [y for values in known.values() for y in values.values()] or [0.0, 1.0]
    low, high = min(0.0, *heights), max(0.0, *heights)
    x, y = Scale(min(places), max(places), _LEFT, _RIGHT), Scale(low, high if high > low else low + 1, _BOTTOM, _TOP)
    shapes: list[Shape] = [*along(y, _LEFT, _RIGHT), *across(x, _BOTTOM, _BOTTOM, unit)]
    for number, (name, values) in enumerate(systems.items()):
        style = style_of(number)
        for run in _unbroken(values):
            shapes.append(Line(tuple((x(at), y(value)) for at, value in run), style.colour, width=2))
            shapes += [marker(x(at), y(v), style, f"{name} at {at:g} {unit}: {v:,.4g}", 4) for at, v in run]
    return Drawing(WIDTH, HEIGHT, tuple(shapes), description)


def _unbroken(values: Mapping[float, float | None]) -> list[list[tuple[float, float]]]:
    """The stretches between nulls."""
    runs: list[list[tuple[float, float]]] = [[]]
    for at, value in values.items():
        if value is None:
            runs.append([])
        else:
            runs[-1].append((at, value))
    return [run for run in runs if run]
