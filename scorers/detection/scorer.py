"""Object detection as a family of metrics: average precision and recall of boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from schemas.errors import UsageError, unknown_name
from schemas.manifest import Manifest
from scorers.detection.alignment import aligned
from scorers.detection.boxes import Detections
from scorers.detection.images import DetectionTruth, detection_truth
from scorers.detection.metrics import Metric, parse_metric, settings_for, value
from scorers.detection.protocols import AVERAGES, evaluate
from scorers.options import Options
from scorers.scorer import Aligned, Evaluation, Scorer

_MOST_CLASSES = 20
_MEANS = (Metric("AP", iou=0.5), Metric("AP"), Metric("AP", iou=0.75))
_RECALLS = tuple(Metric("AR", max_detections=most) for most in (1, 10, 100))
_ENGINE = "pycocotools"


class BoxScorer(Scorer[DetectionTruth, Detections, Metric]):
    """Scores of detected boxes; one cluster per image. AP is not a sum, so each resample takes milliseconds."""

    kind = "boxes"
    columns = frozenset({"objects"})
    protocols = tuple(AVERAGES)
    clusters = "image"
    resamples = 200
    comparison_resamples = 1000

    def metrics(self, names: Sequence[str], truth: DetectionTruth, protocol: str) -> Sequence[Metric]:
        """AP50 of every class where they are few (the primary numbers of the paper), then means; VOC has no recalls."""
        if names:
            return [parse_metric(name) for name in names]
        labels = truth.boxes.categories
        single = labels if len(labels) <= _MOST_CLASSES else ()
        recalls = _RECALLS if protocol == "coco" else ()
        return [*(Metric("AP", label, iou=0.5) for label in single), *_MEANS, *recalls]

    def truth(self, manifest: Manifest, split: str, options: Options) -> DetectionTruth:
        return detection_truth(manifest, split)

    def numbered_clusters(self, truth: DetectionTruth) -> NDArray[np.int64]:
        return np.arange(truth.boxes.images)

    def read(
        self, source: object, truth: DetectionTruth, metrics: Sequence[Metric], options: Options
    ) -> Aligned[Detections]:
        base, names = options.get("category_base"), options.get("classes")
        images = truth.images if base is None and names is None else truth.images.counted(base, names)
        found = aligned(source, images, options.get("format"))
        return replace(found, counts=found.counts | {"truths": len(truth.boxes)})

    def evaluate(
        self, truth: DetectionTruth, predictions: Detections, metrics: Sequence[Metric], protocol: str
    ) -> Evaluation:
        return evaluate(truth.boxes, predictions, metrics, protocol)

    def cross_check(
        self, truth: DetectionTruth, predictions: Detections, evaluation: Evaluation, protocol: str, engine: str
    ) -> str:
        """Compute the same metrics with pycocotools."""
        from scorers.detection.pycocotools_grid import pycocotools_grid

        if engine != _ENGINE:
            raise unknown_name("engine", engine, [_ENGINE])
        if protocol != "coco":
            raise UsageError(f"pycocotools knows the protocol coco alone, not {protocol}")
        grid = pycocotools_grid(truth.boxes, predictions, settings_for(list(evaluation.values)))
        theirs = {metric: value(metric, grid) for metric in evaluation.values}
        differing = [
            f"{metric} {ours} (pycocotools {theirs[metric]})"
            for metric, ours in evaluation.values.items()
            if not np.array_equal(ours, theirs[metric], equal_nan=True)
        ]
        if differing:
            raise UsageError(f"differs from pycocotools: {', '.join(differing)}")
        return f"pycocotools gives the same {len(theirs)} values, to the last bit"


SCORER = BoxScorer()
