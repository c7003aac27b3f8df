"""Monitoring as a family of metrics: the persons of a detector, and what confirms or contradicts them.

* MultiDet: one detector of persons, another of parts. SingleDet: one detector of both. Baseline: a second detector of
  persons stands in for the detector of parts, under the same rule of agreement.
* Of each class those detections are kept whose score reaches its threshold.

Source: scripts/run_experiments.sh and src/prepare_detections.py of the authors' code, which takes as threshold of each
class the score of best F1 on the validation images of DensePose.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.errors import counted, unknown_name
from schemas.manifest import Manifest
from scorers.declarations import OptionError, checked
from scorers.detection.alignment import aligned, no_doubts
from scorers.detection.boxes import Detections
from scorers.detection.class_lists import class_names
from scorers.detection.doubts import doubts_of
from scorers.detection.images import DetectionTruth, ImageSet, detection_truth
from scorers.monitoring.evaluation import Setup, evaluate
from scorers.monitoring.metrics import (
    SLACK,
    Metric,
    best_tolerances,
    made_of,
    parse_metrics,
)
from scorers.monitoring.thresholds import given_thresholds
from scorers.options import MonitorOptions
from scorers.run import score_task
from scorers.score import Score
from scorers.scorer import Aligned, Evaluation, Scorer
from scorers.task import Progress, silent, task_of

PROTOCOLS = ("paper", "strict")
PERSON = "person"
THRESHOLD = 0.5


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
        "MCC": "Matthews correlation coefficient of both",
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
        second = options.get("second_threshold", thresholds[person])
        warnings: list[str] = []

        def kept(what: str, source: object, labels: Sequence[str]) -> Detections:
            images = images_of_classes(truth, labels, options.get("category_base"), options.get("classes"))
            doubts = partial(doubts_of, truth=truth.boxes, images=images.images) if person in labels else no_doubts
            found = aligned(source, images, doubts=doubts)
            warnings.extend(f"{what}: {warning}" for warning in found.warnings)
            least = np.array([second if what == "second" else thresholds[label] for label in labels])
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
        different += [f"second={second:g}"] * (second != thresholds[person])
        settings = {"setup": name, "thresholds": ",".join([f"{THRESHOLD:g}", *different])}
        counts |= {"persons": len(persons), "parts": len(parts)}
        return Aligned(Setup(person, persons, parts), counts, warnings, settings)

    def evaluate(
        self, truth: DetectionTruth, predictions: Setup, metrics: Sequence[Metric], protocol: str
    ) -> Evaluation:
        persons = truth.boxes.rows(truth.boxes.category == truth.boxes.categories.index(predictions.person))
        to_find, ignored = persons.rows(~persons.ignored), persons.rows(persons.ignored)
        return evaluate(to_find, predictions, truth.boxes.images, metrics, protocol, ignored)

    def missing(self, protocol: str) -> str:
        return "no persons"

    def reason(self, metric: Metric, evaluations: Mapping[str, Evaluation], differing: Sequence[Metric]) -> str:
        """How many images the protocols judge differently; quotients of nothing have a warning."""
        (paper, places), (strict, _) = (evaluations[protocol].detail for protocol in PROTOCOLS)
        unlike = np.zeros(len(paper["D_TP"]), np.bool_)
        for name in made_of(metric.name):
            place = min(places[metric.tolerance], paper[name].shape[1] - 1)
            unlike |= paper[name][:, place] != strict[name][:, place]
        count = int(np.count_nonzero(unlike))
        return counted(count, "images") if count else ""


def images_of_classes(
    truth: DetectionTruth, labels: Sequence[str], base: int | None = None, names: Path | str | None = None
) -> ImageSet:
    """What a file of detections of some classes is read against: ids and numbers mean the same in every file.

    Args:
        truth: with the names of persons and parts, which follow the classes of the source.
        labels: the classes that the file is read for; others are told.
        base, names: as of `ImageSet.counted`; without them ids are the source's, as `score` reads them.
    """
    images = replace(truth.images, labels=labels, classes=truth.persons_and_parts)
    if base is not None or names is not None:
        return images.counted(base, names)
    numbers = dict(enumerate(truth.persons_and_parts, 1))
    return replace(images, numbers=numbers | dict(truth.images.numbers))


def _setup_name(options: Any) -> str:
    parts, second = options.get("parts") is not None, options.get("second") is not None
    if options.get("second_threshold") is not None and not second:
        raise OptionError("second_threshold", ": is of a second detector, and none is given")
    if math.isnan(options.get("second_threshold") or 0.0):
        raise OptionError("second_threshold", ": expected a number")
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


SCORER = MonitorScorer()
