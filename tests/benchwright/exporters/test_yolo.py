"""Detection manifests as YOLO folders."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import supervision as sv
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

import benchwright
from benchwright.exporters import export
from benchwright.exporters.yolo import data_yaml, write_yolo
from schemas.cards import card_named
from schemas.digest import split_digest
from schemas.errors import InputError, UsageError
from schemas.identity import Split
from schemas.manifest import Manifest


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
        "clipped to their image": 0,
        "boxes without area inside their image left out": 0,
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
    data = yaml.safe_load((tmp_path / "yolo/data.yaml").read_text())
    assert data == {"train": "images/train", "val": "images/val", "names": dict(enumerate(labels))}


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
    written = export(manifest, "yolo", tmp_path / "yolo", split="val")
    ignored = sum(item["ignored"] for row in manifest.table("val").to_pylist() for item in row["objects"])
    assert written["crowds and ignored boxes left out"] == ignored == 15


BEYOND = [
    [[-20.0, 10.0, 60.0, 30.0], [0.0, 10.0, 40.0, 30.0]],
    [[600.0, 470.0, 90.0, 180.0], [600.0, 470.0, 40.0, 10.0]],
    [[-5.0, -5.0, 1000.0, 1000.0], [0.0, 0.0, 640.0, 480.0]],
    [[0.1, 0.2, 639.9, 479.8], [0.1, 0.2, 639.9, 479.8]],
    [[640.0, 10.0, 50.0, 30.0], None],
    [[-50.0, 10.0, 50.0, 30.0], None],
    [[30.0, 30.0, 0.0, 30.0], None],
]


def test_boxes_beyond_their_image_are_clipped_or_left_out(tmp_path: Path) -> None:
    source = {
        "images": [{"id": 7, "file_name": "a.jpg", "width": 640, "height": 480}],
        "categories": [{"id": 1, "name": "person"}],
        "annotations": [
            {"id": place, "image_id": 7, "category_id": 1, "bbox": box, "area": 9000.0, "iscrowd": 0}
            for place, (box, _) in enumerate(BEYOND, 1)
        ],
    }
    (tmp_path / "instances_val2014.json").write_text(json.dumps(source))
    manifest = benchwright.build("coco-person", tmp_path, out=tmp_path / "manifests")
    written = export(manifest, "yolo", tmp_path / "yolo")
    assert written == {
        "images": 1,
        "labels": 4,
        "clipped to their image": 3,
        "boxes without area inside their image left out": 3,
        "crowds and ignored boxes left out": 0,
    }
    rows = [line.split() for line in (tmp_path / "yolo/labels/val2014/a.txt").read_text().splitlines()]
    assert all(0 <= float(number) <= 1 for row in rows for number in row)
    (tmp_path / "yolo/images/val2014").mkdir(parents=True)
    Image.new("RGB", (640, 480)).save(tmp_path / "yolo/images/val2014/a.jpg")
    # What sticks out of an image reads back as what is inside.
    (_, _, found), *_ = read_back(tmp_path / "yolo", "val")
    expected = [[x, y, x + width, y + height] for _, box in BEYOND if box for x, y, width, height in [box]]
    assert found.xyxy == pytest.approx(np.array(expected), abs=1e-4)


def read_back(folder: Path, key: str) -> Any:
    """A split as supervision reads it: path, image and boxes of each image."""
    data = yaml.safe_load((folder / "data.yaml").read_text())
    assert "path" not in data  # of which ultralytics would take `.` for its own data sets' folder
    images = folder / data[key]
    return sv.DetectionDataset.from_yolo(str(images), str(folder / "labels" / images.name), str(folder / "data.yaml"))


def test_supervision_reads_the_same_boxes(sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("densepose-person")
    export(manifest, "yolo", tmp_path / "yolo")
    for split in manifest.splits:
        rows = manifest.table(split).to_pylist()
        (tmp_path / "yolo/images" / split).mkdir(parents=True)
        for row in rows:
            Image.new("RGB", (row["width"], row["height"])).save(tmp_path / "yolo/images" / split / row["file_name"])
        found = read_back(tmp_path / "yolo", split)
        assert found.classes == card_named("densepose-person").labels
        by_name = {Path(path).name: boxes for path, _, boxes in found}
        for row in rows:
            boxes = by_name[row["file_name"]]
            assert [found.classes[number] for number in boxes.class_id] == [o["category"] for o in row["objects"]]
            corners = [[o["x"], o["y"], o["x"] + o["width"], o["y"] + o["height"]] for o in row["objects"]]
            assert boxes.xyxy == pytest.approx(np.array(corners), abs=1e-3)


@pytest.mark.parametrize(
    ("splits", "keys"),
    [
        (["train", "val"], {"train": "images/train", "val": "images/val"}),
        (["test"], {"train": None, "val": None, "test": "images/test"}),
        (["trainval"], {"train": "images/trainval", "val": None}),
        (["site"], {"train": None, "val": "images/site"}),
        (["val2014", "minival"], {"train": None, "val": ["images/val2014", "images/minival"]}),
        ([], {"train": None, "val": None}),
    ],
)
def test_splits_have_the_keys_that_ultralytics_reads(splits: list[str], keys: dict[str, Any]) -> None:
    assert yaml.safe_load(data_yaml(splits, ["a"])) == keys | {"names": {0: "a"}}


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
@example(["no", "1.5", "a: b # c", '"\\', "line\nbreak: x\ndownload: y", "\x7f\x85\u2028\ufeff\ufffe", "😀", "", " "])
def test_any_class_name_reads_back(labels: list[str]) -> None:
    read = yaml.safe_load(data_yaml(["val"], labels))
    assert (read["names"] or {}) == dict(enumerate(labels))
    assert set(read) == {"train", "val", "names"}


@pytest.mark.parametrize(
    "names",
    [
        ["same.jpg", "folder/same.png"],
        ["..", "b.jpg"],
        ["C:\\photos\\a.jpg", "b.jpg"],
        ["nul\0.jpg", "b.jpg"],
        ["line\nbreak.jpg", "b.jpg"],
        ["x" * 300 + ".jpg", "b.jpg"],
        [".", "b.jpg"],
    ],
)
def test_names_that_cannot_be_files_are_refused(changed, tmp_path: Path, names: list[str]) -> None:
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
    with pytest.raises(UsageError, match="is there already; --force replaces it"):
        export(manifest, "yolo", tmp_path / "yolo")
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UsageError, match="is a file; yolo writes a folder"):
        export(manifest, "yolo", tmp_path / "file", force=True)
    assert (tmp_path / "file").read_text() == "mine"
