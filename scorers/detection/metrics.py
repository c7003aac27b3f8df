"""The detection metrics: names that print and parse back (`AP50(person)`, `mAP50`, `AP`, `AR100`), and their values."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from schemas.errors import UsageError, unknown_name
from scorers.detection.boxes import Floats
from scorers.detection.coco import AREAS, THRESHOLDS, Setting, Settings
from scorers.detection.grid import Grid
from scorers.metric import BOUNDS

Measure = Literal["AP", "AR"]

_SIZES = tuple(area for area in AREAS if area != "all")
_NAME = re.compile(
    rf"(?P<mean>m?)(?P<measure>AP|AR)(?P<detail>\d{{1,9}}|{'|'.join(_SIZES)}|)(\s*\((?P<category>.+)\))?",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of object detection, a fraction from 0 to 1.

    Attributes:
        measure: `AP`, average precision, or `AR`, the recall of all detections.
        category: the one that is scored; None for the mean over all that have boxes.
        iou: the IoU from which on a pair matches, in whole hundredths; None for the mean over .50, .55, ... .95, which
            recall always is.
        area: the boxes that count: `all`, `small` (up to 32 * 32 pixels), `medium`, or `large` (from 96 * 96 on).
        max_detections: how many detections of an image and category count: 100, or any number for recall of all areas.

    Raises:
        UsageError: an IoU of 0, no detections.

    >>> str(Metric("AP", "person", iou=0.5)), str(Metric("AP", iou=0.5)), str(Metric("AR", area="small"))
    ('AP50(person)', 'mAP50', 'ARsmall')
    """

    measure: Measure
    category: str | None = None
    iou: float | None = None
    area: str = "all"
    max_detections: int = 100

    def __post_init__(self) -> None:
        if self.iou == 0:
            raise UsageError("IoU threshold 0.0, expected whole hundredths from 0.01 to 0.99")
        if self.max_detections == 0:
            raise UsageError("recall of 0 detections, expected 1 or more")

    def __str__(self) -> str:
        if self.iou is not None:
            mean = "m" if self.iou == 0.5 and self.category is None else ""
            name = f"{mean}AP{round(self.iou * 100):02}"
        elif self.measure == "AR" and self.area == "all":
            name = f"AR{self.max_detections}"
        else:
            name = self.measure + self.area.removeprefix("all")
        return name if self.category is None else f"{name}({self.category})"

    @property
    def unit(self) -> Literal["fraction"]:
        """Precision and recall run from 0 to 1."""
        return "fraction"

    @property
    def higher_is_better(self) -> bool:
        """Of precision and recall it is."""
        return True

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and greatest value."""
        return BOUNDS[self.unit]


MEANS = tuple(Metric("AP", iou=iou) for iou in (0.5, None, 0.75))
RECALLS = tuple(Metric("AR", max_detections=most) for most in (1, 10, 100))
DEFAULT_METRICS = (
    *MEANS,
    *(Metric("AP", area=size) for size in _SIZES),
    *RECALLS,
    *(Metric("AR", area=size) for size in _SIZES),
)
"""The numbers of COCO's summary; first mAP50, whose parts, AP50 of a category, are the primary ones of the paper."""


def parse_metric(text: str) -> Metric:
    """The metric that `text` names; case matters only in the name of the category. `AP50` is `mAP50`.

    Raises:
        UsageError: no such metric (the nearest names are suggested), or `mAP`, which means AP to some, mAP50 to others.

    >>> parse_metric("AP50(upper leg)")
    Metric(measure='AP', category='upper leg', iou=0.5, area='all', max_detections=100)
    >>> parse_metric("mAP")
    Traceback (most recent call last):
        ...
    schemas.errors.UsageError: mAP is ambiguous: say AP for the mean over IoU .50 to .95, or mAP50
    """
    if found := _NAME.fullmatch(text.strip()):
        mean, measure, detail = (found[group].casefold() for group in ("mean", "measure", "detail"))
        category = found["category"].strip() if found["category"] else None
        if measure == "ap" and len(detail) == 2:
            return Metric("AP", category, iou=int(detail) / 100)
        if mean and measure == "ap" and not detail:
            raise UsageError("mAP is ambiguous: say AP for the mean over IoU .50 to .95, or mAP50")
        if not mean and measure == "ar" and detail.isdigit():
            return Metric("AR", category, max_detections=int(detail))
        if not mean and detail in (*_SIZES, *([""] if measure == "ap" else [])):
            return Metric("AP" if measure == "ap" else "AR", category, area=detail or "all")
    unknown = unknown_name("metric", text[:80], [str(metric) for metric in DEFAULT_METRICS])
    raise UsageError(f"{unknown}; a category may follow, as in AP50(person)")


def settings_of(metric: Metric) -> list[Setting]:
    """The settings over which `metric` is a mean; COCO's own threshold where it has one, as its .9 is not quite .9.

    >>> settings_of(Metric("AP", iou=0.9))
    [Setting(threshold=0.8999999999999999, area='all', max_detections=100)]
    """
    thresholds: Sequence[float] = THRESHOLDS
    if (iou := metric.iou) is not None:
        thresholds = [next((threshold for threshold in THRESHOLDS if math.isclose(threshold, iou)), iou)]
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
    """
    positions = tuple(np.array([grid.settings.position(setting) for setting in settings_of(metric)]).T)
    return mean_over(metric, (grid.precision if metric.measure == "AP" else grid.recall)[positions], grid.categories)


def mean_over(metric: Metric, parts: Floats, categories: Sequence[str]) -> float:
    """Mean of what is defined (not NaN) of `parts`, shape (..., categories): of the metric's category, or of all."""
    if metric.category is not None:
        parts = parts[..., categories.index(metric.category)]
    defined = parts[~np.isnan(parts)]
    return float(defined.mean()) if len(defined) else math.nan
