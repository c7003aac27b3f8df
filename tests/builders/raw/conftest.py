"""What the tests of all parsers share: a call that must be refused, and files made on the spot."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import InputError, Problem


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
