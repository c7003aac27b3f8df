"""Which predicted groups match which true ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorers.activity.frames import Groups
from scorers.activity.samples import Floats
from scorers.activity.sets import Integers

Flags = NDArray[np.bool_]

TENTHS = (5, 6, 7, 8, 9, 10)
"""The thresholds of IOU@AUC in tenths; with whole numbers no ratio is rounded."""


@dataclass(frozen=True, slots=True, eq=False)
class Meetings:
    """Every pair of a true and a predicted group that have a member in common; each array has shape (pairs,).

    Attributes:
        true, predicted: positions of the groups.
        common: how many members they share.
        true_size, predicted_size: how many members each has.
    """

    true: Integers
    predicted: Integers
    common: Integers
    true_size: Integers
    predicted_size: Integers

    @property
    def jaccard(self) -> Floats:
        """Shared members / members of either."""
        return self.common / (self.true_size + self.predicted_size - self.common)


def meetings(truth: Groups, predicted: Groups) -> Meetings:
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
    return Meetings(true, given, common, truth.size[true], predicted.size[given])


def match_half(pairs: Meetings, tenths: int = 5) -> Flags:
    """The reference's match, shape (pairs,): two pairs must be identical, else shared / larger size > tenths / 10.

    There is no assignment: a group may match several. Above a half, groups that do not overlap match at most once.
    Source: Han et al. 2022, "Half"; RuizeHan/PAR : my_utils/group_detection_PRF.py (group_eval).
    """
    larger = np.maximum(pairs.true_size, pairs.predicted_size)
    two = (pairs.true_size == 2) & (pairs.predicted_size == 2)
    return np.where(two, pairs.common == 2, 10 * pairs.common > tenths * larger)


def best_by_jaccard(pairs: Meetings) -> Flags:
    """For each predicted group its best true one, if their Jaccard index is above 1/2 (of equals the first)."""
    close = _rank(pairs)
    _, first = np.unique(pairs.predicted[close], return_index=True)
    return _chosen(pairs, close[first])


def one_to_one(pairs: Meetings) -> Flags:
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


def _rank(pairs: Meetings) -> Integers:
    """The pairs with a Jaccard index above 1/2, best first, in the order of the groups where equal."""
    jaccard = pairs.jaccard
    close = np.flatnonzero(jaccard > 0.5)
    return close[np.lexsort((pairs.predicted[close], pairs.true[close], -jaccard[close]))]


def _chosen(pairs: Meetings, places: Integers) -> Flags:
    chosen = np.zeros(len(pairs.true), np.bool_)
    chosen[places] = True
    return chosen
