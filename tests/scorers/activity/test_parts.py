"""The parts that scores are made of: label sets, look-ups, matches, links, and the truth of a manifest."""

from __future__ import annotations

import doctest
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import InputError
from scorers.activity import truth_from
from scorers.activity.lookup import repeated, rows_of
from scorers.activity.sets import single, sizes, united

# Near, far apart, and at the ends of what 64 bits hold.
whole = st.integers(-3, 3) | st.integers(-(2**40), 2**40) | st.sampled_from([-(2**63), 2**63 - 1])
keys = st.lists(st.tuples(whole, whole), max_size=20)


def columns(rows: list[tuple[int, int]]) -> list[Any]:
    return list(np.array(rows, np.int64).reshape(-1, 2).T)


@pytest.mark.parametrize("name", ["evaluation", "lookup", "samples", "sets"])
def test_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"scorers.activity.{name}"))
    assert (result.failed, result.attempted > 0) == (0, True)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 32)), max_size=40))
def test_sets_hold_what_was_put_into_them(pairs: list[tuple[int, int]]) -> None:
    owner, label = columns(pairs)
    sets = united(single(label), owner, 6)
    held = [{label for who, label in pairs if who == owner} for owner in range(6)]
    assert [{label for label in range(1, 33) if int(number) >> (label - 1) & 1} for number in sets] == held
    assert sizes(sets).tolist() == [len(labels) for labels in held]


@given(keys.map(lambda rows: list(dict.fromkeys(rows))), keys)
def test_rows_are_found_by_their_keys(known: list[Any], wanted: list[Any]) -> None:
    found = rows_of(columns(known), columns(wanted)).tolist()
    assert found == [known.index(key) if key in known else -1 for key in wanted]
    assert rows_of(columns(known), columns(known)).tolist() == list(range(len(known)))


@given(keys)
def test_repeated_keys_are_found(rows: list[Any]) -> None:
    again = repeated(*columns(rows)).tolist()
    assert again == [place for place, key in enumerate(rows) if key in rows[:place]]


CASE = [
    {
        "n_persons": 4,
        "persons": [
            {"gt": [1, 27], "pred": []},
            {"gt": [2], "pred": []},
            {"gt": [3], "pred": []},
            {"gt": [], "pred": []},
        ],
        "gt_groups": [{"members": [2, 0], "labels": [32]}, {"members": [1], "labels": []}],
        "pred_groups": [],
        "global": {"gt": [7, 2], "pred": []},
    },
    {"n_persons": 0, "persons": [], "gt_groups": [], "pred_groups": [], "global": None},
]


def test_the_truth_is_flat(rows: Callable[..., pa.Table]) -> None:
    truth = truth_from(rows(CASE))
    assert (truth.frames, truth.persons, truth.sequences) == (2, 4, ("place-0", "place-1"))
    assert (truth.sequence_index.tolist(), truth.frame.tolist()) == ([3, 4], [15, 15])
    assert (truth.person_frame.tolist(), truth.person_id.tolist()) == ([0] * 4, [100, 107, 114, 121])
    assert truth.actions.tolist() == [1 + 2**26, 2, 4, 0]
    assert truth.activities.tolist() == [2 + 2**6, 0]
    groups = truth.groups
    assert (groups.frame.tolist(), groups.labels.tolist(), groups.size.tolist()) == ([0, 0], [2**31, 0], [2, 1])
    assert (groups.group.tolist(), groups.person.tolist()) == ([0, 0, 1], [2, 0, 1])
    large = groups.of_at_least(2)
    assert (len(large), large.group.tolist(), large.person.tolist()) == (1, [0, 0], [2, 0])


def changed(table: pa.Table, column: str, change: Callable[[Any], Any]) -> pa.Table:
    """The rows with what `change` makes of a column's values."""
    values = change(table[column].to_pylist())
    place = table.column_names.index(column)
    return table.set_column(place, table.schema.field(column), pa.array(values, table.schema.field(column).type))


def test_members_whom_the_build_dropped_are_people_but_not_scored(rows: Callable[..., pa.Table]) -> None:
    def kept(frames: Any) -> Any:
        return [frames[0][:2], []]

    truth = truth_from(changed(rows(CASE), "persons", kept))
    assert (truth.persons, len(truth.actions), truth.person_id.tolist()) == (2, 2, [100, 107, 114])
    assert truth.groups.person.tolist() == [2, 0, 1]


def test_a_truth_that_breaks_its_rules_is_refused(rows: Callable[..., pa.Table]) -> None:
    table = rows(CASE)
    with pytest.raises(InputError, match=r"persons.*expected the columns of jrdb-par"):
        truth_from(table.drop_columns("persons"))
    with pytest.raises(InputError, match=r"global.*labels 0 to 8, expected labels 1 to 7"):
        truth_from(changed(table, "global_activities", lambda _: [[0, 8], []]))
    with pytest.raises(InputError, match=r"place-0/000015.*person 100 again, expected a person who is there once"):
        truth_from(changed(table, "persons", lambda frames: [frames[0] + frames[0][:1], []]))
    with pytest.raises(InputError, match="person 114 again, expected a person in one group"):
        truth_from(changed(table, "groups", lambda frames: [frames[0] + frames[0][:1], []]))
