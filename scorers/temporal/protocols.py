"""What a protocol makes of truth and predictions, row by row: the authors' evaluator, and a careful reader's.

Reference: Hasnat79/UAL_Bench : src/eval/eval_your_results.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from scorers.temporal.spans import Floats, SpanMeasures, TrueSpans, onset_distance, span_iou, temporal_distance

FARTHEST_IN_MEAN = 10_000.0
"""Seconds: the reference puts the ground-truth end in place of any temporal distance above it, in mTD alone."""


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
