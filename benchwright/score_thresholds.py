"""Score thresholds of a detector: from which score on the detections of each class are best kept."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from schemas.errors import UsageError, unknown_name
from schemas.exchange import new_file
from schemas.manifest import Manifest
from scorers.declarations import checked
from scorers.detection.alignment import aligned
from scorers.detection.doubts import doubts_of
from scorers.detection.images import detection_truth
from scorers.detection.outcomes import OperatingPoints, operating_points
from scorers.options import ThresholdOptions
from scorers.task import refuse_format

if TYPE_CHECKING:
    import pandas as pd

PROTOCOLS = ("paper", "strict")


@dataclass(frozen=True, repr=False)
class Thresholds:
    """The operating points of each class, NaN for classes that the truth does not have."""

    labels: tuple[str, ...]
    points: OperatingPoints
    protocol: str
    warnings: list[str]

    @property
    def scores(self) -> dict[str, float]:
        """The score threshold of each class that has one."""
        scores = dict(zip(self.labels, self.points.score.tolist(), strict=True))
        return {label: score for label, score in scores.items() if not math.isnan(score)}

    def to_pandas(self) -> pd.DataFrame:
        """A row per class: score, f1, precision, recall."""
        import pandas as pd

        return pd.DataFrame(self.points._asdict(), index=pd.Index(self.labels, name="class"))

    def __repr__(self) -> str:
        rows = zip(self.labels, *(column.tolist() for column in self.points), strict=True)
        named = [(label, zip(self.points._fields, values, strict=True)) for label, *values in rows]
        lines = [f"{label}: " + ", ".join(f"{name} {value:.4f}" for name, value in values) for label, values in named]
        return "\n".join([f"best F1, protocol {self.protocol}", *lines, *(f"warning: {w}" for w in self.warnings)])


def thresholds(manifest: Manifest, predictions: object, options: ThresholdOptions | None = None) -> Thresholds:
    """The score of the best F1 of each class, by a protocol of `operating_points`: `paper`, the default, or `strict`.

    Raises:
        UsageError, InputError: unknown option or protocol, no detections; see `detection_truth` and `aligned`.
    """
    given = checked(options or {}, ThresholdOptions, "boxes")
    protocol = given.get("protocol", PROTOCOLS[0])
    if protocol not in PROTOCOLS:
        raise unknown_name("protocol", protocol, PROTOCOLS)
    split = manifest.chosen_split(given.get("split"))
    truth = detection_truth(manifest, split)
    if empty := manifest.without_rows(split):
        points = OperatingPoints(*np.full((4, len(truth.boxes.categories)), np.nan))
        return Thresholds(truth.boxes.categories, points, protocol, empty)
    images = truth.images.counted(given.get("category_base"), given.get("classes"))
    refuse_format(predictions, given)
    doubts = partial(doubts_of, truth=truth.boxes, images=images.images)
    found = aligned(predictions, images, given.get("input_format"), doubts)
    if not len(found.predictions):
        raise UsageError("there are no detections: no class has a best score")
    points = operating_points(truth.boxes, found.predictions, protocol)
    return Thresholds(truth.boxes.categories, points, protocol, list(found.warnings))


def write_thresholds(found: Thresholds, out: Path) -> None:
    """A JSON object of class -> score, for `monitor --class-threshold FILE`."""
    with new_file(out) as draft:
        draft.write_bytes(msgspec.json.format(msgspec.json.encode(found.scores)) + b"\n")
