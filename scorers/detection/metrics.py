"""Values of metrics: the settings over which each is a mean, and that mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from schemas.errors import unknown_name
from scorers.detection.boxes import Floats
from scorers.detection.coco import AREAS, THRESHOLDS, Settings
from scorers.detection.expressions import Metric
from scorers.detection.grid import Grid


class Setting(NamedTuple):
    """One of the settings over which a metric is a mean."""

    threshold: float
    area: str
    max_detections: int


def settings_of(metric: Metric) -> list[Setting]:
    """The settings over which `metric` is a mean.

    >>> settings_of(Metric("AP", iou=0.9))
    [Setting(threshold=0.8999999999999999, area='all', max_detections=100)]
    """
    thresholds = THRESHOLDS if metric.iou is None else (_as_in_coco(metric.iou),)
    return [Setting(threshold, metric.area, metric.max_detections) for threshold in thresholds]


def settings_for(metrics: Sequence[Metric]) -> Settings:
    """All that has to be evaluated for these metrics, of which there is at least one."""
    wanted = [setting for metric in metrics for setting in settings_of(metric)]
    thresholds, areas, caps = (set(values) for values in zip(*wanted, strict=True))
    return Settings(
        tuple(sorted(thresholds)), {name: AREAS[name] for name in AREAS if name in areas}, tuple(sorted(caps))
    )


def value(metric: Metric, grid: Grid) -> float:
    """The metric on a grid of (at least) its settings; NaN where nothing is defined.

    Source: cocodataset/cocoapi : PythonAPI/pycocotools/cocoeval.py (summarize).

    Raises:
        UsageError: no such category.
    """
    settings = grid.settings
    area, cap = list(settings.areas).index(metric.area), settings.max_detections.index(metric.max_detections)
    thresholds = [settings.thresholds.index(setting.threshold) for setting in settings_of(metric)]
    parts = (grid.precision if metric.measure == "AP" else grid.recall)[area, cap][thresholds]
    return mean_over(metric, parts, grid.categories)


def mean_over(metric: Metric, parts: Floats, categories: Sequence[str]) -> float:
    """Mean of what is defined (not NaN) of `parts`, shape (..., categories): of the metric's category, or of all.

    Raises:
        UsageError: no such category.
    """
    if metric.category is not None:
        if metric.category not in categories:
            raise unknown_name("category", metric.category, categories)
        parts = parts[..., categories.index(metric.category)]
    known = parts[~np.isnan(parts)]
    return float(known.mean()) if len(known) else math.nan


def _as_in_coco(iou: float) -> float:
    """COCO's own threshold where it has this one: its .9 is 0.8999999999999999."""
    return next((threshold for threshold in THRESHOLDS if math.isclose(threshold, iou)), iou)
