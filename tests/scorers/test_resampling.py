"""Draws of the clusters: exact weights, one cluster left out at a time, and that they can be repeated."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from schemas.errors import UsageError
from scorers import resampling
from scorers.resampling import FEW, Clusters, Floats, Ratio, Statistics, Sums, replicated

ROWS = 400


def invented(seed: int = 0) -> tuple[Ratio, Ratio, Clusters]:
    """A share and a mean over some of the rows, of 400 rows in 100 clusters."""
    generator = np.random.default_rng(seed)
    counted = generator.random(ROWS) < 0.8
    share = Ratio(generator.random(ROWS) < 0.3, scale=100.0)
    return share, Ratio(np.where(counted, generator.random(ROWS), 0.0), counted), np.repeat(np.arange(100), 4)


def draws(statistics: Statistics, clusters: Clusters, resamples: int, seed: int = 1) -> Floats:
    return replicated([statistics], clusters, resamples, seed)[0].draws


def one_by_one(ratio: Ratio, clusters: Clusters, weights: Floats) -> float:
    """The ratio over rows that are written out as often as their cluster was drawn."""
    rows = np.repeat(np.arange(len(clusters)), weights[clusters].astype(int))
    return Ratio(
        ratio.numerator[rows], None if ratio.denominator is None else ratio.denominator[rows], ratio.scale
    ).value


@pytest.mark.parametrize("count", [100, 20])
def test_ratios_sums_and_functions_see_the_same_draws_and_agree_with_written_out_rows(count: int) -> None:
    share, mean, _ = invented()
    clusters = np.repeat(np.arange(count), ROWS // count)
    by_cluster = np.stack([np.bincount(clusters, values) for values in (share.numerator, mean.numerator)], axis=1)
    columns = np.column_stack([by_cluster, np.bincount(clusters), np.bincount(clusters, mean.denominator)])
    sums = Sums(columns, lambda totals: totals[:, :2] / totals[:, 2:] * [100, 1])
    weighted = lambda weights: [one_by_one(ratio, clusters, weights) for ratio in (share, mean)]  # noqa: E731
    of_ratios, of_sums, written_out = replicated([[share, mean], sums, weighted], clusters, resamples=50)
    assert len(of_ratios.draws) == (50 if count >= FEW else count)
    for run in (of_sums, written_out):
        np.testing.assert_allclose(run.draws, of_ratios.draws, rtol=1e-12)
        np.testing.assert_allclose(run.values, of_ratios.values, rtol=1e-12)
    assert len(np.unique(of_ratios.draws[:, 1])) == len(of_ratios.draws)


def test_few_clusters_are_left_out_one_by_one() -> None:
    [run] = replicated([lambda weights: [float(weights @ [1.0, 10.0, 100.0])]], np.arange(3))
    assert run.few
    assert run.draws.ravel().tolist() == [110.0, 101.0, 11.0]


@pytest.mark.parametrize("clusters", [FEW, 77, 1001])
def test_each_resample_draws_as_many_clusters_as_there_are(clusters: int) -> None:
    totals = draws(lambda weights: [float(weights.sum())], np.arange(clusters), resamples=20)
    assert set(totals.ravel()) == {float(clusters)}


def test_all_outcomes_of_three_clusters_are_drawn_as_often_as_they_should() -> None:
    code = np.array([1.0, 10.0, 100.0])
    drawn = np.concatenate([weights @ code for weights in resampling._weights(3, 27_000, seed=3)])
    outcomes = np.array([sum(10**cluster for cluster in draw) for draw in product(range(3), repeat=3)], dtype=float)
    for outcome in np.unique(outcomes):
        expected = 1000 * np.count_nonzero(outcomes == outcome)
        assert abs(np.count_nonzero(drawn == outcome) - expected) < 5 * math.sqrt(expected)


def test_resamples_do_not_depend_on_how_many_are_held_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    share, mean, clusters = invented()
    at_once = draws([share, mean], clusters, resamples=23)
    monkeypatch.setattr(resampling, "_WEIGHTS_AT_ONCE", 500)
    np.testing.assert_allclose(draws([share, mean], clusters, resamples=23), at_once, rtol=1e-12)


def test_runs_are_resampled_alike_together_and_alone() -> None:
    share, mean, clusters = invented()
    together = replicated([[share], [mean]], clusters, resamples=30, seed=4)
    for run, ratio in zip(together, (share, mean), strict=True):
        np.testing.assert_allclose(run.draws, draws([ratio], clusters, 30, seed=4), rtol=1e-12)
    assert (draws([share], clusters, 30, seed=5) != together[0].draws).any()


def test_the_weights_of_a_seed_never_change() -> None:
    drawn = next(resampling._weights(6, 4, seed=12345)) @ 10.0 ** np.arange(6)
    assert drawn.astype(int).tolist() == [30030, 211110, 12030, 311010]


@pytest.mark.parametrize(("count", "expected"), [(100, 7), (20, 20)])
def test_progress_steps_at_each_draw_of_a_function(count: int, expected: int) -> None:
    steps: list[str] = []
    clusters = np.repeat(np.arange(count), ROWS // count)
    replicated([lambda _: [1.0], [invented()[0]]], clusters, resamples=7, step=steps.append)
    assert len(steps) == expected


@pytest.mark.parametrize("clusters", [[0, 2, 2], [-1, 0, 1], [1, 1, 1], [0, 1, 10**15]])
def test_clusters_with_gaps_are_refused(clusters: list[int]) -> None:
    with pytest.raises(UsageError, match="without gaps"):
        replicated([[Ratio(np.ones(3))]], np.array(clusters))


def test_ratios_over_other_rows_are_refused() -> None:
    with pytest.raises(UsageError, match="one cluster per row"):
        replicated([[Ratio(np.ones(3))]], np.arange(2))
