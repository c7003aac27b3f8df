"""Times of videos as files and answers write them: seconds, or clock strings (h:mm:ss, m:ss)."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.arrays import array_of, booleans, floats, texts_of
from schemas.errors import MOST_PROBLEMS, InputError, Problem, shown
from schemas.input.columns import Column, decoded, is_text, row_named, stripped
from schemas.input.problems import Place, raise_any

LONGEST_TIME = 1e12
"""Seconds; far above the 3.2e9 that a published model answered, far below where sums lose their digits."""

Floats = NDArray[np.float64]
Time: TypeAlias = float | str | None
"""A time as JSON has it: seconds, or a clock string; None for no prediction."""

_NUMBER = r"^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$"
_CLOCK = re.compile(r"[0-9]+:[0-9]+(:[0-9]+)?(\.[0-9]+)?")


def loose_clock_seconds(text: str) -> float:
    """Seconds of two or three numbers between colons, of any size: the authors' conversion takes 0:75 and 40:00:47.

    Formula: h*3600 + m*60 + s (UAL_Bench : src/eval/eval_your_results.py).
    """
    total = 0.0
    for part in text.split(":"):
        total = total * 60 + float(part)
    return total


def seconds(column: Column, file: str, field: str, *, clocks: bool = True) -> Floats:
    """A column of numbers or of text as float64 seconds, NaN where null or empty; shape (rows,).

    Raises:
        InputError: text that is neither a number nor (with `clocks`) a clock string; a NaN that is written out.
    """
    column = decoded(column)
    if pa.types.is_null(column.type):
        return np.full(len(column), np.nan)
    if is_text(column.type):
        return _seconds_of_text(column, file, field, clocks, row_named)
    if not any(known(column.type) for known in (pa.types.is_floating, pa.types.is_integer, pa.types.is_decimal)):
        raise InputError(Problem(file, "", field, f"a column of {column.type}", "numbers"))
    values = floats(column)
    written = np.isnan(values) & booleans(column.is_valid())
    if written.any():
        advice = "leave it null where there is no prediction"
        raise InputError(Problem(file, f"{written.sum():,} rows", field, "NaN", "a number", advice))
    return values


def seconds_of(values: Sequence[Time], file: str, field: str, place: Place, *, clocks: bool = True) -> Floats:
    """As `seconds`, of values of JSON, where numbers and clock strings may be side by side."""
    texts = [position for position, value in enumerate(values) if isinstance(value, str)]
    times = np.array([math.nan if value is None or isinstance(value, str) else value for value in values], np.float64)
    if texts:
        written = texts_of([str(values[position]) for position in texts])
        times[texts] = _seconds_of_text(written, file, field, clocks, lambda text: place(texts[text]))
    return times


def _seconds_of_text(column: Column, file: str, field: str, clocks: bool, place: Place) -> Floats:
    texts = stripped(column)
    plain = pc.match_substring_regex(texts, _NUMBER)
    values = np.full(len(texts), np.nan)
    values[booleans(plain)] = floats(texts.filter(plain))
    others = np.flatnonzero(booleans(pc.invert(plain)))
    problems: list[Problem] = []
    for row, text in zip(others.tolist(), texts.take(array_of(others)).to_pylist(), strict=True):
        if clocks and _CLOCK.fullmatch(text):
            values[row] = loose_clock_seconds(text)
        elif len(problems) < MOST_PROBLEMS:
            expected = "seconds or a clock string such as 1:05" if clocks else "a number"
            problems.append(Problem(file, place(row), field, shown(text), expected))
    raise_any(problems)
    return values
