"""Arrow columns as NumPy arrays and back, without the conversions of Arrow that import pandas (0.3 s at each start)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import DTypeLike, NDArray


def floats(column: pa.Array | pa.ChunkedArray) -> NDArray[np.float64]:
    """Numbers as float64, NaN for null; shape (rows,), read-only where nothing had to be copied.

    Raises:
        pyarrow.ArrowException: a column that is not of numbers.
    """
    if pa.types.is_integer(column.type):  # beyond 2^53 the nearest, as numbers in JSON and CSV are read
        column = column.cast(pa.float64(), safe=False)
    return _filled(column, pa.float64(), math.nan)


def integers(column: pa.Array | pa.ChunkedArray, null: int = 0) -> NDArray[np.int64]:
    """Whole numbers as int64, `null` for null; shape (rows,), read-only where nothing had to be copied.

    Raises:
        pyarrow.ArrowException: a column that is not of whole numbers.
    """
    return _filled(column, pa.int64(), null)


def booleans(column: pa.Array | pa.ChunkedArray) -> NDArray[np.bool_]:
    """Booleans, False for null; shape (rows,)."""
    return _filled(column, pa.uint8(), 0).astype(np.bool_)


def values_of(array: pa.Array) -> NDArray[Any]:
    """Numbers in their own type, booleans as uint8, 0 for null; shape (rows,), read-only where nothing was copied."""
    return _filled(array, pa.uint8() if pa.types.is_boolean(array.type) else array.type, 0)


def one_array(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A column in one piece: a copy only where it has several (Arrow's `combine_chunks` copies a single one, too)."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def array_of(values: NDArray[Any]) -> pa.Array:
    """Numbers as an Arrow array of their type, without nulls."""
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])


def texts_of(values: Sequence[str]) -> pa.Array:
    """Texts as an Arrow array."""
    encoded = [text.encode() for text in values]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(values), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded)))


def _filled(column: pa.Array | pa.ChunkedArray, kind: pa.DataType, null: float) -> NDArray[Any]:
    array = one_array(column).cast(kind)
    values = _values(array, kind.to_pandas_dtype())
    if array.null_count:
        values = values.copy()
        values[_values(array.is_null().cast(pa.uint8()), np.uint8).astype(np.bool_)] = null
    return values


def _values(array: pa.Array, kind: DTypeLike) -> NDArray[Any]:
    if not len(array):
        return np.empty(0, kind)
    values = np.frombuffer(array.buffers()[1], kind)[array.offset : array.offset + len(array)]
    values.flags.writeable = False
    return values
