"""Rows side by side by their keys: against a plain comparison of Python values, and keys of things without ids."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.differences.rows import Rows, compare, levels_of
from schemas.errors import InputError

SPARSE = st.none() | st.integers(0, 1)
FLOATS = st.sampled_from([0.0, -0.0, 1.0, 1.5, math.nan, math.inf])
TYPES = {
    pa.float64(): FLOATS,
    pa.int64(): st.integers(-2, 2),
    pa.string(): st.sampled_from(["", "a", "é"]),
    pa.bool_(): st.booleans(),
    pa.list_(pa.float64()): st.lists(st.none() | FLOATS, max_size=3),
    pa.list_(pa.struct([("n", pa.int64()), ("s", pa.list_(pa.string()))])): st.lists(
        st.none()
        | st.fixed_dictionaries({"n": st.none() | st.integers(0, 1), "s": st.lists(st.just("x"), max_size=2)}),
        max_size=2,
    ),
}


def plain(value: Any) -> Any:
    """A value that is equal to another if both have the same bits, or are both NaN."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else struct.pack("d", value)
    if isinstance(value, list):
        return [plain(each) for each in value]
    return {name: plain(each) for name, each in value.items()} if isinstance(value, dict) else value


@st.composite
def sides(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any], pa.DataType]:
    kind = draw(st.sampled_from(list(TYPES)))
    rows = st.dictionaries(st.sampled_from("abcdefgh"), st.none() | TYPES[kind], max_size=8)
    return draw(rows), draw(rows), kind


def rows_of(values: dict[str, Any], kind: pa.DataType, chunks: int = 1) -> Rows:
    column = pa.chunked_array([pa.array(list(values.values()), kind)] * chunks)
    return Rows(pa.array(list(values), pa.string()), pa.table({"v": column}))


@given(sides())
def test_rows_differ_as_their_python_values_do(case: tuple[dict[str, Any], dict[str, Any], pa.DataType]) -> None:
    a, b, kind = case
    found = compare(rows_of(a, kind), rows_of(b, kind))
    removed, added, changed = (keys.to_pylist() for keys in found.kinds)
    assert removed == [key for key in a if key not in b]
    assert added == [key for key in b if key not in a]
    assert changed == [key for key in a if key in b and plain(a[key]) != plain(b[key])]
    common = [key for key in a if key in b]
    assert found.in_order == (common == [key for key in b if key in a])


def test_numbers_of_other_types_are_compared_as_numbers() -> None:
    a, b = rows_of({"x": 1, "y": 2}, pa.int64()), rows_of({"x": 1.0, "y": 2.5}, pa.float64())
    assert compare(a, b).kinds[2].to_pylist() == ["y"]
    assert compare(a, rows_of({"x": "1", "y": "2"}, pa.string())).kinds[2].to_pylist() == ["x", "y"]
    large = rows_of({"x": "t"}, pa.large_string())
    assert compare(rows_of({"x": "t"}, pa.string()), large).kinds[2].to_pylist() == []
    coded = Rows(large.keys, pa.table({"v": pa.array(["t"]).dictionary_encode()}))
    assert compare(coded, large).kinds[2].to_pylist() == []


def test_the_size_of_a_change_is_a_number_where_there_is_one() -> None:
    a = rows_of({"x": 1.5, "y": None, "z": math.inf, "w": math.nan}, pa.float64())
    b = rows_of({"x": 1.0, "y": 1.0, "z": -math.inf, "w": 1.0}, pa.float64())
    found = compare(a, b)
    assert found.changed.all()
    sizes = found.values("v", np.arange(4))[2].tolist()
    assert [str(size) for size in sizes] == ["0.5", "nan", "inf", "nan"]
    same = rows_of({"x": math.inf}, pa.float64())
    assert math.isnan(compare(same, same).values("v", np.arange(1))[2][0])
    large = compare(rows_of({"x": 2**60}, pa.int64()), rows_of({"x": 2**60 + 1}, pa.int64()))
    assert large.changed.all()
    assert large.values("v", np.arange(1))[2].tolist() == [0.0]


def table(objects: list[list[dict[str, Any]]]) -> pa.Table:
    names = [f"image {number}" for number in range(len(objects))]
    return pa.table({"sample_id": names, "split": ["test"] * len(names), "objects": objects})


def keys(objects: list[list[dict[str, Any]]]) -> list[str]:
    return levels_of(table(objects), "image", "a file")["objects"].keys.to_pylist()


def test_things_are_named_by_their_ids_and_samples() -> None:
    assert keys([[{"annotation_id": 7}, {"annotation_id": 8}], [], [{"annotation_id": 7}]]) == [
        "7 of image 0",
        "8 of image 0",
        "7 of image 2",
    ]


def test_things_of_one_name_are_told_apart_by_their_order() -> None:
    assert keys([[{"annotation_id": 7}, {"annotation_id": 8}, {"annotation_id": 7}], [{"annotation_id": 7}]]) == [
        "7 of image 0",
        "8 of image 0",
        "7 of image 0 (2)",
        "7 of image 1",
    ]


def test_things_without_ids_are_named_by_their_boxes() -> None:
    box = {"category": "person", "x": 1.5, "y": 2.0, "width": 3.0, "height": 4.0, "annotation_id": None}
    assert keys([[box, {**box, "x": 9.0}], [box, box]]) == [
        "person 1.5 2 3 4 of image 0",
        "person 9 2 3 4 of image 0",
        "person 1.5 2 3 4 of image 1",
        "person 1.5 2 3 4 of image 1 (2)",
    ]


def test_records_without_keys_are_values_of_their_sample() -> None:
    rows = pa.table({"sample_id": ["a"], "spans": [[{"start_s": 1.0}]]})
    assert levels_of(rows, "query", "a file")["query"].table.column_names == ["spans"]


@pytest.mark.parametrize(
    ("names", "found"), [(["a", "b", "a"], "the same name twice"), (["a", None], "no name")], ids=["twice", "none"]
)
def test_samples_have_names_of_their_own(names: list[str | None], found: str) -> None:
    with pytest.raises(InputError) as caught:
        levels_of(pa.table({"sample_id": pa.array(names, pa.string())}), "row", "a file")
    (problem,) = caught.value.problems
    assert (problem.file, problem.field, problem.found) == ("a file", "sample_id", found)
