"""Object detection as a family of metrics: average precision and recall of boxes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import UsageError, first_few, unknown_name
from schemas.manifest import Manifest
from scorers.detection.alignment import aligned
from scorers.detection.bootstrap import weighted_metrics
from scorers.detection.boxes import Detections, Truth
from scorers.detection.breakdown import SCORE_THRESHOLD, breakdown, class_metrics, verdicts
from scorers.detection.coco import match
from scorers.detection.curves import Average, all_point_average, coco_average, eleven_point_average
from scorers.detection.doubts import doubts_of
from scorers.detection.formats import parsed
from scorers.detection.grid import grid, pycocotools_grid
from scorers.detection.images import DetectionTruth, detection_truth
from scorers.detection.metrics import DEFAULT_METRICS, MEANS, RECALLS, Metric, parse_metric, settings_for, value
from scorers.detection.outcomes import coco_outcomes, voc_outcomes
from scorers.detection.text_files import yolo_folder
from scorers.names import DISREGARDED
from scorers.options import Options
from scorers.resampling import Weighted
from scorers.score import Table
from scorers.scorer import Aligned, Evaluation, Scorer

_MOST_CLASSES = 20
_ENGINE = "pycocotools"

AVERAGES: Mapping[str, Average] = {
    "coco": coco_average,
    "voc2007": eleven_point_average,
    "voc2010": all_point_average,
}
"""How each protocol averages precision; the two of VOC differ in nothing else."""


class BoxScorer(Scorer[DetectionTruth, Detections, Metric]):
    """Scores of detected boxes; one cluster per image. AP is not a sum, so each resample takes milliseconds."""

    kind = "boxes"
    columns = frozenset({"objects"})
    protocols = tuple(AVERAGES)
    clusters = "image"
    answer = "images with a detection of a known class"
    resamples = 200
    comparison_resamples = 1000
    words: Mapping[str, str] = {
        "AP": "average precision: precision averaged over recall, at the IoU in hundredths that follows, else over "
        ".50, .55, ... .95; of the class in brackets",
        "mAP": "the mean AP of the classes",
        "AR": "recall averaged over IoU .50, .55, ... .95, with as many detections per image and class as follow",
        "rows": "images",
        "scored": "images with detections",
        "detections": "those on these images",
        "similar_names": f"detections whose image is matched by a name that differs in {DISREGARDED}",
        "truths": "true boxes, crowds and ignored ones among them",
        "coco": "as pycocotools",
        "voc2007": "as the VOC devkit, AP of 11 points",
        "voc2010": "as the VOC devkit, AP of all points",
        "boxes": "true ones that count",
        "precision": "true detections of all",
        "recall": "boxes found of all",
        "F1": "harmonic mean of precision and recall",
        "given": "detections with this score",
        "dAP50": "how much higher mAP50, a fraction, were without errors of this kind, by TIDE",
        "missing:wrong": "an image without detections finds nothing",
    }

    def metrics(self, names: Sequence[str], truth: DetectionTruth, protocol: str) -> Sequence[Metric]:
        """AP50 of every class where they are few (the primary numbers of the paper), then means; VOC has no recalls."""
        if names:
            return [parse_metric(name) for name in names]
        labels = truth.boxes.categories
        single = labels if len(labels) <= _MOST_CLASSES else ()
        recalls = RECALLS if protocol == "coco" else ()
        return [*(Metric("AP", label, iou=0.5) for label in single), *MEANS, *recalls]

    def truth(self, manifest: Manifest, split: str, options: Options) -> DetectionTruth:
        return detection_truth(manifest, split)

    def numbered_clusters(self, truth: DetectionTruth) -> NDArray[np.int64]:
        return np.arange(truth.boxes.images)

    def read(
        self, source: object, truth: DetectionTruth, metrics: Sequence[Metric], options: Options
    ) -> Aligned[Detections]:
        base, names = options.get("category_base"), options.get("classes")
        images = truth.images if base is None and names is None else truth.images.counted(base, names)
        rescored = partial(_rescored, truth.boxes, metrics, options.get("protocol") or self.protocols[0])
        doubts = partial(doubts_of, truth=truth.boxes, images=images.images, rescored=rescored)
        found = aligned(source, images, options.get("input_format"), doubts)
        nothing = [] if len(found.predictions) or found.warnings else ["there are no detections"]
        counts = found.counts | {"truths": len(truth.boxes)}
        return replace(found, counts=counts, warnings=[*found.warnings, *nothing])

    def carried(self, source: object, truth: DetectionTruth, options: Options) -> object:
        return parsed(source, truth.images.split, options.get("input_format"))

    def remarks(self, truth: DetectionTruth, baselines: Mapping[str, Mapping[str, float | None]]) -> Sequence[str]:
        return truth.doubts

    def is_run(self, folder: Path, truth: DetectionTruth) -> bool:
        """A folder of text files, as YOLO and VOC have them."""
        texts = yolo_folder(folder, truth.images.split)
        others = sorted(
            child.name for child in folder.iterdir() if child.suffix.lower() in (".json", ".csv", ".parquet")
        )
        if texts is not None and others:
            held = f"holds text files, which are one run, and {first_few(others[:3], len(others))}"
            raise UsageError(f"{folder} {held}: name the one that is meant, NAME={folder} for the text files")
        return texts is not None

    def names(self, truth: DetectionTruth) -> pa.Array:
        return truth.names

    def answered(self, truth: DetectionTruth, predictions: Detections) -> NDArray[np.bool_]:
        return np.bincount(predictions.image, minlength=truth.boxes.images) > 0

    def only(
        self, truth: DetectionTruth, predictions: Detections, rows: NDArray[np.bool_]
    ) -> tuple[DetectionTruth, Detections]:
        boxes = replace(truth.boxes.on_images(rows), images=int(np.count_nonzero(rows)))
        return truth._replace(boxes=boxes, names=truth.names.filter(pa.array(rows))), predictions.on_images(rows)

    def evaluate(
        self, truth: DetectionTruth, predictions: Detections, metrics: Sequence[Metric], protocol: str
    ) -> Evaluation:
        found = evaluate(truth.boxes, predictions, metrics, protocol)
        return replace(found, samples=partial(verdicts, truth, predictions)) if protocol == "coco" else found

    def breakdown(
        self, truth: DetectionTruth, predictions: Detections, protocol: str, options: Mapping[str, Any]
    ) -> Mapping[str, Table]:
        """Where it is asked for, `classes`, and by COCO's matching `confusion` and `errors`."""
        threshold = options.get("score_threshold")
        if threshold is None and not options.get("per_class"):
            return {}
        metrics = [metric for of in class_metrics(truth.boxes.categories, protocol).values() for metric in of]
        values = evaluate(truth.boxes, predictions, metrics, protocol).values
        least = SCORE_THRESHOLD if threshold is None else threshold
        return breakdown(truth.boxes, predictions, values, protocol, least)

    def cross_check(
        self, truth: DetectionTruth, predictions: Detections, evaluation: Evaluation, protocol: str, engine: str
    ) -> str:
        """Compute the same metrics with pycocotools."""
        if engine != _ENGINE:
            raise unknown_name("engine", engine, [_ENGINE])
        if protocol != "coco":
            raise UsageError(f"pycocotools knows the protocol coco alone, not {protocol}")
        whole = pycocotools_grid(truth.boxes, predictions, settings_for(list(evaluation.values)))
        theirs = {metric: value(metric, whole) for metric in evaluation.values}
        differing = [
            f"{metric} {ours} (pycocotools {theirs[metric]})"
            for metric, ours in evaluation.values.items()
            if not np.array_equal(ours, theirs[metric], equal_nan=True)
        ]
        if differing:
            raise UsageError(f"differs from pycocotools: {', '.join(differing)}")
        return f"pycocotools gives the same {len(theirs)} values, to the last bit"


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
    weighted = partial(weighted_metrics, metrics, truth.categories, AVERAGES[protocol])
    statistics: Callable[[], Weighted]
    if protocol == "coco":
        matches = match(truth, detections, settings_for(metrics))
        whole = grid(matches)
        numbers = [value(metric, whole) for metric in metrics]
        statistics = partial(weighted, partial(coco_outcomes, matches))
    else:
        statistics = cache(partial(weighted, partial(voc_outcomes, truth, detections)))
        numbers = list(statistics()(np.ones(truth.images)))
    values = dict(zip(metrics, numbers, strict=True))
    nulls = [metric for metric, number in values.items() if math.isnan(number)]
    warnings = tuple(f"{metric} has no value: the truth has no box that counts for it" for metric in nulls)
    return Evaluation(values, statistics, warnings)


def _rescored(truth: Truth, metrics: Sequence[Metric], protocol: str, detections: Detections) -> str:
    """What the first metric and the mean AP are with other boxes, in words."""
    known = detections.rows(detections.category < len(truth.categories))
    means = [metric for metric in metrics[1:] if metric in MEANS]
    values = evaluate(truth, known, [*metrics[:1], *means[:1]], protocol).values
    told = {metric: "without a value" if math.isnan(number) else f"{number:.4f}" for metric, number in values.items()}
    return " and ".join(f"{metric} is {number}" for metric, number in told.items())


SCORER = BoxScorer()
