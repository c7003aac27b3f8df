"""COCO's average precision and recall: which settings there are, and one matching for all of them.

COCO matches greedily: the detections of an image and category choose by falling score, each among the boxes still free.
Where no detection has a choice, a box simply takes the first that reaches the threshold; the others are matched in
rounds of deferred acceptance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorers.detection.boxes import Detections, Flags, Floats, Integers, Truth
from scorers.detection.overlaps import Pairs, groups_of, overlapping_pairs
from scorers.detection.ranking import Ranking, deferred_acceptance, places, radix_order, ranked

THRESHOLDS = tuple(np.linspace(0.5, 0.95, 10).tolist())
MAX_DETECTIONS = (1, 10, 100)
AREAS: Mapping[str, tuple[float, float]] = {
    "all": (0.0, 1e10),
    "small": (0.0, 32.0**2),
    "medium": (32.0**2, 96.0**2),
    "large": (96.0**2, 1e10),
}
"""Square pixels, both bounds included; of a box its annotated area, of a detection width * height."""

_HIGHEST = 1 - 1e-10

Levels = NDArray[np.integer[Any]]


class Setting(NamedTuple):
    """One of the settings over which a metric is a mean; `area` is a name in `AREAS`."""

    threshold: float
    area: str
    max_detections: int


class Settings(NamedTuple):
    """What to evaluate; by default the whole grid of COCO.

    Attributes:
        thresholds: IoU from which on a pair matches, above 0 to 1, ascending.
        areas: names and bounds of area ranges. Boxes outside a range are ignored, and so are detections outside it that
            match nothing.
        max_detections: how many detections of an image and category count, best scores first; ascending.
    """

    thresholds: tuple[float, ...] = THRESHOLDS
    areas: Mapping[str, tuple[float, float]] = AREAS
    max_detections: tuple[int, ...] = MAX_DETECTIONS

    def position(self, setting: Setting) -> tuple[int, int, int]:
        """Positions of the area, the cap and the threshold of a setting."""
        area, cap = list(self.areas).index(setting.area), self.max_detections.index(setting.max_detections)
        return area, cap, self.thresholds.index(setting.threshold)


WHOLE_GRID = Settings()
AP50_ONLY = Settings((0.5,), {"all": AREAS["all"]}, (100,))
"""The settings of AP50 and mAP50, several times faster than the whole grid."""


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """One run, matched at all settings; all that depends on scores is in the order of `ranking`.

    Attributes:
        settings, truth, detections: what was evaluated.
        ranking: the order of the detections.
        place: shape (ranks,), how many better detections of its image and category each has; None where all count.
        ignored: shape (areas, boxes), the boxes that are not counted.
        inside: shape (areas, ranks), the detections whose size is in the range.
        rank, box: shape (pairs,), of a detection and a box that may match, by ascending rank. Detections beyond a cap
            are among them: no better one loses a box to them.
        matched: shape (areas, thresholds, pairs), where they do.
    """

    settings: Settings
    truth: Truth
    detections: Detections
    ranking: Ranking
    place: Integers | None
    ignored: Flags
    inside: Flags
    rank: Integers
    box: Integers
    matched: Flags

    def counted_boxes(self, area: int) -> Integers:
        """How many boxes of each category count in an area range, shape (categories,)."""
        return np.bincount(self.truth.category[~self.ignored[area]], minlength=len(self.truth.categories))


def match(truth: Truth, detections: Detections, settings: Settings = WHOLE_GRID) -> Matches:
    """Match detections to boxes at all settings.

    Source: cocodataset/cocoapi : PythonAPI/pycocotools/cocoeval.py, with which every precision, recall and score agrees
    to the last bit. Differences are by intention: an annotation id of 0 is as good as any other, and boxes that share
    an id are all counted.
    """
    _keep_freed_memory()
    ranking = ranked(detections, len(truth.categories))
    group = groups_of(detections, truth.images)
    place = None
    if np.bincount(group).max(initial=0) > settings.max_detections[0]:
        place = places(group[ranking.detection], truth.images * len(truth.categories))
    thresholds = np.minimum(settings.thresholds, _HIGHEST)
    pairs = overlapping_pairs(truth, detections, group, thresholds[0])
    low, high = np.array(list(settings.areas.values())).T[:, :, np.newaxis]
    ignored = truth.crowd | truth.ignored | (truth.area < low) | (truth.area > high)
    size = (detections.width * detections.height)[ranking.detection]
    inside = (size >= low) & (size <= high)
    table = match_table(pairs, ranking, truth.crowd, ignored, thresholds)
    return Matches(settings, truth, detections, ranking, place, ignored, inside, *table)


def match_table(
    pairs: Pairs, ranking: Ranking, crowd: Flags, ignored: Flags, thresholds: Floats
) -> tuple[Integers, Integers, Flags]:
    """`rank`, `box` and `matched` of `Matches`.

    A detection prefers boxes that count to ignored ones, then the higher IoU, then the later box. A box takes one
    detection, a crowd takes any number.

    Source: cocodataset/cocoapi : PythonAPI/pycocotools/cocoeval.py (evaluateImg).

    Args:
        pairs: all that reach the lowest threshold.
        ranking: of the detections.
        crowd: shape (boxes,).
        ignored: shape (area ranges, boxes), crowds included.
        thresholds: shape (thresholds,), ascending; an IoU that equals one reaches it.
    """
    rank = ranking.rank[pairs.detection]
    order = radix_order(rank, len(ranking.detection))
    rank, box, iou = rank[order], pairs.box[order], pairs.iou[order]
    level = np.searchsorted(thresholds, iou, side="right").astype(np.int16)
    matched = np.empty((len(ignored), len(thresholds), len(rank)), dtype=np.bool_)
    matched[:] = _first_come(box, level, crowd, len(thresholds))
    hard = np.flatnonzero(_contested(rank, box, len(crowd)))
    if len(hard):
        matched[:, :, hard] = _in_rounds(rank[hard], box[hard], iou[hard], level[hard], crowd, ignored, len(thresholds))
    return rank, box, matched


def _keep_freed_memory() -> None:
    """Let the allocator keep what is freed, which else goes back to the system and comes again page by page.

    glibc keeps blocks up to the size of the largest that was ever freed, if that is below 32 MB. It saves a quarter of
    the time of the whole grid.
    """
    np.empty((1 << 25) - (1 << 14), dtype=np.uint8)


def _first_come(box: Integers, level: Levels, crowd: Flags, thresholds: int) -> Flags:
    """Matches if no detection had a choice, shape (thresholds, pairs): a box takes the first that reaches a threshold.

    Going down the ranks, a pair is matched at the thresholds above the best level before it and up to its own.
    """
    by_box = radix_order(box, len(crowd))
    base = box[by_box] * (thresholds + 1)
    best = np.maximum.accumulate(base + level[by_box])
    taken = np.zeros(len(box), dtype=np.int16)
    taken[by_box[1:]] = np.maximum(best[:-1] - base[1:], 0)
    taken[crowd[box]] = 0
    step = np.arange(thresholds, dtype=np.int16)[:, np.newaxis]
    return (taken <= step) & (step < level)


def _contested(rank: Integers, box: Integers, boxes: int) -> Flags:
    """Pairs whose box is wanted by a detection that has a choice, shape (pairs,)."""
    again = np.flatnonzero(rank[1:] == rank[:-1])
    wanted = np.zeros(boxes, dtype=np.bool_)
    wanted[box[again]] = wanted[box[again + 1]] = True
    return wanted[box]


def _in_rounds(
    rank: Integers, box: Integers, iou: Floats, level: Levels, crowd: Flags, ignored: Flags, thresholds: int
) -> Flags:
    """Matches of detections with a choice, shape (area ranges, thresholds, pairs)."""
    matched = np.zeros((len(ignored), thresholds, len(rank)), dtype=np.bool_)
    proposer = np.append(0, np.cumsum(rank[1:] != rank[:-1]))
    slot = np.unique(box, return_inverse=True)[1]
    by_iou = np.lexsort((-box, -iou, proposer))
    for area, last in enumerate(ignored):
        proposals = radix_order(proposer * 2 + last[box], 2 * len(proposer), by_iou)
        for threshold in range(thresholds):
            proposals = proposals[level[proposals] > threshold]
            accepted = deferred_acceptance(proposer[proposals], slot[proposals], unlimited=crowd[box[proposals]])
            matched[area, threshold, proposals[accepted]] = True
    return matched
