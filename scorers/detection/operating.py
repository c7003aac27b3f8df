"""Precision-recall curves in full, and operating points: the score from which on detections are best kept."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from scorers.detection.boxes import Detections, Floats, Truth
from scorers.detection.coco import AP50_ONLY, match, outcomes
from scorers.detection.curves import RECALLS
from scorers.detection.grid import Grid, grid
from scorers.detection.ranking import Outcomes


class Curve(NamedTuple):
    """The precision-recall curve of one category; arrays have shape (scores,).

    Attributes:
        score: the scores that occur, falling.
        precision, recall: of all detections with that score or a higher one; recall is NaN without boxes.
    """

    score: Floats
    precision: Floats
    recall: Floats


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
        return best_f1_of_samples(grid(match(truth, detections)), threshold=1)
    return best_f1(outcomes(match(truth, detections, AP50_ONLY), 0))


def curves(outcomes: Outcomes) -> list[Curve]:
    """The curve of each category, without interpolation."""
    boxes = np.bincount(outcomes.box_category, minlength=outcomes.categories)
    found = []
    for category, (low, high) in enumerate(pairwise(outcomes.starts.tolist())):
        score, true = outcomes.score[low:high], np.cumsum(outcomes.true[low:high])
        last = np.flatnonzero(np.diff(score, append=-np.inf)) if high > low else np.arange(0)
        recall = true[last] / boxes[category] if boxes[category] else np.full(len(last), np.nan)
        found.append(Curve(score[last], true[last] / (last + 1), recall))
    return found


def best_f1(outcomes: Outcomes) -> OperatingPoints:
    """The best F1 that any score gives, of equals the highest score; what a careful reader would expect."""
    points = np.full((4, outcomes.categories), np.nan)
    for category, curve in enumerate(curves(outcomes)):
        f1 = _f1(curve.precision, curve.recall)
        if len(f1) and not np.isnan(f1[0]):
            best = f1.argmax()
            points[:, category] = curve.score[best], f1[best], curve.precision[best], curve.recall[best]
    return OperatingPoints(*points)


def best_f1_of_samples(grid: Grid, threshold: int = 0) -> OperatingPoints:
    """The best F1 over COCO's 101 recalls and the interpolated precision there, as the paper has its operating points.

    F1 is thereby that of the envelope, which a score need not reach; the score is the one at which the recall is.

    Args:
        grid: of the area range `all` first, the highest cap last.
        threshold: position in its thresholds.
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
