"""Which boxes have area in common, and how much: pairs of one image, or of one image and category."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise, starmap
from typing import NamedTuple

import numpy as np

from scorers.detection.boxes import Boxes, Detections, Floats, Integers, Truth
from scorers.detection.ranking import radix_order

_PAIRS_AT_ONCE = 1 << 14  # the temporaries of a block stay in the processor's cache


class Pairs(NamedTuple):
    """Candidates for a match, shape (pairs,): positions in `Detections` and `Truth`, and intersection over union."""

    detection: Integers
    box: Integers
    iou: Floats


class GroupTable(NamedTuple):
    """The boxes of each group.

    Attributes:
        member: shape (boxes,), positions of boxes, group by group and in file order within one.
        start, size: shape (groups,), where in `member` each group begins, and how many boxes it has.
    """

    member: Integers
    start: Integers
    size: Integers


class Axis(NamedTuple):
    """What boxes cover of one axis; arrays have shape (boxes,)."""

    start: Floats
    end: Floats
    length: Floats


CommonLength = Callable[[Axis, Integers, Axis, Integers], Floats]
"""What pairs have in common on one axis, from the axes of both sides and the positions of the pairs on them."""


def between_edges(one: Axis, first: Integers, other: Axis, second: Integers) -> Floats:
    """Common length from the later start to the earlier end, 0 or less where boxes lie apart.

    Source: cocodataset/cocoapi : common/maskApi.c (bbIou), operation by operation.
    """
    ends = np.minimum(one.end[first], other.end[second])
    return np.asarray(ends - np.maximum(one.start[first], other.start[second]))


def groups_of(boxes: Boxes, images: int) -> Integers:
    """The image and category of each box as one number: category * images + image."""
    return boxes.category * images + boxes.image


def group_table(group: Integers, groups: int) -> GroupTable:
    """Gather the boxes of every group, from the group of each box."""
    size = np.bincount(group, minlength=groups)
    return GroupTable(radix_order(group, groups), np.cumsum(size) - size, size)


def pairs_within(group: Integers, table: GroupTable) -> Iterator[tuple[slice, Integers, Integers]]:
    """Each box with every member of its group, in blocks of boxes.

    Args:
        group: shape (boxes,), of the boxes on the one side.
        table: of the boxes on the other side.

    Yields:
        A slice of boxes, and shape (pairs,) positions in that slice, rising, and in `table.member`, rising for each.
    """
    for block in _blocks(table.size[group]):
        start, size = table.start[group[block]], table.size[group[block]]
        one = np.repeat(np.arange(len(size)), size)
        yield block, one, np.arange(len(one)) + (start - (np.cumsum(size) - size))[one]


def common_areas(
    boxes: Boxes, group: Integers, others: Boxes, table: GroupTable, length: CommonLength
) -> Iterator[tuple[slice, Integers, Integers, Floats]]:
    """The pairs of `pairs_within` that overlap, and the area that each has in common, above 0."""
    sought = [_axis(others, name, table.member) for name in "xy"]
    for block, one, other in pairs_within(group, table):
        found = [_axis(boxes, name, block) for name in "xy"]
        across = length(found[0], one, sought[0], other)
        beside = np.flatnonzero(across > 0)
        one, other, across = one[beside], other[beside], across[beside]
        area = across * length(found[1], one, sought[1], other)
        common = np.flatnonzero(area > 0)
        yield block, one[common], other[common], area[common]


def overlapping_pairs(truth: Truth, detections: Detections, group: Integers, least: float) -> Pairs:
    """All pairs of one image and category with IoU >= least, in order of the detections.

    The union with a crowd is the detection alone. The operations are those of pycocotools in the same order, so that
    every IoU has the same bits.

    Source: cocodataset/cocoapi : common/maskApi.c (bbIou).

    Args:
        truth, detections: of the same images and categories.
        group: shape (detections,), see `groups_of`.
        least: above 0.
    """
    table = group_table(groups_of(truth, truth.images), len(truth.categories) * truth.images)
    size, wanted = detections.width * detections.height, (truth.width * truth.height)[table.member]
    joins_union = 1.0 - truth.crowd[table.member]
    blocks = []
    for block, one, other, common in common_areas(detections, group, truth, table, between_edges):
        share = joins_union[other]
        iou = common / (size[block][one] + wanted[other] * share - common * share)
        near = np.flatnonzero(iou >= least)
        blocks.append((one[near] + block.start, other[near], iou[near]))
    one, other, iou = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
    return Pairs(one, table.member[other], iou)


def _axis(boxes: Boxes, name: str, rows: Integers | slice) -> Axis:
    start, length = (boxes.x, boxes.width) if name == "x" else (boxes.y, boxes.height)
    return Axis(start[rows], start[rows] + length[rows], length[rows])


def _blocks(size: Integers) -> Iterator[slice]:
    """Slices of boxes with about `_PAIRS_AT_ONCE` candidates each; `size`, shape (boxes,), says how many."""
    ends = np.cumsum(size)
    full = np.arange(_PAIRS_AT_ONCE, ends[-1] if len(ends) else 0, _PAIRS_AT_ONCE)
    cuts = [0, *np.unique(np.searchsorted(ends, full)).tolist(), len(ends)]
    return starmap(slice, pairwise(cuts))
