"""Scores of detections on a manifest: perfect ones, dropped and unknown images, ignored persons, other definitions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from benchwright.detection_scoring import (
    PROTOCOLS,
    compare_files,
    cross_check,
    default_metrics,
    metrics_named,
    score_detections,
    score_file,
)
from benchwright.request import Request

from benchwright.export import export
from schemas.errors import InputError, UsageError
from schemas.manifest import Manifest
from scorers.detection.alignment import Task, category_numbers, read_found, read_task
from scorers.detection.classes import classes_of
from scorers.score import Bootstrap, Score

NAMES = ["coco-person", "voc-person", "densepose-person"]


def results_of(manifest: Manifest, split: str | None = None, *, crowds: bool = False) -> list[dict[str, Any]]:
    """COCO results that are the truth; crowds, which need not be found, only if asked for."""
    return [
        {
            "image_id": row["image_id"],
            "category_id": item["category"],
            "bbox": [item["x"], item["y"], item["width"], item["height"]],
            "score": 0.9,
        }
        for row in manifest.table(split).to_pylist()
        for item in row["objects"]
        if crowds or not item["crowd"]
    ]


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Write results as JSON."""

    def write(results: list[dict[str, Any]], name: str = "found.json") -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(results))
        return path

    return write


def scored(task: Task, path: Path, protocol: str = "coco", base: int | None = None, form: str | None = None) -> Score:
    metrics = default_metrics(task.labels, protocol)
    return score_detections(task, read_found(path, task, form, base), metrics, protocol)


def values(score: Score) -> dict[str, float | None]:
    return {name: value.value for name, value in score.metrics.items()}


def split_of(name: str) -> str | None:
    return "val" if name == "densepose-person" else None


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", NAMES)
def test_the_truth_found_is_perfect(sample_manifest, written, name: str, protocol: str) -> None:
    manifest = sample_manifest(name)
    task = read_task(manifest, split_of(name))
    # VOC has no crowds, so a crowd that is not found is a miss.
    score = scored(task, written(results_of(manifest, task.split, crowds=protocol != "coco")), protocol)
    assert all(value == pytest.approx(1) for key, value in values(score).items() if not key.startswith("AR1"))
    assert score.counts["rows"] == score.counts["scored"] == len(task.images)


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("name", NAMES)
def test_the_exported_truth_scores_as_perfect(sample_manifest, tmp_path: Path, written, name: str, base: int) -> None:
    manifest = sample_manifest(name)
    export(manifest, "coco", tmp_path / "truth.json", split_of(name), base)
    truth = json.loads((tmp_path / "truth.json").read_text())["annotations"]
    results = [
        {key: item[key] for key in ("image_id", "category_id", "bbox")} | {"score": 1.0}
        for item in truth
        if not item["iscrowd"]
    ]
    task = read_task(manifest, split_of(name))
    score = scored(task, written(results), base=base)
    assert values(score)["mAP50"] == pytest.approx(1)
    assert score.warnings == []


def test_the_exported_yolo_labels_score_as_perfect(sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("densepose-person")
    export(manifest, "yolo", tmp_path / "yolo", "val")
    folder = tmp_path / "yolo/labels/val"
    for path in folder.iterdir():
        path.write_text("".join(f"{line} 0.5\n" for line in path.read_text().splitlines()))
    assert values(scored(read_task(manifest, "val"), folder))["AP"] == pytest.approx(1)


def test_every_form_gives_the_same_score(sample_manifest, written, tmp_path: Path) -> None:
    task = read_task(sample_manifest("coco-person"))
    results = results_of(task.manifest)[:5]
    rows = [
        {"image_id": r["image_id"], "category": "person", "score": r["score"]}
        | dict(zip(("x", "y", "width", "height"), r["bbox"], strict=True))
        for r in results
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "found.parquet")
    lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
    (tmp_path / "found.csv").write_text("\n".join(lines))
    named = [row | {"sample_id": str(row["image_id"])} for row in rows]
    for row in named:
        del row["image_id"]
    pq.write_table(pa.Table.from_pylist(named), tmp_path / "named.parquet")
    comp4 = [
        f"{r['image_id']} {r['score']} {x + 1!r} {y + 1!r} {x + w!r} {y + h!r}"
        for r, (x, y, w, h) in ((r, r["bbox"]) for r in results)
    ]
    (tmp_path / "comp4_det_val_person.txt").write_text("\n".join(comp4))
    paths = [tmp_path / name for name in ("found.parquet", "found.csv", "named.parquet", "comp4_det_val_person.txt")]
    expected = values(scored(task, written(results)))
    assert 0 < expected["AP"] < 1
    assert [values(scored(task, path)) == expected for path in paths] == [True] * 4


def test_images_that_the_build_dropped_are_left_out_and_counted(sample_manifest, written) -> None:
    task = read_task(sample_manifest("coco-person"))
    results = results_of(task.manifest)
    further = [results[0] | {"image_id": image} for image in (700019, 700332, 700500)]
    alone, both = (scored(task, written(found)) for found in (results, further + results))
    assert values(alone) == values(both)
    assert both.counts == alone.counts
    assert both.warnings == ["3 detections are on images that the build dropped, and are left out"]


def test_yolo_files_of_dropped_images_are_left_out_too(sample_manifest, tmp_path: Path) -> None:
    task = read_task(sample_manifest("coco-person"))
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels/COCO_val2014_000000700019.txt").write_text("0 .5 .5 .1 .1 .9\n0 .5 .5 .2 .2 .9\n")
    score = scored(task, tmp_path / "labels")
    assert score.warnings == ["2 detections are on images that the build dropped, and are left out"]
    assert score.counts["detections"] == 0


def test_images_that_nobody_knows_are_an_error_that_names_them(sample_manifest, written) -> None:
    task = read_task(sample_manifest("coco-person"))
    results = [results_of(task.manifest)[0] | {"image_id": image} for image in (5, 6, 701203)]
    with pytest.raises(InputError, match=r"image_id: found 2 unknown images \(5, 6\), expected images of the manifest"):
        read_found(written(results), task)


def test_classes_that_the_truth_does_not_have_are_counted(sample_manifest, written) -> None:
    task = read_task(sample_manifest("coco-person"))
    results = results_of(task.manifest)
    score = scored(task, written([*results, results[0] | {"category_id": 18}, results[0] | {"category_id": "dog"}]))
    (told,) = score.warnings
    assert told.startswith(
        "2 detections are of classes that the truth does not have: category_id 18 (1), dog (1); --cat"
    )
    assert values(score)["AP"] == pytest.approx(1)


def test_no_detections_are_worth_0(sample_manifest, written) -> None:
    task = read_task(sample_manifest("coco-person"))
    score = scored(task, written([]))
    assert set(values(score).values()) == {0.0}
    assert score.counts == {"rows": 6, "scored": 0, "truths": 10, "detections": 0}


@pytest.mark.parametrize("score", ["NaN", "nan"])
def test_scores_that_are_no_numbers_are_an_error(sample_manifest, tmp_path: Path, score: str) -> None:
    task = read_task(sample_manifest("coco-person"))
    (tmp_path / "a.csv").write_text(f"image_id,category,x,y,width,height,score\n701203,person,1,2,3,4,{score}\n")
    with pytest.raises(InputError, match="score: found nan, expected a finite number"):
        read_found(tmp_path / "a.csv", task)


def test_ids_that_images_share_cannot_name_them(sample_manifest, written) -> None:
    task = read_task(sample_manifest("voc-person", voc__image_id="first_digits_as_published"))
    results = results_of(task.manifest)
    with pytest.raises(UsageError, match="which images of the manifest share; use sample_id"):
        read_found(written(results), task)
    owners = [row["sample_id"] for row in task.manifest.table().to_pylist() for _ in row["objects"]]
    named = [result | {"image_id": owner} for result, owner in zip(results, owners, strict=True)]
    assert values(scored(task, written(named)))["AP"] == pytest.approx(1)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_ignored_persons_are_neither_missed_nor_false(sample_manifest, written, protocol: str) -> None:
    task = read_task(sample_manifest("coco-person", small_person__on_small="ignore"))
    flags = [item["ignored"] for row in task.manifest.table().to_pylist() for item in row["objects"]]
    pairs = list(zip(results_of(task.manifest, crowds=True), flags, strict=True))
    # A box without height overlaps nothing, so finding it is false.
    results = [result for result, _ in pairs if result["bbox"][3]]
    without = [result for result, ignored in pairs if not ignored]
    assert len(without) == len(results) - 2
    for found in (results, without):
        assert values(scored(task, written(found), protocol))["AP50(person)"] == pytest.approx(1)
    kept = read_task(sample_manifest("coco-person", small_person__on_small="off"))
    assert values(scored(kept, written(without), protocol))["AP50(person)"] < 0.95


def test_difficult_persons_count_for_coco_and_not_for_voc(sample_manifest, written) -> None:
    task = read_task(sample_manifest("voc-person", small_person__on_small="off"))
    rows = task.manifest.table().to_pylist()
    easy = [not item["difficult"] for row in rows for item in row["objects"]]
    results = [result for result, kept in zip(results_of(task.manifest), easy, strict=True) if kept]
    found = {protocol: values(scored(task, written(results), protocol))["mAP50"] for protocol in PROTOCOLS}
    assert (found["voc2007"], found["voc2010"]) == (pytest.approx(1), pytest.approx(1))
    assert found["coco"] == pytest.approx(0.7, abs=0.05)


def test_numbers_are_those_of_the_source_or_counted_from_a_base(sample_manifest) -> None:
    coco = read_task(sample_manifest("coco-person", category__keep="all"))
    assert list(coco.labels) == ["person", "dog", "book"]
    names = classes_of(coco.manifest, list(coco.labels))
    assert category_numbers(coco, names, None) == {1: "person", 18: "dog", 84: "book"}
    counted = category_numbers(coco, names, 0)
    assert (len(counted), counted[0], counted[16], counted[73]) == (80, "person", "dog", "book")
    assert category_numbers(coco, ["dog"], None, counted=True) == {1: "dog"}
    parts = read_task(sample_manifest("densepose-person"), "val")
    # Parts have no number in the source, so none but the labels' own would do.
    names = classes_of(parts.manifest, list(parts.labels))
    assert category_numbers(parts, names, None) == category_numbers(parts, names, 1)
    assert list(category_numbers(parts, names, None).values()) == list(parts.labels)


def test_persons_alone_are_the_only_class(sample_manifest) -> None:
    for name in ("coco-person", "voc-person"):
        task = read_task(sample_manifest(name))
        assert classes_of(task.manifest, list(task.labels)) == ["person"]
    voc = read_task(sample_manifest("voc-person", category__keep="all", person_present__required=False))
    assert category_numbers(voc, classes_of(voc.manifest, list(voc.labels)), None)[15] == "person"


def test_classes_may_be_numbered_by_a_file(sample_manifest, tmp_path: Path) -> None:
    task = read_task(sample_manifest("coco-person", category__keep="all"))
    (tmp_path / "names.txt").write_text("dog\nperson\n")
    row = task.manifest.table().to_pylist()[0]
    (tmp_path / "yolo").mkdir()
    (tmp_path / "yolo" / f"{row['sample_id']}.txt").write_text("1 .5 .5 .1 .1 .9\n")
    found = read_found(tmp_path / "yolo", task, classes=tmp_path / "names.txt")
    assert [task.labels[place] for place in found.detections.category] == ["person"]


def test_detections_of_no_known_class_are_a_mistake(sample_manifest, written) -> None:
    task = read_task(sample_manifest("coco-person"))
    results = [result | {"category_id": "Persons"} for result in results_of(task.manifest)]
    said = r"all detections are of classes that the truth does not have: Persons \(9\); did you mean person\?"
    with pytest.raises(UsageError, match=said):
        read_found(written(results), task)


def test_ids_in_two_columns_must_name_one_image(sample_manifest, tmp_path: Path) -> None:
    task = read_task(sample_manifest("coco-person"))
    one, two = task.images.select(["image_id", "sample_id"]).to_pylist()[:2]
    columns = {"category": ["person"], "x": [1.0], "y": [1.0], "width": [1.0], "height": [1.0], "score": [1.0]}
    for sample_id in (one["sample_id"], two["sample_id"]):
        ids = {"image_id": [one["image_id"]], "sample_id": [sample_id]}
        pq.write_table(pa.table(ids | columns), tmp_path / f"{sample_id}.parquet")
    assert read_found(tmp_path / f"{one['sample_id']}.parquet", task).read == 1
    with pytest.raises(InputError, match=r"found image_id .* and sample_id .*, expected names of one image"):
        read_found(tmp_path / f"{two['sample_id']}.parquet", task)


@pytest.mark.parametrize(("of", "count"), [("person_and_parts", 9), ("parts", 8), ("person", 1)])
def test_only_classes_that_were_asked_for_are_scored(sample_manifest, written, of: str, count: int) -> None:
    task = read_task(sample_manifest("densepose-person", classes__of=of), "val")
    score = scored(task, written(results_of(task.manifest, "val")))
    singles = [name for name in values(score) if name.startswith("AP50(")]
    assert len(singles) == len(task.labels) == count
    assert score.warnings == []


def test_metrics_by_default_and_by_name(sample_manifest) -> None:
    names = [str(metric) for metric in default_metrics(["person", "dog"])]
    assert names == ["AP50(person)", "AP50(dog)", "mAP50", "AP", "AP75", "AR1", "AR10", "AR100"]
    assert [str(m) for m in default_metrics(["person"], "voc2007")] == ["AP50(person)", "mAP50", "AP", "AP75"]
    assert [str(m) for m in default_metrics([str(n) for n in range(80)], "voc2010")] == ["mAP50", "AP", "AP75"]
    assert [str(m) for m in metrics_named(["AP60(dog)", "ap"], ["dog"], "coco")] == ["AP60(dog)", "AP"]


def test_a_class_without_boxes_has_no_value_and_says_so(sample_manifest, written) -> None:
    manifest = sample_manifest("densepose-person", small_person__on_small="drop_image", small_person__min_area=1e9)
    score = scored(read_task(manifest, "val"), written([]))
    assert set(values(score).values()) == {None}
    assert score.warnings[0] == "AP50(person) has no value: the truth has no box that counts for it"


def test_intervals_enclose_the_value_and_depend_on_the_seed(sample_manifest, written) -> None:
    task = read_task(sample_manifest("coco-person"))
    found = read_found(written(results_of(task.manifest)[:5]), task)
    metrics = metrics_named(["mAP50"], task.labels, "coco")
    ends = [score_detections(task, found, metrics, "coco", Bootstrap("image", 50, seed)) for seed in (1, 1, 2)]
    one, again, other = ((s.metrics["mAP50"].low, s.metrics["mAP50"].high) for s in ends)
    assert one == again != other
    assert 0 <= one[0] <= ends[0].metrics["mAP50"].value <= one[1] <= 1
    assert one[0] < one[1]


def test_pycocotools_agrees_or_the_score_is_refused(sample_manifest, written) -> None:
    import msgspec

    task = read_task(sample_manifest("coco-person"))
    found = read_found(written(results_of(task.manifest)[:6]), task)
    score = score_detections(task, found, default_metrics(task.labels))
    assert cross_check(task, found, score) == "pycocotools gives the same 7 values, to the last bit"
    wrong = msgspec.structs.replace(score.metrics["AP"], value=0.123)
    with pytest.raises(UsageError, match=r"differs from pycocotools: AP 0.123 \(pycocotools 0.\d+\)"):
        cross_check(task, found, msgspec.structs.replace(score, metrics=score.metrics | {"AP": wrong}))
    with pytest.raises(UsageError, match="pycocotools knows the protocol coco alone, not voc2007"):
        cross_check(task, found, msgspec.structs.replace(score, protocol="voc2007"))
    ignoring = read_task(sample_manifest("coco-person", small_person__on_small="ignore"))
    with pytest.raises(UsageError, match="pycocotools ignores crowds alone"):
        cross_check(ignoring, read_found(written([]), ignoring), score)


def test_wrong_names_are_refused(sample_manifest, written) -> None:
    manifest, path = sample_manifest("coco-person"), written([])

    def refuse(match: str, **changes: Any) -> None:
        with pytest.raises(UsageError, match=match):
            score_file(manifest, path, Request(resamples=0, **changes))

    refuse(r"unknown protocol 'voc'; did you mean", protocol="voc")
    refuse(r"unknown category 'dog' \(known: person\)", metrics=["AP50(dog)"])
    refuse("AR100 is not defined by VOC", protocol="voc2007", metrics=["AR100"])
    refuse("mAP is ambiguous", metrics=["mAP"])
    refuse("unknown engine 'cocoapi'", engine="cocoapi")
    refuse("unknown split 'test'", split="test")


def test_a_run_against_itself_differs_by_nothing(sample_manifest, written) -> None:
    manifest = sample_manifest("coco-person")
    better, worse = written(results_of(manifest)), written(results_of(manifest)[:4], "worse.json")

    def lines(a: Path, b: Path) -> Any:
        found = compare_files(manifest, (a, b), Request(metrics=["AP50(person)"], resamples=50, seed=1))
        return found.metrics["AP50(person)"]

    same, differing, reverse = lines(better, better), lines(better, worse), lines(worse, better)
    assert (same.difference, same.low, same.high) == (0, 0, 0)
    assert differing.difference == pytest.approx(-reverse.difference)
    assert abs(differing.difference) > 0.3
