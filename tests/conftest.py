"""Where the real raw files are, and whether their absence is a skip or a failure."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

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
