"""Trivial baselines of panoramic activity recognition: what predictors reach that look at no image.

All of them give the same labels to everybody: the two most frequent individual actions, the most frequent social and
the most frequent global activity of the training frames. They differ in the groups:

* `most-frequent` is given the true groups, and shows what the labels alone are worth;
* `alone` has no groups: everybody stands alone;
* `nearest` pairs those who are each other's nearest neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, starmap

import numpy as np
import pyarrow as pa

from schemas.arrays import floats
from schemas.errors import unknown_name
from schemas.input.columns import flat
from scorers.activity.frames import Groups, Predictions, Truth, no_groups
from scorers.activity.samples import Floats
from scorers.activity.sets import CLASSES, Integers, Sets, single

KINDS = ("most-frequent", "alone", "nearest")
HOW_MANY = {"actions": 2, "social": 1, "global": 1}
"""How many labels of each task everybody gets."""

PUBLISHED = {"F_i": "33.2 to 51.8", "F_g": "38.8 to 53.5"}
"""Percent on the test split, of four methods, as a table of notes on SPDP-Net (arXiv 2403.14113) has them."""

_BOX = ("x", "y", "width", "height")
_PAIRS_AT_ONCE = 1 << 20


def baseline(kind: str, rows: pa.Table, truth: Truth, training: Truth | None = None) -> Predictions:
    """The predictions of a baseline.

    Args:
        kind: one of `KINDS`.
        rows: the rows of the manifest that `truth` was made of, with the boxes in `persons` and the `width`.
        truth: the key frames.
        training: the key frames whose labels are counted; `truth` itself when None.

    Raises:
        UsageError: unknown kind.
    """
    if kind not in KINDS:
        raise unknown_name("baseline", kind, KINDS)
    labels = frequent_labels(training or truth)
    if kind == "most-frequent":
        groups = truth.groups.of_at_least(2)
    elif kind == "alone":
        groups = no_groups()
    else:
        groups = _pairs(truth, nearest_pairs(rows, truth))
    counts = {"rows": truth.frames, "scored": truth.frames, "persons": truth.persons}
    return Predictions(
        np.full(truth.persons, labels["actions"]),
        Groups(groups.frame, np.full(len(groups), labels["social"]), groups.group, groups.person),
        np.full(truth.frames, labels["global"]),
        counts,
    )


def frequent_labels(truth: Truth) -> dict[str, np.uint32]:
    """The most frequent labels of each task, `HOW_MANY` of them, of equals the first; groups of two or more count."""
    tasks: dict[str, Sets] = {
        "actions": truth.actions,
        "social": truth.groups.of_at_least(2).labels,
        "global": truth.activities,
    }
    frequent = {}
    for task, sets in tasks.items():
        each = single(np.arange(1, CLASSES[task] + 1))
        counts = np.array([np.count_nonzero(sets & one) for one in each])
        frequent[task] = np.bitwise_or.reduce(each[np.argsort(-counts, kind="stable")[: HOW_MANY[task]]])
    return frequent


def nearest_pairs(rows: pa.Table, truth: Truth) -> Integers:
    """People who are each other's nearest neighbours in their key frame, shape (2, pairs).

    The distance is that of the middles of two boxes along the panorama, which closes on itself, and the difference of
    their heights, which tells how far away people are; as one length, in units of their mean height.
    """
    people, frame = flat(rows["persons"])
    x, _, width, height = (floats(people.field(name)) for name in _BOX)
    middle, around = x + width / 2, floats(rows["width"])
    counts = np.bincount(frame, minlength=truth.frames)
    nearest = np.full(len(frame), -1)
    for first, last in _blocks(counts):
        size = counts[frame[first:last]]
        one = np.repeat(np.arange(first, last), size)
        start = np.repeat(np.cumsum(counts)[frame[first:last]] - size, size)
        other = np.arange(len(one)) - np.repeat(np.cumsum(size) - size, size) + start
        along = np.abs(middle[one] - middle[other])
        along = np.minimum(along, around[frame[one]] - along)
        distance = np.hypot(along, height[one] - height[other]) / (height[one] + height[other])
        distance[one == other] = np.inf
        nearest[first:last] = other[_first_least(distance, np.cumsum(size) - size, size)]
    everybody = np.arange(len(frame))
    mutual = (nearest[nearest] == everybody) & (everybody < nearest)
    return np.stack([everybody[mutual], nearest[mutual]])


def _blocks(counts: Integers) -> Iterator[tuple[int, int]]:
    """First and last person + 1 of runs of whole key frames with about `_PAIRS_AT_ONCE` pairs of people."""
    ends = np.cumsum(counts**2)
    full = np.arange(_PAIRS_AT_ONCE, ends[-1] if len(ends) else 0, _PAIRS_AT_ONCE)
    frames = [0, *np.unique(np.searchsorted(ends, full)).tolist(), len(counts)]
    people = np.append(0, np.cumsum(counts))
    return starmap(lambda a, b: (int(people[a]), int(people[b])), pairwise(frames))


def _first_least(values: Floats, starts: Integers, size: Integers) -> Integers:
    """Where the least value of each run stands first."""
    least = np.flatnonzero(values == np.repeat(np.minimum.reduceat(values, starts), size)) if len(starts) else starts
    return least[np.searchsorted(least, starts)]


def _pairs(truth: Truth, pairs: Integers) -> Groups:
    """Groups of two without labels."""
    count = pairs.shape[1]
    return Groups(
        truth.person_frame[pairs[0]], np.zeros(count, np.uint32), np.repeat(np.arange(count), 2), pairs.T.ravel()
    )
