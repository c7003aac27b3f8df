"""Columns of tables, whole or of lists, as arrays; CSV has everything as text."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.arrays import booleans, floats, integers, one_array
from schemas.errors import InputError, Problem, shown
from schemas.input.problems import Place

Column: TypeAlias = "pa.Array | pa.ChunkedArray"
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

_WHOLE = r"^[+-]?\d{1,18}(\.0*)?$"
_NUMBER = r"^[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|inf(inity)?|nan)$"

NULL = -(2**63)
"""Null in a column of whole numbers."""


def row_named(row: int) -> str:
    """The place of a row, for messages."""
    return f"row {row + 1}"


def flat(lists: Column) -> tuple[pa.Array, Integers]:
    """The items of all lists, and the row that each comes from; a null list has none."""
    array = one_array(lists)
    counts = integers(pc.list_value_length(array))
    return array.flatten(), np.repeat(np.arange(len(array)), counts)


def is_text(kind: pa.DataType) -> bool:
    """Whether a column holds text of any kind."""
    return kind in (pa.string(), pa.large_string(), pa.string_view())


def is_list(kind: pa.DataType) -> bool:
    """Whether a column holds lists of any kind."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def decoded(column: Column) -> Column:
    """The column without dictionary encoding."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def stripped(column: Column) -> Column:
    """Text without white space around it, null where nothing is left."""
    text = pc.utf8_trim_whitespace(column.cast(pa.string()))
    # Neither "" nor None beside a column: of both Arrow makes scalars, for which it imports pandas.
    return pc.if_else(pc.binary_length(text).cast(pa.bool_()), text, pa.nulls(len(text), pa.string()))


def listed(column: Column, file: str, field: str) -> Column:
    """A column of lists; cells of text are split at spaces, and null is an empty list.

    Raises:
        InputError: neither lists nor text.
    """
    column = decoded(column)
    if pa.types.is_null(column.type):
        return column.cast(pa.list_(pa.int64()))
    if is_text(column.type):
        return pc.utf8_split_whitespace(stripped(column))
    if not is_list(column.type):
        raise InputError(Problem(file, "", field, f"a column of {column.type}", "lists, or text with spaces between"))
    return column


def names_of(column: pa.ChunkedArray, file: str, field: str) -> tuple[Integers, pa.Array]:
    """A number for each different value, -1 for null, shape (rows,); and the values in the order of the numbers.

    Raises:
        InputError: values that are neither text nor numbers.
    """
    try:
        encoded = one_array(decoded(column)).dictionary_encode()
    except pa.ArrowException:
        raise InputError(Problem(file, "", field, f"a column of {column.type}", "names or numbers")) from None
    return integers(encoded.indices, null=-1), encoded.dictionary


def whole_numbers(
    column: Column, file: str, field: str, *, optional: bool = False, place: Place = row_named
) -> Integers:
    """Whole numbers, also from text (`11`, `11.0`) and from floats as pandas makes them of a column with gaps; (rows,).

    Raises:
        InputError: anything else, with its `place`; null unless `optional`, then it is `NULL`.
    """
    column = decoded(column)
    expected = "a whole number" + (", or nothing" if optional else "")
    if pa.types.is_boolean(column.type) or pa.types.is_nested(column.type):
        raise InputError(Problem(file, "", field, f"a column of {column.type}", "whole numbers"))
    if is_text(column.type):
        column = stripped(column)
        _refuse(pc.invert(pc.match_substring_regex(column, _WHOLE)), column, file, field, expected, place)
        column = pc.replace_substring_regex(column, r"^\+|\.0*$", "")
    elif pa.types.is_floating(column.type):
        fits = pc.and_kleene(pc.equal(column, pc.round(column)), pc.less(pc.abs(column), 2.0**53))
        _refuse(pc.invert(fits), column, file, field, expected, place)
    if not optional:
        _refuse(pc.is_null(column), column, file, field, expected, place)
    try:
        return integers(column, null=NULL)
    except pa.ArrowException as failure:
        raise InputError(Problem(file, "", field, str(failure), expected)) from None


def numbers(column: Column, file: str, field: str, *, place: Place = row_named) -> Floats:
    """Finite numbers, also from text, as JSON has no others; shape (rows,).

    Raises:
        InputError: anything else, null, NaN and infinities included, with its `place`.
    """
    column = decoded(column)
    if is_text(column.type):
        column = pc.utf8_trim_whitespace(column.cast(pa.string()))
    try:
        values = floats(column)
    except pa.ArrowException as failure:
        if is_text(column.type):
            wrong = pc.invert(pc.match_substring_regex(column, _NUMBER, ignore_case=True))
            _refuse(wrong, column, file, field, "a number", place)
        raise InputError(Problem(file, "", field, str(failure), "numbers")) from None
    if np.isnan(values).any():
        _refuse(pa.array(np.isnan(values)), column, file, field, "a number", place)
    if np.isinf(values).any():
        _refuse(pa.array(np.isinf(values)), column, file, field, "a finite number", place)
    return values


def _refuse(wrong: Column, column: Column, file: str, field: str, expected: str, place: Place) -> None:
    places = np.flatnonzero(booleans(wrong))
    if len(places):
        first = int(places[0])
        more = f" (and {len(places) - 1:,} more)" if len(places) > 1 else ""
        value = column[first].as_py()
        found = "nothing" if value is None else shown(value)
        raise InputError(Problem(file, place(first), field, f"{found}{more}", expected))
