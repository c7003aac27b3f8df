"""The match table: which detection took which box, at every IoU threshold and in every area range.

COCO matches greedily: the detections of an image and category choose by falling score, each among the boxes still free.
Where no detection has a choice, a box simply takes the first that reaches the threshold; the others are matched in
rounds of deferred acceptance.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorers.detection.boxes import Flags, Floats, Integers
from scorers.detection.overlaps import Pairs
from scorers.detection.ranking import Ranking, radix_order

Levels = NDArray[np.integer[Any]]


class MatchTable(NamedTuple):
    """All pairs that may match, and where they did.

    Attributes:
        rank: shape (pairs,), of the detection, ascending.
        box: shape (pairs,), position in `Truth`.
        matched: shape (area ranges, thresholds, pairs).
    """

    rank: Integers
    box: Integers
    matched: Flags


def match_table(pairs: Pairs, ranking: Ranking, crowd: Flags, ignored: Flags, thresholds: Floats) -> MatchTable:
    """Match detections to boxes as COCO does.

    A detection prefers boxes that count to ignored ones, then the higher IoU, then the later box. A box takes one
    detection, a crowd takes any number.

    Source: cocodataset/cocoapi : PythonAPI/pycocotools/cocoeval.py (evaluateImg).

    Args:
        pairs: all that reach the lowest threshold.
        ranking: of the detections.
        crowd: shape (boxes,).
        ignored: shape (area ranges, boxes), crowds included.
        thresholds: shape (thresholds,), ascending; an IoU that equals one reaches it.
    """
    rank = ranking.rank[pairs.detection]
    order = radix_order(rank, len(ranking.detection))
    rank, box, iou = rank[order], pairs.box[order], pairs.iou[order]
    level = np.searchsorted(thresholds, iou, side="right").astype(np.int16)
    matched = np.empty((len(ignored), len(thresholds), len(rank)), dtype=np.bool_)
    matched[:] = _first_come(box, level, crowd, len(thresholds))
    hard = np.flatnonzero(_contested(rank, box, len(crowd)))
    if len(hard):
        matched[:, :, hard] = _in_rounds(rank[hard], box[hard], iou[hard], level[hard], crowd, ignored, len(thresholds))
    return MatchTable(rank, box, matched)


def _first_come(box: Integers, level: Levels, crowd: Flags, thresholds: int) -> Flags:
    """Matches if no detection had a choice, shape (thresholds, pairs): a box takes the first that reaches a threshold.

    Going down the ranks, a pair is matched at the thresholds above the best level before it and up to its own.
    """
    by_box = radix_order(box, len(crowd))
    base = box[by_box] * (thresholds + 1)
    best = np.maximum.accumulate(base + level[by_box])
    taken = np.zeros(len(box), dtype=np.int16)
    taken[by_box[1:]] = np.maximum(best[:-1] - base[1:], 0)
    taken[crowd[box]] = 0
    step = np.arange(thresholds, dtype=np.int16)[:, np.newaxis]
    return (taken <= step) & (step < level)


def _contested(rank: Integers, box: Integers, boxes: int) -> Flags:
    """Pairs whose box is wanted by a detection that has a choice, shape (pairs,)."""
    again = np.flatnonzero(rank[1:] == rank[:-1])
    wanted = np.zeros(boxes, dtype=np.bool_)
    wanted[box[again]] = wanted[box[again + 1]] = True
    return wanted[box]


def _in_rounds(
    rank: Integers, box: Integers, iou: Floats, level: Levels, crowd: Flags, ignored: Flags, thresholds: int
) -> Flags:
    """Matches of detections with a choice, shape (area ranges, thresholds, pairs)."""
    matched = np.zeros((len(ignored), thresholds, len(rank)), dtype=np.bool_)
    proposer = np.append(0, np.cumsum(rank[1:] != rank[:-1]))
    slot = np.unique(box, return_inverse=True)[1]
    by_iou = np.lexsort((-box, -iou, proposer))
    for area, last in enumerate(ignored):
        proposals = radix_order(proposer * 2 + last[box], 2 * len(proposer), by_iou)
        for threshold in range(thresholds):
            proposals = proposals[level[proposals] > threshold]
            accepted = deferred_acceptance(proposer[proposals], slot[proposals], unlimited=crowd[box[proposals]])
            matched[area, threshold, proposals[accepted]] = True
    return matched


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
