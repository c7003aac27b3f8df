"""Precision-recall curves from the true positives alone: recall moves only there, and precision peaks only there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorers.detection.boxes import Floats, Integers

RECALLS: Floats = np.linspace(0.0, 1.0, 101)
"""The recalls at which COCO samples precision."""
ELEVEN_RECALLS: Floats = 0.1 * np.arange(11.0)
"""The recalls at which VOC 2007 samples precision; 0.3 is 0.30000000000000004 there, as in its authors' code."""

Average = Callable[[NDArray[Any], Integers, Integers], Floats]
"""One of the three averages of this module."""


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


def precision_at(counted: NDArray[Any], counts: Integers) -> Floats:
    """Precision at each true positive, shape (true positives,).

    Args:
        counted: shape (true positives,), category by category: how many detections of the category count up to there.
        counts: shape (categories,), of true positives.
    """
    ordinal = np.arange(1, len(counted) + 1) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray(ordinal / counted)


def interpolated(precision: Floats, counts: Integers, cuts: Integers) -> Floats:
    """Highest precision at each recall or beyond, 0 where no true positive reaches it; shape (recalls, categories).

    Args:
        precision: shape (true positives,), category by category.
        counts: shape (categories,), of true positives.
        cuts: shape (recalls, categories), see `recall_cuts`.
    """
    ends = np.cumsum(counts)
    reached = cuts <= counts
    first = np.where(reached, ends - counts + cuts - 1, ends)
    bounds = np.vstack([first, ends]).T  # segments from recall to recall, the last one up to the end of the category
    peaks = np.maximum.reduceat(np.append(precision, 0.0), bounds.ravel()).reshape(bounds.shape)[:, :-1].T
    return np.maximum.accumulate(np.where(reached, peaks, 0.0)[::-1])[::-1]


def coco_average(counted: NDArray[Any], counts: Integers, boxes: Integers) -> Floats:
    """Mean of the interpolated precision at 101 recalls, shape (categories,); NaN without boxes.

    Args:
        counted, counts: as in `precision_at`.
        boxes: shape (categories,), how many count.

    Source: cocodataset/cocoapi : PythonAPI/pycocotools/cocoeval.py (accumulate).
    """
    precision = precision_at(counted + np.spacing(1), counts)
    sampled = interpolated(precision, counts, recall_cuts(boxes))
    return _known(np.ascontiguousarray(sampled.T).mean(axis=1), boxes)


def eleven_point_average(counted: NDArray[Any], counts: Integers, boxes: Integers) -> Floats:
    """Mean of the interpolated precision at 11 recalls, shape (categories,); arguments as in `coco_average`.

    Source: Everingham et al., The PASCAL Visual Object Classes Challenge (2010), section 4.2; VOCdevkit of 2007.
    """
    cuts = recall_cuts(boxes, ELEVEN_RECALLS)
    return _known(interpolated(precision_at(counted, counts), counts, cuts).mean(axis=0), boxes)


def all_point_average(counted: NDArray[Any], counts: Integers, boxes: Integers) -> Floats:
    """Exact area under the interpolated curve, shape (categories,); arguments as in `coco_average`.

    Each true positive adds a step of 1 / boxes in recall, at the highest precision from there on.

    Source: VOCdevkit of 2010 : VOCcode/VOCap.m.
    """
    parts = np.split(precision_at(counted, counts), np.cumsum(counts)[:-1])
    heights = [np.maximum.accumulate(part[::-1]).sum() for part in parts[: len(counts)]]
    return _known(np.array(heights) / np.maximum(boxes, 1), boxes)


def _known(averages: Floats, boxes: Integers) -> Floats:
    return np.where(boxes > 0, averages, np.nan)
