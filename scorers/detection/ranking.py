"""One sort: the order in which detections are judged; and matching by turns in that order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np

from scorers.detection.boxes import Detections, Flags, Floats, Integers

_KEY_BITS = 48


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Detections by category, then falling score, then image, then file order; a rank is a position in this order.

    Within an image and category it says who chooses first, within a category it is the order of the curve. Ties fall
    as in pycocotools, whose stable sorts go first over an image and then over all images in order of their ids.

    Attributes:
        detection: shape (ranks,), position in `Detections`.
        score: shape (ranks,).
        starts: shape (categories + 1,), the first rank of each category, and the number of ranks.
    """

    detection: Integers
    score: Floats
    starts: Integers

    @property
    def rank(self) -> Integers:
        """Rank of each detection, shape (detections,)."""
        rank = np.empty_like(self.detection)
        rank[self.detection] = np.arange(len(rank))
        return rank


def ranked(detections: Detections, categories: int) -> Ranking:
    """Rank all detections of a run."""
    starts = np.cumsum([0, *np.bincount(detections.category, minlength=categories)])
    order = _falling_order(detections)
    score = detections.score[order]
    rises = np.flatnonzero(score[1:] > score[:-1]) + 1
    if not np.isin(rises, starts).all():  # scores whose difference the key could not hold are in the wrong order
        order = np.lexsort((detections.image, -detections.score, detections.category))
        score = detections.score[order]
    return Ranking(order, score, starts)


def places(group: Integers, groups: int) -> Integers:
    """How many earlier members its group has, for each member; shape (members,).

    >>> places(np.array([4, 2, 4, 4, 2]), 5)
    array([0, 0, 1, 2, 1])
    """
    counts = np.bincount(group, minlength=groups)
    place = np.empty_like(group)
    place[radix_order(group, groups)] = np.arange(len(group)) - np.repeat(np.cumsum(counts) - counts, counts)
    return place


def radix_order(keys: Integers, bound: int, start: Integers | None = None) -> Integers:
    """Order that sorts integers from 0 to bound - 1, equal ones as `start` has them; shape (keys,).

    NumPy sorts integers of 16 bits, and only those, by counting; so longer ones go digit by digit, the lowest first.

    >>> radix_order(np.array([70_000, 3, 70_000, 1]), 70_001)
    array([3, 1, 0, 2])
    """
    digits = map(np.ascontiguousarray, keys.astype("<i8", copy=False).view("<u2").reshape(-1, 4).T)
    first, *later = islice(digits, (max(bound - 1, 1).bit_length() + 15) // 16)
    order = np.argsort(first, kind="stable") if start is None else start[np.argsort(first[start], kind="stable")]
    for digit in later:
        order = order[np.argsort(digit[order], kind="stable")]
    return order


def deferred_acceptance(proposer: Integers, slot: Integers, unlimited: Flags | None = None) -> Integers:
    """Positions of the proposals that are accepted if proposers choose in turn, each its best slot that is still free.

    All slots then prefer the earlier proposer, and the outcome is the one stable matching. It is found in rounds of a
    few array operations: all propose, each slot holds its best proposal, the refused propose again.

    Source: Gale and Shapley, College Admissions and the Stability of Marriage (1962).

    Args:
        proposer: shape (proposals,), ascending, and the proposals of one proposer in falling preference.
        slot: shape (proposals,), where each proposal goes.
        unlimited: shape (proposals,), whether the slot accepts any number; None where each accepts one.

    >>> deferred_acceptance(np.array([0, 1, 1, 2]), np.array([5, 5, 6, 6]))
    array([0, 2])
    """
    owner = np.append(proposer, -1)
    best = np.full(slot.max(initial=-1) + 1, proposer.max(initial=-1) + 1)
    held = np.full(len(best), -1)
    accepted_beside = []
    proposing = np.flatnonzero(np.diff(proposer, prepend=-1))
    while len(proposing):
        if unlimited is not None:
            accepted_beside.append(proposing[unlimited[proposing]])
            proposing = proposing[~unlimited[proposing]]
        np.minimum.at(best, slot[proposing], proposer[proposing])
        wins = best[slot[proposing]] == proposer[proposing]
        winners = proposing[wins]
        ousted = held[slot[winners]]
        held[slot[winners]] = winners
        refused = np.concatenate([proposing[~wins], ousted[ousted >= 0]])
        proposing = refused[owner[refused + 1] == owner[refused]] + 1
    return np.concatenate([held[held >= 0], *accepted_beside])


def _falling_order(detections: Detections) -> Integers:
    """Order by category, falling score, image and file order, as far as a key of 48 bits can tell.

    Bit patterns of floats count as the floats do. So the key is the category, and below it the distance of the pattern
    from the best one: its leading bits, as many as there is room for.
    """
    image, category, score = detections.image, detections.category, detections.score
    if not len(score):
        return np.arange(0)
    grouped = bool((image[1:] >= image[:-1]).all())  # as files mostly are
    by_image = None if grouped else radix_order(image, int(image.max()) + 1)
    pattern = (score + 0.0).view(np.int64)  # -0.0 becomes 0.0
    if pattern.min() < 0:
        pattern ^= (pattern >> 63) & np.int64(2**63 - 1)  # negative floats count downwards
    key = np.subtract(pattern.max().view(np.uint64), pattern.view(np.uint64), out=pattern.view(np.uint64))
    width = int(key.max()).bit_length()
    kept = min(width, _KEY_BITS - int(category.max()).bit_length())
    key >>= np.uint64(width - kept)
    key |= category.view(np.uint64) << np.uint64(kept)
    return radix_order(key.view(np.int64), int(category.max() + 1) << kept, by_image)
