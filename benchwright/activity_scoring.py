"""Score and compare predicted activities on a manifest of key frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa

from benchwright.cli.activity_tables import show_score
from benchwright.request import Request
from schemas.errors import unknown_name
from schemas.exchange import refuse_filled
from schemas.manifest import Manifest, check_rows
from scorers.activity import (
    KINDS,
    METRICS,
    THRESHOLDS,
    ActivityScore,
    Elsewhere,
    Predictions,
    Truth,
    baseline,
    elsewhere_of,
    evaluate,
    metric_named,
    predictions_from,
    score_activity,
    truth_from,
    write_activities,
)
from scorers.activity.evaluation import Evaluation, null_reasons
from scorers.activity.formats import read_activity_tables
from scorers.activity.scoring import FEW_CLUSTERS
from scorers.score import Bootstrap, Comparison, line_of
from scorers.uncertainty import COMPARISON_RESAMPLES, RESAMPLES, comparisons

__all__ = ["compare_files", "read_task", "score_file", "show_score", "write_baseline"]

TRAINING = "train"


@dataclass(frozen=True)
class Task:
    """The key frames of a split, and what else exists."""

    manifest: Manifest
    split: str
    rows: pa.Table
    truth: Truth
    elsewhere: Elsewhere


def read_task(manifest: Manifest, split: str | None = None) -> Task:
    """The key frames of a split; its only one, or `test`, when None.

    Raises:
        UsageError: there is no such split.
        InputError: the rows were changed after the build.
    """
    chosen = manifest.chosen_split(split)
    rows = check_rows(manifest, chosen)
    return Task(manifest, chosen, rows, truth_from(rows, str(manifest.path)), elsewhere_of(manifest, chosen))


def baselines_of(task: Task) -> dict[str, Predictions]:
    """The trivial baselines; labels are counted on the training split where the manifest has it."""
    training = None
    if TRAINING in task.manifest.splits and task.split != TRAINING:
        training = truth_from(check_rows(task.manifest, TRAINING), str(task.manifest.path))
    return {kind: baseline(kind, task.rows, task.truth, training) for kind in KINDS}


def score_file(manifest: Manifest, path: Path, request: Request) -> ActivityScore:
    """Score predicted activities as the verb `score` does.

    Raises:
        UsageError, InputError: see `read_task`, `read_activity_tables`, `predictions_from` and `score_activity`.
    """
    task, thresholds = read_task(manifest, request.split), _thresholds(request)
    found = predictions_from(read_activity_tables(path), task.truth, thresholds, task.elsewhere)
    count = RESAMPLES if request.resamples is None else request.resamples
    result = score_activity(
        task.truth,
        found,
        manifest.identity,
        task.split,
        protocol=request.protocol or "paper",
        metrics=_metrics(request),
        bootstrap=Bootstrap("sequence", count, request.seed) if count else None,
        baselines=baselines_of(task),
        thresholds=thresholds,
    )
    unused = [name for name in request.threshold or {} if name not in found.scored]
    told = [f"the predictions have no scores of {name}, so that its threshold changes nothing" for name in unused]
    return msgspec.structs.replace(result, warnings=[*result.warnings, *told])


def compare_files(manifest: Manifest, paths: tuple[Path, Path], request: Request) -> Comparison:
    """Compare two runs as the verb `compare` does. Errors as in `score_file`."""
    task, thresholds, metrics = read_task(manifest, request.split), _thresholds(request), _metrics(request)
    protocol = request.protocol or "paper"
    found = [predictions_from(read_activity_tables(path), task.truth, thresholds, task.elsewhere) for path in paths]
    first, second = (evaluate(task.truth, predictions, [protocol])[protocol] for predictions in found)
    count = COMPARISON_RESAMPLES if request.resamples is None else request.resamples
    clusters = np.arange(len(task.truth.sequences))
    statistics = first.statistics(metrics), second.statistics(metrics)
    compared = comparisons(*statistics, clusters, resamples=count, seed=request.seed)
    lines = {
        metric: line_of(first.values[metric], second.values[metric], line, "percent", scale=100)
        for metric, line in zip(metrics, compared, strict=True)
    }
    runs = zip(paths, found, (first, second), strict=True)
    warnings = [f"{path}: {told}" for path, run, values in runs for told in [*run.warnings, *_nulls(values, metrics)]]
    if len(clusters) < FEW_CLUSTERS:
        warnings.append(f"the intervals and p-values resample {len(clusters)} sequences: so few make them rough")
    method = f"paired bootstrap over {len(clusters)} sequences, {count:,} resamples, seed {request.seed}"
    return Comparison(lines, warnings, protocol, method)


def write_baseline(manifest: Manifest, kind: str, out: Path, split: str | None) -> int:
    """Write the tables of a trivial baseline into a folder; how many key frames they are for."""
    if kind not in KINDS:
        raise unknown_name("baseline", kind, KINDS)
    refuse_filled(out)
    task = read_task(manifest, split)
    write_activities(out, task.truth, baselines_of(task)[kind])
    return task.truth.frames


def _nulls(evaluation: Evaluation, metrics: Sequence[str]) -> list[str]:
    """Which metrics have no value, and why."""
    reasons = ((set(without) & set(metrics), cause) for without, cause in null_reasons(evaluation))
    return [f"{', '.join(sorted(names))} without a value: {cause}" for names, cause in reasons if names]


def _metrics(request: Request) -> Sequence[str]:
    return [metric_named(text) for text in request.metrics] or METRICS


def _thresholds(request: Request) -> Mapping[str, float]:
    return {**THRESHOLDS, **(request.threshold or {})}
