"""Metrics as functions of image weights, for the bootstrap: what they are when image i is drawn weights[i] times.

Matching concerns one image at a time, so an image that stands several times in a data set has its matches several
times, and nothing is matched again. In the ranking the copies of an image follow one another: of several detections
with one score in one image and category (a block) come first all as the first copy has them, then all as the second.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorers.detection.boxes import Floats, Integers
from scorers.detection.curves import Average
from scorers.detection.expressions import Measure, Metric
from scorers.detection.metrics import Setting, mean_over, settings_of
from scorers.detection.outcomes import Outcomes

Weighed = Callable[[Floats], Floats]
"""From weights, shape (images,), whole numbers, to one value per category, NaN without boxes; shape (categories,)."""


def weighed_recall(outcomes: Outcomes) -> Weighed:
    """Recall of each category, of all detections that count."""
    categories = outcomes.categories
    true = np.flatnonzero(outcomes.true)
    image, category = outcomes.image[true], np.searchsorted(outcomes.starts, true, side="right") - 1

    def recall(weights: Floats) -> Floats:
        found = np.bincount(category, weights[image], categories)
        with np.errstate(invalid="ignore"):
            return found / _boxes(outcomes, weights)

    return recall


def weighed_average(outcomes: Outcomes, average: Average) -> Weighed:
    """Average precision of each category.

    True positives are written out as often as their image was drawn. Before a copy of one there are all earlier blocks,
    as often as their images were drawn, the earlier copies of its own block, and what precedes it in the block.
    """
    true = np.flatnonzero(outcomes.true)
    true_starts = np.searchsorted(true, outcomes.starts)
    category = np.repeat(np.arange(outcomes.categories), np.diff(outcomes.starts))
    block_starts = _runs(category, outcomes.score, outcomes.image)
    block = np.searchsorted(block_starts, true, side="right") - 1
    image, first = outcomes.image[true], block_starts[block]
    size = np.diff(block_starts, append=len(category))[block]
    place = true - first + 1

    def average_precision(weights: Floats) -> Floats:
        drawn = np.zeros(len(outcomes.image) + 1)
        np.cumsum(weights[outcomes.image], out=drawn[1:])
        copies = weights[image].astype(np.int64)
        written = np.append(0, np.cumsum(copies))
        row = np.repeat(np.arange(len(true)), copies)
        earlier = np.arange(len(row)) - written[row]
        counted = drawn[first[row]] + earlier * size[row] + place[row]
        counted.sort(kind="stable")  # within a block, the copies of each stood together; else it is in order
        counts = np.diff(written[true_starts])
        counted -= np.repeat(drawn[outcomes.starts[:-1]], counts)
        return average(counted, counts, _boxes(outcomes, weights).astype(np.int64))

    return average_precision


def statistics(
    metrics: Sequence[Metric], categories: Sequence[str], outcomes_at: Callable[[Setting], Outcomes], average: Average
) -> list[Callable[[Floats], float]]:
    """One function of weights for each metric; all metrics are computed together and remembered for equal weights."""
    wanted = [(metric, [(metric.measure, setting) for setting in settings_of(metric)]) for metric in metrics]
    weighed: dict[tuple[Measure, Setting], Weighed] = {}
    for measure, setting in {part for _, parts in wanted for part in parts}:
        outcomes = outcomes_at(setting)
        weighed[measure, setting] = weighed_average(outcomes, average) if measure == "AP" else weighed_recall(outcomes)
    known: dict[bytes, list[float]] = {}

    def values(weights: Floats) -> list[float]:
        key = hashlib.blake2b(weights.tobytes(), digest_size=16).digest()
        if key not in known:
            of = {part: function(weights) for part, function in weighed.items()}
            known[key] = [
                mean_over(metric, np.stack([of[part] for part in parts]), categories) for metric, parts in wanted
            ]
        return known[key]

    return [partial(_number, values, number) for number in range(len(wanted))]


def _number(values: Callable[[Floats], list[float]], number: int, weights: Floats) -> float:
    return values(weights)[number]


def _boxes(outcomes: Outcomes, weights: Floats) -> Floats:
    """How many boxes of each category count, shape (categories,)."""
    return np.bincount(outcomes.box_category, weights[outcomes.box_image], outcomes.categories).astype(np.float64)


def _runs(*columns: NDArray[Any]) -> Integers:
    """Where a row differs from the one before; the first row does."""
    differs = np.ones(len(columns[0]), dtype=np.bool_)
    differs[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return np.flatnonzero(differs)
