"""Sums over images: the balances of the per-object evaluation; precision, recall and MCC of the per-image one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorers.monitoring.boxes import Bools, Floats
from scorers.monitoring.judgement import ImageCounts

Numbers = NDArray[Any]
"""Counts: integers, or floats where images are weighed."""

SLACK = 1e-8
"""What the reference adds to the denominators of precision and recall."""


@dataclass(frozen=True, slots=True, eq=False)
class PerObject:
    """Errors and verdicts object by object; scalars, and arrays of shape (tolerances,). See `ImageCounts`.

    The reference prints shares of them too, and stops with ZeroDivisionError where there is no D_TP, D_FP or D_FN; the
    counts are defined all the same.
    """

    true_positives: Numbers
    false_positives: Numbers
    misses: Numbers
    detected_false_positives: Numbers
    rejected_true_positives: Numbers
    detected_misses: Numbers
    ghost_parts: Numbers

    @property
    def false_positive_balance(self) -> Numbers:
        """Detected false positives less rejected true positives."""
        return np.asarray(self.detected_false_positives - self.rejected_true_positives)

    @property
    def miss_balance(self) -> Numbers:
        """Detected misses less ghost parts."""
        return np.asarray(self.detected_misses - self.ghost_parts)


@dataclass(frozen=True, slots=True, eq=False)
class PerImage:
    """Binary classification of images: is there at least one error of a kind? Arrays have shape (tolerances,).

    Attributes:
        positives: images with an error, a scalar.
        true_positives: images with an error that are declared to have one.
        false_positives: images without, that are declared to have one.
        precision, recall, mcc: fractions and Matthews correlation; NaN is null.
    """

    positives: Numbers
    true_positives: Numbers
    false_positives: Numbers
    precision: Floats
    recall: Floats
    mcc: Floats


def per_object(counts: ImageCounts, weights: Floats | None = None) -> PerObject:
    """Sums over images, each weighed by how often it counts: `weights` of shape (images,), None for once."""
    return PerObject(
        true_positives=_total(counts.true_positives, weights),
        false_positives=_total(counts.false_positives, weights),
        misses=_total(counts.misses, weights),
        detected_false_positives=_total(counts.detected_false_positives, weights),
        rejected_true_positives=_total(counts.rejected_true_positives, weights),
        detected_misses=_total(counts.detected_misses, weights),
        ghost_parts=_total(counts.ghost_parts, weights),
    )


def per_image(declared: Bools, present: Bools, protocol: str, weights: Floats | None = None) -> PerImage:
    """Verdicts on images against the errors in them.

    Formulas: precision TP / (TP + FP); recall TP / (TP + FN);
    MCC (TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN + FP) (TN + FN)).
    Source: `per_image_experiment` (src/experiments.py of the reference), MCC by scikit-learn.

    * Protocol `strict`: null where the denominator is 0.
    * Protocol `paper`: precision and recall have 1e-8 added to the denominator, and MCC is 0 where its denominator is,
      as in scikit-learn: all are 0 there.
    * Null under both without any image.

    Args:
        declared: shape (images, tolerances).
        present: shape (images,).
        protocol: `paper` or `strict`.
        weights: as in `per_object`.

    >>> present = np.array([True, True, True, False, False])
    >>> scores = per_image(np.array([[True], [True], [False], [True], [False]]), present, "strict")
    >>> scores.precision.round(3).item(), scores.recall.round(3).item(), scores.mcc.round(3).item()
    (0.667, 0.667, 0.167)
    """
    there = present[:, np.newaxis]
    hits, false_alarms = _total(declared & there, weights), _total(declared & ~there, weights)
    positives, images = _total(present, weights), float(len(present) if weights is None else weights.sum())
    negatives, declarations = images - positives, hits + false_alarms
    above = hits * (negatives - false_alarms) - false_alarms * (positives - hits)
    below = np.sqrt(1.0 * positives * negatives * declarations * (images - declarations))
    slack, undefined = (SLACK, 0.0) if protocol == "paper" and images else (0.0, np.nan)
    return PerImage(
        positives=positives,
        true_positives=hits,
        false_positives=false_alarms,
        precision=_quotient(hits, declarations + slack, undefined),
        recall=_quotient(hits, np.broadcast_to(positives + slack, hits.shape), undefined),
        mcc=_quotient(above, below, undefined),
    )


def best_tolerance(values: Numbers, tolerances: Floats) -> float | None:
    """The tolerance of the largest value, the smallest such if several; None where every value is null.

    Source: `list.index(max(...))` in src/experiments.py of the reference.

    >>> best_tolerance(np.array([np.nan, 3.0, 5.0, 5.0]), np.array([0.01, 0.1, 0.2, 0.3]))
    0.2
    """
    return None if np.isnan(values).all() else float(tolerances[np.nanargmax(values)])


def _total(table: Numbers, weights: Floats | None) -> Numbers:
    return np.asarray(table.sum(axis=0) if weights is None else weights @ table)


def _quotient(above: Numbers, below: Numbers, undefined: float) -> Floats:
    quotient: Floats = np.divide(above, below, out=np.full(below.shape, undefined), where=below > 0)
    return quotient
