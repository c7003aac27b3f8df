"""Of runs that do not differ p-values are uniform, and intervals hold 0: a seeded part of benchmarks/calibration.py."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np
import pytest

from scorers.resampling import Floats, Ratio, Statistics, Sums, replicated
from scorers.uncertainty import comparisons, intervals

SIMULATIONS = 400


def pair(clusters: int) -> tuple[list[Floats], Floats]:
    """Two runs' sums over clusters of 5 to 40 rows that hang together, a column per simulation; the numbers of rows."""
    draw = np.random.default_rng(clusters)
    rows = draw.integers(5, 40, (clusters, 1), endpoint=True)
    ease = draw.normal(0, 0.7, (clusters, SIMULATIONS))
    chances = (1 / (1 + np.exp(-ease - draw.normal(0, 0.7, ease.shape))) for _ in range(2))
    return [draw.binomial(rows, chance).astype(np.float64) for chance in chances], rows.astype(np.float64)


def shares(hits: Floats, rows: Floats) -> Statistics:
    """Hits of all rows; a row of the ratio is a cluster, which says the same."""
    return [Ratio(column, rows[:, 0]) for column in hits.T]


def f1(hits: Floats, rows: Floats) -> Statistics:
    """2 hits / (rows + predictions), of which there are more where there are more hits."""
    both = np.broadcast_to(rows, hits.shape) + hits + 3
    return Sums(np.hstack([hits, both]), lambda totals: 2 * totals[:, :SIMULATIONS] / totals[:, SIMULATIONS:])


def function(hits: Floats, rows: Floats) -> Statistics:
    """The share of hits as a function of weights, of which nobody knows that it is one of sums."""
    return lambda weights: (weights @ hits / (weights @ rows)).tolist()


def within(count: float, chance: float) -> bool:
    """Whether a count of all simulations is one of those of a binomial variable that are not rarer than 1 in 1000."""
    low = sum(comb(SIMULATIONS, k) * chance**k * (1 - chance) ** (SIMULATIONS - k) for k in range(int(count) + 1))
    high = 1 - low + comb(SIMULATIONS, int(count)) * chance**count * (1 - chance) ** (SIMULATIONS - count)
    return min(low, high) > 0.0005


@pytest.mark.parametrize("statistics", [shares, f1, function])
@pytest.mark.parametrize("clusters", [12, 25, 60])
def test_p_values_are_uniform_and_intervals_hold_the_difference(
    statistics: Callable[[Floats, Floats], Statistics], clusters: int
) -> None:
    hits, rows = pair(clusters)
    runs = replicated([statistics(of_run, rows) for of_run in hits], np.arange(clusters), resamples=999)
    found = comparisons(*runs, bounds=[(0.0, 1.0)] * SIMULATIONS)
    p_values = np.array([one.p_value for one in found])
    for level in (0.05, 0.2, 0.5, 0.8):
        assert within(np.count_nonzero(p_values <= level), level)
    assert within(sum(not one.interval.low <= 0 <= one.interval.high for one in found), 0.055)


@pytest.mark.parametrize("clusters", [5, 7])
def test_what_few_clusters_cannot_reach_is_never_printed(clusters: int) -> None:
    hits, rows = pair(clusters)
    runs = replicated([shares(of_run, rows) for of_run in hits], np.arange(clusters))
    p_values = [one.p_value for one in comparisons(*runs)]
    assert min(p_values) >= 2 / 2**clusters
    # With 7 the levels that can be reached are whole 64ths, and ties make some of them rarer.
    assert np.mean(np.array(p_values) <= 0.05) <= 0.06
    assert (min(p_values) > 0.05) == (clusters == 5)


@pytest.mark.parametrize("clusters", [5, 12, 25, 60])
def test_intervals_of_one_run_hold_its_share(clusters: int) -> None:
    hits, rows = pair(clusters)
    [run] = replicated([shares(hits[0], rows)], np.arange(clusters))
    found = intervals(run, [(0.0, 1.0)] * SIMULATIONS)
    assert np.mean([low <= 0.5 <= high for low, high, _ in found]) > 0.92
