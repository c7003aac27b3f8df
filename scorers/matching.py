"""One-to-one matching by preferences on both sides, which is what greedy matching by a common order comes to.

A greedy loop lets proposers choose in a common order, each its best slot that is still free. All slots then rank the
proposers alike, and the outcome is the one stable matching. It is found in rounds of deferred acceptance, each of a few
array operations: all proposers propose, each slot holds its best proposal, the refused propose again.

Source: Gale and Shapley, College Admissions and the Stability of Marriage (1962).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


def deferred_acceptance(
    proposer: Integers, slot: Integers, priority: Integers | None = None, unlimited: Flags | None = None
) -> Integers:
    """Positions of the proposals that are accepted.

    Args:
        proposer: shape (proposals,), ascending, and the proposals of one proposer in falling preference.
        slot: shape (proposals,), where each proposal goes.
        priority: shape (proposals,), a slot prefers the lowest; None where that is the lowest proposer.
        unlimited: shape (proposals,), whether the slot accepts any number; None where each accepts one.

    >>> deferred_acceptance(np.array([0, 1, 1, 2]), np.array([5, 5, 6, 6]))
    array([0, 2])
    """
    priority = proposer if priority is None else priority
    owner = np.append(proposer, -1)
    best = np.full(slot.max(initial=-1) + 1, priority.max(initial=-1) + 1)
    held = np.full(len(best), -1)
    accepted_beside = []
    proposing = np.flatnonzero(np.diff(proposer, prepend=-1))
    while len(proposing):
        if unlimited is not None:
            accepted_beside.append(proposing[unlimited[proposing]])
            proposing = proposing[~unlimited[proposing]]
        np.minimum.at(best, slot[proposing], priority[proposing])
        wins = best[slot[proposing]] == priority[proposing]
        winners = proposing[wins]
        ousted = held[slot[winners]]
        held[slot[winners]] = winners
        refused = np.concatenate([proposing[~wins], ousted[ousted >= 0]])
        proposing = refused[owner[refused + 1] == owner[refused]] + 1
    return np.concatenate([held[held >= 0], *accepted_beside])
