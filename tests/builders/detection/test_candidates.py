"""Data sets of boxes with classes of one's own: from a COCO file, or from tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from builders.detection.candidates import CASE_MISMATCH, box_candidates, coco_candidates, near_classes
from builders.detection.rules import rules_for
from builders.engine.recipe import Candidates
from builders.engine.run import Build
from builders.raw.coco import read_instances
from schemas.detection import detection_schema

CLASSES = ["crack", "pothole"]
SCHEMA = detection_schema("damage", 1)
IMAGES = pd.DataFrame({"sample_id": ["a", "b", "c"], "width": [100, 200, 300], "height": 50})
OBJECTS = pd.DataFrame(
    {
        "sample_id": ["c", "a", "a", "b"],
        "category": ["pothole", "crack", "car", "car"],
        "x": [1.0, 2, 3, 4],
        "y": 0.0,
        "width": [30.0, 40, 50, 60],
        "height": 10.0,
    }
)

RunRules = Callable[..., Build]


def test_tables_get_what_they_lack(run_rules: RunRules) -> None:
    build = run_rules(box_candidates(IMAGES, OBJECTS, "test"), [], SCHEMA)
    first, _, last = build.splits["test"].to_pylist()
    objects = last.pop("objects")
    assert last == {
        "sample_id": "c",
        "split": "test",
        "image_id": 3,
        "file_name": None,
        "width": 300,
        "height": 50,
    }
    assert objects == [
        {
            "category": "pothole",
            "x": 1.0,
            "y": 0.0,
            "width": 30.0,
            "height": 10.0,
            "area": 300.0,
            "area_source": "box",
            "crowd": False,
            "difficult": None,
            "ignored": False,
            "category_id": None,
            "annotation_id": None,
        }
    ]
    assert [item["category"] for item in first["objects"]] == ["crack", "car"]


def test_what_tables_say_is_kept() -> None:
    images = IMAGES.assign(image_id=[7, 8, 9], file="a.csv")
    objects = OBJECTS.drop(columns="sample_id").assign(parent=[2, 0, 0, 1], area=5.0, crowd=True, key=[4, 5, 6, 7])
    found = box_candidates(images, objects, "test", {"odd": 1})
    assert found.root["image_id"].tolist() == [7, 8, 9]
    assert found.children["objects"][["area", "area_source", "crowd", "key"]].to_numpy().tolist() == [
        [5.0, "annotation", True, key] for key in (4, 5, 6, 7)
    ]
    assert found.findings == {"odd": 1}


def test_objects_of_an_unknown_image_are_refused(refused: Callable) -> None:
    objects = OBJECTS.assign(sample_id=["a", "a", "z", "b"])
    objects.attrs["file"] = "boxes.csv"
    (problem,) = refused(box_candidates, IMAGES, objects, "test")
    assert (problem.file, problem.record, problem.field, problem.found) == ("boxes.csv", "object 3", "sample_id", "'z'")


def test_an_image_twice_is_refused_by_name_and_file(refused: Callable) -> None:
    images = pd.concat([IMAGES, IMAGES[:1]])
    images.attrs["file"] = "images.csv"
    (problem,) = refused(box_candidates, images, OBJECTS, "test")
    assert (problem.file, problem.record, problem.found) == ("images.csv", "image 4", "'a' again")


@pytest.mark.parametrize(
    ("column", "changes"),
    [
        ("category", {"category": "categori"}),
        ("width", {"width": "w"}),
        ("sample_id", {"sample_id": "image"}),
    ],
)
def test_a_column_that_was_forgotten_is_named(refused: Callable, column: str, changes: dict[str, str]) -> None:
    (problem,) = refused(box_candidates, IMAGES, OBJECTS.rename(columns=changes), "test")
    assert (problem.record, problem.field) == ("objects", column)
    assert next(iter(changes.values())) in problem.found
    assert problem.advice == ("did you mean categori?" if column == "category" else "rename what the table has instead")


@pytest.mark.parametrize("side", ["width", "height"])
@pytest.mark.parametrize("placed", ["sample_id", "parent"])
def test_a_negative_side_is_refused_with_image_and_class(refused: Callable, side: str, placed: str) -> None:
    objects = OBJECTS.assign(**{side: [1.0, -12, 0, 5]})
    if placed == "parent":
        objects = objects.assign(parent=[2, 0, 0, 1])
    (problem,) = refused(box_candidates, IMAGES, objects, "test")
    assert (problem.record, problem.field, problem.found) == ("crack of image 'a'", side, "-12")


@pytest.mark.parametrize("noun", ["road damage", "", "a-b", None, ["crack"]])
def test_a_noun_is_one_word(noun: Any) -> None:
    with pytest.raises(ValueError, match=r"the noun .*: expected letters, digits and underscores, such as "):
        rules_for(noun, CLASSES)


@pytest.mark.parametrize("classes", ["crack", [], (), [1], [""]])
def test_classes_are_a_list_of_names(classes: Any) -> None:
    with pytest.raises(TypeError, match=r"the classes .*: expected a list of at least one name"):
        rules_for("damage", classes)


def test_rules_of_classes_of_ones_own(run_rules: RunRules, reasons: Callable) -> None:
    category, present, small = rules_for("damage", CLASSES, cites="our paper")
    assert [parameter.alternatives for parameter in (*category.parameters, small.parameter("on_small"))] == [
        ("damage", "all"),
        ("drop_image", "drop_damage", "ignore", "off"),
    ]
    rules = [category, present, small.with_defaults(min_area=350.0)]
    build = run_rules(box_candidates(IMAGES, OBJECTS, "test"), rules, SCHEMA)
    assert build.splits["test"]["sample_id"].to_pylist() == ["a"]
    assert reasons(build) == {
        ("category", "dropped", "other_category"): 2,
        ("damage_present", "dropped", "no_damage"): 1,
        ("small_damage", "dropped", "small_damage"): 1,
        ("small_damage", "dropped", "via=parent"): 1,
    }
    entry = next(entry for entry in build.ledger.to_pylist() if entry["reason"] == "small_damage")
    values = {value["name"]: value["value"] for value in entry["values"]}
    assert small.reasons["small_damage"].format(**values) == "damage 0 has area 300 < 350"
    ignored = run_rules(
        box_candidates(IMAGES, OBJECTS, "test"), rules, SCHEMA, {"small_damage.on_small": "ignore"}
    ).splits["test"]
    assert [[item["ignored"] for item in row] for row in ignored["objects"].to_pylist()] == [[False], [True]]


@pytest.fixture
def coco(json_file: Callable[[Any], Any]) -> Callable[..., Candidates]:
    """Candidates of a file with these categories, and an object of each."""

    def read(names: list[str], classes: list[str]) -> Candidates:
        categories = [{"id": number, "name": name} for number, name in enumerate(names, 1)]
        objects = [{"id": n, "image_id": 1, "category_id": n, "bbox": [0, 0, 9, 9]} for n in range(1, len(names) + 1)]
        document = {"images": [{"id": 1, "file_name": "1.jpg"}], "categories": categories, "annotations": objects}
        return coco_candidates(read_instances(json_file(document)), "test", classes)

    return read


def test_a_coco_file_must_have_the_classes_asked_for(coco: Callable[..., Candidates], refused: Callable) -> None:
    assert coco(["car"], []).children["objects"]["category"].tolist() == ["car"]
    problems = refused(coco, ["car", "Crack "], CLASSES)
    assert [(problem.field, problem.found) for problem in problems] == [("categories", "'Crack ', 'car'")] * 2
    assert [problem.expected for problem in problems] == ["one named 'crack'", "one named 'pothole'"]


def test_classes_in_another_case_are_counted(coco: Callable[..., Candidates]) -> None:
    assert coco(["crack", "pothole", "CRACK", "car"], CLASSES).findings[CASE_MISMATCH] == 1
    assert near_classes(["crack", " Crack", "cracks"], CLASSES) == [" Crack"]
