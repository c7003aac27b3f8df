"""Columns of times as seconds: numbers, or text with numbers and clock strings."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.arrays import booleans, floats
from schemas.errors import InputError, Problem, shown
from scorers.temporal.entries import Floats
from scorers.times import loose_clock_seconds

_NUMBER = r"^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$"
_CLOCK = re.compile(r"[0-9]+:[0-9]+(:[0-9]+)?(\.[0-9]+)?")
_MOST_PROBLEMS = 1000


def seconds(column: pa.ChunkedArray, file: str, field: str, *, clocks: bool = True) -> Floats:
    """A column of numbers or of text as float64 seconds, NaN where null or empty.

    Raises:
        InputError: text that is neither a number nor (with `clocks`) a clock string; a NaN that is written out.
    """
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_null(column.type):
        return np.full(len(column), np.nan)
    if any(is_text(column.type) for is_text in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)):
        return _seconds_of_text(column.cast(pa.string()), file, field, clocks)
    if not any(known(column.type) for known in (pa.types.is_floating, pa.types.is_integer, pa.types.is_decimal)):
        raise InputError(Problem(file, "", field, f"a column of {column.type}", "numbers"))
    values = floats(column)
    written = np.isnan(values) & booleans(column.is_valid())
    if written.any():
        advice = "leave it null where there is no prediction"
        raise InputError(Problem(file, f"{written.sum():,} rows", field, "NaN", "a number", advice))
    return values


def seconds_of(values: Sequence[object], file: str, field: str) -> Floats:
    """Values of a JSON file, where numbers and clock strings may stand side by side, as `seconds`."""
    return seconds(pa.chunked_array([pa.array(map(as_text, values), pa.string())]), file, field)


def as_text(value: object) -> str | None:
    """A JSON value as text that keeps every digit."""
    return None if value is None else str(value)


def _seconds_of_text(column: pa.ChunkedArray, file: str, field: str, clocks: bool) -> Floats:
    trimmed = pc.utf8_trim_whitespace(column)
    filled = pc.if_else(pc.equal(trimmed, ""), None, trimmed)
    plain = pc.match_substring_regex(filled, _NUMBER)
    values = floats(pc.if_else(plain, filled, None)).copy()
    others = np.flatnonzero(booleans(pc.invert(plain)))
    problems: list[Problem] = []
    for row, text in zip(others.tolist(), filled.take(pa.array(others)).to_pylist(), strict=True):
        if clocks and _CLOCK.fullmatch(text):
            values[row] = loose_clock_seconds(text)
        elif len(problems) < _MOST_PROBLEMS:
            expected = "seconds or a clock string such as 1:05" if clocks else "a number"
            problems.append(Problem(file, f"row {row + 1}", field, shown(text), expected))
    if problems:
        raise InputError(problems)
    return values
