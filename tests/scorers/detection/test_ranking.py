"""The one sort, against plain sorting; matching by turns, against the greedy loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scorers.detection.boxes import Detections
from scorers.detection.ranking import deferred_acceptance, places, radix_order, ranked

Row = tuple[int, int, float]
scores = st.one_of(
    st.sampled_from([0.0, -0.0, 0.5, 1.0, -1.0, 5e-324, -5e-324, 1e300, np.inf, -np.inf]),
    st.floats(allow_nan=False),
    st.floats(0.5, 0.5 + 1e-12),
)


def detections(rows: list[Row]) -> Detections:
    image, category, score = (np.array(column) for column in zip(*rows, strict=True)) if rows else np.empty((3, 0))
    side = np.zeros(len(rows))
    return Detections(
        image.astype(np.int64), category.astype(np.int64), side, side, side, side, score.astype(np.float64)
    )


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), scores), max_size=40))
@example([(0, 0, -0.0), (0, 0, 0.0)])  # equal
@example([(0, 0, -1.0 - 1e-12), (0, 0, -1.0)])
def test_detections_go_by_category_falling_score_image_and_file_order(rows: list[Row]) -> None:
    found = ranked(detections(rows), 4)
    expected = sorted(range(len(rows)), key=lambda n: (rows[n][1], -rows[n][2], rows[n][0], n))
    assert found.detection.tolist() == expected
    assert found.rank[found.detection].tolist() == list(range(len(rows)))
    assert found.score.tolist() == [rows[n][2] for n in expected]
    assert found.starts.tolist() == [sum(row[1] < category for row in rows) for category in range(5)]


def test_scores_that_differ_in_the_last_bits_alone_are_told_apart() -> None:
    close = 1.0 - np.arange(1000) * 2.0**-53
    order = np.random.default_rng(0).permutation(1000)
    far = [(0, 1, 1e-300), (0, 0, -1e300)]  # the spread of scores pushes those bits out of the key
    rows = [*((0, 0, float(close[n])) for n in order), *far]
    assert ranked(detections(rows), 2).detection[:1000].tolist() == np.argsort(order).tolist()


@given(st.lists(st.integers(0, 2**40 - 1), max_size=30), st.booleans())
def test_radix_order_is_a_stable_sort(keys: list[int], backwards: bool) -> None:
    start = np.arange(len(keys))[::-1].copy() if backwards else None
    positions = range(len(keys))
    expected = sorted(reversed(positions) if backwards else positions, key=keys.__getitem__)
    assert radix_order(np.array(keys, dtype=np.int64), 2**40, start).tolist() == expected


@given(st.lists(st.integers(0, 5), max_size=30))
def test_places_count_the_members_before(group: list[int]) -> None:
    expected = [group[:n].count(member) for n, member in enumerate(group)]
    assert places(np.array(group, dtype=np.int64), 6).tolist() == expected


@pytest.mark.parametrize("bound", [0, 1, 2, 65_536, 65_537])
def test_no_keys_are_in_order(bound: int) -> None:
    assert radix_order(np.arange(0), bound).tolist() == []


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
