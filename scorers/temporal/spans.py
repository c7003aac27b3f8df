"""Spans as arrays, true and predicted, and how far they are from one another, row by row.

Pure functions over float64 arrays of seconds; predictions are finite, or NaN where missing.

Reference: Hasnat79/UAL_Bench : src/eval/eval_your_results.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


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
        iou: intersection over union; NaN where it is not defined.
        td: temporal distance in seconds, as thresholds see it; NaN is a miss.
        td_in_mean: temporal distance in seconds, as mTD sees it; NaN is left out.
        onset: onset distance in seconds; NaN is a miss.
    """

    iou: Floats
    td: Floats
    td_in_mean: Floats
    onset: Floats


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
