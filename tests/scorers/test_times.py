"""Times as files write them: numbers and clock strings, whole columns of them or single values of JSON."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import InputError
from scorers.times import seconds, seconds_of

NAN = float("nan")


@given(st.floats(0, 1e300), st.integers(0, 99), st.integers(0, 9999), st.integers(0, 99))
def test_numbers_keep_every_digit_and_clock_strings_are_sums(
    number: float, hours: int, minutes: int, rest: int
) -> None:
    texts = [number, f"{hours}:{minutes}:{rest}", f" {minutes}:{rest:02d}.5 ", f"{number!r} ", None, ""]
    times = seconds_of(texts, "file", "field", str)
    expected = [number, hours * 3600 + minutes * 60 + rest, minutes * 60 + rest + 0.5, number, NAN, NAN]
    np.testing.assert_array_equal(times, expected)


def test_many_texts_that_are_not_times_are_not_all_listed() -> None:
    column = pa.chunked_array([pa.array(["soon"] * 5000)])
    with pytest.raises(InputError) as failure:
        seconds(column, "file", "start_s")
    assert len(failure.value.problems) == 1000
    assert str(failure.value.problems[0]).startswith("file: row 1: start_s: found 'soon'")
