"""Every verb opens each of its input files once."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from builders.engine.registry import BUNDLED
from schemas.manifest import Manifest

Opens = Callable[..., AbstractContextManager[Counter[Path]]]
BENCHMARKS = ["uag-oops", "charades-sta", "densepose-person", "voc-person", "jrdb-par"]


@pytest.mark.parametrize("name", BUNDLED)
def test_a_build_opens_each_source_once(run, samples: Path, opens: Opens, tmp_path: Path, name: str) -> None:
    # Other tests read the samples at the same time, and an open by another process counts as well.
    own = shutil.copytree(samples, tmp_path / "samples")
    with opens(own) as opened:
        ran = run("build", name, "--source", own, "--out", tmp_path)
    assert ran.code == 0, ran.err
    assert set(opened.values()) == {1}, opened


@pytest.mark.parametrize("name", BENCHMARKS)
@pytest.mark.parametrize("verb", ["verify", "validate", "why", "export", "show"])
def test_a_verb_on_a_manifest_opens_each_of_its_files_once(
    run, sample_manifest, opens: Opens, tmp_path: Path, verb: str, name: str
) -> None:
    manifest = sample_manifest(name)
    key = manifest.table()["sample_id"][0].as_py()
    target = "coco" if "person" in name else "official"
    more = {"why": [key], "export": ["--to", target, "--out", tmp_path / "out"]}.get(verb, [])
    with opens(manifest.path) as opened:
        ran = run(verb, manifest.path, *more)
    assert ran.code < 2, ran.err
    assert opened[manifest.path / "manifest.json"] == 1
    assert set(opened.values()) == {1}, opened


def predictions(manifest: Manifest, folder: Path, run: Any) -> Path:
    """The truth of a manifest as predictions, in a file or a folder of its own."""
    folder.mkdir()
    if "start_s" in manifest.column_names:
        rows = manifest.table("test").select(["sample_id", "start_s", "end_s"]).to_pylist()
        (folder / "p.json").write_text(json.dumps(rows), encoding="utf-8")
    elif "objects" in manifest.column_names:
        names = ("category", "x", "y", "width", "height")
        lines = [
            ",".join(map(str, [row["sample_id"], *(box[name] for name in names), 0.5]))
            for row in manifest.table(manifest.splits[0]).to_pylist()
            for box in row["objects"]
        ]
        text = "\n".join([",".join(["sample_id", *names, "score"]), *lines]) + "\n"
        (folder / "p.csv").write_text(text, encoding="utf-8")
    else:
        assert run("baseline", manifest.path, "alone", "--out", folder / "p").code == 0
    return next(folder.iterdir())


@pytest.mark.parametrize("name", BENCHMARKS)
@pytest.mark.parametrize("verb", ["score", "compare"])
def test_scoring_opens_each_file_once(run, sample_manifest, opens: Opens, tmp_path: Path, verb: str, name: str) -> None:
    manifest = sample_manifest(name)
    split = "test" if "test" in manifest.splits else manifest.splits[0]
    paths = [predictions(manifest, tmp_path / each, run) for each in ("a", "b")]
    with opens(manifest.path, tmp_path) as opened:
        ran = run(verb, manifest.path, *paths[: 1 + (verb == "compare")], "--split", split)
    assert ran.code == 0, ran.err
    assert set(opened.values()) == {1}, opened
    assert len([path for path in opened if path.is_relative_to(tmp_path)]) >= 1 + (verb == "compare")
