"""Metrics as a function of image weights, for the bootstrap: what they are when image i is drawn weights[i] times.

Matching concerns one image at a time, so an image that is drawn several times has its matches several times, and
nothing is matched again. In the ranking the copies of an image follow one another: of several detections with one score
in one image and category (a block of ties) come first all as the first copy has them, then all as the second.

Of most true positives all copies can therefore be one entry: the last copy has the highest precision of them, so it
alone shapes the interpolated curve. Only in blocks of ties, where the copies take turns, has each an entry of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, groupby
from typing import NamedTuple

import numpy as np

from scorers.detection.boxes import Floats, Integers
from scorers.detection.coco import Setting
from scorers.detection.curves import Average, Positives
from scorers.detection.metrics import Metric, mean_over, settings_of
from scorers.detection.outcomes import Outcomes

PerCategory = Callable[[Integers], Floats]
"""From weights, shape (images,), to one number per category, shape (categories,)."""

_COPIES = 8


def weighted_metrics(
    metrics: Sequence[Metric], categories: Sequence[str], average: Average, outcomes_at: Callable[[Setting], Outcomes]
) -> Callable[[Floats], list[float]]:
    """A function from weights, shape (images,), to the values of all metrics; what they share is computed once."""
    settings = {metric: settings_of(metric) for metric in metrics}
    outcomes = {setting: outcomes_at(setting) for of in settings.values() for setting in of}
    averaged = {s: outcomes[s] for metric, of in settings.items() if metric.measure == "AP" for s in of}
    averages = weighted_averages(averaged, average)
    found = {metric: _found([outcomes[s] for s in of]) for metric, of in settings.items() if metric.measure == "AR"}
    boxes = {s.area: _counter(of.box_image, of.box_category, of.categories) for s, of in outcomes.items()}

    def values(floating: Floats) -> list[float]:
        weights = floating.astype(np.int64)  # whole numbers add up several times faster
        counts = {area: count(weights) for area, count in boxes.items()}
        precision = averages(weights, counts)

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
    outcomes: Mapping[Setting, Outcomes], average: Average
) -> Callable[[Integers, Mapping[str, Floats]], dict[Setting, Floats]]:
    """Average precision at each setting, from weights and the boxes of each area range.

    All settings are averaged in one piece, as if their categories were so many more.
    """
    if not outcomes:
        return lambda _weights, _boxes: {}
    by_area = dict(sorted(outcomes.items(), key=lambda item: item[0].area))
    most, positives = 0, None

    def averages(weights: Integers, boxes: Mapping[str, Floats]) -> dict[Setting, Floats]:
        nonlocal most, positives
        if positives is None or weights.max(initial=1) > most:
            most = max(_COPIES, 2 * int(weights.max(initial=0)))
            positives = _weighted_positives(by_area, most)
        counts = np.concatenate([boxes[setting.area] for setting in by_area]).astype(np.int64)
        return dict(zip(by_area, np.split(average(positives(weights), counts), len(by_area)), strict=True))

    return averages


class _Entries(NamedTuple):
    """The true positives of one setting: each is one entry, in a block of ties one for each copy.

    Detections are counted among all that count at any setting of the area range, as those hardly differ from one IoU
    threshold to the next; those that do not count at this one are taken off again.

    Attributes:
        image: shape (entries,).
        starts: shape (categories,), where each category begins.
        before: shape (entries,), how many detections there are before the block of each.
        begin: shape (categories,), how many there are before each category.
        left_out: shape (left out,), the image of each detection to be taken off.
        left_counts: shape (categories,), how many of them each category has.
        step: shape (entries,), how many of them are before the block of each, and one for each category before.
        tied: positions of the entries in blocks of ties.
        copy: shape (tied,), which copy each is.
        behind: shape (tied,), its place in its block, once all copies count.
    """

    image: Integers
    starts: Integers
    before: Integers
    begin: Integers
    left_out: Integers
    left_counts: Integers
    step: Integers
    tied: Integers
    copy: Integers
    behind: Integers


def _entries(outcomes: Outcomes, most: int, ranks: Integers, images: Integers) -> _Entries:
    """The entries for weights up to `most`; `ranks` and `images` are of the detections that count at any setting."""
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

    first, tied = block_starts[block[row]], np.flatnonzero(size[block[row]] > 1)
    place = np.append(np.searchsorted(ranks, outcomes.rank), len(ranks))
    begin = place[outcomes.starts]
    begin[[0, -1]] = 0, len(ranks)
    return _Entries(
        image=outcomes.image[true[row]],
        starts=np.searchsorted(true[row], outcomes.starts[:-1]),
        before=place[first],
        begin=begin[:-1],
        left_out=np.delete(images, place[:-1]),
        left_counts=np.diff(begin - outcomes.starts),
        step=place[first] - first + category[true[row]],
        tied=tied,
        copy=copy[tied],
        behind=copy[tied] * size[block[row[tied]]] + (true[row[tied]] - first[tied] + 1),
    )


def _weighted_positives(outcomes: Mapping[Setting, Outcomes], most: int) -> Callable[[Integers], Positives]:
    """The positives of settings by area range, one after the other, from weights up to `most`."""
    parts: list[_Entries] = []
    counting: list[Integers] = []  # the images of the detections that count, by area range
    for _, of_area in groupby(outcomes, key=lambda setting: setting.area):
        settings = [outcomes[setting] for setting in of_area]
        ranks = np.flatnonzero(np.bincount(np.concatenate([one.rank for one in settings])))
        images = np.zeros(len(ranks), dtype=np.int64)
        for one in settings:
            images[np.searchsorted(ranks, one.rank)] = one.image
        passed = sum(map(len, counting))
        found = (_entries(one, most, ranks, images) for one in settings)
        parts += [of._replace(before=of.before + passed, begin=of.begin + passed) for of in found]
        counting.append(images)
    entries = list(accumulate((len(of.image) for of in parts), initial=0))
    steps = list(accumulate((len(of.left_out) + len(of.begin) for of in parts), initial=0))
    parts = [
        of._replace(starts=of.starts + entry, tied=of.tied + entry, step=of.step + step)
        for of, entry, step in zip(parts, entries[:-1], steps[:-1], strict=True)
    ]
    image, starts, before, begin, left_out, left_counts, step, tied, copy, behind = map(
        np.concatenate, zip(*parts, strict=True)
    )
    images, starts = np.concatenate(counting), np.append(starts, entries[-1])
    category = np.repeat(np.arange(len(begin)), left_counts + 1)  # of each step, of all settings
    left = np.arange(len(category)) - category
    left_begin = np.cumsum(left_counts) - left_counts

    def positives(weights: Integers) -> Positives:
        drawn, out = (np.append(0, np.cumsum(weights.take(of))) for of in (images, left_out))
        weight = weights.take(image)
        weight[tied] = weight[tied] > copy
        counted = drawn.take(before)
        counted += weight
        counted[tied] += behind - weight[tied]
        counted -= ((drawn[begin] - out[left_begin])[category] + out[left]).take(step)
        return Positives(weight, counted, starts)

    return positives
