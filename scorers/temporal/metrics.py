"""Temporal localisation: IoU, temporal distance and onset distance per row, and the metrics as sums over rows.

Pure functions over float64 arrays of seconds; predictions are finite, or NaN where missing. A protocol turns truth and
predictions into `SpanMeasures`; a metric turns these into a `Ratio` of two sums over rows, which the bootstrap weights.

Reference: Hasnat79/UAL_Bench : src/eval/eval_your_results.py. It counts hits as integers and takes means with
`numpy.mean` in file order; a `Ratio` does the same operations in the same order, so that values agree to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorers.resampling import Ratio
from scorers.temporal.expressions import DEFAULT_METRICS, Metric

Floats = NDArray[np.float64]

FARTHEST_IN_MEAN = 10_000.0
"""Seconds: the reference puts the ground-truth end in place of any temporal distance above it, in mTD alone."""


class Spans(NamedTuple):
    """Predicted starts and ends in seconds, NaN for none; shape (rows,), or (rows, ranks) with the best first."""

    start: Floats
    end: Floats

    @property
    def best(self) -> Spans:
        """The best ranked alone, shape (rows,)."""
        return self if self.start.ndim == 1 else Spans(self.start[:, 0], self.end[:, 0])


@dataclass(frozen=True, slots=True, eq=False)
class TrueSpans:
    """The spans to be found, in seconds.

    Attributes:
        start, end: shape (rows,), finite.
        onsets: accepted onsets, shape (rows, alternatives), NaN where a row has fewer; None for `start` alone.
        others: other people's spans of the same rows; the one that a prediction overlaps best counts.
    """

    start: Floats
    end: Floats
    onsets: Floats | None = None
    others: tuple[TrueSpans, ...] = ()

    def only(self, rows: NDArray[np.bool_]) -> TrueSpans:
        """Some of the rows, a mask of shape (rows,)."""
        onsets = None if self.onsets is None else self.onsets[rows]
        return TrueSpans(self.start[rows], self.end[rows], onsets, tuple(other.only(rows) for other in self.others))

    @property
    def accepted_onsets(self) -> Floats:
        """`onsets`, or `start` of shape (rows,) where there are no others."""
        return self.start if self.onsets is None else self.onsets


@dataclass(frozen=True, slots=True, eq=False)
class SpanMeasures:
    """What a protocol makes of every row; each array has shape (rows,).

    Attributes:
        iou: intersection over union; NaN where the reference divides by zero (protocol `paper` alone).
        td: temporal distance in seconds, as thresholds see it; NaN is a miss.
        td_in_mean: temporal distance in seconds, as mTD sees it; NaN is left out.
        onset: onset distance in seconds; NaN is a miss.
    """

    iou: Floats
    td: Floats
    td_in_mean: Floats
    onset: Floats


@dataclass(frozen=True, slots=True, eq=False)
class SpanEvaluation:
    """The metrics of one run under one protocol, measures of the best ranked predictions, and why values are null."""

    measures: SpanMeasures
    ratios: dict[Metric, Ratio]
    warnings: tuple[str, ...]


def span_iou(truth_start: Floats, truth_end: Floats, start: Floats, end: Floats) -> Floats:
    """Intersection over union, shape (rows,); NaN where a value is NaN or the union is 0.

    Formula: max(0, min(ends) - max(starts)) / (truth length + predicted length - intersection).
    Source: `calculate_iou` of the reference. A reversed prediction has a negative length, no intersection and IoU 0.

    >>> span_iou(np.array([0.0, 2.0]), np.array([4.0, 4.0]), np.array([2.0, 3.5]), np.array([6.0, 3.0])).tolist()
    [0.3333333333333333, 0.0]
    """
    intersection = np.minimum(truth_end, end)
    intersection -= np.maximum(truth_start, start)
    np.maximum(intersection, 0.0, out=intersection)
    union = truth_end - truth_start
    union += end - start
    union -= intersection
    union[union == 0] = np.nan
    return np.divide(intersection, union, out=intersection)


def temporal_distance(truth_start: Floats, truth_end: Floats, start: Floats, end: Floats) -> Floats:
    """|truth start - start| + |truth end - end| in seconds, shape (rows,); NaN where a value is NaN.

    Source: `calculate_abs_dist` of the reference: the sum of both, neither their mean nor the larger.

    >>> temporal_distance(np.array([2.0]), np.array([5.0]), np.array([1.0]), np.array([7.5])).tolist()
    [3.5]
    """
    distance = truth_start - start
    np.abs(distance, out=distance)
    at_end = truth_end - end
    distance += np.abs(at_end, out=at_end)
    return distance


def onset_distance(onsets: Floats, start: Floats) -> Floats:
    """|onset - start| in seconds to the nearest accepted onset, shape (rows,); NaN without a start or any onset.

    `onsets` has shape (rows,), or (rows, alternatives) with NaN for absent ones.
    Source: `accuracy_pred_start` of the reference; any of several: Hasnat79/uag : eval/accuracy_pred_start.

    >>> onset_distance(np.array([[1.0, 4.0], [1.0, np.nan]]), np.array([3.5, 3.5])).tolist()
    [0.5, 2.5]
    """
    if onsets.ndim == 1:
        distance = onsets - start
        return np.abs(distance, out=distance)
    nearest = np.full(len(start), np.nan)
    for alternative in onsets.T:
        np.fmin(nearest, np.abs(alternative - start), out=nearest)
    return nearest


def paper_rows(truth: TrueSpans, start: Floats, end: Floats) -> SpanMeasures:
    """Protocol `paper`: what the reference evaluator does.

    * Where either predicted value is missing, IoU is 0, the onset is missed, and the temporal distance is the
      ground-truth end, which hits TD <= p wherever that end is <= p.
    * A temporal distance above 10,000 s becomes the ground-truth end in mTD, not in the shares.
    * A reversed span is computed as it is. A union of 0 stops the reference with ZeroDivisionError: IoU is NaN.
      (It then prints no TD and no onset accuracy either; those are given here as its functions have them.)
    """
    missing = np.isnan(start) | np.isnan(end)
    iou = span_iou(truth.start, truth.end, start, end)
    iou[missing] = 0.0
    td = temporal_distance(truth.start, truth.end, start, end)
    np.copyto(td, truth.end, where=missing)
    far = td > FARTHEST_IN_MEAN
    onset = onset_distance(truth.accepted_onsets, start)
    onset[missing] = np.nan
    return SpanMeasures(iou, td, np.where(far, truth.end, td) if far.any() else td, onset)


def strict_rows(truth: TrueSpans, start: Floats, end: Floats) -> SpanMeasures:
    """Protocol `strict`: what a careful reader would expect.

    * A missing prediction, or a reversed one (end < start, never swapped), misses everywhere and is left out of mTD.
    * IoU is defined for every row: without common length it is 0, or 1 where truth and prediction are one same point.
    * No temporal distance is replaced.
    """
    valid = start <= end
    if not valid.all():
        start, end = np.where(valid, start, np.nan), np.where(valid, end, np.nan)
    iou = span_iou(truth.start, truth.end, start, end)
    td = temporal_distance(truth.start, truth.end, start, end)
    np.copyto(iou, (truth.start == truth.end) & (td == 0), where=~(iou > 0))
    return SpanMeasures(iou, td, td, onset_distance(truth.accepted_onsets, start))


PROTOCOLS: Mapping[str, Callable[[TrueSpans, Floats, Floats], SpanMeasures]] = {
    "paper": paper_rows,
    "strict": strict_rows,
}


def evaluate(
    truth: TrueSpans, start: Floats, end: Floats, metrics: Sequence[Metric] = DEFAULT_METRICS, protocol: str = "paper"
) -> SpanEvaluation:
    """Every metric of one run; `start` and `end` as in `Spans`.

    R<n> hits where any of the first n hits (of all there are, if fewer); all else looks at the first alone. What is
    missing at a later rank never hits; at the first, the protocol decides. A null value is NaN and has a warning: there
    are no rows, a union is 0 under `paper`, or `strict` leaves every row out of mTD.

    >>> truth = TrueSpans(np.array([2.0, 4.0]), np.array([5.0, 8.0]))
    >>> run = evaluate(truth, np.array([2.0, np.nan]), np.array([6.0, np.nan]), [Metric("iou", 0.5), Metric("td")])
    >>> {str(metric): ratio.value for metric, ratio in run.ratios.items()}
    {'R1(iou>=0.5)': 50.0, 'mTD': 4.5}
    """
    by_rank = {rank: _best_of(rank, truth, start, end, protocol) for rank in {1, *(metric.rank for metric in metrics)}}
    ratios = {metric: _ratio(metric, by_rank[metric.rank]) for metric in metrics}
    nulls = [metric for metric, ratio in ratios.items() if math.isnan(ratio.value)]
    warnings = tuple(f"{metric} has no value: {_why_null(metric, by_rank[metric.rank])}" for metric in nulls)
    return SpanEvaluation(by_rank[1], ratios, warnings)


def prediction_counts(start: Floats, end: Floats) -> dict[str, int]:
    """How many predictions are `ok` (start <= end), `reversed` (start > end) and `missing` (either is NaN)."""
    ok, backwards = int(np.count_nonzero(start <= end)), int(np.count_nonzero(start > end))
    return {"ok": ok, "reversed": backwards, "missing": start.size - ok - backwards}


def _best_of(rank: int, truth: TrueSpans, start: Floats, end: Floats, protocol: str) -> SpanMeasures:
    """Measures of the first-ranked prediction, with the best IoU and temporal distance among the first `rank`."""
    ranked = [(start, end)] if start.ndim == 1 else list(zip(start.T[:rank], end.T[:rank], strict=True))
    first, *later = (
        _best_met([PROTOCOLS[protocol](spans, *times) for spans in (truth, *truth.others)]) for times in ranked
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


def _ratio(metric: Metric, rows: SpanMeasures) -> Ratio:
    if metric.measure == "iou":
        if metric.threshold is None:
            return Ratio(rows.iou)
        hits, undefined = rows.iou >= metric.threshold, np.isnan(rows.iou)
        return Ratio(np.where(undefined, np.nan, hits) if undefined.any() else hits, scale=100.0)
    if metric.threshold is None:
        counted = ~np.isnan(rows.td_in_mean)
        return Ratio(rows.td_in_mean) if counted.all() else Ratio(np.where(counted, rows.td_in_mean, 0.0), counted)
    return Ratio((rows.td if metric.measure == "td" else rows.onset) <= metric.threshold, scale=100.0)


def _why_null(metric: Metric, rows: SpanMeasures) -> str:
    if not len(rows.iou):
        return "there are no rows"
    if metric.measure == "td":
        return "no row has a valid prediction"
    places = np.flatnonzero(np.isnan(rows.iou))
    where = f"{len(places)} of {len(rows.iou)} rows, first at position {places[0]}"
    return f"the union with the truth is 0 ({where}), where the reference evaluator stops with ZeroDivisionError"
