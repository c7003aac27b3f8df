"""Places of systems under several choices, joined by lines: who trades with whom."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from benchwright.reporting.charts.axis import CHARACTER, WIDTH, Scale, cut
from benchwright.reporting.charts.marks import marker, style_of
from benchwright.reporting.drawing import Drawing, Label, Line, Shape

_LEFT, _RIGHT, _NAME_LENGTH = 218.0, WIDTH - 44, 20
_LINES = 4
_ASIDE = 14.0
_PITCH, _LEAST_PITCH, _TALLEST = 34.0, 15.0, 700.0


def ordinal(place: int) -> str:
    """
    >>> ordinal(1), ordinal(12), ordinal(23)
    ('1st', '12th', '23rd')
    """
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"


def slope(
    choices: Sequence[str], systems: Sequence[str], ranks: Sequence[Sequence[float | None]], description: str
) -> Drawing:
    """Draw a line per system, the best place on top.

    Args:
        choices: what each column is, the benchmark as it is first.
        systems: names, in the order of their colours.
        ranks: by system and choice, 1 is best; null where a system has none, which parts its line.
        description: what the drawing shows.
    """
    pitch = max(_LEAST_PITCH, min(_PITCH, _TALLEST / max(len(systems), 1)))
    x = Scale(0, max(len(choices) - 1, 1), _LEFT, _RIGHT - 30)
    bottom = 22 + pitch * (len(systems) - 1) + 14
    room = max(int((x(1) - x(0)) / CHARACTER), 7)
    shapes: list[Shape] = []
    for column, choice in enumerate(choices):
        shapes.append(Line(((x(column), 8), (x(column), bottom)), "axis"))
        lines = textwrap.wrap(choice, room, break_long_words=False)[:_LINES]
        shapes += [
            _below(x(column), bottom + 18 + 16 * at, cut(line, room + 3), column) for at, line in enumerate(lines)
        ]
    for number in sorted(range(len(systems)), reverse=True):  # the coloured ones on top
        style, name = style_of(number), systems[number]
        known = [(column, rank) for column, rank in enumerate(ranks[number]) if rank is not None]
        points = [(x(column), 22 + pitch * (rank - 1)) for column, rank in known]
        if len(points) > 1:
            shapes.append(Line(tuple(points), style.colour, width=2.2 if number < 5 else 1.2))
        for (column, rank), (across, down) in zip(known, points, strict=True):
            title = f"{name}: place {rank:g}, {choices[column]}"
            shapes.append(marker(across, down, style, title, 6 if number < 5 else 3))
        if points:
            shapes.append(Label(_LEFT - 14, points[0][1] + 4, cut(name, _NAME_LENGTH), "strong", "end", bold=True))
    shapes += [
        Label(WIDTH - 4, 22 + pitch * place + 4, ordinal(place + 1), anchor="end") for place in range(len(systems))
    ]
    return Drawing(WIDTH, bottom + 14 + 16 * _LINES, tuple(shapes), description)


def _below(x: float, y: float, text: str, column: int) -> Label:
    """A line of the name of a choice; that of the first, which is bold, lies to the left, where it has more room."""
    return Label(x, y, text, anchor="middle") if column else Label(x + _ASIDE, y, text, "strong", "end", bold=True)
