"""Areas of segmentations: polygons as pycocotools draws them, run lengths added up; what is neither is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools import mask

from builders.raw.coco import InstanceTables, read_instances
from builders.raw.run_lengths import decode
from builders.raw.segmentations import mask_areas
from schemas.errors import Problem

SAMPLE = "coco/annotations/instances_val2014.json"


def raw(segmentation: Any) -> msgspec.Raw:
    return msgspec.Raw(json.dumps(segmentation).encode())


PLACES = [("a.json", f"annotation {place}") for place in range(9)]


def measured(tables: InstanceTables) -> tuple[np.ndarray, list[Problem]]:
    """The areas of all objects of a file, and what is wrong with them."""
    sizes = tables.images[["height", "width"]].fillna(0).to_numpy(np.int64)[tables.objects["parent"]]
    places = [(tables.file, f"annotation {key}") for key in tables.objects["key"]]
    return mask_areas(tables.segmentations, sizes, places)


COUNTS = [4, 1, 2, 1, 2, 1, 1]
TEXT = "412000O"


@pytest.mark.parametrize(
    ("segmentation", "area"),
    [
        ([[0, 0, 2, 0, 2, 3, 0, 3]], 6),
        ([[0, 0, 2, 0, 2, 3, 0, 3], [1, 0, 4, 0, 4, 3, 1, 3]], 12),
        ([[0, 0, 2, 0, 2, 3, 0, 3], [1, 1, 3, 3]], 6),
        ([[1, 1, 3, 3]], 0),
        ({"counts": COUNTS, "size": [3, 4]}, 3),
        ({"counts": TEXT, "size": [3, 4]}, 3),
        ({"counts": [12], "size": [3, 4]}, 0),
        ([], np.nan),
        (None, np.nan),
    ],
)
def test_mask_areas_of_every_shape(segmentation: Any, area: float) -> None:
    areas, problems = mask_areas([raw(segmentation)], np.array([[3, 4]]), PLACES)
    np.testing.assert_equal((areas.tolist(), problems), ([area], []))


@settings(max_examples=40)
@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_run_lengths_cover_what_pycocotools_says(height: int, width: int, seed: int) -> None:
    pixels = np.asfortranarray(np.random.default_rng(seed).integers(0, 2, (height, width), dtype=np.uint8))
    text = mask.encode(pixels)["counts"].decode()
    segmentations = [{"counts": counts, "size": [height, width]} for counts in (text, decode([text]).counts.tolist())]
    areas, _ = mask_areas([raw(value) for value in segmentations], np.array([[height, width]] * 2), PLACES)
    assert areas.tolist() == [pixels.sum()] * 2


LONG = "a" * 200


@pytest.mark.parametrize(
    ("segmentation", "place", "found", "expected"),
    [
        ({"counts": COUNTS, "size": [4, 3]}, ".size", "[4, 3]", "[3, 4], that of the image"),
        ({"counts": LONG, "size": [77, 88]}, ".size", "[77, 88]", "[3, 4], that of the image"),
        ({"counts": [4, 1], "size": [3, 4]}, ".counts", "5 pixels", "12, as the size has"),
        ({"counts": [4, 2**31], "size": [3, 4]}, ".counts", "2,147,483,652 pixels", "12, as the size has"),
        ({"counts": TEXT[:-1], "size": [3, 4]}, ".counts", "11 pixels", "12, as the size has"),
        ({"counts": TEXT + "P", "size": [3, 4]}, ".counts", f"'{TEXT}P'",
         "run lengths: a last character between '0' and 'O'"),
        ({"counts": "4 1", "size": [3, 4]}, ".counts", "'4 1'", "run lengths: characters between '0' and 'o'"),
        ({"counts": "4é1", "size": [3, 4]}, ".counts", "'4é1'", "run lengths: characters between '0' and 'o'"),
        ({"counts": [4, -1, 9], "size": [3, 4]}, ".counts[1]", "-1", "a whole number >= 0"),
        ({"counts": LONG, "size": [3, 4.5]}, ".size[1]", "4.5", "a whole number"),
        ({"counts": COUNTS}, ".size", "nothing", "a value"),
        ([[0, 0, 2, "0", 2, 3]], "[0][3]", "'0'", "a number"),
        ([0, 0, 2, 0, 2, 3], "[0]", "0", "a list"),
        ("a mask", "", "'a mask'", "polygons or run lengths"),
        ([[0, 0, 2, 0, 2, 3, 0]], "[0]", "7 numbers", "an x and a y for every point"),
        ([[1, 1], [0, 0, 2, 0, 2, 1e9]], "[1]", "1e+09", "coordinates near the image, -4 to 8"),
        ([[0, 0, -5, 0, 2, 3]], "[0]", "-5", "coordinates near the image, -4 to 8"),
    ],
)  # fmt: skip
def test_bad_segmentations(segmentation: Any, place: str, found: str, expected: str) -> None:
    """What is wrong is quoted itself: at the end of a long text it would be cut off."""
    areas, (problem,) = mask_areas([raw([[0, 0, 2, 0, 2, 3]]), raw(segmentation)], np.array([[3, 4]] * 2), PLACES)
    assert np.isnan(areas).tolist() == [False, True]
    assert (problem.file, problem.record, problem.field) == ("a.json", "annotation 1", f"segmentation{place}")
    assert (problem.found, problem.expected) == (found, expected)


def test_segmentations_are_not_looked_at_by_the_reader(samples: Path, tmp_path: Path) -> None:
    document = json.loads((samples / SAMPLE).read_text())
    document["annotations"][0]["segmentation"] = "a mask"
    path = tmp_path / "a.json"
    path.write_text(json.dumps(document))
    tables = read_instances(path)
    (problem,) = measured(tables)[1]
    assert (problem.file, problem.record) == (str(path), f"annotation {tables.objects['key'][0]}")


def test_polygons_need_the_size_of_the_image_and_run_lengths_their_own() -> None:
    polygon, unsized = raw([[0, 0, 2, 0, 2, 3]]), np.zeros((1, 2), np.int64)
    areas, _ = mask_areas([raw({"counts": TEXT, "size": [3, 4]})], unsized, PLACES)
    assert areas.tolist() == [3]
    _, (problem,) = mask_areas([polygon], unsized, PLACES)
    assert problem.expected == "an image with width and height to draw polygons on"
    _, (problem,) = mask_areas([polygon], np.array([[2**14, 2**15]]), PLACES)
    assert problem.expected == "an image of fewer than 50,331,648 pixels to draw polygons on"


def test_the_sample(samples: Path) -> None:
    tables = read_instances(samples / SAMPLE)
    areas, problems = measured(tables)
    by_key = dict(zip(tables.objects["key"].tolist(), areas.tolist(), strict=True))
    assert (by_key[183020], by_key[900100700602], by_key[183028], problems) == (1032, 3000, 3000, [])
    assert np.isnan(areas).sum() == 2


@pytest.mark.real_data
def test_real_images_of_val2014(real_data: Path) -> None:
    tables = read_instances(real_data / "coco" / "instances_val2014_100.json")
    objects = tables.objects.assign(mask_area=measured(tables)[0])
    # The file computes the area of polygons from their points, so pixels differ a little; it gives crowds up to 15 %
    # more than their masks cover.
    outlines = objects[~objects["crowd"]]
    assert np.allclose(outlines["mask_area"], outlines["area"], rtol=0.05, atol=30)
    crowds = objects[objects["crowd"]]
    assert ((crowds["mask_area"] <= crowds["area"]) & (crowds["mask_area"] > 0.85 * crowds["area"])).all()
