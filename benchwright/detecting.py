"""Score detections on a detection manifest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchwright.comparing import Line
from benchwright.export.coco import labels_of
from benchwright.placing import chosen_split
from schemas.errors import UsageError, unknown_name
from schemas.manifest import Manifest
from scorers.detection.boxes import Detections, Truth, detections_from, truth_from
from scorers.detection.definitions import DEFINITIONS, Scores
from scorers.detection.definitions import score as score_boxes
from scorers.detection.expressions import Metric
from scorers.predictions.detections import read_detections
from scorers.score import Bootstrap, Score, Value, signature, value_or_null
from scorers.uncertainty import comparisons, intervals

PROTOCOLS = tuple(DEFINITIONS)
# AP of every class first, the primary numbers of the paper, then COCO's own means.
_MEANS = (
    Metric("AP", iou=0.5),
    Metric("AP"),
    Metric("AP", iou=0.75),
    *(Metric("AR", max_detections=most) for most in (1, 10, 100)),
)
_MOST_CLASSES = 20
_COLUMNS = ("sample_id", "image_id", "file_name", "width", "height", "objects")


@dataclass(frozen=True)
class Problem:
    """The images of a split and the boxes to be found in them."""

    manifest: Manifest
    split: str
    images: pa.Table
    truth: Truth

    @property
    def labels(self) -> tuple[str, ...]:
        return self.truth.categories


@dataclass(frozen=True)
class Found:
    """Detections on the images of a split: how many were read, lie on dropped images, and on how many images."""

    detections: Detections
    read: int
    elsewhere: int
    images: int

    @property
    def warnings(self) -> list[str]:
        strangers = self.read - len(self.detections.score)
        told = [
            (strangers, "detections are of classes that the truth does not have"),
            (self.elsewhere, "detections are on images that the build dropped, and are left out"),
        ]
        return [f"{count:,} {text}" for count, text in told if count]


def is_detection(manifest: Manifest) -> bool:
    """Whether a manifest holds images with objects."""
    return "objects" in manifest.table(manifest.splits[0], ["objects"]).column_names


def read_problem(manifest: Manifest, split: str | None = None) -> Problem:
    """The truth of a split; its only one, or `test`, when None.

    Raises:
        UsageError: there is no such split.
    """
    chosen = chosen_split(manifest, split)
    images = manifest.table(chosen, _COLUMNS)
    return Problem(manifest, chosen, images, truth_from(images, labels_of(manifest, images), str(manifest.path)))


def read_found(path: Path, problem: Problem, form: str | None = None, base: int | None = None) -> Found:
    """Detections from a file or folder; see `read_detections` and `detections_from` for what may be wrong with them."""
    numbers = category_numbers(problem, base)
    table = read_detections(path, problem.images, problem.labels, numbers, form)
    key = "image_id" if "image_id" in table.column_names else "sample_id"
    # Results are made for a whole data set, manifests keep a part: images that the build dropped are no mistake.
    ledger = problem.manifest.ledger()
    dropped = ledger.filter(pc.and_(pc.is_null(ledger["child_key"]), pc.equal(ledger["action"], "dropped")))["key"]
    gone = pc.is_in(table[key].cast(pa.string()), value_set=dropped.combine_chunks())
    kept = table.filter(pc.invert(gone))
    detections = detections_from(kept, problem.images, problem.labels, str(path))
    return Found(detections, len(kept), len(table) - len(kept), int(pc.count_distinct(kept[key]).as_py()))


def category_numbers(problem: Problem, base: int | None) -> dict[int, str]:
    """The category of each number: as in the source if it has numbers and no `base` is given, else labels counted."""
    records = problem.images["objects"].combine_chunks().flatten()
    pairs = zip(records.field("category_id").to_pylist(), records.field("category").to_pylist(), strict=True)
    numbers = {number: label for number, label in pairs if number is not None}
    if base is None and numbers and set(numbers.values()) == set(records.field("category").unique().to_pylist()):
        return numbers
    first = 1 if base is None else base
    return {first + place: label for place, label in enumerate(problem.labels)}


def default_metrics(labels: Sequence[str]) -> list[Metric]:
    """AP50 of every class where they are few, then the means."""
    single = labels if len(labels) <= _MOST_CLASSES else ()
    return [*(Metric("AP", label, iou=0.5) for label in single), *_MEANS]


def score_detections(
    problem: Problem,
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
    scores = score_boxes(problem.truth, found.detections, metrics, protocol)
    ends = _ends(scores, problem.truth.images, bootstrap)
    values = {
        str(metric): Value(
            value_or_null(value), value_or_null(ends[place][0]), value_or_null(ends[place][1]), metric.unit
        )
        for place, (metric, value) in enumerate(scores.values.items())
    }
    counts = {
        "rows": problem.truth.images,
        "scored": found.images,
        "truths": len(problem.truth.image),
        "detections": found.read,
    }
    identity = msgspec.structs.replace(problem.manifest.identity, tool_version=version("benchwright"))
    line = signature(values, counts, identity, problem.split, protocol, "wrong", bootstrap, {})
    return Score(values, counts, protocol, {}, [], [*found.warnings, *scores.warnings], line)


def compare_detections(
    problem: Problem, a: Found, b: Found, metrics: Sequence[Metric], protocol: str, resamples: int, seed: int
) -> dict[str, Line]:
    """Paired comparison of two detectors by bootstrap over images."""
    first, second = (score_boxes(problem.truth, found.detections, metrics, protocol) for found in (a, b))
    clusters = np.arange(problem.truth.images)
    found = comparisons(first.statistics(), second.statistics(), clusters, resamples=resamples, seed=seed)
    return {
        str(metric): Line(
            value_or_null(first.values[metric]),
            value_or_null(second.values[metric]),
            value_or_null(line.difference),
            value_or_null(line.interval.low),
            value_or_null(line.interval.high),
            value_or_null(line.p_value),
            metric.unit,
        )
        for metric, line in zip(first.values, found, strict=True)
    }


def cross_check(problem: Problem, found: Found, score: Score) -> str:
    """Compute the same metrics with pycocotools; what the comparison says.

    Raises:
        UsageError: a protocol other than `coco`, or a value that differs.
    """
    from scorers.detection.expressions import parse_metric
    from scorers.detection.metrics import settings_for, value
    from scorers.detection.reference import pycocotools_grid

    if score.protocol != "coco":
        raise UsageError(f"pycocotools knows the protocol coco alone, not {score.protocol}")
    metrics = [parse_metric(name) for name in score.metrics]
    grid = pycocotools_grid(problem.truth, found.detections, settings_for(metrics))
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
    found = intervals(scores.statistics(), clusters, resamples=bootstrap.resamples, seed=bootstrap.seed)
    return [(ends.low, ends.high) for ends in found]
