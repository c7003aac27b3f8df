"""densepose-person: persons and body parts of images in which every person has part masks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builders.detection.densepose_person import PARTS
from builders.detection.part_boxes import LARGEST_ID
from builders.engine.build import build
from builders.engine.registry import find_recipe
from builders.engine.run import Build
from schemas.cards import card_named
from schemas.errors import InputError, UsageError

BuildOf = Callable[..., Build]

NAME = "densepose-person"
LEFT_AND_RIGHT = {"hand", "foot", "upper_leg", "lower_leg", "upper_arm", "lower_arm"}


def rows_of(build: Build) -> dict[str, dict[str, Any]]:
    return {row["sample_id"]: row for table in build.splits.values() for row in table.to_pylist()}


def objects_of(build: Build) -> list[dict[str, Any]]:
    return [item for row in rows_of(build).values() for item in row["objects"]]


def told(build: Build, rule: str, level: str) -> dict[str, str]:
    return {
        entry["child_key"] or entry["key"]: entry["reason"]
        for entry in build.ledger.to_pylist()
        if (entry["rule"], entry["level"]) == (rule, level) and entry["reason"] != "via=parent"
    }


def test_both_files_are_read_and_keep_their_split(build_of: BuildOf) -> None:
    build = build_of(NAME)
    assert {name: table["sample_id"].to_pylist() for name, table in build.splits.items()} == {
        "train": ["800101", "800104", "800105"],
        "val": ["810201", "810202"],
    }
    assert build.identity.findings == {"ids written as floats": 1, "annotation ids given more than once": 1}


def test_an_image_falls_with_a_person_without_masks_or_a_crowd(build_of: BuildOf) -> None:
    assert told(build_of(NAME), "fully_annotated", "image") == {"800102": "no_masks", "800103": "crowd"}


def test_fourteen_empty_masks_are_masks(build_of: BuildOf) -> None:
    assert [item["annotation_id"] for item in rows_of(build_of(NAME))["800104"]["objects"]] == [41006]


def test_one_mask_of_the_foreground_and_an_empty_list_are_masks_without_parts(
    build_of: BuildOf, samples: Path, tmp_path: Path
) -> None:
    cse = samples / "densepose/densepose_minival2014_cse.json"
    build = build_of(NAME, given={"minival": cse}, source__split="minival")
    assert told(build, "fully_annotated", "image") == {"820301": "no_masks"}
    document = json.loads(cse.read_text())
    document["annotations"].pop()
    (tmp_path / "minival.json").write_text(json.dumps(document))
    build = build_of(NAME, given={"minival": tmp_path / "minival.json"}, source__split="minival")
    assert [item["annotation_id"] for item in rows_of(build)["820301"]["objects"]] == [61001, 61002]


def test_parts_have_the_classes_sides_and_order_of_densepose(build_of: BuildOf) -> None:
    row = rows_of(build_of(NAME))["810201"]["objects"]
    assert [(item["category"], item["side"]) for item in row] == [("person", None), *PARTS]
    assert {name for name, side in PARTS if side} == LEFT_AND_RIGHT
    assert {name for name, _ in PARTS} | {"person"} == set(card_named(NAME).labels)


def test_ids_of_parts_are_the_person_s_then_0_then_the_part(build_of: BuildOf) -> None:
    row = rows_of(build_of(NAME))["810201"]["objects"]
    assert [item["annotation_id"] for item in row[1:]] == [int(f"510010{part}") for part in range(1, 15)]
    assert rows_of(build_of(NAME))["810202"]["objects"][-1]["annotation_id"] == 908_400_810_202_014


def test_a_part_s_box_is_whole_pixels_and_its_area(build_of: BuildOf) -> None:
    person, torso = rows_of(build_of(NAME))["800101"]["objects"][:2]
    assert [person[side] for side in ("x", "y", "width", "height")] == [30.5, 20.75, 180.9, 400.2]
    assert (person["area"], person["area_source"]) == (36210.4, "annotation")
    assert [torso[side] for side in ("x", "y", "width", "height")] == [73.0, 130.0, 83.0, 139.0]
    assert (torso["area"], torso["area_source"], torso["crowd"], torso["category_id"]) == (83 * 139, "box", False, None)


def test_each_part_says_whose_it_is(build_of: BuildOf) -> None:
    for row in rows_of(build_of(NAME)).values():
        places = [place for place, item in enumerate(row["objects"]) if item["category"] == "person"]
        for item in row["objects"]:
            if item["category"] == "person":
                assert item["person"] is None
                owner = item
            else:
                assert item["person"] in places
                assert row["objects"][item["person"]] is owner
                assert str(item["annotation_id"]).startswith(f"{owner['annotation_id']}0")
    assert {item["person"] for item in rows_of(build_of(NAME))["800101"]["objects"]} == {None, 0, 15}


def test_parts_of_which_no_box_is_left_say_why(build_of: BuildOf) -> None:
    found = told(build_of(NAME), "parts", "objects")
    assert (found["41002011"], found["4100202"], found["5100102"]) == ("hidden", "sampled_away", "too_thin")
    assert Counter(found.values()) == {"hidden": 2, "sampled_away": 3, "too_thin": 9}


def test_the_right_foot_is_a_foot_and_as_published_an_upper_leg(build_of: BuildOf) -> None:
    meant, published = (
        objects_of(build_of(NAME, parts__right_foot=value)) for value in ("foot", "upper_leg_as_published")
    )
    differing = [(a, b) for a, b in zip(meant, published, strict=True) if a != b]
    assert {(a["category"], b["category"], a["side"]) for a, b in differing} == {("foot", "upper_leg", "right")}
    assert all(a | {"category": ""} == b | {"category": ""} for a, b in differing)
    right_feet = [item for item in meant if (item["category"], item["side"]) == ("foot", "right")]
    assert len(differing) == len(right_feet) == 3


def test_nine_classes_eight_or_one(build_of: BuildOf) -> None:
    classes = {
        value: Counter(item["category"] for item in objects_of(build_of(NAME, classes__of=value)))
        for value in ("person_and_parts", "parts", "person")
    }
    assert len(classes["person_and_parts"]) == 9
    assert classes["person"] == {"person": 7}
    assert classes["person_and_parts"] == classes["parts"] + classes["person"]
    assert len(rows_of(build_of(NAME, classes__of="parts"))) == 5


def test_parts_without_their_person_have_no_position(build_of: BuildOf) -> None:
    assert {item["person"] for item in objects_of(build_of(NAME, classes__of="parts"))} == {None}


@pytest.mark.parametrize(
    ("split", "kept"), [("train", {"train": 3}), ("val", {"val": 2}), ("both", {"train": 3, "val": 2})]
)
def test_one_file_alone(build_of: BuildOf, split: str, kept: dict[str, int]) -> None:
    build = build_of(NAME, source__split=split)
    assert {name: table.num_rows for name, table in build.splits.items()} == kept


@pytest.mark.parametrize("split", ["minival", "test"])
def test_other_files_are_asked_for_by_name(build_of: BuildOf, samples: Path, split: str) -> None:
    with pytest.raises(UsageError, match=f"source '{split}' not found"):
        build_of(NAME, source__split=split)
    given = {split: samples / "densepose/densepose_coco_2014_train.json"}
    build = build_of(NAME, given=given, source__split=split)
    assert {name: table.num_rows for name, table in build.splits.items()} == {split: 3}


def test_the_same_image_in_both_files_is_an_error(build_of: BuildOf, samples: Path, tmp_path: Path) -> None:
    same = samples / "densepose/densepose_coco_2014_train.json"
    val = samples / "densepose/densepose_coco_2014_valminusminival.json"
    document, other = json.loads(same.read_text()), json.loads(val.read_text())
    document["images"] += [other["images"][1]]
    train = tmp_path / "train.json"
    train.write_text(json.dumps(document))
    with pytest.raises(InputError) as failure:
        build_of(NAME, given={"train": train, "val": val})
    assert str(failure.value) == f"{val}: image 810202: found one that {train} has too, expected each image once"
    with pytest.raises(InputError, match="image 800101: found one that"):
        build_of(NAME, given={"train": same, "val": same})


def test_small_persons_stay_by_default(build_of: BuildOf) -> None:
    assert build_of(NAME).identity.parameters["small_person.on_small"] == "off"
    assert min(item["area"] for item in objects_of(build_of(NAME)) if item["category"] == "person") == 300


def test_images_with_small_persons_may_be_dropped(build_of: BuildOf) -> None:
    build = build_of(NAME, small_person__on_small="drop_image")
    assert list(rows_of(build)) == ["800101", "800104", "810201", "810202"]
    assert told(build, "small_person", "image") == {"800105": "small_person"}


def test_parts_fall_with_their_small_person(build_of: BuildOf) -> None:
    build = build_of(NAME, small_person__on_small="drop_person", small_person__min_area=7000)
    left = rows_of(build)["810202"]["objects"]
    assert [(item["category"], item["person"]) for item in left] == [
        ("person", None),
        *((name, 0) for name in ("torso", "hand", "upper_arm", "lower_arm", "head")),
    ]
    assert told(build, "small_person", "image") == {"800105": "none_left"}
    entries = [e for e in build.ledger.to_pylist() if e["child_key"] == "908400810202014"]
    assert [(e["rule"], e["reason"], e["values"][0]["value"]) for e in entries] == [
        ("small_person", "small_person", 908_400_810_202)
    ]


def test_parts_are_ignored_with_their_small_person(build_of: BuildOf) -> None:
    rows = rows_of(build_of(NAME, small_person__on_small="ignore", small_person__min_area=7000))
    flags = {(item["person"], item["ignored"]) for item in rows["810202"]["objects"] if item["category"] != "person"}
    assert flags == {(0, False), (6, True)}
    assert [row["sample_id"] for row in rows.values() if all(i["ignored"] for i in row["objects"])] == ["800105"]


def test_masks_of_persons_are_those_of_coco_and_parts_fare_as_their_person(build_of: BuildOf) -> None:
    build = build_of(NAME, small_person__on_small="ignore", small_person__area="mask", small_person__min_area=1e9)
    assert all(item["ignored"] for row in rows_of(build).values() for item in row["objects"])


def test_splits_stay_when_all_their_images_fall(build_of: BuildOf) -> None:
    build = build_of(NAME, small_person__on_small="drop_image", small_person__min_area=1e9)
    assert {name: table.num_rows for name, table in build.splits.items()} == {"train": 0, "val": 0}


def test_masks_of_what_is_no_person_are_not_looked_at(build_of: BuildOf, samples: Path, tmp_path: Path) -> None:
    document = json.loads((samples / "densepose/densepose_coco_2014_train.json").read_text())
    document["categories"].append({"id": 2, "name": "horse"})
    masked, bare = document["annotations"][0], document["annotations"][3]
    box = {"image_id": 800105, "bbox": [0, 0, 9, 9], "area": 81, "iscrowd": 0, "category_id": 2}
    document["annotations"] += [masked | box | {"id": 1}, bare | box | {"id": 2}]
    path = tmp_path / "train.json"
    path.write_text(json.dumps(document))
    row = rows_of(build_of(NAME, given={"train": path}))["800105"]["objects"]
    assert [item["annotation_id"] for item in row if item["category"] == "horse"] == [1, 2]
    assert not [item for item in row if str(item["annotation_id"]).startswith("10")]


def test_a_rebuild_is_the_same_to_the_last_byte(samples: Path, tmp_path: Path) -> None:
    folders = [build(find_recipe(NAME), samples, tmp_path / name).path for name in ("one", "two")]
    one, two = ({path.name: path.read_bytes() for path in sorted(f.rglob("*.*"))} for f in folders)
    assert one == two
    assert "val-00000-of-00001.parquet" in one


@pytest.fixture
def changed(samples: Path, tmp_path: Path) -> Callable[..., dict[str, Path]]:
    """The training sample with other fields of its first person or names of categories, as a given source."""

    def write(name: str = "person", **fields: Any) -> dict[str, Path]:
        document = json.loads((samples / "densepose/densepose_coco_2014_train.json").read_text())
        document["annotations"][0] |= fields
        document["categories"][0]["name"] = name
        path = tmp_path / "train.json"
        path.write_text(json.dumps(document))
        return {"train": path}

    return write


Changed = Callable[..., dict[str, Path]]


def test_both_missing_files_are_told_at_once(build_of: BuildOf, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as failure:
        build_of(NAME, tmp_path)
    assert [line.partition(":")[0] for line in str(failure.value).split("\n")] == [
        "source 'train' not found",
        "source 'val' not found",
    ]


@pytest.mark.parametrize("number", [9_000_000_000_000_000_000, -9_000_000_000_000_000_000, LARGEST_ID + 1])
def test_an_id_that_leaves_no_room_for_those_of_parts_is_refused(
    build_of: BuildOf, changed: Changed, number: int, places: Callable
) -> None:
    found = places(lambda: build_of(NAME, given=changed(id=number)))
    assert found == [("train.json", f"annotation {number}", "id", str(number))]
    assert len(rows_of(build_of(NAME, given=changed(id=number, dp_masks=[[]] * 14)))) == 5


@pytest.mark.parametrize("number", [-7, 0, LARGEST_ID, -LARGEST_ID])
def test_ids_of_parts_are_those_digits_whatever_the_sign(build_of: BuildOf, changed: Changed, number: int) -> None:
    person, *parts = rows_of(build_of(NAME, given=changed(id=number)))["800101"]["objects"][:15]
    assert person["annotation_id"] == number
    assert [item["annotation_id"] for item in parts] == [int(f"{number}0{part}") for part in range(1, 15)]


@pytest.mark.parametrize("box", [[1, 2, 1e300, 5], [1e300, 2, 3, 5], [1, -1e10, 3, 5], [1, 2, 3, 1e10]])
def test_boxes_far_from_any_image_are_refused(build_of: BuildOf, changed: Changed, box: list[float]) -> None:
    with pytest.raises(InputError, match=r"train.json: annotation 41001: bbox\[\d\]: found "):
        build_of(NAME, given=changed(bbox=box))


def test_a_file_without_the_category_is_refused(build_of: BuildOf, changed: Changed) -> None:
    with pytest.raises(InputError, match=r"train.json: categories: found 'Person', expected one named 'person'"):
        build_of(NAME, given=changed("Person"))


def test_persons_without_area_are_named_with_their_file(build_of: BuildOf, changed: Changed) -> None:
    assert len(rows_of(build_of(NAME, given=changed(area=None)))) == 5
    with pytest.raises(InputError, match=r"train.json: annotation 41001: area: found nothing, expected a number"):
        build_of(NAME, given=changed(area=None), small_person__on_small="drop_image")
