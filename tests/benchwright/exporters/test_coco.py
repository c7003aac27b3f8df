"""Detection manifests as COCO instances, read back by pycocotools."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import supervision as sv
from PIL import Image
from pycocotools.coco import COCO

from benchwright.exporters import export
from schemas.cards import card_named
from schemas.errors import UsageError

NAMES = ["coco-person", "voc-person", "densepose-person"]


def read_back(path: Path) -> Any:
    with contextlib.redirect_stdout(io.StringIO()):
        return COCO(str(path))


@pytest.mark.parametrize("base", [0, 1, 7])
@pytest.mark.parametrize("name", NAMES)
def test_pycocotools_reads_the_same_boxes(sample_manifest, tmp_path: Path, name: str, base: int) -> None:
    manifest = sample_manifest(name)
    written = export(manifest, "coco", tmp_path / "truth.json", category_base=base)
    coco = read_back(tmp_path / "truth.json")
    rows = manifest.table().to_pylist()
    assert written["images"] == len(coco.imgs) == len(rows)
    assert written["annotations"] == len(coco.anns) == sum(len(row["objects"]) for row in rows)
    names = {number: category["name"] for number, category in coco.cats.items()}
    assert coco.getCatIds(supNms=["person"]) == [base]
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


def test_supervision_reads_the_same_boxes(sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("densepose-person")
    export(manifest, "coco", tmp_path / "truth.json")
    rows = {row["file_name"]: row for row in manifest.table().to_pylist()}
    for name, row in rows.items():
        Image.new("RGB", (row["width"], row["height"])).save(tmp_path / name)
    found = sv.DetectionDataset.from_coco(str(tmp_path), str(tmp_path / "truth.json"))
    assert len(found) == len(rows)
    for path, _, boxes in found:
        objects = rows[Path(path).name]["objects"]
        assert [found.classes[number] for number in boxes.class_id] == [item["category"] for item in objects]
        corners = [[o["x"], o["y"], o["x"] + o["width"], o["y"] + o["height"]] for o in objects]
        assert boxes.xyxy == pytest.approx(np.array(corners), abs=1e-3)


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


def test_ids_that_the_source_does_not_have_are_not_clashes(sample_manifest, tmp_path: Path) -> None:
    assert export(sample_manifest("voc-person"), "coco", tmp_path / "voc.json")["renumbered"] == 0
    assert sorted(read_back(tmp_path / "voc.json").anns) == [1, 2, 3, 4, 5, 6]


def test_ignored_objects_say_so(sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("coco-person", small_person__on_small="ignore")
    export(manifest, "coco", tmp_path / "truth.json")
    items = json.loads((tmp_path / "truth.json").read_text())["annotations"]
    assert [item["id"] for item in items if item["ignore"]] == [183023, 183020, 183027]


def test_one_split_or_all(sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("densepose-person")
    counts = [
        export(manifest, "coco", tmp_path / f"{split}.json", split=split)["images"] for split in ("train", "val", None)
    ]
    assert counts == [3, 2, 5]
    with pytest.raises(UsageError, match="unknown split 'test'"):
        export(manifest, "coco", tmp_path / "a.json", split="test")


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


@pytest.mark.parametrize("format", ["coco", "yolo"])
def test_spans_are_not_boxes(sample_manifest, tmp_path: Path, format: str) -> None:
    with pytest.raises(UsageError, match=r"not a detection manifest \(no column objects\)"):
        export(sample_manifest("uag-oops"), format, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_difficult_and_ignored_are_attributes(sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("voc-person", small_person__on_small="ignore")
    written = export(manifest, "coco", tmp_path / "truth.json")
    items = [item for row in manifest.table().to_pylist() for item in row["objects"]]
    found = [each.get("attributes", {}) for each in json.loads((tmp_path / "truth.json").read_text())["annotations"]]
    assert [each.get("difficult") for each in found] == [item["difficult"] for item in items]
    assert [each.get("ignored", False) for each in found] == [item["ignored"] for item in items]
    assert {True, False} <= {item["difficult"] for item in items}
    assert written["difficult"] == sum(item["difficult"] is True for item in items)
