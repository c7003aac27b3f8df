"""Metrics as a function of image weights, for the bootstrap: what they are when image i is drawn weights[i] times.

Matching concerns one image at a time, so an image that is drawn several times has its matches several times, and
nothing is matched again. In the ranking the copies of an image follow one another: of several detections with one score
in one image and category (a block of ties) come first all as the first copy has them, then all as the second.

Of most true positives all copies can therefore be one entry: the last copy has the highest precision of them, so it
alone shapes the interpolated curve. Only in blocks of ties, where the copies take turns, has each an entry of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from scorers.detection.boxes import Floats, Integers
from scorers.detection.coco import Setting
from scorers.detection.curves import Average, Positives
from scorers.detection.metrics import Metric, mean_over, settings_of
from scorers.detection.outcomes import Outcomes

PerCategory = Callable[[Floats], Floats]
"""From weights, shape (images,), whole numbers, to one number per category, shape (categories,)."""

_COPIES = 8


def weighted_metrics(
    metrics: Sequence[Metric], categories: Sequence[str], average: Average, outcomes_at: Callable[[Setting], Outcomes]
) -> Callable[[Floats], list[float]]:
    """A function from weights, shape (images,), to the values of all metrics; what they share is computed once."""
    settings = {metric: settings_of(metric) for metric in metrics}
    outcomes = {setting: outcomes_at(setting) for of in settings.values() for setting in of}
    averaged = list(dict.fromkeys(s for metric, of in settings.items() if metric.measure == "AP" for s in of))
    averages = weighted_averages([outcomes[setting] for setting in averaged], average)
    found = {metric: _found([outcomes[s] for s in of]) for metric, of in settings.items() if metric.measure == "AR"}
    boxes = {s.area: _counter(of.box_image, of.box_category, of.categories) for s, of in outcomes.items()}

    def values(weights: Floats) -> list[float]:
        counts = {area: count(weights) for area, count in boxes.items()}
        precision = dict(zip(averaged, averages(weights, [counts[s.area] for s in averaged]), strict=True))

        def of_categories(metric: Metric) -> Floats:
            if metric.measure == "AP":
                return np.stack([precision[setting] for setting in settings[metric]])
            count, of = counts[metric.area], len(settings[metric])
            return np.where(count > 0, found[metric](weights) / np.maximum(count, 1) / of, np.nan)

        return [mean_over(metric, of_categories(metric), categories) for metric in metrics]

    return values


def _counter(image: Integers, category: Integers, categories: int) -> PerCategory:
    """How many things each category has; `image` and `category` of each, shape (things,)."""
    pairs, counts = np.unique(image * np.int64(categories) + category, return_counts=True)
    image, category = np.divmod(pairs, categories)
    return lambda weights: np.bincount(category, counts * weights[image], categories).astype(np.float64)


def _found(outcomes: Sequence[Outcomes]) -> PerCategory:
    """The true positives of each category at several settings together."""
    true = [np.flatnonzero(one.true) for one in outcomes]
    image = [one.image[of] for one, of in zip(outcomes, true, strict=True)]
    category = [np.searchsorted(one.starts, of, side="right") - 1 for one, of in zip(outcomes, true, strict=True)]
    return _counter(np.concatenate(image), np.concatenate(category), outcomes[0].categories)


def weighted_averages(
    outcomes: Sequence[Outcomes], average: Average
) -> Callable[[Floats, Sequence[Floats]], list[Floats]]:
    """Average precision at several settings of one run, from weights and the boxes of each setting.

    Which detections count hardly differs from one IoU threshold to the next, so all that do at any setting are counted
    once, and those that do not at a setting are taken off.
    """
    ranks = np.unique(np.concatenate([np.arange(0), *(one.rank for one in outcomes)]))
    images = np.zeros(len(ranks), dtype=np.int64)
    for one in outcomes:
        images[np.searchsorted(ranks, one.rank)] = one.image
    positives: list[Callable[[Floats, Floats], Positives]] = []
    most = 0

    def averages(weights: Floats, boxes: Sequence[Floats]) -> list[Floats]:
        nonlocal most
        if weights.max(initial=1) > most:
            most = max(_COPIES, 2 * int(weights.max(initial=0)))
            positives[:] = [_weighted_positives(one, ranks, images, most) for one in outcomes]
        drawn = np.append(0.0, np.cumsum(weights[images]))
        return [average(of(weights, drawn), count.astype(np.int64)) for of, count in zip(positives, boxes, strict=True)]

    return averages


def _weighted_positives(
    outcomes: Outcomes, ranks: Integers, images: Integers, most: int
) -> Callable[[Floats, Floats], Positives]:
    """The positives of one setting, from weights up to `most` and how many detections are drawn before each of `ranks`.

    `ranks` are those of the detections that count at any setting, and `images` where they are. A true positive is one
    entry, in a block of ties one for each copy.
    """
    true = np.flatnonzero(outcomes.true)
    category = np.repeat(np.arange(outcomes.categories), np.diff(outcomes.starts))
    columns = (category, outcomes.score, outcomes.image)
    changes = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    block_starts = np.flatnonzero(np.append(True, changes)[: len(category)])
    size = np.diff(block_starts, append=len(category))
    block = np.searchsorted(block_starts, true, side="right") - 1
    copies = np.where(size[block] > 1, most, 1)
    row = np.repeat(np.arange(len(true)), copies)
    copy = np.arange(len(row)) - np.repeat(np.cumsum(copies) - copies, copies)
    order = np.lexsort((row, copy, block[row]))  # within a block copy by copy
    row, copy = row[order], copy[order]
    image, starts = outcomes.image[true[row]], np.searchsorted(true[row], outcomes.starts)

    first, begin = block_starts[block[row]], outcomes.starts[:-1]  # of the block of each entry, of each category
    place = np.append(np.searchsorted(ranks, outcomes.rank), len(ranks))
    left_out = np.delete(images, place[:-1])  # the images of detections that do not count at this setting
    before_block, before_category = place[first], place[begin]  # those left out included
    left_out_before_block, left_out_before_category = before_block - first, before_category - begin
    tied = np.flatnonzero(size[block[row]] > 1)
    copy = copy[tied]
    behind = copy * size[block[row[tied]]] + (true[row[tied]] - first[tied] + 1)  # in its block, once all copies count

    def positives(weights: Floats, drawn: Floats) -> Positives:
        weight = weights[image]
        weight[tied] = weight[tied] > copy
        counted = drawn[before_block] + weight
        base = drawn[before_category]
        if len(left_out):
            out = np.append(0.0, np.cumsum(weights[left_out]))
            counted -= out[left_out_before_block]
            base = base - out[left_out_before_category]
        counted[tied] += behind - weight[tied]
        counted -= np.repeat(base, np.diff(starts))
        return Positives(weight, counted, starts)

    return positives
