"""Sources that write numbers or begin otherwise build the same manifest, to the digest."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builders.engine.registry import BUNDLED
from builders.engine.run import Build
from schemas.digest import split_digest

BuildOf = Callable[..., Build]


def as_floats(value: Any) -> Any:
    """Every whole number as `5.0`."""
    return float(value) if type(value) is int and abs(value) < 2**53 else value


def as_text(value: Any) -> Any:
    """Every number as `"5"` or `"5.5"`."""
    return repr(value) if type(value) in (int, float) else value


def written_otherwise(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict):
        return {name: written_otherwise(item, change) for name, item in value.items()}
    if isinstance(value, list):
        return [written_otherwise(item, change) for item in value]
    return change(value)


def digests(build: Build) -> list[str]:
    return [split_digest(table) for table in (*build.splits.values(), build.ledger)]


@pytest.mark.parametrize("name", BUNDLED)
@pytest.mark.parametrize("change", [as_floats, as_text])
def test_numbers_in_json_count_however_they_are_written(
    build_of: BuildOf, samples: Path, tmp_path: Path, name: str, change: Callable[[Any], Any]
) -> None:
    folder = shutil.copytree(samples, tmp_path / "samples")
    for file in folder.rglob("*.json"):
        file.write_text(json.dumps(written_otherwise(json.loads(file.read_bytes()), change)))
    assert digests(build_of(name, folder)) == digests(build_of(name))


@pytest.mark.parametrize("name", BUNDLED)
def test_byte_order_marks_change_nothing(build_of: BuildOf, samples: Path, tmp_path: Path, name: str) -> None:
    folder = shutil.copytree(samples, tmp_path / "samples")
    for file in folder.rglob("*"):
        if file.suffix in (".json", ".csv", ".txt", ".xml"):
            file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert digests(build_of(name, folder)) == digests(build_of(name))
