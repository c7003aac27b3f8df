"""The scores of the same runs on variants of a benchmark: rows that can be judged, parts of a difference, draws."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from benchwright.auditing.alternatives import Alternative, of_scoring
from benchwright.auditing.effect import Parts
from benchwright.auditing.result import Clusters
from schemas.arrays import booleans, integers, one_array
from schemas.cards import AuditCard
from schemas.errors import BenchwrightError, UsageError
from schemas.manifest import Manifest
from scorers.options import Options
from scorers.resampling import Statistics
from scorers.score import value_or_null
from scorers.scorer import Aligned, Evaluation
from scorers.task import Task, at_once, refuse_format, task_of

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
        read = self._read(task)
        self.warnings = [f"{name}: {warning}" for name, run in zip(runs, read, strict=True) for warning in run.warnings]
        self._predictions = [run.predictions for run in read]
        self._missing = [_missing(run) for run in read]
        found = [task.evaluate(predictions) for predictions in self._predictions]
        names = task.scorer.names(task.truth)
        self.default = self._judged(task, names, found)
        nothing = {
            metric: Parts(*[value_or_null(value - value)] * 3) for metric, value in self.default.values[0].items()
        }
        self._nothing = [nothing] * len(found)

    def alternatives(self) -> list[Alternative]:
        """The other ways to score these runs."""
        return of_scoring(self.task.scorer, self.task.truth, self.task.protocol, self._card)

    def judge(self, manifest: Manifest, alternative: Alternative) -> Judged:
        """The runs on a variant.

        Raises:
            NotAskedError: too many of its rows are in no prediction file.
            BenchwrightError: it cannot be scored so.
        """
        if not alternative.scoring and self._same_rows(manifest):
            return replace(self.default, parts=self._nothing)
        task = self._task(manifest, alternative.scoring)
        runs = self._read(task)
        names, predictions = task.scorer.names(task.truth), [run.predictions for run in runs]
        new = ~_among(names, self.default.names)
        unasked = new & ~np.logical_and.reduce([_asked(task, run) for run in runs])
        missing, rows = int(np.count_nonzero(unasked)), len(names)
        if missing > MOST_UNASKED * rows:
            raise NotAskedError(f"{missing:,} of its {rows:,} rows are new and not in all prediction files")
        if not alternative.scoring:
            self._refuse_unnamed_things(runs)
        if missing:
            truth, predictions = _only(task, predictions, ~unasked)
            task, names, new = replace(task, truth=truth), names.filter(pa.array(~unasked)), new[~unasked]
        evaluations = [task.evaluate(each) for each in predictions]
        parts = self._parts(task, predictions, evaluations, names, new)
        return replace(self._judged(task, names, evaluations), judged=int(new.sum()), parts=parts)

    def values(self, manifest: Manifest, scoring: Mapping[str, str]) -> Values:
        """The metrics of each run on all rows of a variant, scored under some options; errors as of `judge`."""
        task = self._task(manifest, scoring)
        # A protocol does not change which rows the predictions are of.
        key = ("audited", scoring.get("truth", ""), id(self))
        if key not in manifest.derived:
            manifest.derived[key] = [run.predictions for run in self._read(task)]
        return [task.evaluate(each).values for each in manifest.derived[key]]

    def _task(self, manifest: Manifest, scoring: Mapping[str, str]) -> Task:
        given = {**self.task.options, "split": self.task.split, "protocol": self.task.protocol, **scoring}
        task = task_of(manifest, given, Options, self.task.scorer)
        if task.empty:
            raise UsageError(f"{task.split} has no rows")
        return task

    @property
    def clusters(self) -> Clusters:
        """What is drawn: the clusters of the default."""
        bootstrap = self.task.bootstrap(self.task.scorer.resamples)
        name = self._card.clusters or f"{bootstrap.clusters}s"
        count = int(self.default.places.max(initial=-1)) + 1
        return Clusters(name, count, bootstrap.resamples, bootstrap.seed)

    def _same_rows(self, manifest: Manifest) -> bool:
        split, splits = self.task.split, manifest.identity.splits
        return split in splits and splits[split].digest == self.task.manifest.identity.splits[split].digest

    def _carried(self, source: object) -> object:
        refuse_format(source, self.task.options)
        return self.task.scorer.carried(source, self.task.truth, self.task.options)

    def _read(self, task: Task) -> list[Aligned[Any]]:
        return [task.scorer.read(each, task.truth, task.metrics, task.options) for each in self.sources.values()]

    def _refuse_unnamed_things(self, runs: Sequence[Aligned[Any]]) -> None:
        """No run is judged by things in rows, such as persons, that it could not know of: they would be misses."""
        for before, run in zip(self._missing, runs, strict=True):
            for things, missing in _missing(run).items():
                new, of = missing - before.get(things, 0), run.counts[things]
                if new > MOST_UNASKED * of:
                    raise NotAskedError(f"{new:,} of its {of:,} {things} are new and not in all prediction files")

    def _parts(
        self, task: Task, predictions: list[Any], whole: Sequence[Evaluation], names: pa.Array, new: Mask
    ) -> list[dict[Any, Parts]]:
        """Each difference to the default as rows lost, truth or scoring changed, rows gained."""
        before = _values_on(self.task, self._predictions, self.default.values, _among(self.default.names, names))
        after = _values_on(task, predictions, [found.values for found in whole], ~new)
        return [
            {
                metric: Parts(
                    value_or_null(on_both[metric] - default[metric]),
                    value_or_null(changed[metric] - on_both[metric]),
                    value_or_null(found.values[metric] - changed[metric]),
                )
                for metric in self.task.metrics
            }
            for default, on_both, changed, found in zip(self.default.values, before, after, whole, strict=True)
        ]

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
        clusters = map(self._card.cluster, labels)
        return np.array([numbers.setdefault(cluster, len(numbers)) for cluster in clusters], np.int64)


def _asked(task: Task, run: Aligned[Any]) -> Mask:
    """Which rows a run names."""
    return task.scorer.answered(task.truth, run.predictions) if run.asked is None else run.asked


def _missing(run: Aligned[Any]) -> dict[str, int]:
    """How many of the things that a run was to name, such as persons in rows, it does not."""
    counts = ((name.removesuffix("_missing"), count) for name, count in run.counts.items() if name.endswith("_missing"))
    return {things: count for things, count in counts if things in run.counts}


def _only(task: Task, predictions: Sequence[Any], rows: Mask) -> tuple[Any, list[Any]]:
    """The truth of some rows, and each run on them."""
    chosen = [task.scorer.only(task.truth, each, rows) for each in predictions]
    return chosen[0][0], [own for _, own in chosen]


def _values_on(task: Task, predictions: Sequence[Any], whole: Values, rows: Mask) -> Values:
    """The metrics of each run on some rows, those of all rows being known."""
    if rows.all():
        return whole
    if not rows.any():
        return [dict.fromkeys(task.metrics, math.nan)] * len(whole)
    truth, own = _only(task, predictions, rows)
    return [replace(task, truth=truth).evaluate(each).values for each in own]


def _among(names: pa.Array, others: pa.Array) -> Mask:
    return booleans(pc.is_in(names, value_set=others))
