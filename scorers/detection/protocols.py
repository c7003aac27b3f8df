"""Scores of a run by a definition that is chosen by name: COCO's, or one of those of Pascal VOC."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from schemas.errors import UsageError, unknown_name
from scorers.detection import coco, voc
from scorers.detection.boxes import Detections, Floats, Truth
from scorers.detection.curves import Average, all_point_average, coco_average, eleven_point_average
from scorers.detection.expressions import DEFAULT_METRICS, Metric
from scorers.detection.grid import grid
from scorers.detection.metrics import Setting, settings_for, value
from scorers.detection.outcomes import Outcomes
from scorers.detection.resampling import statistics

DEFINITIONS: Mapping[str, voc.Voc | None] = {
    "coco": None,
    "voc2007": voc.Voc(points="eleven"),
    "voc2010": voc.Voc(points="all"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The metrics of one run.

    Attributes:
        values: by metric; NaN where there is none.
        warnings: which have none, and why.
        categories: names.
        outcomes_at: what became of the detections at a setting.
        average: how the definition averages precision.
    """

    values: dict[Metric, float]
    warnings: tuple[str, ...]
    categories: tuple[str, ...]
    outcomes_at: Callable[[Setting], Outcomes]
    average: Average

    def statistics(self) -> list[Callable[[Floats], float]]:
        """The metrics as functions of image weights, for `scorers.uncertainty`; the images are its clusters."""
        return statistics(list(self.values), self.categories, self.outcomes_at, self.average)


def score(
    truth: Truth,
    detections: Detections,
    metrics: Sequence[Metric] = DEFAULT_METRICS,
    definition: str | voc.Voc = "coco",
) -> Scores:
    """Score a run.

    A category without boxes that count has no value and is left out of means; without detections the values are 0.

    Args:
        truth, detections: of the same images and categories.
        metrics: what to compute; AP at one IoU alone takes a fraction of the time of the whole summary.
        definition: a name in `DEFINITIONS`, or a VOC definition in detail.

    Raises:
        UsageError: no metric, unknown definition or category; VOC has neither AR nor area ranges.
    """
    if not metrics:
        raise UsageError("no metric is asked for")
    for metric in metrics:
        if metric.category is not None and metric.category not in truth.categories:
            raise unknown_name("category", metric.category, truth.categories)
    if isinstance(definition, str) and definition not in DEFINITIONS:
        raise unknown_name("definition", definition, list(DEFINITIONS))
    rules = DEFINITIONS[definition] if isinstance(definition, str) else definition
    return _by_coco(truth, detections, metrics) if rules is None else _by_voc(truth, detections, metrics, rules)


def _by_coco(truth: Truth, detections: Detections, metrics: Sequence[Metric]) -> Scores:
    settings = settings_for(metrics)
    evaluation = coco.evaluate(truth, detections, settings)
    computed = grid(evaluation)

    def outcomes_at(setting: Setting) -> Outcomes:
        threshold = settings.thresholds.index(setting.threshold)
        area, cap = list(settings.areas).index(setting.area), settings.max_detections.index(setting.max_detections)
        return coco.outcomes(evaluation, threshold, area, cap)

    return _scores({metric: value(metric, computed) for metric in metrics}, truth, outcomes_at, coco_average)


def _by_voc(truth: Truth, detections: Detections, metrics: Sequence[Metric], rules: voc.Voc) -> Scores:
    for metric in metrics:
        if metric.measure != "AP" or metric.area != "all":
            raise UsageError(f"{metric} is not defined by VOC, which knows AP of boxes of any size alone")
    average = eleven_point_average if rules.points == "eleven" else all_point_average

    def outcomes_at(setting: Setting) -> Outcomes:
        return voc.outcomes(truth, detections, setting.threshold, rules)

    once = np.ones(truth.images)
    functions = statistics(metrics, truth.categories, outcomes_at, average)
    values = {metric: function(once) for metric, function in zip(metrics, functions, strict=True)}
    return _scores(values, truth, outcomes_at, average)


def _scores(
    values: dict[Metric, float], truth: Truth, outcomes_at: Callable[[Setting], Outcomes], average: Average
) -> Scores:
    nulls = [metric for metric, number in values.items() if math.isnan(number)]
    warnings = tuple(f"{metric} has no value: the truth has no box that counts for it" for metric in nulls)
    return Scores(values, warnings, truth.categories, outcomes_at, average)
