"""Numbers in columns of every kind."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

from schemas.errors import Problem
from schemas.input.columns import numbers, whole_numbers


@pytest.mark.parametrize("values", [[11, -2], [11.0, -2.0], ["11", "-2"], [" 11.0", "-2."], ["+11.000", "-2"]])
def test_whole_numbers_count_however_they_are_written(values: list[object]) -> None:
    assert whole_numbers(pa.array(values), "f", "id").tolist() == [11, -2]


@pytest.mark.parametrize("value", [11.5, "11.5", "11e0", "eleven", "1_1", float("nan"), float("inf"), "inf"])
def test_what_is_no_whole_number_is_named(refused, value: object) -> None:
    (problem,) = refused(lambda: whole_numbers(pa.array([value]), "f", "id"))
    assert (problem.record, problem.field) == ("row 1", "id")


@pytest.mark.parametrize("value", ["inf", "-Infinity", "1e999", float("inf"), None, ""])
def test_numbers_are_finite_and_there_and_their_cells_are_named(
    refused: Callable[..., tuple[Problem, ...]], value: object
) -> None:
    column = pa.chunked_array([pa.array([1.0 if isinstance(value, float) else "1", value])])
    (problem,) = refused(numbers, column, "scores.csv", "score")
    assert (problem.record, problem.field) == ("row 2", "score")
