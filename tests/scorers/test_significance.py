"""P-values that can be checked by hand, exactness by enumeration, correction for several, ranks."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.resampling import Floats, Ratio, Replicates, Sums, replicated
from scorers.significance import holm, how_tested, p_values, rank_intervals


def means(*rows: list[float], clusters: list[int] | None = None, resamples: int = 999) -> list[Replicates]:
    """Runs of one metric, the mean of these rows."""
    numbers = np.arange(len(rows[0])) if clusters is None else np.array(clusters)
    return replicated([[Ratio(np.array(run, dtype=float))] for run in rows], numbers, resamples)


def p_of(*rows: list[float], clusters: list[int] | None = None, resamples: int = 999) -> tuple[float, float]:
    p, floors = p_values(*means(*rows, clusters=clusters, resamples=resamples))
    return float(p[0]), float(floors[0])


def test_seven_clusters_that_all_agree_reach_the_least_p_value_and_five_cannot_reject() -> None:
    assert p_of([0.0] * 7, [1, 2, 3, 4, 5, 6, 7]) == (2 / 2**7, 2 / 2**7)
    assert p_of([0.0] * 5, [1, 2, 3, 4, 5]) == (2 / 2**5, 2 / 2**5)


def test_hits_are_tested_as_by_the_sign_test() -> None:
    """Five rows of eight differ, all to one side: 2 / 2^5, the exact test of McNemar."""
    assert p_of([0] * 8, [1, 1, 1, 1, 1, 0, 0, 0])[0] == 2 / 2**5


@given(st.lists(st.integers(-9, 9), min_size=4, max_size=12))
def test_exchanging_the_runs_in_clusters_is_what_the_signs_mean(differences: list[int]) -> None:
    """All exchanges one by one, of clusters of unequal size: the p-value is the share whose difference is as large."""
    clusters = [place for place in range(len(differences) // 2) for _ in range(2)] + [0] * (len(differences) % 2)
    rows = np.array(differences, dtype=float)
    count = max(clusters) + 1
    exchanged = [np.array(signs)[clusters] @ rows for signs in product([1, -1], repeat=count)]
    share = float(np.mean(np.abs(exchanged) >= abs(rows.sum()) - 1e-9))
    assert p_of([0.0] * len(rows), list(map(float, rows)), clusters=clusters)[0] == pytest.approx(share)


def test_the_test_of_functions_of_sums_is_exact_too() -> None:
    """Whichever runs are exchanged in a cluster, the influences change sign there and nowhere else."""
    draw = np.random.default_rng(3)
    columns = draw.integers(1, 30, (2, 6, 2)).astype(float)

    def f1(totals: Floats) -> Floats:
        return 2 * totals[:, :1] / totals.sum(axis=1, keepdims=True)

    values = []
    for signs in product([False, True], repeat=6):
        exchanged = np.array(signs)[:, None]
        pair = np.where(exchanged, columns[1], columns[0]), np.where(exchanged, columns[0], columns[1])
        values.append(float(p_values(*replicated([Sums(each, f1) for each in pair], np.arange(6)))[0][0]))
    # Over all exchanges, which are equally likely if there is no difference, a level is never exceeded.
    for level in sorted(set(values)):
        assert np.mean(np.array(values) <= level) <= level + 1e-12


def test_many_clusters_are_given_random_signs_and_more_the_bootstrap() -> None:
    draw = np.random.default_rng(0)
    rows = draw.normal(0.9, 1, 30).tolist()
    for count, words in (
        (14, "exact sign-flip test over 14 videos"),
        (15, "sign-flip test over 15 videos, 999 resamples"),
    ):
        assert how_tested(means(rows[:count])[0], "videos").startswith(words)
    enumerated, drawn = p_of([0.0] * 14, rows[:14]), p_of([0.0] * 15, [*rows[:14], 0.0], resamples=9999)
    assert drawn[0] == pytest.approx(enumerated[0], abs=0.01)
    assert drawn[1] == 1 / 10_000
    assert p_of([0.0] * 60, [1.0] * 60) == (1 / 1000, 1 / 1000)
    assert how_tested(means([1.0] * 60)[0], "videos") == "paired bootstrap over 60 videos, 999 resamples, seed 12345"


@pytest.mark.parametrize("count", [1, 7, 60])
def test_what_is_undefined_has_no_p_value(count: int) -> None:
    assert math.isnan(p_of([math.nan] * count, [1.0] * count)[0])


@pytest.mark.parametrize("count", [2, 7, 20, 60])
def test_a_run_does_not_differ_from_itself(count: int) -> None:
    run = np.random.default_rng(1).random(count).tolist()
    assert p_of(run, run)[0] == 1


@given(st.lists(st.floats(0, 1), max_size=8))
def test_corrected_p_values_keep_their_order_and_never_fall(found: list[float]) -> None:
    corrected = holm(found)
    assert all(1 >= ours >= p for ours, p in zip(corrected, found, strict=True))
    assert [c for _, c in sorted(zip(found, corrected, strict=True))] == sorted(corrected)
    if found:
        assert min(corrected) == min(1.0, len(found) * min(found))


def test_ranks_are_as_far_apart_as_the_runs_can_be_told_apart() -> None:
    noise = np.random.default_rng(7).normal(0, 1, (4, 200))
    best, second, third, last = (noise * 0.1 + [[3.0], [1.0], [1.001], [0.0]]).tolist()
    runs = means(second, best, [math.nan] * 200, last, third)
    assert rank_intervals(runs, True) == [(2, 3), (1, 1), None, (4, 4), (2, 3)]
    assert rank_intervals(runs, False) == [(2, 3), (4, 4), None, (1, 1), (2, 3)]
    assert rank_intervals(runs[:1], True) == [(1, 1)]
