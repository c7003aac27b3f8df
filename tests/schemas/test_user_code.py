"""Failures of code that a user wrote: one message with file, line and part."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from builders.engine import run
from schemas.errors import BenchwrightError, InputError, Problem
from schemas.user_code import is_beside, user_code


def failing(failure: BaseException) -> None:
    """Print, and raise the failure."""
    print("said")
    raise failure


FAILING_LINE = failing.__code__.co_firstlineno + 3


@pytest.mark.parametrize("failure", [ValueError("no"), SystemExit("no"), KeyError("no")])
def test_a_failure_has_file_line_and_part(failure: BaseException) -> None:
    with (
        pytest.raises(BenchwrightError, match=rf"test_user_code.py, line {FAILING_LINE}, rule size: \w+: '?no"),
        user_code(failing, "rule size"),
    ):
        failing(failure)


def test_problems_that_name_no_file_get_the_place_and_others_keep_theirs() -> None:
    problems = [Problem(file, "row 1", "width", "nothing", "a number") for file in ("", "images.csv")]
    with pytest.raises(InputError) as caught, user_code(failing, "reader"):
        failing(InputError(problems))
    first, second = caught.value.problems
    assert first.file.endswith(f"test_user_code.py, line {FAILING_LINE}, reader")
    assert second == problems[1]


def test_what_the_code_prints_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BenchwrightError), user_code(failing):
        failing(ValueError())
    assert tuple(capsys.readouterr()) == ("", "said\n")


@pytest.mark.parametrize(
    ("called", "beside"),
    [
        ("helper.py", True),
        ("helpers/lengths.py", True),
        ("../helper.py", False),
        (".venv/lib/python3.11/site-packages/pandas/core.py", False),
        ("<frozen importlib>", False),
    ],
)
def test_modules_beside_a_file_are_of_its_folder(tmp_path: Path, called: Any, beside: bool) -> None:
    called = called if called.startswith("<") else str((tmp_path / "mine" / called).resolve())
    assert is_beside(called, str(tmp_path / "mine" / "recipe.py")) is beside


def test_no_module_of_the_toolkit_is_beside_a_recipe() -> None:
    assert not is_beside(run.__file__, str(Path(run.__file__).parents[2] / "recipe.py"))
