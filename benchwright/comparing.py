"""Two runs on the same rows: is one better, or is it chance."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from benchwright.placing import Rows, Run
from scorers.expressions import Metric
from scorers.score import value_or_null
from scorers.temporal import evaluate
from scorers.uncertainty import comparisons


class Line(msgspec.Struct, frozen=True):
    """One metric of two runs: b minus a, the ends of its 95% interval, the two-sided p-value of no difference."""

    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    unit: str


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
