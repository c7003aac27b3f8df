"""Names of the temporal metrics, as expressions that print and parse back: `R1(iou>=0.5)`, `onset(<=0.25)`, `mTD`."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import Literal

from schemas.errors import UsageError, unknown_name
from scorers.metric import BOUNDS

Measure = Literal["iou", "td", "onset"]
Unit = Literal["percent", "fraction", "s"]

MEANS: dict[Measure, str] = {"iou": "mIoU", "td": "mTD"}

_NUMBER = r"(?P<threshold>[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)"
_RECALL = re.compile(rf"R@?(?P<rank>\d{{1,9}})\((?P<measure>iou>=|td<=){_NUMBER}\)", re.IGNORECASE | re.ASCII)
_ONSET = re.compile(rf"onset\(<={_NUMBER}\)", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of temporal localisation.

    With a threshold it is the share of rows that hit, in percent: IoU >= threshold, temporal distance <= threshold or
    onset distance <= threshold, all inclusive. Without one it is the mean: mIoU (a fraction) or mTD (seconds).

    Attributes:
        measure: `iou`, `td` or `onset`.
        threshold: a fraction 0 to 1 for `iou`, seconds from 0 for `td` and `onset`; None for the mean.
        rank: how many predictions of a row may hit, best ranked first; above 1 only for the shares of `iou` and `td`.

    Raises:
        UsageError: a threshold out of range, a rank below 1 or where none is defined, the mean of `onset`.

    >>> str(Metric("iou", 0.5)), str(Metric("td", 3, rank=5)), str(Metric("onset", 0.25)), str(Metric("td"))
    ('R1(iou>=0.5)', 'R5(td<=3)', 'onset(<=0.25)', 'mTD')
    """

    measure: Measure
    threshold: float | None = None
    rank: int = 1

    def __post_init__(self) -> None:
        if self.threshold is None:
            if self.measure not in MEANS:
                raise UsageError(f"{self.measure} needs a threshold, as in onset(<=1)")
        elif not 0 <= self.threshold <= (1.0 if self.measure == "iou" else sys.float_info.max):
            expected = "0 to 1" if self.measure == "iou" else "seconds from 0"
            raise UsageError(f"threshold {self.threshold} of {self.measure} is out of range, expected {expected}")
        ranked = self.threshold is not None and self.measure != "onset"
        if self.rank < 1 or (self.rank > 1 and not ranked):
            raise UsageError(f"no rank {self.rank} for this metric, expected R1, R2, ... of iou or td with a threshold")

    def __str__(self) -> str:
        if self.threshold is None:
            return MEANS[self.measure]
        threshold = repr(abs(float(self.threshold))).removesuffix(".0")
        if self.measure == "onset":
            return f"onset(<={threshold})"
        operator = ">=" if self.measure == "iou" else "<="
        return f"R{self.rank}({self.measure}{operator}{threshold})"

    @property
    def unit(self) -> Unit:
        """The scale that the paper prints: percent for shares, a fraction for mIoU, seconds for mTD."""
        if self.threshold is not None:
            return "percent"
        return "fraction" if self.measure == "iou" else "s"

    @property
    def higher_is_better(self) -> bool:
        """Lower is better only of mean distances."""
        return self.threshold is not None or self.measure == "iou"

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and greatest value."""
        return BOUNDS[self.unit]


DEFAULT_METRICS = (
    *(Metric("iou", threshold) for threshold in (0.3, 0.5, 0.7)),
    Metric("iou"),
    *(Metric("td", threshold) for threshold in (0, 1, 3, 5)),
    Metric("td"),
    *(Metric("onset", threshold) for threshold in (1, 0.25)),
)
"""The columns of Tables 2 and 3 of the UAL-Bench paper, in print order."""


def parse_metric(text: str) -> Metric:
    """The metric that `text` names; blanks and case do not matter, and `R@1` is `R1` too.

    Raises:
        UsageError: no such metric (the nearest names are suggested), or a threshold or rank out of range.

    >>> parse_metric("R@5 (IoU >= 0.50)")
    Metric(measure='iou', threshold=0.5, rank=5)
    >>> parse_metric("onset(<0.5)")
    Traceback (most recent call last):
        ...
    schemas.errors.UsageError: unknown metric 'onset(<0.5)'; did you mean onset(<=0.25) or onset(<=1)? ...
    """
    compact = "".join(text.split())
    for mean, name in MEANS.items():
        if compact.casefold() == name.casefold():
            return Metric(mean)
    if match := _RECALL.fullmatch(compact):
        measure: Measure = "iou" if match["measure"].casefold().startswith("iou") else "td"
        return Metric(measure, float(match["threshold"]), int(match["rank"]))
    if match := _ONSET.fullmatch(compact):
        return Metric("onset", float(match["threshold"]))
    unknown = unknown_name("metric", text[:80], [str(metric) for metric in DEFAULT_METRICS])
    raise UsageError(f"{unknown}; any threshold may be there, and R5 lets the best 5 predictions hit")
