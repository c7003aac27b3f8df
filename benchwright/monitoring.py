"""Evaluate the monitoring of a person detector on a detection manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchwright.cli import console
from schemas.cards import card_named
from schemas.errors import UsageError, unknown_name
from schemas.identity import Identity
from schemas.manifest import Manifest
from scorers.detection.alignment import Task, image_rows, read_task
from scorers.detection.boxes import detections_from, truth_from
from scorers.detection.flat import Known
from scorers.detection.formats import read_detections
from scorers.detection.text_files import class_names
from scorers.monitoring import (
    Boxes,
    Detections,
    Difference,
    Evaluation,
    Setup,
    baseline,
    differences,
    evaluate,
    multi_detector,
    single_detector,
)

PERSON = "person"
# Class names and their order in detectors of persons and parts.
LABELS = tuple(card_named("densepose-person").labels)
THRESHOLD = 0.5
SWEPT = {
    "per object": ("detected_FP", "rejected_TP", "balance(FP)", "detected_FN", "ghost_parts", "balance(FN)"),
    "per image": ("precision(FP)", "recall(FP)", "MCC(FP)", "precision(FN)", "recall(FN)", "MCC(FN)"),
}


@dataclass(frozen=True)
class Monitored:
    """A monitor under one protocol, with what the other one gives differently."""

    setup: Setup
    evaluation: Evaluation
    differences: list[Difference]
    thresholds: dict[str, float]


def monitor(
    manifest: Manifest,
    detections: Path,
    *,
    parts: Path | None = None,
    second: Path | None = None,
    thresholds: Mapping[str, float] | None = None,
    protocol: str = "paper",
    split: str | None = None,
    base: int | None = None,
    classes: Path | None = None,
) -> Monitored:
    """Evaluate a monitor: SingleDet from `detections` alone, MultiDet with `parts`, Baseline with `second`.

    Args:
        manifest: a detection manifest with persons.
        detections: of persons; for SingleDet of persons and parts.
        parts: detections of a part detector.
        second: detections of a second person detector.
        thresholds: least score by class, 0.5 where not given.
        protocol: `paper` or `strict`.
        split: split of the manifest.
        base: number of the first class in COCO results, 1 if None.
        classes: file of the names of the classes in the order of their numbers; those asked for if None.

    Raises:
        UsageError: both `parts` and `second`, unknown class or protocol.
        InputError: detections that cannot be read.
    """
    if parts is not None and second is not None:
        raise UsageError("--parts makes MultiDet, --second makes Baseline: give one of them")
    task = read_task(manifest, split)
    least = _thresholds(thresholds or {})
    single = parts is None and second is None
    persons = _read(detections, task, LABELS if single else [PERSON], base, classes)
    if single:
        setup = single_detector(persons, [least[label] for label in LABELS])
    elif parts is not None:
        found = _read(parts, task, LABELS[1:], base, classes)
        setup = multi_detector(persons, found, least[PERSON], [least[label] for label in LABELS[1:]])
    else:
        others = _read(second, task, [PERSON], base, classes) if second is not None else persons
        setup = baseline(persons, others, least[PERSON], least[PERSON])
    boxes = truth_from(task.images, [PERSON], str(manifest.path))
    truth = Boxes(boxes.image, boxes.x, boxes.y, boxes.width, boxes.height)
    by_protocol = {name: evaluate(truth, setup, boxes.images, protocol=name) for name in ("paper", "strict")}
    chosen = by_protocol.get(protocol) or evaluate(truth, setup, boxes.images, protocol=protocol)
    return Monitored(setup, chosen, differences(by_protocol["paper"], by_protocol["strict"]), least)


def _read(path: Path, task: Task, labels: Sequence[str], base: int | None, classes: Path | None) -> Detections:
    names = class_names(classes) if classes else labels
    known = Known(task.images, labels, dict(enumerate(names, 1 if base is None else base)), names, task.split)
    table, _ = image_rows(read_detections(path, known), task)
    found = detections_from(table, task.images, labels, str(path))
    return Detections(found.image, found.x, found.y, found.width, found.height, found.score, found.category)


def _thresholds(given: Mapping[str, float]) -> dict[str, float]:
    for label in given:
        if label not in LABELS:
            raise unknown_name("class", label, list(LABELS))
    return dict.fromkeys(LABELS, THRESHOLD) | dict(given)


def as_data(found: Monitored) -> dict[str, object]:
    """The evaluation for machines, in the shape of every scorer; swept metrics are named `MCC(FP)[o=0.1]`."""
    run = found.evaluation
    values: dict[str, object] = {}
    for name, numbers in run.metrics.items():
        unit = "fraction" if name.startswith(("precision", "recall", "MCC")) else "count"
        for place, number in enumerate(np.atleast_1d(numbers).tolist()):
            key = f"{name}[o={run.tolerances[place]:g}]" if np.ndim(numbers) else name
            value = None if number != number else number
            values[key] = {"value": value, "low": None, "high": None, "unit": unit}
    return {
        "setup": found.setup.name,
        "metrics": values,
        "counts": {"persons": len(found.setup.persons), "parts": len(found.setup.parts)},
        "protocol": run.protocol,
        "baselines": {},
        "best": run.best,
        "thresholds": found.thresholds,
        "differences": [line._asdict() for line in found.differences],
        "warnings": list(run.warnings),
    }


def signature(found: Monitored, identity: Identity) -> str:
    """What the numbers depend on, in one line."""
    least = ",".join(f"{label}={value:g}" for label, value in found.thresholds.items() if value != THRESHOLD)
    return " | ".join(
        [
            f"{found.setup.name} of {len(found.setup.persons)} persons and {len(found.setup.parts)} parts",
            f"data:{identity.name} sha:{identity.content_digest[:12]}",
            f"protocol:{found.evaluation.protocol}",
            f"thresholds:{THRESHOLD:g}" + (f",{least}" if least else ""),
            f"v:{identity.tool_version}",
        ]
    )


def show(found: Monitored, line: str) -> None:
    """The sweep as a table, the best tolerances, where the protocols differ."""
    run = found.evaluation
    scalars = {name: values for name, values in run.metrics.items() if not np.ndim(values)}
    title = f"{found.setup.name}, protocol {run.protocol}: " + ", ".join(f"{n} {v}" for n, v in scalars.items())
    console.say(title, "bold")
    for kind, names in SWEPT.items():
        rows = [
            [f"{tolerance:g}", *(_shown(np.atleast_1d(run.metrics[name])[place].item()) for name in names)]
            for place, tolerance in enumerate(run.tolerances.tolist())
        ]
        headings = ["o", *(name.replace("_", " ") for name in names)]
        console.table(kind, headings, rows, right=range(1, len(headings)))
    best = ", ".join(f"{name} o={'-' if o is None else f'{o:g}'}" for name, o in run.best.items())
    console.say(f"best tolerance by: {best}")
    changed = dict.fromkeys(difference.metric for difference in found.differences)
    if changed:
        console.say(f"depend on the protocol: {', '.join(changed)}")
    for warning in run.warnings:
        console.complain(warning, "warning")
    console.say(line, "dim")


def _shown(number: float) -> str:
    return "-" if number != number else f"{number:.3f}" if isinstance(number, float) else f"{number:,}"
