"""Precision-recall curves from the true positives alone: recall moves only there, and precision peaks only there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from scorers.detection.boxes import Floats, Integers

RECALLS: Floats = np.linspace(0.0, 1.0, 101)
"""The recalls at which COCO samples precision."""
ELEVEN_RECALLS: Floats = np.append(0.1 * np.arange(6.0), 1.0 - 0.1 * np.arange(4.0, -1.0, -1.0))
"""The recalls at which VOC 2007 samples precision: `0:0.1:1` of its authors' code, which MATLAB counts from both ends.

So .6 and .7 are the floats of these names, which a recall of 6/10 reaches, while .3 is 0.30000000000000004, which 3/10
does not. `numpy.arange(0, 1.1, 0.1)`, which later tools have in its place, is above .6 and .7, too.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Positives:
    """True positives by category and falling score, each of them `weight` times in a row.

    Attributes:
        weight: shape (positives,), 0 where it is not there.
        counted: shape (positives,), how many detections of its category count up to the last time that it is there.
        starts: shape (categories + 1,), where each category begins, and the number of positives.
    """

    weight: Integers
    counted: Integers
    starts: Integers

    @property
    def found(self) -> tuple[Integers, Integers]:
        """How many there are up to each, of all categories; and how many before each category."""
        found = np.cumsum(self.weight)
        return found, np.append(0, found)[self.starts[:-1]]

    def precision(self, found: Integers, before: Integers, offset: float = 0.0) -> Floats:
        """Precision at each, shape (positives,), 0 before the first; `offset` is added as COCO does."""
        return np.asarray((found - np.repeat(before, np.diff(self.starts))) / (np.maximum(self.counted, 1) + offset))


Average = Callable[[Positives, Integers], Floats]
"""One of the three averages of this module, from positives and the number of boxes of each category."""


def recall_cuts(boxes: Integers, recalls: Floats = RECALLS) -> Integers:
    """How many true positives it takes to reach each recall, at least 1; shape (recalls, categories).

    The least k with k / boxes >= recall, as floats compare.

    >>> recall_cuts(np.array([3]), np.array([0.0, 1 / 3, 0.5])).ravel()
    array([1, 1, 2])
    """
    recall, of = recalls[:, np.newaxis], np.maximum(boxes, 1)
    cuts = np.ceil(recall * of)  # which rounding may have put one off
    cuts -= (cuts - 1) / of >= recall
    cuts += cuts / of < recall
    return np.maximum(cuts, 1).astype(np.int64)


def interpolated(precision: Floats, ends: Integers, first: Integers) -> Floats:
    """Highest precision at each recall or beyond, 0 where no true positive reaches it; shape (recalls, categories).

    Args:
        precision: shape (true positives,), category by category.
        ends: shape (categories,), where the true positives of each category end.
        first: shape (recalls, categories), the true positive that reaches each recall, any from `ends` on if none does.
    """
    bounds = np.vstack([np.minimum(first, ends), ends]).T  # from recall to recall, and to the end of the category
    peaks = np.maximum.reduceat(np.append(precision, 0.0), bounds.ravel()).reshape(bounds.shape)[:, :-1].T
    return np.maximum.accumulate(np.where(first < ends, peaks, 0.0)[::-1])[::-1]


def coco_average(positives: Positives, boxes: Integers) -> Floats:
    """Mean of the interpolated precision at 101 recalls, shape (categories,); NaN without boxes.

    Args:
        positives: of all categories.
        boxes: shape (categories,), how many count.

    Source: cocodataset/cocoapi : PythonAPI/pycocotools/cocoeval.py (accumulate).
    """
    sampled = _sampled(positives, boxes, RECALLS, offset=np.spacing(1))
    return _known(np.ascontiguousarray(sampled.T).mean(axis=1), boxes)


def eleven_point_average(positives: Positives, boxes: Integers) -> Floats:
    """Mean of the interpolated precision at 11 recalls, shape (categories,); arguments as in `coco_average`.

    Source: Everingham et al., The PASCAL Visual Object Classes Challenge (2010), section 4.2; VOCdevkit of 2007.
    """
    return _known(_sampled(positives, boxes, ELEVEN_RECALLS).mean(axis=0), boxes)


def all_point_average(positives: Positives, boxes: Integers) -> Floats:
    """Exact area under the interpolated curve, shape (categories,); arguments as in `coco_average`.

    Each true positive adds a step of 1 / boxes in recall, at the highest precision from there on.

    Source: VOCdevkit of 2010 : VOCcode/VOCap.m.
    """
    precision = positives.precision(*positives.found)
    heights = [
        (np.maximum.accumulate(precision[low:high][::-1]) * positives.weight[low:high][::-1]).sum()
        for low, high in pairwise(positives.starts.tolist())
    ]
    return _known(np.array(heights) / np.maximum(boxes, 1), boxes)


def _sampled(positives: Positives, boxes: Integers, recalls: Floats, offset: float = 0.0) -> Floats:
    """Interpolated precision at `recalls`, shape (recalls, categories)."""
    found, before = positives.found
    first = np.searchsorted(found, (before + recall_cuts(boxes, recalls)).T).T  # faster for numbers that rise
    return interpolated(positives.precision(found, before, offset), positives.starts[1:], first)


def _known(averages: Floats, boxes: Integers) -> Floats:
    return np.where(boxes > 0, averages, np.nan)
