"""What becomes of each detection at one setting, by COCO or Pascal VOC; from which score on they are best kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from scorers.detection.boxes import Detections, Flags, Floats, Integers, Truth
from scorers.detection.coco import AP50_ONLY, Matches, Setting, match
from scorers.detection.curves import RECALLS
from scorers.detection.grid import Grid, grid
from scorers.detection.overlaps import groups_of, overlapping_pairs
from scorers.detection.ranking import Ranking, ranked


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """True and false positives at one setting: the detections that count, in order of rank, and the boxes that count.

    Attributes:
        rank: shape (counted,), place in the order of all detections.
        image, score: shape (counted,).
        true: shape (counted,), whether it found a box; else it is a false positive.
        starts: shape (categories + 1,), where each category begins, and the number of those counted.
        box_image, box_category: shape (counted boxes,).
    """

    rank: Integers
    image: Integers
    score: Floats
    true: Flags
    starts: Integers
    box_image: Integers
    box_category: Integers

    @classmethod
    def of(
        cls, ranking: Ranking, detections: Detections, truth: Truth, counted: Flags, true: Flags, boxes: Flags
    ) -> Outcomes:
        """Leave out what does not count: `counted` and `true` have shape (ranks,), `boxes` (boxes,)."""
        rank = np.flatnonzero(counted)
        image, score = detections.image[ranking.detection[rank]], ranking.score[rank]
        starts = np.searchsorted(rank, ranking.starts)
        return cls(rank, image, score, true[rank], starts, truth.image[boxes], truth.category[boxes])

    @property
    def categories(self) -> int:
        """How many categories there are."""
        return len(self.starts) - 1


def coco_outcomes(matches: Matches, setting: Setting) -> Outcomes:
    """What became of each detection at one of the settings."""
    ranking = matches.ranking
    area, _, threshold = matches.settings.position(setting)
    pairs = np.flatnonzero(matches.matched[area, threshold])
    counts = ~matches.ignored[area][matches.box[pairs]]
    counted, true = matches.inside[area].copy(), np.zeros(len(ranking.score), dtype=np.bool_)
    counted[matches.rank[pairs]] = true[matches.rank[pairs]] = counts
    if matches.place is not None:
        counted &= matches.place < setting.max_detections
    return Outcomes.of(ranking, matches.detections, matches.truth, counted, true, ~matches.ignored[area])


def voc_outcomes(truth: Truth, detections: Detections, setting: Setting) -> Outcomes:
    """What becomes of each detection at the IoU threshold of a setting.

    A detection is judged by the one box of its image and category that it overlaps most (of equals, the first), if
    their IoU reaches the threshold: the first to reach the box is true, those after it are false, and where the box is
    difficult they do not count. Crowds are boxes as others are. There is no cap on detections.

    Source: VOCdevkit : VOCcode/VOCevaldet.m. Its boxes are corners of pixels that both belong to the box, so that it
    adds 1 to widths and heights; the VOC reader has done so.
    """
    ranking = ranked(detections, len(truth.categories))
    no_crowds = replace(truth, crowd=np.zeros_like(truth.crowd))
    pairs = overlapping_pairs(no_crowds, detections, groups_of(detections, truth.images), setting.threshold)
    rank = ranking.rank[pairs.detection]
    order = np.lexsort((pairs.box, -pairs.iou, rank))
    best = order[np.diff(rank[order], prepend=-1) > 0]
    rank, box = rank[best], pairs.box[best]
    ignored = truth.difficult | truth.ignored
    counted, true = np.ones(len(detections), dtype=np.bool_), np.zeros(len(detections), dtype=np.bool_)
    counted[rank[ignored[box]]] = False
    true[rank[np.unique(box, return_index=True)[1]]] = True
    return Outcomes.of(ranking, detections, truth, counted, true, ~ignored)


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
