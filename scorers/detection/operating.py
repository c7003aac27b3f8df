"""Operating points: the score from which on the detections of a class are best kept."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from scorers.detection.boxes import Detections, Floats, Truth
from scorers.detection.coco import AP50_ONLY, Setting, match
from scorers.detection.curves import RECALLS
from scorers.detection.grid import Grid, grid
from scorers.detection.outcomes import Outcomes, coco_outcomes


class OperatingPoints(NamedTuple):
    """Where each category has its best F1; arrays have shape (categories,), NaN where there is no such point.

    Attributes:
        score: detections with this score or a higher one are kept.
        f1: 2 * precision * recall / (precision + recall).
        precision, recall: there.
    """

    score: Floats
    f1: Floats
    precision: Floats
    recall: Floats


def operating_points(truth: Truth, detections: Detections, protocol: str) -> OperatingPoints:
    """The best F1 of each category.

    Protocol `paper`: over COCO's 101 recalls and the interpolated precision, at the second of COCO's thresholds, IoU
    .55, which is what the authors' code looks at where it says .50. Protocol `strict`: over all scores, at IoU .50.

    Source: FraunhoferIKS/smf-object-detection : src/analysis.py, with src/tools/evaluation.py (compute_metrics).
    """
    if protocol == "paper":
        return best_f1_of_samples(grid(match(truth, detections)), 1)
    return best_f1(coco_outcomes(match(truth, detections, AP50_ONLY), Setting(0.5, "all", 100)))


def best_f1(outcomes: Outcomes) -> OperatingPoints:
    """The best F1 that any score gives, of equals the highest score; what a careful reader would expect."""
    boxes = np.bincount(outcomes.box_category, minlength=outcomes.categories)
    points = np.full((4, outcomes.categories), np.nan)
    for category, (low, high) in enumerate(pairwise(outcomes.starts.tolist())):
        if low < high and boxes[category]:
            score, true = outcomes.score[low:high], np.cumsum(outcomes.true[low:high])
            last = np.flatnonzero(np.diff(score, append=-np.inf))  # of the detections of one score
            precision, recall = true[last] / (last + 1), true[last] / boxes[category]
            f1 = _f1(precision, recall)
            best = f1.argmax()
            points[:, category] = score[last[best]], f1[best], precision[best], recall[best]
    return OperatingPoints(*points)


def best_f1_of_samples(grid: Grid, threshold: int) -> OperatingPoints:
    """The best F1 over COCO's 101 recalls and the interpolated precision there, at one of the thresholds.

    F1 is thereby that of the envelope, which a score need not reach; the score is the one at which the recall is.
    """
    precision, scores = grid.precision[0, -1, threshold], grid.scores[0, -1, threshold]
    f1 = _f1(precision, RECALLS[:, np.newaxis])
    best = f1.argmax(axis=0)
    at = (best, np.arange(f1.shape[1]))
    points = np.array([scores[at], f1[at], precision[at], np.where(np.isnan(f1[at]), np.nan, RECALLS[best])])
    return OperatingPoints(*points)


def _f1(precision: Floats, recall: Floats) -> Floats:
    """Harmonic mean, 0 where both are 0, NaN where one is."""
    both = precision + recall
    return np.asarray(2 * precision * recall / np.where(both == 0, 1.0, both))
