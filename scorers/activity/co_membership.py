"""Pairs of people who stand in one group: what Mat.IoU counts."""

from __future__ import annotations

import numpy as np

from scorers.activity.frames import Groups
from scorers.activity.groups import Flags, Meetings
from scorers.activity.lookup import repeated
from scorers.activity.samples import Floats
from scorers.activity.sets import Integers


def linked_pairs(
    truth: Groups, predicted: Groups, pairs: Meetings, person_frame: Integers, frames: int
) -> tuple[Floats, Floats]:
    """Pairs of people together on both sides, and on either, in each key frame; both of shape (frames,).

    These are half the sums of the AND and of the OR of two adjacency matrices with an empty diagonal.
    Groups that do not overlap have n(n-1)/2 pairs each, and c(c-1)/2 in common where they share c members. In frames
    where a person stands in several groups the pairs are listed, as each counts once.
    """
    both = _sum_of_pairs(truth.frame[pairs.true], pairs.common, frames)
    either = _sum_of_pairs(truth.frame, truth.size, frames) + _sum_of_pairs(predicted.frame, predicted.size, frames)
    either -= both
    overlapping = np.zeros(frames, np.bool_)
    for groups in (truth, predicted):
        overlapping[groups.frame[groups.group[repeated(groups.person)]]] = True
    if overlapping.any():
        people = len(person_frame)
        true, given = (_listed(groups, overlapping, people) for groups in (truth, predicted))
        for counts, listed in ((both, np.intersect1d(true, given)), (either, np.union1d(true, given))):
            counts[overlapping] = np.bincount(person_frame[listed // people], minlength=frames)[overlapping]
    return both, either


def _sum_of_pairs(frame: Integers, size: Integers, frames: int) -> Floats:
    return np.bincount(frame, size * (size - 1) / 2, frames).astype(np.float64)


def _listed(groups: Groups, frames: Flags, people: int) -> Integers:
    """Every pair of members of the groups in some frames once, as first person * people + second person."""
    chosen = frames[groups.frame][groups.group]
    group, person = groups.group[chosen], groups.person[chosen]
    size = np.bincount(group, minlength=len(groups))
    start = (np.cumsum(size) - size)[group]
    count = size[group]
    one = np.repeat(np.arange(len(person)), count)
    other = np.arange(len(one)) - np.repeat(np.cumsum(count) - count - start, count)
    ahead = person[one] < person[other]
    return np.unique(person[one[ahead]] * people + person[other[ahead]])
