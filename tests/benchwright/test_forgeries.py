"""Manifests forged with right digests end in no traceback: a seeded part of benchmarks/forgeries.py."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from schemas.manifest import Manifest

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "forgeries.py"


@pytest.mark.filterwarnings("ignore")  # of NumPy and pandas, about values that nobody builds
def test_every_verb_refuses_or_reads_what_is_forged(sample_manifest: Callable[..., Manifest]) -> None:
    run = runpy.run_path(str(BENCHMARK))["run"]
    manifests = [sample_manifest(name) for name in ("uag-oops", "charades-sta", "coco-person", "jrdb-par")]
    wrong: list[str] = []
    codes = [ended.code for ended in run(manifests, 40, 14, wrong.append)]
    assert wrong == []
    assert {0, 2} <= set(codes) <= {0, 1, 2}
