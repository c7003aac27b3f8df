"""The errors of a person detector: which detections are true (D_TP) or false (D_FP), which persons are missed (D_FN).

Crowd boxes are ordinary persons, and IoU has no crowd rule: this is not the matching of COCO's average precision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from scorers.detection.boxes import Boxes, Detections, Flags, Floats, Integers
from scorers.detection.matching import deferred_acceptance
from scorers.detection.overlaps import Axis, common_areas, group_table


class Overlaps(NamedTuple):
    """Pairs of boxes of one image that have area in common; each array has shape (pairs,).

    Attributes:
        left, right: their positions; those on the left rise, and for each those on the right.
        area: of the intersection, above 0.
    """

    left: Integers
    right: Integers
    area: Floats


class Match(NamedTuple):
    """Detections against the truth.

    Attributes:
        correct: whether each detection is a true positive, shape (detections,).
        found: whether each true person is matched, shape (persons,).
    """

    correct: Flags
    found: Flags


def overlaps(left: Boxes, right: Boxes, images: int) -> Overlaps:
    """All pairs of a left and a right box of one image with an intersection above 0."""
    table = group_table(right.image, images)
    blocks = [
        (one + block.start, table.member[other], area)
        for block, one, other, area in common_areas(left, left.image, right, table, _within_span)
    ]
    return Overlaps(*map(np.concatenate, zip(*blocks, strict=True)))


def paper_match(truth: Boxes, detections: Detections, images: int, threshold: float) -> Match:
    """Protocol `paper`: every detection by itself; it is true if the person of best IoU has IoU >= threshold.

    That person is found, and may be found many times, so that duplicates count as true. Of equally good persons the
    last in the file is found. The authors' code goes by falling score, ties in reverse file order, which leaves no
    trace in the result, as no detection takes a person from another.

    Source: `compute_TP_FP_FN_detections_per_image` (src/tools/evaluation_protocol.py of the authors' code). It takes
    the last entry of an unstable `numpy.argsort` of the IoUs, which is the last in the file for up to 16 persons.

    >>> image, upright = np.zeros(2, int), np.array([[0.0, 0.0], [0.0, 0.0], [4.0, 4.0], [9.0, 6.0]])
    >>> twice = Detections(image, image, *upright, np.array([0.9, 0.8]))
    >>> paper_match(Boxes(image, image, *upright), twice, 1, 0.5)
    Match(correct=array([ True,  True]), found=array([ True,  True]))
    """
    detection, person, iou = _candidates(truth, detections, images, threshold)
    order = np.lexsort((person, iou, detection))
    detection, person = detection[order], person[order]
    best = np.append(detection[1:] != detection[:-1], True)[: len(detection)]
    return Match(_flags(len(detections), detection), _flags(len(truth), person[best]))


def strict_match(truth: Boxes, detections: Detections, images: int, threshold: float) -> Match:
    """Protocol `strict`: one to one, greedy; duplicates are false.

    By falling score, ties in file order, a detection takes the free person of best IoU >= threshold; of equally good
    persons the last in the file. This is the order of COCO's matching (pycocotools : cocoeval.py, `evaluateImg`).

    >>> image, upright = np.zeros(2, int), np.array([[0.0, 9.0], [0.0, 0.0], [4.0, 4.0], [9.0, 9.0]])
    >>> twice = Detections(image, image, *upright[:, :1].repeat(2, axis=1), np.array([0.8, 0.9]))
    >>> strict_match(Boxes(image, image, *upright), twice, 1, 0.5)
    Match(correct=array([False,  True]), found=array([ True, False]))
    """
    detection, person, iou = _candidates(truth, detections, images, threshold)
    rank = np.empty(len(detections), dtype=np.int64)
    rank[np.argsort(-detections.score, kind="stable")] = np.arange(len(detections))
    order = np.lexsort((-person, -iou, rank[detection]))
    taken = order[deferred_acceptance(rank[detection[order]], person[order])]
    return Match(_flags(len(detections), detection[taken]), _flags(len(truth), person[taken]))


MATCHINGS: Mapping[str, Callable[[Boxes, Detections, int, float], Match]] = {
    "paper": paper_match,
    "strict": strict_match,
}


def _within_span(one: Axis, first: Integers, other: Axis, second: Integers) -> Floats:
    """Common length: the sum of both lengths less the length of the span of both.

    Source: `bbox_intersection` (src/tools/utils.py of the authors' code), operation by operation, as verdicts compare
    the area with thresholds that boxes of whole pixels meet exactly.
    """
    span = np.maximum(one.end[first], other.end[second])
    span -= np.minimum(one.start[first], other.start[second])
    return np.subtract(one.length[first] + other.length[second], span, out=span)


def _candidates(truth: Boxes, detections: Detections, images: int, threshold: float) -> Overlaps:
    """Pairs of a detection and a person with IoU >= threshold, and that IoU.

    Source: `bbox_iou` (src/tools/utils.py of the authors' code). Boxes far thinner than the precision of their
    coordinates may have a union of 0 or less, where it divides by zero: they match nothing.
    """
    pairs = overlaps(detections, truth, images)
    union = (detections.width * detections.height)[pairs.left] + (truth.width * truth.height)[pairs.right] - pairs.area
    iou = np.divide(pairs.area, union, out=np.zeros_like(union), where=union > 0)
    near = iou >= threshold
    return Overlaps(pairs.left[near], pairs.right[near], iou[near])


def _flags(length: int, rows: Integers) -> Flags:
    flags = np.zeros(length, dtype=np.bool_)
    flags[rows] = True
    return flags
