"""Two runs on the same rows: is one better, or is it chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from benchwright.placing import Rows, Run, read_rows, read_run
from schemas.manifest import Manifest, check_rows
from scorers.expressions import DEFAULT_METRICS, Metric, parse_metric
from scorers.score import value_or_null
from scorers.temporal import evaluate
from scorers.uncertainty import comparisons

RESAMPLES = 10_000


class Line(msgspec.Struct, frozen=True):
    """One metric of two runs: b minus a, the ends of its 95% interval, the two-sided p-value of no difference."""

    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    unit: str


@dataclass(frozen=True)
class Comparison:
    """Two runs, metric by metric; `method` says how the intervals and p-values were made."""

    metrics: dict[str, Line]
    warnings: list[str]
    protocol: str
    method: str


def metrics_named(texts: Sequence[str] | None) -> Sequence[Metric]:
    """The temporal metrics that a person named, the paper's if none."""
    return [parse_metric(text) for text in texts] if texts else DEFAULT_METRICS


def compare_runs(
    rows: Rows, a: Run, b: Run, metrics: Sequence[Metric], protocol: str, resamples: int, seed: int
) -> dict[str, Line]:
    """Paired comparison, metric by metric, by bootstrap over videos (`scorers.uncertainty.comparisons`)."""
    first, second = (evaluate(rows.truth, run.start, run.end, metrics, protocol).ratios for run in (a, b))
    found = comparisons(list(first.values()), list(second.values()), rows.clusters, resamples=resamples, seed=seed)
    return {
        str(metric): Line(
            value_or_null(first[metric].value),
            value_or_null(second[metric].value),
            value_or_null(line.difference),
            value_or_null(line.interval.low),
            value_or_null(line.interval.high),
            value_or_null(line.p_value),
            metric.unit,
        )
        for metric, line in zip(first, found, strict=True)
    }


def compare_spans(
    manifest: Manifest,
    paths: tuple[Path, Path],
    split: str | None,
    truth: str,
    protocol: str,
    metrics: Sequence[str] | None,
    form: str | None,
    resamples: int | None,
    seed: int,
) -> Comparison:
    """Compare two files of predicted spans as the verb `compare` does; see there for the arguments."""
    rows = read_rows(manifest, split, truth)
    check_rows(manifest, rows.split)
    wanted = metrics_named(metrics)
    a, b = (read_run(path, rows, form, max(metric.rank for metric in wanted)) for path in paths)
    count = RESAMPLES if resamples is None else resamples
    lines = compare_runs(rows, a, b, wanted, protocol, count, seed)
    warnings = [f"{path}: {warning}" for path, run in zip(paths, (a, b), strict=True) for warning in run.warnings]
    return Comparison(lines, warnings, protocol, f"paired bootstrap over videos, {count:,} resamples, seed {seed}")
