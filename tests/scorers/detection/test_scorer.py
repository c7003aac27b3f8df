"""Scores of detections on a manifest: perfect ones, dropped and unknown images, ignored persons, other definitions."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchwright.exporters import export
from schemas.errors import InputError, Problem, UsageError
from schemas.manifest import Manifest
from scorers.detection.scorer import SCORER
from scorers.run import compare, score
from scorers.score import Pair, Score
from scorers.task import task_of

Refused = Callable[..., tuple[Problem, ...]]

PROTOCOLS = SCORER.protocols
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


def scored(manifest: Manifest, path: Path, **options: Any) -> Score:
    return score(manifest, path, {"resamples": 0, **options})  # type: ignore[typeddict-item]


def values(score: Score) -> dict[str, float | None]:
    return {name: value.value for name, value in score.metrics.items()}


def split_of(name: str) -> str | None:
    return "val" if name == "densepose-person" else None


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", NAMES)
def test_the_truth_found_is_perfect(sample_manifest, written, name: str, protocol: str) -> None:
    manifest, split = sample_manifest(name), split_of(name)
    # VOC has no crowds, so a crowd that is not found is a miss.
    path = written(results_of(manifest, split, crowds=protocol != "coco"))
    found = scored(manifest, path, protocol=protocol, split=split)
    assert all(value == pytest.approx(1) for key, value in values(found).items() if not key.startswith("AR1"))
    assert found.counts["rows"] == found.counts["scored"] == manifest.table(split).num_rows


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
    found = scored(manifest, written(results), category_base=base, split=split_of(name))
    assert values(found)["mAP50"] == pytest.approx(1)
    assert found.warnings == []


def test_the_exported_yolo_labels_score_as_perfect(sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("densepose-person")
    export(manifest, "yolo", tmp_path / "yolo", "val")
    folder = tmp_path / "yolo/labels/val"
    for path in folder.iterdir():
        path.write_text("".join(f"{line} 0.5\n" for line in path.read_text().splitlines()))
    assert values(scored(manifest, folder, split="val"))["AP"] == pytest.approx(1)


def test_every_form_gives_the_same_score(sample_manifest, written, tmp_path: Path) -> None:
    manifest = sample_manifest("coco-person")
    results = results_of(manifest)[:5]
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
    expected = values(scored(manifest, written(results)))
    assert 0 < expected["AP"] < 1
    assert [values(scored(manifest, path)) == expected for path in paths] == [True] * 4


def test_images_that_the_build_dropped_are_left_out_and_counted(sample_manifest, written) -> None:
    manifest = sample_manifest("coco-person")
    results = results_of(manifest)
    further = [results[0] | {"image_id": image} for image in (700019, 700332, 700500)]
    alone, both = (scored(manifest, written(found)) for found in (results, further + results))
    assert values(alone) == values(both)
    assert both.counts == alone.counts
    assert both.warnings == ["3 detections are on images that the build dropped, and are left out"]


def test_yolo_files_of_dropped_images_are_left_out_too(sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("coco-person")
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels/COCO_val2014_000000700019.txt").write_text("0 .5 .5 .1 .1 .9\n0 .5 .5 .2 .2 .9\n")
    found = scored(manifest, tmp_path / "labels")
    assert found.warnings == ["2 detections are on images that the build dropped, and are left out"]
    assert found.counts["detections"] == 0


def test_images_that_nobody_knows_are_an_error_that_names_them(sample_manifest, written, refused: Refused) -> None:
    manifest = sample_manifest("coco-person")
    path = written([results_of(manifest)[0] | {"image_id": image} for image in (5, 6, 701203)])
    (problem,) = refused(scored, manifest, path)
    assert (problem.file, problem.field) == (str(path), "image_id")
    assert "2 unknown images (5, 6)" in problem.found


def test_classes_that_the_truth_does_not_have_are_counted(sample_manifest, written) -> None:
    manifest = sample_manifest("coco-person")
    results = results_of(manifest)
    found = scored(manifest, written([*results, results[0] | {"category_id": 18}, results[0] | {"category_id": "dog"}]))
    (warning,) = found.warnings
    for said in ("2 detections", "category_id 18 (1), dog (1)", "--category-base"):
        assert said in warning
    assert values(found)["AP"] == pytest.approx(1)


def test_no_detections_are_worth_0(sample_manifest, written) -> None:
    manifest = sample_manifest("coco-person")
    found = scored(manifest, written([]))
    assert set(values(found).values()) == {0.0}
    assert found.counts == {"rows": 6, "scored": 0, "truths": 10, "detections": 0}


@pytest.mark.parametrize("number", ["NaN", "nan"])
def test_scores_that_are_not_numbers_are_an_error(
    sample_manifest, tmp_path: Path, refused: Refused, number: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"image_id,category,x,y,width,height,score\n701203,person,1,2,3,4,{number}\n")
    (problem,) = refused(scored, sample_manifest("coco-person"), path)
    assert (problem.file, problem.field, problem.found) == (str(path), "score", repr(number))


def test_ids_that_images_share_cannot_name_them(sample_manifest, written) -> None:
    manifest = sample_manifest("voc-person", voc__image_id="first_digits_as_published")
    results = results_of(manifest)
    with pytest.raises((UsageError, InputError), match="use sample_id"):
        scored(manifest, written(results))
    owners = [row["sample_id"] for row in manifest.table().to_pylist() for _ in row["objects"]]
    named = [result | {"image_id": owner} for result, owner in zip(results, owners, strict=True)]
    assert values(scored(manifest, written(named)))["AP"] == pytest.approx(1)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_ignored_persons_are_neither_missed_nor_false(sample_manifest, written, protocol: str) -> None:
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


def test_difficult_persons_count_for_coco_and_not_for_voc(sample_manifest, written) -> None:
    manifest = sample_manifest("voc-person", small_person__on_small="off")
    easy = [not item["difficult"] for row in manifest.table().to_pylist() for item in row["objects"]]
    path = written([result for result, kept in zip(results_of(manifest), easy, strict=True) if kept])
    found = {protocol: values(scored(manifest, path, protocol=protocol))["mAP50"] for protocol in PROTOCOLS}
    assert (found["voc2007"], found["voc2010"]) == (pytest.approx(1), pytest.approx(1))
    assert found["coco"] == pytest.approx(0.7, abs=0.05)


@pytest.mark.parametrize(
    ("name", "settings", "base", "numbers"),
    [
        # Numbers are those of the source, or counted from a base in the order of all classes of the source.
        ("coco-person", {"category__keep": "all"}, None, {"person": 1, "dog": 18, "book": 84}),
        ("coco-person", {"category__keep": "all"}, 0, {"person": 0, "dog": 16, "book": 73}),
        ("coco-person", {"category__keep": "all"}, 1, {"person": 1, "dog": 17, "book": 74}),
        # A manifest of persons alone has one class.
        ("coco-person", {}, 0, {"person": 0}),
        ("voc-person", {}, None, {"person": 1}),
        ("voc-person", {"category__keep": "all", "person_present__required": False}, None, {"person": 15}),
        # Parts have no numbers in the source, so that none but the labels' own would do.
        ("densepose-person", {}, None, {"person": 1, "torso": 2}),
        ("densepose-person", {}, 1, {"person": 1, "torso": 2}),
        ("densepose-person", {}, 0, {"person": 0, "torso": 1}),
    ],
)
def test_numbers_of_classes(
    sample_manifest, written, name: str, settings: dict[str, Any], base: int | None, numbers: dict[str, int]
) -> None:
    manifest = sample_manifest(name, **settings)
    named = [result for result in results_of(manifest, split_of(name)) if result["category_id"] in numbers]
    path = written([result | {"category_id": numbers[result["category_id"]]} for result in named])
    metrics = [f"AP50({label})" for label in numbers]
    found = scored(manifest, path, split=split_of(name), category_base=base, metrics=metrics)
    assert values(found) == dict.fromkeys(metrics, pytest.approx(1))


def test_classes_may_be_numbered_by_a_file(sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("coco-person", category__keep="all")
    (tmp_path / "names.txt").write_text("dog\nperson\n")
    row = next(row for row in manifest.table().to_pylist() if not row["objects"][0]["crowd"])
    item = row["objects"][0]
    assert item["category"] == "person"
    centre = [(item["x"] + item["width"] / 2) / row["width"], (item["y"] + item["height"] / 2) / row["height"]]
    size = [item["width"] / row["width"], item["height"] / row["height"]]
    (tmp_path / "yolo").mkdir()
    (tmp_path / "yolo" / f"{row['sample_id']}.txt").write_text(" ".join(map(str, [1, *centre, *size, 0.9])))
    found = scored(manifest, tmp_path / "yolo", classes=tmp_path / "names.txt", metrics=["AP50(person)", "AP50(dog)"])
    assert (values(found)["AP50(person)"] > 0, values(found)["AP50(dog)"]) == (True, 0)


def test_detections_of_no_known_class_are_a_mistake(sample_manifest, written) -> None:
    manifest = sample_manifest("coco-person")
    path = written([result | {"category_id": "Persons"} for result in results_of(manifest)])
    with pytest.raises(UsageError, match=r"Persons \(9\).*did you mean person"):
        scored(manifest, path)


def test_ids_in_two_columns_must_name_one_image(sample_manifest, tmp_path: Path, refused: Refused) -> None:
    manifest = sample_manifest("coco-person")
    one, two = manifest.table().select(["image_id", "sample_id"]).to_pylist()[:2]
    columns = {"category": ["person"], "x": [1.0], "y": [1.0], "width": [1.0], "height": [1.0], "score": [1.0]}
    for sample_id in (one["sample_id"], two["sample_id"]):
        ids = {"image_id": [one["image_id"]], "sample_id": [sample_id]}
        pq.write_table(pa.table(ids | columns), tmp_path / f"{sample_id}.parquet")
    assert scored(manifest, tmp_path / f"{one['sample_id']}.parquet").counts["detections"] == 1
    (problem,) = refused(scored, manifest, tmp_path / f"{two['sample_id']}.parquet")
    assert str(one["image_id"]) in problem.found
    assert two["sample_id"] in problem.found


@pytest.mark.parametrize(("of", "count"), [("person_and_parts", 9), ("parts", 8), ("person", 1)])
def test_only_classes_that_were_asked_for_are_scored(sample_manifest, written, of: str, count: int) -> None:
    manifest = sample_manifest("densepose-person", classes__of=of)
    found = scored(manifest, written(results_of(manifest, "val")), split="val")
    assert len([name for name in values(found) if name.startswith("AP50(")]) == count
    assert found.warnings == []


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


def test_a_class_without_boxes_has_no_value_and_says_so(sample_manifest, written) -> None:
    manifest = sample_manifest("densepose-person", small_person__on_small="drop_image", small_person__min_area=1e9)
    found = scored(manifest, written([]), split="val")
    assert set(values(found).values()) == {None}
    assert found.warnings[0].startswith("AP50(person) has no value: ")


def test_intervals_enclose_the_value_and_depend_on_the_seed(sample_manifest, written) -> None:
    manifest = sample_manifest("coco-person")
    path = written(results_of(manifest)[:5])
    one, again, other = (
        score(manifest, path, {"metrics": ["mAP50"], "resamples": 50, "seed": seed}).metrics["mAP50"]
        for seed in (1, 1, 2)
    )
    assert one == again != other
    assert 0 <= one.low <= one.value <= one.high <= 1
    assert one.low < one.high


def test_pycocotools_agrees_or_the_score_is_refused(sample_manifest, written) -> None:
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


def test_a_value_that_differs_from_pycocotools_is_refused(sample_manifest, written) -> None:
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
def test_wrong_names_are_refused(sample_manifest, written, options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        scored(sample_manifest("coco-person"), written([]), **options)


def test_a_run_against_itself_differs_by_nothing(sample_manifest, written) -> None:
    manifest = sample_manifest("coco-person")
    better, worse = written(results_of(manifest)), written(results_of(manifest)[:4], "worse.json")

    def pair(a: Path, b: Path) -> Pair:
        options = {"metrics": ["AP50(person)"], "resamples": 50, "seed": 1}
        return compare(manifest, a, b, options).metrics["AP50(person)"]  # type: ignore[arg-type]

    same, differing, reverse = pair(better, better), pair(better, worse), pair(worse, better)
    assert (same.difference, same.low, same.high) == (0, 0, 0)
    assert differing.difference == pytest.approx(-reverse.difference)
    assert abs(differing.difference) > 0.3
