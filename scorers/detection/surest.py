"""The surest detections, overall and of each class, and the true boxes that they lie on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scorers.detection.boxes import Detections, Floats, Integers, Truth
from scorers.detection.errors import pairs_of_any_class

# So many of the surest detections are looked at, and of some more so many of each class.
_SUREST, _OF_ALL, _OF_CLASS, _OF_BOX = 1000, 10_000, 20, 2
_NEAR = 0.01  # IoU below counts as none


class Nearest(NamedTuple):
    """The IoU of each detection with the true box that it overlaps most, and the class of that box, -1 for none."""

    iou: Floats
    category: Integers


def sampled(detections: Detections, truth: Truth) -> Integers:
    """Positions of the surest detections, overall and of each class, on images that have true boxes."""
    peopled = np.bincount(truth.image, minlength=truth.images) > 0
    places = np.flatnonzero(peopled[detections.image])
    if len(places) > _OF_ALL:
        places = places[np.argpartition(detections.score[places], -_OF_ALL)[-_OF_ALL:]]
    if len(places) <= _SUREST:
        return places
    surest = places[np.argpartition(detections.score[places], -_SUREST)[-_SUREST:]]
    return np.union1d(surest, places[_ranks(detections, detections.category, places) < _OF_CLASS])


def surest_of(detections: Detections, truth: Truth, sample: Integers) -> Integers:
    """Of a sample at most twice as many of an image as it has boxes: beyond, even a good detector finds nothing."""
    boxes = np.bincount(truth.image, minlength=truth.images)
    return sample[_ranks(detections, detections.image, sample) < _OF_BOX * boxes[detections.image[sample]]]


def _ranks(detections: Detections, groups: Integers, places: Integers) -> Integers:
    """How many of some detections are surer than each of them and of the same group."""
    order = np.lexsort((-detections.score[places], groups[places]))
    sizes = np.unique(groups[places], return_counts=True)[1]
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return ranks


def nearest_of(detections: Detections, truth: Truth) -> Nearest:
    """The true box of the same image that each detection overlaps most, whatever its class."""
    seen = np.zeros(truth.images, np.bool_)
    seen[detections.image] = True
    pairs = pairs_of_any_class(truth, detections, np.flatnonzero(seen[truth.image]), _NEAR)
    order = np.lexsort((pairs.iou, pairs.detection))
    iou, category = np.zeros(len(detections)), np.full(len(detections), -1)
    # Of several values for one place, NumPy keeps the last: that of the highest IoU.
    iou[pairs.detection[order]] = pairs.iou[order]
    category[pairs.detection[order]] = truth.category[pairs.box[order]]
    return Nearest(iou, category)
