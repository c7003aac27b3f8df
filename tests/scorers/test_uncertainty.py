"""Intervals: which method when, what each must find in invented data, and where there is none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.resampling import Clusters, Ratio, Sums, replicated
from scorers.score import METHODS
from scorers.uncertainty import Interval, PairedDifference, comparisons, intervals

ROWS = 400
PERCENT = (0.0, 100.0)
NOTHING = Interval(math.nan, math.nan)


def interval(ratio: Ratio, clusters: Clusters, bounds: Any = (-math.inf, math.inf), **options: Any) -> Interval:
    return intervals(*replicated([[ratio]], clusters, **options), bounds=[bounds])[0]


def compared(first: Ratio, second: Ratio, clusters: Clusters, bounds: Any = (-math.inf, math.inf)) -> PairedDifference:
    return comparisons(*replicated([[first], [second]], clusters), bounds=[bounds])[0]


def share(hits: int, rows: int) -> Ratio:
    return Ratio(np.arange(rows) < hits, scale=100.0)


def test_an_interval_is_as_wide_as_theory_says_and_wider_when_rows_hang_together() -> None:
    hits = np.arange(ROWS) % 4 == 0
    independent = interval(Ratio(hits), np.arange(ROWS))
    deviation = math.sqrt(0.25 * 0.75 / ROWS)
    assert independent[:2] == pytest.approx((0.25 - 1.96 * deviation, 0.25 + 1.96 * deviation), abs=0.006)
    together = interval(Ratio(np.sort(hits)), np.repeat(np.arange(100), 4))
    assert together.high - together.low == pytest.approx(2 * (independent.high - independent.low), rel=0.1)
    assert {independent.method, together.method} == {"percentile"}


def test_the_same_seed_gives_the_same_interval() -> None:
    ratio, clusters = Ratio(np.random.default_rng(0).random(ROWS)), np.repeat(np.arange(100), 4)
    assert interval(ratio, clusters) == interval(ratio, clusters)
    assert interval(ratio, clusters, seed=1) != interval(ratio, clusters, seed=2)


# What was not seen is not impossible.


@pytest.mark.parametrize("rows", [5, 104])
def test_shares_of_none_and_of_all_have_the_exact_interval(rows: int) -> None:
    """1 - .025^(1/n): 3.49 % for 104 rows, where all resamples agree on 0.00 %."""
    bound = 100 * (1 - 0.025 ** (1 / rows))
    assert interval(share(0, rows), np.arange(rows), PERCENT) == (0.0, pytest.approx(bound), "clopper-pearson")
    assert interval(share(rows, rows), np.arange(rows), PERCENT) == (
        pytest.approx(100 - bound),
        100.0,
        "clopper-pearson",
    )


def test_it_counts_clusters_and_not_rows() -> None:
    assert interval(share(0, 20), np.repeat(np.arange(5), 4), PERCENT).high == pytest.approx(52.18, abs=0.005)


@pytest.mark.parametrize(("hits", "rows", "expected"), [(2, 12, (2.09, 48.41)), (3, 104, (0.60, 8.20))])
def test_shares_of_few_rows_or_rare_events_are_those_of_clopper_and_pearson(
    hits: int, rows: int, expected: Any
) -> None:
    found = interval(share(hits, rows), np.arange(rows), PERCENT, resamples=200_000)
    assert found[:2] == pytest.approx(expected, abs=0.02)
    assert found.method == "korn-graubard"


def test_clusters_that_hardly_differ_have_the_interval_of_student() -> None:
    for bounds in ((0.0, 1.0), (0.0, math.inf)):
        found = interval(Ratio(0.5 + 1e-7 * np.arange(7)), np.arange(7), bounds)
        reach = 2.4469 * 1e-7 * math.sqrt(28 / 6 / 7)
        assert found == (
            pytest.approx(0.5000003 - reach, abs=1e-10),
            pytest.approx(0.5000003 + reach, abs=1e-10),
            "jackknife-t",
        )


def test_twice_the_rows_of_equal_clusters_say_no_more() -> None:
    hits = np.array([True, False, False, True, False, False])
    once = interval(Ratio(hits), np.arange(6), (0, 1))
    assert interval(Ratio(np.repeat(hits, 2)), np.repeat(np.arange(6), 2), (0, 1)) == pytest.approx(once)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=50), st.booleans())
def test_intervals_hold_the_value_and_keep_within_the_bounds(rows: list[float], unlimited: bool) -> None:
    ratio = Ratio(np.array(rows))
    found = interval(ratio, np.arange(len(rows)), (0.0, math.inf if unlimited else 1.0), resamples=60)
    if not math.isnan(found.low):
        assert 0 <= found.low <= ratio.value + 1e-9
        assert ratio.value - 1e-9 <= found.high
        assert unlimited or found.high <= 1
        assert found.method in METHODS


def test_where_nothing_bounds_what_was_not_seen_there_is_no_interval() -> None:
    same = np.ones(50)
    for rows in (50, 7):
        assert interval(Ratio(same[:rows]), np.arange(rows)) == pytest.approx(NOTHING, nan_ok=True)
        assert interval(Ratio(same[:rows]), np.arange(rows), (0, math.inf)) == pytest.approx(NOTHING, nan_ok=True)
    product = Sums(same[:, None], lambda totals: 0 * totals)  # no mean: that of other clusters may be anything
    assert intervals(*replicated([product], np.arange(50)), bounds=[(0, 1)])[0] == pytest.approx(NOTHING, nan_ok=True)


def test_what_is_undefined_has_no_interval() -> None:
    for rows in (3, 60):
        poisoned = Ratio(np.array([1.0, math.nan, *[0.0] * (rows - 2)]))
        assert interval(poisoned, np.arange(rows)) == pytest.approx(NOTHING, nan_ok=True)
    for rows in (0, 3):
        one_cluster = interval(Ratio(np.ones(rows)), np.zeros(rows, dtype=int), (0, 1))
        assert one_cluster == pytest.approx(NOTHING, nan_ok=True)
    rare = Ratio(np.array([2.0, 0.0, 0.0]), np.array([True, False, False]))  # undefined without the first cluster
    assert interval(rare, np.arange(3), (0, 3)) == pytest.approx(NOTHING, nan_ok=True)
    counted = np.arange(60) == 0
    assert interval(Ratio(2.0 * counted, counted), np.arange(60)) == pytest.approx(NOTHING, nan_ok=True)


# Differences.


def test_few_clusters_are_compared_by_student() -> None:
    """The mean of 1, 2, 3, 4 and 5 is 3 +- 2.776 * sqrt(2.5 / 5)."""
    found = compared(Ratio(np.zeros(5)), Ratio(np.arange(1.0, 6.0)), np.arange(5))
    assert found.interval == (pytest.approx(1.0368, abs=1e-4), pytest.approx(4.9632, abs=1e-4), "jackknife-t")
    assert (found.difference, found.p_value, found.floor) == (3.0, 2 / 2**5, 2 / 2**5)
    assert compared(Ratio(np.zeros(5)), Ratio(np.arange(5.0) > 0), np.arange(5), (0, 1)).interval.high == 1.0


@given(st.lists(st.booleans(), min_size=2, max_size=60))
def test_a_run_compared_with_itself_has_no_difference_and_p_of_one(hits: list[bool]) -> None:
    run = [Ratio(np.array(hits), scale=100.0) for _ in range(2)]
    found = compared(*run, np.arange(len(hits)), PERCENT)
    bound = 100 * (1 - 0.025 ** (1 / len(hits)))
    assert (found.difference, found.p_value) == (0.0, 1.0)
    assert found.interval == (pytest.approx(-bound), pytest.approx(bound), "clopper-pearson")


def test_a_comparison_pairs_the_runs() -> None:
    noise = np.random.default_rng(5).normal(0, 10, ROWS)
    before, after = Ratio(noise), Ratio(noise + 0.1 + noise / 1e6)
    found = compared(before, after, np.arange(ROWS))
    assert (found.difference, *found.interval[:2]) == pytest.approx((0.1, 0.1, 0.1), rel=1e-4)
    assert found.p_value == found.floor == 1 / 2001
    swapped = compared(after, before, np.arange(ROWS))
    assert (swapped.difference, swapped.p_value) == (-found.difference, found.p_value)
