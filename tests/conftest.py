"""Where the real raw files are, and whether their absence is a skip or a failure."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from schemas.errors import InputError, Problem

# Tests never assert times: a busy machine must not fail a law.
settings.register_profile("benchwright", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("benchwright")

REPOSITORY = Path(__file__).resolve().parent.parent
SAMPLES = Path(__file__).resolve().parent / "samples"


@pytest.fixture
def samples() -> Path:
    """The invented sample sources, in the raw formats."""
    return SAMPLES


@pytest.fixture
def real_data() -> Path:
    """The folder of real raw files; skips without it, fails without it under BENCHWRIGHT_REQUIRE_REAL_DATA=1."""
    folder = Path(os.environ.get("BENCHWRIGHT_REAL_DATA", REPOSITORY.parent / "shared" / "data"))
    if folder.is_dir():
        return folder
    message = f"no real data at {folder}"
    if os.environ.get("BENCHWRIGHT_REQUIRE_REAL_DATA") == "1":
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture
def refused() -> Callable[..., tuple[Problem, ...]]:
    """Call a function that must raise `InputError`; returns its problems."""

    def call(function: Callable[..., Any], *arguments: Any) -> tuple[Problem, ...]:
        with pytest.raises(InputError) as caught:
            function(*arguments)
        return caught.value.problems

    return call


@pytest.fixture
def json_file(tmp_path: Path) -> Callable[[Any], Path]:
    """Write a value as JSON; NaN and infinities become the `NaN` and `Infinity` that Python (wrongly) writes."""

    def write(value: Any) -> Path:
        path = tmp_path / "source.json"
        path.write_text(json.dumps(value), encoding="utf-8")
        return path

    return write


@pytest.fixture
def text_file(tmp_path: Path) -> Callable[[str], Path]:
    """Write a text, line ends untouched, as UTF-8."""

    def write(text: str) -> Path:
        path = tmp_path / "source.txt"
        path.write_bytes(text.encode())
        return path

    return write
