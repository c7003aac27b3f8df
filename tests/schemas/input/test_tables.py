"""Predictions in memory as tables."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from schemas.errors import UsageError
from schemas.input.tables import table_of


def test_columns_of_a_data_frame():
    frame = pd.DataFrame({"sample_id": ["a", "b"], "start_s": [1.5, None]}, index=[7, 9])
    assert table_of(frame).to_pydict() == {"sample_id": ["a", "b"], "start_s": [1.5, None]}
    assert table_of(frame.set_index("sample_id")).to_pydict() == {"start_s": [1.5, None], "sample_id": ["a", "b"]}


def test_an_arrow_table_is_taken_as_it_is():
    table = pa.table({"x": [1]})
    assert table_of(table) is table


class OfAnotherLibrary:
    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def test_data_frames_of_other_libraries():
    table = pa.table({"x": [1, 2]})
    assert table_of(OfAnotherLibrary(table)).equals(table)


@pytest.mark.parametrize(
    "values",
    [
        np.array([1.5, np.nan]),
        np.array([1.5, np.nan], ">f8"),
        np.array([0, 1.5, 0, np.nan])[1::2],
        np.ma.array([1.5, 2.0], mask=[False, True]),
        pd.Series([1.5, None]),
        pa.array([1.5, None]),
        pa.chunked_array([[1.5], [None]]),
        [1.5, None],
    ],
    ids=lambda values: type(values).__name__,
)
def test_columns_by_name(values):
    assert table_of({"start_s": values})["start_s"].to_pylist() == [1.5, None]


@pytest.mark.parametrize("kind", ["f4", "f8", "i4", "i8", "u1"])
def test_arrays_of_numbers_are_not_copied(kind):
    values = np.arange(6).astype(kind)
    (buffer,) = [buffer for buffer in table_of({"x": values})["x"].chunk(0).buffers() if buffer is not None]
    assert buffer.address == values.ctypes.data


def test_an_array_with_nan_is_not_copied_either():
    values = np.array([np.nan, 2.0])
    assert table_of({"x": values})["x"].chunk(0).buffers()[1].address == values.ctypes.data


def test_a_tensor_is_read_through_its_array():
    class Tensor:
        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0])

    assert table_of({"x": Tensor()})["x"].to_pylist() == [1.0, 2.0]


def test_arrays_of_two_dimensions_are_columns_of_lists():
    table = table_of({"start_s": np.array([[1.0, 2.0], [3.0, np.nan]])})
    assert table["start_s"].to_pylist() == [[1.0, 2.0], [3.0, None]]


def test_texts_and_truth_values():
    columns = {"names": np.array(["a", "é"]), "gaps": np.array(["a", None], object), "flags": np.array([True, False])}
    assert table_of(columns).to_pydict() == {"names": ["a", "é"], "gaps": ["a", None], "flags": [True, False]}
    assert table_of({"names": ["a", "é"]})["names"].to_pylist() == ["a", "é"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (None, "NoneType"),
        ([{"start_s": 1}], "list"),
        (7, "int"),
        ({"a": [1], "b": [1, 2]}, "a: 1, b: 2"),
        ({"a": ["x", 1]}, "'a'"),
        ({"a": np.zeros((1, 2, 3))}, "'a'"),
        ({"a": 5}, "'a'"),
        ({"a": ["\ud800"]}, "'a'"),
        ({"a": [2**64]}, "'a'"),
        (pd.DataFrame({"a": ["x", 1]}), "DataFrame"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "DataFrame"),
    ],
)
def test_what_is_not_a_table_is_refused(source, said):
    with pytest.raises(UsageError, match=said):
        table_of(source)


def test_arrays_need_no_pandas():
    script = (
        "import sys, numpy as np; from schemas.input.tables import table_of;"
        "table_of({'x': np.array([1.0, np.nan]), 'y': np.zeros((2, 3)), 'z': ['a', 'b'], 'n': [1, 2]});"
        "sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0
