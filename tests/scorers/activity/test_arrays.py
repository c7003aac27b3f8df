"""Sets of labels as bits; keys of whole columns, near and far apart, up to the ends of what 64 bits hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scorers.activity.arrays import grouped, repeated, rows_of, sample_scores, single, sizes, united
from scorers.activity.reference import label_scores

sets = st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=5)
whole = st.integers(-3, 3) | st.integers(-(2**40), 2**40) | st.sampled_from([-(2**63), 2**63 - 1])
keys = st.lists(st.tuples(whole, whole), max_size=20)


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


def columns(rows: list[tuple[int, int]]) -> list[Any]:
    return list(np.array(rows, np.int64).reshape(-1, 2).T)


@given(keys.map(lambda rows: list(dict.fromkeys(rows))), keys)
def test_rows_are_found_by_their_keys(known: list[Any], wanted: list[Any]) -> None:
    found = rows_of(columns(known), columns(wanted)).tolist()
    assert found == [known.index(key) if key in known else -1 for key in wanted]


@given(keys)
def test_keys_in_the_order_of_the_rows_are_those_rows(known: list[Any]) -> None:
    assert rows_of(columns(known), columns(known)).tolist() == list(range(len(known)))


@given(keys)
def test_repeated_keys_are_found(rows: list[Any]) -> None:
    again = repeated(*columns(rows)).tolist()
    assert again == [place for place, key in enumerate(rows) if key in rows[:place]]


@given(keys)
def test_equal_keys_are_grouped_in_the_order_in_which_they_appear(rows: list[Any]) -> None:
    first, group = grouped(*columns(rows))
    distinct = list(dict.fromkeys(rows))
    assert first.tolist() == [rows.index(key) for key in distinct]
    assert group.tolist() == [distinct.index(key) for key in rows]
