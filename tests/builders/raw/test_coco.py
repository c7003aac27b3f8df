from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools import mask

from builders.raw.coco import InstanceTables, read_instances
from builders.raw.run_lengths import decode

PERSON = {"id": 1, "name": "person"}
DOG = {"id": 18, "name": "dog"}


def image(number: int = 5, **fields: Any) -> dict[str, Any]:
    return {"id": number, "file_name": f"{number}.jpg", "width": 640, "height": 480} | fields


IMAGES = (image(),)


def annotation(number: Any = 7, **fields: Any) -> dict[str, Any]:
    known = {"id": number, "image_id": 5, "category_id": 1, "bbox": [1, 2, 30, 40.5], "area": 9.5, "iscrowd": 0}
    return {name: value for name, value in (known | fields).items() if value is not ...}


def document(*annotations: Any, images: Any = IMAGES, categories: Any = (PERSON, DOG)) -> dict[str, Any]:
    return {"images": images, "annotations": annotations, "categories": categories}


@pytest.fixture
def read(json_file):
    """Read a document of these annotations."""

    def call(*annotations: Any, masks: bool = False, **lists: Any) -> InstanceTables:
        return read_instances(json_file(document(*annotations, **lists)), masks=masks)

    return call


@pytest.fixture
def problems(read, refused):
    """The problems of a document of these annotations."""
    return lambda *annotations, **lists: refused(lambda: read(*annotations, **lists))


def test_the_sample(samples: Path) -> None:
    tables = read_instances(samples / "coco" / "annotations" / "instances_val2014.json", masks=True)
    images, objects = tables.images, tables.objects
    assert (len(images), len(objects), tables.categories["name"].tolist()) == (12, 19, ["person", "dog", "book"])
    assert images["file_name"][5] == "../elsewhere/COCO_val2014_000000700777.jpg"
    assert (images["image_id"][11], images["file_name"][11]) == (0, "фото 0.jpg")
    assert images["width"].isna().tolist() == [False] * 9 + [True, True, False]
    crowd = objects[objects["crowd"]].set_index("key")
    assert crowd.loc[183020, ["area", "mask_area"]].tolist() == [1032, 1032]
    assert crowd.loc[900100700602, "mask_area"] == 3000
    assert objects.set_index("key").loc[183028, "mask_area"] == 3000
    assert objects.loc[objects["area"].isna(), "key"].tolist() == [183032]
    assert tables.findings == {
        "annotations of images that are not listed (left out)": 1,
        "ids written as floats": 1,
        "annotations marked `ignore` (a flag that COCO's evaluation disregards)": 1,
        "images without objects": 1,
        "images without width or height": 2,
        "annotation ids given more than once": 1,
        "boxes without area": 1,
        "boxes beyond their image": 2,
        "polygons of fewer than three points (they cover nothing)": 1,
        "objects without a segmentation": 2,
    }


def test_types(read) -> None:
    for tables in (read(annotation()), read()):
        assert tables.images.dtypes.astype(str).to_dict() == {
            "image_id": "int64", "file_name": str(tables.images["file_name"].dtype), "width": "Int64", "height": "Int64"
        }  # fmt: skip
        assert tables.objects.dtypes.astype(str).tolist() == ["int64"] * 3 + ["float64"] * 5 + ["bool"]
        assert list(tables.objects) == ["parent", "key", "category_id", "x", "y", "width", "height", "area", "crowd"]
    assert read(annotation(), masks=True).objects["mask_area"].dtype == np.float64


def test_objects_belong_to_their_image_whatever_the_order(read) -> None:
    images = [image(900), image(3), image(41)]
    tables = read(*(annotation(n, image_id=i) for n, i in ((1, 41), (2, 900), (3, 41), (4, 3))), images=images)
    assert tables.objects["parent"].tolist() == [2, 0, 2, 1]
    assert tables.images["image_id"].tolist() == [900, 3, 41]


def test_ids_need_64_bits_and_0_is_an_ordinary_id(read) -> None:
    largest = 2**63 - 1
    tables = read(annotation(largest), annotation(900100002299), annotation(0), annotation(-4))
    assert tables.objects["key"].tolist() == [largest, 900100002299, 0, -4]
    assert tables.findings == {}


def test_whole_floats_are_ids(read) -> None:
    tables = read(annotation(908400416500.0, image_id=5.0), annotation(2.0, category_id=1.0), images=[image(5.0)])
    assert tables.objects["key"].tolist() == [908400416500, 2]
    assert tables.findings == {"ids written as floats": 5}


def test_other_floats_are_no_ids(problems) -> None:
    found = problems(annotation(1.5), annotation(2, image_id=5.5), annotation(3, category_id=2.0**53), annotation(5.0))
    assert [(p.record, p.field, p.found) for p in found] == [
        ("annotation 1.5", "id", "1.5"),
        ("annotation 2", "image_id", "5.5"),
        ("annotation 3", "category_id", "9007199254740992.0"),
    ]


def test_areas_are_kept_as_stated_and_absent_ones_are_nan(read) -> None:
    areas = read(annotation(area=3), annotation(8, area=...), annotation(9, area=None)).objects["area"]
    assert areas.isna().tolist() == [False, True, True]
    assert areas[0] == 3.0


@pytest.mark.parametrize(("flag", "crowd"), [(0, False), (1, True), (True, True), (False, False), (..., False)])
def test_crowds(read, flag: Any, crowd: bool) -> None:
    assert read(annotation(iscrowd=flag)).objects["crowd"].tolist() == [crowd]


@pytest.mark.parametrize(
    ("annotations", "finding", "count"),
    [
        ([annotation(1), annotation(2, image_id=6)], "annotations of images that are not listed (left out)", 1),
        ([annotation(1), annotation(1), annotation(1)], "annotation ids given more than once", 2),
        ([annotation(bbox=[1, 1, 1.03, 0]), annotation(8, bbox=[1, 1, 0, 5])], "boxes without area", 2),
        ([annotation(ignore=1), annotation(8, ignore=1, iscrowd=1)],
         "annotations marked `ignore` (a flag that COCO's evaluation disregards)", 1),
        ([annotation(bbox=[-0.5, 0, 5, 5]), annotation(8, bbox=[0, 0, 640.5, 5])], "boxes beyond their image", 2),
        ([annotation(bbox=[0, -1, 5, 5]), annotation(8, bbox=[0, 100, 5, 380.5])], "boxes beyond their image", 2),
        ([], "images without objects", 1),
    ],
)  # fmt: skip
def test_findings(read, annotations: list[Any], finding: str, count: int) -> None:
    assert read(*annotations).findings == {finding: count}


def test_boxes_may_touch_the_edge_and_pass_it_by_a_rounding(read) -> None:
    inside = [[0, 0, 640, 480], [327.01, 0.005, 313.0, 480], [-0.01, 479.99, 1, 0.01]]
    assert read(*(annotation(n, bbox=box) for n, box in enumerate(inside))).findings == {}


def test_a_name_with_two_category_ids_is_a_finding(read) -> None:
    tables = read(annotation(), categories=[{"id": 0, "name": "person"}, PERSON])
    assert tables.findings == {"category names given to more than one id": 1}


@pytest.mark.parametrize(
    ("change", "field", "found", "expected"),
    [
        ({"bbox": ...}, "bbox", "nothing", "a value"),
        ({"bbox": [1, 2, 3]}, "bbox", "[1, 2, 3]", "a list of length 4"),
        ({"bbox": [1, 2, 3, 4, 5]}, "bbox", "[1, 2, 3, 4, 5]", "a list of length 4"),
        ({"bbox": [1, 2, -3, 4]}, "bbox[2]", "-3", "a number >= 0.0"),
        ({"bbox": [1, 2, 3, -0.5]}, "bbox[3]", "-0.5", "a number >= 0.0"),
        ({"bbox": [1, None, 3, 4]}, "bbox[1]", "null", "a number"),
        ({"bbox": [1, 2, 1e300, 4]}, "bbox[2]", "1e+300", "a number <= 1000000000.0"),
        ({"bbox": [-1e10, 2, 3, 4]}, "bbox[0]", "-10000000000.0", "a number >= -1000000000.0"),
        ({"bbox": {"x": 1}}, "bbox", "{'x': 1}", "a list"),
        ({"area": [12.5]}, "area", "[12.5]", "a number or null"),
        ({"area": "12"}, "area", "'12'", "a number or null"),
        ({"area": -1}, "area", "-1", "a number >= 0.0"),
        ({"iscrowd": 2}, "iscrowd", "2", "a whole number <= 1"),
        ({"id": "7a"}, "id", "'7a'", "a whole number or a number"),
        ({"image_id": None}, "image_id", "null", "a whole number or a number"),
        ({"id": 2**63}, "id", "9223372036854775808", "a whole number <= 9223372036854775807"),
        ({"category_id": 2}, "category_id", "2", "an id of the list `categories`"),
    ],
)
def test_bad_annotations(problems, change: dict[str, Any], field: str, found: str, expected: str) -> None:
    (problem,) = problems(annotation(1), annotation(**change))
    assert problem.record in ("annotation 7", "annotation 7a", "annotation 9223372036854775808")
    assert (problem.field, problem.found, problem.expected) == (field, found, expected)


@pytest.mark.parametrize(
    ("change", "field", "found"),
    [
        ({"file_name": None}, "file_name", "null"),
        ({"width": 640.5}, "width", "640.5"),
        ({"height": -480}, "height", "-480"),
        ({"id": "a"}, "id", "'a'"),
        ({"id": 5.5}, "id", "5.5"),
    ],
)
def test_bad_images(problems, change: dict[str, Any], field: str, found: str) -> None:
    (problem,) = problems(images=[image(6), image() | change])
    assert (problem.record, problem.field, problem.found) == (f"image {change.get('id', 5)}", field, found)


@pytest.mark.parametrize(
    ("kind", "lists"), [("image", {"images": [image()] * 3}), ("category", {"categories": [PERSON] * 3})]
)
def test_repeated_ids_of_images_and_categories(problems, kind: str, lists: dict[str, Any]) -> None:
    (problem,) = problems(annotation(), **lists)
    assert (problem.record, problem.field, problem.found) == (
        f"{kind} {5 if kind == 'image' else 1}",
        "id",
        "it 3 times",
    )


def test_all_problems_come_together(problems) -> None:
    found = problems(
        annotation(1, bbox=[1, 2, -3, 4]), annotation(2.5), annotation(3, area="x"), annotation(4, category_id=99),
        {"id": [1]}, images=[image(), image(), image(6, width="x")],
    )  # fmt: skip
    assert [(problem.record, problem.field) for problem in found] == [
        ("image 6", "width"), ("annotation 1", "bbox[2]"), ("annotation 3", "area"), ("annotations[4]", "id"),
        ("annotation 2.5", "id"), ("image 5", "id"), ("annotation 4", "category_id"),
    ]  # fmt: skip


def test_annotations_of_another_set_of_images_are_refused(problems) -> None:
    (problem,) = problems(annotation(image_id=1), annotation(8, image_id=2))
    assert (problem.record, problem.field, problem.found) == ("annotation 7", "image_id", "1")


@pytest.mark.parametrize("key", ["images", "annotations", "categories"])
def test_missing_lists(json_file, refused, key: str) -> None:
    (problem,) = refused(read_instances, json_file({name: [] for name in document() if name != key}))
    assert (problem.record, problem.field, problem.found) == ("", key, "nothing")


def test_no_images(problems) -> None:
    (problem,) = problems(images=[])
    assert (problem.field, problem.found) == ("images", "an empty list")


@pytest.mark.parametrize(("value", "shown"), [(np.nan, "NaN"), (np.inf, "Infinity"), (-np.inf, "Infinity")])
@pytest.mark.parametrize("field", ["area", "id", "other"])
def test_nan_and_infinity_are_syntax_errors(problems, value: float, shown: str, field: str) -> None:
    (problem,) = problems(annotation(**{field: value}))
    assert problem.record.startswith("byte ")
    assert problem.found.startswith(f"'{shown}")


def test_a_number_beyond_all_floats_is_refused(tmp_path: Path, refused) -> None:
    path = tmp_path / "a.json"
    path.write_text(
        '{"images": [{"id": 1, "file_name": "a"}], "categories": [], "annotations": [{"id": 3, "area": 1e999}]}'
    )
    (problem,) = refused(read_instances, path)
    assert (problem.field, problem.advice) == ("area", "Number out of range")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_names_the_byte(samples: Path, tmp_path: Path, refused, share: float) -> None:
    content = (samples / "coco" / "annotations" / "instances_val2014.json").read_bytes().rstrip()
    path = tmp_path / "cut.json"
    path.write_bytes(content[: int(len(content) * share)])
    (problem,) = refused(read_instances, path)
    assert (problem.record, problem.found) == (f"byte {path.stat().st_size}", "the end of the file")


# The middle row of an image of 4 x 3 pixels but for its first pixel, column by column.
SMALL = (image(width=4, height=3),)
COUNTS = [4, 1, 2, 1, 2, 1, 1]
TEXT = "412000O"


@pytest.mark.parametrize("crowd", [0, 1])
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
        (..., np.nan),
    ],
)
def test_mask_areas_of_every_shape_whatever_iscrowd_says(read, crowd: int, segmentation: Any, area: float) -> None:
    tables = read(annotation(segmentation=segmentation, iscrowd=crowd), images=SMALL, masks=True)
    np.testing.assert_equal(tables.objects["mask_area"].tolist(), [area])


@settings(max_examples=40)
@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_run_lengths_cover_what_pycocotools_says(tmp_path_factory, height: int, width: int, seed: int) -> None:
    pixels = np.asfortranarray(np.random.default_rng(seed).integers(0, 2, (height, width), dtype=np.uint8))
    text = mask.encode(pixels)["counts"].decode()
    path = tmp_path_factory.mktemp("masks") / "a.json"
    segmentations = [{"counts": counts, "size": [height, width]} for counts in (text, decode([text]).counts.tolist())]
    annotations = [annotation(number, segmentation=value) for number, value in enumerate(segmentations)]
    path.write_text(json.dumps(document(*annotations, images=[image(height=height, width=width)])))
    assert read_instances(path, masks=True).objects["mask_area"].tolist() == [pixels.sum()] * 2


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
def test_bad_segmentations(problems, segmentation: Any, place: str, found: str, expected: str) -> None:
    """What is wrong is quoted itself: at the end of a long text it would be cut off."""
    bad = annotation(segmentation=segmentation)
    (problem,) = problems(annotation(1), bad, images=SMALL, masks=True)
    assert (problem.record, problem.field) == ("annotation 7", f"segmentation{place}")
    assert (problem.found, problem.expected) == (found, expected)


def test_segmentations_are_not_looked_at_unless_asked_for(read) -> None:
    assert len(read(annotation(segmentation="a mask")).objects) == 1


def test_polygons_need_the_size_of_the_image_and_run_lengths_their_own(problems, read) -> None:
    unsized = [image(width=0, height=None)]
    runs = annotation(segmentation={"counts": TEXT, "size": [3, 4]})
    assert read(runs, images=unsized, masks=True).objects["mask_area"].tolist() == [3]
    (problem,) = problems(annotation(segmentation=[[0, 0, 2, 0, 2, 3]]), images=unsized, masks=True)
    assert problem.expected == "an image with width and height to draw polygons on"
    enormous = [image(width=2**15, height=2**14)]
    (problem,) = problems(annotation(segmentation=[[0, 0, 2, 0, 2, 3]]), images=enormous, masks=True)
    assert problem.expected == "an image of fewer than 50,331,648 pixels to draw polygons on"


def test_problems_of_masks_come_with_the_others(problems) -> None:
    found = problems(annotation(1, category_id=4), annotation(segmentation="x"), images=SMALL, masks=True)
    assert [problem.field for problem in found] == ["category_id", "segmentation"]


def small_persons(tables: InstanceTables, area: pd.Series) -> tuple[int, int, int]:
    """Images with a person; those without a small one; those with a large one."""
    persons = tables.objects["category_id"] == 1
    groups = (area[persons] >= 2247).groupby(tables.objects.loc[persons, "parent"])
    return groups.ngroups, int(groups.all().sum()), int(groups.any().sum())


@pytest.mark.real_data
def test_real_images_of_val2014(real_data: Path) -> None:
    tables = read_instances(real_data / "coco" / "instances_val2014_100.json", masks=True)
    objects = tables.objects
    assert (len(tables.images), len(objects), len(tables.categories)) == (100, 839, 80)
    assert ((objects["category_id"] == 1).sum(), objects["crowd"].sum()) == (256, 9)
    assert small_persons(tables, objects["area"]) == (55, 30, 48)
    assert small_persons(tables, objects["width"] * objects["height"])[:2] == (55, 33)
    assert tables.findings == {}
    # The file computes the area of polygons from their points, so pixels differ a little; it gives crowds up to 15 %
    # more than their masks cover.
    outlines = objects[~objects["crowd"]]
    assert np.allclose(outlines["mask_area"], outlines["area"], rtol=0.05, atol=30)
    crowds = objects[objects["crowd"]]
    assert ((crowds["mask_area"] <= crowds["area"]) & (crowds["mask_area"] > 0.85 * crowds["area"])).all()


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "n_images", "n_objects", "n_crowds", "persons"),
    [("COCO-MINI_instances_val2017", 79, 624, 5, (39, 18, 28)), ("tiny_coco_instances_val2017", 6, 136, 1, None)],
)
def test_real_images_of_val2017(
    real_data: Path, name: str, n_images: int, n_objects: int, n_crowds: int, persons: tuple[int, int, int] | None
) -> None:
    tables = read_instances(real_data / "coco" / f"{name}.json", masks=True)
    assert (len(tables.images), len(tables.objects), tables.objects["crowd"].sum()) == (n_images, n_objects, n_crowds)
    if persons:
        assert small_persons(tables, tables.objects["area"]) == persons
