"""Groups of people: which predicted ones match which true ones, and which people are together in both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scorers.activity.arrays import Flags, Floats, Integers, Sets, repeated

LEAST_MEMBERS = 2
"""The reference drops groups of one person, on both sides."""

TENTHS = (5, 6, 7, 8, 9, 10)
"""The thresholds of IOU@AUC in tenths; with whole numbers no ratio is rounded."""


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Groups of people; one person may be in several predicted groups of a frame.

    Attributes:
        frame: row of the key frame, shape (groups,).
        labels: social activities, shape (groups,).
        group: group of each member, shape (members,), ascending.
        person: the member as a row of `Truth.person_frame`, shape (members,).
    """

    frame: Integers
    labels: Sets
    group: Integers
    person: Integers

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def size(self) -> Integers:
        """How many members each group has, shape (groups,)."""
        return np.bincount(self.group, minlength=len(self))

    def of_at_least(self, least: int) -> Groups:
        """The groups of `least` members or more."""
        large = self.size >= least
        if large.all():
            return self
        kept = large[self.group]
        number = np.cumsum(large) - 1
        return Groups(self.frame[large], self.labels[large], number[self.group[kept]], self.person[kept])


def no_groups() -> Groups:
    """Everybody is alone."""
    nobody = np.empty(0, np.int64)
    return Groups(nobody, np.empty(0, np.uint32), nobody, nobody)


@dataclass(frozen=True, slots=True, eq=False)
class Overlaps:
    """Every pair of a true and a predicted group that share a member; each array has shape (pairs,).

    Attributes:
        true_groups, predicted_groups: all groups, also those without a pair.
        true, predicted: positions of the groups.
        common: how many members they share.
        true_size, predicted_size: how many members each has.
    """

    true_groups: Groups
    predicted_groups: Groups
    true: Integers
    predicted: Integers
    common: Integers
    true_size: Integers
    predicted_size: Integers

    @property
    def union(self) -> Integers:
        """How many people are a member of either; the Jaccard index is `common` / `union`."""
        return self.true_size + self.predicted_size - self.common


def overlaps(truth: Groups, predicted: Groups) -> Overlaps:
    """The pairs that meet, by a join of the members on who they are; groups of different frames never do."""
    order = np.argsort(predicted.person, kind="stable")
    person = predicted.person[order]
    first = np.searchsorted(person, truth.person)
    count = np.searchsorted(person, truth.person, side="right") - first
    one = np.repeat(truth.group, count)
    place = np.arange(len(one)) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)
    other = predicted.group[order][place]
    pair, common = np.unique(one * max(len(predicted), 1) + other, return_counts=True)
    true, given = np.divmod(pair, max(len(predicted), 1))
    return Overlaps(truth, predicted, true, given, common, truth.size[true], predicted.size[given])


def match_half(pairs: Overlaps, tenths: int = 5) -> Flags:
    """The reference's match, shape (pairs,): two pairs must be identical, else shared / larger size > tenths / 10.

    There is no assignment: a group may match several. Above a half, groups that do not overlap match at most once.
    Source: Han et al. 2022, "Half"; RuizeHan/PAR : my_utils/group_detection_PRF.py (group_eval).
    """
    larger = np.maximum(pairs.true_size, pairs.predicted_size)
    two = (pairs.true_size == 2) & (pairs.predicted_size == 2)
    return np.where(two, pairs.common == 2, 10 * pairs.common > tenths * larger)


def best_by_jaccard(pairs: Overlaps) -> Flags:
    """For each predicted group its best true one, if their Jaccard index is above 1/2 (of equals the first)."""
    close = _rank(pairs)
    _, first = np.unique(pairs.predicted[close], return_index=True)
    return _chosen(pairs, close[first])


def one_to_one(pairs: Overlaps) -> Flags:
    """Pairs with a Jaccard index above 1/2, taken best first, each group once.

    In rounds: whoever is one another's best are matched and leave. Of groups that do not overlap, all match in one.
    """
    left, taken = _rank(pairs), []
    while len(left):
        true, predicted = pairs.true[left], pairs.predicted[left]
        of_true, of_predicted = (np.unique(side, return_index=True)[1] for side in (true, predicted))
        best = np.intersect1d(of_true, of_predicted)
        taken.append(left[best])
        left = left[~(np.isin(true, true[best]) | np.isin(predicted, predicted[best]))]
    return _chosen(pairs, np.concatenate(taken) if taken else left)


def co_membership(pairs: Overlaps, person_frame: Integers, frames: int) -> tuple[Floats, Floats]:
    """Pairs of people together on both sides, and on either, in each key frame; both of shape (frames,).

    These are half the sums of the AND and of the OR of two adjacency matrices with an empty diagonal.
    Groups that do not overlap have n(n-1)/2 pairs each, and c(c-1)/2 in common where they share c members. In frames
    where a person is in several groups the pairs are listed, as each counts once.
    """
    truth, predicted = pairs.true_groups, pairs.predicted_groups
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


def _rank(pairs: Overlaps) -> Integers:
    """The pairs with a Jaccard index above 1/2, best first, in the order of the groups where equal."""
    jaccard = pairs.common / pairs.union
    close = np.flatnonzero(jaccard > 0.5)
    return close[np.lexsort((pairs.predicted[close], pairs.true[close], -jaccard[close]))]


def _chosen(pairs: Overlaps, places: Integers) -> Flags:
    chosen = np.zeros(len(pairs.true), np.bool_)
    chosen[places] = True
    return chosen


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
