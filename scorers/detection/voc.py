"""Pascal VOC's true and false positives, which it matches and ignores in other ways than COCO."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from schemas.errors import UsageError
from scorers.detection.boxes import Detections, Truth
from scorers.detection.overlaps import groups_of, overlapping_pairs
from scorers.detection.ranking import Outcomes, ranked


def outcomes(truth: Truth, detections: Detections, threshold: float = 0.5) -> Outcomes:
    """What becomes of each detection at one IoU threshold.

    A detection is judged by the one box of its image and category that it overlaps most (of equals, the first), if
    their IoU reaches the threshold: the first to reach the box is true, those after it are false, and where the box is
    difficult they do not count. Crowds are boxes as others are. There is no cap on detections.

    Source: VOCdevkit : VOCcode/VOCevaldet.m. Its boxes are corners of pixels that both belong to the box, so that it
    adds 1 to widths and heights; the VOC reader has done so.

    Raises:
        UsageError: a threshold that is not above 0 and up to 1.
    """
    if not 0 < threshold <= 1:
        raise UsageError(f"IoU threshold {threshold}, expected above 0 and up to 1")
    ranking = ranked(detections, len(truth.categories))
    no_crowds = replace(truth, crowd=np.zeros_like(truth.crowd))
    pairs = overlapping_pairs(no_crowds, detections, groups_of(detections, truth.images), threshold)
    rank = ranking.rank[pairs.detection]
    order = np.lexsort((pairs.box, -pairs.iou, rank))
    best = order[np.diff(rank[order], prepend=-1) > 0]
    rank, box = rank[best], pairs.box[best]
    ignored = truth.difficult | truth.ignored
    counted, true = np.ones(len(detections), dtype=np.bool_), np.zeros(len(detections), dtype=np.bool_)
    counted[rank[ignored[box]]] = False
    true[rank[np.unique(box, return_index=True)[1]]] = True
    return Outcomes.of(ranking, detections, truth, counted, true, ~ignored)
