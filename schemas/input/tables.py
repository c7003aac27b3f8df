"""Predictions that are already in memory, as Arrow tables: data frames, tables of Arrow, columns by name."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.arrays import array_of, texts_of
from schemas.errors import UsageError

_NUMBERS = "iuf"  # the kinds of NumPy numbers that Arrow stores as NumPy does


def table_of(source: object) -> pa.Table:
    """Columns in memory as a table; arrays of numbers are not copied, and NaN in them is null, as in pandas.

    Args:
        source: a pandas DataFrame (a named index is a column too); an Arrow table, taken as it is, or the data frame of
            a library that exports one (`__arrow_c_stream__`, as polars does); or a mapping from names to columns: NumPy
            arrays of shape (rows,), of shape (rows, n) for a column of lists, tensors, pandas or Arrow columns, lists.

    Raises:
        UsageError: anything else; columns of different lengths; values that no column can hold together.

    Example:
        >>> table_of({"sample_id": ["a", "b"], "start_s": np.array([1.5, np.nan])})["start_s"].to_pylist()
        [1.5, None]
    """
    pandas = sys.modules.get("pandas")  # whoever has a data frame has imported it
    try:
        if pandas is not None and isinstance(source, pandas.DataFrame):
            named = any(name is not None for name in source.index.names)
            return pa.Table.from_pandas(source, preserve_index=named).replace_schema_metadata()
        if isinstance(source, pa.Table):
            return source
        if hasattr(source, "__arrow_c_stream__"):
            return pa.table(source)
    except (pa.ArrowException, TypeError, ValueError) as failure:
        raise UsageError(f"the columns of a {type(source).__name__} cannot be read: {failure}") from None
    if not isinstance(source, Mapping):
        expected = "a pandas DataFrame, an Arrow table, or a mapping from column names to arrays"
        raise UsageError(f"found {type(source).__name__}, expected a path, {expected}")
    columns = {str(name): _column(str(name), values) for name, values in source.items()}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name}: {length:,}" for name, length in lengths.items())
        raise UsageError(f"columns of different lengths ({listed})")
    return pa.table(columns)


def _column(name: str, values: Any) -> pa.Array | pa.ChunkedArray:
    try:
        if isinstance(values, pa.Array | pa.ChunkedArray):
            return values
        kinds = set(map(type, values)) if isinstance(values, list | tuple) else set()
        if kinds == {str}:
            return texts_of(values)
        if (kinds and kinds <= {int, float}) or (hasattr(values, "__array__") and not np.ma.isMaskedArray(values)):
            array = np.asarray(values)
            if array.dtype.kind in _NUMBERS and array.ndim in (1, 2):
                return _numbers(array)
            if array.dtype.kind == "U":
                return texts_of(array.tolist())
        return pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError, RuntimeError) as failure:
        raise UsageError(f"column {name!r} cannot be read: {failure}") from None


def _numbers(array: NDArray[Any]) -> pa.Array:
    flat = array.astype(array.dtype.newbyteorder("="), copy=False).reshape(-1)
    missing = np.isnan(flat) if flat.dtype.kind == "f" else np.False_
    column = array_of(flat)
    if missing.any():
        valid = pa.py_buffer(np.packbits(~missing, bitorder="little"))
        column = pa.Array.from_buffers(column.type, len(column), [valid, column.buffers()[1]])
    return column if array.ndim == 1 else pa.FixedSizeListArray.from_arrays(column, array.shape[1])
