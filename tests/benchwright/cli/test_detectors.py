"""Operating points and monitoring from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemas.manifest import Manifest


@pytest.fixture
def parts(sample_manifest) -> Manifest:
    return sample_manifest("densepose-person")


@pytest.fixture
def detections(parts: Manifest, tmp_path: Path) -> Path:
    """The truth with a score of .9, and for each box one far away with .4."""
    rows = [
        {"image_id": row["image_id"], "category_id": item["category"], "score": score}
        | {"bbox": [item["x"] + shift, item["y"], item["width"], item["height"]]}
        for row in parts.table("val").to_pylist()
        for item in row["objects"]
        for shift, score in ((0, 0.9), (5000, 0.4))
    ]
    path = tmp_path / "found.json"
    path.write_text(json.dumps(rows))
    return path


@pytest.mark.parametrize("protocol", ["paper", "strict"])
def test_the_score_of_the_best_f1_is_found_and_handed_on(
    run, parts: Manifest, detections: Path, tmp_path: Path, protocol: str
) -> None:
    least = tmp_path / "least.json"
    options = ("--split", "val", "--protocol", protocol)
    ran = run("thresholds", parts.path, detections, *options, "--out", least, "--json")
    assert ran.code == 0
    assert set(ran.json.values()) == {0.9}
    assert ran.json["person"] == 0.9
    assert json.loads(least.read_text()) == ran.json
    assert "\nperson  " in run("thresholds", parts.path, detections, *options).out
    handed_on = ("--class-threshold", least, "--class-threshold", "head=0.3")
    monitored = run("monitor", parts.path, detections, *options, *handed_on, "--json")
    assert monitored.json["thresholds"]["person"] == 0.9
    assert monitored.json["thresholds"]["head"] == 0.3


def test_a_threshold_keeps_what_reaches_it(run, parts: Manifest, detections: Path) -> None:
    def persons(least: str) -> Any:
        ran = run("monitor", parts.path, detections, "--split", "val", "--class-threshold", f"person={least}", "--json")
        return ran.json["counts"]["persons"]

    assert (persons("0.9"), persons("0.90001")) == (persons("0.4") / 2, 0)


@pytest.mark.parametrize(
    ("threshold", "said"),
    [
        ("person=high", "person=high: expected a number"),
        ("person=nan", "person=nan: expected a number"),
        ("persn=0.4", "unknown class 'persn'; did you mean person"),
        ("none.json", "none.json: found no such file or directory, expected a readable file (CLASS=SCORE, or a file"),
    ],
)
def test_other_thresholds_are_refused(
    refused: Callable[..., str], parts: Manifest, detections: Path, threshold: str, said: str
) -> None:
    assert said in refused("monitor", parts.path, detections, "--split", "val", "--class-threshold", threshold)


def test_a_file_of_something_else_is_not_a_file_of_thresholds(refused, parts: Manifest, detections: Path) -> None:
    message = refused("monitor", parts.path, detections, "--split", "val", "--class-threshold", detections)
    assert 'or a file {"person": 0.43, ...}' in message


@pytest.mark.parametrize("verb", ["monitor", "thresholds"])
def test_classes_may_be_numbered_by_a_file(run, parts: Manifest, tmp_path: Path, verb: str) -> None:
    (tmp_path / "names.txt").write_text("torso\nperson\n")
    row = parts.table("val").to_pylist()[0]
    (tmp_path / "yolo").mkdir()
    (tmp_path / "yolo" / f"{row['sample_id']}.txt").write_text("1 .5 .5 .2 .2 .9\n")
    ran = run(verb, parts.path, tmp_path / "yolo", "--split", "val", "--classes", tmp_path / "names.txt", "--json")
    assert ran.code == 0, ran.err
    found = ran.json["counts"]["persons"] if verb == "monitor" else len(ran.json)
    assert found >= 1


@pytest.mark.parametrize("verb", ["monitor", "thresholds"])
def test_spans_have_no_boxes(refused, sample_manifest, detections: Path, verb: str) -> None:
    message = refused(verb, sample_manifest("uag-oops").path, detections)
    assert message.endswith("not a detection manifest (no column objects)")


def test_monitoring_as_a_table(run, parts: Manifest, detections: Path) -> None:
    ran = run("monitor", parts.path, detections, "--split", "val")
    assert ran.code == 0
    assert ran.out.startswith("SingleDet, protocol paper: ")
    assert "best tolerance by: " in ran.out
    assert "ghost parts ↓" in ran.out
    assert "ghost parts = parts that belong to no person" in ran.out


def test_a_sweep_of_nothing_is_one_row(run, sample_manifest, tmp_path: Path) -> None:
    """Persons alone: without parts every tolerance says the same."""
    manifest = sample_manifest("coco-person")
    rows = [
        {"image_id": row["image_id"], "category_id": 1, "score": 0.9, "bbox": [item["x"], item["y"], 9, 9]}
        for row in manifest.table().to_pylist()
        for item in row["objects"]
    ]
    (tmp_path / "persons.json").write_text(json.dumps(rows))
    ran = run("monitor", manifest.path, tmp_path / "persons.json")
    assert ran.code == 0
    assert "there are no parts" in ran.err
    assert not any(line.startswith(("0.01", "0.99")) for line in ran.out.splitlines())
    assert sum(line.startswith("all ") for line in ran.out.splitlines()) >= 2
