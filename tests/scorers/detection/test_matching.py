"""Deferred acceptance, against the greedy loop that it replaces."""

from __future__ import annotations

import doctest

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scorers.detection import matching
from scorers.detection.matching import deferred_acceptance, match_table
from scorers.detection.pairs import Pairs
from scorers.detection.ranking import Ranking

Wishes = list[list[int]]  # of each asker, the best first
BOXES = 6
wishes = st.lists(st.lists(st.integers(0, BOXES - 1), unique=True, max_size=BOXES), max_size=12)


def greedy(wishes: Wishes, crowd: list[bool]) -> set[tuple[int, int]]:
    taken: set[int] = set()
    matches = set()
    for asker, boxes in enumerate(wishes):
        for box in boxes:
            if box not in taken:
                matches.add((asker, box))
                taken |= set() if crowd[box] else {box}
                break
    return matches


@given(wishes, st.lists(st.booleans(), min_size=BOXES, max_size=BOXES))
def test_rounds_end_where_the_greedy_loop_does(wishes: Wishes, crowd: list[bool]) -> None:
    asker = np.array([number for number, boxes in enumerate(wishes) for _ in boxes], dtype=np.int64)
    box = np.array([wanted for boxes in wishes for wanted in boxes], dtype=np.int64)
    stands = deferred_acceptance(asker, box, np.array(crowd)[box])
    assert len(set(stands.tolist())) == len(stands)
    assert set(zip(asker[stands].tolist(), box[stands].tolist(), strict=True)) == greedy(wishes, crowd)


def test_a_long_chain_of_refusals_is_settled() -> None:
    count = 200  # each asker wants the box of the one before first, and the last box is the first one's
    wishes = [[0], *([number - 1, number] for number in range(1, count))]
    asker = np.array([number for number, boxes in enumerate(wishes) for _ in boxes])
    box = np.array([wanted for boxes in wishes for wanted in boxes])
    stands = deferred_acceptance(asker, box, np.zeros(len(box), dtype=np.bool_))
    assert sorted(zip(asker[stands].tolist(), box[stands].tolist(), strict=True)) == [(n, n) for n in range(count)]


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


def test_the_examples_in_the_documentation_hold() -> None:
    assert doctest.testmod(matching).failed == 0
