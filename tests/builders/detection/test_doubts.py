"""Sources whose boxes cannot be meant so are built as they are given, with a warning; right ones without."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from builders.detection.candidates import box_candidates
from builders.engine.run import Build
from schemas.box_readings import READINGS, XYWH, Reading, numbers_of
from schemas.notices import Notice

BuildOf = Callable[..., Build]
ALL = {"source__split": "site", "category__keep": "all", "small_person__on_small": "off"}


def warnings(build: Build) -> list[tuple[str, str, int]]:
    return [(found.place, found.check, found.count) for found in build.identity.warnings]


def test_boxes_as_corners_are_built_as_given_and_said_to_look_like_corners(build_of: BuildOf, cases: Path) -> None:
    build = build_of("coco-person", cases / "boxes-as-corners", **ALL)
    assert warnings(build) == [("objects", "layout", 6)]
    (found,) = build.identity.warnings
    assert found.message == (
        "6 of 9 boxes that were compared are unlike the bounds of their polygons: they look like corners [x1, y1, x2,"
        " y2], by which the mean IoU is 1.00 instead of 0.39; [x, y, width, height] in pixels are expected (such as in"
        " '11')"
    )
    (first, *_), *_ = (row["objects"] for row in build.splits["site"].to_pylist())
    assert [first[name] for name in ("x", "y", "width", "height")] == [20, 30, 120, 230]


def test_an_image_for_each_box_is_doubtful(build_of: BuildOf, cases: Path) -> None:
    build = build_of("coco-person", cases / "one-image-per-box", **ALL)
    assert warnings(build) == [("images", "names", 8)]
    assert "no image has more than one box" in build.identity.warnings[0].message


def test_boxes_unlike_their_polygons_are_counted(build_of: BuildOf, cases: Path) -> None:
    build = build_of("coco-person", cases / "boxes-beyond", **ALL)
    assert warnings(build) == [("objects", "polygon", 5)]
    assert (build.identity.findings["boxes beyond their image"], build.identity.findings["boxes without area"]) == (
        4,
        1,
    )


@pytest.mark.parametrize("name", ["coco-person", "voc-person", "densepose-person"])
def test_right_samples_are_built_without_a_warning(build_of: BuildOf, name: str) -> None:
    assert build_of(name).identity.warnings == []


@pytest.fixture
def site(build_of: BuildOf, cases: Path, tmp_path: Path) -> Callable[..., list[Notice]]:
    """The warnings of a build of the right source, with each annotation changed."""
    document = json.loads((cases / "sources" / "instances_site.json").read_text())

    def call(change: Callable[[dict[str, Any]], dict[str, Any]]) -> list[Notice]:
        annotations = [annotation | change(annotation) for annotation in document["annotations"]]
        (tmp_path / "instances_site.json").write_text(json.dumps(document | {"annotations": annotations}))
        return build_of("coco-person", tmp_path, **ALL).identity.warnings

    return call


def test_the_right_source_raises_no_doubt(site: Callable[..., list[Notice]]) -> None:
    assert site(lambda _: {}) == []
    assert site(lambda _: {"bbox_mode": 1}) == []
    assert site(lambda _: {"segmentation": []}) == []
    assert site(lambda _: {"segmentation": {"counts": [1, 2], "size": [480, 640]}}) == []
    assert site(lambda found: {"bbox": [round(side) + 0.4 for side in found["bbox"]]}) == []


@pytest.mark.parametrize("reading", [each for each in READINGS if each != XYWH], ids=str)
def test_every_other_reading_is_recognised_by_the_polygons(site: Callable[..., list[Notice]], reading: Reading) -> None:
    sizes = np.array([[640.0], [480.0]])

    def written(found: dict[str, Any]) -> dict[str, Any]:
        return {"bbox": numbers_of(np.array([found["bbox"]]).T, sizes, reading).ravel().tolist()}

    (found,) = site(written)
    assert (found.check, f"they look like {reading}, by which the mean IoU is 1.00" in found.message) == (
        "layout",
        True,
    )


@pytest.mark.parametrize("layout", ["xyxy", "yxyx"])
@pytest.mark.parametrize("scale", ["pixels", "fractions"])
def test_without_polygons_areas_tell(site: Callable[..., list[Notice]], layout: str, scale: str) -> None:
    reading, sizes = Reading(layout, scale), np.array([[640.0], [480.0]])

    def written(found: dict[str, Any]) -> dict[str, Any]:
        box = numbers_of(np.array([found["bbox"]]).T, sizes, reading).ravel().tolist()
        return {"bbox": box, "area": found["bbox"][2] * found["bbox"][3], "segmentation": []}

    (found,) = site(written)
    assert found.check == "layout"
    assert str(Reading("xyxy", scale)) in found.message  # areas do not tell which axis is first


def test_areas_of_masks_are_not_those_of_boxes(site: Callable[..., list[Notice]]) -> None:
    assert site(lambda found: {"area": found["bbox"][2] * found["bbox"][3] * 0.6, "segmentation": []}) == []


def test_other_modes_of_boxes_are_told(site: Callable[..., list[Notice]]) -> None:
    modes = iter([0, 1, 1, "BoxMode.XYXY_ABS", 3, 1, 1, 1, 1])
    found = site(lambda _: {"bbox_mode": next(modes)})
    assert [(warning.check, warning.count) for warning in found] == [("mode", 2), ("mode", 1)]
    assert "the bbox_mode XYXY_ABS" in found[0].message


def test_boxes_under_a_pixel_are_counted(site: Callable[..., list[Notice]]) -> None:
    (found,) = site(lambda found: {"bbox": [9, 9, 0.5, 20], "segmentation": []} if found["id"] == 102 else {})
    assert (found.place, found.check, found.count, found.example) == ("objects", "pixel", 1, "11")


def test_tables_of_ones_own_are_looked_at_too() -> None:
    images = pd.DataFrame({"sample_id": list("abcd"), "width": 100, "height": 80})
    box = {"category": "crack", "x": 60.0, "y": 30.0, "width": 90.0, "height": 70.0}
    objects = pd.DataFrame([box | {"sample_id": name} for name in "abcd"])
    (found,) = box_candidates(images, objects, "test").warnings
    assert (found.check, found.count, "corners [x1, y1, x2, y2]" in found.message) == ("layout", 4, True)
    polygon = [[60.0, 30.0, 90.0, 30.0, 90.0, 70.0]]
    (found,) = box_candidates(images, objects.assign(segmentation=[polygon] * 4), "test").warnings
    assert (found.check, found.count, "mean IoU is 1.00" in found.message) == ("layout", 4, True)


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("file", "split"),
    [
        ("instances_val2014_100.json", "val2014"),
        ("tiny_coco_instances_val2017.json", "val2017"),
        ("COCO-MINI_instances_val2017.json", "val2017"),
    ],
)
def test_real_images_raise_no_doubt(build_of: BuildOf, real_data: Path, file: str, split: str) -> None:
    build = build_of("coco-person", real_data, {"instances": real_data / "coco" / file}, source__split=split)
    assert build.identity.warnings == []


@pytest.mark.real_data
def test_real_voc_raises_no_doubt(build_of: BuildOf, real_data: Path) -> None:
    assert build_of("voc-person", real_data / "voc", source__split="all").identity.warnings == []
