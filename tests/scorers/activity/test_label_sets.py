"""Sets of labels as bits."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scorers.activity.label_sets import sample_scores, single, sizes, united
from scorers.activity.reference import label_scores

sets = st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=5)


def labels_in(number: int) -> set[int]:
    return {label for label in range(1, 33) if number >> (label - 1) & 1}


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 32)), max_size=40))
def test_sets_hold_what_was_put_into_them(pairs: list[tuple[int, int]]) -> None:
    owner, label = np.array(pairs, np.int64).reshape(-1, 2).T
    found = united(single(label), owner, 6)
    held = [{label for who, label in pairs if who == owner} for owner in range(6)]
    assert [labels_in(int(number)) for number in found] == held
    assert sizes(found).tolist() == [len(labels) for labels in held]


@given(sets, sets, st.sampled_from([0.0, 1.0]))
def test_scores_of_sets_are_those_of_the_reference(true: list[int], given: list[int], empty: float) -> None:
    count = min(len(true), len(given))
    found = sample_scores(np.array(true[:count], np.uint32), np.array(given[:count], np.uint32), empty)
    expected = [label_scores(labels_in(a), labels_in(b), empty) for a, b in zip(true, given, strict=False)]
    assert np.array(found).T.tolist() == expected
