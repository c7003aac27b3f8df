"""Which image and which class each detection means: formats, dropped and unknown images, numbers of classes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.errors import InputError, Problem, UsageError
from scorers.score import Score

Refused = Callable[..., tuple[Problem, ...]]


def values(score: Score) -> dict[str, float | None]:
    return {name: value.value for name, value in score.metrics.items()}


def test_every_form_gives_the_same_score(sample_manifest, scored, results_of, written, tmp_path: Path) -> None:
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


def test_images_that_the_build_dropped_are_left_out_and_counted(sample_manifest, scored, results_of, written) -> None:
    manifest = sample_manifest("coco-person")
    results = results_of(manifest)
    further = [results[0] | {"image_id": image} for image in (700019, 700332, 700500)]
    alone, both = (scored(manifest, written(found)) for found in (results, further + results))
    assert values(alone) == values(both)
    assert both.counts == alone.counts
    assert both.warnings == [
        "1 detection is on images dropped by rule person_present ('700500') and is left out",
        "2 detections are on images dropped by rule small_person ('700019', '700332') and are left out",
    ]


def test_yolo_files_of_dropped_images_are_left_out_too(sample_manifest, scored, tmp_path: Path) -> None:
    manifest = sample_manifest("coco-person")
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels/COCO_val2014_000000700019.txt").write_text("0 .5 .5 .1 .1 .9\n0 .5 .5 .2 .2 .9\n")
    found = scored(manifest, tmp_path / "labels")
    assert found.warnings == [
        "2 detections are on images dropped by rule small_person ('700019') and are left out",
    ]
    assert found.counts["detections"] == 0


def test_images_that_nobody_knows_are_an_error_that_names_them(
    sample_manifest, scored, results_of, written, refused: Refused
) -> None:
    manifest = sample_manifest("coco-person")
    path = written([results_of(manifest)[0] | {"image_id": image} for image in (5, 6, 701203)])
    (problem,) = refused(scored, manifest, path)
    assert (problem.file, problem.field) == (str(path), "image_id")
    assert "2 unknown images (5, 6)" in problem.found


def test_classes_that_the_truth_does_not_have_are_counted(sample_manifest, scored, results_of, written) -> None:
    manifest = sample_manifest("coco-person")
    results = results_of(manifest)
    found = scored(manifest, written([*results, results[0] | {"category_id": 18}, results[0] | {"category_id": "dog"}]))
    (warning,) = found.warnings
    for said in ("2 detections", "category_id 18 (1), dog (1)", "--category-base"):
        assert said in warning
    assert values(found)["AP"] == pytest.approx(1)


@pytest.mark.parametrize("number", ["NaN", "nan"])
def test_scores_that_are_not_numbers_are_an_error(
    sample_manifest, scored, tmp_path: Path, refused: Refused, number: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"image_id,category,x,y,width,height,score\n701203,person,1,2,3,4,{number}\n")
    (problem,) = refused(scored, sample_manifest("coco-person"), path)
    assert (problem.file, problem.field, problem.found) == (str(path), "score", repr(number))


def test_ids_that_images_share_cannot_name_them(sample_manifest, scored, results_of, written) -> None:
    manifest = sample_manifest("voc-person", voc__image_id="first_digits_as_published")
    results = results_of(manifest)
    with pytest.raises((UsageError, InputError), match="use sample_id"):
        scored(manifest, written(results))
    owners = [row["sample_id"] for row in manifest.table().to_pylist() for _ in row["objects"]]
    named = [result | {"image_id": owner} for result, owner in zip(results, owners, strict=True)]
    assert values(scored(manifest, written(named)))["AP"] == pytest.approx(1)


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
    sample_manifest,
    scored,
    results_of,
    written,
    name: str,
    settings: dict[str, Any],
    base: int | None,
    numbers: dict[str, int],
) -> None:
    manifest = sample_manifest(name, **settings)
    named = [result for result in results_of(manifest, manifest.splits[-1]) if result["category_id"] in numbers]
    path = written([result | {"category_id": numbers[result["category_id"]]} for result in named])
    metrics = [f"AP50({label})" for label in numbers]
    found = scored(manifest, path, split=manifest.splits[-1], category_base=base, metrics=metrics)
    assert values(found) == dict.fromkeys(metrics, pytest.approx(1))


def test_classes_may_be_numbered_by_a_file(sample_manifest, scored, tmp_path: Path) -> None:
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


def test_detections_of_no_known_class_are_a_mistake(sample_manifest, scored, results_of, written) -> None:
    manifest = sample_manifest("coco-person")
    path = written([result | {"category_id": "Persons"} for result in results_of(manifest)])
    with pytest.raises(UsageError, match=r"Persons \(9\).*did you mean person"):
        scored(manifest, path)


def test_ids_in_two_columns_must_name_one_image(sample_manifest, scored, tmp_path: Path, refused: Refused) -> None:
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
def test_only_classes_that_were_asked_for_are_scored(
    sample_manifest, scored, results_of, written, of: str, count: int
) -> None:
    manifest = sample_manifest("densepose-person", classes__of=of)
    found = scored(manifest, written(results_of(manifest, "val")), split="val")
    assert len([name for name in values(found) if name.startswith("AP50(")]) == count
    assert found.warnings == []
