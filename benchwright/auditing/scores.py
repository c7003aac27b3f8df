"""The scores of the same runs on variants of a benchmark: rows that can be judged, parts of a difference, draws."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from benchwright.auditing.alternatives import Alternative
from benchwright.auditing.ranks import Order, first_place, grade, order_of, pairs, ranks, tau
from benchwright.auditing.result import Clusters, Effect, Interval, Parts, Standing
from schemas.arrays import booleans, integers, one_array
from schemas.cards import AuditCard
from schemas.errors import BenchwrightError, UsageError
from schemas.manifest import Manifest
from scorers.metric import Metric, direction
from scorers.options import Options
from scorers.resampling import Replicates, Statistics, on_clusters, replicated
from scorers.score import value_or_null
from scorers.scorer import Evaluation
from scorers.task import Task, at_once, task_of
from scorers.uncertainty import Bounds, PairedDifference, comparisons, intervals
from scorers.uncertainty import Interval as Bound

MOST_UNASKED = 0.05
"""Share of a variant's rows that may be new and in no prediction file; above it, it is not judged."""

Mask = NDArray[np.bool_]
Values = list[Mapping[Any, float]]


class NotAskedError(BenchwrightError):
    """A variant has too many rows that the predictions do not name."""


@dataclass(frozen=True, eq=False)
class Judged:
    """The runs on one variant.

    Attributes:
        names: sample id of each judged row.
        values: of each run by metric, on these rows.
        statistics: of each run, for draws.
        places: cluster of each row, numbered over all variants.
        judged: how many of them are new.
        parts: of each run by metric, of the difference to the default.
    """

    names: pa.Array
    values: Values
    statistics: list[Statistics]
    places: NDArray[np.int64]
    judged: int = 0
    parts: list[dict[Any, Parts]] | None = None


class Judge:
    """Runs, read once and carried by sample id, on any variant of the rows that they are about."""

    def __init__(self, task: Task, runs: Mapping[str, object], card: AuditCard) -> None:
        """
        Args:
            task: the benchmark as it is.
            runs: the source of each by its name.
            card: which clusters are meant.

        Raises:
            InputError, UsageError: a run that cannot be read; a column of clusters that the manifest lacks.
        """
        self.task, self._card = task, card
        self._numbers: dict[object, int] = {}
        self.sources = dict(zip(runs, at_once(self._carried, list(runs.values())), strict=True))
        self._truth, self._runs = task.truth, [task.read(source) for source in self.sources.values()]
        self.warnings = [
            f"{name}: {warning}" for name, run in zip(self.sources, self._runs, strict=True) for warning in run.warnings
        ]
        self._predictions = [run.predictions for run in self._runs]
        found = [task.evaluate(predictions) for predictions in self._predictions]
        names = task.scorer.names(task.truth)
        self.default = self._judged(task, names, found)
        nothing = {
            metric: Parts(*[value_or_null(value - value)] * 3) for metric, value in self.default.values[0].items()
        }
        self._nothing = [nothing] * len(found)

    def judge(self, manifest: Manifest, alternative: Alternative) -> Judged:
        """The runs on a variant.

        Raises:
            NotAskedError: too many of its rows are in no prediction file.
            BenchwrightError: it cannot be scored so.
        """
        if not alternative.scoring and self._same_rows(manifest):
            return replace(self.default, parts=self._nothing)
        given = {**self.task.options, "split": self.task.split, "protocol": self.task.protocol, **alternative.scoring}
        task = task_of(manifest, given, Options, self.task.scorer)
        if task.empty:
            raise UsageError(f"{task.split} has no rows")
        scorer, truth = task.scorer, task.truth
        runs = [task.read(source) for source in self.sources.values()]
        predictions = [run.predictions for run in runs]
        names = scorer.names(truth)
        new = ~_among(names, self.default.names)
        asked = [scorer.answered(truth, run.predictions) if run.asked is None else run.asked for run in runs]
        unasked = new & ~np.logical_and.reduce(asked)
        missing, rows = int(np.count_nonzero(unasked)), len(names)
        if missing > MOST_UNASKED * rows:
            raise NotAskedError(f"{missing:,} of its {rows:,} rows are new and not in all prediction files")
        if missing:
            truth, predictions = self._only(truth, predictions, ~unasked)
            names, new = names.filter(pa.array(~unasked)), new[~unasked]
        task = replace(task, truth=truth)
        evaluations = [task.evaluate(each) for each in predictions]
        parts = self._parts(task, predictions, evaluations, names, new)
        return replace(self._judged(task, names, evaluations), judged=int(new.sum()), parts=parts)

    def effects(self, several: Sequence[Judged], step: Callable[[str], None]) -> list[dict[str, Effect]]:
        """What each variant does by each metric, all on the same draws of the clusters; the default is the first."""
        names, count = list(self.sources), len(self._numbers)
        bootstrap = self.task.bootstrap(self.task.scorer.resamples)
        unlike = {id(one.statistics): one for one in several}  # variants that change nothing share the default's
        statistics = [on_clusters(each, one.places, count) for one in unlike.values() for each in one.statistics]
        drawn = iter(replicated(statistics, np.arange(count), bootstrap.resamples, bootstrap.seed, step))
        by_variant = {
            key: [
                replace(next(drawn), values=np.array([values[metric] for metric in self.task.metrics]))
                for values in one.values
            ]
            for key, one in unlike.items()
        }
        runs = [by_variant[id(one.statistics)] for one in several]
        found: list[dict[str, Effect]] = [{} for _ in several]
        differences = at_once(lambda each: _differences(each, self.task.bounds), runs)
        bounds = [[intervals(run, self.task.bounds) for run in each] for each in runs]
        for place, metric in enumerate(self.task.metrics):
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

    def steps(self, variants: Sequence[Judged]) -> int:
        """How often `effects` calls its `step`, at most."""
        resamples = self.task.bootstrap(self.task.scorer.resamples).resamples
        return resamples * len({id(one.statistics) for one in variants}) * len(self.sources)

    @property
    def clusters(self) -> Clusters:
        """What is drawn."""
        bootstrap = self.task.bootstrap(self.task.scorer.resamples)
        name = self._card.clusters or f"{bootstrap.clusters}s"
        return Clusters(name, len(self._numbers), bootstrap.resamples, bootstrap.seed)

    def _same_rows(self, manifest: Manifest) -> bool:
        split, splits = self.task.split, manifest.identity.splits
        return split in splits and splits[split].digest == self.task.manifest.identity.splits[split].digest

    def _carried(self, source: object) -> object:
        return self.task.scorer.carried(source, self.task.truth, self.task.options)

    def _parts(
        self, task: Task, predictions: list[Any], whole: Sequence[Evaluation], names: pa.Array, new: Mask
    ) -> list[dict[Any, Parts]]:
        """Each difference to the default as rows lost, truth or scoring changed, rows gained."""
        kept = _among(self.default.names, names)
        before: Values = self.default.values
        if not kept.all():
            truth, own = self._only(self._truth, self._predictions, kept)
            on_kept = replace(self.task, truth=truth)
            before = [on_kept.evaluate(each).values for each in own] if kept.any() else []
        after: Values = [found.values for found in whole]
        if new.any():
            truth, own = self._only(task.truth, predictions, ~new)
            on_kept = replace(task, truth=truth)
            after = [on_kept.evaluate(each).values for each in own] if not new.all() else []
        none = dict.fromkeys(self.task.metrics, math.nan)
        return [
            {
                metric: Parts(
                    value_or_null(on_both[metric] - default[metric]),
                    value_or_null(changed[metric] - on_both[metric]),
                    value_or_null(found.values[metric] - changed[metric]),
                )
                for metric in self.task.metrics
            }
            for default, on_both, changed, found in zip(
                self.default.values, before or [none] * len(whole), after or [none] * len(whole), whole, strict=True
            )
        ]

    def _only(self, truth: Any, predictions: list[Any], rows: Mask) -> tuple[Any, list[Any]]:
        chosen = [self.task.scorer.only(truth, each, rows) for each in predictions]
        return chosen[0][0], [own for _, own in chosen]

    def _judged(self, task: Task, names: pa.Array, found: Sequence[Evaluation]) -> Judged:
        statistics = at_once(lambda each: each.statistics(), found)
        _, firsts = np.unique(task.scorer.statistics_rows(task.truth), return_index=True)
        places = self._places(task.manifest, names.take(pa.array(firsts)))
        return Judged(names, [each.values for each in found], statistics, places)

    def _places(self, manifest: Manifest, names: pa.Array) -> NDArray[np.int64]:
        """The cluster of each sample, by its number among those of all variants."""
        column, numbers = self._card.column, self._numbers
        if not self._card.clusters:
            own = self.task.scorer.clusters
            column = own if own in manifest.column_names else column
        table = manifest.table(self.task.split, list(dict.fromkeys(("sample_id", column))))
        place = integers(pc.index_in(names, value_set=one_array(table["sample_id"].cast(pa.string()))), null=-1)
        labels = one_array(table[column].cast(pa.string())).take(pa.array(place)).to_pylist()
        clusters = map(cluster_of(self._card.pattern), labels)
        return np.array([numbers.setdefault(cluster, len(numbers)) for cluster in clusters], np.int64)


def _among(names: pa.Array, others: pa.Array) -> Mask:
    return booleans(pc.is_in(names, value_set=others))


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


def cluster_of(pattern: str) -> Callable[[str], str]:
    """The cluster that a text names: the first group of a pattern, the whole text where it does not match.

    >>> cluster_of(r"(.*?)\\d+$")("Fails of the Week 38")
    'Fails of the Week '
    """
    compiled = re.compile(pattern)

    def cluster(text: str) -> str:
        found = compiled.match(text) if pattern else None
        return text if found is None else found[1]

    return cluster
