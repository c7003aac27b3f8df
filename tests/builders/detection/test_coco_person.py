"""coco-person: images of an instances file without small persons; on the sample and on 100 real images."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builders.detection.candidates import CASE_MISMATCH
from builders.engine.build import build
from builders.engine.registry import find_recipe
from builders.engine.run import Build
from schemas.errors import InputError, UsageError

BuildOf = Callable[..., Build]

NAME = "coco-person"
FILE = "coco/annotations/instances_val2014.json"


def rows_of(build: Build, split: str = "val2014") -> dict[str, dict[str, Any]]:
    return {row["sample_id"]: row for row in build.splits[split].to_pylist()}


def sentences(build: Build) -> dict[str, tuple[str, dict[str, float]]]:
    """Reason and values of every image that small_person dropped."""
    return {
        entry["key"]: (entry["reason"], {value["name"]: value["value"] for value in entry["values"]})
        for entry in build.ledger.to_pylist()
        if entry["rule"] == "small_person" and entry["level"] == "image"
    }


def test_an_image_falls_with_its_first_small_person(build_of: BuildOf) -> None:
    build = build_of(NAME)
    assert list(rows_of(build)) == ["701203", "700777", "700602", "700603", "700605", "0"]
    assert sentences(build) == {
        "700019": ("small_person", {"person": 183023, "area": 2246.34, "min_area": 2247}),
        "700332": ("small_crowd", {"person": 183020, "area": 1032, "min_area": 2247}),
        "700601": ("small_person", {"person": 183027, "area": 0, "min_area": 2247}),
    }


def test_a_row_is_an_image_and_its_persons(build_of: BuildOf) -> None:
    row = rows_of(build_of(NAME))["700602"]
    person, crowd = row.pop("objects")
    assert row == {
        "sample_id": "700602",
        "split": "val2014",
        "image_id": 700602,
        "file_name": "COCO_val2014_000000700602.jpg",
        "width": 160,
        "height": 120,
    }
    assert person == {
        "category": "person",
        "x": 5.0,
        "y": 5.0,
        "width": 80.0,
        "height": 90.0,
        "area": 6500.0,
        "area_source": "annotation",
        "crowd": False,
        "difficult": None,
        "ignored": False,
        "category_id": 1,
        "annotation_id": 0,
    }
    assert (crowd["crowd"], crowd["annotation_id"]) == (True, 900_100_700_602)


def test_what_the_file_says_strangely_is_kept_as_it_is(build_of: BuildOf) -> None:
    build = build_of(NAME)
    rows = rows_of(build)
    assert rows["700777"]["file_name"] == "../elsewhere/COCO_val2014_000000700777.jpg"
    assert rows["0"]["file_name"] == "фото 0.jpg"
    assert (rows["700605"]["width"], rows["700605"]["height"]) == (None, None)
    assert [item["annotation_id"] for item in rows["700603"]["objects"]] == [183029, 908_400_700_603, 183031]
    assert build.identity.findings == {
        "annotations of images that are not listed (left out)": 1,
        "ids written as floats": 1,
        "annotations marked `ignore` (a flag that COCO's evaluation disregards)": 1,
        "images without objects": 1,
        "images without width or height": 2,
        "annotation ids given more than once": 1,
        "boxes without area": 1,
        "boxes beyond their image": 2,
    }
    assert build.identity.examples["boxes beyond their image"] == ["183031 of 700603", "183033 of 700605"]
    assert build.identity.examples["images without objects"] == ["700411"]
    assert set(build.identity.examples) <= set(build.identity.findings)


def test_2247_itself_is_large_enough(build_of: BuildOf) -> None:
    assert rows_of(build_of(NAME))["700777"]["objects"][0]["area"] == 2247.0
    assert "700777" not in rows_of(build_of(NAME, small_person__min_area=2247.0001))


@pytest.mark.parametrize(("area", "kept"), [("annotation", 6), ("box", 7), ("mask", 7)])
def test_whose_area_is_compared_matters(build_of: BuildOf, area: str, kept: int) -> None:
    rows = rows_of(build_of(NAME, small_person__area=area))
    # The box of 183023 has 5,795 pixels; its annotated area is 2,246.34.
    assert (len(rows), "700019" in rows) == (kept, area != "annotation")


def test_the_mask_is_measured_whatever_the_annotated_area(build_of: BuildOf) -> None:
    build = build_of(NAME, small_person__area="mask", small_person__min_area=5000)
    assert sentences(build)["700602"] == ("small_crowd", {"person": 900_100_700_602, "area": 3000, "min_area": 5000})


@pytest.mark.parametrize(("field", "area"), [("area", "annotation"), ("segmentation", "mask")])
def test_persons_without_the_area_asked_for_are_no_large_persons(
    build_of: BuildOf, samples: Path, tmp_path: Path, field: str, area: str, places: Callable
) -> None:
    document = json.loads((samples / FILE).read_text())
    del next(item for item in document["annotations"] if item["id"] == 183021)[field]
    path = tmp_path / "instances_val2014.json"
    path.write_text(json.dumps(document))
    found = places(lambda: build_of(NAME, tmp_path, small_person__area=area))
    assert found == [(path.name, "annotation 183021", field, "nothing")]
    assert len(rows_of(build_of(NAME, tmp_path, small_person__area="box"))) == 7


def test_crowds_may_be_spared(build_of: BuildOf) -> None:
    rows = rows_of(build_of(NAME, small_person__count_crowds=False))
    assert [item["annotation_id"] for item in rows["700332"]["objects"]] == [183024, 183020]
    assert len(rows) == 7


def test_small_persons_alone_may_be_dropped(build_of: BuildOf, reasons) -> None:
    build = build_of(NAME, small_person__on_small="drop_person")
    assert [item["annotation_id"] for item in rows_of(build)["700332"]["objects"]] == [183024]
    assert len(rows_of(build)) == 7
    found = reasons(build)
    assert found["small_person", "dropped", "small_person"] == 2
    assert found["small_person", "dropped", "small_crowd"] == 1
    # 700019 and 700601 had no other person, and fall too; nothing else of theirs is left to fall with them.
    assert found["small_person", "dropped", "none_left"] == 2
    assert ("small_person", "dropped", "via=parent") not in found


def test_images_that_never_had_persons_lose_none(build_of: BuildOf) -> None:
    build = build_of(NAME, person_present__required=False, small_person__on_small="drop_person")
    assert {"700500", "700411", "700604"} < set(rows_of(build))
    assert list(sentences(build)) == ["700019", "700601"]


def test_small_persons_may_be_kept_from_scoring(build_of: BuildOf) -> None:
    build = build_of(NAME, small_person__on_small="ignore")
    flags = {item["annotation_id"]: item["ignored"] for row in rows_of(build).values() for item in row["objects"]}
    assert [key for key, ignored in flags.items() if ignored] == [183023, 183020, 183027]
    assert len(rows_of(build)) == 9
    entries = [entry for entry in build.ledger.to_pylist() if entry["rule"] == "small_person"]
    assert {(entry["level"], entry["action"]) for entry in entries} == {("objects", "changed")}


def test_without_the_rule_every_image_with_a_person_stays(build_of: BuildOf) -> None:
    assert len(rows_of(build_of(NAME, small_person__on_small="off"))) == 9
    everything = build_of(NAME, small_person__on_small="off", person_present__required=False, category__keep="all")
    assert len(rows_of(everything)) == 12
    assert {item["category"] for row in rows_of(everything).values() for item in row["objects"]} == {
        "person",
        "dog",
        "book",
    }
    assert everything.ledger.num_rows == 0


def test_another_year_builds(samples: Path, tmp_path: Path) -> None:
    (tmp_path / "annotations").mkdir()
    shutil.copy(samples / FILE, tmp_path / "annotations/instances_val2017.json")
    manifest = build(find_recipe(NAME), tmp_path, tmp_path / "out", settings={"source.split": "val2017"})
    assert manifest.splits == ["val2017"]
    assert manifest.table()["split"].unique().to_pylist() == ["val2017"]
    assert manifest.identity.changed_parameters == ["source.split"]


def test_another_year_that_is_not_there_is_named(build_of: BuildOf, samples: Path) -> None:
    with pytest.raises(UsageError, match=r"looked for annotations/instances_val2017.json or instances_val2017.json"):
        build_of(NAME, samples / "coco", source__split="val2017")


def test_a_split_that_is_a_path_stays_in_its_folder_s_files(build_of: BuildOf, samples: Path) -> None:
    with pytest.raises(UsageError, match=r"source.split=../../secret: expected letters"):
        build_of(NAME, samples / "coco", source__split="../../secret")


def test_a_split_that_is_a_pattern_finds_no_folder(build_of: BuildOf, samples: Path) -> None:
    with pytest.raises(UsageError, match=r"source.split=\*: expected letters"):
        build_of(NAME, samples / "coco", source__split="*")


def test_a_given_file_of_another_split_is_a_finding(build_of: BuildOf, samples: Path, tmp_path: Path) -> None:
    path = tmp_path / "instances_val2017.json"
    shutil.copy(samples / FILE, path)
    text = "source files not named after the split val2014 (instances_val2017.json)"
    assert build_of(NAME, given={"instances": path}).identity.findings[text] == 1
    assert text not in build_of(NAME).identity.findings
    assert (
        build_of(NAME, given={"instances": path}, source__split="val2017").identity.findings
        == build_of(NAME).identity.findings
    )


@pytest.fixture
def renamed(samples: Path, tmp_path: Path) -> Callable[..., dict[str, Path]]:
    """The sample with other names of categories, as a given source."""

    def write(**names: str) -> dict[str, Path]:
        document = json.loads((samples / FILE).read_text())
        for category in document["categories"]:
            category["name"] = names.get(category["name"], category["name"])
        path = tmp_path / "instances_val2014.json"
        path.write_text(json.dumps(document))
        return {"instances": path}

    return write


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ({"person": "Person"}, "'Person', 'dog', 'book'"),
        ({"person": "cat", "book": "person "}, "'person ', 'cat', 'dog'"),
        ({"person": "pedestrian"}, "'pedestrian', 'dog', 'book'"),
    ],
)
@pytest.mark.parametrize("keep", ["person", "all"])
def test_a_file_without_the_category_says_which_it_has(
    build_of: BuildOf,
    renamed: Callable[..., dict[str, Path]],
    names: dict[str, str],
    found: str,
    keep: str,
    places: Callable,
) -> None:
    given = renamed(**names)
    problems = places(lambda: build_of(NAME, given=given, category__keep=keep))
    assert problems == [("instances_val2014.json", "", "categories", found)]


def test_many_categories_are_not_all_named(build_of: BuildOf, samples: Path, tmp_path: Path) -> None:
    path = tmp_path / "instances_val2014.json"
    document = json.loads((samples / FILE).read_text())
    for categories, found in (
        ([{"id": n, "name": f"name {n}"} for n in range(80)], r"'name 0', .*, 'name 9' and 70 more, expected"),
        ([], "found none, expected"),
    ):
        path.write_text(json.dumps(document | {"categories": categories, "annotations": []}))
        with pytest.raises(InputError, match=found):
            build_of(NAME, given={"instances": path})


def test_a_category_without_objects_is_enough(build_of: BuildOf, samples: Path, tmp_path: Path) -> None:
    document = json.loads((samples / FILE).read_text()) | {"annotations": []}
    path = tmp_path / "instances_val2014.json"
    path.write_text(json.dumps(document))
    assert len(rows_of(build_of(NAME, given={"instances": path}))) == 0


def test_objects_named_almost_so_are_a_finding(build_of: BuildOf, renamed: Callable[..., dict[str, Path]]) -> None:
    build = build_of(NAME, given=renamed(dog="PERSON"))
    assert build.identity.findings[CASE_MISMATCH] == 3
    assert rows_of(build) == rows_of(build_of(NAME))


def test_an_empty_split_is_a_split(build_of: BuildOf) -> None:
    build = build_of(NAME, small_person__min_area=1e9)
    assert {name: table.num_rows for name, table in build.splits.items()} == {"val2014": 0}


def test_a_rebuild_is_the_same_to_the_last_byte(samples: Path, tmp_path: Path) -> None:
    folders = [build(find_recipe(NAME), samples, tmp_path / name).path for name in ("one", "two")]
    one, two = ({path.name: path.read_bytes() for path in sorted(f.rglob("*.*"))} for f in folders)
    assert one == two
    assert "val2014-00000-of-00001.parquet" in one


def test_a_broken_file_is_an_input_error_that_names_the_byte(build_of: BuildOf, samples: Path, tmp_path: Path) -> None:
    content = (samples / FILE).read_bytes()[:5000]
    (tmp_path / "instances_val2014.json").write_bytes(content)
    with pytest.raises(InputError, match=r"instances_val2014.json: byte \d+"):
        build_of(NAME, tmp_path)


@pytest.fixture
def hundred(real_data: Path, tmp_path: Path) -> Path:
    """A folder with the 100 real images of val2014."""
    shutil.copy(real_data / "coco/instances_val2014_100.json", tmp_path / "instances_val2014.json")
    return tmp_path


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("settings", "kept"),
    [
        ({}, 30),
        ({"small_person__area": "box"}, 33),
        ({"small_person__on_small": "drop_person"}, 48),
        ({"small_person__on_small": "off"}, 55),
        ({"small_person__on_small": "ignore"}, 55),
    ],
    ids=["annotation", "box", "drop_person", "off", "ignore"],
)
def test_100_real_images(build_of: BuildOf, hundred: Path, settings: dict[str, str], kept: int) -> None:
    build = build_of(NAME, hundred, **settings)
    assert (build.identity.levels["image"].candidates, build.identity.levels["image"].kept) == (100, kept)
    assert build.identity.levels["objects"].candidates == 839


@pytest.mark.real_data
def test_masks_of_100_real_images_agree_with_the_annotated_areas(build_of: BuildOf, hundred: Path) -> None:
    by_annotation, by_mask = build_of(NAME, hundred), build_of(NAME, hundred, small_person__area="mask")
    # Where pixels are counted instead of the polygon's area, an image may pass the limit, not several.
    assert len(set(rows_of(by_annotation)) ^ set(rows_of(by_mask))) <= 1
