"""Ranks, Kendall's tau, pairs and grades, on invented systems."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.auditing.ranks import Order, first_place, grade, pairs, ranks, tau, tau_b

scores = st.lists(st.integers(0, 4), min_size=2, max_size=7)


def order(values: list[float], leads: dict[tuple[int, int], int] | None = None, draws: int = 0) -> Order:
    """Systems a, b, ... by their scores; no pair leads unless said."""
    count = len(values)
    every = dict.fromkeys(combinations(range(count), 2), 0) | (leads or {})
    return Order("abcdefg"[:count], np.array(values, float), np.tile(np.array(values, float), (draws, 1)), every)


@given(st.integers(2, 7).flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)] * 2)))
def test_tau_b_is_what_its_definition_says(both: tuple[list[int], list[int]]) -> None:
    one, other = both
    concordant = discordant = tied_one = tied_other = 0
    for a, b in combinations(range(len(one)), 2):
        left, right = one[a] - one[b], other[a] - other[b]
        concordant += left * right > 0
        discordant += left * right < 0
        tied_one += left == 0
        tied_other += right == 0
    total = math.comb(len(one), 2)
    below = math.sqrt((total - tied_one) * (total - tied_other))
    expected = (concordant - discordant) / below if below else math.nan
    found = float(tau_b(np.array([one], float), np.array([other], float))[0])
    assert found == pytest.approx(expected, nan_ok=True)


@given(scores)
def test_ranks_share_their_sum(values: list[int]) -> None:
    found = ranks(np.array(values, float))
    assert sum(rank or 0 for rank in found) == len(values) * (len(values) + 1) / 2
    assert sorted(range(len(values)), key=lambda place: -values[place])[0] in [
        place for place, rank in enumerate(found) if rank == min(r for r in found if r)
    ]


@pytest.mark.parametrize(
    ("before", "after", "led", "leads", "states", "graded"),
    [
        ([2, 1], [1, 2], 1, -1, ["reversal"], "decides"),
        ([2, 1], [1, 2], 1, 0, ["loss"], "decides"),
        ([3, 2, 1], [3, 1, 2], 1, 0, [], "reorders"),
        ([2, 1], [1, 2], 0, 0, ["within noise"], "noise"),
        ([2, 1], [9, 1], 0, 0, [], "shifts"),
        ([2, 1], [2.01, 1], 0, 0, [], "visible"),
        ([2, 1], [2.001, 1], 0, 0, [], "none"),
        ([2, 1], [2, 1], 1, 0, [], "none"),
    ],
)
def test_grades(before, after, led, leads, states, graded) -> None:
    pair = (0, 1) if len(before) == 2 else (1, 2)
    default, variant = order(before, {pair: led}), order(after, {pair: leads})
    found = pairs(default, variant)
    assert [each.state for each in found] == (states or [each.state for each in found])
    assert grade(default, variant, found, tau(default, variant), [4.0] * len(before)) == graded


def test_a_new_first_place_decides_only_with_a_lead() -> None:
    default, variant = order([2, 1, 0]), order([1, 2, 0])
    assert grade(default, variant, pairs(default, variant), None, [None] * 3) == "noise"
    led = order([1, 2, 0], {(0, 1): -1})
    assert [(each.a, each.b, each.state) for each in pairs(default, led)] == [("a", "b", "gain")]
    assert grade(default, led, pairs(default, led), None, [None] * 3) == "decides"


def test_tau_below_its_floor_reorders_without_any_lead() -> None:
    default, variant = order([4, 3, 2, 1], draws=50), order([3, 4, 1, 2], draws=50)
    shift = tau(default, variant)
    assert shift is not None
    assert (shift.value, shift.floor) == (pytest.approx(1 / 3), 1.0)
    assert grade(default, variant, pairs(default, variant), shift, [None] * 4) == "reorders"
    first = first_place(default, variant)
    assert first is not None
    assert (first.systems, first.changed, first.by_resampling) == (["b"], 1.0, 0.0)


def test_few_systems_or_draws_leave_open_what_they_cannot_say() -> None:
    assert tau(order([3, 2, 1]), order([1, 2, 3])) is None
    assert first_place(order([1]), order([2])) is None
    shift = tau(order([4, 3, 2, 1]), order([4, 3, 2, 1]))
    assert shift is not None
    assert (shift.value, shift.interval.low, shift.floor) == (1.0, None, None)
    assert tau(order([4, 3, 2, 1]), order([math.nan, 3, 2, 1])) is None
