"""Metrics as a function of image weights, for the bootstrap: what they are when image i is drawn weights[i] times.

Matching concerns one image at a time, so an image that is drawn several times has its matches several times, and
nothing is matched again. In the ranking the copies of an image follow one another: of several detections with one score
in one image and category (a block of ties) come first all as the first copy has them, then all as the second.

Of most true positives all copies can therefore be one entry: the last copy has the highest precision of them, so it
alone shapes the interpolated curve. Only in blocks of ties, where the copies take turns, has each an entry of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
    metrics: Sequence[Metric], categories: Sequence[str], outcomes_at: Callable[[Setting], Outcomes], average: Average
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


@dataclass(frozen=True, slots=True, eq=False)
class _Entries:
    """The true positives of one setting, those in blocks copy by copy; arrays have shape (entries,).

    Attributes:
        image: of each.
        first: how many detections of all settings are ranked before its block, those of other categories included.
        skipped: how many of these do not count at this setting.
        starts: where each category begins, shape (categories + 1,).
        before: `first` and `skipped` at the beginning of each category, shape (2, categories).
        tied: entries in blocks.
        copy: which copy each of these is, from 0.
        behind: by how much the detections that count exceed those before the block at each of these.
        left_out: image of every detection that does not count, by rank.
    """

    image: Integers
    first: Integers
    skipped: Integers
    starts: Integers
    before: Integers
    tied: Integers
    copy: Integers
    behind: Integers
    left_out: Integers

    def positives(self, weights: Floats, drawn: Floats) -> Positives:
        """The positives under weights; `drawn` is how many detections of all settings come before each, by rank."""
        weight = weights[self.image]
        weight[self.tied] = weight[self.tied] > self.copy
        counted = drawn[self.first] + weight
        base = drawn[self.before[0]]
        if len(self.left_out):
            out = np.append(0.0, np.cumsum(weights[self.left_out]))
            counted -= out[self.skipped]
            base = base - out[self.before[1]]
        counted[self.tied] += self.behind - weight[self.tied]
        counted -= np.repeat(base, np.diff(self.starts))
        return Positives(weight, counted, self.starts)


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
    entries: list[_Entries] = []
    most = 0

    def averages(weights: Floats, boxes: Sequence[Floats]) -> list[Floats]:
        nonlocal most
        if weights.max(initial=1) > most:
            most = max(_COPIES, 2 * int(weights.max(initial=0)))
            entries[:] = [_entries(one, ranks, images, most) for one in outcomes]
        drawn = np.append(0.0, np.cumsum(weights[images]))
        return [
            average(of.positives(weights, drawn), count.astype(np.int64))
            for of, count in zip(entries, boxes, strict=True)
        ]

    return averages


def _entries(outcomes: Outcomes, ranks: Integers, images: Integers, most: int) -> _Entries:
    """The entries of one setting for weights of up to `most`."""
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
    first = block_starts[block[row]]
    tied = np.flatnonzero(size[block[row]] > 1)
    behind = copy * size[block[row]] + (true[row] - first + 1)
    place = np.searchsorted(ranks, outcomes.rank)
    counted = np.zeros(len(ranks), dtype=np.bool_)
    counted[place] = True
    place = np.append(place, len(ranks))
    begin = outcomes.starts[:-1]
    return _Entries(
        outcomes.image[true[row]],
        place[first],
        place[first] - first,
        np.searchsorted(true[row], outcomes.starts),
        np.stack([place[begin], place[begin] - begin]),
        tied,
        copy[tied],
        behind[tied],
        images[~counted],
    )
