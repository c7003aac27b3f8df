"""Score and compare detections on a detection manifest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import msgspec
import numpy as np

from benchwright.cli import console as display
from benchwright.cli.score_tables import show_score as show_score
from benchwright.request import Request
from schemas.errors import UsageError, unknown_name
from schemas.manifest import Manifest
from scorers.detection.alignment import Found, Task, read_found, read_task
from scorers.detection.boxes import Floats
from scorers.detection.expressions import Metric, parse_metric
from scorers.detection.protocols import DEFINITIONS, Scores
from scorers.detection.protocols import score as score_boxes
from scorers.score import Bootstrap, Comparison, Line, Score, Value, line_of, signature, value_or_null
from scorers.uncertainty import comparisons, intervals

Weighted = Callable[[Floats], float]

PROTOCOLS = tuple(DEFINITIONS)
ENGINE = "pycocotools"
# AP is no sum, so each resample takes milliseconds where a temporal metric takes microseconds.
RESAMPLES = 200
COMPARISON_RESAMPLES = 1000
_MOST_CLASSES = 20
_MEANS = (Metric("AP", iou=0.5), Metric("AP"), Metric("AP", iou=0.75))
_RECALLS = tuple(Metric("AR", max_detections=most) for most in (1, 10, 100))


def default_metrics(labels: Sequence[str], protocol: str = "coco") -> list[Metric]:
    """AP50 of every class where they are few (the primary numbers of the paper), then the means; VOC has no recalls."""
    single = labels if len(labels) <= _MOST_CLASSES else ()
    recalls = _RECALLS if protocol == "coco" else ()
    return [*(Metric("AP", label, iou=0.5) for label in single), *_MEANS, *recalls]


def score_detections(
    task: Task,
    found: Found,
    metrics: Sequence[Metric],
    protocol: str = "coco",
    bootstrap: Bootstrap | None = None,
) -> Score:
    """Score detections by a definition of AP (`coco`, `voc2007`, `voc2010`), with intervals if asked for.

    Raises:
        UsageError: unknown definition or class; a metric that the definition does not have.
    """
    if protocol not in PROTOCOLS:
        raise unknown_name("protocol", protocol, PROTOCOLS)
    scores = score_boxes(task.truth, found.detections, metrics, protocol)
    ends = _ends(scores, task.truth.images, bootstrap)
    values = {
        str(metric): Value(
            value_or_null(value), value_or_null(ends[place][0]), value_or_null(ends[place][1]), metric.unit
        )
        for place, (metric, value) in enumerate(scores.values.items())
    }
    counts = {
        "rows": task.truth.images,
        "scored": found.images,
        "truths": len(task.truth.image),
        "detections": found.read,
    }
    identity = msgspec.structs.replace(task.manifest.identity, tool_version=version("benchwright"))
    line = signature(values, counts, identity, task.split, protocol, "wrong", bootstrap, {})
    return Score(values, counts, protocol, {}, [], [*found.warnings, *scores.warnings], line)


def compare_detections(
    task: Task, a: Found, b: Found, metrics: Sequence[Metric], protocol: str, resamples: int, seed: int
) -> dict[str, Line]:
    """Paired comparison of two detectors by bootstrap over images."""
    first, second = (score_boxes(task.truth, found.detections, metrics, protocol) for found in (a, b))
    clusters = np.arange(task.truth.images)
    with display.progress("bootstrap", resamples) as step:
        statistics = _told(first.statistics(), step), second.statistics()
        found = comparisons(*statistics, clusters, resamples=resamples, seed=seed)
    return {
        str(metric): line_of(first.values[metric], second.values[metric], line, metric.unit)
        for metric, line in zip(first.values, found, strict=True)
    }


def cross_check(task: Task, found: Found, score: Score) -> str:
    """Compute the same metrics with pycocotools; what the comparison says.

    Raises:
        UsageError: a protocol other than `coco`, or a value that differs.
    """
    from scorers.detection.metrics import settings_for, value
    from scorers.detection.pycocotools_grid import pycocotools_grid

    if score.protocol != "coco":
        raise UsageError(f"pycocotools knows the protocol coco alone, not {score.protocol}")
    metrics = [parse_metric(name) for name in score.metrics]
    grid = pycocotools_grid(task.truth, found.detections, settings_for(metrics))
    differing = [
        f"{metric} {score.metrics[str(metric)].value} (pycocotools {theirs})"
        for metric in metrics
        if (theirs := value_or_null(value(metric, grid))) != score.metrics[str(metric)].value
    ]
    if differing:
        raise UsageError(f"differs from pycocotools: {', '.join(differing)}")
    return f"pycocotools gives the same {len(metrics)} values, to the last bit"


def _ends(scores: Scores, images: int, bootstrap: Bootstrap | None) -> list[tuple[float, float]]:
    if bootstrap is None:
        return [(float("nan"), float("nan"))] * len(scores.values)
    clusters = np.arange(images)
    with display.progress("bootstrap", bootstrap.resamples) as step:
        statistics = _told(scores.statistics(), step)
        found = intervals(statistics, clusters, resamples=bootstrap.resamples, seed=bootstrap.seed)
    return [(ends.low, ends.high) for ends in found]


def _told(statistics: Sequence[Weighted], step: Callable[[str], None]) -> list[Weighted]:
    """The same, the first of which tells that a resample begins: all metrics of one are computed together."""

    def first(weights: Floats) -> float:
        step("resample")
        return statistics[0](weights)

    return [first, *statistics[1:]]


def score_file(manifest: Manifest, path: Path, request: Request) -> Score:
    """Score a file of detections as the verb `score` does.

    Raises:
        UsageError, InputError: see `read_task`, `read_found`, `score_detections` and `cross_check`.
    """
    if request.engine not in (None, ENGINE):
        raise unknown_name("engine", str(request.engine), [ENGINE])
    task, protocol = read_task(manifest, request.split), request.protocol or "coco"
    found = read_found(path, task, request.form, request.category_base, request.classes)
    count = RESAMPLES if request.resamples is None else request.resamples
    bootstrap = Bootstrap("image", count, request.seed) if count else None
    result = score_detections(task, found, metrics_named(request.metrics, task.labels, protocol), protocol, bootstrap)
    return msgspec.structs.replace(result, notes=[cross_check(task, found, result)]) if request.engine else result


def compare_files(manifest: Manifest, paths: tuple[Path, Path], request: Request) -> Comparison:
    """Compare two files of detections as the verb `compare` does. Errors as in `score_file`."""
    task, protocol = read_task(manifest, request.split), request.protocol or "coco"
    a, b = (read_found(path, task, request.form, request.category_base, request.classes) for path in paths)
    count = COMPARISON_RESAMPLES if request.resamples is None else request.resamples
    metrics = metrics_named(request.metrics, task.labels, protocol)
    lines = compare_detections(task, a, b, metrics, protocol, count, request.seed)
    warnings = [f"{path}: {warning}" for path, found in zip(paths, (a, b), strict=True) for warning in found.warnings]
    method = f"paired bootstrap over images, {count:,} resamples, seed {request.seed}"
    return Comparison(lines, warnings, protocol, method)


def metrics_named(texts: Sequence[str], labels: Sequence[str], protocol: str) -> Sequence[Metric]:
    """The detection metrics that a person named, the paper's and COCO's if none."""
    return [parse_metric(text) for text in texts] if texts else default_metrics(labels, protocol)
