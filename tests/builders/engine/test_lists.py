"""Columns of lists: made from flat arrays, taken apart again, and nested into a manifest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from builders.engine.lists import filtered, items_of, lengths_of, lists_of
from builders.engine.recipe import Candidates
from builders.engine.rules import Outcome, rule
from schemas.activity import IDS, LABELS
from schemas.columns import column, table_schema
from schemas.digest import schema_line, split_digest

rows_of_items = st.lists(st.integers(0, 5), max_size=20).map(sorted)


def ids(rows: list[int]) -> np.ndarray:
    return np.arange(len(rows)) * 7


@given(rows_of_items)
def test_lists_are_taken_apart_as_they_were_made(rows: list[int]) -> None:
    lists = lists_of(np.array(rows, int), 6, [ids(rows)], IDS)
    owner, items = items_of(lists)
    assert (owner.tolist(), items.tolist()) == (rows, ids(rows).tolist())
    assert lengths_of(lists).tolist() == [rows.count(row) for row in range(6)]


@given(rows_of_items, st.data())
def test_items_are_filtered_within_their_lists(rows: list[int], data: st.DataObject) -> None:
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))), bool)
    lists = lists_of(np.array(rows, int), 6, [ids(rows)], IDS)
    left = filtered(lists, keep)
    assert [list(items) for items in left] == [
        [item for item, flag in zip(ids(rows).tolist(), keep, strict=True) if flag and rows[item // 7] == row]
        for row in range(6)
    ]


@given(rows_of_items, st.permutations(range(6)), st.integers(0, 6))
def test_rows_may_be_taken_in_any_order(rows: list[int], order: list[int], count: int) -> None:
    lists = lists_of(np.array(rows, int), 6, [ids(rows), ids(rows) % 2 == 0], LABELS)
    taken = lists.iloc[order[:count]]
    owner, items = items_of(taken, "id")
    expected = [(place, item) for place, row in enumerate(order[:count]) for item in ids(rows)[np.array(rows) == row]]
    assert list(zip(owner.tolist(), items.tolist(), strict=True)) == expected
    assert items_of(taken, "difficult")[1].tolist() == [item % 2 == 0 for _, item in expected]


def test_lists_within_lists_reach_the_manifest(run_rules: Callable) -> None:
    """Records of a child level that hold lists of records, after a rule dropped one and another thinned a list."""

    @rule("known", level="things", cites="none", reasons={"unknown": "unknown"})
    def known(things: pd.DataFrame) -> Outcome:
        return Outcome(keep=things["key"] != 8, reason="unknown")

    @rule("plain", level="things", cites="none")
    def plain(things: pd.DataFrame) -> Outcome:
        _, difficult = items_of(things["labels"], "difficult")
        return Outcome(columns={"labels": filtered(things["labels"], ~difficult)})

    labels = lists_of(np.array([0, 0, 1, 2]), 4, [np.array([1, 2, 3, 4]), np.array([True, False, False, True])], LABELS)
    things = pd.DataFrame({"parent": [1, 0, 1, 0], "key": [7, 8, 9, 10], "labels": labels})
    record = pa.struct([column("key", pa.int64(), "its number"), column("labels", LABELS, "its labels")])
    schema = table_schema(
        "invented",
        1,
        [
            column("sample_id", pa.string(), "name"),
            column("split", pa.string(), "split"),
            column("things", pa.list_(pa.field("item", record, nullable=False)), "what it holds"),
        ],
    )
    root = pd.DataFrame({"sample_id": ["a", "b", "c"], "split": "test"})
    table = run_rules(Candidates(root, {"things": things}), [known, plain], schema).splits["test"]
    assert table["things"].to_pylist() == [
        [{"key": 10, "labels": []}],
        [{"key": 7, "labels": [{"id": 2, "difficult": False}]}, {"key": 9, "labels": []}],
        [],
    ]
    assert schema_line(table.schema).endswith(
        "things:list<struct<key:int64!,labels:list<struct<id:int64!,difficult:bool!>!>!>!>!"
    )
    again = pa.concat_tables([table.slice(0, 1), table.slice(1)]).cast(schema)
    assert split_digest(again) == split_digest(table)
    other = table.set_column(2, schema.field(2), pa.array([[], *table["things"].to_pylist()[1:]], schema.field(2).type))
    assert split_digest(other) != split_digest(table)
