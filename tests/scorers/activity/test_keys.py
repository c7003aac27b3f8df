"""Keys of whole columns, near and far apart, up to the ends of what 64 bits hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scorers.activity.keys import grouped, repeated, rows_of

whole = st.integers(-3, 3) | st.integers(-(2**40), 2**40) | st.sampled_from([-(2**63), 2**63 - 1])
keys = st.lists(st.tuples(whole, whole), max_size=20)


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
