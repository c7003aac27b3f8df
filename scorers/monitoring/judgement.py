"""The monitor's verdicts against the errors there are, counted in every image at every tolerance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scorers.monitoring.agreement import Agreement, agree
from scorers.monitoring.boxes import Bools, Boxes, Floats, Ints, overlaps
from scorers.monitoring.matching import MATCHINGS
from scorers.monitoring.setups import Setup


@dataclass(frozen=True, slots=True, eq=False)
class ImageCounts:
    """What there is in every image, shape (images,), and what the monitor makes of it, shape (images, tolerances).

    Attributes:
        true_positives, false_positives, misses: D_TP, D_FP (detected persons) and D_FN (true persons).
        detected_false_positives: false positives declared false, as no part agrees with them.
        rejected_true_positives: true positives declared false.
        detected_misses: missed persons that agree with a declaring part: one that agrees with no detected person.
        ghost_parts: declaring parts that agree with no true person, found or missed.
        declares_false_positive, declares_miss: whether the monitor finds the image wrong.
    """

    true_positives: Ints
    false_positives: Ints
    misses: Ints
    detected_false_positives: Ints
    rejected_true_positives: Ints
    detected_misses: Ints
    ghost_parts: Ints
    declares_false_positive: Bools
    declares_miss: Bools


def judge(truth: Boxes, setup: Setup, images: int, protocol: str, tolerances: Floats, iou: float) -> ImageCounts:
    """Count verdicts and errors in every image.

    Source: `per_object_experiment` and `per_image_experiment` (src/experiments.py of the reference),
    `decision_strategy_1` and `decision_strategy_2` (src/tools/evaluation_protocol.py).

    * Both verdicts and their comparison with the truth use the same tolerance.
    * A declaring part that agrees with a person who is found is neither a detection nor a ghost.
    * A ghost part agrees with no detected person either, but that holds for every declaring part.
    * Protocol `paper`: boxes without area agree with everything in their image; `strict`: with nothing.
    * Protocol `paper` declares misses in an image with a wrong area, see `misses_declared_as_published`; `strict` where
      any part declares one.
    """
    match = MATCHINGS[protocol](truth, setup.persons, iou)
    without_area = protocol == "paper"
    with_detected = agree(setup.parts, setup.persons, tolerances, without_area=without_area)
    with_true = agree(setup.parts, truth, tolerances, without_area=without_area)
    rejected, declaring = with_detected.lonely_persons, with_detected.lonely_parts
    correct = match.correct[:, np.newaxis]
    if protocol == "paper":
        declares_miss = misses_declared_as_published(setup.parts, setup.persons, rejected, images, tolerances)
    else:
        declares_miss = _count(setup.parts.image, declaring, images) > 0

    def count(boxes: Boxes, verdicts: Bools) -> Ints:
        return _count(boxes.image, verdicts, images)

    return ImageCounts(
        true_positives=count(setup.persons, correct)[:, 0],
        false_positives=count(setup.persons, ~correct)[:, 0],
        misses=count(truth, ~match.found[:, np.newaxis])[:, 0],
        detected_false_positives=count(setup.persons, rejected & ~correct),
        rejected_true_positives=count(setup.persons, rejected & correct),
        detected_misses=count(truth, missed_and_declared(with_true, declaring, match.found)),
        ghost_parts=count(setup.parts, declaring & with_true.lonely_parts),
        declares_false_positive=count(setup.persons, rejected) > 0,
        declares_miss=declares_miss,
    )


def missed_and_declared(with_true: Agreement, declaring: Bools, found: Bools) -> Bools:
    """Whether each true person is missed and agrees with a declaring part, shape (persons, tolerances)."""
    agrees = with_true.first[:, np.newaxis] <= np.arange(with_true.tolerances)
    pair, tolerance = np.nonzero(agrees & declaring[with_true.part] & ~found[with_true.person, np.newaxis])
    declared = np.zeros((with_true.persons, with_true.tolerances), dtype=np.bool_)
    declared[with_true.person[pair], tolerance] = True
    return declared


def misses_declared_as_published(
    parts: Boxes, persons: Boxes, rejected: Bools, images: int, tolerances: Floats
) -> Bools:
    """Whether each image is declared to miss a person, shape (images, tolerances), with the slip of the reference.

    Its loop over parts and persons compares the intersection with the area of the part or, if smaller, of the person at
    whom the loop before stopped: the first in file order who is rejected, or the last if none is. Without detected
    persons every part declares a miss. As that area is one for all persons of an image, a part agrees with any of them
    just when it agrees with the one of the largest intersection.

    Source: `decision_strategy_1` (src/tools/evaluation_protocol.py of the reference).
    """
    common = overlaps(parts, persons)
    occupied = np.bincount(persons.image, minlength=images) > 0
    largest = np.where(occupied[parts.image], 0.0, -np.inf)
    np.maximum.at(largest, common.left, common.area)
    smaller = np.minimum(parts.area[:, np.newaxis], _reached_area(persons, rejected, images)[parts.image])
    return _count(parts.image, largest[:, np.newaxis] < (1.0 - tolerances) * smaller, images) > 0


def _reached_area(persons: Boxes, rejected: Bools, images: int) -> Floats:
    """Area of the person at whom a search for the first rejected one stops, shape (images, tolerances); 0 for none."""
    rows, area = np.arange(len(persons)), np.append(persons.area, 0.0)
    last = np.full(images, -1)
    np.maximum.at(last, persons.image, rows)
    reached = np.empty((images, rejected.shape[1]), dtype=np.intp)
    for position, column in enumerate(rejected.T):
        first = np.full(images, len(persons))
        np.minimum.at(first, persons.image[column], rows[column])
        reached[:, position] = np.where(first < len(persons), first, last)
    return area[reached]


def _count(image: Ints, verdicts: Bools, images: int) -> Ints:
    """How many rows of each image have the verdict, shape (images, columns of `verdicts`)."""
    return np.stack([np.bincount(image[column], minlength=images) for column in verdicts.T], axis=1)
