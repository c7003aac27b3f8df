"""The definitions of Pascal VOC, which match, ignore and interpolate in other ways than COCO's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from schemas.errors import UsageError
from scorers.detection.boxes import Detections, Integers, Truth
from scorers.detection.outcomes import Outcomes
from scorers.detection.pairs import groups_of, overlapping_pairs
from scorers.detection.ranking import Ranking, ranked


@dataclass(frozen=True, slots=True)
class Voc:
    """A VOC definition.

    Attributes:
        points: `eleven` recalls at which precision is sampled (VOC 2007), or `all` (2010 and later): the exact area.
        inclusive: widths and heights were written as xmax - xmin of pixels that both belong to the box, so that the
            devkit counts one more. Not so in manifests: the VOC reader has added it.
        above: an IoU that equals the threshold is a miss, as in the common Python port; in the devkit it is a hit.
    """

    points: Literal["eleven", "all"] = "all"
    inclusive: bool = False
    above: bool = False


def outcomes(truth: Truth, detections: Detections, threshold: float = 0.5, voc: Voc | None = None) -> Outcomes:
    """What becomes of each detection at one IoU threshold.

    A detection stands or falls with the one box of its image and category that it overlaps most (of equals, the first):
    the first to reach it is true, those after it are false, and where the box is difficult they do not count. Crowds
    are boxes as others are. There is no cap on detections.

    Source: VOCdevkit : VOCcode/VOCevaldet.m; the port: rbgirshick/py-faster-rcnn : lib/datasets/voc_eval.py.

    Raises:
        UsageError: a threshold that is not above 0 and up to 1.
    """
    voc = voc or Voc()
    if not 0 < threshold <= 1:
        raise UsageError(f"IoU threshold {threshold}, expected above 0 and up to 1")
    ranking = ranked(detections, len(truth.categories))
    ignored = truth.difficult | truth.ignored
    rank, box = _best_pairs(truth, detections, ranking, threshold, voc)
    first = np.zeros(len(rank), dtype=np.bool_)
    first[np.unique(box, return_index=True)[1]] = True
    counted, true = np.ones(len(ranking.score), dtype=np.bool_), np.zeros(len(ranking.score), dtype=np.bool_)
    counted[rank[ignored[box]]] = False
    true[rank[first]] = True
    return Outcomes.of(ranking, detections, truth, counted, true, ~ignored)


def _best_pairs(
    truth: Truth, detections: Detections, ranking: Ranking, threshold: float, voc: Voc
) -> tuple[Integers, Integers]:
    """Rank and box of each detection that reaches the threshold, by rank: the box it overlaps most."""
    if voc.inclusive:
        truth = replace(truth, width=truth.width + 1, height=truth.height + 1)
        detections = replace(detections, width=detections.width + 1, height=detections.height + 1)
    alone = replace(truth, crowd=np.zeros_like(truth.crowd))
    least = np.nextafter(threshold, 2) if voc.above else threshold
    pairs = overlapping_pairs(alone, detections, groups_of(detections, truth.images), least)
    rank = ranking.rank[pairs.detection]
    order = np.lexsort((pairs.box, -pairs.iou, rank))
    best = order[np.diff(rank[order], prepend=-1) > 0]
    return rank[best], pairs.box[best]
