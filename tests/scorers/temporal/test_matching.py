"""Predictions to rows: by name in any order, by what both say, and an account of everything that is left over."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import Problem
from scorers.names import mostly_known, rows_named
from scorers.temporal.contents import rows_alike
from scorers.temporal.matching import check_rows, missing

Refused = Callable[..., tuple[Problem, ...]]
NAMES = pa.array(["a", "b", "c", "d"])


def keys(*values: str) -> pa.Array:
    return pa.array(values, pa.string())


@settings(deadline=None)
@given(st.lists(st.text(max_size=3), unique=True), st.randoms(), st.integers(0, 9))
def test_names_are_found_in_any_order_with_any_missing(names: list[str], shuffle: object, cut: int) -> None:
    order = list(range(len(names)))
    shuffle.shuffle(order)  # type: ignore[attr-defined]
    column, order = pa.array(names, pa.string()), order[cut:]
    assert rows_named(column, column.take(pa.array(order, pa.int64()))).tolist() == order


def test_names_in_manifest_order_and_unknown_ones() -> None:
    assert rows_named(NAMES, NAMES).tolist() == [0, 1, 2, 3]
    assert rows_named(NAMES, keys("a", "b", "x", "d")).tolist() == [0, 1, -1, 3]
    assert rows_named(NAMES, keys("d", "a", "d")).tolist() == [3, 0, 3]
    assert rows_named(NAMES, keys()).tolist() == []


def test_aliases_name_rows_where_most_keys_are_not_sample_ids() -> None:
    videos, files = keys("v", "w", "x", "y"), keys("v.mp4", "w.mp4", "x.mp4", "y.mp4")
    assert rows_named(NAMES, keys("y", "v"), [videos]).tolist() == [3, 0]
    assert rows_named(NAMES, keys("y.mp4", "w.mp4"), [videos, files]).tolist() == [3, 1]
    assert rows_named(NAMES, keys("y", "v", "b"), [videos]).tolist() == [3, 0, 1]
    assert rows_named(NAMES, keys("a", "b", "v"), [videos]).tolist() == [0, 1, -1]


def test_an_alias_that_repeats_names_nothing() -> None:
    assert rows_named(NAMES, keys("v", "w"), [keys("v", "v", "w", "x")]).tolist() == [-1, -1]


def test_mostly_known_is_more_than_half() -> None:
    known = {(): False, (-1,): False, (0, -1): False, (0,): True, (0, 1, -1): True}
    assert {rows: mostly_known(np.array(rows, dtype=np.int64)) for rows in known} == known


def test_what_is_alike_is_matched_in_order() -> None:
    contents = [("v", 1.0), ("v", 2.0), ("w", 1.0), ("v", 1.0)]
    assert rows_alike(contents, [("w", 1.0), ("v", 1.0), ("v", 1.0)]).tolist() == [2, 0, 3]
    assert rows_alike(contents, [("v", 1.0)] * 3 + [("v", float("nan")), ("x", 1.0)]).tolist() == [0, 3, -1, -1, -1]
    assert rows_alike(contents, []).dtype == np.int64


def test_rows_without_an_entry_are_counted_with_examples() -> None:
    assert missing(np.array([3, -1, -1, -1, -1]), NAMES) == ["3 of 4 rows have no prediction ('a', 'b', 'c')"]
    assert missing(np.array([1, 0, 3, 2]), NAMES) == []


def test_several_predictions_of_one_row_are_refused(refused: Refused) -> None:
    (problem,) = refused(check_rows, np.array([1, 0, 1, 2, 2, 2, -1]), NAMES, keys(*"bab", *"ccc", "x"), "p.csv")
    assert (problem.file, problem.found) == ("p.csv", "2 rows with several predictions ('b', 'c')")
    assert "`score`" in problem.advice


@pytest.mark.parametrize(
    ("unknown", "guess"),
    [
        (["v_Spinning_07_b_01", "v_ArmFlapping_16_b_12"], "; these look like uag-ssbd ids"),
        (["test_0", "test_80"], "; these look like uag-funqa ids"),
        (["H_A_101_1433_1631.mp4"], "; these look like uag-funqa ids"),
        (["test/00001", "train/00012"], "; these look like charades-sta ids"),
        (["v_Spinning_07_b_01", "another"], ""),
        (["Fails of the Week (May 2017)0"], ""),
    ],
)
def test_a_file_for_another_benchmark_is_known_by_its_names(refused: Refused, unknown: list[str], guess: str) -> None:
    names = pa.array([f"clip {number}" for number in range(1589)])
    (problem,) = refused(check_rows, np.full(len(unknown), -1), names, keys(*unknown), "p.csv")
    assert problem.found == f"names such as {unknown[0]!r} (0 of 1,589 ids match{guess})"
    assert (problem.file, problem.expected) == ("p.csv", "names such as 'clip 0'")
