"""Whether p-values and intervals hold what they say: `python benchmarks/calibration.py [SIMULATIONS] [METRIC...]`.

Two runs that do not differ are invented over and over, on clusters of rows that hang together, and compared as
`benchwright compare` does. Of the p-values 5% should be up to .05 and 0.1% up to .001; of the 95% intervals of the
difference as many should hold 0, and of those of one run the value that it has on ever more clusters.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from scorers.metric import BOUNDS
from scorers.resampling import Floats, Ratio, Statistics, Sums, replicated
from scorers.uncertainty import Bounds, comparisons, intervals

SEED = 1
SIMULATIONS = 4000
BATCH = 500
LEVELS = (0.05, 0.001)
CLUSTERS = (5, 7, 12, 25, 60, 200)
RESAMPLES = 2000
MANY = 3000
"""So many clusters that the value on them stands for that on ever more."""


class Invented(NamedTuple):
    """Two runs, each with one metric per simulation; the cluster of each row."""

    runs: tuple[Statistics, Statistics]
    clusters: np.ndarray


def invented_rows(
    draw: np.random.Generator, clusters: int, simulations: int, rows: tuple[int, int], score: Callable[[Floats], Floats]
) -> Invented:
    """Means over rows of a score of normal variables, which rows, clusters and both runs have in common in part."""
    sizes = draw.integers(*rows, clusters, endpoint=True)
    of_row = np.repeat(np.arange(clusters), sizes)

    def normal(deviation: float) -> Floats:
        """Of clusters and of rows, shape (rows, simulations)."""
        of_clusters = draw.normal(0, deviation, (clusters, simulations))
        return of_clusters[of_row] + draw.normal(0, deviation, (len(of_row), simulations))

    shared = normal(0.5)
    values = [score(shared + normal(0.5)).T.copy() for _ in range(2)]
    first, second = ([Ratio(rows) for rows in of_run] for of_run in values)
    return Invented((first, second), of_row)


def seconds(normal: Floats) -> Floats:
    """Distances with a long tail, as those of spans: the mean is 1.65 times the median."""
    return np.exp(normal)


def iou(normal: Floats) -> Floats:
    """Fractions of which a third is 0."""
    return np.clip(0.25 + 0.5 * normal, 0.0, 1.0)


def hits(normal: Floats) -> Floats:
    """Shares of a third."""
    return (normal > 0.44).astype(np.float64)


def counts(draw: np.random.Generator, clusters: int, simulations: int) -> tuple[Floats, list[tuple[Floats, Floats]]]:
    """Objects of each cluster, and how many of them each run finds beside how many false ones."""
    shape = clusters, simulations
    objects = 1 + draw.poisson(draw.gamma(2, 2, shape))
    ease = draw.normal(0.5, 0.8, shape)
    found = []
    for _ in range(2):
        chance = 1 / (1 + np.exp(-ease - draw.normal(0, 0.5, shape)))
        found.append((draw.binomial(objects, chance), draw.poisson(4 * (1 - chance))))
    return objects, found


def f1(draw: np.random.Generator, clusters: int, simulations: int) -> Invented:
    """2 true / (objects + detections)."""
    objects, found = counts(draw, clusters, simulations)

    def metrics(totals: Floats) -> Floats:
        true, both = np.split(totals, 2, axis=1)
        return 2 * true / both

    first, second = (Sums(np.hstack([true, objects + true + false]), metrics) for true, false in found)
    return Invented((first, second), np.arange(clusters))


def average_precision(draw: np.random.Generator, clusters: int, simulations: int) -> Invented:
    """Precision at each true detection, interpolated, of detections whose scores overlap."""
    objects, found = counts(draw, clusters, simulations)
    first, second = (_average_precision(draw, objects, *of_run) for of_run in found)
    return Invented((first, second), np.arange(clusters))


def _average_precision(draw: np.random.Generator, objects: Floats, true: Floats, false: Floats) -> Statistics:
    """The detections of all simulations side by side, by falling score, with places left over where there are fewer."""
    slots = [(true, 1.2, True)] * int(true.max()) + [(false, 0.0, False)] * int(false.max())
    taken = np.concatenate([of > sum(o is of for o, *_ in slots[:place]) for place, (of, *_) in enumerate(slots)])
    scores = np.concatenate([draw.normal(mean, 1, objects.shape) for _, mean, _ in slots])
    scores[~taken] = -np.inf
    longest = int(np.count_nonzero(taken, axis=0).max())
    order = np.argsort(-scores, axis=0)[:longest]
    image = order % len(objects)
    hit = np.take_along_axis(np.repeat([kind for *_, kind in slots], len(objects))[:, None] & taken, order, axis=0)
    there = np.take_along_axis(taken, order, axis=0)

    def values(weights: Floats) -> list[float]:
        drawn = np.where(there, weights[image], 0.0)
        gained = np.where(hit, drawn, 0.0)
        precision = np.cumsum(gained, axis=0) / np.maximum(np.cumsum(drawn, axis=0), 1)
        best = np.maximum.accumulate(precision[::-1], axis=0)[::-1]
        result: list[float] = ((best * gained).sum(axis=0) / (weights @ objects)).tolist()
        return result

    return values


Kind = Callable[[np.random.Generator, int, int], Invented]
KINDS: dict[str, tuple[Kind, Bounds]] = {
    "mean of fractions (IoU)": (lambda *size: invented_rows(*size, (2, 12), iou), BOUNDS["fraction"]),
    "mean of seconds, skewed": (lambda *size: invented_rows(*size, (2, 12), seconds), BOUNDS["s"]),
    "share of 0/1, 10 to 60 rows each": (lambda *size: invented_rows(*size, (10, 60), hits), BOUNDS["fraction"]),
    "share of 0/1, 1 row each": (lambda *size: invented_rows(*size, (1, 1), hits), BOUNDS["fraction"]),
    "F1": (f1, BOUNDS["fraction"]),
    "AP": (average_precision, BOUNDS["fraction"]),
}


def line(kind: str, clusters: int, simulations: int) -> list[str]:
    """One line of the table."""
    make, bounds = KINDS[kind]
    draw = np.random.default_rng([SEED, clusters])
    truth = float(np.mean([_values(run, MANY) for run in make(draw, MANY, 20).runs]))
    p, of_difference, of_run, floor = [], [], [], 1.0
    for _ in range(0, simulations, BATCH):
        found = make(draw, clusters, BATCH)
        first, second = replicated(found.runs, found.clusters, RESAMPLES, int(draw.integers(1 << 30)))
        for low, high, _ in intervals(first, [bounds] * BATCH):
            of_run.append(math.nan if math.isnan(low) else low <= truth <= high)
        for paired in comparisons(first, second, [bounds] * BATCH):
            low, high, _ = paired.interval
            of_difference.append(math.nan if math.isnan(low) else low <= 0 <= high)
            p.append(paired.p_value)
            floor = min(floor, paired.floor)
    rejected = [f"{np.mean(np.array(p) <= level):.4f}" if floor <= level else "out of reach" for level in LEVELS]
    return [kind, str(clusters), *rejected, *(f"{np.nanmean(held):.4f}" for held in (of_difference, of_run))]


def _values(run: Statistics, clusters: int) -> Sequence[float]:
    return run(np.ones(clusters)) if callable(run) else [ratio.value for ratio in run]


def main() -> None:
    """Print the table, line by line."""
    arguments = sys.argv[1:]
    simulations = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else SIMULATIONS
    kinds = [kind for kind in KINDS if not arguments or kind.startswith(tuple(arguments))]
    print(f"{simulations:,} simulations, {RESAMPLES:,} resamples, seed {SEED}")
    print(f"{'metric':32} clusters  p <= {LEVELS[0]}  p <= {LEVELS[1]}  holds 0  holds the value")
    for kind in kinds:
        for clusters in CLUSTERS:
            name, number, common, rare, of_difference, of_run = line(kind, clusters, simulations)
            print(f"{name:32} {number:>8}  {common:>9}  {rare:>10}  {of_difference:>7}  {of_run:>15}", flush=True)


if __name__ == "__main__":
    main()
