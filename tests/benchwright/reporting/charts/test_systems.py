"""Charts of systems: places, values and combinations lie where their numbers say."""

from __future__ import annotations

from itertools import pairwise

import pytest

from benchwright.reporting.charts.curve import Point, specification_curve
from benchwright.reporting.charts.dots import Dot, dots
from benchwright.reporting.charts.slope import slope
from benchwright.reporting.drawing import Drawing, Label, Line, Marker, Rectangle


def markers(drawing: Drawing, colour: str) -> list[Marker]:
    return [shape for shape in drawing.shapes if isinstance(shape, Marker) and shape.colour == colour]


def test_a_better_value_lies_further_to_the_right_and_a_guess_is_hollow() -> None:
    drawing = dots([Dot("a", 40, 30, 50, "40.0", 0), Dot("guess", 20, None, None, "20.0", None)], "scores", "%")
    (system,), (guess,) = markers(drawing, "system 0"), markers(drawing, "guess")
    assert not system.hollow
    assert guess.hollow
    zero = 218
    assert system.x - zero == pytest.approx(2 * (guess.x - zero))
    (interval,) = [shape for shape in drawing.shapes if isinstance(shape, Line) and shape.colour == "system 0"]
    assert interval.points[0][0] < system.x < interval.points[1][0]


@pytest.mark.parametrize("count", [0, 1, 6, 50])
def test_any_number_of_systems_is_drawn(count: int) -> None:
    names = [f"system {number}" for number in range(count)]
    rows = [Dot(name, number, number - 1.0, number + 1.0, f"{number}", number) for number, name in enumerate(names)]
    points = [Point((level,), tuple(map(float, range(count)))) for level in (0, 1)]
    ranks = [[float(number + 1), float(count - number)] for number in range(count)]
    drawings = [
        dots(rows, "scores"),
        slope(["as published", "another"], names, ranks, "places"),
        specification_curve(points, names, [("this", "that")], "curve"),
    ]
    for drawing in drawings:
        assert drawing.width == 520
        assert len({shape.colour for shape in drawing.shapes if isinstance(shape, Marker)} - {"kept", "ghost"}) <= 6
    assert len(markers(drawings[0], "other")) == max(0, count - 5)


def test_lines_of_a_slope_cross_where_places_change() -> None:
    drawing = slope(["now", "then"], ["a", "b"], [[1, 2], [2, 1]], "places")
    a, b = markers(drawing, "system 0"), markers(drawing, "system 1")
    assert [mark.y for mark in a] == [mark.y for mark in reversed(b)]
    assert a[0].y < b[0].y


def test_the_published_choice_does_not_run_into_the_next_one_where_text_is_large() -> None:
    choices = ["as published", "onset pick median", "onset pick latest", "null miss", "protocol strict"]
    drawing = slope(choices, ["system"], [[1.0] * 5], "places")
    lines: dict[float, list[tuple[float, float]]] = {}
    for each in drawing.shapes:
        if isinstance(each, Label) and each.text in " ".join(choices):
            width = len(each.text) * (9.5 if each.bold else 8)
            start = each.x - width * {"start": 0, "middle": 0.5, "end": 1}[each.anchor]
            lines.setdefault(each.y, []).append((start, start + width))
    assert len(lines) == 3
    for places in lines.values():
        assert all(before[1] < after[0] for before, after in pairwise(sorted(places)))


def test_a_system_without_a_place_has_no_mark_there() -> None:
    assert len(markers(slope(["now", "then"], ["a"], [[1, None]], "places"), "system 0")) == 1


def test_dots_name_the_level_of_each_column_and_the_published_one_is_marked() -> None:
    points = [Point((1, 0), (1.0, None)), Point((0, 0), (2.0, 3.0)), Point((0, 1), (2.5, 3.0))]
    drawing = specification_curve(points, ["a", "b"], [("p", "q"), ("r", "s")], "curve")
    (published,) = [shape for shape in drawing.shapes if isinstance(shape, Rectangle)]
    places = sorted({mark.x for mark in markers(drawing, "kept")})
    assert published.x < places[1] < published.x + published.width
    assert len(markers(drawing, "kept")) == 2 * len(points)
    assert (len(markers(drawing, "system 0")), len(markers(drawing, "system 1"))) == (3, 2)


def test_values_beyond_the_highest_are_drawn_there() -> None:
    points = [Point((0,), (5.0,)), Point((1,), (900.0,))]
    first, second = markers(specification_curve(points, ["a"], [("p", "q")], "curve", most=40), "system 0")
    assert second.y == pytest.approx(12)
    assert first.y > second.y
