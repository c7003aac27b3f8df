"""Whole numbers in columns of every kind."""

from __future__ import annotations

import pyarrow as pa
import pytest

from schemas.input.columns import whole_numbers


@pytest.mark.parametrize("values", [[11, -2], [11.0, -2.0], ["11", "-2"], [" 11.0", "-2."], ["+11.000", "-2"]])
def test_whole_numbers_count_however_they_are_written(values: list[object]) -> None:
    assert whole_numbers(pa.array(values), "f", "id").tolist() == [11, -2]


@pytest.mark.parametrize("value", [11.5, "11.5", "11e0", "eleven", "1_1", float("nan"), float("inf"), "inf"])
def test_what_is_no_whole_number_is_named(refused, value: object) -> None:
    (problem,) = refused(lambda: whole_numbers(pa.array([value]), "f", "id"))
    assert (problem.record, problem.field) == ("row 1", "id")
