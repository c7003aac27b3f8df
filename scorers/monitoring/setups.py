"""Who monitors whom: the persons of one detector, and what confirms or contradicts them, cut at score thresholds.

Source: scripts/run_experiments.sh and src/prepare_detections.py of the reference, which takes as threshold of each
class the score of best F1 on the validation images of DensePose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from schemas.errors import UsageError
from scorers.monitoring.boxes import Detections, Floats


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """What a monitor sees.

    Attributes:
        name: as the paper calls it: MultiDet, SingleDet or Baseline.
        persons: detected persons, whose errors are to be found.
        parts: detected body parts, all classes alike; in Baseline the persons of the second detector.
    """

    name: str
    persons: Detections
    parts: Detections


def multi_detector(
    persons: Detections, parts: Detections, person_threshold: float, part_thresholds: Sequence[float] | Floats
) -> Setup:
    """MultiDet: one detector of persons, another of parts, the latter with a threshold for each of its classes.

    Raises:
        UsageError: a part whose class has no threshold.
    """
    kept_persons = persons.rows(persons.score >= person_threshold)
    return Setup("MultiDet", kept_persons, above_thresholds(parts, part_thresholds))


def single_detector(detections: Detections, thresholds: Sequence[float] | Floats, person: int = 0) -> Setup:
    """SingleDet: one detector of persons and parts; `person` is the class of persons, all others are parts.

    Raises:
        UsageError: a detection whose class has no threshold.
    """
    kept = above_thresholds(detections, thresholds)
    is_person = kept.category == person
    return Setup("SingleDet", kept.rows(is_person), kept.rows(~is_person))


def baseline(persons: Detections, second: Detections, person_threshold: float, second_threshold: float) -> Setup:
    """Baseline: a second detector of persons stands in for the detector of parts, under the same rule of agreement."""
    return Setup(
        "Baseline", persons.rows(persons.score >= person_threshold), second.rows(second.score >= second_threshold)
    )


def above_thresholds(detections: Detections, thresholds: Sequence[float] | Floats) -> Detections:
    """Detections whose score reaches the threshold of their class: `score >= threshold` stays.

    Args:
        detections: of any classes.
        thresholds: one for each class, shape (classes,).

    Raises:
        UsageError: a class without a threshold.

    >>> zeros = np.zeros((4, 3))
    >>> found = Detections(np.zeros(3, int), *zeros, np.array([0.5, 0.5, 0.4]), np.array([0, 1, 0]))
    >>> above_thresholds(found, [0.5, 0.6]).score.tolist()
    [0.5]
    """
    outside = (detections.category < 0) | (detections.category >= len(thresholds))
    if outside.any():
        wrong = detections.category[outside.argmax()]
        raise UsageError(f"class {wrong} has no score threshold, expected 0 to {len(thresholds) - 1}")
    return detections.rows(detections.score >= np.asarray(thresholds, dtype=np.float64)[detections.category])
