"""The one pipeline of scoring: truth, predictions beside it, values, intervals, baselines, protocols, signature.

    source --(scorer.read)--> predictions beside the truth --(scorer.evaluate)--> values, statistics --> Score

What is particular to a family of metrics is in its `Scorer`; see `scorers.scorer`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.errors import UsageError, unknown_name
from schemas.manifest import Manifest
from scorers.declarations import OptionError, checked
from scorers.options import BaselineOptions, Options, ScoreOptions
from scorers.registry import scorer_of
from scorers.score import Bootstrap, Comparison, Difference, Pair, Score, Value, signature, value_or_null
from scorers.scorer import Aligned, Evaluation, Metric, Scorer, direction
from scorers.table_files import refuse_suffix, write_table
from scorers.uncertainty import SEED, Interval, comparisons, intervals

FEW_CLUSTERS = 30

Progress = Callable[[str, int], AbstractContextManager[Callable[[str], None]]]
"""From the title and the number of steps of some work to what is called at the beginning of each step."""


@contextmanager
def silent(_title: str, _steps: int) -> Iterator[Callable[[str], None]]:
    """Progress that nobody looks at."""
    yield lambda _: None


@dataclass(frozen=True, eq=False)
class Task:
    """What runs are scored on.

    Attributes:
        manifest: with the truth.
        scorer: for its kind.
        split: one of the manifest's.
        truth: as the scorer has it.
        protocol: how values are computed.
        metrics: those asked for.
        options: those given.
    """

    manifest: Manifest
    scorer: Scorer[Any, Any, Any]
    split: str
    truth: Any
    protocol: str
    metrics: Sequence[Metric]
    options: Options

    @cached_property
    def clusters(self) -> NDArray[np.int64]:
        """The cluster of each row of the statistics."""
        return self.scorer.numbered_clusters(self.truth)

    @property
    def cluster_count(self) -> int:
        """How many clusters there are."""
        return int(self.clusters.max(initial=-1)) + 1

    @property
    def empty(self) -> bool:
        """Whether the split has no rows; then nothing is read, as no prediction could have one, and values are null."""
        return not self.manifest.identity.splits[self.split].rows

    def read(self, source: object) -> Aligned[Any]:
        """A run beside the truth.

        Raises:
            OptionError: a format is named for predictions that are in memory.
        """
        refuse_format(source, self.options)
        if self.empty:
            warnings = [f"{warning}: every value is null" for warning in self.manifest.without_rows(self.split)]
            return Aligned(None, {"rows": 0, "scored": 0}, warnings)
        return self.scorer.read(source, self.truth, self.metrics, self.options)

    def evaluate(self, predictions: object, protocol: str = "") -> Evaluation:
        """A run under a protocol, that of the task unless another is named."""
        if self.empty:
            nulls = dict.fromkeys(self.metrics, math.nan)
            none = self.manifest.table(self.split, ["sample_id"])
            return Evaluation(nulls, lambda: lambda _: list(nulls.values()), samples=lambda: none)
        return self.scorer.evaluate(self.truth, predictions, self.metrics, protocol or self.protocol)

    def bootstrap(self, resamples: int) -> Bootstrap:
        """How intervals are made, with so many resamples unless the options say otherwise."""
        given = self.options
        return Bootstrap(self.scorer.clusters, given.get("resamples", resamples), given.get("seed", SEED))  # type: ignore[arg-type]


def task_of(
    manifest: Manifest,
    given: Mapping[str, Any],
    options: type = ScoreOptions,
    scorer: Scorer[Any, Any, Any] | None = None,
) -> Task:
    """The task that options describe; the truth of a split is read once for a manifest that was opened once.

    Raises:
        UsageError: unknown options, protocol, metric or split; no scorer for such a manifest.
        InputError: the rows were changed after the build.
    """
    scorer = scorer or scorer_of(manifest)
    asked: Options = checked(given, options, scorer.kind)  # type: ignore[assignment]
    protocol: str = asked.get("protocol", scorer.protocols[0])  # type: ignore[assignment]
    if protocol not in scorer.protocols:
        raise unknown_name("protocol", protocol, scorer.protocols)
    split = manifest.chosen_split(asked.get("split"))
    key = ("truth", scorer, split, asked.get("truth"))
    if key not in manifest.derived:
        manifest.derived[key] = scorer.truth(manifest, split, asked)
    truth = manifest.derived[key]
    metrics = scorer.metrics(asked.get("metrics") or (), truth, protocol)
    return Task(manifest, scorer, split, truth, protocol, metrics, asked)


def refuse_format(source: object, options: Mapping[str, Any]) -> None:
    """Refuse the name of a file format for predictions in memory, of which it would say nothing."""
    if options.get("input_format") is not None and not isinstance(source, str | os.PathLike):
        raise OptionError("input_format", f"={options['input_format']!r}: for files; these predictions are in memory")


def score(
    manifest: Manifest, source: object, options: ScoreOptions | None = None, *, progress: Progress = silent
) -> Score:
    """Score one run: a file, or predictions in memory. Errors as in `task_of` and `Scorer.read`."""
    return score_task(task_of(manifest, options or {}), source, progress)


def score_task(task: Task, source: object, progress: Progress = silent) -> Score:
    """As `score`, of a task whose options may be others than those of `score`."""
    rows: Any = task.options.get("rows")
    engine: Any = task.options.get("engine")
    if rows is not None:
        refuse_suffix(rows)
    scorer, aligned = task.scorer, task.read(source)
    evaluation = task.evaluate(aligned.predictions)
    if rows is not None and evaluation.samples is None:
        raise OptionError("rows", f": scores of {scorer.kind} have no results by row")
    bootstrap, bounds = task.bootstrap(scorer.resamples), [Interval(math.nan, math.nan)] * len(task.metrics)
    if bootstrap.resamples:
        with progress("bootstrap", bootstrap.resamples) as step:
            bounds = intervals(evaluation.statistics(), task.clusters, bootstrap.resamples, bootstrap.seed, step)
    values = {}
    for metric, interval in zip(task.metrics, bounds, strict=True):
        value, low, high = map(value_or_null, (evaluation.values[metric], *interval))
        values[str(metric)] = Value(value, low, high, metric.unit, direction(metric))
    baselines = {} if task.empty else _baselines(task)
    quoted = scorer.primary if scorer.primary in values else next(iter(values))
    settings = {"protocol": task.protocol, **aligned.settings}
    missing, identity = scorer.missing(task.protocol), task.manifest.identity
    line = signature(quoted, values[quoted], aligned.counts, identity, task.split, settings, missing, bootstrap)
    if rows is not None and evaluation.samples is not None:
        write_table(rows, evaluation.samples())
    remarks = scorer.remarks(task.truth, baselines)
    checks = []
    if engine and not task.empty:
        checks.append(scorer.cross_check(task.truth, aligned.predictions, evaluation, task.protocol, engine))
    return Score(
        metrics=values,
        counts=dict(aligned.counts),
        protocol=task.protocol,
        baselines=baselines,
        differences=_differences(task, aligned, evaluation),
        warnings=[*aligned.warnings, *evaluation.warnings, *_few(task, bootstrap), *remarks],
        signature=line,
        notes=checks,
    )


def compare(
    manifest: Manifest, a: object, b: object, options: Options | None = None, *, progress: Progress = silent
) -> Comparison:
    """Compare two runs on the same rows by a paired bootstrap over clusters. Errors as in `score`."""
    task = task_of(manifest, options or {}, Options)
    runs = [task.read(source) for source in (a, b)]
    first, second = (task.evaluate(run.predictions) for run in runs)
    bootstrap = task.bootstrap(task.scorer.comparison_resamples)
    if not bootstrap.resamples:
        raise UsageError("a comparison needs bootstrap resamples, 1 or more")
    statistics = first.statistics(), second.statistics()
    with progress("bootstrap", bootstrap.resamples) as step:
        found = comparisons(*statistics, task.clusters, bootstrap.resamples, bootstrap.seed, step)
    pairs = {}
    for metric, paired in zip(task.metrics, found, strict=True):
        difference, low, high, p_value = map(value_or_null, paired)
        ours, theirs = (value_or_null(evaluation.values[metric]) for evaluation in (first, second))
        pairs[str(metric)] = Pair(ours, theirs, difference, low, high, p_value, metric.unit, direction(metric))
    warnings = [
        f"{os.fspath(source) if isinstance(source, str | os.PathLike) else letter}: {warning}"
        for letter, source, run, evaluation in zip("ab", (a, b), runs, (first, second), strict=True)
        for warning in (*run.warnings, *evaluation.warnings)
    ]
    count = f"{task.cluster_count:,} {bootstrap.clusters}s"
    return Comparison(
        metrics=pairs,
        warnings=[*warnings, *_few(task, bootstrap)],
        protocol=task.protocol,
        method=f"paired bootstrap over {count}, {bootstrap.resamples:,} resamples, seed {bootstrap.seed}",
    )


def write_baseline(manifest: Manifest, kind: str, out: Path, options: BaselineOptions | None = None) -> int:
    """Write the predictions of a trivial baseline; how many there are. Errors as in `Scorer.baseline`."""
    task = task_of(manifest, options or {}, BaselineOptions)
    named = task.metrics if task.options.get("metrics") else ()
    return task.scorer.write(out, task.truth, task.scorer.baseline(kind, task.truth, named, task.options))


def _baselines(task: Task) -> dict[str, dict[str, float | None]]:
    """The values of each trivial baseline, which depend on the truth alone and are computed once for it."""
    scorer, cache = task.scorer, task.manifest.derived
    key = ("baselines", scorer, task.split, task.options.get("truth"), task.protocol, tuple(task.metrics))
    if key not in cache:
        cache[key] = {
            name: {str(m): value_or_null(value) for m, value in task.evaluate(predictions).values.items()}
            for name, predictions in scorer.baselines(task.truth).items()
        }
    found: dict[str, dict[str, float | None]] = cache[key]
    return found


def _differences(task: Task, aligned: Aligned[Any], evaluation: Evaluation) -> list[Difference]:
    """The metrics whose values depend on the protocol, in their order."""
    scorer = task.scorer
    evaluations = {
        name: evaluation if name == task.protocol else task.evaluate(aligned.predictions, name)
        for name in scorer.side_by_side
    }
    values = {metric: [other.values[metric] for other in evaluations.values()] for metric in task.metrics}
    differing = [metric for metric, numbers in values.items() if not _alike(numbers, scorer.slack)]
    return [
        Difference(
            str(metric),
            dict(zip(evaluations, map(value_or_null, values[metric]), strict=True)),
            scorer.reason(metric, evaluations, differing),
        )
        for metric in differing
    ]


def _alike(numbers: Sequence[float], slack: float) -> bool:
    return all(abs(n - numbers[0]) <= slack or (math.isnan(n) and math.isnan(numbers[0])) for n in numbers)


def _few(task: Task, bootstrap: Bootstrap) -> list[str]:
    count = task.cluster_count if bootstrap.resamples else 0
    few = 0 < count < FEW_CLUSTERS
    return [f"the intervals resample {count} {bootstrap.clusters}s: so few make them rough"] if few else []
