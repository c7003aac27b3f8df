"""Checks of predictions of boxes and activities: systems that hardly answer, or answer something else."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchwright.checks.boxes import twin_pairs
from benchwright.checks.context import Context
from benchwright.checks.finding import Evidence, check
from benchwright.checks.guesses import NEAREST, task_with
from benchwright.checks.people import label_names
from scorers.activity.arrays import Sets, single
from scorers.detection.boxes import Detections


@check(
    "doubtful-detections",
    "predictions",
    "boxes",
    "Detections that look like something else: {systems}",
    "{detail}.",
    needs=["predictions"],
)
def doubtful_detections(context: Context) -> Evidence | None:
    """Boxes that fit by another reading of their numbers, are of images of another size, or of classes off by one."""
    told = {name: run.doubts for name, run in context.read.items() if run.doubts}
    rows = [f"{name}: {doubt}" for name, doubts in told.items() for doubt in doubts]
    numbers = {"count": len(told), "of": len(context.read), "systems": ", ".join(told), "detail": "; ".join(rows)}
    return Evidence(numbers, rows) if told else None


@check(
    "missing-answers",
    "predictions",
    "activities",
    "{count:,} {count:person or key frame has|persons or key frames have} no answer",
    "{count:,} of {of:,} persons and key frames {count:has no answer by a system, and counts|have no answer by a "
    "system, and count} as wrong: {detail}.",
    needs=["predictions"],
)
def missing_answers(context: Context) -> Evidence | None:
    """Persons without actions, and key frames without global activities, where a system tried these."""
    counts = {name: run.counts for name, run in context.read.items()}
    missing = {name: each.get("persons_missing", 0) + each.get("frames_missing", 0) for name, each in counts.items()}
    detail = [f"{name} {count:,}" for name, count in missing.items() if count]
    numbers = {"count": sum(missing.values()), "of": sum(each["persons"] + each["rows"] for each in counts.values())}
    return Evidence({**numbers, "detail": ", ".join(detail)}, detail) if detail else None


def _detections(context: Context) -> Iterator[tuple[str, Detections]]:
    return ((name, run.predictions) for name, run in context.read.items())


@check(
    "equal-scores",
    "predictions",
    "boxes",
    "All detections have nearly one score: {systems}",
    "{count:,} of {of:,} detections of these systems have the score of the others, so that their order, which AP is "
    "made of, is that of the file: {detail}.",
    needs=["predictions"],
)
def equal_scores(context: Context, *, share: float = 0.9) -> Evidence | None:
    """At least `share` of the scores of a system are one number."""
    found, count, of = {}, 0, 0
    for name, detections in _detections(context):
        values, sizes = np.unique(detections.score, return_counts=True)
        if len(detections) > 1 and sizes.max() >= share * len(detections):
            found[name] = f"{name} {values[sizes.argmax()]:g} in {sizes.max():,} of {len(detections):,}"
            count, of = count + int(sizes.max()), of + len(detections)
    numbers = {"count": count, "of": of, "systems": ", ".join(found), "detail": "; ".join(found.values())}
    return Evidence(numbers, list(found.values())) if found else None


@check(
    "unsuppressed",
    "predictions",
    "boxes",
    "Several detections of one object: {systems}",
    "{count:,} of {of:,} detections of these systems overlap a better one of their class by more than {least} of the "
    "union: {detail}; duplicates were not suppressed.",
    needs=["predictions"],
)
def unsuppressed(context: Context, *, least: float = 0.8, share: float = 0.1) -> Evidence | None:
    """IoU above `least` with a better scored detection of the same image and class, in `share` of those of a system."""
    found, rows, count, of = {}, list[str](), 0, 0
    for name, each in _detections(context):
        boxes = {"row": each.image, "label": each.category, "x": each.x, "y": each.y}
        pairs = twin_pairs(pd.DataFrame(boxes).assign(width=each.width, height=each.height), least)
        worse = np.unique(np.where(each.score[pairs[0]] < each.score[pairs[1]], *pairs))
        if len(worse) and len(worse) >= share * len(each):
            found[name] = f"{name} {len(worse):,} of {len(each):,}"
            rows += [f"{name}: {sample}" for sample in _images(context, np.unique(each.image[worse]))]
            count, of = count + len(worse), of + len(each)
    numbers = {"count": count, "of": of, "least": least, "systems": ", ".join(found)}
    return Evidence({**numbers, "detail": "; ".join(found.values())}, rows) if found else None


def _images(context: Context, images: NDArray[np.int64]) -> list[str]:
    assert context.task is not None
    names: list[str] = context.task.truth.names.take(images).to_pylist()
    return names


NEVER = "{count:,} {count:label is never predicted, though it occurs|labels are never predicted, though they occur}"
OF_NEVER = (
    "{count:,} {count:label is|labels are} never predicted by a system, though each occurs {fewest} times or more: "
    "{detail}."
)


@check("never-detected", "predictions", "boxes", NEVER, OF_NEVER, needs=["predictions"])
def never_detected(context: Context, *, fewest: int = 10) -> Evidence | None:
    """Classes with at least `fewest` boxes that count, and no detection of a system."""
    assert context.task is not None
    truth = context.task.truth.boxes
    true = np.bincount(truth.category[~(truth.crowd | truth.ignored)], minlength=len(truth.categories))
    counts = {name: np.bincount(each.category, minlength=len(true)) for name, each in _detections(context)}
    never = [
        f"{name}: {truth.categories[label]}"
        for name, count in counts.items()
        for label in np.flatnonzero((true >= fewest) & (count == 0)).tolist()
    ]
    numbers = {"count": len(never), "of": len(counts) * len(true), "fewest": fewest, "detail": ", ".join(never)}
    return Evidence(numbers, never) if never else None


@check("never-predicted", "predictions", "activities", NEVER, OF_NEVER, needs=["predictions"])
def never_predicted(context: Context, *, fewest: int = 10) -> Evidence | None:
    """Labels of persons, groups or key frames with at least `fewest` examples, and none by a system."""
    never, of = [], 0
    for name, task, true, given in _label_sets(context):
        names = label_names(context, task)
        wanted = [label for label in range(1, 33) if np.count_nonzero(true & single(np.array([label]))) >= fewest]
        missed = [label for label in wanted if not np.any(given & single(np.array([label])))]
        never += [f"{name}: {names.get(label, label)} ({task})" for label in missed]
        of += len(wanted)
    numbers = {"count": len(never), "of": of, "fewest": fewest, "detail": ", ".join(never)}
    return Evidence(numbers, never) if never else None


def _label_sets(context: Context) -> Iterator[tuple[str, str, Sets, Sets]]:
    """System, task, the true sets of labels and those predicted, where the system tried the task."""
    assert context.task is not None
    truth = context.task.truth
    for name, run in context.read.items():
        given, groups = run.predictions, run.predictions.groups
        tasks = [("actions", truth.actions, given.actions), ("global", truth.activities, given.activities)]
        tasks.append(("social", truth.groups.labels, None if groups is None else groups.labels))
        yield from ((name, task, true, own) for task, true, own in tasks if own is not None)


@check(
    "same-answer",
    "predictions",
    "activities",
    "Nearly always the same labels: {systems}",
    "{count:,} of {of:,} answers of these systems are one and the same, where the truth differs: {detail}.",
    needs=["predictions"],
)
def same_answer(context: Context, *, share: float = 0.9) -> Evidence | None:
    """At least `share` of the label sets of a system are equal, and less of the true ones are."""
    found, count, of = [], 0, 0
    for name, task, true, given in _label_sets(context):
        most, usual = (int(np.unique(each, return_counts=True)[1].max(initial=0)) for each in (given, true))
        if len(given) > 1 and most >= share * len(given) and usual < share * len(true):
            found.append(f"{name} {most:,} of {len(given):,} ({task})")
            count, of = count + most, of + len(given)
    systems = ", ".join(dict.fromkeys(text.split(" ")[0] for text in found))
    numbers = {"count": count, "of": of, "systems": systems, "detail": "; ".join(found)}
    return Evidence(numbers, found) if found else None


@check(
    "recall-over-predicted",
    "protocol",
    "activities",
    "The recall of groups' activities is over the predicted groups",
    "Under {protocol} R_p divides by the predicted groups, not by the {count:,} true ones as under {strict}: {detail}.",
)
def recall_over_predicted(context: Context, *, points: float = 1, strict: str = "strict") -> Evidence | None:
    """R_p or F_p of a system, or where some are published of `nearest`, changes by `points` over the true groups."""
    task = task_with(context, ["R_p", "F_p"])
    given = {name: run.predictions for name, run in context.read.items() if run.predictions.groups is not None}
    if any("F_p" in each.scores for each in context.published):
        given["pairs of nearest neighbours"] = task.scorer.baseline(NEAREST, task.truth, (), {})
    values: dict[str, dict[str, tuple[float, ...]]] = {}
    for name, one in given.items():
        ways = [task.evaluate(one, protocol).values for protocol in (task.protocol, strict)]
        values[name] = {str(metric): tuple(way[metric] for way in ways) for metric in task.metrics}
    changed = {name: each for name, each in values.items() if max(abs(a - b) for a, b in each.values()) >= points}
    told = [
        f"{name} ({len(given[name].groups):,} groups) "
        + ", ".join(f"{m} {a:.2f} -> {b:.2f}" for m, (a, b) in each.items())
        for name, each in changed.items()
    ]
    groups = task.truth.groups.of_at_least(2)
    numbers = {"count": len(groups), "of": len(groups), "protocol": task.protocol, "strict": strict, "values": values}
    found = Evidence({**numbers, "detail": "; ".join(told)}, told, parameter="protocol", alternative=strict)
    return found if changed else None
