"""Histograms count every value once; bars are as long as what they stand for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.reporting.charts.axis import ticks
from benchwright.reporting.charts.bars import Bar, Fall, bars, waterfall
from benchwright.reporting.charts.histogram import Bins, Mark, binned, histogram
from benchwright.reporting.drawing import Label, Line, Rectangle

numbers = st.floats(-1e6, 1e6)


@given(st.lists(numbers | st.just(math.nan)))
def test_every_value_is_in_one_bin(values: list[float]) -> None:
    bins = binned(values)
    assert sum(bins.counts) == sum(not math.isnan(value) for value in values)
    assert len(bins.edges) == len(bins.counts) + 1 <= 80
    assert list(bins.edges) == sorted(set(bins.edges))


def test_bins_of_whole_numbers_are_whole() -> None:
    assert binned([3, 3, 4]).edges == (0, 1, 2, 3, 4)
    assert binned([3.5, 3.5, 4]).edges[1] < 1


def test_what_lies_beyond_the_edges_is_counted() -> None:
    bins = binned(np.array([-3.0, 0.5, 7.5, 11.5]), low=0, high=10, about=10)
    assert (bins.below, bins.above, bins.counts[0], bins.counts[-1]) == (1, 1, 2, 1)


def test_bars_of_a_histogram_are_as_high_as_their_counts() -> None:
    drawing = histogram(Bins((0, 1, 2, 3), (2, 0, 8)), "lengths", "s", "clips", Mark(1.5, "median"))
    found = [shape for shape in drawing.shapes if isinstance(shape, Rectangle)]
    assert [shape.title for shape in found] == ["0 to 1 s: 2 clips", "2 to 3 s: 8 clips"]
    assert found[1].height == pytest.approx(4 * found[0].height)
    (mark,) = [shape for shape in drawing.shapes if isinstance(shape, Line) and shape.dashed]
    assert found[0].x < mark.points[0][0] < found[1].x


def test_a_mark_beyond_the_edges_is_not_drawn() -> None:
    drawing = histogram(Bins((0, 1), (2,)), "lengths", mark=Mark(9, "far"))
    assert [shape.text for shape in drawing.shapes if isinstance(shape, Label) and shape.bold] == []


@given(numbers, st.floats(1e-3, 1e6))
def test_ticks_are_few_and_within(low: float, size: float) -> None:
    found = ticks(low, low + size)
    assert 1 <= len(found) <= 8
    slack = 1e-6 * max(abs(low), size)
    assert all(low - slack <= value <= low + size + slack for value in found)


def test_the_parts_of_a_waterfall_follow_one_another() -> None:
    drawing = waterfall([Fall("candidates", 10, 0, "10"), Fall("size", 6, 4, "-4"), Fall("rows", 6, 0, "6")], "fall")
    found = [shape for shape in drawing.shapes if isinstance(shape, Rectangle)]
    assert [shape.colour for shape in found] == ["kept", "kept", "gone", "kept"]
    assert found[1].x + found[1].width == pytest.approx(found[2].x)
    assert found[1].width + found[2].width == pytest.approx(found[0].width)


def test_bars_of_nothing_are_drawn_too() -> None:
    assert [shape.width for shape in bars([Bar("a", 0, "0")], "none").shapes if isinstance(shape, Rectangle)] == [0]
    assert bars([], "none").shapes == ()
    assert waterfall([], "none").shapes == ()
