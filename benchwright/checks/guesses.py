"""Guesses that look at nothing, against the best system and against what is published."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from benchwright.checks.boxes import SIDES
from benchwright.checks.context import Context
from benchwright.checks.finding import Evidence, check
from schemas.cards import Published
from scorers.detection.boxes import Detections
from scorers.metric import direction
from scorers.resampling import replicated
from scorers.run import draws, valued
from scorers.score import Value, value_or_null
from scorers.task import Task, task_of
from scorers.uncertainty import comparisons

NEAREST = "nearest"
"""The baseline of activities that knows no true group."""


def task_with(context: Context, metrics: list[str], **options: object) -> Task:
    """What is scored on the split of the predictions, the last one where there are none."""
    split = context.task.split if context.task else context.manifest.splits[-1]
    protocol = {"protocol": context.task.protocol} if context.task else {}
    return task_of(context.manifest, {"metrics": metrics, "split": split, **protocol, **options})


def beating(context: Context, guess: Any, metric: str) -> dict[str, Any] | None:
    """The best system and how far a guess is beyond it, None where it is not; of the predictions of a scorer."""
    task = task_with(context, [metric])
    [name] = task.metrics
    sign = -1 if direction(name) is False else 1
    runs = {system: task.evaluate(run.predictions) for system, run in context.read.items()}
    values = {system: value_or_null(run.values[name]) for system, run in runs.items()}
    known = {system: value for system, value in values.items() if value is not None}
    guessed = task.evaluate(guess)
    reached = value_or_null(guessed.values[name])
    if not known or reached is None or sign * reached <= max(sign * value for value in known.values()):
        return None
    best = max(known, key=lambda system: sign * known[system])
    bootstrap = task.bootstrap(task.scorer.comparison_resamples)
    statistics = [runs[best].statistics(), guessed.statistics()]
    one, other = replicated(statistics, task.clusters, bootstrap.resamples, bootstrap.seed)
    [pair] = comparisons(one, other, task.bounds)
    low, high = value_or_null(pair.interval.low), value_or_null(pair.interval.high)
    found = {"guess": reached, "best": known[best], "system": best, "metric": metric, "difference": pair.difference}
    decides = None not in (low, high) and min(sign * (low or 0), sign * (high or 0)) > 0
    told = "" if low is None or high is None else f" [{low:+.3g}, {high:+.3g}]"
    return {**found, "low": low, "high": high, "interval": told, "decides": decides}


def _evidence(context: Context, found: dict[str, Any], **more: Any) -> Evidence:
    assert context.task is not None
    rows = context.frame["sample_id"][context.frame["split"] == context.task.split].tolist()
    decides = found.pop("decides")
    return Evidence({"count": len(rows), "of": len(rows), **found, **more}, rows, decides)


@check(
    "whole-image-guess",
    "baseline",
    "boxes",
    "The whole image as the answer reaches {guess:.4f}, the best system {best:.4f}",
    "Who answers each image with one box of each class, the whole image, has {metric} {guess:.4f}; the best system, "
    "{system}, has {best:.4f}: a difference of {difference:+.4f}{interval}.",
    needs=["predictions"],
)
def whole_image_guess(context: Context) -> Evidence | None:
    """One box per class, the whole image, of images of known size; told where it beats the best system."""
    assert context.task is not None
    whole = pd.DataFrame([(0.0, 0.0, 1.0, 1.0)], [*context.task.truth.boxes.categories], SIDES)
    found = beating(context, _everywhere(context, whole), "mAP50")
    return None if found is None else _evidence(context, found)


@check(
    "mean-box-guess",
    "baseline",
    "boxes",
    "The mean box of {other} as the answer reaches {guess:.4f}, the best system {best:.4f}",
    "Who answers each image with the mean box of each class in {other}, in fractions of the image, has {metric} "
    "{guess:.4f}; the best system, {system}, has {best:.4f}: a difference of {difference:+.4f}{interval}.",
    needs=["predictions"],
)
def mean_box_guess(context: Context) -> Evidence | None:
    """One box per class, the mean of its boxes as fractions of their images, in the other manifest or else splits."""
    assert context.task is not None
    if context.beside is None:
        boxes, other = context.boxes[context.boxes["split"] != context.task.split], "the other splits"
    else:
        boxes, other = context.beside.boxes, context.beside.manifest.identity.name
    sizes = boxes[["image_width", "image_height"] * 2].to_numpy(float)
    parts = pd.DataFrame(boxes[SIDES].to_numpy(float) / sizes, columns=SIDES).groupby(boxes["label"].to_numpy()).mean()
    found = None if parts.dropna().empty else beating(context, _everywhere(context, parts.dropna()), "mAP50")
    return None if found is None else _evidence(context, found, other=other)


def _everywhere(context: Context, parts: pd.DataFrame) -> Detections:
    """A box of each label of `parts`, which are fractions of the image, in every image of known size."""
    assert context.task is not None
    truth = context.task.truth
    sizes = context.frame.set_index("sample_id")[["width", "height"]].loc[truth.names.to_pylist()].to_numpy(float)
    labels = [label for label in truth.boxes.categories if label in parts.index]
    known = np.flatnonzero(np.isfinite(sizes).all(axis=1))
    image, category = np.tile(known, len(labels)), np.repeat(np.arange(len(labels)), len(known))
    x, y, width, height = (parts.loc[labels, SIDES].to_numpy(float)[category] * np.tile(sizes, 2)[image]).T
    classes = np.array([truth.boxes.categories.index(label) for label in labels], np.int64)
    return Detections(image, classes[category], x, y, width, height, np.ones(len(image)))


@check(
    "same-for-everybody",
    "baseline",
    "activities",
    "The same labels for everybody reach {metric} {guess:.2f}, the best system {best:.2f}",
    "The same labels for everybody and every frame, nearest neighbours in pairs, have {metric} {guess:.2f}; the best "
    "system, {system}, has {best:.2f}: a difference of {difference:+.2f}{interval}; so at {names}.",
    needs=["predictions"],
)
def same_for_everybody(context: Context) -> Evidence | None:
    """Trivial baselines that know no true group, told for the metric at which they are furthest ahead."""
    assert context.task is not None
    guess = context.task.scorer.baseline(NEAREST, context.task.truth, (), {})
    found = [beating(context, guess, metric) for metric in ("F_i", "F_p", "F_g", "F_a")]
    ahead = sorted((each for each in found if each), key=lambda each: (each["decides"], each["difference"]))
    names = ", ".join(each["metric"] for each in ahead)
    return _evidence(context, ahead[-1], names=names) if ahead else None


@check(
    "published-guess",
    "baseline",
    "activities",
    "The same labels for everybody are above published systems at {names}",
    "The same labels for everybody and every frame, nearest neighbours in pairs, without a look at an image: {detail}. "
    "In brackets 95 % intervals over {clusters} {what}.",
    needs=["published"],
)
def published_guess(context: Context) -> Evidence | None:
    """The `nearest` baseline against what the card says is published of the split, metric by metric."""
    systems = context.published
    if not systems:
        return None
    task = task_with(context, [])
    guess = task.baselines()[NEAREST]
    values = valued(task, guess, draws(task, [guess])[0])
    printed = {name: _printed(systems, name, task.split) for name in values}
    beaten = {name: _below(printed[name], value) for name, value in values.items() if _below(printed[name], value)}
    told = [_told(name, values[name], printed[name], below) for name, below in beaten.items()]
    numbers: dict[str, Any] = {
        "count": len(beaten),
        "of": len(values),
        "clusters": task.cluster_count,
        "beaten": beaten,
    }
    numbers |= {"names": ", ".join(beaten), "what": f"{task.scorer.clusters}s", "detail": "; ".join(told)}
    numbers["values"] = {name: (values[name].value, values[name].low, values[name].high) for name in beaten}
    decides = any((values[name].low or -math.inf) > max(map(float, printed[name].values())) for name in beaten)
    return Evidence(numbers, told, decides) if beaten else None


def _printed(systems: Sequence[Published], name: str, split: str) -> dict[str, str]:
    """What is printed at a metric, by system."""
    return {each.system: each.scores[name] for each in systems if name in each.scores and each.split in ("", split)}


def _below(printed: Mapping[str, str], value: Value) -> list[str]:
    return [system for system, score in printed.items() if value.value is not None and float(score) < value.value]


def _told(name: str, value: Value, printed: Mapping[str, str], below: Sequence[str]) -> str:
    listed = ", ".join(f"{system} {printed[system]}" for system in below)
    return f"{name} {value.value:.2f}{_interval(value)} is above {len(below)} of {len(printed)} ({listed})"


def _interval(value: Value) -> str:
    return "" if value.low is None else f" [{value.low:.1f}, {value.high:.1f}]"
