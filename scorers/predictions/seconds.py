"""Columns of times as seconds: numbers, or text with numbers and clock strings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import InputError, Problem, shown
from scorers.answers.clock import loose_clock_seconds
from scorers.predictions.entries import Floats


def seconds(column: pa.ChunkedArray, file: str, field: str, *, clocks: bool = True) -> Floats:
    """A column of numbers or of text as float64 seconds, NaN where null or empty.

    Raises:
        InputError: text that is neither a number nor (with `clocks`) a clock string; a NaN that is written out.
    """
    if pa.types.is_null(column.type):
        return np.full(len(column), np.nan)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return _seconds_of_text(column, file, field, clocks)
    if not (pa.types.is_floating(column.type) or pa.types.is_integer(column.type)):
        raise InputError(Problem(file, "", field, f"a column of {column.type}", "numbers of seconds"))
    values: Floats = np.asarray(column.cast(pa.float64())).astype(np.float64, copy=False)
    written = np.isnan(values) & np.asarray(column.is_valid())
    if written.any():
        raise InputError(
            Problem(
                file, f"{written.sum():,} rows", field, "NaN", "a number", "leave it null where there is no prediction"
            )
        )
    return values


def _seconds_of_text(column: pa.ChunkedArray, file: str, field: str, clocks: bool) -> Floats:
    trimmed = pc.utf8_trim_whitespace(column)
    filled = pc.if_else(pc.equal(trimmed, ""), None, trimmed)
    try:
        return seconds(filled.cast(pa.float64()), file, field)
    except pa.ArrowInvalid:
        pass
    values, problems = np.full(len(column), np.nan), []
    for row, text in enumerate(filled.to_pylist()):
        if text is None:
            continue
        try:
            values[row] = loose_clock_seconds(text) if clocks or ":" not in text else np.nan
        except ValueError:
            problems.append(
                Problem(file, f"row {row + 1}", field, shown(text), "seconds or a clock string such as 1:05")
            )
    if problems:
        raise InputError(problems)
    return values


def seconds_of(values: Sequence[object], file: str, field: str) -> Floats:
    return seconds(pa.chunked_array([pa.array([as_text(value) for value in values], pa.string())]), file, field)


def as_text(value: object) -> str | None:
    return None if value is None else repr(value) if isinstance(value, float) else str(value)
