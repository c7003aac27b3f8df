"""What becomes of each detection at one setting: Pascal VOC matches and ignores in other ways than COCO."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from scorers.detection.boxes import Detections, Flags, Floats, Integers, Truth
from scorers.detection.coco import Matches, Setting
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
        starts = np.append(0, np.cumsum(counted))[ranking.starts]
        return cls(rank, image, score, true[rank], starts, truth.image[boxes], truth.category[boxes])

    @property
    def categories(self) -> int:
        """How many categories there are."""
        return len(self.starts) - 1


def coco_outcomes(matches: Matches, setting: Setting) -> Outcomes:
    """What became of each detection at one of the settings."""
    table, ranking = matches.table, matches.ranking
    area, _, threshold = matches.settings.position(setting)
    pairs = np.flatnonzero(table.matched[area, threshold])
    counts = ~matches.ignored[area][table.box[pairs]]
    counted, true = matches.inside[area].copy(), np.zeros(len(ranking.score), dtype=np.bool_)
    counted[table.rank[pairs]] = true[table.rank[pairs]] = counts
    if matches.place is not None:
        counted &= matches.place < setting.max_detections
    return Outcomes.of(ranking, matches.detections, matches.truth, counted, true, ~matches.ignored[area])


def voc_outcomes(truth: Truth, detections: Detections, threshold: float) -> Outcomes:
    """What becomes of each detection at one IoU threshold.

    A detection is judged by the one box of its image and category that it overlaps most (of equals, the first), if
    their IoU reaches the threshold: the first to reach the box is true, those after it are false, and where the box is
    difficult they do not count. Crowds are boxes as others are. There is no cap on detections.

    Source: VOCdevkit : VOCcode/VOCevaldet.m. Its boxes are corners of pixels that both belong to the box, so that it
    adds 1 to widths and heights; the VOC reader has done so.
    """
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
