"""Detection manifests as COCO instances and as YOLO folders, read back."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pycocotools.coco import COCO

from benchwright.exporters import export
from benchwright.exporters.yolo import write_yolo
from schemas.cards import card_named
from schemas.digest import split_digest
from schemas.errors import InputError, UsageError
from schemas.identity import Split
from schemas.manifest import Manifest

NAMES = ["coco-person", "voc-person", "densepose-person"]


def read_back(path: Path) -> Any:
    with contextlib.redirect_stdout(io.StringIO()):
        return COCO(str(path))


@pytest.mark.parametrize("base", [0, 1, 7])
@pytest.mark.parametrize("name", NAMES)
def test_pycocotools_reads_the_same_boxes(sample_manifest, tmp_path: Path, name: str, base: int) -> None:
    manifest = sample_manifest(name)
    written = export(manifest, "coco", tmp_path / "truth.json", base=base)
    coco = read_back(tmp_path / "truth.json")
    rows = manifest.table().to_pylist()
    assert written["images"] == len(coco.imgs) == len(rows)
    assert written["annotations"] == len(coco.anns) == sum(len(row["objects"]) for row in rows)
    names = {number: category["name"] for number, category in coco.cats.items()}
    assert names == {base + place: label for place, label in enumerate(card_named(name).labels)}
    for row in rows:
        image = coco.imgs[row["image_id"]]
        assert [image[key] for key in ("file_name", "width", "height")] == [
            row[key] for key in ("file_name", "width", "height")
        ]
        found = [
            (names[item["category_id"]], *item["bbox"], item["area"], item["iscrowd"])
            for item in coco.imgToAnns[row["image_id"]]
        ]
        sides = ("category", "x", "y", "width", "height", "area", "crowd")
        assert found == [tuple(item[side] for side in sides) for item in row["objects"]]


def test_ids_stay_where_they_can_and_clashes_are_counted(sample_manifest, tmp_path: Path) -> None:
    written = export(sample_manifest("coco-person"), "coco", tmp_path / "coco.json")
    # 0 is a valid id that pycocotools takes for unmatched.
    assert written["renumbered"] == 1
    ids = set(read_back(tmp_path / "coco.json").anns)
    assert {183021, 900_100_700_602, 908_400_700_604} <= ids
    assert 0 not in ids
    written = export(sample_manifest("densepose-person"), "coco", tmp_path / "parts.json")
    # Two persons with the id 51001 clash, and those of their parts that both have: torso, a hand, arms, head.
    assert written["renumbered"] == 6
    ids = [item["id"] for item in json.loads((tmp_path / "parts.json").read_text())["annotations"]]
    assert len(set(ids)) == len(ids)


def test_ids_that_the_source_does_not_have_are_no_clashes(sample_manifest, tmp_path: Path) -> None:
    assert export(sample_manifest("voc-person"), "coco", tmp_path / "voc.json")["renumbered"] == 0
    assert sorted(read_back(tmp_path / "voc.json").anns) == [1, 2, 3, 4, 5, 6]


def test_ignored_objects_say_so(sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("coco-person", small_person__on_small="ignore")
    export(manifest, "coco", tmp_path / "truth.json")
    items = json.loads((tmp_path / "truth.json").read_text())["annotations"]
    assert [item["id"] for item in items if item["ignore"]] == [183023, 183020, 183027]


def test_one_split_or_all(sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("densepose-person")
    counts = [export(manifest, "coco", tmp_path / "a.json", split)["images"] for split in ("train", "val", None)]
    assert counts == [3, 2, 5]
    with pytest.raises(UsageError, match="unknown split 'test'"):
        export(manifest, "coco", tmp_path / "a.json", "test")


@pytest.mark.parametrize(
    ("of", "labels"),
    [("person_and_parts", slice(None)), ("parts", slice(1, None)), ("person", slice(0, 1))],
)
def test_classes_are_numbered_among_those_asked_for(sample_manifest, tmp_path: Path, of: str, labels: slice) -> None:
    manifest = sample_manifest("densepose-person", classes__of=of)
    export(manifest, "coco", tmp_path / "truth.json")
    names = [category["name"] for category in read_back(tmp_path / "truth.json").cats.values()]
    assert names == card_named("densepose-person").labels[labels]


def test_images_that_share_an_id_are_refused(sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("voc-person", voc__image_id="first_digits_as_published")
    with pytest.raises(UsageError, match="2 images share an id with another"):
        export(manifest, "coco", tmp_path / "truth.json")
    assert not (tmp_path / "truth.json").exists()


@pytest.mark.parametrize("form", ["coco", "yolo"])
def test_spans_are_no_boxes(sample_manifest, tmp_path: Path, form: str) -> None:
    with pytest.raises(UsageError, match=r"not a detection manifest \(no column objects\)"):
        export(sample_manifest("uag-oops"), form, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.fixture
def changed(sample_manifest, tmp_path: Path) -> Callable[..., Manifest]:
    """The images of val as the only split of a manifest, with other values of `file_name` and sizes."""

    def change(**columns: list[Any]) -> Manifest:
        manifest = sample_manifest("densepose-person")
        table = manifest.table("val")
        for name, values in columns.items():
            place = table.schema.get_field_index(name)
            table = table.set_column(place, table.field(name), pa.array(values, table.field(name).type))
        folder = tmp_path / "changed"
        (folder / "data").mkdir(parents=True)
        pq.write_table(table, folder / "data/val-00000-of-00001.parquet")
        splits = {"val": Split(table.num_rows, split_digest(table))}
        return Manifest(folder, replace_splits(manifest, splits))

    return change


def replace_splits(manifest: Manifest, splits: dict[str, Any]) -> Any:
    import msgspec

    return msgspec.structs.replace(manifest.identity, splits=splits)


def test_yolo_labels_are_the_boxes(sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("densepose-person")
    written = export(manifest, "yolo", tmp_path / "yolo")
    rows = manifest.table().to_pylist()
    assert written == {
        "images": 5,
        "labels": sum(len(row["objects"]) for row in rows),
        "crowds and ignored boxes left out": 0,
    }
    labels = card_named("densepose-person").labels
    for row in rows:
        stem = row["file_name"].removesuffix(".jpg")
        lines = (tmp_path / f"yolo/labels/{row['split']}/{stem}.txt").read_text().splitlines()
        for line, item in zip(lines, row["objects"], strict=True):
            number, x, y, width, height = map(float, line.split())
            assert labels[int(number)] == item["category"]
            sides = [width * row["width"], height * row["height"]]
            corner = [x * row["width"] - sides[0] / 2, y * row["height"] - sides[1] / 2]
            assert corner + sides == pytest.approx([item[side] for side in ("x", "y", "width", "height")], abs=1e-6)
    data = (tmp_path / "yolo/data.yaml").read_text()
    assert data.startswith('path: .\ntrain: images/train\nval: images/val\nnames:\n  0: "person"\n  1: "torso"\n')


def test_yolo_leaves_out_what_it_cannot_say(sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("voc-person", small_person__on_small="ignore", source__split="all")
    known = [row for row in manifest.table().to_pylist() if row["width"]]
    assert sum(item["ignored"] for row in known for item in row["objects"]) > 0
    with pytest.raises(InputError) as failure:
        export(manifest, "yolo", tmp_path / "yolo")
    assert [problem.record for problem in failure.value.problems if problem.field == "width"] == [
        "'2009_000002'",
        "'2010_000003'",
    ]
    manifest = sample_manifest("densepose-person", small_person__on_small="ignore", small_person__min_area=7000)
    written = export(manifest, "yolo", tmp_path / "yolo", "val")
    ignored = sum(item["ignored"] for row in manifest.table("val").to_pylist() for item in row["objects"])
    assert written["crowds and ignored boxes left out"] == ignored == 15


@pytest.mark.parametrize(
    "names",
    [
        ["same.jpg", "folder/same.png"],
        ["..", "b.jpg"],
        ["C:\\photos\\a.jpg", "b.jpg"],
        ["nul\0.jpg", "b.jpg"],
        ["x" * 300 + ".jpg", "b.jpg"],
        [".", "b.jpg"],
    ],
)
def test_names_that_are_no_file_s_are_refused(changed, tmp_path: Path, names: list[str]) -> None:
    with pytest.raises(InputError) as refused:
        write_yolo(changed(file_name=names), tmp_path / "yolo")
    twice = "same.jpg" in names
    expected = "another name than that of other images" if twice else "the name of a file"
    assert [problem.expected for problem in refused.value.problems] == [expected] * (1 + twice)
    assert {problem.field for problem in refused.value.problems} == {"file_name"}
    assert not (tmp_path / "yolo").exists()


def test_folders_in_names_are_left_out(changed, tmp_path: Path) -> None:
    write_yolo(changed(file_name=["../../outside/a.b.jpg", "фото 0.jpg"]), tmp_path / "yolo")
    assert sorted(path.name for path in (tmp_path / "yolo/labels/val").iterdir()) == ["a.b.txt", "фото 0.txt"]
    assert not (tmp_path.parent / "outside").exists()


def test_samples_without_a_file_name_give_their_own(changed, tmp_path: Path) -> None:
    write_yolo(changed(file_name=[None, "b.jpg"], sample_id=["v1.2", "b"]), tmp_path / "yolo")
    assert sorted(path.name for path in (tmp_path / "yolo/labels/val").iterdir()) == ["b.txt", "v1.2.txt"]


def test_yolo_needs_a_new_or_empty_folder(sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("densepose-person")
    (tmp_path / "yolo").mkdir()
    export(manifest, "yolo", tmp_path / "yolo")
    with pytest.raises(UsageError, match="is there already; expected a new or empty folder"):
        export(manifest, "yolo", tmp_path / "yolo")
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UsageError, match="is there already"):
        export(manifest, "yolo", tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_the_verb_counts_what_it_wrote(run, refused, sample_manifest, tmp_path: Path) -> None:
    folder = sample_manifest("coco-person").path
    ran = run("export", folder, "--to", "coco", "--out", tmp_path / "a.json", "--category-base", 0, "--json")
    assert (ran.code, ran.json["images"], ran.json["annotations"], ran.json["renumbered"]) == (0, 6, 10, 1)
    assert "unknown format 'voc'" in refused("export", folder, "--to", "voc", "--out", tmp_path / "b")
    assert "expected width and height" in refused("export", folder, "--to", "yolo", "--out", tmp_path / "c")


def test_ignored_boxes_are_counted_as_other_tools_count_them(run, sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("coco-person", small_person__on_small="ignore")
    ran = run("export", manifest.path, "--to", "coco", "--out", tmp_path / "instances.json")
    assert (ran.code, "ignored" in ran.out) == (0, True)
    assert ran.err.startswith("warning: pycocotools counts ignored boxes")
    assert run("export", sample_manifest("coco-person").path, "--to", "coco", "--out", tmp_path / "a.json").err == ""


def test_numbers_that_are_not_the_sources_are_told(run, sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("coco-person", category__keep="all")
    ran = run("export", manifest.path, "--to", "coco", "--out", tmp_path / "instances.json")
    assert "score results of these numbers with --category-base 1" in ran.err
    assert run("export", sample_manifest("coco-person").path, "--to", "coco", "--out", tmp_path / "a.json").err == ""
