"""The one pipeline of scoring: truth, predictions beside it, values, intervals, baselines, protocols, signature.

    source --(scorer.read)--> predictions beside the truth --(scorer.evaluate)--> values, statistics --> Score

What is particular to a family of metrics is in its `Scorer`; see `scorers.scorer`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from schemas.errors import UsageError
from schemas.manifest import Manifest
from scorers.options import BaselineOptions, Options, ScoreOptions
from scorers.score import Bootstrap, Comparison, Difference, Pair, Score, Value, signature, value_or_null
from scorers.scorer import Aligned, Evaluation, Scorer, scorer_of
from scorers.table_files import refuse_suffix, write_table
from scorers.task import Task, own_code, task_of
from scorers.uncertainty import SEED, Interval, PairedDifference, comparisons, intervals

FEW_CLUSTERS = 30

Progress = Callable[[str, int], AbstractContextManager[Callable[[str], None]]]
"""From the title and the number of steps of some work to what is called at the beginning of each step."""


@contextmanager
def silent(_title: str, _steps: int) -> Iterator[Callable[[str], None]]:
    """Progress that nobody looks at."""
    yield lambda _: None


def score(
    manifest: Manifest,
    source: object,
    options: ScoreOptions | None = None,
    *,
    scorer: Scorer[Any, Any, Any] | None = None,
    progress: Progress = silent,
) -> Score:
    """Score one run: a file, or predictions in memory. Errors as in `task_of` and `Scorer.read`."""
    scorer = scorer or scorer_of(manifest)
    with own_code(scorer):
        return score_task(task_of(manifest, options or {}, scorer=scorer), source, progress)


def score_task(task: Task, source: object, progress: Progress = silent) -> Score:
    """As `score`, of a task whose options may be others than those of `score`."""
    given: ScoreOptions = task.options  # type: ignore[assignment]
    rows, engine = given.get("rows"), given.get("engine")
    if rows is not None:
        refuse_suffix(rows)
    scorer, manifest, aligned = task.scorer, task.manifest, task.read(source)
    evaluation = task.evaluate(aligned.predictions)
    bootstrap = _bootstrap(task)
    values = _values(task, evaluation, bootstrap, progress)
    baselines = _baselines(task)
    counts = dict(aligned.counts)
    line = signature(
        _primary_first(values, scorer.primary),
        counts,
        manifest.identity,
        task.split,
        task.protocol,
        scorer.missing(task.protocol),
        bootstrap,
        aligned.settings,
        tool_version(),
    )
    if rows is not None:
        if evaluation.samples is None:
            raise UsageError(f"--rows: scores of {scorer.kind} have no results by row")
        write_table(rows, evaluation.samples())
    return Score(
        metrics=values,
        counts=counts,
        protocol=task.protocol,
        baselines=baselines,
        differences=_differences(task, aligned, evaluation),
        warnings=[
            *aligned.warnings,
            *evaluation.warnings,
            *_few(task, bootstrap),
            *scorer.remarks(task.truth, baselines),
        ],
        signature=line,
        notes=[scorer.cross_check(task.truth, aligned.predictions, evaluation, task.protocol, engine)]
        if engine
        else [],
    )


def compare(
    manifest: Manifest, a: object, b: object, options: Options | None = None, *, progress: Progress = silent
) -> Comparison:
    """Compare two runs on the same rows by a paired bootstrap over clusters. Errors as in `score`."""
    scorer = scorer_of(manifest)
    with own_code(scorer):
        return _compared(task_of(manifest, options or {}, Options, scorer), a, b, progress)


def _compared(task: Task, a: object, b: object, progress: Progress) -> Comparison:
    runs = [task.read(source) for source in (a, b)]
    first, second = (task.evaluate(run.predictions) for run in runs)
    names = [_name(source, letter) for source, letter in ((a, "a"), (b, "b"))]
    resamples = task.options.get("resamples", task.scorer.comparison_resamples)
    if not resamples:
        raise UsageError("a comparison needs bootstrap resamples, 1 or more")
    clusters = task.scorer.numbered_clusters(task.truth)
    with progress("bootstrap", resamples) as step:
        found = comparisons(
            first.statistics(),
            second.statistics(),
            clusters,
            resamples=resamples,
            seed=task.options.get("seed", SEED),
            step=step,
        )
    metrics = {
        str(metric): _pair(first.values[metric], second.values[metric], paired, metric.unit)
        for metric, paired in zip(task.metrics, found, strict=True)
    }
    warnings = [
        f"{name}: {warning}"
        for name, run, evaluation in zip(names, runs, (first, second), strict=True)
        for warning in (*run.warnings, *evaluation.warnings)
    ]
    bootstrap = Bootstrap(task.scorer.clusters, resamples, task.options.get("seed", SEED))
    count = f"{int(clusters.max(initial=-1)) + 1:,} {bootstrap.clusters}s"
    return Comparison(
        metrics=metrics,
        warnings=[*warnings, *_few(task, bootstrap)],
        protocol=task.protocol,
        method=f"paired bootstrap over {count}, {resamples:,} resamples, seed {bootstrap.seed}",
    )


def write_baseline(manifest: Manifest, kind: str, out: Path, options: BaselineOptions | None = None) -> int:
    """Write the predictions of a trivial baseline; how many there are. Errors as in `Scorer.baseline`."""
    scorer = scorer_of(manifest)
    with own_code(scorer):
        task = task_of(manifest, options or {}, BaselineOptions, scorer)
        named = task.metrics if task.options.get("metrics") else ()
        return scorer.write(out, task.truth, scorer.baseline(kind, task.truth, named, task.options))


@cache
def tool_version() -> str:
    """The version of the tool that scores, which need not be the one that built the manifest."""
    return version("benchwright")


def _bootstrap(task: Task) -> Bootstrap | None:
    resamples = task.options.get("resamples", task.scorer.resamples)
    return Bootstrap(task.scorer.clusters, resamples, task.options.get("seed", SEED)) if resamples else None


def _values(task: Task, evaluation: Evaluation, bootstrap: Bootstrap | None, progress: Progress) -> dict[str, Value]:
    found = [Interval(np.nan, np.nan)] * len(task.metrics)
    if bootstrap is not None:
        clusters = task.scorer.numbered_clusters(task.truth)
        with progress("bootstrap", bootstrap.resamples) as step:
            found = intervals(
                evaluation.statistics(), clusters, resamples=bootstrap.resamples, seed=bootstrap.seed, step=step
            )
    return {
        str(metric): Value(
            value_or_null(evaluation.values[metric]), value_or_null(low), value_or_null(high), metric.unit
        )
        for metric, (low, high) in zip(task.metrics, found, strict=True)
    }


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
    if not evaluations:
        return []
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
    first = numbers[0]
    return all(abs(number - first) <= slack or (number != number and first != first) for number in numbers)


def _pair(a: float, b: float, paired: PairedDifference, unit: str) -> Pair:
    difference, low, high, p_value = map(value_or_null, paired)
    return Pair(value_or_null(a), value_or_null(b), difference, low, high, p_value, unit)


def _few(task: Task, bootstrap: Bootstrap | None) -> list[str]:
    if bootstrap is None:
        return []
    count = int(task.scorer.numbered_clusters(task.truth).max(initial=-1)) + 1
    if not 0 < count < FEW_CLUSTERS:
        return []
    return [f"the intervals resample {count} {bootstrap.clusters}s: so few make them rough"]


def _primary_first(values: dict[str, Value], primary: str) -> dict[str, Value]:
    return {primary: values[primary], **values} if primary in values else values


def _name(source: object, letter: str) -> str:
    return os.fspath(source) if isinstance(source, (str, os.PathLike)) else letter
