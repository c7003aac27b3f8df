"""The bootstrap: exact weights, what it must find in invented data, and that it can be repeated."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import UsageError
from scorers import uncertainty
from scorers.uncertainty import Floats, Interval, PairedDifference, Ratio, comparisons, intervals, resampled

ROWS = 400


def invented(seed: int = 0) -> tuple[Ratio, Ratio, uncertainty.Clusters]:
    """A share and a mean over some of the rows, of 400 rows in 100 clusters."""
    generator = np.random.default_rng(seed)
    counted = generator.random(ROWS) < 0.8
    share = Ratio(generator.random(ROWS) < 0.3, scale=100.0)
    return share, Ratio(np.where(counted, generator.random(ROWS), 0.0), counted), np.repeat(np.arange(100), 4)


def interval(ratio: Ratio, clusters: uncertainty.Clusters, **options: Any) -> Interval:
    return intervals([ratio], clusters, **options)[0]


def one_by_one(ratio: Ratio, clusters: uncertainty.Clusters, weights: Floats) -> float:
    """The ratio over rows that are written out as often as their cluster was drawn."""
    rows = np.repeat(np.arange(len(clusters)), weights[clusters].astype(int))
    return Ratio(
        ratio.numerator[rows], None if ratio.denominator is None else ratio.denominator[rows], ratio.scale
    ).value


def test_sums_and_functions_see_the_same_resamples_and_agree_with_written_out_rows() -> None:
    share, mean, clusters = invented()
    sums = resampled([share, mean], clusters, resamples=50, seed=7)
    written_out = resampled(
        lambda weights: [one_by_one(ratio, clusters, weights) for ratio in (share, mean)],
        clusters,
        resamples=50,
        seed=7,
    )
    np.testing.assert_allclose(sums, written_out, rtol=1e-12)
    assert len(np.unique(sums[:, 1])) == 50


@pytest.mark.parametrize("clusters", [2, 7, 1001])
def test_each_resample_draws_as_many_clusters_as_there_are(clusters: int) -> None:
    rows = np.arange(clusters)
    totals = resampled(lambda weights: [float(weights.sum())], rows, resamples=20, seed=1)
    assert set(totals.ravel()) == {float(clusters)}


def test_all_outcomes_of_three_clusters_are_drawn_as_often_as_they_should() -> None:
    code = lambda weights: [float(weights @ [1.0, 10.0, 100.0])]  # noqa: E731
    drawn = resampled(code, np.arange(3), resamples=27_000, seed=3).ravel()
    outcomes = np.array([sum(10**cluster for cluster in draw) for draw in product(range(3), repeat=3)], dtype=float)
    for outcome in np.unique(outcomes):
        expected = 1000 * np.count_nonzero(outcomes == outcome)
        assert abs(np.count_nonzero(drawn == outcome) - expected) < 5 * math.sqrt(expected)


def test_the_same_seed_gives_the_same_interval_whatever_else_is_asked() -> None:
    share, mean, clusters = invented()
    assert interval(share, clusters) == interval(share, clusters)
    alone, together = [interval(share, clusters), interval(mean, clusters)], intervals([share, mean], clusters)
    np.testing.assert_allclose(alone, together, rtol=1e-12)
    assert interval(mean, clusters, seed=1) != interval(mean, clusters, seed=2)


def test_resamples_do_not_depend_on_how_many_are_held_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    share, mean, clusters = invented()
    at_once = resampled([share, mean], clusters, resamples=23, seed=1)
    monkeypatch.setattr(uncertainty, "_WEIGHTS_AT_ONCE", 500)
    np.testing.assert_allclose(resampled([share, mean], clusters, resamples=23, seed=1), at_once, rtol=1e-12)


def test_the_weights_of_a_seed_never_change() -> None:
    drawn = resampled(lambda weights: [float(weights @ 10.0 ** np.arange(6))], np.arange(6), resamples=4, seed=12345)
    assert drawn.ravel().astype(int).tolist() == [30030, 211110, 12030, 311010]


def test_an_interval_is_as_wide_as_theory_says_and_wider_when_rows_hang_together() -> None:
    hits = np.arange(ROWS) % 4 == 0
    independent = interval(Ratio(hits), np.arange(ROWS))
    deviation = math.sqrt(0.25 * 0.75 / ROWS)
    assert independent == pytest.approx((0.25 - 1.96 * deviation, 0.25 + 1.96 * deviation), abs=0.006)
    together = interval(Ratio(np.sort(hits)), np.repeat(np.arange(100), 4))
    assert together.high - together.low == pytest.approx(2 * (independent.high - independent.low), rel=0.1)


def test_what_is_undefined_has_no_interval() -> None:
    nothing = (math.nan, math.nan)
    poisoned = Ratio(np.array([1.0, math.nan, 0.0]))
    assert interval(poisoned, np.arange(3)) == pytest.approx(nothing, nan_ok=True)
    assert interval(Ratio(np.ones(3)), np.zeros(3, dtype=int)) == pytest.approx(nothing, nan_ok=True)
    assert interval(Ratio(np.ones(0)), np.zeros(0, dtype=int)) == pytest.approx(nothing, nan_ok=True)
    rare = Ratio(np.array([2.0, 0.0]), np.array([True, False]))  # undefined where only the second cluster is drawn
    assert interval(rare, np.arange(2)) == Interval(2.0, 2.0)


@given(st.lists(st.booleans(), min_size=2, max_size=30))
def test_a_run_compared_with_itself_has_no_difference_and_p_of_one(hits: list[bool]) -> None:
    run = Ratio(np.array(hits), scale=100.0)
    found = comparisons([run], [Ratio(np.array(hits), scale=100.0)], np.arange(len(hits)), resamples=50)
    assert found == [PairedDifference(difference=0.0, low=0.0, high=0.0, p_value=1.0)]


def test_a_comparison_pairs_the_runs() -> None:
    noise = np.random.default_rng(5).normal(0, 10, ROWS)
    before, after = Ratio(noise), Ratio(noise + 0.1)
    found = comparisons([before], [after], np.arange(ROWS))[0]
    assert (found.difference, found.low, found.high) == pytest.approx((0.1, 0.1, 0.1))
    assert found.p_value == 1 / 2001
    swapped = comparisons([after], [before], np.arange(ROWS))[0]
    assert (swapped.difference, swapped.p_value) == (-found.difference, found.p_value)


def test_the_p_value_is_fair_where_there_is_no_difference() -> None:
    generator = np.random.default_rng(11)
    runs = generator.random((2, 300, ROWS)) < 0.4
    first, second = ([Ratio(hits) for hits in run] for run in runs)
    found = comparisons(first, second, np.arange(ROWS), resamples=400)
    rejected = sum(comparison.p_value <= 0.05 for comparison in found)
    assert 5 <= rejected <= 27  # 15 expected of 300


def test_functions_are_compared_as_sums_are() -> None:
    share, mean, clusters = invented()
    sums = comparisons([share], [mean], clusters, resamples=20)[0]
    functions = [lambda weights, ratio=ratio: [one_by_one(ratio, clusters, weights)] for ratio in (share, mean)]
    assert comparisons(*functions, clusters, resamples=20)[0] == pytest.approx(sums, rel=1e-9)
    with pytest.raises(TypeError, match="both ratios, or both functions"):
        comparisons([share], functions[0], clusters)


def test_progress_steps_at_each_resample_of_a_function() -> None:
    steps: list[str] = []
    share, _, clusters = invented()
    intervals(lambda _: [1.0], clusters, resamples=7, step=steps.append)
    intervals([share], clusters, resamples=7, step=steps.append)
    assert len(steps) == 7


@pytest.mark.parametrize("clusters", [[0, 2, 2], [-1, 0, 1], [1, 1, 1], [0, 1, 10**15]])
def test_clusters_with_gaps_are_refused(clusters: list[int]) -> None:
    with pytest.raises(UsageError, match="without gaps"):
        interval(Ratio(np.ones(3)), np.array(clusters))


def test_calls_that_do_not_fit_are_refused() -> None:
    with pytest.raises(UsageError, match="one cluster per row"):
        interval(Ratio(np.ones(3)), np.arange(2))
