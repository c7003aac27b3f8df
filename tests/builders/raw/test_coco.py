from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from builders.raw.coco import InstanceTables, read_instances

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

    def call(*annotations: Any, **lists: Any) -> InstanceTables:
        return read_instances(json_file(document(*annotations, **lists)))

    return call


@pytest.fixture
def problems(read, refused):
    """The problems of a document of these annotations."""
    return lambda *annotations, **lists: refused(lambda: read(*annotations, **lists))


def test_numbers_count_however_they_are_written(read) -> None:
    plain = read(annotation(area=12, iscrowd=1))
    images = (image(id="5", width=640.0, height="480.0"),)
    other = read(
        annotation("7", image_id="5.0", category_id="1", bbox=["1", 2.0, "30.0", 40.5], area="12", iscrowd=1.0),
        images=images,
    )
    assert other.images.equals(plain.images)
    assert other.objects.equals(plain.objects)


def test_the_sample(samples: Path) -> None:
    tables = read_instances(samples / "coco" / "annotations" / "instances_val2014.json")
    images, objects = tables.images, tables.objects
    assert (len(images), len(objects), tables.categories["name"].tolist()) == (12, 19, ["person", "dog", "book"])
    assert images["file_name"][5] == "../elsewhere/COCO_val2014_000000700777.jpg"
    assert (images["image_id"][11], images["file_name"][11]) == (0, "фото 0.jpg")
    assert images["width"].isna().tolist() == [False] * 9 + [True, True, False]
    crowd = objects[objects["crowd"]].set_index("key")
    assert crowd.loc[183020, "area"] == 1032
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
    }


def test_types(read) -> None:
    for tables in (read(annotation()), read()):
        assert tables.images.dtypes.astype(str).to_dict() == {
            "image_id": "int64", "file_name": str(tables.images["file_name"].dtype), "width": "Int64", "height": "Int64"
        }  # fmt: skip
        assert tables.objects.dtypes.astype(str).tolist() == ["int64"] * 3 + ["float64"] * 5 + ["bool"]
        assert list(tables.objects) == ["parent", "key", "category_id", "x", "y", "width", "height", "area", "crowd"]


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
    inside = [[0, 0, 640, 480], [327.01, 0.005, 313.0, 480], [-0.01, 479, 1, 1.01]]
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
        ({"area": "a dozen"}, "area", "'a dozen'", "a number or null"),
        ({"area": "NaN"}, "area", "'NaN'", "a number or null"),
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


@pytest.mark.parametrize(("key", "record"), [("images", image()), ("categories", PERSON)])
def test_repeated_ids_of_images_and_categories(problems, key: str, record: dict[str, Any]) -> None:
    found = problems(annotation(), **{key: [record, record, record | {"id": float(record["id"])}]})
    assert [(problem.record, problem.field) for problem in found] == [(f"{key}[1]", "id"), (f"{key}[2]", "id")]
    assert found[0].found == f"{record['id']} again"
    assert f"{key}[0]" in found[0].expected


def test_all_problems_come_together(problems) -> None:
    found = problems(
        annotation(1, bbox=[1, 2, -3, 4]), annotation(2.5), annotation(3, area="x"), annotation(4, category_id=99),
        {"id": [1]}, images=[image(), image(), image(6, width="x")],
    )  # fmt: skip
    assert [(problem.record, problem.field) for problem in found] == [
        ("image 6", "width"), ("annotation 1", "bbox[2]"), ("annotation 3", "area"), ("annotations[4]", "id"),
        ("annotation 2.5", "id"), ("images[1]", "id"), ("annotation 4", "category_id"),
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
    assert (problem.field, problem.found) == (field, shown)


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
def small_persons(tables: InstanceTables, area: pd.Series) -> tuple[int, int, int]:
    """Images with a person; those without a small one; those with a large one."""
    persons = tables.objects["category_id"] == 1
    groups = (area[persons] >= 2247).groupby(tables.objects.loc[persons, "parent"])
    return groups.ngroups, int(groups.all().sum()), int(groups.any().sum())


@pytest.mark.real_data
def test_real_images_of_val2014(real_data: Path) -> None:
    tables = read_instances(real_data / "coco" / "instances_val2014_100.json")
    objects = tables.objects
    assert (len(tables.images), len(objects), len(tables.categories)) == (100, 839, 80)
    assert ((objects["category_id"] == 1).sum(), objects["crowd"].sum()) == (256, 9)
    assert small_persons(tables, objects["area"]) == (55, 30, 48)
    assert small_persons(tables, objects["width"] * objects["height"])[:2] == (55, 33)
    assert tables.findings == {}


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "n_images", "n_objects", "n_crowds", "persons"),
    [("COCO-MINI_instances_val2017", 79, 624, 5, (39, 18, 28)), ("tiny_coco_instances_val2017", 6, 136, 1, None)],
)
def test_real_images_of_val2017(
    real_data: Path, name: str, n_images: int, n_objects: int, n_crowds: int, persons: tuple[int, int, int] | None
) -> None:
    tables = read_instances(real_data / "coco" / f"{name}.json")
    assert (len(tables.images), len(tables.objects), tables.objects["crowd"].sum()) == (n_images, n_objects, n_crowds)
    if persons:
        assert small_persons(tables, tables.objects["area"]) == persons
