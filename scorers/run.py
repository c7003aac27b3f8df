"""The one pipeline of scoring: truth, predictions beside it, values, intervals, baselines, protocols, signature.

    source --(scorer.read)--> predictions beside the truth --(scorer.evaluate)--> values, statistics --> Score

What is particular to a family of metrics is in its `Scorer`; see `scorers.scorer`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from schemas.errors import BenchwrightError, InputError, Problem, UsageError
from schemas.manifest import Manifest
from scorers.declarations import OptionError
from scorers.metric import direction
from scorers.options import BaselineOptions, ScoreOptions
from scorers.resampling import Replicates, Statistics, Sums, replicated
from scorers.score import Difference, Score, Table, Value, value_or_null
from scorers.scorer import Aligned, Evaluation
from scorers.signature import Bootstrap, signature
from scorers.table_files import refuse_suffix, write_table
from scorers.task import Progress, Task, at_once, silent, task_of
from scorers.uncertainty import Interval, intervals

FEW_CLUSTERS = 30


def score(
    manifest: Manifest, source: object, options: ScoreOptions | None = None, *, progress: Progress = silent
) -> Score:
    """Score one run: a file, or predictions in memory. Errors as in `task_of` and `Scorer.read`."""
    return score_task(task_of(manifest, options or {}), source, progress)


def score_task(task: Task, source: object, progress: Progress = silent) -> Score:
    """As `score`, of a task whose options may be others than those of `score`."""
    return score_runs(task, {"": source}, progress)[1][""].score


class Scored(NamedTuple):
    """One run: its score, and what its metrics are on other draws of the clusters; None without resamples."""

    score: Score
    replicates: Replicates | None


def score_runs(
    task: Task, sources: Mapping[str, object], progress: Progress = silent
) -> tuple[Task, dict[str, Scored]]:
    """Score runs by name, all on the same rows, which are those of the task that is given back.

    With the option `rows` the results of each row are written; those of several runs have a column `run`.

    Raises:
        UsageError, InputError: as of `Task.read`; of several runs, all that cannot be read are named.
    """
    rows: Any = task.options.get("rows")
    if rows is not None:
        refuse_suffix(rows)
    task, runs = task.on(_read(task, sources))
    evaluations = at_once(lambda run: task.evaluate(run.predictions), runs)
    tables = [evaluation.samples for evaluation in evaluations if evaluation.samples]
    if rows is not None and not tables:
        raise OptionError("rows", f": scores of {task.scorer.kind} by {task.protocol} have no results by row")
    bootstrap = task.bootstrap(task.scorer.resamples)
    with progress("bootstrap", bootstrap.resamples * len(runs)) as step:
        drawn = draws(task, evaluations, step)
    if rows is not None:
        made = [table() for table in tables]
        write_table(rows, made[0] if len(made) == 1 else _of_runs(list(sources), made), for_people=True)
    scores = at_once(lambda parts: _score(task, bootstrap, *parts), list(zip(runs, evaluations, drawn, strict=True)))
    return task, {name: Scored(score, values) for name, score, values in zip(sources, scores, drawn, strict=True)}


def draws(
    task: Task, evaluations: Sequence[Evaluation], step: Callable[[str], None] = lambda _: None
) -> list[Replicates | None]:
    """The metrics of each run on other draws of the clusters, the same for all; None without resamples."""
    bootstrap = task.bootstrap(task.scorer.resamples)
    if not bootstrap.resamples:
        return [None] * len(evaluations)

    def drawn(runs: Sequence[Statistics]) -> list[Replicates]:
        return replicated(runs, task.clusters, bootstrap.resamples, bootstrap.seed, step)

    statistics = at_once(lambda evaluation: evaluation.statistics(), evaluations)
    if any(callable(each) and not isinstance(each, Sums) for each in statistics):
        return [found for (found,) in at_once(lambda each: drawn([each]), statistics)]
    return [*drawn(statistics)]  # drawing takes longer than their sums


def valued(task: Task, evaluation: Evaluation, drawn: Replicates | None) -> dict[str, Value]:
    """The values of a run by metric, with their intervals."""
    none = Interval(math.nan, math.nan)
    bounds = [none] * len(task.metrics) if drawn is None else intervals(drawn, task.bounds)
    found = {}
    for metric, (*numbers, method) in zip(task.metrics, bounds, strict=True):
        value, low, high = map(value_or_null, (evaluation.values[metric], *numbers))
        found[str(metric)] = Value(value, low, high, metric.unit, direction(metric), method)
    return found


def _score(
    task: Task, bootstrap: Bootstrap, aligned: Aligned[Any], evaluation: Evaluation, drawn: Replicates | None
) -> Score:
    scorer, values, baselines = task.scorer, valued(task, evaluation, drawn), _baselines(task)
    quoted = str(task.primary)
    engine: Any = task.options.get("engine")
    settings = {"protocol": task.protocol, **aligned.settings}
    missing, identity = scorer.missing(task.protocol), task.manifest.identity
    checks = []
    if engine and not task.empty:
        checks.append(scorer.cross_check(task.truth, aligned.predictions, evaluation, task.protocol, engine))
    return Score(
        metrics=values,
        counts=dict(aligned.counts),
        protocol=task.protocol,
        baselines=baselines,
        differences=_differences(task, aligned, evaluation),
        warnings=[
            *(*aligned.warnings, *evaluation.warnings, *few_clusters(task)),
            *scorer.remarks(task.truth, baselines),
        ],
        signature=signature(quoted, values[quoted], aligned.counts, identity, task.split, settings, missing, bootstrap),
        notes=checks,
        tables=_tables(task, aligned),
    )


def _read(task: Task, sources: Mapping[str, object]) -> list[Aligned[Any]]:
    """Each run beside the truth; where several cannot be, one error names them all."""

    def read(source: object) -> Aligned[Any] | BenchwrightError:
        try:
            return task.read(source)
        except BenchwrightError as failure:
            return failure

    found = at_once(read, list(sources.values()))
    failures = {name: one for name, one in zip(sources, found, strict=True) if isinstance(one, BenchwrightError)}
    if failures:
        raise next(iter(failures.values())) if len(sources) == 1 else _unreadable(failures, len(sources))
    return [one for one in found if isinstance(one, Aligned)]


def _unreadable(failures: Mapping[str, BenchwrightError], runs: int) -> BenchwrightError:
    """One error for the runs that cannot be read, the first problem of each."""
    problems: list[Problem] = []
    lines = [f"{len(failures):,} of {runs:,} runs cannot be read"]
    for name, failure in failures.items():
        first, *others = str(failure).split("\n")
        lines.append(f"{name}: {first}" + (f" (and {len(others):,} more problems)" if others else ""))
        problems += failure.problems if isinstance(failure, InputError) else []
    return InputError(problems, "\n".join(lines)) if len(problems) >= len(failures) else UsageError("\n".join(lines))


def _of_runs(names: Sequence[str], tables: Sequence[pa.Table]) -> pa.Table:
    """The results by row of several runs, one after another."""
    named = [
        table.add_column(0, "run", pa.array([name] * len(table), pa.string()))
        for name, table in zip(names, tables, strict=True)
    ]
    return pa.concat_tables(named, promote_options="permissive")


def write_baseline(manifest: Manifest, kind: str, out: Path, options: BaselineOptions | None = None) -> int:
    """Write the predictions of a trivial baseline; how many there are. Errors as in `Scorer.baseline`."""
    task = task_of(manifest, options or {}, BaselineOptions)
    named = task.metrics if task.options.get("metrics") else ()
    return task.scorer.write(out, task.truth, task.scorer.baseline(kind, task.truth, named, task.options))


def _tables(task: Task, aligned: Aligned[Any]) -> dict[str, Table]:
    """What the scorer has to say beside the metrics, where the options ask for it."""
    return (
        {} if task.empty else dict(task.scorer.breakdown(task.truth, aligned.predictions, task.protocol, task.options))
    )


def _baselines(task: Task) -> dict[str, dict[str, float | None]]:
    """The values of each trivial baseline."""
    return {
        name: {str(metric): value_or_null(value) for metric, value in evaluation.values.items()}
        for name, evaluation in task.baselines().items()
    }


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


def few_clusters(task: Task) -> list[str]:
    """A warning where the intervals rest on few clusters."""
    bootstrap = task.bootstrap(task.scorer.resamples)
    return rough(task.cluster_count if bootstrap.resamples else 0, f"{bootstrap.clusters}s")


def rough(count: int, clusters: str) -> list[str]:
    """A warning of intervals that rest on so many clusters, of this name in the plural, if these are few."""
    few = 0 < count < FEW_CLUSTERS
    return [f"the intervals rest on {count} {clusters}: so few make them rough"] if few else []
