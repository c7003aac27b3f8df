"""What variants do to the leaderboard: the same systems on the same draws of the clusters, by each metric."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from benchwright.auditing.effect import Effect, Interval, Standing
from benchwright.auditing.ranks import Order, first_place, grade, order_of, pairs, ranks, tau
from benchwright.auditing.scores import Judge, Judged
from scorers.metric import Metric, direction
from scorers.resampling import Clusters, Replicates, Statistics, Sums, Weighted, replicated, summed
from scorers.score import value_or_null
from scorers.task import at_once
from scorers.uncertainty import Bounds, PairedDifference, comparisons, intervals
from scorers.uncertainty import Interval as Bound


def effects(judge: Judge, several: Sequence[Judged], step: Callable[[str], None]) -> list[dict[str, Effect]]:
    """What each variant does by each metric; the first of them is the default.

    The clusters of the default are drawn, so that its intervals are those of its score. Variants with further clusters
    are compared with the default on draws of all of these.

    Args:
        judge: who judged them.
        several: the variants.
        step: called before each draw of a function of weights, at most `steps` times.
    """
    default, known = several[0], judge.clusters.count
    wider = {id(one) for one in several if one.places.max(initial=-1) >= known}
    found = iter(_compared(judge, [one for one in several if id(one) not in wider], known, step))
    count = 1 + max(int(one.places.max(initial=-1)) for one in several)
    further = [default, *(one for one in several if id(one) in wider)]
    others = iter(_compared(judge, further, count, step)[1:] if wider else ())
    return [next(others if id(one) in wider else found) for one in several]


def _compared(
    judge: Judge, several: Sequence[Judged], count: int, step: Callable[[str], None]
) -> list[dict[str, Effect]]:
    """The same on draws of so many clusters."""
    task, names = judge.task, list(judge.sources)
    runs = _drawn(judge, several, count, step)
    differences = at_once(lambda each: _differences(each, task.bounds), runs)
    bounds = [[intervals(run, task.bounds) for run in each] for each in runs]
    found: list[dict[str, Effect]] = [{} for _ in several]
    for place, metric in enumerate(task.metrics):
        orders = [
            order_of(
                names,
                [run.only(place) for run in each],
                {pair: by_metric[place] for pair, by_metric in between.items()},
                direction(metric) is not False,
            )
            for each, between in zip(runs, differences, strict=True)
        ]
        widths = [value_or_null(high - low) for low, high, _ in (by_metric[place] for by_metric in bounds[0])]
        for one, order, by_metric, effect in zip(several, orders, bounds, found, strict=True):
            spread = [each[place] for each in by_metric]
            effect[str(metric)] = _effect(one, metric, orders[0], order, spread, widths)
    return found


def steps(judge: Judge, several: Sequence[Judged]) -> int:
    """How often `effects` calls its `step`, at most."""
    return judge.clusters.resamples * (1 + len({id(one.statistics) for one in several})) * len(judge.sources)


def on_clusters(statistics: Statistics, places: Clusters, count: int) -> Sums | Weighted:
    """The same metrics over other clusters, some of which may have no rows.

    Args:
        statistics: ratios; or sums and functions of weights, whose clusters become parts of larger ones.
        places: the cluster of each row of the statistics, shape (rows,).
        count: how many clusters there are.
    """
    if isinstance(statistics, Sums):
        columns = np.zeros((count, statistics.columns.shape[1]))
        np.add.at(columns, places, statistics.columns)
        return replace(statistics, columns=columns)
    if callable(statistics):
        return lambda weights: statistics(weights[places])
    return summed(statistics, places, count)


def _drawn(judge: Judge, several: Sequence[Judged], count: int, step: Callable[[str], None]) -> list[list[Replicates]]:
    """Each variant's runs on the same draws; the values are those of the scores, which were summed in row order."""
    unlike = {id(one.statistics): one for one in several}  # variants that change nothing share the default's
    drawn, metrics = judge.clusters, judge.task.metrics
    statistics = [on_clusters(each, one.places, count) for one in unlike.values() for each in one.statistics]
    made = iter(replicated(statistics, np.arange(count), drawn.resamples, drawn.seed, step))
    runs = {
        key: [replace(next(made), values=np.array([values[metric] for metric in metrics])) for values in one.values]
        for key, one in unlike.items()
    }
    return [runs[id(one.statistics)] for one in several]


def _differences(runs: Sequence[Replicates], bounds: Sequence[Bounds]) -> dict[tuple[int, int], list[PairedDifference]]:
    """Each pair of runs by metric."""
    return {(a, b): comparisons(runs[a], runs[b], bounds) for a, b in combinations(range(len(runs)), 2)}


def _effect(
    one: Judged,
    metric: Metric,
    default: Order,
    order: Order,
    spread: Sequence[Bound],
    widths: Sequence[float | None],
) -> Effect:
    """One variant by one metric."""
    placed = ranks(order.scores) if direction(metric) is not None else [None] * len(order.names)
    systems = {
        name: Standing(
            value_or_null(values[metric]),
            Interval(value_or_null(low), value_or_null(high)),
            rank,
            parts.get(metric),
        )
        for name, values, (low, high, _), rank, parts in zip(
            order.names, one.values, spread, placed, one.parts or [{}] * len(order.names), strict=True
        )
    }
    swaps, shift = pairs(default, order), tau(default, order)
    return Effect(systems, swaps, shift, first_place(default, order), grade(default, order, swaps, shift, widths))
