"""Deferred acceptance, against the greedy loop that it replaces."""

from __future__ import annotations

import doctest

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scorers import matching
from scorers.matching import deferred_acceptance

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


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), unique=True, max_size=20))
def test_pairs_in_one_order_of_preference_are_taken_as_the_greedy_loop_does(pairs: list[tuple[int, int]]) -> None:
    order = np.array(sorted(range(len(pairs)), key=lambda n: pairs[n][0]), dtype=np.int64)  # by proposer, then rank
    proposer, slot = (np.array([pairs[n][side] for n in order], dtype=np.int64) for side in (0, 1))
    accepted = order[deferred_acceptance(proposer, slot, priority=order)]
    left, right, expected = set[int](), set[int](), set[int]()
    for rank, (one, other) in enumerate(pairs):
        if one not in left and other not in right:
            expected.add(rank)
            left.add(one)
            right.add(other)
    assert set(accepted.tolist()) == expected


def test_the_examples_in_the_documentation_hold() -> None:
    assert doctest.testmod(matching).failed == 0
