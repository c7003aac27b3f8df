"""Every verb opens each of its input files once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

Opens = Callable[..., AbstractContextManager[Counter[Path]]]
BENCHMARKS = ["uag-oops", "charades-sta", "densepose-person", "voc-person", "jrdb-par"]


@pytest.mark.parametrize("name", BENCHMARKS)
@pytest.mark.parametrize("verb", ["verify", "validate", "why", "export"])
def test_a_verb_on_a_manifest_opens_each_of_its_files_once(
    run, sample_manifest, opens: Opens, tmp_path: Path, verb: str, name: str
) -> None:
    manifest = sample_manifest(name)
    key = manifest.table()["sample_id"][0].as_py()
    more = {"why": [key], "export": ["--to", "official", "--out", tmp_path / "out"]}.get(verb, [])
    with opens(manifest.path) as opened:
        ran = run(verb, manifest.path, *more)
    assert "Traceback" not in ran.err
    assert opened[manifest.path / "manifest.json"] == 1
    assert max(opened.values()) == 1, opened
