"""The whole evaluation of a monitor, the best tolerance by each criterion, and what the protocol changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from schemas.errors import UsageError, unknown_name
from scorers.monitoring.boxes import Boxes, Floats, check_boxes
from scorers.monitoring.judgement import ImageCounts, judge
from scorers.monitoring.matching import PROTOCOLS
from scorers.monitoring.setups import Setup
from scorers.monitoring.summary import SLACK, Numbers, PerImage, PerObject, best_tolerance, per_image, per_object

IOU = 0.5
TOLERANCES = (0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)
"""The sweep of src/experiments.py of the reference."""

CRITERIA = ("balance(FP)", "balance(FN)", "MCC(FP)", "MCC(FN)")
"""What the tolerance is chosen by, afterwards, for each half of the paper's tables: per object, then per image."""


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """One monitor under one protocol.

    Attributes:
        protocol: `paper` or `strict`.
        tolerances: the sweep, shape (tolerances,).
        counts: the sufficient statistics, image by image.
        objects: the per-object evaluation.
        false_positives: the per-image evaluation of "has at least one false positive".
        misses: the per-image evaluation of "has at least one missed person".
        best: the best tolerance by each of `CRITERIA`, None where the criterion is null throughout.
        warnings: what is empty or null, and why.
    """

    protocol: str
    tolerances: Floats
    counts: ImageCounts
    objects: PerObject
    false_positives: PerImage
    misses: PerImage
    best: dict[str, float | None]
    warnings: tuple[str, ...]

    @property
    def metrics(self) -> dict[str, Numbers]:
        """Every number by name, in print order: scalars, and arrays of shape (tolerances,) where they are swept."""
        return named_metrics(self.objects, self.false_positives, self.misses)


class Difference(NamedTuple):
    """A number that depends on the protocol; NaN is null, `tolerance` None for what is not swept."""

    metric: str
    tolerance: float | None
    paper: float
    strict: float
    by: float


def evaluate(
    truth: Boxes,
    setup: Setup,
    images: int,
    *,
    protocol: str = "paper",
    tolerances: Sequence[float] | Floats = TOLERANCES,
    iou: float = IOU,
) -> Evaluation:
    """Every number of one monitor.

    Args:
        truth: the true persons, crowds among them.
        setup: detected persons and parts, cut at their score thresholds.
        images: how many images there are, those without any box included.
        protocol: `paper` does what the reference does, `strict` what a careful reader would expect; they differ in
            matching (`matching`), boxes without area, the area that declares misses (`judgement`) and quotients of
            nothing (`summary`).
        tolerances: rising, from 0 to below 1.
        iou: from which a detection may match a person.

    Raises:
        UsageError: unknown protocol, tolerances or an IoU out of range, boxes that are none.

    In one image two persons stand at 0 and 30. The detector finds the first and a false one at 60. One part lies in the
    first person, one in the second, whom it declares missed, and one at 90 is a ghost.

    >>> from scorers.monitoring.boxes import Detections
    >>> def boxes(lefts, width, height):
    ...     size = np.ones(len(lefts))
    ...     return np.zeros(len(lefts), int), np.array(lefts), 0 * size, width * size, height * size
    >>> persons = Detections(*boxes([0.0, 60.0], 10, 20), np.array([0.9, 0.8]), np.zeros(2, int))
    >>> parts = Detections(*boxes([2.0, 32.0, 90.0], 4, 4), np.array([0.9, 0.8, 0.7]), np.zeros(3, int))
    >>> run = evaluate(Boxes(*boxes([0.0, 30.0], 10, 20)), Setup("MultiDet", persons, parts), 1, tolerances=[0.01])
    >>> {name: values.item() for name, values in list(run.metrics.items())[:9]}  # doctest: +NORMALIZE_WHITESPACE
    {'D_TP': 1, 'D_FP': 1, 'D_FN': 1, 'detected_FP': 1, 'rejected_TP': 0, 'balance(FP)': 1,
     'detected_FN': 1, 'ghost_parts': 1, 'balance(FN)': 0}
    """
    sweep = np.asarray(tolerances, dtype=np.float64)
    _check(truth, setup, images, protocol, sweep, iou)
    counts = judge(truth, setup, images, protocol, sweep, iou)
    objects = per_object(counts)
    false_positives = per_image(counts.declares_false_positive, counts.false_positives > 0, protocol)
    misses = per_image(counts.declares_miss, counts.misses > 0, protocol)
    metrics = named_metrics(objects, false_positives, misses)
    best = {criterion: best_tolerance(metrics[criterion], sweep) for criterion in CRITERIA}
    warnings = (*_empty(truth, setup, images), *(_undefined(counts, protocol, sweep) if images else ()))
    return Evaluation(protocol, sweep, counts, objects, false_positives, misses, best, warnings)


def named_metrics(objects: PerObject, false_positives: PerImage, misses: PerImage) -> dict[str, Numbers]:
    """The numbers by the names that the front door shows; `(FP)` and `(FN)` say which error is looked for."""
    of_images = {
        f"{name}({error})": values
        for error, images in (("FP", false_positives), ("FN", misses))
        for name, values in {
            "images_with": images.positives,
            "image_TP": images.true_positives,
            "image_FP": images.false_positives,
            "precision": images.precision,
            "recall": images.recall,
            "MCC": images.mcc,
        }.items()
    }
    return {
        "D_TP": objects.true_positives,
        "D_FP": objects.false_positives,
        "D_FN": objects.misses,
        "detected_FP": objects.detected_false_positives,
        "rejected_TP": objects.rejected_true_positives,
        "balance(FP)": objects.false_positive_balance,
        "detected_FN": objects.detected_misses,
        "ghost_parts": objects.ghost_parts,
        "balance(FN)": objects.miss_balance,
        **of_images,
    }


def differences(paper: Evaluation, strict: Evaluation) -> list[Difference]:
    """The numbers that differ between two evaluations of the same detections over the same sweep, in print order.

    Precision and recall that differ by no more than the slack of the reference count as equal.
    """
    found = []
    for metric, values in paper.metrics.items():
        others = np.atleast_1d(strict.metrics[metric])
        for position, (a, b) in enumerate(zip(np.atleast_1d(values), others, strict=True)):
            if not np.isclose(a, b, rtol=0, atol=SLACK, equal_nan=True):
                tolerance = float(paper.tolerances[position]) if values.ndim else None
                found.append(Difference(metric, tolerance, float(a), float(b), float(b - a)))
    return found


def _check(truth: Boxes, setup: Setup, images: int, protocol: str, tolerances: Floats, iou: float) -> None:
    if protocol not in PROTOCOLS:
        raise unknown_name("protocol", protocol, list(PROTOCOLS))
    # At tolerance 1 boxes would agree that lie apart.
    if not (len(tolerances) and tolerances[0] >= 0 and (np.diff(tolerances) > 0).all() and tolerances[-1] < 1):
        raise UsageError(f"tolerances {tolerances.tolist()}, expected rising numbers from 0 to below 1")
    if not 0 < iou <= 1:
        raise UsageError(f"IoU threshold {iou}, expected above 0, up to 1")
    for name, boxes in (("truth", truth), ("persons", setup.persons), ("parts", setup.parts)):
        check_boxes(boxes, name, images)


def _empty(truth: Boxes, setup: Setup, images: int) -> list[str]:
    consequences = (
        (images, "there are no images"),
        (len(truth), "there are no true persons: every detected person is a false positive"),
        (len(setup.persons), "there are no detected persons: every part declares a miss"),
        (len(setup.parts), "there are no parts: every detected person is declared false, and no miss is declared"),
    )
    return [consequence for amount, consequence in consequences if not amount]


def _undefined(counts: ImageCounts, protocol: str, tolerances: Floats) -> list[str]:
    """A sentence for each quotient of nothing; `strict` gives null for it, `paper` the 0 of the reference."""
    verdicts = {
        "FP": per_image(counts.declares_false_positive, counts.false_positives > 0, "strict"),
        "FN": per_image(counts.declares_miss, counts.misses > 0, "strict"),
    }
    found = []
    for error, images in verdicts.items():
        for name, values, reason in (
            ("precision", images.precision, f"no image is declared to have an {error}"),
            ("recall", images.recall, f"no image has an {error}"),
            ("MCC", images.mcc, f"all images or none have an {error}, or are declared to have one"),
        ):
            nulls = ", ".join(f"{tolerance:g}" for tolerance in tolerances[np.isnan(values)])
            if nulls:
                instead = "; the reference gives 0" if protocol == "paper" else ""
                found.append(f"{name}({error}) is undefined at o = {nulls}: {reason}{instead}")
    return found
