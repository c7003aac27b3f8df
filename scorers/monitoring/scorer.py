"""Monitoring as a family of metrics: the persons of a detector, and what confirms or contradicts them.

* MultiDet: one detector of persons, another of parts. SingleDet: one detector of both. Baseline: a second detector of
  persons stands in for the detector of parts, under the same rule of agreement.
* Of each class those detections are kept whose score reaches its threshold.

Source: scripts/run_experiments.sh and src/prepare_detections.py of the authors' code, which takes as threshold of each
class the score of best F1 on the validation images of DensePose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.errors import unknown_name
from schemas.manifest import Manifest
from scorers.declarations import OptionError, checked
from scorers.detection.alignment import aligned, no_doubts
from scorers.detection.boxes import Boxes, Detections, Floats
from scorers.detection.class_lists import class_names
from scorers.detection.doubts import doubts_of
from scorers.detection.images import DetectionTruth, detection_truth
from scorers.monitoring.judgement import judge
from scorers.monitoring.metrics import (
    SLACK,
    TOLERANCES,
    Metric,
    best_tolerances,
    parse_metrics,
    values_of,
)
from scorers.monitoring.thresholds import given_thresholds
from scorers.options import MonitorOptions
from scorers.resampling import Sums
from scorers.run import score_task
from scorers.score import Score
from scorers.scorer import Aligned, Evaluation, Scorer
from scorers.task import Progress, silent, task_of

PROTOCOLS = ("paper", "strict")
PERSON = "person"
THRESHOLD = 0.5


@dataclass(frozen=True, eq=False)
class Setup:
    """What a monitor sees.

    Attributes:
        person: the class of persons in the truth.
        persons: detected persons, whose errors are to be found.
        parts: detected body parts, all classes alike; in Baseline the persons of the second detector.
    """

    person: str
    persons: Detections
    parts: Detections


class MonitorScore(Score, frozen=True, kw_only=True):
    """The result of monitoring one detector.

    Attributes:
        setup: as the paper calls it: MultiDet, SingleDet or Baseline.
        best: the best tolerance by each of `metrics.CRITERIA`, null where the criterion is null or tied throughout.
        thresholds: the score threshold of each class.
    """

    setup: str
    best: dict[str, float | None]
    thresholds: dict[str, float]


def monitor(
    manifest: Manifest, persons: object, options: MonitorOptions | None = None, *, progress: Progress = silent
) -> MonitorScore:
    """Evaluate a monitor: SingleDet from `persons` alone, MultiDet with the option `parts`, Baseline with `second`.

    Args:
        manifest: a detection manifest with persons.
        persons: detections of persons; for SingleDet of persons and parts.
        options: see `MonitorOptions`.
        progress: of the bootstrap.

    Raises:
        UsageError: both `parts` and `second`, unknown class, protocol or metric.
        InputError: detections that cannot be read.
    """
    asked = checked(options or {}, MonitorOptions, SCORER.kind)
    if "class_thresholds" in asked:
        asked["class_thresholds"] = given_thresholds(asked["class_thresholds"])
    task = task_of(manifest, asked, MonitorOptions, SCORER)
    result = score_task(task, persons, progress)
    values: dict[Any, float | None] = {metric: result.metrics[str(metric)].value for metric in task.metrics}
    given: Any = task.options
    return MonitorScore(
        **{name: getattr(result, name) for name in Score.__struct_fields__},
        setup=_setup_name(given),
        best=best_tolerances(values),
        thresholds=_thresholds(given, task.truth),
    )


class MonitorScorer(Scorer[DetectionTruth, Setup, Metric]):
    """Scores of the monitor of a person detector; one cluster per image, whose counts are summed."""

    kind = "boxes"
    columns = frozenset({"objects"})
    protocols = PROTOCOLS
    side_by_side = PROTOCOLS
    slack = SLACK  # what the authors' code adds to denominators is no difference
    clusters = "image"
    resamples = 1000
    comparison_resamples = 1000
    words: Mapping[str, str] = {
        "o": "tolerance, the share of a part that may stick out of its person",
        "D_TP": "detected persons that are true",
        "D_FP": "detected persons that are false",
        "D_FN": "true persons that are missed",
        "detected_FP": "false persons without a part, rightly rejected",
        "rejected_TP": "true persons without a part, wrongly rejected",
        "balance(FP)": "detected FP - rejected TP",
        "detected_FN": "missed persons with a part",
        "ghost_parts": "parts that belong to no person",
        "balance(FN)": "detected FN - ghost parts",
        "images_with(FP)": "images with a false person",
        "images_with(FN)": "images with a missed person",
        "precision": "of images declared to have such an error, those that have one",
        "recall": "of images with such an error, those declared to have one",
        "MCC": "Matthews correlation coefficient of both, -1 to 1",
        "rows": "images",
        "scored": "images with a detected person",
        "persons": "detected, above their score threshold",
        "parts": "likewise; of Baseline the second detector's persons",
        "SingleDet": "one detector of persons and parts",
        "MultiDet": "one detector of persons, another of parts",
        "Baseline": "a second detector of persons in place of parts",
        "paper": "the authors' code, slips included",
        "strict": "persons match once, boxes without area agree with nothing, quotients of nothing have no value",
    }

    def metrics(self, names: Sequence[str], truth: DetectionTruth, protocol: str) -> Sequence[Metric]:
        return parse_metrics(names)

    def truth(self, manifest: Manifest, split: str, options: Any) -> DetectionTruth:
        return detection_truth(manifest, split)

    def numbered_clusters(self, truth: DetectionTruth) -> NDArray[np.int64]:
        return np.arange(truth.boxes.images)

    def read(self, source: object, truth: DetectionTruth, metrics: Sequence[Metric], options: Any) -> Aligned[Setup]:
        """Persons, and parts or a second detector as options, above their thresholds."""
        person, name = options.get("person", PERSON), _setup_name(options)
        if person not in truth.boxes.categories:
            raise unknown_name("class of persons", person, truth.boxes.categories)
        thresholds = _thresholds(options, truth)
        warnings: list[str] = []

        def kept(what: str, source: object, labels: Sequence[str]) -> Detections:
            images = replace(truth.images, labels=labels, classes=labels)
            images = images.counted(options.get("category_base"), options.get("classes"))
            doubts = partial(doubts_of, truth=truth.boxes, images=images.images) if person in labels else no_doubts
            found = aligned(source, images, doubts=doubts)
            warnings.extend(f"{what}: {warning}" for warning in found.warnings)
            least = np.array([thresholds[label] for label in labels])
            return found.predictions.rows(found.predictions.score >= least[found.predictions.category])

        if name == "SingleDet":
            both = kept("detections", source, list(thresholds))
            is_person = both.category == list(thresholds).index(person)
            persons, parts = both.rows(is_person), both.rows(~is_person)
        else:
            persons = kept("persons", source, [person])
            others = [label for label in thresholds if label != person] if name == "MultiDet" else [person]
            option = "parts" if name == "MultiDet" else "second"
            parts = kept(option, options[option], others)
        counts = {"rows": truth.boxes.images, "scored": len(np.unique(persons.image))}
        different = [f"{label}={least:g}" for label, least in thresholds.items() if least != THRESHOLD]
        settings = {"setup": name, "thresholds": ",".join([f"{THRESHOLD:g}", *different])}
        counts |= {"persons": len(persons), "parts": len(parts)}
        return Aligned(Setup(person, persons, parts), counts, warnings, settings)

    def evaluate(
        self, truth: DetectionTruth, predictions: Setup, metrics: Sequence[Metric], protocol: str
    ) -> Evaluation:
        persons = truth.boxes.rows(truth.boxes.category == truth.boxes.categories.index(predictions.person))
        return evaluate(persons, predictions, truth.boxes.images, metrics, protocol)

    def missing(self, protocol: str) -> str:
        return "no persons"


def evaluate(truth: Boxes, setup: Setup, images: int, metrics: Sequence[Metric], protocol: str) -> Evaluation:
    """The metrics of one monitor.

    Args:
        truth: the true persons, crowds among them.
        setup: detected persons and parts, cut at their score thresholds.
        images: how many images there are, those without any box included.
        metrics: what to compute.
        protocol: `paper` does what the authors' code does, `strict` what a careful reader would expect; they differ in
            matching, boxes without area, the area that declares misses (`judgement`) and quotients of nothing
            (`metrics`).
    """
    sweep = sorted({metric.tolerance for metric in metrics if metric.tolerance is not None}) or TOLERANCES[:1]
    counts = judge(truth, setup.persons, setup.parts, images, protocol, np.array(sweep))
    places = {None: 0} | {tolerance: place for place, tolerance in enumerate(sweep)}

    columns = np.column_stack([*counts.values(), np.ones(images)])
    ends = np.cumsum([table.shape[1] for table in counts.values()])

    def values_at(totals: Floats, protocol: str) -> dict[str, Floats]:
        *sums, drawn = np.split(totals, ends, axis=1)
        return values_of(dict(zip(counts, sums, strict=True)), drawn, protocol)

    def computed(totals: Floats) -> Floats:
        values = values_at(totals, protocol)
        return np.stack([values[metric.name][:, places[metric.tolerance]] for metric in metrics], axis=1)

    totals = columns.sum(axis=0, keepdims=True)
    warnings = [
        *_empty(truth, setup, images),
        *(_undefined(values_at(totals, "strict"), metrics, protocol, sweep) if images else ()),
    ]
    values = dict(zip(metrics, computed(totals)[0].tolist(), strict=True))
    return Evaluation(values, lambda: Sums(columns, computed), warnings)


def _setup_name(options: Any) -> str:
    parts, second = options.get("parts") is not None, options.get("second") is not None
    if parts and second:
        raise OptionError("parts", ": makes MultiDet, a second detector makes Baseline; give one of the two")
    return "MultiDet" if parts else "Baseline" if second else "SingleDet"


def _thresholds(options: Any, truth: DetectionTruth) -> dict[str, float]:
    """The score threshold of persons and of each part, in the order of their numbers."""
    names, person = options.get("classes"), options.get("person", PERSON)
    classes = class_names(Path(names)) if names else truth.persons_and_parts
    thresholds = dict.fromkeys(classes if person in classes else [person, *classes], THRESHOLD)
    given = options.get("class_thresholds") or {}
    for label in given:
        if label not in thresholds:
            raise unknown_name("class", label, list(thresholds))
    return thresholds | dict(given)


def _empty(truth: Boxes, setup: Setup, images: int) -> list[str]:
    consequences = (
        (images, "there are no images"),
        (len(truth), "there are no true persons: every detected person is a false positive"),
        (len(setup.persons), "there are no detected persons: every part declares a miss"),
        (len(setup.parts), "there are no parts: every detected person is declared false, and no miss is declared"),
    )
    return [consequence for amount, consequence in consequences if not amount]


def _undefined(
    strict: Mapping[str, Floats], metrics: Sequence[Metric], protocol: str, tolerances: Sequence[float]
) -> list[str]:
    """A sentence for each metric that is a quotient of nothing; `strict` gives null, `paper` the authors' 0."""
    found, asked = [], {metric.name for metric in metrics}
    for error in ("FP", "FN"):
        for name, reason in (
            ("precision", f"no image is declared to have an {error}"),
            ("recall", f"no image has an {error}"),
            ("MCC", f"all images or none have an {error}, or are declared to have one"),
        ):
            nulls = np.isnan(strict[f"{name}({error})"][0])
            if nulls.any() and f"{name}({error})" in asked:
                where = ", ".join(f"{tolerance:g}" for tolerance, null in zip(tolerances, nulls, strict=True) if null)
                instead = "; the authors' code gives 0" if protocol == "paper" else ""
                found.append(f"{name}({error}) is undefined at o = {where}: {reason}{instead}")
    return found


SCORER = MonitorScorer()
