"""Scores of boxes: perfect ones, ignored and difficult persons, definitions, metrics, intervals, pycocotools."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from benchwright.exporters import export
from benchwright.score_thresholds import thresholds
from schemas.errors import UsageError
from schemas.manifest import Manifest
from scorers.comparison import compare
from scorers.detection.scorer import SCORER
from scorers.run import score
from scorers.score import Pair, Score
from scorers.task import task_of

PROTOCOLS = SCORER.protocols
NAMES = ["coco-person", "voc-person", "densepose-person"]


def values(score: Score) -> dict[str, float | None]:
    return {name: value.value for name, value in score.metrics.items()}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", NAMES)
def test_the_truth_found_is_perfect(sample_manifest, scored, results_of, written, name: str, protocol: str) -> None:
    manifest = sample_manifest(name)
    split = manifest.splits[-1]
    # VOC has no crowds, so a crowd that is not found is a miss.
    path = written(results_of(manifest, split, crowds=protocol != "coco"))
    found = scored(manifest, path, protocol=protocol, split=split)
    assert all(value == pytest.approx(1) for key, value in values(found).items() if not key.startswith("AR1"))
    assert found.counts["rows"] == found.counts["scored"] == manifest.table(split).num_rows


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("name", NAMES)
def test_the_exported_truth_scores_as_perfect(
    sample_manifest, scored, tmp_path: Path, written, name: str, base: int
) -> None:
    manifest = sample_manifest(name)
    export(manifest, "coco", tmp_path / "truth.json", split=manifest.splits[-1], category_base=base)
    truth = json.loads((tmp_path / "truth.json").read_text())["annotations"]
    results = [
        {key: item[key] for key in ("image_id", "category_id", "bbox")} | {"score": 1.0}
        for item in truth
        if not item["iscrowd"]
    ]
    found = scored(manifest, written(results), category_base=base, split=manifest.splits[-1])
    assert values(found)["mAP50"] == pytest.approx(1)
    assert found.warnings == []


def test_the_exported_yolo_labels_score_as_perfect(sample_manifest, scored, tmp_path: Path) -> None:
    manifest = sample_manifest("densepose-person")
    export(manifest, "yolo", tmp_path / "yolo", split="val")
    folder = tmp_path / "yolo/labels/val"
    for path in folder.iterdir():
        path.write_text("".join(f"{line} 0.5\n" for line in path.read_text().splitlines()))
    assert values(scored(manifest, folder, split="val"))["AP"] == pytest.approx(1)


def test_no_detections_are_worth_0(sample_manifest, scored, written) -> None:
    manifest = sample_manifest("coco-person")
    found = scored(manifest, written([]))
    assert set(values(found).values()) == {0.0}
    assert found.counts == {"rows": 6, "scored": 0, "truths": 10, "detections": 0}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_ignored_persons_are_neither_missed_nor_false(
    sample_manifest, scored, results_of, written, protocol: str
) -> None:
    manifest = sample_manifest("coco-person", small_person__on_small="ignore")
    flags = [item["ignored"] for row in manifest.table().to_pylist() for item in row["objects"]]
    pairs = list(zip(results_of(manifest, crowds=True), flags, strict=True))
    # A box without height overlaps nothing, so finding it is false.
    results = [result for result, _ in pairs if result["bbox"][3]]
    without = [result for result, ignored in pairs if not ignored]
    assert len(without) == len(results) - 2
    for found in (results, without):
        assert values(scored(manifest, written(found), protocol=protocol))["AP50(person)"] == pytest.approx(1)
    kept = sample_manifest("coco-person", small_person__on_small="off")
    assert values(scored(kept, written(without), protocol=protocol))["AP50(person)"] < 0.95


def test_difficult_persons_count_for_coco_and_not_for_voc(sample_manifest, scored, results_of, written) -> None:
    manifest = sample_manifest("voc-person", small_person__on_small="off")
    easy = [not item["difficult"] for row in manifest.table().to_pylist() for item in row["objects"]]
    path = written([result for result, kept in zip(results_of(manifest), easy, strict=True) if kept])
    found = {protocol: values(scored(manifest, path, protocol=protocol))["mAP50"] for protocol in PROTOCOLS}
    assert (found["voc2007"], found["voc2010"]) == (pytest.approx(1), pytest.approx(1))
    assert found["coco"] == pytest.approx(0.7, abs=0.05)


def test_metrics_by_default_and_by_name(sample_manifest) -> None:
    def names(manifest: Manifest, **options: Any) -> list[str]:
        return [str(metric) for metric in task_of(manifest, options).metrics]

    one = sample_manifest("coco-person")
    several = sample_manifest("coco-person", category__keep="all")
    means = ["mAP50", "AP", "AP75"]
    assert names(one) == ["AP50(person)", *means, "AR1", "AR10", "AR100"]
    assert names(several)[:4] == ["AP50(person)", "AP50(dog)", "AP50(book)", "mAP50"]
    assert names(one, protocol="voc2007") == ["AP50(person)", *means]
    assert names(one, metrics=["AP60(person)", "ap"]) == ["AP60(person)", "AP"]


def test_a_class_without_boxes_has_no_value_and_says_so(sample_manifest, scored, written) -> None:
    manifest = sample_manifest("densepose-person", small_person__on_small="ignore", small_person__min_area=1e9)
    found = scored(manifest, written([]), split="val")
    assert set(values(found).values()) == {None}
    assert found.warnings[0] == "there are no detections"
    assert found.warnings[1].startswith("AP50(person) has no value: ")


def test_intervals_enclose_the_value(sample_manifest, results_of, written) -> None:
    manifest = sample_manifest("coco-person")
    path = written(results_of(manifest)[:5])
    found = score(manifest, path, {"metrics": ["mAP50"]}).metrics["mAP50"]
    assert 0 < found.low < found.value < found.high < 1


def test_pycocotools_agrees_or_the_score_is_refused(sample_manifest, scored, results_of, written) -> None:
    manifest = sample_manifest("coco-person")
    path = written(results_of(manifest)[:6])
    (note,) = scored(manifest, path, engine="pycocotools").notes
    assert note == "pycocotools gives the same 7 values, to the last bit"
    with pytest.raises(UsageError, match="the protocol coco alone, not voc2007"):
        scored(manifest, path, engine="pycocotools", protocol="voc2007")
    with pytest.raises(UsageError, match="unknown engine 'cocoapi'"):
        scored(manifest, path, engine="cocoapi")
    ignoring = sample_manifest("coco-person", small_person__on_small="ignore")
    with pytest.raises(UsageError, match="pycocotools ignores crowds alone"):
        scored(ignoring, written([]), engine="pycocotools")


def test_a_value_that_differs_from_pycocotools_is_refused(sample_manifest, results_of, written) -> None:
    task = task_of(sample_manifest("coco-person"), {"metrics": ["AP"]})
    found = task.read(written(results_of(task.manifest)[:6])).predictions
    evaluation = task.evaluate(found)
    wrong = replace(evaluation, values=dict.fromkeys(evaluation.values, 0.123))
    with pytest.raises(UsageError, match=r"AP 0.123 \(pycocotools 0.\d+\)"):
        SCORER.cross_check(task.truth, found, wrong, "coco", "pycocotools")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"protocol": "voc"}, r"unknown protocol 'voc'; did you mean"),
        ({"metrics": ["AP50(dog)"]}, r"unknown category 'dog' \(known: person\)"),
        ({"protocol": "voc2007", "metrics": ["AR100"]}, "AR100 is not defined by VOC"),
        ({"metrics": ["mAP"]}, "mAP is ambiguous"),
        ({"split": "test"}, "unknown split 'test'"),
    ],
)
def test_wrong_names_are_refused(sample_manifest, scored, written, options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        scored(sample_manifest("coco-person"), written([]), **options)


def test_a_run_against_itself_differs_by_nothing(sample_manifest, results_of, written) -> None:
    manifest = sample_manifest("coco-person")
    better, worse = written(results_of(manifest)), written(results_of(manifest)[:4], "worse.json")

    def pair(a: Path, b: Path) -> Pair:
        options = {"metrics": ["AP50(person)"], "resamples": 50, "seed": 1}
        return compare(manifest, a, b, options).metrics["AP50(person)"]  # type: ignore[arg-type]

    same, differing, reverse = pair(better, better), pair(better, worse), pair(worse, better)
    assert (same.difference, same.p_value) == (0, 1)
    assert same.low is same.high is None  # that no image differs says nothing of the images that are not there
    assert differing.difference == pytest.approx(-reverse.difference)
    assert abs(differing.difference) > 0.3


@pytest.mark.parametrize(
    "source",
    [
        [],
        {},
        {name: [] for name in ("image_id", "category", "x", "y", "width", "height", "score")},
        pa.table({name: [] for name in ("sample_id", "category", "x", "y", "width", "height", "score")}),
    ],
)
def test_a_detector_that_finds_nothing_scores_0_with_a_warning(sample_manifest, written, source: Any) -> None:
    manifest = sample_manifest("coco-person")
    for nothing in (source, written([])):
        found = score(manifest, nothing, {"resamples": 0})
        assert set(values(found).values()) == {0}
        assert found.warnings == ["there are no detections"]
        with pytest.raises(UsageError, match="there are no detections"):
            thresholds(manifest, nothing)


def test_a_folder_is_one_run_where_it_holds_text_files_and_nothing_else_to_read(
    sample_manifest, tmp_path: Path
) -> None:
    manifest = sample_manifest("densepose-person")
    truth = SCORER.truth(manifest, "val", {})
    for name in ("runs/a.json", "yolo/labels/val/1.txt", "voc/comp4_det_val_person.txt", "both/1.txt", "both/p.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    answers = {name: SCORER.is_run(tmp_path / name, truth) for name in ("runs", "yolo", "voc")}
    assert answers == {"runs": False, "yolo": True, "voc": True}
    with pytest.raises(UsageError, match=r"both holds text files, which are one run, and p.json: name the one"):
        SCORER.is_run(tmp_path / "both", truth)
