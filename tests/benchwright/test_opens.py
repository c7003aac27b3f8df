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


@pytest.mark.parametrize("more", [[], ["--patterns", "official"], ["--edits", "edits.csv"]])
def test_parse_opens_each_file_once(run, sample_manifest, opens: Opens, tmp_path: Path, more: list[str]) -> None:
    manifest = sample_manifest("uag-oops")
    names = manifest.table()["sample_id"].to_pylist()
    (tmp_path / "in").mkdir()
    answers, edits = tmp_path / "in/llama3.json", tmp_path / "in/edits.csv"
    answers.write_text(json.dumps([{"sample_id": name, "llama3_pred": "from 1 s to 2 s"} for name in names]))
    edits.write_text(f"sample_id,start,end\n{json.dumps(names[0])},1,3\n")
    with opens(manifest.path, tmp_path / "in") as opened:
        arguments = [edits if argument == "edits.csv" else argument for argument in more]
        ran = run("parse", manifest.path, answers, "--out", tmp_path / "out.csv", *arguments)
    assert ran.code == 0, ran.err
    assert set(opened.values()) == {1}, opened
    assert (opened[answers], opened[edits]) == (1, int("--edits" in more))


@pytest.mark.parametrize("approach", ["vid-llm", "vlm-llm", "frame-caption"])
def test_prompts_open_each_file_once(run, sample_manifest, opens: Opens, tmp_path: Path, approach: str) -> None:
    manifest = sample_manifest("uag-oops")
    (tmp_path / "in").mkdir()
    captions = tmp_path / "in/captions.json"
    captions.write_text(json.dumps({video: ["a man"] for video in manifest.table()["video"].to_pylist()}))
    more = ["--text-rep", captions] * (approach == "vlm-llm")
    with opens(manifest.path, tmp_path / "in") as opened:
        ran = run("prompts", manifest.path, "--approach", approach, "--out", tmp_path / "out.jsonl", *more)
    assert ran.code == 0, ran.err
    assert set(opened.values()) == {1}, opened
    assert opened[captions] == (approach == "vlm-llm")


@pytest.mark.parametrize("verb", ["monitor", "thresholds"])
def test_verbs_about_detectors_open_each_file_once(
    run, sample_manifest, opens: Opens, tmp_path: Path, verb: str
) -> None:
    manifest = sample_manifest("densepose-person")
    path = predictions(manifest, tmp_path / "in", run)
    parts, best = path.with_name("parts.csv"), path.with_name("best.json")
    shutil.copy(path, parts)
    best.write_text('{"person": 0.4}')
    more = ["--parts", parts, "--class-threshold", best] if verb == "monitor" else []
    with opens(manifest.path, tmp_path / "in") as opened:
        ran = run(verb, manifest.path, path, "--split", "train", *more)
    assert ran.code == 0, ran.err
    assert set(opened.values()) == {1}, opened
    assert len([file for file in opened if file.is_relative_to(tmp_path)]) == (3 if verb == "monitor" else 1)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_diff_opens_each_file_once(
    run, samples: Path, sample_manifest, opens: Opens, tmp_path: Path, name: str
) -> None:
    own = shutil.copytree(samples, tmp_path / "samples")
    manifest = sample_manifest(name)
    other = shutil.copytree(manifest.path, tmp_path / "other")
    with opens(manifest.path, tmp_path) as opened:
        ran = run("diff", manifest.path, other, "--source", own)
    assert ran.code == 0, ran.err
    assert set(opened.values()) == {1}, opened


def test_a_diff_that_builds_opens_each_source_once(run, samples: Path, opens: Opens, tmp_path: Path) -> None:
    own = shutil.copytree(samples, tmp_path / "samples")
    for out, pick in (("a", "earliest"), ("b", "latest")):
        assert (
            run("build", "uag-oops", "--source", own, "--out", tmp_path / out, "--set", f"onset.pick={pick}").code == 0
        )
    with opens(tmp_path) as opened:
        ran = run("diff", tmp_path / "a" / "uag-oops", tmp_path / "b" / "uag-oops", "--source", own)
    assert ran.code == 1, ran.err
    assert set(opened.values()) == {1}, opened
