"""Names of the detection metrics, as expressions that print and parse back: `AP50(person)`, `mAP50`, `AP`, `AR100`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from schemas.errors import UsageError, unknown_name

Measure = Literal["AP", "AR"]

_SIZES = ("small", "medium", "large")
_WITH_CATEGORY = re.compile(r"(?P<name>\w+)\s*\((?P<category>.+)\)", re.ASCII | re.DOTALL)
_PRECISION = re.compile(r"m?AP(?P<hundredths>\d\d)", re.IGNORECASE | re.ASCII)
_RECALL = re.compile(r"AR(?P<detections>\d{1,9})", re.IGNORECASE | re.ASCII)
_OF_SIZE = re.compile(rf"(?P<measure>AP|AR)(?P<size>{'|'.join(_SIZES)})", re.IGNORECASE | re.ASCII)


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
        UsageError: a combination that has no name.

    >>> str(Metric("AP", "person", iou=0.5)), str(Metric("AP", iou=0.5)), str(Metric("AR", area="small"))
    ('AP50(person)', 'mAP50', 'ARsmall')
    """

    measure: Measure
    category: str | None = None
    iou: float | None = None
    area: str = "all"
    max_detections: int = 100

    def __post_init__(self) -> None:
        if self.area not in ("all", *_SIZES):
            raise unknown_name("area range", self.area, ["all", *_SIZES])
        if self.iou is not None:
            if self.measure == "AR" or self.area != "all":
                raise UsageError("one IoU threshold is for AP of all areas, as in AP75")
            if not 0 < self.iou < 1 or round(self.iou * 100) / 100 != self.iou:
                raise UsageError(f"IoU threshold {self.iou}, expected whole hundredths from 0.01 to 0.99")
        if self.max_detections != 100 and (self.measure == "AP" or self.area != "all"):
            raise UsageError("a number of detections is for AR of all areas, as in AR10")
        if self.max_detections < 1:
            raise UsageError(f"recall of {self.max_detections} detections, expected 1 or more")
        if self.category is not None and (not self.category or self.category != self.category.strip()):
            raise UsageError(f"no category can be named {self.category!r}")

    def __str__(self) -> str:
        if self.measure == "AR" and self.area == "all":
            name = f"AR{self.max_detections}"
        elif self.iou is not None:
            mean = "m" if self.iou == 0.5 and self.category is None else ""
            name = f"{mean}AP{round(self.iou * 100):02}"
        else:
            name = self.measure + self.area.removeprefix("all")
        return name if self.category is None else f"{name}({self.category})"

    @property
    def unit(self) -> Literal["fraction"]:
        """Precision and recall run from 0 to 1."""
        return "fraction"


DEFAULT_METRICS = (
    *(Metric("AP", iou=iou) for iou in (0.5, None, 0.75)),
    *(Metric("AP", area=size) for size in _SIZES),
    *(Metric("AR", max_detections=most) for most in (1, 10, 100)),
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
    name, category = text.strip(), None
    if match := _WITH_CATEGORY.fullmatch(name):
        name, category = match["name"], match["category"].strip()
    if name.casefold() == "ap":
        return Metric("AP", category)
    if name.casefold() == "map":
        raise UsageError("mAP is ambiguous: say AP for the mean over IoU .50 to .95, or mAP50")
    if match := _PRECISION.fullmatch(name):
        return Metric("AP", category, iou=int(match["hundredths"]) / 100)
    if match := _RECALL.fullmatch(name):
        return Metric("AR", category, max_detections=int(match["detections"]))
    if match := _OF_SIZE.fullmatch(name):
        measure: Measure = "AP" if match["measure"].casefold() == "ap" else "AR"
        return Metric(measure, category, area=match["size"].casefold())
    unknown = unknown_name("metric", text[:80], [str(metric) for metric in DEFAULT_METRICS])
    raise UsageError(f"{unknown}; a category may follow, as in AP50(person)")
