"""Uncertainty of scores: 95% intervals, of a run and of the difference of two on the same rows.

Which method is used when, and what each was measured to hold, is in docs/scoring.md.

Sources: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters 11 (jackknife) and 13 (percentiles);
Korn and Graubard, Survey Methodology 24 (1998) 193-201 (shares of clustered rows); Hesterberg, The American
Statistician 69 (2015) 371-386 (expanded percentiles).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scorers.distributions import beta_quantile, t_quantile
from scorers.resampling import Floats, Replicates
from scorers.significance import p_values

Bounds = tuple[float, float]
"""The least and the greatest value that a metric can have."""
UNBOUNDED: Bounds = (-math.inf, math.inf)

LEVEL = 0.95
TAIL = (1 - LEVEL) / 2
_RARE = 10  # events, below which percentiles are too far from symmetric or not far enough; measured
_MANY = 200  # clusters, from which on percentiles hold their level as they are; measured
_SYMMETRIC = 1e4  # events, of which so many make the beta distribution a normal one, and its computation slow
_FAR = 1e6  # so many times the distance from the one bound, the other is as good as absent


class Interval(NamedTuple):
    """The bounds of a 95% interval, on the scale of the metric, NaN where there is none; a name in `score.METHODS`."""

    low: float
    high: float
    method: str = ""


class PairedDifference(NamedTuple):
    """Two runs on the same rows.

    Attributes:
        difference: second minus first.
        interval: of the difference.
        p_value: two-sided, of no difference; not corrected for what else is tested.
        floor: the least p-value that the clusters and resamples can give.
    """

    difference: float
    interval: Interval
    p_value: float
    floor: float


def intervals(run: Replicates, bounds: Sequence[Bounds] = ()) -> list[Interval]:
    """The 95% interval of every metric of a run.

    Args:
        run: its metrics on other draws.
        bounds: of each metric; none unless given.

    Returns:
        NaN bounds for an undefined metric, for fewer than two clusters, which say nothing of one another, for a metric
        that one of few clusters decides on, and where no draw differs from another, unless the metric is a mean of
        values within known bounds. Resamples that alone leave a metric undefined do not count.

    >>> from scorers.resampling import Ratio, replicated
    >>> hits = Ratio(np.array([False, False, False, False]), scale=100.0)
    >>> [run] = replicated([[hits]], np.array([0, 0, 1, 2]))
    >>> intervals(run, [(0.0, 100.0)])
    [Interval(low=0.0, high=70.75982261787132, method='clopper-pearson')]
    """
    return [
        _interval(run, value, draws, bound)
        for value, draws, bound in zip(run.values.tolist(), run.draws.T, _bounds(bounds, run), strict=True)
    ]


def comparisons(first: Replicates, second: Replicates, bounds: Sequence[Bounds] = ()) -> list[PairedDifference]:
    """Second minus first, metric by metric; `bounds` are those of the metrics. Nulls as in `intervals`.

    >>> from scorers.resampling import Ratio, replicated
    >>> good, bad = Ratio(np.arange(40) % 4 > 0, scale=100.0), Ratio(np.arange(40) % 4 > 1, scale=100.0)
    >>> comparisons(*replicated([[bad], [good]], np.arange(40)))[0].difference
    25.0
    """
    differences, draws = (second.values - first.values).tolist(), (second.draws - first.draws).T
    widest = [high - low for low, high in _bounds(bounds, first)]
    found = [
        _interval(first, difference, column, (-width, width), beta=False)
        for difference, column, width in zip(differences, draws, widest, strict=True)
    ]
    tested = zip(*(column.tolist() for column in p_values(first, second)), strict=True)
    return [
        PairedDifference(difference, interval, p_value, floor)
        for difference, interval, (p_value, floor) in zip(differences, found, tested, strict=True)
    ]


def _bounds(bounds: Sequence[Bounds], run: Replicates) -> Sequence[Bounds]:
    return bounds or [UNBOUNDED] * len(run.values)


def _interval(run: Replicates, value: float, draws: Floats, bounds: Bounds, beta: bool = True) -> Interval:
    """The interval of one metric or difference; differences, which are symmetric if there is none, need no beta."""
    defined = draws[~np.isnan(draws)]
    if math.isnan(value) or not len(defined) or (run.few and len(defined) < len(draws)):
        return Interval(math.nan, math.nan)
    if bool((np.abs(defined - value) <= 1e-9 * max(1.0, abs(value))).all()):
        return _where_all_agree(run, value, bounds)
    clusters = run.clusters
    spread = float(np.square(defined - defined.mean()).mean())
    variance = spread * (clusters - 1 if run.few else clusters / (clusters - 1))
    least, most = bounds
    if beta and -math.inf < least < value < most:
        skewed = _effective(value, variance, clusters, bounds, always=run.few)
        if skewed is not None:
            return skewed
    if not run.few:
        tail = _expanded_tail(clusters)
        low, high = np.quantile(defined, [tail, 1 - tail]).tolist()
        return Interval(low, high, "percentile")
    reach = t_quantile(1 - TAIL, clusters - 1) * math.sqrt(variance)
    low, high = max(min(least, value), value - reach), min(max(most, value), value + reach)
    return Interval(low, high, "jackknife-t")


def _expanded_tail(clusters: int) -> float:
    """The share of resamples below and above an interval: below 200 clusters less than TAIL.

    Resamples of n clusters vary by (n - 1) / n of the variance, and percentiles reach as far as those of a normal
    distribution, not as Student's t; from 200 on both are less than the resamples themselves blur.
    """
    if clusters >= _MANY:
        return TAIL
    reach = t_quantile(1 - TAIL, clusters - 1) * math.sqrt(clusters / (clusters - 1))
    return 0.5 * math.erfc(reach / math.sqrt(2))


def _where_all_agree(run: Replicates, value: float, bounds: Bounds) -> Interval:
    """The interval of a mean of which every cluster has the same value.

    Of n clusters none was seen to differ, so that less than 1 - .025^(1/n) of all do (the bound of Clopper and
    Pearson), and these by no more than the bounds of the metric allow.
    """
    if not run.means or math.inf in (-bounds[0], bounds[1]):
        return Interval(math.nan, math.nan)
    others = 1 - TAIL ** (1 / run.clusters)
    low, high = (value + others * (bound - value) for bound in bounds)
    return Interval(low, high, "clopper-pearson")


def _effective(value: float, variance: float, clusters: int, bounds: Bounds, always: bool) -> Interval | None:
    """The interval of Clopper and Pearson for as many independent trials as would have this variance.

    For a share p of n trials the variance is p (1 - p) / (n - 1). The more trials than clusters that gives, the less
    certain it is, which Student's t corrects. Without an upper bound a far one is put in its place, and the
    distribution of the bounds, a beta, becomes a gamma.

    Returns:
        None where so many of the trials succeed and fail that percentiles do as well, unless asked for `always`; of
        values without an upper bound, which may be skewed, ten times as many. None where nothing is skewed.
    """
    low, high = bounds
    width = high - low if high < math.inf else _FAR * (value - low)
    share = (value - low) / width
    trials = 1 + share * (1 - share) * width**2 / variance
    events = trials * min(share, 1 - share)
    if events > _SYMMETRIC or (not always and events >= _RARE * (1 if high < math.inf else 10)):
        return None
    trials *= min(1.0, t_quantile(1 - TAIL, trials - 1) / t_quantile(1 - TAIL, clusters - 1)) ** 2
    hits, misses = share * trials, (1 - share) * trials
    least, most = beta_quantile(TAIL, hits, misses + 1), beta_quantile(1 - TAIL, hits + 1, misses)
    return Interval(low + width * least, low + width * most, "korn-graubard")
