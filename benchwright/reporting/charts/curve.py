"""Specification curves: scores of all systems under each combination of choices, which dots below name.

Source: Simonsohn, Simmons and Nelson, Nature Human Behaviour 4 (2020) 1208-1214.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchwright.reporting.charts.axis import WIDTH, Scale, along, cut
from benchwright.reporting.charts.marks import marker, style_of
from benchwright.reporting.drawing import Anchor, Drawing, Label, Line, Marker, Rectangle, Shape

_LEFT, _RIGHT, _NAME_LENGTH = 190.0, WIDTH - 8, 19
_TOP, _BOTTOM = 12.0, 190.0
_COLOURED = 5


class Point(NamedTuple):
    """A combination: the level of each choice, 0 being the published one, and the score of each system."""

    levels: tuple[int, ...]
    scores: tuple[float | None, ...]


def specification_curve(
    points: Sequence[Point],
    systems: Sequence[str],
    choices: Sequence[Sequence[str]],
    description: str,
    most: float | None = None,
) -> Drawing:
    """Draw a column per combination.

    Args:
        points: from left to right.
        systems: names, in the order of their colours.
        choices: the levels of each choice in words, the published one first.
        description: what the drawing shows.
        most: value at which higher ones are drawn; null for none.
    """
    known = [score for point in points for score in point.scores if score is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    high = high if most is None else min(high, most)
    low = min(low, 0.0) if low < 0.4 * high else low
    step = (_RIGHT - _LEFT) / max(len(points), 1)
    places = [_LEFT + step * (number + 0.5) for number in range(len(points))]
    y = Scale(low, high if high > low else low + 1, _BOTTOM, _TOP)
    bottom = _BOTTOM + 34 + sum(17 * len(levels) + 8 for levels in choices)
    shapes = _published(points, places, step, bottom)
    shapes += along(y, _LEFT, _RIGHT, about=4)
    for number in reversed(range(len(systems))):
        shapes += _line(number, systems[number], points, places, y)
    shapes += _dots(points, places, choices, min(4.0, step / 2.6))
    return Drawing(WIDTH, bottom, tuple(shapes), description)


def _published(points: Sequence[Point], places: Sequence[float], step: float, bottom: float) -> list[Shape]:
    """The benchmark as it is, in colour."""
    shapes: list[Shape] = []
    for point, x in zip(points, places, strict=True):
        if not any(point.levels):
            shapes.append(Rectangle(x - step / 2, 4, step, bottom - 8, "now", "as published"))
            anchor: Anchor = "start" if x - _LEFT < 40 else "end" if _RIGHT - x < 64 else "middle"
            side = {"start": -step / 2, "end": step / 2, "middle": 0.0}[anchor]
            shapes.append(Label(x + side, _BOTTOM + 17, "as published", "strong", anchor, bold=True))
    return shapes


def _line(number: int, name: str, points: Sequence[Point], places: Sequence[float], y: Scale) -> list[Shape]:
    """The scores of one system."""
    style = style_of(number)
    known = [(x, point.scores[number]) for x, point in zip(places, points, strict=True)]
    drawn = [(x, y(score), score) for x, score in known if score is not None]
    shapes: list[Shape] = []
    if len(drawn) > 1:
        width = 1.6 if number < _COLOURED else 0.8
        shapes.append(Line(tuple((x, down) for x, down, _ in drawn), style.colour, width=width, title=name))
    if number < _COLOURED:
        size = 4.0 if len(points) <= 32 else 2.5
        shapes += [marker(x, down, style, f"{name}: {score:.2f}", size) for x, down, score in drawn]
    return shapes


def _dots(
    points: Sequence[Point], places: Sequence[float], choices: Sequence[Sequence[str]], size: float
) -> list[Shape]:
    """Which level of each choice a combination has."""
    shapes: list[Shape] = []
    y = _BOTTOM + 42
    for choice, levels in enumerate(choices):
        for number, words in enumerate(levels):
            colour, bold = ("soft", False) if number else ("strong", True)
            shapes.append(Label(_LEFT - 10, y + 4, _name(words, _NAME_LENGTH - 2 * bold), colour, "end", bold))
            for point, x in zip(points, places, strict=True):
                here = point.levels[choice] == number
                shapes.append(Marker(x, y, "circle", "kept" if here else "ghost", size=size if here else 1.4))
            y += 17
        y += 8
    return shapes


def _name(words: str, most: int) -> str:
    """A level of a choice, of which the value is the last to be cut.

    >>> _name("small_person.on_small=drop_image", 20)
    'small_pe…=drop_image'
    """
    choice, sign, value = words.partition("=")
    room = most - len(sign + value)
    return f"{cut(choice, room)}{sign}{value}" if sign and room > 4 else cut(words, most)
