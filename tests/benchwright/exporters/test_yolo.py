"""Detection manifests as YOLO folders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchwright.exporters import export
from benchwright.exporters.yolo import write_yolo
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
    with pytest.raises(UsageError, match="is there already; expected a new or empty folder"):
        export(manifest, "yolo", tmp_path / "yolo")
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UsageError, match="is there already"):
        export(manifest, "yolo", tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"
