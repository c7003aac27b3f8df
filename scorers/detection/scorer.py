"""Object detection as a family of metrics: average precision and recall of boxes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from schemas.errors import UsageError, unknown_name
from schemas.manifest import Manifest
from scorers.detection.alignment import Found, Task, read_found, read_task
from scorers.detection.expressions import Metric, parse_metric
from scorers.detection.metrics import settings_for, value
from scorers.detection.protocols import DEFINITIONS, score
from scorers.options import Options
from scorers.scorer import Aligned, Evaluation, Scorer
from scorers.uncertainty import Weighted

_MOST_CLASSES = 20
_MEANS = (Metric("AP", iou=0.5), Metric("AP"), Metric("AP", iou=0.75))
_RECALLS = tuple(Metric("AR", max_detections=most) for most in (1, 10, 100))
_ENGINE = "pycocotools"


class BoxScorer(Scorer[Task, Found, Metric]):
    """Scores of detected boxes; one cluster per image. AP is not a sum, so each resample takes milliseconds."""

    kind = "boxes"
    columns = frozenset({"objects"})
    protocols = tuple(DEFINITIONS)
    clusters = "image"
    resamples = 200
    comparison_resamples = 1000

    def metrics(self, names: Sequence[str], truth: Task, protocol: str) -> Sequence[Metric]:
        """AP50 of every class where they are few (the primary numbers of the paper), then means; VOC has no recalls."""
        if names:
            return [parse_metric(name) for name in names]
        single = truth.labels if len(truth.labels) <= _MOST_CLASSES else ()
        recalls = _RECALLS if protocol == "coco" else ()
        return [*(Metric("AP", label, iou=0.5) for label in single), *_MEANS, *recalls]

    def truth(self, manifest: Manifest, split: str, options: Options) -> Task:
        return read_task(manifest, split)

    def numbered_clusters(self, truth: Task) -> NDArray[np.int64]:
        return np.arange(truth.truth.images)

    def read(self, source: object, truth: Task, metrics: Sequence[Metric], options: Options) -> Aligned[Found]:
        if not isinstance(source, (str, Path)):
            raise UsageError(f"boxes are read from files, found {type(source).__name__}")
        classes = options.get("classes")
        found = read_found(
            Path(source),
            truth,
            options.get("format"),
            options.get("category_base"),
            None if classes is None else Path(classes),
        )
        counts = {"rows": truth.truth.images, "scored": found.images, "truths": len(truth.truth.image)}
        return Aligned(found, counts | {"detections": found.read}, found.warnings)

    def evaluate(self, truth: Task, predictions: Found, metrics: Sequence[Metric], protocol: str) -> Evaluation:
        scores = score(truth.truth, predictions.detections, metrics, protocol)

        def statistics() -> Weighted:
            functions = scores.statistics()
            return lambda weights: [function(weights) for function in functions]

        return Evaluation(scores.values, statistics, scores.warnings)

    def cross_check(self, truth: Task, predictions: Found, evaluation: Evaluation, protocol: str, engine: str) -> str:
        """Compute the same metrics with pycocotools."""
        from scorers.detection.pycocotools_grid import pycocotools_grid

        if engine != _ENGINE:
            raise unknown_name("engine", engine, [_ENGINE])
        if protocol != "coco":
            raise UsageError(f"pycocotools knows the protocol coco alone, not {protocol}")
        grid = pycocotools_grid(truth.truth, predictions.detections, settings_for(list(evaluation.values)))
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
