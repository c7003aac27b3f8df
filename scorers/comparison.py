"""The comparison of two runs on the same rows: differences with intervals, p-values, and which of them can be small."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from schemas.errors import UsageError
from schemas.manifest import Manifest
from scorers.metric import direction
from scorers.options import Options
from scorers.resampling import replicated
from scorers.run import few_clusters
from scorers.score import Comparison, Pair, interval_methods, value_or_null
from scorers.scorer import Evaluation
from scorers.significance import LEVEL, holm, how_tested
from scorers.task import Progress, Task, at_once, silent, task_of
from scorers.uncertainty import PairedDifference, comparisons


def compare(
    manifest: Manifest, a: object, b: object, options: Options | None = None, *, progress: Progress = silent
) -> Comparison:
    """Compare two runs on the same rows, cluster by cluster; `Comparison.method` says how. Errors as in `score`."""
    task = task_of(manifest, options or {}, Options)
    task, runs = task.on([task.read(source) for source in (a, b)])
    evaluations = at_once(lambda run: task.evaluate(run.predictions), runs)
    bootstrap = task.bootstrap(task.scorer.comparison_resamples)
    if not bootstrap.resamples:
        raise UsageError("a comparison needs bootstrap resamples, 1 or more")
    statistics = [evaluation.statistics() for evaluation in evaluations]
    with progress("bootstrap", bootstrap.resamples) as step:
        one, other = replicated(statistics, task.clusters, bootstrap.resamples, bootstrap.seed, step)
    pairs = _pairs(task, evaluations, comparisons(one, other, task.bounds))
    warnings = [
        f"{os.fspath(source) if isinstance(source, str | os.PathLike) else letter}: {warning}"
        for letter, source, run, evaluation in zip("ab", (a, b), runs, evaluations, strict=True)
        for warning in (*run.warnings, *evaluation.warnings)
    ]
    clusters = f"{bootstrap.clusters}s"
    rows = f"on {task.subset.setting}: " if task.subset else ""
    return Comparison(
        metrics=pairs,
        warnings=[*warnings, *few_clusters(task), *_out_of_reach(pairs, clusters if one.few else "resamples")],
        protocol=task.protocol,
        method=f"{rows}{how_tested(one, clusters)}; 95% intervals: {interval_methods(pairs.values())}",
    )


def _pairs(task: Task, runs: Sequence[Evaluation], found: Sequence[PairedDifference]) -> dict[str, Pair]:
    """The two values of each metric, their difference, and its p-value, alone and among all metrics."""
    pairs, corrected = {}, holm([paired.p_value for paired in found])
    for metric, paired, p_holm in zip(task.metrics, found, corrected, strict=True):
        low, high, method = paired.interval
        numbers = (*(run.values[metric] for run in runs), paired.difference, low, high, paired.p_value, p_holm)
        a, b, difference, least, most, p_value, corrected_p = map(value_or_null, numbers)
        scale = (metric.unit, direction(metric))
        pairs[str(metric)] = Pair(a, b, difference, least, most, p_value, corrected_p, paired.floor, *scale, method)
    return pairs


def _out_of_reach(pairs: Mapping[str, Pair], draws: str) -> list[str]:
    """A warning where no p-value can be small, whatever the runs."""
    floors = [pair.p_floor for pair in pairs.values() if pair.p_value is not None]
    least = min(1.0, max(floors, default=0.0) * len(floors))
    corrected = f", corrected for {len(floors)} metrics" if len(floors) > 1 else ""
    return [f"so few {draws} allow no p-value below {least:.2g}{corrected}"] if least > LEVEL else []
