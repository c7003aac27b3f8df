"""Pairs of a detection and a box of the same image and category that overlap enough to match."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, starmap
from typing import NamedTuple

import numpy as np

from scorers.detection.boxes import Detections, Floats, Integers, Truth
from scorers.detection.ranking import radix_order

_PAIRS_AT_ONCE = 1 << 14  # the temporaries of a block stay in the processor's cache


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Candidates for a match, shape (pairs,): positions in `Detections` and `Truth`, and intersection over union."""

    detection: Integers
    box: Integers
    iou: Floats


class GroupTable(NamedTuple):
    """The boxes of each group, which is an image and a category.

    Attributes:
        member: shape (boxes,), positions in `Truth`, group by group and in file order within one.
        start, size: shape (groups,), where in `member` each group begins, and how many boxes it has.
    """

    member: Integers
    start: Integers
    size: Integers


class _Rectangles(NamedTuple):
    left: Floats
    right: Floats
    top: Floats
    bottom: Floats
    area: Floats


def groups_of(boxes: Truth | Detections, images: int) -> Integers:
    """Group of each box: category * images + image."""
    return boxes.category * images + boxes.image


def group_table(truth: Truth) -> GroupTable:
    """Gather the boxes of every group."""
    groups = len(truth.categories) * truth.images
    group = groups_of(truth, truth.images)
    size = np.bincount(group, minlength=groups)
    return GroupTable(radix_order(group, groups), np.cumsum(size) - size, size)


def overlapping_pairs(truth: Truth, detections: Detections, group: Integers, least: float) -> Pairs:
    """All pairs with IoU >= least, in order of the detections.

    Candidates are each detection with all boxes of its group, in blocks of detections. The union with a crowd is the
    detection alone. The operations are those of pycocotools in the same order, so that every IoU has the same bits.

    Source: cocodataset/cocoapi : common/maskApi.c (bbIou).

    Args:
        truth, detections: of the same images and categories.
        group: shape (detections,), see `groups_of`.
        least: above 0.
    """
    table = group_table(truth)
    size = table.size[group]
    sought = _rectangles(truth, table.member)
    joins_union = 1.0 - truth.crowd[table.member]
    blocks = []
    for block in _blocks(size):
        found = _rectangles(detections, block)
        one, other = _candidates(table.start[group[block]], size[block])
        width = np.minimum(found.right[one], sought.right[other]) - np.maximum(found.left[one], sought.left[other])
        beside = np.flatnonzero(width > 0)
        one, other, width = one[beside], other[beside], width[beside]
        height = np.minimum(found.bottom[one], sought.bottom[other]) - np.maximum(found.top[one], sought.top[other])
        across = np.flatnonzero(height > 0)
        one, other = one[across], other[across]
        common = width[across] * height[across]
        share = joins_union[other]
        iou = common / (found.area[one] + sought.area[other] * share - common * share)
        near = np.flatnonzero(iou >= least)
        blocks.append((one[near] + block.start, other[near], iou[near]))
    one, other, iou = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
    return Pairs(one, table.member[other], iou)


def _rectangles(boxes: Truth | Detections, of: Integers | slice) -> _Rectangles:
    x, y, width, height = boxes.x[of], boxes.y[of], boxes.width[of], boxes.height[of]
    return _Rectangles(x, width + x, y, height + y, width * height)


def _blocks(size: Integers) -> Iterator[slice]:
    """Slices of detections with about `_PAIRS_AT_ONCE` candidates each; `size`, shape (detections,), says how many."""
    ends = np.cumsum(size)
    full = np.arange(_PAIRS_AT_ONCE, ends[-1] if len(ends) else 0, _PAIRS_AT_ONCE)
    cuts = [0, *np.unique(np.searchsorted(ends, full)).tolist(), len(ends)]
    return starmap(slice, pairwise(cuts))


def _candidates(start: Integers, size: Integers) -> tuple[Integers, Integers]:
    """Each detection with every member of its group, which begins at `start` and has `size`; as positions of both."""
    one = np.repeat(np.arange(len(size)), size)
    return one, np.arange(len(one)) + (start - (np.cumsum(size) - size))[one]
