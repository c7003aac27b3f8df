"""Where the real raw files are, and whether their absence is a skip or a failure."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

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
