from __future__ import annotations

import numpy as np
import pytest

from schemas.errors import InputError, Problem
from schemas.input.problems import gather, problems_where, raise_any, repeats


def parse(text: str) -> int:
    if not text.isdigit():
        raise InputError(Problem("f", text, "", text, "digits"))
    return int(text)


def test_gather_returns_results_in_order() -> None:
    assert gather(parse, ["3", "1", "2"]) == [3, 1, 2]


def test_gather_collects_the_problems_of_all_items(refused) -> None:
    assert [problem.found for problem in refused(gather, parse, ["1", "x", "2", "y"])] == ["x", "y"]


def test_gather_prints_at_most_twenty(refused) -> None:
    with pytest.raises(InputError) as caught:
        gather(parse, [f"x{number}" for number in range(1234)])
    assert len(caught.value.problems) == 1000
    assert len(str(caught.value).splitlines()) == 21
    assert str(caught.value).endswith("... and at least 980 more problems")


def test_nothing_wrong_raises_nothing() -> None:
    raise_any([])


def test_problems_where_names_record_and_value() -> None:
    problems = problems_where(np.array([False, True]), "f", lambda place: f"row {place}", "x", [1.0, -2.0], "x >= 0")
    assert problems == [Problem("f", "row 1", "x", "-2.0", "x >= 0")]


def test_repeats_points_at_the_first_occurrence() -> None:
    (second, third) = repeats("f", lambda place: f"line {place + 1}", "name", ["a", "b", "a", "a"])
    assert (second.record, third.record) == ("line 3", "line 4")
    assert second.expected == third.expected == "each once (first at line 1)"
