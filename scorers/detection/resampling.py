"""Metrics as functions of image weights, for the bootstrap: what they are when image i is drawn weights[i] times.

Matching concerns one image at a time, so an image that stands several times in a data set has its matches several
times, and nothing is matched again. In the ranking the copies of an image follow one another: of several detections
with one score in one image and category (a block) come first all as the first copy has them, then all as the second.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from scorers.detection.boxes import Floats
from scorers.detection.curves import Average
from scorers.detection.expressions import Metric
from scorers.detection.metrics import Setting, mean_over, settings_of
from scorers.detection.outcomes import Outcomes
from scorers.detection.weighing import Weighed, counter, weighed_averages


def statistics(
    metrics: Sequence[Metric], categories: Sequence[str], outcomes_at: Callable[[Setting], Outcomes], average: Average
) -> list[Callable[[Floats], float]]:
    """One function of weights for each metric; all metrics are computed together and remembered for equal weights."""
    settings = {metric: settings_of(metric) for metric in dict.fromkeys(metrics)}
    outcomes = {setting: outcomes_at(setting) for of in settings.values() for setting in of}
    averaged = list(dict.fromkeys(s for metric, of in settings.items() if metric.measure == "AP" for s in of))
    averages = weighed_averages([outcomes[setting] for setting in averaged], average)
    found = {metric: _found([outcomes[s] for s in of]) for metric, of in settings.items() if metric.measure == "AR"}
    boxes = {s.area: counter(of.box_image, of.box_category, of.categories) for s, of in outcomes.items()}
    known: dict[bytes, list[float]] = {}

    def values(weights: Floats) -> list[float]:
        key = hashlib.blake2b(weights.tobytes(), digest_size=16).digest()
        if key not in known:
            counts = {area: count(weights) for area, count in boxes.items()}
            precisions = dict(zip(averaged, averages(weights, [counts[s.area] for s in averaged]), strict=True))
            known[key] = [
                mean_over(
                    metric,
                    _recall(found[metric](weights), counts[metric.area], len(settings[metric]))
                    if metric in found
                    else np.stack([precisions[setting] for setting in settings[metric]]),
                    categories,
                )
                for metric in metrics
            ]
        return known[key]

    return [partial(_number, values, number) for number in range(len(metrics))]


def _found(outcomes: Sequence[Outcomes]) -> Weighed:
    """The true positives of each category at several settings together."""
    true = [np.flatnonzero(one.true) for one in outcomes]
    image = [one.image[of] for one, of in zip(outcomes, true, strict=True)]
    category = [np.searchsorted(one.starts, of, side="right") - 1 for one, of in zip(outcomes, true, strict=True)]
    return counter(np.concatenate(image), np.concatenate(category), outcomes[0].categories)


def _recall(found: Floats, boxes: Floats, settings: int) -> Floats:
    """Mean recall of each category over settings of the same boxes, NaN without boxes."""
    return np.where(boxes > 0, found / np.maximum(boxes, 1) / settings, np.nan)


def _number(values: Callable[[Floats], list[float]], number: int, weights: Floats) -> float:
    return values(weights)[number]
