"""What metrics are on other draws of the clusters (videos): bootstrap resamples, or all clusters but one.

To resample the clusters with replacement is to weight each by the number of times that it was drawn. Most metrics are a
`Ratio` of sums over rows, others functions of several `Sums`; of both all resamples of all runs are one matrix product.
The rest (average precision, say) are a function from one weight per cluster to the values of all metrics.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.errors import UsageError

Floats = NDArray[np.float64]
Clusters = NDArray[np.integer[Any]]
Step = Callable[[str], None]

SEED = 12345
FEW = 40
"""Fewer clusters than this are too few for the bootstrap, whose intervals are then too short: docs/scoring.md."""
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


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """All metrics of a run as a function of sums over clusters.

    Attributes:
        columns: what is summed, shape (clusters, sums).
        metrics: from totals of shape (draws, sums) to values of shape (draws, metrics), NaN where undefined.
        means: whether each metric is a `Ratio`.

    >>> f1 = Sums(np.array([[3.0, 5.0], [1.0, 7.0]]), lambda totals: 2 * totals[:, :1] / totals[:, 1:])
    >>> f1(np.array([1.0, 1.0]))
    [0.6666666666666666]
    """

    columns: Floats
    metrics: Callable[[Floats], Floats]
    means: bool = False

    def __call__(self, weights: Floats) -> list[float]:
        values: list[float] = self.metrics((weights @ self.columns)[None])[0].tolist()
        return values


Weighted = Callable[[Floats], Sequence[float]]
"""From weights of shape (clusters,), whole numbers, to the values of all metrics, NaN where undefined."""
Statistics = Sequence[Ratio] | Sums | Weighted
"""The metrics of one run, to be computed on other draws of its clusters."""


@dataclass(frozen=True, slots=True, eq=False)
class Replicates:
    """The metrics of one run, and what they are on other draws of the clusters.

    Attributes:
        values: on all rows, shape (metrics,).
        draws: shape (draws, metrics): the bootstrap resamples, or below `FEW` clusters all clusters but one.
        clusters: how many there are.
        resamples, seed: as asked for.
        sums: what the metrics are functions of, unless they are a function of weights.
        means: whether each metric is a `Ratio`.
    """

    values: Floats
    draws: Floats
    clusters: int
    resamples: int
    seed: int
    sums: Sums | None
    means: bool

    @property
    def few(self) -> bool:
        """Whether the clusters are so few that each was left out instead of drawn."""
        return self.clusters < FEW

    def only(self, metric: int) -> Replicates:
        """One metric alone."""
        one, sums = slice(metric, metric + 1), self.sums
        return replace(
            self,
            values=self.values[one],
            draws=self.draws[:, one],
            sums=sums and Sums(sums.columns, lambda totals: sums.metrics(totals)[:, one]),
        )


def replicated(
    runs: Sequence[Statistics],
    clusters: Clusters,
    resamples: int = 2000,
    seed: int = SEED,
    step: Step = lambda _: None,
) -> list[Replicates]:
    """Every run on the same draws of the clusters.

    Args:
        runs: the metrics of each, the same metrics of all.
        clusters: cluster (video) of each row, shape (rows,), numbered 0, 1, ... without gaps.
        resamples: how many times the clusters are drawn, as many as there are, with replacement.
        seed: of the PCG64 generator; the same seed, clusters and resamples give the same draws, so that runs may as
            well be given one by one.
        step: called before each draw of a function of weights, which takes time.

    Raises:
        UsageError: clusters with gaps, or not one per row.
    """
    count = cluster_count(clusters)
    computed = [run if callable(run) else summed(run, clusters, count) for run in runs]
    blocks = [1.0 - np.eye(count)] if count < FEW else _weights(count, resamples, seed)
    grown = count / (count - 1) if 1 < count < FEW else 1.0  # totals over fewer clusters are as over all
    totals = _totals([run for run in computed if isinstance(run, Sums)])
    draws: list[list[Floats]] = [[] for _ in runs]
    for weights in blocks if count > 1 else ():
        of_sums = iter(totals(weights))
        for run, found in zip(computed, draws, strict=True):
            if isinstance(run, Sums):
                found.append(run.metrics(next(of_sums) * grown))
                continue
            for row in weights:
                step("resample")
                found.append(np.array([run(row)], dtype=np.float64))
    return [
        Replicates(
            values := np.array(_values(run, count), dtype=np.float64),
            np.concatenate([np.empty((0, len(values))), *found]),
            count,
            resamples,
            seed,
            each if isinstance(each, Sums) else None,
            isinstance(each, Sums) and each.means,
        )
        for run, each, found in zip(runs, computed, draws, strict=True)
    ]


def cluster_count(clusters: Clusters) -> int:
    """How many clusters are numbered.

    Raises:
        UsageError: the numbers have gaps.
    """
    count = int(clusters.max(initial=-1)) + 1
    if count and (clusters.min() < 0 or count > len(clusters) or not np.bincount(clusters).all()):
        raise UsageError("clusters must be numbered 0, 1, ... without gaps")
    return count


def summed(ratios: Sequence[Ratio], clusters: Clusters, count: int) -> Sums:
    """Ratios as functions of sums over so many clusters, of which some may have no rows."""
    if any(len(ratio.numerator) != len(clusters) for ratio in ratios):
        raise UsageError(f"one cluster per row is needed, got {len(clusters)}")
    # Metrics share denominators: each array is summed once; that of None is the number of rows.
    arrays = [ratio.numerator for ratio in ratios] + [ratio.denominator for ratio in ratios]
    of_array = {
        id(array): np.bincount(clusters, array, count) for array in {id(each): each for each in arrays}.values()
    }
    scale = np.array([ratio.scale for ratio in ratios])

    def metrics(totals: Floats) -> Floats:
        above, below = np.split(totals, 2, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(scale * (above / below))

    columns = np.array([of_array[id(array)] for array in arrays], dtype=np.float64).reshape(len(arrays), count)
    return Sums(np.ascontiguousarray(columns.T), metrics, means=True)


def _totals(runs: Sequence[Sums]) -> Callable[[Floats], list[Floats]]:
    """From weights, shape (draws, clusters), to the totals of each run; columns that are alike are summed once."""
    places: dict[bytes, int] = {}
    columns = [np.asarray(run.columns.T, dtype=np.float64) for run in runs]
    of_runs = [[places.setdefault(column.tobytes(), len(places)) for column in each] for each in columns]
    different = np.array([np.frombuffer(column) for column in places]).T

    def totals(weights: Floats) -> list[Floats]:
        summed = weights @ different if of_runs else weights
        return [summed[:, of_run] for of_run in of_runs]

    return totals


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


def _values(statistics: Statistics, count: int) -> Sequence[float]:
    """The metrics on all rows."""
    if callable(statistics):
        return statistics(np.ones(count))
    return [ratio.value for ratio in statistics]


def _total(values: NDArray[Any]) -> float:
    return float(np.count_nonzero(values) if values.dtype == np.bool_ else values.sum())
