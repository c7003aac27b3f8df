"""The monitor's verdicts against the errors there are, counted in every image at every tolerance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorers.detection.boxes import Boxes, Detections, Flags, Floats, Integers
from scorers.detection.overlaps import group_table, pairs_within
from scorers.monitoring.matching import MATCHINGS, overlaps

Counts = dict[str, NDArray[Any]]
"""What there is in every image, by the name of the metric that is its sum; shape (images, tolerances or 1)."""


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """What a monitor sees.

    Attributes:
        name: as the paper calls it: MultiDet, SingleDet or Baseline.
        person: the class of persons in the truth.
        persons: detected persons, whose errors are to be found.
        parts: detected body parts, all classes alike; in Baseline the persons of the second detector.
    """

    name: str
    person: str
    persons: Detections
    parts: Detections


class Agreement(NamedTuple):
    """The pairs of a part and a person that agree at some tolerance of a sweep; they do at every later one.

    Attributes:
        part, person: their positions, shape (pairs,).
        first: position in the sweep of the first tolerance at which they agree, shape (pairs,).
        of_parts, of_persons: the first tolerance at which each agrees with any, shape (parts,) and (persons,); the
            number of tolerances where it never does.
    """

    part: Integers
    person: Integers
    first: Integers
    of_parts: Integers
    of_persons: Integers


def agree(parts: Boxes, persons: Boxes, images: int, tolerances: Floats, *, without_area: bool) -> Agreement:
    """Parts that lie in persons of their image, up to a tolerance.

    Formula: intersection >= (1 - tolerance) * min(part area, person area).
    Source: `decision_strategy_2` (src/tools/evaluation_protocol.py of the authors' code). By the formula a box without
    area agrees with everything in its image, if `without_area` says so; else it agrees with nothing.

    >>> image, sides = np.zeros(2, int), np.array([[1.0, 8.0], [0.0, 0.0], [2.0, 4.0], [2.0, 4.0]])
    >>> parts, person = Boxes(image, image, *sides), Boxes(image[:1], image[:1], *np.array([[0.0], [0], [10], [20]]))
    >>> agree(parts, person, 1, np.array([0.01, 0.5, 0.9]), without_area=False).of_parts
    array([0, 1])
    """
    common = overlaps(parts, persons, images)
    sizes = parts.width * parts.height, persons.width * persons.height
    smaller = np.minimum(sizes[0][common.left], sizes[1][common.right])
    first = np.zeros(len(smaller), dtype=np.int64)
    for tolerance in tolerances:
        first += common.area < (1.0 - tolerance) * smaller
    ever = (first < len(tolerances)) & (smaller > 0)
    pairs = [(common.left[ever], common.right[ever], first[ever])]
    if without_area:
        table = group_table(persons.image, images)
        for block, one, other in pairs_within(parts.image, table):
            part, person = one + block.start, table.member[other]
            flat = (sizes[0][part] == 0) | (sizes[1][person] == 0)
            pairs.append((part[flat], person[flat], np.zeros(np.count_nonzero(flat), dtype=np.int64)))
    part, person, first = map(np.concatenate, zip(*pairs, strict=True))
    of_parts, of_persons = (np.full(len(boxes), len(tolerances)) for boxes in (parts, persons))
    np.minimum.at(of_parts, part, first)
    np.minimum.at(of_persons, person, first)
    return Agreement(part, person, first, of_parts, of_persons)


def judge(truth: Boxes, setup: Setup, images: int, protocol: str, tolerances: Floats, iou: float = 0.5) -> Counts:
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
    persons, parts = setup.persons, setup.parts
    match = MATCHINGS[protocol](truth, persons, images, iou)
    paper = protocol == "paper"
    with_detected = agree(parts, persons, images, tolerances, without_area=paper)
    with_true = agree(parts, truth, images, tolerances, without_area=paper)
    sweep = np.arange(len(tolerances))
    rejected, declaring = (first[:, np.newaxis] > sweep for first in (with_detected.of_persons, with_detected.of_parts))
    pair, tolerance = np.nonzero((with_true.first[:, np.newaxis] <= sweep) & declaring[with_true.part])
    declared_missed = np.zeros((len(truth), len(sweep)), dtype=np.bool_)
    declared_missed[with_true.person[pair], tolerance] = True
    correct, missed = match.correct[:, np.newaxis], ~match.found[:, np.newaxis]
    counts: Counts = {
        "D_TP": _count(persons, correct, images),
        "D_FP": _count(persons, ~correct, images),
        "D_FN": _count(truth, missed, images),
        "detected_FP": _count(persons, rejected & ~correct, images),
        "rejected_TP": _count(persons, rejected & correct, images),
        "detected_FN": _count(truth, declared_missed & missed, images),
        "ghost_parts": _count(parts, declaring & (with_true.of_parts[:, np.newaxis] > sweep), images),
    }
    if paper:
        declares_miss = misses_declared_as_published(parts, persons, rejected, images, tolerances)
    else:
        declares_miss = _count(parts, declaring, images) > 0
    for error, declared in (("FP", _count(persons, rejected, images) > 0), ("FN", declares_miss)):
        there = counts[f"D_{error}"] > 0
        counts[f"images_with({error})"] = there
        counts[f"image_TP({error})"], counts[f"image_FP({error})"] = declared & there, declared & ~there
    return counts


def misses_declared_as_published(
    parts: Boxes, persons: Boxes, rejected: Flags, images: int, tolerances: Floats
) -> Flags:
    """Whether each image is declared to miss a person, shape (images, tolerances), with the slip of the authors' code.

    Its loop over parts and persons compares the intersection with the area of the part or, if smaller, of the person at
    whom the loop before stopped: the first in file order who is rejected, or the last if none is. Without detected
    persons every part declares a miss. As that area is one for all persons of an image, a part agrees with any of them
    just when it agrees with the one of the largest intersection.

    Source: `decision_strategy_1` (src/tools/evaluation_protocol.py of the authors' code).
    """
    common = overlaps(parts, persons, images)
    occupied = np.bincount(persons.image, minlength=images) > 0
    largest = np.where(occupied[parts.image], 0.0, -np.inf)
    np.maximum.at(largest, common.left, common.area)
    size = (parts.width * parts.height)[:, np.newaxis]
    smaller = np.minimum(size, _reached_area(persons, rejected, images)[parts.image])
    return _count(parts, largest[:, np.newaxis] < (1.0 - tolerances) * smaller, images) > 0


def _reached_area(persons: Boxes, rejected: Flags, images: int) -> Floats:
    """Area of the person at whom a search for the first rejected one stops, shape (images, tolerances); 0 for none."""
    rows, area = np.arange(len(persons)), np.append(persons.width * persons.height, 0.0)
    last = np.full(images, -1)
    np.maximum.at(last, persons.image, rows)
    reached = np.empty((images, rejected.shape[1]), dtype=np.int64)
    for position, column in enumerate(rejected.T):
        first = np.full(images, len(persons))
        np.minimum.at(first, persons.image[column], rows[column])
        reached[:, position] = np.where(first < len(persons), first, last)
    return area[reached]


def _count(boxes: Boxes, verdicts: Flags, images: int) -> Integers:
    """How many boxes of each image have the verdict, shape (images, columns of `verdicts`)."""
    return np.stack([np.bincount(boxes.image[column], minlength=images) for column in verdicts.T], axis=1)
