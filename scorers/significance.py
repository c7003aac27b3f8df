"""Whether two runs differ: p-values, their correction for being several, and the ranks that they leave open.

Sources: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters 11 (jackknife), 15 (permutations) and
16 (bootstrap test); Holm, Scandinavian Journal of Statistics 6 (1979) 65-70; Mogstad et al., Review of Economic Studies
91 (2024) 476-518 (ranks).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from scorers.distributions import beta_share
from scorers.resampling import Floats, Replicates, Sums

LEVEL = 0.05
Ranks = tuple[int, int]
"""The best and the worst rank that a run may have; 1 is the best of all."""
_STEP = 1e-6  # of numerical slopes: its square, which spoils them, and rounding are both out of sight
_ENUMERATED = 14  # clusters of which all assignments of signs are tried, 8,192 of them


def p_values(first: Replicates, second: Replicates) -> tuple[Floats, Floats]:
    """Two-sided p-values of no difference, and the least that there can be: each of shape (metrics,), NaN for null.

    * Below `FEW` clusters the sign-flip test: the share of all assignments of signs to the clusters whose sum of
      influences is as large as the observed one. If there is no difference, each run might as well have done in a
      cluster what the other did. All assignments are tried up to 14 clusters, else as many at random as there are
      resamples. The least is 2 / 2^clusters. Of functions of weights, of which the influences are not exact, the
      larger of this and the p-value of Student's t.
    * Else the bootstrap: the share of resamples whose difference is at least as far from the observed one as that is
      from 0, (1 + those) / (1 + resamples).
    """
    observed = second.values - first.values
    if first.few:
        p, floors = _sign_flips(first, second)
    else:
        draws = second.draws - first.draws
        floors = 1 / (1 + np.count_nonzero(~np.isnan(draws), axis=0))
        # Sums over weighted clusters round differently from sums over rows; ties must not hang on the last bit.
        p = (1 + np.count_nonzero(np.abs(draws - observed) >= np.abs(observed) * (1 - 1e-9), axis=0)) * floors
    return np.where(np.isnan(observed) | (floors == 1), np.nan, p), floors


def how_tested(run: Replicates, clusters: str) -> str:
    """Which test `p_values` is for such runs, in words; `clusters` is their name in the plural."""
    if run.clusters < 2:
        return f"too few {clusters} for a test"
    over = f"over {run.clusters:,} {clusters}"
    drawn = f"{run.resamples:,} resamples, seed {run.seed}"
    if not run.few:
        return f"paired bootstrap {over}, {drawn}"
    test = "exact sign-flip test" if run.sums else "sign-flip test and Student's t"
    return f"{test} {over}" if run.clusters <= _ENUMERATED else f"{test.removeprefix('exact ')} {over}, {drawn}"


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values corrected for being several: the chance of any false finding among them stays what each says.

    The k-th smallest of n becomes the largest so far of (n - k + 1) times it, at most 1. NaN is none and stays.

    >>> holm([0.01, 0.04, math.nan, 0.03])
    [0.03, 0.06, nan, 0.06]
    """
    corrected, largest = list(p_values), 0.0
    tested = sorted((p, place) for place, p in enumerate(p_values) if not math.isnan(p))
    for before, (p, place) in enumerate(tested):
        corrected[place] = largest = max(largest, min(1.0, (len(tested) - before) * p))
    return corrected


def rank_intervals(runs: Sequence[Replicates], higher_is_better: bool) -> list[Ranks | None]:
    """The ranks that each run may have: from 1 + how many are surely better, to as many as are not surely worse.

    All pairs are compared and Holm-corrected, so that with 95% certainty all ranks hold.

    Args:
        runs: of one metric, on the same draws; see `Replicates.only`.
        higher_is_better: else lower values are.

    Returns:
        The best and the worst rank of each run, None where it has no value.
    """
    values = np.array([run.values[0] for run in runs]) * (1 if higher_is_better else -1)
    pairs = list(combinations(range(len(runs)), 2))
    corrected = holm([float(p_values(runs[one], runs[other])[0][0]) for one, other in pairs])
    better, worse = [0] * len(runs), [0] * len(runs)
    for (one, other), p in zip(pairs, corrected, strict=True):
        if p < LEVEL and values[one] != values[other]:
            first, last = (one, other) if values[one] > values[other] else (other, one)
            better[last] += 1
            worse[first] += 1
    defined = int(np.count_nonzero(~np.isnan(values)))
    return [
        None if np.isnan(value) else (1 + above, defined - below)
        for value, above, below in zip(values, better, worse, strict=True)
    ]


def _sign_flips(first: Replicates, second: Replicates) -> tuple[Floats, Floats]:
    clusters, resamples = first.clusters, first.resamples
    if clusters < 2:
        return np.ones(len(first.values)), np.ones(len(first.values))
    influences = _influences(first, second)
    least = 2.0 ** (1 - clusters)
    if clusters <= _ENUMERATED:
        # The opposite assignment gives the opposite sum: the sign of the last cluster stays.
        signs = 1.0 - 2 * (np.arange(2 ** (clusters - 1))[:, None] >> np.arange(clusters) & 1)
        own = 0
    else:
        bits = np.random.PCG64(first.seed).random_raw(resamples * clusters // 64 + 1).view(np.uint8)
        signs = 1.0 - 2 * np.unpackbits(bits)[: resamples * clusters].reshape(-1, clusters)
        own = 1  # the observed assignment is one of them
    slack = 1e-8 * np.abs(influences).sum(axis=0)  # what ties may differ by for rounding
    as_large = np.abs(signs @ influences) >= np.abs(influences.sum(axis=0)) - slack
    p = (own + np.count_nonzero(as_large, axis=0)) / (own + len(signs))
    p[np.isnan(influences).any(axis=0)] = np.nan
    if first.sums is None or second.sums is None:
        p = np.maximum(p, _student(first, second))
    return np.maximum(p, least), np.full(len(p), max(least, own / (own + len(signs))))


def _student(first: Replicates, second: Replicates) -> Floats:
    """Two-sided p-values by Student's t, of differences over their jackknife standard errors."""
    observed, draws, freedom = second.values - first.values, second.draws - first.draws, first.clusters - 1
    variance = freedom * np.square(draws - draws.mean(axis=0)).mean(axis=0)
    below = freedom * variance + observed**2
    share = np.divide(freedom * variance, below, out=np.ones_like(below), where=below != 0)
    return np.array([beta_share(x, freedom / 2, 0.5) for x in share.tolist()])


def _influences(first: Replicates, second: Replicates) -> Floats:
    """What each cluster does for the difference of two runs, up to a factor; shape (clusters, metrics).

    Of sums: the slopes of the metrics, at the sums of both runs together, along what the second and the first did in
    the cluster. If the two are exchanged there, its influence changes sign and no other changes: the test is exact. Of
    other functions: the pseudo-values of the jackknife.
    """
    one, other = first.sums, second.sums
    if one is None or other is None:
        count = first.clusters
        return count * (second.values - first.values) - (count - 1) * (second.draws - first.draws)
    both = one.columns.sum(axis=0) + other.columns.sum(axis=0)

    def slopes(run: Sums) -> Floats:
        return run.metrics(both + _STEP * run.columns) - run.metrics(both - _STEP * run.columns)

    return slopes(other) - slopes(one)
