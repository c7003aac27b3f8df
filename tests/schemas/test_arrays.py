"""Arrow columns as arrays: the values of Arrow's own conversion, without pandas."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.arrays import booleans, floats, integers

REPOSITORY = Path(__file__).resolve().parent.parent.parent
NUMBERS = st.lists(st.none() | st.integers(0, 100), max_size=20)


def pieces(values: list[int | None], kind: pa.DataType, cut: int) -> pa.ChunkedArray:
    """The values in two chunks, each a slice of a longer array."""
    padded = pa.array([7, *values, 7], kind)[1:-1]
    return pa.chunked_array([padded[:cut], padded[cut:]])


@settings(deadline=None)
@given(NUMBERS, st.integers(0, 20), st.sampled_from([pa.float64(), pa.float32(), pa.int8(), pa.uint64()]))
def test_floats_are_the_values_with_nan_for_null(values: list[int | None], cut: int, kind: pa.DataType) -> None:
    expected = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    column = pieces(values, kind, cut)
    np.testing.assert_array_equal(floats(column), expected, strict=True)
    np.testing.assert_array_equal(floats(column.combine_chunks()), expected, strict=True)


@settings(deadline=None)
@given(NUMBERS, st.integers(0, 20))
def test_integers_and_booleans_take_a_value_for_null(values: list[int | None], cut: int) -> None:
    expected = [-1 if value is None else value for value in values]
    assert integers(pieces(values, pa.int32(), cut), null=-1).tolist() == expected
    truths = pa.array([None if value is None else value > 50 for value in values], pa.bool_())
    assert booleans(truths).tolist() == [bool(value and value > 50) for value in values]


def test_columns_of_something_else_are_refused() -> None:
    for column in (pa.array([[1.0]]), pa.array(["one"]), pa.array([{"a": 1}])):
        with pytest.raises(pa.ArrowException):
            floats(column)
    with pytest.raises(pa.ArrowException):
        integers(pa.array([0.5]))


def test_whole_numbers_that_no_float_has_are_the_nearest() -> None:
    for kind in (pa.int64(), pa.uint64()):
        assert floats(pa.array([2**62 + 1, None, 3], kind)).tolist()[::2] == [2.0**62, 3.0]


def test_nothing_is_copied_without_need() -> None:
    column = pa.chunked_array([pa.array([1.0, 2.0])])
    assert not floats(column).flags.owndata
    assert not floats(column).flags.writeable


def test_pandas_is_not_imported() -> None:
    code = (
        "import sys, pyarrow as pa\nfrom schemas.arrays import booleans, floats, integers\n"
        "column = pa.nulls(3, pa.float64())\n"
        "floats(column), integers(column.cast(pa.int32()), null=-1), booleans(column.is_null())\n"
        "print('pandas' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    assert ran.stdout.strip() == "False"
