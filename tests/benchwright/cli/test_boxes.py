"""Detection from the command line: build, why, verify, score, compare, and what belongs to spans alone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemas.manifest import Manifest


def results_of(manifest: Manifest, rows: int | None = None) -> list[dict[str, Any]]:
    """COCO results that are the truth of the first rows, crowds left out."""
    return [
        {"image_id": row["image_id"], "category_id": item["category"], "score": 0.5}
        | {"bbox": [item[side] for side in ("x", "y", "width", "height")]}
        for row in manifest.table(manifest.splits[-1]).slice(0, rows).to_pylist()
        for item in row["objects"]
        if not item["crowd"]
    ]


@pytest.fixture
def found(tmp_path: Path) -> Callable[..., Path]:
    """Write the truth of a manifest's first rows as results."""

    def write(manifest: Manifest, rows: int | None = None) -> Path:
        path = tmp_path / f"found_{rows}.json"
        path.write_text(json.dumps(results_of(manifest, rows)))
        return path

    return write


def sentences(stories: Any) -> list[str]:
    return [step["sentence"] for story in stories for step in story["steps"] if step["sentence"]]


def test_why_names_the_person_and_its_area(run, sample_manifest) -> None:
    folder = sample_manifest("coco-person").path
    (story,) = run("why", folder, "700332", "--json").json
    assert (story["level"], story["fate"]) == ("image", "dropped")
    assert sentences([story]) == ["person 183020 has area 1032 < 2247 (crowd)"]
    assert sentences(run("why", folder, "700019", "--json").json) == ["person 183023 has area 2246.34 < 2247"]
    assert sentences(run("why", folder, "700500", "--json").json) == ["it shows no person"]
    (person,) = run("why", folder, "183020", "--json").json
    assert (person["key"], person["level"]) == ("183020 of 700332", "objects")
    assert sentences([person]) == ["its sample was dropped: person 183020 has area 1032 < 2247 (crowd)"]
    assert "image 700332: dropped" in run("why", folder, "700332").out
    by_file = run("why", folder, "COCO_val2014_000000700332.jpg", "--json").json
    assert [story["key"] for story in by_file] == ["700332"]


def test_why_of_parts_and_of_ids_that_images_share(run, sample_manifest) -> None:
    folder = sample_manifest("densepose-person").path
    assert sentences(run("why", folder, "800103", "--json").json) == ["person 900100800103 is a crowd, without masks"]
    assert sentences(run("why", folder, "800102", "--json").json) == ["person 41004 has no part masks"]
    assert sentences(run("why", folder, "41002011", "--json").json) == ["later parts cover it"]
    assert [story["key"] for story in run("why", folder, "51001", "--json").json] == [
        "51001 of 810201",
        "51001 of 810202",
    ]
    slip = sample_manifest("voc-person", voc__image_id="first_digits_as_published").path
    (story,) = run("why", slip, "2010_000003", "--json").json
    assert sentences([story]) == ["its id 2010 is the first number in its name, which other images share"]


@pytest.mark.parametrize(
    ("name", "source", "copy", "split"),
    [
        ("coco-person", "coco/annotations/instances_val2014.json", "instances_val2017.json", "val2017"),
        ("voc-person", "", "", "all"),
        ("voc-person", "", "", "train"),
    ],
)
def test_claims_do_not_apply_to_other_splits(
    run, samples: Path, tmp_path: Path, name: str, source: str, copy: str, split: str
) -> None:
    if source:
        shutil.copy(samples / source, tmp_path / copy)
    built = run(
        "build", name, "--source", tmp_path if source else samples, "--out", tmp_path, "--set", f"source.split={split}"
    )
    assert built.code == 0, built.err
    claims = run("verify", tmp_path / name, "--json").json
    assert {line["verdict"] for line in claims} == {"not applicable"}


def test_a_score_has_the_shape_that_machines_expect(run, sample_manifest, found) -> None:
    manifest = sample_manifest("coco-person")
    score = run("score", manifest.path, found(manifest, 3), "--resamples", 20, "--json").json
    assert set(score) >= {"metrics", "counts", "protocol", "baselines", "warnings", "signature"}
    assert list(score["metrics"]) == ["AP50(person)", "mAP50", "AP", "AP75", "AR1", "AR10", "AR100"]
    for value in score["metrics"].values():
        assert list(value) == ["value", "low", "high", "unit", "higher_is_better", "method"]
        assert value["unit"] == "fraction"
        assert 0 <= value["low"] <= value["value"] <= value["high"] <= 1
    assert score["counts"] == {"rows": 6, "scored": 3, "truths": 10, "detections": 4}
    assert (score["protocol"], score["baselines"]) == ("coco", {})
    assert [warning for warning in score["warnings"] if "6 images" not in warning] == []
    assert score["signature"].startswith("AP50(person) = ")
    assert "n=3/6 | data:coco-person/val2014 sha:" in score["signature"]


def test_a_score_is_a_table_for_people(run, sample_manifest, found) -> None:
    manifest = sample_manifest("voc-person")
    ran = run("score", manifest.path, found(manifest), "--resamples", 0)
    assert ran.code == 0
    assert "AP50(person)" in ran.out


@pytest.mark.parametrize(
    ("protocol", "metrics"),
    [
        ("coco", ["AP50(person)", "mAP50", "AP", "AP75", "AR1", "AR10", "AR100"]),
        ("voc2007", ["AP50(person)", "mAP50", "AP", "AP75"]),
        ("voc2010", ["AP50(person)", "mAP50", "AP", "AP75"]),
    ],
)
def test_protocols_by_name(run, sample_manifest, found, protocol: str, metrics: list[str]) -> None:
    manifest = sample_manifest("voc-person")
    options = ["--protocol", protocol, "--resamples", 0, "--json"]
    score = run("score", manifest.path, found(manifest), *options).json
    assert (score["protocol"], list(score["metrics"])) == (protocol, metrics)
    assert score["metrics"]["mAP50"] == {
        "value": pytest.approx(1),
        "low": None,
        "high": None,
        "unit": "fraction",
        "higher_is_better": True,
        "method": "",
    }


def test_metrics_by_name(run, sample_manifest, found) -> None:
    manifest = sample_manifest("densepose-person")
    options = ["--split", "val", "--metric", "AP50(torso)", "--metric", "ar10", "--resamples", 0, "--json"]
    assert list(run("score", manifest.path, found(manifest), *options).json["metrics"]) == ["AP50(torso)", "AR10"]


def test_categories_counted_from_a_base(run, sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("coco-person")
    for base in (0, 1):
        path = tmp_path / f"{base}.json"
        path.write_text(json.dumps([result | {"category_id": base} for result in results_of(manifest)]))
        options = ["--category-base", base, "--metric", "AP", "--resamples", 0, "--json"]
        assert run("score", manifest.path, path, *options).json["metrics"]["AP"]["value"] == pytest.approx(1)


def test_pycocotools_checks_every_value(run, refused, sample_manifest, found) -> None:
    manifest = sample_manifest("coco-person")
    options = ["--engine", "pycocotools", "--resamples", 0]
    score = run("score", manifest.path, found(manifest, 4), *options, "--json").json
    assert score["notes"] == ["pycocotools gives the same 7 values, to the last bit"]
    message = refused("score", manifest.path, found(manifest), *options, "--protocol", "voc2007")
    assert message == "pycocotools knows the protocol coco alone, not voc2007"
    message = refused("score", manifest.path, found(manifest), "--engine", "coco")
    assert message.startswith("unknown engine 'coco'")


def test_two_runs_are_compared_over_images(run, sample_manifest, found) -> None:
    manifest = sample_manifest("coco-person")
    options = ["--metric", "AP50(person)", "--metric", "AR100", "--resamples", 50, "--json"]
    compared = run("compare", manifest.path, found(manifest), found(manifest, 2), *options).json
    assert (list(compared["metrics"]), compared["protocol"]) == (["AP50(person)", "AR100"], "coco")
    line = compared["metrics"]["AP50(person)"]
    assert (line["method"], line["p_floor"]) == ("jackknife-t", 2 / 2**6)
    assert line["difference"] == pytest.approx(line["b"] - line["a"])
    assert -1 <= line["low"] < line["difference"] < line["high"]
    people = run("compare", manifest.path, found(manifest), found(manifest, 2), *options[:-1])
    assert (people.code, "AP50(person)" in people.out) == (0, True)


def test_options_of_spans_are_refused_on_boxes_and_the_other_way_round(refused, sample_manifest, found, write) -> None:
    boxes, spans = sample_manifest("coco-person"), sample_manifest("uag-oops")
    message = refused("score", boxes.path, found(boxes), "--truth", "any")
    assert message == "--truth: for spans; this manifest holds boxes"
    message = refused("score", spans.path, write(spans), "--category-base", "1")
    assert message == "--category-base: for boxes; this manifest holds spans"


def test_options_of_the_other_kind_are_refused_by_compare_too(refused, sample_manifest, found, write) -> None:
    boxes, spans = sample_manifest("coco-person"), sample_manifest("uag-oops")
    assert "--truth" in refused("compare", boxes.path, found(boxes), found(boxes, 2), "--truth", "any")
    assert "--category-base" in refused("compare", spans.path, write(spans), write(spans), "--category-base", 1)


def test_bad_results_are_one_clean_message(refused, sample_manifest, tmp_path: Path) -> None:
    folder, path = sample_manifest("coco-person").path, tmp_path / "found.json"
    path.write_text('[{"image_id": 1, "cat')
    assert "byte 21: found the end of the file" in refused("score", folder, path)
    path.write_text('[{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 1}]')
    assert "found 1 unknown image (1), expected images of the manifest" in refused("score", folder, path)
    assert "expected a file or folder of detections" in refused("score", folder, tmp_path / "none.json")
    assert "unknown split 'test'" in refused("score", folder, path, "--split", "test")


def test_a_manifest_without_rows_scores_as_nothing(run, sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("coco-person", small_person__min_area=1e9)
    (tmp_path / "none.json").write_text("[]")
    ran = run("score", manifest.path, tmp_path / "none.json", "--json")
    assert (ran.code, ran.json["metrics"]["AP50(person)"]["value"], ran.json["counts"]["rows"]) == (0, None, 0)
    assert run("validate", manifest.path).code == 0


def test_classes_confusion_and_errors_are_printed_and_encoded(run, sample_manifest, found) -> None:
    manifest = sample_manifest("densepose-person")
    given = ("score", manifest.path, found(manifest), "--split", "val", "--resamples", "0")
    shown = run(*given, "--score-threshold", "0.6").out
    for text in ("score >= 0.6", "localisation", "upper_leg", "dAP50 = how much higher", "(missed)", "(all)"):
        assert text in shown
    tables = run(*given, "--per-class", "--json").json["tables"]
    assert set(tables) == {"classes", "confusion", "errors"}
    assert tables["classes"]["rows"][-1]["precision"] == 1.0
    said = run("score", manifest.path, f"a={given[2]}", f"b={given[2]}", "--split", "val", "--per-class").err
    assert "--per-class: for one run, and these are several" in said
