"""The match table, on cases made by hand (`test_coco` holds it against pycocotools); rounds, against a greedy loop."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scorers.detection.matching import deferred_acceptance, match_table
from scorers.detection.overlaps import Pairs
from scorers.detection.ranking import Ranking


def test_the_table_says_who_took_what_at_which_threshold() -> None:
    # The second detection prefers box 0 at all thresholds, but the first is before it; at .8 nobody else wants box 1.
    pairs = Pairs(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([0.7, 0.9, 0.6]))
    ranking = Ranking(np.arange(2), np.array([0.9, 0.8]), np.array([0, 2]))
    none = np.zeros(2, dtype=np.bool_)
    table = match_table(pairs, ranking, none, none[np.newaxis], np.array([0.5, 0.65, 0.8]))
    taken = [[(int(table.rank[n]), int(table.box[n])) for n in np.flatnonzero(at)] for at in table.matched[0]]
    assert taken == [[(0, 0), (1, 1)], [(0, 0)], [(1, 0)]]


def test_a_box_that_counts_is_preferred_to_an_ignored_one_of_higher_iou_and_the_later_of_equals() -> None:
    pairs = Pairs(np.zeros(3, dtype=np.int64), np.arange(3), np.array([0.6, 0.6, 0.9]))
    ranking = Ranking(np.arange(1), np.array([0.9]), np.array([0, 1]))
    ignored = np.array([[False, False, True], [False, False, False], [True, True, True], [False, True, True]])
    table = match_table(pairs, ranking, np.zeros(3, dtype=np.bool_), ignored, np.array([0.5]))
    assert [np.flatnonzero(matched[0]).tolist() for matched in table.matched] == [[1], [2], [2], [0]]


Wishes = list[list[int]]  # of each proposer, the best first
SLOTS = 6
wishes = st.lists(st.lists(st.integers(0, SLOTS - 1), unique=True, max_size=SLOTS), max_size=12)


def greedy(wishes: Wishes, unlimited: list[bool]) -> set[tuple[int, int]]:
    taken: set[int] = set()
    matches = set()
    for proposer, slots in enumerate(wishes):
        for slot in slots:
            if slot not in taken:
                matches.add((proposer, slot))
                taken |= set() if unlimited[slot] else {slot}
                break
    return matches


@given(wishes, st.lists(st.booleans(), min_size=SLOTS, max_size=SLOTS))
def test_rounds_end_where_the_greedy_loop_does(wishes: Wishes, unlimited: list[bool]) -> None:
    proposer = np.array([number for number, slots in enumerate(wishes) for _ in slots], dtype=np.int64)
    slot = np.array([wanted for slots in wishes for wanted in slots], dtype=np.int64)
    accepted = deferred_acceptance(proposer, slot, unlimited=np.array(unlimited)[slot])
    assert len(set(accepted.tolist())) == len(accepted)
    assert set(zip(proposer[accepted].tolist(), slot[accepted].tolist(), strict=True)) == greedy(wishes, unlimited)


def test_a_long_chain_of_refusals_is_settled() -> None:
    count = 200  # each proposer wants the slot of the one before first, and the last slot is the first one's
    wishes = [[0], *([number - 1, number] for number in range(1, count))]
    proposer = np.array([number for number, slots in enumerate(wishes) for _ in slots])
    slot = np.array([wanted for slots in wishes for wanted in slots])
    accepted = deferred_acceptance(proposer, slot)
    assert sorted(zip(proposer[accepted].tolist(), slot[accepted].tolist(), strict=True)) == [
        (n, n) for n in range(200)
    ]
