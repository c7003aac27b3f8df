"""A run class by class: precision and recall at a score threshold, confusion, errors; and the verdict on each box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.arrays import array_of, one_array, texts_of
from scorers.detection.boxes import SIDES, Detections, Truth
from scorers.detection.coco import Setting
from scorers.detection.errors import (
    BOTH,
    FATES,
    FOREGROUND,
    FOUND,
    NOT_COUNTED,
    TRUE,
    VERDICTS,
    Judgement,
    costs,
    judge,
    pairs_of_any_class,
)
from scorers.detection.images import DetectionTruth
from scorers.detection.metrics import Metric
from scorers.detection.outcomes import Outcomes, coco_outcomes, voc_outcomes
from scorers.detection.ranking import deferred_acceptance
from scorers.score import Table

SCORE_THRESHOLD = 0.5
ALL, NO_BOX, MISSED = "(all)", "(background)", "(missed)"

MEANINGS = {
    "class": "on a box of another class, IoU >= .5",
    "localisation": "on a box of its class, .1 <= IoU <= .5",
    "both": "on a box of another class, .1 < IoU < .5",
    "duplicate": "on a box of its class that is found already",
    "background": "on no box, IoU <= .1",
    "missed": "box not found, without an error of class or localisation on it",
    "all false positives": "the first five",
    "all boxes not found": "missed, or with such an error on it",
}
"""What the errors are."""

Rows = list[dict[str, Any]]


def class_metrics(labels: Sequence[str], protocol: str) -> dict[str, list[Metric]]:
    """The metrics of each class, and of all together, by column; VOC knows AP at one IoU alone."""
    columns: dict[str, dict[str, Any]] = {"AP50": {"measure": "AP", "iou": 0.5}}
    if protocol == "coco":
        columns = {"AP": {"measure": "AP"}, **columns, "AR100": {"measure": "AR"}}
    return {name: [Metric(category=label, **of) for label in (*labels, None)] for name, of in columns.items()}


def breakdown(
    truth: Truth, detections: Detections, values: Mapping[Metric, float], protocol: str, threshold: float
) -> dict[str, Table]:
    """The tables `classes`, `confusion` and `errors`; the last two for COCO's matching alone.

    Args:
        truth, detections: of a run.
        values: of all `class_metrics`.
        protocol: by which.
        threshold: detections with this score or a higher one are looked at by `classes` (precision, recall, F1) and
            `confusion`.
    """
    labels = truth.categories
    columns = {name: [values[metric] for metric in of] for name, of in class_metrics(labels, protocol).items()}
    setting = Setting(FOREGROUND, "all", 100)
    kept = f"detections with score >= {threshold:g}"
    scales = "AP, AR, precision, recall, F1: fractions, higher is better"
    by_class = f"classes; {scales}; the last three of {kept}, at IoU .5"
    if protocol != "coco":
        outcomes = voc_outcomes(truth, detections, setting)
        return {"classes": Table(by_class, _classes(labels, columns, outcomes, threshold))}
    judged = judge(truth, detections)
    outcomes, found = coco_outcomes(judged.matches, setting), costs(truth, detections, judged)
    errors: Rows = [
        {"error": kind, "count": cost.errors, "dAP50": cost.loss, "what it is": MEANINGS[kind]}
        for kind, cost in found.items()
    ]
    return {
        "classes": Table(by_class, _classes(labels, columns, outcomes, threshold)),
        "confusion": Table(
            f"confusion of {kept}: after the true ones, the best scored take free boxes of other classes, IoU >= .5",
            _confusion(truth, detections, judged, threshold),
        ),
        "errors": Table("errors of all detections by kind, after TIDE", errors),
    }


def _classes(labels: Sequence[str], columns: Mapping[str, list[float]], outcomes: Outcomes, threshold: float) -> Rows:
    """A row per class, and of all together: means of what is averaged, precision and recall of all boxes as one."""
    category = np.repeat(np.arange(outcomes.categories), np.diff(outcomes.starts))
    kept = outcomes.score >= threshold
    found = (outcomes.box_category, category[kept], category[kept & outcomes.true])
    counts = np.array([np.bincount(of, minlength=outcomes.categories) for of in found])
    rows = []
    for number, (label, (boxes, given, true)) in enumerate(
        zip((*labels, ALL), (*counts.T.tolist(), counts.sum(axis=1).tolist()), strict=True)
    ):
        parts = {"precision": (true, given), "recall": (true, boxes), "F1": (2 * true, boxes + given)}
        ratios = {name: above / below if below else None for name, (above, below) in parts.items()}
        averages = {name: None if np.isnan(of[number]) else of[number] for name, of in columns.items()}
        rows.append({"class": label, "boxes": boxes, **averages, "given": given, **ratios})
    return rows


def _confusion(truth: Truth, detections: Detections, judged: Judgement, threshold: float) -> Rows:
    """How many boxes of each class were detected as which, the commonest pairs first.

    True positives at IoU .5 are of their class. Then the false ones by falling score take, of the boxes that are free,
    the one of another class that they overlap most, of equals the first, from IoU .5 on. What is left is missed, or
    detected where no box is.
    """
    kept = detections.score >= threshold
    true = np.flatnonzero(kept & (judged.verdict == TRUE))
    false = np.flatnonzero(kept & (judged.verdict > TRUE) & (judged.verdict <= BOTH))
    false = false[np.argsort(-detections.score[false], kind="stable")]
    free = judged.fate != NOT_COUNTED
    free[judged.box[true]] = False
    pairs = pairs_of_any_class(truth, detections.rows(false), np.flatnonzero(free), FOREGROUND)
    other = np.flatnonzero(detections.category[false][pairs.detection] != truth.category[pairs.box])
    order = other[np.lexsort((pairs.box[other], -pairs.iou[other], pairs.detection[other]))]
    taken = order[deferred_acceptance(pairs.detection[order], pairs.box[order])]
    free[pairs.box[taken]] = False
    alone = np.delete(false, pairs.detection[taken])

    none, sides = len(truth.categories), len(truth.categories) + 1
    of_truth = [truth.category[judged.box[true]], truth.category[pairs.box[taken]], truth.category[free]]
    detected = [
        detections.category[true],
        detections.category[false[pairs.detection[taken]]],
        np.full(free.sum(), none),
    ]
    of_truth.append(np.full(len(alone), none))
    detected.append(detections.category[alone])
    counts = np.bincount(np.concatenate(of_truth) * sides + np.concatenate(detected), minlength=sides * sides)
    cells = np.flatnonzero(counts)
    cells = cells[np.argsort(-counts[cells], kind="stable")]
    return [
        {
            "truth": [*truth.categories, NO_BOX][cell // sides],
            "detected": [*truth.categories, MISSED][cell % sides],
            "count": count,
        }
        for cell, count in zip(cells.tolist(), counts[cells].tolist(), strict=True)
    ]


def verdicts(truth: DetectionTruth, detections: Detections) -> pa.Table:
    """The verdict on each detection in the order of the file, then the boxes that were not found: a row each.

    `verdict` is of `errors.VERDICTS`, of a box `covered` or `missed`. `iou`, `truth_class` and `annotation_id` are of
    the box of the truth that the verdict is about, null where there is none.
    """
    boxes, images, labels = truth.boxes, truth.images.images, texts_of(truth.boxes.categories)
    judged = judge(boxes, detections)
    unfound = np.flatnonzero((judged.fate != FOUND) & (judged.fate != NOT_COUNTED))
    about = np.concatenate([judged.box, unfound])
    none = pa.array(about < 0)
    lists = one_array(images["objects"])
    objects, sample = lists.flatten(), images["sample_id"].take(pc.list_parent_indices(lists))
    # Of the classes that are looked at, and where only some images are, of these.
    known = pc.and_(
        pc.is_in(objects.field("category"), value_set=labels), pc.is_in(sample, value_set=one_array(truth.names))
    )
    ids = objects.filter(one_array(known)).field("annotation_id")

    def both(name: str) -> Any:
        return np.concatenate([getattr(detections, name), getattr(boxes, name)[unfound]])

    def of_box(values: pa.Array) -> pa.Array:
        return values.take(pc.if_else(none, None, array_of(about)))

    named = np.array([*VERDICTS, *FATES])
    verdict = np.concatenate([judged.verdict, judged.fate[unfound] + len(VERDICTS)])
    score = np.concatenate([detections.score, np.full(len(unfound), np.nan)])
    iou = np.concatenate([judged.iou, np.full(len(unfound), np.nan)])
    return pa.table(
        {
            "sample_id": truth.names.take(array_of(both("image"))),
            "class": labels.take(array_of(both("category"))),
            **{name: array_of(both(name)) for name in SIDES},
            "score": pa.array(score, from_pandas=True),
            "verdict": texts_of(named[verdict].tolist()),
            "iou": pa.array(iou, from_pandas=True),
            "truth_class": of_box(labels.take(array_of(boxes.category))),
            "annotation_id": of_box(ids),
        }
    )
