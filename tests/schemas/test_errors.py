from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BenchwrightError, InputError, Problem, UsageError, printable, shown, unknown_name


def test_a_problem_is_one_line_with_place_found_expected_and_advice() -> None:
    problem = Problem("a/val.json", 'clip "b"', "t", "[1.0]", "three numbers", "obtain the file again")
    assert str(problem) == 'a/val.json: clip "b": t: found [1.0], expected three numbers (obtain the file again)'


def test_places_and_advice_that_a_problem_lacks_leave_no_trace() -> None:
    assert str(Problem("a.txt", "", "", "nothing", "a file")) == "a.txt: found nothing, expected a file"


@pytest.mark.parametrize("size", [1, 20])
def test_an_input_error_prints_up_to_twenty_problems(size: int) -> None:
    error = InputError([Problem("a", f"line {n}", "", "x", "y") for n in range(size)])
    assert str(error).splitlines() == [f"a: line {n}: found x, expected y" for n in range(size)]


def test_an_input_error_counts_the_problems_beyond_twenty_and_carries_all() -> None:
    error = InputError([Problem("a", f"line {n}", "", "x", "y") for n in range(1_021)])
    assert len(error.problems) == 1_021
    assert str(error).splitlines()[20:] == ["... and at least 1,001 more problems"]


def test_a_single_problem_needs_no_list() -> None:
    problem = Problem("a", "", "", "x", "y")
    assert InputError(problem).problems == (problem,)


@pytest.mark.parametrize("kind", [InputError, UsageError])
def test_every_error_of_a_user_has_one_base(kind: type) -> None:
    assert issubclass(kind, BenchwrightError)


def test_shown_quotes_and_cuts() -> None:
    assert shown("a\n") == "'a\\n'"
    assert shown("a" * 500) == "'" + "a" * 76 + "..."
    assert len(shown("a" * 500)) == 80


@given(st.text())
def test_printable_text_moves_no_cursor_and_is_left_alone(text: str) -> None:
    safe = printable(text)
    assert all(c.isprintable() or c == "\n" for c in safe)
    assert printable(safe) == safe


def test_escape_sequences_are_shown_not_obeyed() -> None:
    assert printable("a\x1b[31mb\x9bc\u202ed") == "a\\x1b[31mb\\x9bc\\x202ed"
    assert "\x1b" not in str(Problem("a", "clip \x1b]0;x\x07", "", "x", "y"))


def test_an_unknown_name_lists_what_exists_and_the_nearest_first() -> None:
    error = unknown_name("split", "tset", ["train", "test"])
    assert str(error) == "unknown split 'tset'; did you mean test? (known: train, test)"


def test_an_unknown_name_near_to_nothing_is_not_a_guess() -> None:
    assert str(unknown_name("split", "xyz", ["train"])) == "unknown split 'xyz' (known: train)"
    assert str(unknown_name("split", "xyz", [])) == "unknown split 'xyz' (known: none)"


def test_below_a_thousand_the_count_is_exact() -> None:
    error = InputError([Problem("a", f"line {n}", "", "x", "y") for n in range(999)])
    assert str(error).splitlines()[20:] == ["... and 979 more problems"]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.binary(max_size=9),
        lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.text(max_size=5), inner),
    )
)
def test_a_shown_value_is_the_beginning_of_what_python_writes(value: object) -> None:
    text = repr(value)
    assert shown(value) == (text if len(text) <= 80 else text[:77] + "...")


def test_a_value_without_end_is_shown_at_once() -> None:
    laughs: object = "x"
    for _ in range(60):
        laughs = [laughs, laughs]
    assert shown(laughs) == "[" * 60 + "'x', 'x'], ['x', " + "..."
    assert len(shown({"a": laughs, "b": (laughs,)})) == 80
    assert shown("x" * 10**7).endswith("x...")
    assert shown(10**5000).startswith("0x")
