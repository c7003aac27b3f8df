"""Temporal localisation row by row, as its definitions read: what `scorers.temporal.metrics` computes in columns.

A row has a true span [t0, t1] and a predicted one [p0, p1] in seconds, or none. With

    IoU(t, p) = max(0, min(t1, p1) - max(t0, p0)) / ((t1 - t0) + (p1 - p0) - intersection)
    TD(t, p) = |t0 - p0| + |t1 - p1|            onset distance = |t0 - p0|

`R1(iou>=x)` is the share of rows with IoU >= x, `R1(td<=x)` with TD <= x, `onset(<=x)` with an onset distance <= x, all
inclusive and in percent; `mIoU` and `mTD` are means. None without a value, as the mean over no row.

* Protocol `paper` is Hasnat79/UAL_Bench : src/eval/eval_your_results.py: a missing prediction has IoU 0, misses the
  onset, and has TD = t1; in mTD alone t1 also replaces any TD above 10,000 s; a reversed span is computed as it is;
  a union of 0 has no IoU, and then neither R1(iou) nor mIoU has a value.
* Protocol `strict`: a missing or reversed prediction misses everything and is left out of mTD; IoU without a common
  length is 0, or 1 where both spans are one same point.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Span = tuple[float, float]
Prediction = Span | None

FARTHEST_IN_MEAN = 10_000.0


def metric(
    name: str, threshold: float | None, truth: Sequence[Span], predicted: Sequence[Prediction], protocol: str
) -> float | None:
    """One metric: `name` is iou, td or onset, a mean without a threshold.

    >>> metric("iou", 0.5, [(2, 5), (4, 8)], [(2, 6), None], "paper")
    50.0
    >>> [metric("td", None, [(2, 5), (4, 8)], [(2, 6), None], protocol) for protocol in ("paper", "strict")]
    [4.5, 1.0]
    """
    rows = [_row(name, t, p, protocol, mean=threshold is None) for t, p in zip(truth, predicted, strict=True)]
    if threshold is None:
        counted = [value for value in rows if value is not None or name == "iou"]
        return None if None in counted or not counted else _mean(counted)
    if not rows or (name == "iou" and None in rows):
        return None
    hits = [value is not None and (value >= threshold if name == "iou" else value <= threshold) for value in rows]
    return 100 * (sum(hits) / len(hits))


def _row(name: str, truth: Span, predicted: Prediction, protocol: str, mean: bool) -> float | None:
    """IoU, TD or onset distance of one row; None is a miss, or no value of IoU under `paper`."""
    if predicted is None or (protocol == "strict" and predicted[1] < predicted[0]):
        missing = {"iou": 0.0, "td": truth[1] if protocol == "paper" else None, "onset": None}
        return missing[name]
    if name == "onset":
        return abs(truth[0] - predicted[0])
    distance = abs(truth[0] - predicted[0]) + abs(truth[1] - predicted[1])
    if name == "td":
        return truth[1] if protocol == "paper" and mean and distance > FARTHEST_IN_MEAN else distance
    common = max(0.0, min(truth[1], predicted[1]) - max(truth[0], predicted[0]))
    union = (truth[1] - truth[0]) + (predicted[1] - predicted[0]) - common
    if protocol == "strict" and not common:
        return float(truth == predicted)
    return common / union if union else None


def _mean(values: Sequence[float | None]) -> float:
    """The mean, rounded once."""
    return float(sum(Fraction(value or 0) for value in values) / len(values))
