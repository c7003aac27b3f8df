"""The errors that there are and the monitor's verdicts on them, counted in every image at every tolerance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorers.detection.boxes import Boxes, Detections, Flags, Floats, Integers
from scorers.detection.overlaps import Axis, common_areas, group_table, pairs_within
from scorers.detection.ranking import deferred_acceptance

Counts = dict[str, NDArray[Any]]
"""What there is in every image, by the name of the metric that is its sum; shape (images, tolerances or 1)."""

IOU = 0.5


def judge(
    truth: Boxes,
    persons: Detections,
    parts: Detections,
    images: int,
    protocol: str,
    tolerances: Floats,
    ignored: Boxes | None = None,
) -> Counts:
    """Count verdicts and errors in every image.

    * `D_TP`, `D_FP`, `D_FN`: detected persons that are true or false, true persons that are missed.
    * `detected_FP`, `rejected_TP`: false and true positives that are declared false, as no part agrees with them.
    * `detected_FN`: missed persons that agree with a declaring part: one that agrees with no detected person.
    * `ghost_parts`: declaring parts that agree with no true person, found or missed. A declaring part that agrees with
      a person who is found is neither a detection nor a ghost.
    * `images_with(FP)`: whether the image has a false positive; `image_TP(FP)`, `image_FP(FP)`: whether it has one or
      not where it is declared to; `(FN)` likewise of missed persons.

    Both verdicts and their comparison with the truth use the same tolerance. Protocol `paper`: boxes without area agree
    with everything in their image, and misses are declared as in `misses_declared_as_published`; `strict`: they agree
    with nothing, and a miss is declared where any part declares one.

    Source: `per_object_experiment` and `per_image_experiment` (src/experiments.py of the authors' code),
    `decision_strategy_1` and `decision_strategy_2` (src/tools/evaluation_protocol.py).
    """
    correct, found = match(truth, persons, images, protocol)
    paper = protocol == "paper"
    part, person, agreed = agree(parts, persons, images, tolerances, without_area=paper)
    rejected, declaring = ~_any(len(persons), person, agreed), ~_any(len(parts), part, agreed)
    part, person, agreed = agree(parts, truth, images, tolerances, without_area=paper)
    false, spared = ~correct, np.zeros_like(declaring)
    if ignored is not None and len(ignored):
        false &= ~match(ignored, persons, images, "paper")[0]
        rejected &= correct | false
        of_ignored, _, near = agree(parts, ignored, images, tolerances, without_area=paper)
        spared = _any(len(parts), of_ignored, near) & ~_any(len(parts), part, agreed)
        declaring &= ~spared
    declared_missed = _any(len(truth), person, agreed & declaring[:, part])
    counts: Counts = {
        "D_TP": _count(persons, correct[np.newaxis], images),
        "D_FP": _count(persons, false[np.newaxis], images),
        "D_FN": _count(truth, ~found[np.newaxis], images),
        "detected_FP": _count(persons, rejected & false, images),
        "rejected_TP": _count(persons, rejected & correct, images),
        "detected_FN": _count(truth, declared_missed & ~found, images),
        "ghost_parts": _count(parts, declaring & ~_any(len(parts), part, agreed), images),
    }
    if paper:
        declares_miss = misses_declared_as_published(parts, persons, rejected, images, tolerances, spared)
    else:
        declares_miss = _count(parts, declaring, images) > 0
    for error, declared in (("FP", _count(persons, rejected, images) > 0), ("FN", declares_miss)):
        there = counts[f"D_{error}"] > 0
        counts[f"images_with({error})"] = there
        counts[f"image_TP({error})"], counts[f"image_FP({error})"] = declared & there, declared & ~there
    return counts


def match(truth: Boxes, detections: Detections, images: int, protocol: str) -> tuple[Flags, Flags]:
    """Which detections are true, shape (detections,), and which persons they find, shape (persons,).

    Crowd boxes are ordinary persons, and IoU has no crowd rule: this is not the matching of COCO's average precision.
    By falling score, ties in file order, a detection takes the person of best IoU, .5 or more; of equals the last in
    the file. Protocol `paper`: a person can be taken any number of times, so that duplicates are true. Protocol
    `strict`: once, as in COCO's matching (pycocotools : cocoeval.py, `evaluateImg`).

    Boxes far thinner than the precision of their coordinates may have a union of 0 or less, where the authors' code
    divides by zero: they match nothing.

    Source: `compute_TP_FP_FN_detections_per_image` (src/tools/evaluation_protocol.py of the authors' code) and
    `bbox_iou` (src/tools/utils.py). It takes the last entry of an unstable `numpy.argsort` of the IoUs, which is the
    last in the file for up to 16 persons.

    >>> image, upright = np.zeros(2, int), np.array([[0.0, 9.0], [0.0, 0.0], [4.0, 4.0], [9.0, 9.0]])
    >>> twice = Detections(image, image, *upright[:, :1].repeat(2, axis=1), np.array([0.8, 0.9]))
    >>> [match(Boxes(image, image, *upright), twice, 1, protocol)[0].tolist() for protocol in ("paper", "strict")]
    [[True, True], [False, True]]
    """
    detection, person, common = overlaps(detections, truth, images)
    union = (detections.width * detections.height)[detection] + (truth.width * truth.height)[person] - common
    iou = np.divide(common, union, out=np.zeros_like(union), where=union > 0)
    rank = np.empty(len(detections), dtype=np.int64)
    rank[np.argsort(-detections.score, kind="stable")] = np.arange(len(detections))
    order = np.lexsort((-person, -iou, rank[detection]))
    order = order[iou[order] >= IOU]
    detection, person = detection[order], person[order]
    taken = deferred_acceptance(rank[detection], person, unlimited=np.full(len(order), protocol == "paper"))
    correct, found = np.zeros(len(detections), dtype=np.bool_), np.zeros(len(truth), dtype=np.bool_)
    correct[detection[taken]] = found[person[taken]] = True
    return correct, found


def agree(
    parts: Boxes, persons: Boxes, images: int, tolerances: Floats, *, without_area: bool
) -> tuple[Integers, Integers, Flags]:
    """Which parts lie in persons of their image, up to a tolerance.

    Returns:
        Part and person of each pair, shape (pairs,), and whether they agree at each tolerance, shape
        (tolerances, pairs). Pairs that are left out agree at none.

    Formula: intersection >= (1 - tolerance) * min(part area, person area).
    Source: `decision_strategy_2` (src/tools/evaluation_protocol.py of the authors' code). By the formula a box without
    area agrees with everything in its image, if `without_area` says so; else it agrees with nothing.

    >>> image, sides = np.zeros(2, int), np.array([[1.0, 8.0], [0.0, 0.0], [2.0, 4.0], [2.0, 4.0]])
    >>> parts, person = Boxes(image, image, *sides), Boxes(image[:1], image[:1], *np.array([[0.0], [0], [10], [20]]))
    >>> agree(parts, person, 1, np.array([0.01, 0.5, 0.9]), without_area=False)[2].tolist()
    [[True, False], [True, True], [True, True]]
    """
    part, person, common = overlaps(parts, persons, images)
    sizes = parts.width * parts.height, persons.width * persons.height
    smaller = np.minimum(sizes[0][part], sizes[1][person])
    share = 1.0 - tolerances[:, np.newaxis]
    pairs = [(part, person, (common >= share * smaller) & (smaller > 0))]
    if without_area:
        table = group_table(persons.image, images)
        for block, one, other in pairs_within(parts.image, table):
            part, person = one + block.start, table.member[other]
            flat = (sizes[0][part] == 0) | (sizes[1][person] == 0)
            pairs.append((part[flat], person[flat], np.ones((len(share), np.count_nonzero(flat)), dtype=np.bool_)))
    part, person, agreed = (np.concatenate(arrays, axis=-1) for arrays in zip(*pairs, strict=True))
    return part, person, agreed


def misses_declared_as_published(
    parts: Boxes, persons: Boxes, rejected: Flags, images: int, tolerances: Floats, spared: Flags
) -> Flags:
    """Whether each image is declared to miss a person, shape (images, tolerances), with the slip of the authors' code.

    Its loop over parts and persons compares the intersection with the area of the part or, if smaller, of the person at
    whom the loop before stopped: the first in file order who is rejected, or the last if none is. Without detected
    persons every part declares a miss. As that area is one for all persons of an image, a part agrees with any of them
    just when it agrees with the one of the largest intersection. Parts that are `spared`, (tolerances, parts), declare
    nothing.

    Source: `decision_strategy_1` (src/tools/evaluation_protocol.py of the authors' code).
    """
    reached = np.full((len(tolerances), images), -1)
    reached[:, persons.image] = np.arange(len(persons))  # of several values for one place the last stays
    for places, of_persons in zip(reached, rejected, strict=True):
        first = np.flatnonzero(of_persons)[::-1]
        places[persons.image[first]] = first
    area = np.append(persons.width * persons.height, 0.0)[reached]
    part, _, common = overlaps(parts, persons, images)
    largest = np.where(reached[0, parts.image] >= 0, 0.0, -np.inf)
    np.maximum.at(largest, part, common)
    smaller = np.minimum(parts.width * parts.height, area[:, parts.image])
    return _count(parts, (largest < (1.0 - tolerances[:, np.newaxis]) * smaller) & ~spared, images) > 0


def overlaps(left: Boxes, right: Boxes, images: int) -> tuple[Integers, Integers, Floats]:
    """All pairs of a left and a right box of one image with an intersection above 0, and that; shape (pairs,)."""
    table = group_table(right.image, images)
    blocks = [
        (one + block.start, table.member[other], area)
        for block, one, other, area in common_areas(left, left.image, right, table, _within_span)
    ]
    one, other, area = map(np.concatenate, zip(*blocks, strict=True))
    return one, other, area


def _within_span(one: Axis, first: Integers, other: Axis, second: Integers) -> Floats:
    """Common length: the sum of both lengths less the length of the span of both.

    Source: `bbox_intersection` (src/tools/utils.py of the authors' code), operation by operation, as verdicts compare
    the area with thresholds that boxes of whole pixels meet exactly.
    """
    span = np.maximum(one.end[first], other.end[second])
    span -= np.minimum(one.start[first], other.start[second])
    return np.subtract(one.length[first] + other.length[second], span, out=span)


def _any(boxes: int, of_pair: Integers, agreed: Flags) -> Flags:
    """Whether each box agrees with any other, shape (tolerances, boxes); `of_pair` is the box of each pair."""
    found = np.zeros((len(agreed), boxes), dtype=np.bool_)
    for of_boxes, of_pairs in zip(found, agreed, strict=True):
        of_boxes[of_pair[of_pairs]] = True
    return found


def _count(boxes: Boxes, verdicts: Flags, images: int) -> Integers:
    """How many boxes of each image have the verdict, shape (images, rows of `verdicts`)."""
    return np.stack([np.bincount(boxes.image[row], minlength=images) for row in verdicts], axis=1)
