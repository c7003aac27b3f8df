"""Scores of a run by a protocol that is chosen by name: COCO's, or one of those of Pascal VOC."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from schemas.errors import UsageError, unknown_name
from scorers.detection import coco, voc
from scorers.detection.bootstrap import weighted_metrics
from scorers.detection.boxes import Detections, Truth
from scorers.detection.curves import Average, all_point_average, coco_average, eleven_point_average
from scorers.detection.grid import grid
from scorers.detection.metrics import DEFAULT_METRICS, Metric, Setting, settings_for, value
from scorers.detection.ranking import Outcomes
from scorers.scorer import Evaluation
from scorers.uncertainty import Weighted

AVERAGES: Mapping[str, Average] = {
    "coco": coco_average,
    "voc2007": eleven_point_average,
    "voc2010": all_point_average,
}
"""How each protocol averages precision; the two of VOC differ in nothing else."""


def evaluate(
    truth: Truth, detections: Detections, metrics: Sequence[Metric] = DEFAULT_METRICS, protocol: str = "coco"
) -> Evaluation:
    """Score a run.

    A category without boxes that count has no value and is left out of means; without detections the values are 0.

    Args:
        truth, detections: of the same images and categories.
        metrics: what to compute; AP at one IoU alone takes a fraction of the time of the whole summary.
        protocol: a name in `AVERAGES`.

    Raises:
        UsageError: no metric, unknown protocol or category; VOC has neither AR nor area ranges.
    """
    if not metrics:
        raise UsageError("no metric is asked for")
    if protocol not in AVERAGES:
        raise unknown_name("protocol", protocol, list(AVERAGES))
    for metric in metrics:
        if metric.category is not None and metric.category not in truth.categories:
            raise unknown_name("category", metric.category, truth.categories)
        if protocol != "coco" and (metric.measure != "AP" or metric.area != "all"):
            raise UsageError(f"{metric} is not defined by VOC, which knows AP of boxes of any size alone")
    average = AVERAGES[protocol]
    if protocol == "coco":
        settings = settings_for(metrics)
        matches = coco.match(truth, detections, settings)
        computed = grid(matches)
        numbers = [value(metric, computed) for metric in metrics]

        def outcomes_at(setting: Setting) -> Outcomes:
            area, cap = list(settings.areas).index(setting.area), settings.max_detections.index(setting.max_detections)
            return coco.outcomes(matches, settings.thresholds.index(setting.threshold), area, cap)

        def statistics() -> Weighted:
            return weighted_metrics(metrics, truth.categories, outcomes_at, average)
    else:
        weighted = weighted_metrics(
            metrics, truth.categories, lambda setting: voc.outcomes(truth, detections, setting.threshold), average
        )
        numbers = weighted(np.ones(truth.images))

        def statistics() -> Weighted:
            return weighted

    values = dict(zip(metrics, numbers, strict=True))
    nulls = [metric for metric, number in values.items() if math.isnan(number)]
    warnings = tuple(f"{metric} has no value: the truth has no box that counts for it" for metric in nulls)
    return Evaluation(values, statistics, warnings)
