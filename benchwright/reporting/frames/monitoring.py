"""The sweep of a monitor over its tolerance, from the predictions that a report has read already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchwright.checks.context import Context
from schemas.errors import unknown_name
from scorers.detection.alignment import aligned
from scorers.detection.boxes import Detections
from scorers.detection.images import DetectionTruth
from scorers.monitoring.evaluation import Setup
from scorers.monitoring.metrics import CRITERIA, TOLERANCES, Metric, best_tolerances
from scorers.monitoring.scorer import PERSON, PROTOCOLS, SCORER, THRESHOLD, images_of_classes


@dataclass(frozen=True)
class Sweep:
    """One monitor of one system.

    Attributes:
        setup: `SingleDet`, whose parts are of the same detector, or `MultiDet`.
        values: of each of `CRITERIA`, by tolerance; null where undefined.
        best: the best tolerance by each of them, null where there is none.
        persons, parts: detections with a score of `THRESHOLD` or more.
    """

    setup: str
    values: Mapping[str, Mapping[float, float | None]]
    best: Mapping[str, float | None]
    persons: int
    parts: int


def sweeps(context: Context, parts: object | None = None) -> dict[str, Sweep]:
    """By system, what `monitor` gives under its first protocol and default thresholds.

    Args:
        context: with predictions of boxes.
        parts: detections of parts, for all systems; without them a system is monitored by the parts that it has itself,
            and those that have none are left out.

    Raises:
        InputError, UsageError: the parts cannot be read, or there are no persons to monitor by them.
    """
    task = context.task
    if task is None or task.empty:
        return {}
    truth: DetectionTruth = task.truth
    if PERSON not in truth.boxes.categories:
        if parts is not None:
            raise unknown_name("class of persons", PERSON, truth.boxes.categories)
        return {}
    given = None if parts is None else _read(parts, truth)
    found = {}
    for name, run in context.read.items():
        kept = run.predictions.rows(run.predictions.score >= THRESHOLD)
        is_person = kept.category == truth.boxes.categories.index(PERSON)
        own = kept.rows(~is_person) if given is None else given
        if given is not None or (~is_person).any():
            found[name] = _sweep(truth, Setup(PERSON, kept.rows(is_person), own), single=given is None)
    return found


def _read(parts: object, truth: DetectionTruth) -> Detections:
    labels = [label for label in truth.persons_and_parts if label != PERSON]
    found = aligned(parts, images_of_classes(truth, labels)).predictions
    return found.rows(found.score >= THRESHOLD)


def _sweep(truth: DetectionTruth, setup: Setup, *, single: bool) -> Sweep:
    metrics = [Metric(name, tolerance) for name in CRITERIA for tolerance in TOLERANCES]
    values = SCORER.evaluate(truth, setup, metrics, PROTOCOLS[0]).values
    known = {metric: value if value == value else None for metric, value in values.items()}
    by_name = {name: {o: known[Metric(name, o)] for o in TOLERANCES} for name in CRITERIA}
    name = "SingleDet" if single else "MultiDet"
    return Sweep(name, by_name, best_tolerances(known), len(setup.persons), len(setup.parts))
