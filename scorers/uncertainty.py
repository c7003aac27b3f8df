"""Uncertainty of a score: bootstrap over clusters (videos), for intervals and for the comparison of two runs.

To resample the clusters with replacement is to weight each by the number of times that it was drawn. Most metrics are a
`Ratio` of sums over rows, and then all resamples of all metrics are one matrix product; others (average precision, say)
are a function from one weight per cluster to the values of all metrics.

Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters 13 (percentile interval) and 16 (test).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.errors import UsageError

Floats = NDArray[np.float64]
Clusters = NDArray[np.integer[Any]]

SEED = 12345
LEVEL = 0.95
_WEIGHTS_AT_ONCE = 1 << 22  # 32 MB: enough resamples for the matrix product to run at full speed


@dataclass(frozen=True, slots=True, eq=False)
class Ratio:
    """A metric as a ratio of two sums over rows: scale * (sum of numerator / sum of denominator).

    Attributes:
        numerator: booleans or floats, shape (rows,); one NaN makes the value NaN (null) in every resample.
        denominator: likewise; None counts every row as 1.
        scale: 100 for percent.
    """

    numerator: NDArray[Any]
    denominator: NDArray[Any] | None = None
    scale: float = 1.0

    @property
    def value(self) -> float:
        """The metric on all rows, NaN where the denominator is 0.

        Booleans are counted; floats are summed pairwise in row order, which is what `numpy.mean` does.

        >>> Ratio(np.array([True, False, True, True]), scale=100.0).value
        75.0
        """
        below = len(self.numerator) if self.denominator is None else _total(self.denominator)
        return self.scale * (_total(self.numerator) / below) if below else math.nan


Weighted = Callable[[Floats], Sequence[float]]
"""From weights of shape (clusters,) to the values of all metrics, NaN where undefined."""
Statistics = Sequence[Ratio] | Weighted
"""The metrics of one run for the bootstrap."""


class Interval(NamedTuple):
    """The bounds of a percentile interval, on the scale of the metric; NaN where there is none."""

    low: float
    high: float


class PairedDifference(NamedTuple):
    """Two runs on the same rows: second minus first, its 95% interval, the two-sided p-value of no difference."""

    difference: float
    low: float
    high: float
    p_value: float


def intervals(
    statistics: Statistics,
    clusters: Clusters,
    resamples: int = 2000,
    seed: int = SEED,
    step: Callable[[str], None] = lambda _: None,
) -> list[Interval]:
    """95% percentile bootstrap interval of every statistic, all from the same resamples.

    Args:
        statistics: ratios over rows, or a function of cluster weights.
        clusters: cluster (video) of each row, shape (rows,), numbered 0, 1, ... without gaps.
        resamples: how many times the clusters are drawn, as many as there are, with replacement.
        seed: of the PCG64 generator; the same seed, clusters and resamples give the same weights.
        step: called before each resample of a function, which takes time.

    Returns:
        NaN bounds for an undefined statistic and for fewer than two clusters, which say nothing of one another.
        Resamples that alone leave a statistic undefined do not count.

    Raises:
        UsageError: clusters with gaps, or not one per row.

    >>> hits = Ratio(np.array([True, True, False, True]), scale=100.0)
    >>> intervals([hits], np.array([0, 0, 1, 2]))
    [Interval(low=0.0, high=100.0)]
    """
    values = resampled(statistics, clusters, resamples, seed, step)
    return [percentiles(column) for column in values.T]


def comparisons(
    first: Statistics,
    second: Statistics,
    clusters: Clusters,
    resamples: int = 2000,
    seed: int = SEED,
    step: Callable[[str], None] = lambda _: None,
) -> list[PairedDifference]:
    """Paired comparison of two runs on the same rows, metric by metric, both weighted by the same resamples.

    The difference is second minus first. Its two-sided p-value is the share of resamples whose difference is at least
    as far from the observed one as that is from 0, (1 + those) / (1 + resamples), which is 1 for equal runs and never
    0. Arguments, nulls and errors as in `intervals`.

    >>> good, bad = Ratio(np.arange(40) % 4 > 0, scale=100.0), Ratio(np.arange(40) % 4 > 1, scale=100.0)
    >>> comparisons([bad], [good], np.arange(40))[0].difference
    25.0
    """
    values = resampled(_both(first, second), clusters, resamples, seed, step)
    before, after = np.split(values, 2, axis=1)
    observed = np.subtract(_values(second, clusters), _values(first, clusters)).tolist()
    return [
        PairedDifference(difference, *percentiles(column), p_value(difference, column))
        for difference, column in zip(observed, (after - before).T, strict=True)
    ]


def _both(first: Statistics, second: Statistics) -> Statistics:
    """The metrics of two runs of one family, so that both see the same resamples."""
    if callable(first) and callable(second):
        return lambda weights: [*first(weights), *second(weights)]
    if callable(first) or callable(second):
        raise TypeError("statistics of two runs are both ratios, or both functions")
    return [*first, *second]


def resampled(
    statistics: Statistics,
    clusters: Clusters,
    resamples: int,
    seed: int,
    step: Callable[[str], None] = lambda _: None,
) -> Floats:
    """Every metric on every resample, shape (resamples, metrics); see `intervals`."""
    count = _cluster_count(clusters)
    if count < 2:
        return np.full((resamples, len(_values(statistics, clusters))), np.nan)
    if callable(statistics):
        rows = []
        for weights in _weights(count, resamples, seed):
            for row in weights:
                step("resample")
                rows.append(list(statistics(row)))
        return np.array(rows, dtype=np.float64)
    if any(len(ratio.numerator) != len(clusters) for ratio in statistics):
        raise UsageError(f"one cluster per row is needed, got {len(clusters)}")
    if not statistics:
        return np.empty((resamples, 0))
    # Metrics share denominators: each array is summed once.
    arrays = {id(array): array for ratio in statistics for array in (ratio.numerator, ratio.denominator)}
    columns = {key: column for column, key in enumerate(arrays)}
    sums = np.stack([np.bincount(clusters, array).astype(np.float64) for array in arrays.values()], axis=1)
    above = [columns[id(ratio.numerator)] for ratio in statistics]
    below = [columns[id(ratio.denominator)] for ratio in statistics]
    scale = np.array([ratio.scale for ratio in statistics])
    with np.errstate(divide="ignore", invalid="ignore"):
        totals = np.concatenate([weights @ sums for weights in _weights(count, resamples, seed)])
        return np.asarray(scale * (totals[:, above] / totals[:, below]))


def _weights(clusters: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Blocks of multinomial weights, shape (resamples of the block, clusters); a block is overwritten by the next.

    A draw is the high half of 32 random bits times `clusters`: equally likely clusters to within clusters / 2^32. Only
    the raw PCG64 stream is used, which NumPy promises not to change, as it does not for its distributions.
    """
    bits = np.random.PCG64(seed)
    words = (clusters + 1) // 2
    drawn = np.empty((2, words), dtype=np.uint64)
    block = np.empty((min(resamples, max(1, _WEIGHTS_AT_ONCE // clusters)), clusters))
    for start in range(0, resamples, len(block)):
        weights = block[: resamples - start]
        for row in weights:
            raw = bits.random_raw(words)
            np.right_shift(raw, np.uint64(32), out=drawn[0])
            np.bitwise_and(raw, np.uint64(0xFFFFFFFF), out=drawn[1])
            np.multiply(drawn, np.uint64(clusters), out=drawn)
            np.right_shift(drawn, np.uint64(32), out=drawn)
            row[:] = np.bincount(drawn.ravel()[:clusters].view(np.int64), minlength=clusters)
        yield weights


def _cluster_count(clusters: Clusters) -> int:
    count = int(clusters.max(initial=-1)) + 1
    if count and (clusters.min() < 0 or count > len(clusters) or not np.bincount(clusters).all()):
        raise UsageError("clusters must be numbered 0, 1, ... without gaps")
    return count


def percentiles(values: Floats) -> Interval:
    """The 95% interval of a metric from its values on the resamples, shape (resamples,)."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return Interval(math.nan, math.nan)
    return Interval(*np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist())


def p_value(difference: float, resampled_differences: Floats) -> float:
    """The two-sided p-value of no difference, from the difference on each resample, shape (resamples,)."""
    defined = resampled_differences[~np.isnan(resampled_differences)]
    if math.isnan(difference) or not len(defined):
        return math.nan
    # Sums over weighted clusters round differently from sums over rows; ties must not hang on the last bit.
    as_far = np.abs(defined - difference) >= abs(difference) * (1 - 1e-9)
    return (1 + np.count_nonzero(as_far)) / (1 + len(defined))


def _values(statistics: Statistics, clusters: Clusters) -> Sequence[float]:
    """The metrics on all rows."""
    if callable(statistics):
        return statistics(np.ones(_cluster_count(clusters)))
    return [ratio.value for ratio in statistics]


def _total(values: NDArray[Any]) -> float:
    return float(np.count_nonzero(values) if values.dtype == np.bool_ else values.sum())
