"""Metrics of temporal localisation, as sums over rows.

A protocol turns truth and predictions into `SpanMeasures`; a metric turns these into a `Ratio` of two sums over rows,
which the bootstrap weights.

Reference: Hasnat79/UAL_Bench : src/eval/eval_your_results.py. It counts hits as integers and takes means with
`numpy.mean` in file order; a `Ratio` does the same operations in the same order, so that values agree to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scorers.resampling import Ratio
from scorers.temporal.expressions import DEFAULT_METRICS, Metric
from scorers.temporal.protocols import Factors, factors_of, measures
from scorers.temporal.spans import Floats, SpanMeasures, TrueSpans


@dataclass(frozen=True, slots=True, eq=False)
class SpanEvaluation:
    """The metrics of one run under one protocol, measures of the best ranked predictions, and why values are null."""

    measures: SpanMeasures
    ratios: dict[Metric, Ratio]
    warnings: tuple[str, ...]


def evaluate(
    truth: TrueSpans, start: Floats, end: Floats, metrics: Sequence[Metric] = DEFAULT_METRICS, protocol: str = "paper"
) -> SpanEvaluation:
    """Every metric of one run; `start` and `end` as in `Spans`.

    R<n> hits where any of the first n hits (of all there are, if fewer); all else looks at the first alone. What is
    missing at a later rank never hits; at the first, the protocol decides. A null value is NaN and has a warning: there
    are no rows, a union is 0 under `paper`, or `strict` leaves every row out of mTD. `protocol` as in `factors_of`.

    >>> truth = TrueSpans(np.array([2.0, 4.0]), np.array([5.0, 8.0]))
    >>> run = evaluate(truth, np.array([2.0, np.nan]), np.array([6.0, np.nan]), [Metric("iou", 0.5), Metric("td")])
    >>> {str(metric): ratio.value for metric, ratio in run.ratios.items()}
    {'R1(iou>=0.5)': 50.0, 'mTD': 4.5}
    """
    factors = factors_of(protocol)
    by_rank = {rank: _best_of(rank, truth, start, end, factors) for rank in {1, *(metric.rank for metric in metrics)}}
    ratios = {metric: _ratio(metric, by_rank[metric.rank], factors) for metric in metrics}
    nulls = [metric for metric, ratio in ratios.items() if math.isnan(ratio.value)]
    warnings = tuple(f"{metric} has no value: {_why_null(metric, by_rank[metric.rank])}" for metric in nulls)
    return SpanEvaluation(by_rank[1], ratios, warnings)


def prediction_counts(start: Floats, end: Floats) -> dict[str, int]:
    """How many predictions are `ok` (start <= end), `reversed` (start > end) and `missing` (either is NaN)."""
    ok, backwards = int(np.count_nonzero(start <= end)), int(np.count_nonzero(start > end))
    return {"ok": ok, "reversed": backwards, "missing": start.size - ok - backwards}


def _best_of(rank: int, truth: TrueSpans, start: Floats, end: Floats, factors: Factors) -> SpanMeasures:
    """Measures of the first-ranked prediction, with the best IoU and temporal distance among the first `rank`."""
    ranked = [(start, end)] if start.ndim == 1 else list(zip(start.T[:rank], end.T[:rank], strict=True))
    first, *later = (
        _best_met([measures(spans, start, end, factors) for spans in (truth, *truth.others)]) for start, end in ranked
    )
    iou, td = first.iou, first.td
    for (starts, ends), rows in zip(ranked[1:], later, strict=True):
        iou = np.maximum(iou, rows.iou)
        td = np.fmin(td, np.where(np.isnan(starts) | np.isnan(ends), np.nan, rows.td))
    return SpanMeasures(iou, td, first.td_in_mean, first.onset)


def _best_met(judged: list[SpanMeasures]) -> SpanMeasures:
    """The best of each measure over several truths, row by row."""
    if len(judged) == 1:
        return judged[0]
    nearest = (np.fmin.reduce([getattr(rows, name) for rows in judged]) for name in ("td", "td_in_mean", "onset"))
    return SpanMeasures(np.fmax.reduce([rows.iou for rows in judged]), *nearest)


def _ratio(metric: Metric, rows: SpanMeasures, factors: Factors) -> Ratio:
    equal = factors.compare == "inclusive"
    if metric.measure == "iou":
        if metric.threshold is None:
            return Ratio(rows.iou)
        hits = rows.iou >= metric.threshold if equal else rows.iou > metric.threshold
        undefined = np.isnan(rows.iou)
        return Ratio(np.where(undefined, np.nan, hits) if undefined.any() else hits, scale=100.0)
    if metric.threshold is None:
        counted = ~np.isnan(rows.td_in_mean)
        return Ratio(rows.td_in_mean) if counted.all() else Ratio(np.where(counted, rows.td_in_mean, 0.0), counted)
    distance = rows.td if metric.measure == "td" else rows.onset
    return Ratio(distance <= metric.threshold if equal else distance < metric.threshold, scale=100.0)


def _why_null(metric: Metric, rows: SpanMeasures) -> str:
    if not len(rows.iou):
        return "there are no rows"
    if metric.measure == "td":
        return "no row has a valid prediction"
    places = np.flatnonzero(np.isnan(rows.iou))
    where = f"{len(places)} of {len(rows.iou)} rows, first at position {places[0]}"
    return f"the union with the truth is 0 ({where}), where the reference evaluator stops with ZeroDivisionError"
