"""Findings of invented images: silent on sound ones, and each on its fault."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import benchwright
from benchwright.checks.boxes import SIDES, twin_pairs
from benchwright.checks.finding import Finding
from benchwright.checks.images import contents
from schemas.box_readings import overlaps
from schemas.detection import detection_schema
from schemas.identity import Identity, Split
from schemas.ledger import LEDGER
from schemas.manifest import Manifest, manifest_in_memory

Rows = list[dict[str, Any]]
SCHEMA = detection_schema("invented", 1)
LABELS = ("crack", "pothole")


def box(number: int, label: str, x: float, y: float, width: float, height: float) -> dict[str, Any]:
    place = {"category": label, "x": x, "y": y, "width": width, "height": height, "area": width * height}
    flags: dict[str, Any] = {"area_source": "box", "crowd": False, "difficult": None, "ignored": False}
    return {**place, **flags, "category_id": 1, "annotation_id": number}


def sound() -> Rows:
    """Two splits of ten images with a box of either class, all of them different."""
    rows = []
    for number in range(20):
        boxes = [
            box(2 * number, LABELS[0], 10.5 + number, 20.25, 60.5, 40.5 + number),
            box(2 * number + 1, LABELS[1], 200.5, 100.25 + number, 80.5, 90.5),
        ]
        name = {"sample_id": str(number), "split": ("train", "test")[number // 10], "image_id": number}
        rows.append({**name, "file_name": f"{number}.jpg", "width": 640, "height": 480, "objects": boxes})
    return rows


def made(rows: Rows, identity: Callable[..., Identity]) -> Manifest:
    names = dict.fromkeys(row["split"] for row in rows)
    tables = {name: pa.Table.from_pylist([r for r in rows if r["split"] == name], SCHEMA) for name in names}
    splits = {name: Split(len(table), "") for name, table in tables.items()}
    return manifest_in_memory(identity("invented", splits=splits), tables, LEDGER.empty_table())


@pytest.fixture
def found(identity: Callable[..., Identity]) -> Callable[..., dict[str, Finding]]:
    def run(rows: Rows, **options: Any) -> dict[str, Finding]:
        findings = benchwright.findings(made(rows, identity), **options)
        assert findings.failures == []
        return {each.id: each for each in findings.findings}

    return run


def test_sound_images_have_no_finding(
    found: Callable[..., dict[str, Finding]], identity: Callable[..., Identity]
) -> None:
    others = sound()
    for row in others:
        row |= {"sample_id": f"other {row['sample_id']}", "file_name": f"other {row['file_name']}", "width": 641}
    assert found(sound(), against=made(others, identity)) == {}


def first(rows: Rows) -> dict[str, Any]:
    boxes: dict[str, Any] = rows[0]["objects"][0]
    return boxes


def twin(rows: Rows) -> None:
    rows[0]["objects"].append({**first(rows), "annotation_id": 900, "width": 60.75})


def two_labels(rows: Rows) -> None:
    rows[0]["objects"].append({**first(rows), "annotation_id": 900, "category": LABELS[1]})


def outside(rows: Rows) -> None:
    first(rows).update(x=600.5)


def whole(rows: Rows) -> None:
    first(rows).update(x=0.0, y=0.0, width=640.0, height=480.0, area=640.0 * 480.0)


def long_one(rows: Rows) -> None:
    first(rows).update(width=3.9, area=3.9 * first(rows)["height"])


def tiny(rows: Rows) -> None:
    first(rows).update(width=2.5, height=2.5, area=6.25)


def crowd(rows: Rows) -> None:
    first(rows).update(crowd=True)


def large_area(rows: Rows) -> None:
    first(rows).update(area=9999.0)


def small_area(rows: Rows) -> None:
    first(rows).update(area=1000.0)


def cut_off(rows: Rows) -> None:
    for row in rows[:3]:
        one = row["objects"][0]
        one.update({name: float(int(one[name])) for name in SIDES})
        one.update(area=one["width"] * one["height"])


def same_image_id(rows: Rows) -> None:
    rows[1]["image_id"] = 0


def same_annotation_id(rows: Rows) -> None:
    rows[1]["objects"][0]["annotation_id"] = 0


def same_file(rows: Rows) -> None:
    rows[1]["file_name"] = "0.jpg"


def same_content(rows: Rows) -> None:
    rows[1]["objects"] = [{**each, "annotation_id": 900 + n} for n, each in enumerate(rows[0]["objects"][::-1])]


def two_splits(rows: Rows) -> None:
    rows[10]["file_name"] = "0.jpg"


def moved_to_test(rows: Rows) -> None:
    rows[10]["objects"] = copy.deepcopy(rows[0]["objects"])


def absent(rows: Rows) -> None:
    for row in rows[10:]:
        row["objects"].pop()


def many(rows: Rows) -> None:
    rows[0]["objects"] += [box(1000 + n, "crack", 3.5 * n + 9, 400.5, 3.05, 10.5) for n in range(101)]


@pytest.mark.parametrize(
    ("name", "fault", "rows"),
    [
        ("twin-boxes", twin, ["0"]),
        ("boxes-of-two-labels", two_labels, ["0"]),
        ("outside-image", outside, ["0"]),
        ("whole-image-boxes", whole, ["0"]),
        ("odd-shapes", long_one, ["0"]),
        ("tiny-boxes", tiny, ["0"]),
        ("crowds", crowd, ["0"]),
        ("impossible-area", large_area, ["0"]),
        ("area-not-of-box", small_area, ["0"]),
        ("mixed-rounding", cut_off, ["0", "1", "2"]),
        ("image-id-reuse", same_image_id, ["0", "1"]),
        ("annotation-id-reuse", same_annotation_id, ["0", "1"]),
        ("file-name-reuse", same_file, ["0", "1"]),
        ("repeated-images", same_content, ["0", "1"]),
        ("images-in-splits", two_splits, ["0", "10"]),
        ("images-in-splits", moved_to_test, ["0", "10"]),
        ("absent-labels", absent, ["pothole in test"]),
        ("crowded-images", many, ["0"]),
    ],
)
def test_a_fault_is_found_and_named(
    found: Callable[..., dict[str, Finding]], name: str, fault: Callable[[Rows], None], rows: list[str]
) -> None:
    faulty = sound()
    fault(faulty)
    finding = found(faulty)[name]
    assert finding.rows == rows
    assert finding.numbers["count"] == len(rows)
    assert "{" not in finding.title + finding.statement


def detections(rows: Rows, **changed: Any) -> pd.DataFrame:
    """The boxes of the test split as a system finds them, a little off."""
    names = ["x", "y", "width", "height", "category"]
    found = [
        {"sample_id": row["sample_id"], **{name: each[name] for name in names}, "score": 0.9 - n / 100 - number / 1000}
        for number, row in enumerate(rows)
        if row["split"] == "test"
        for n, each in enumerate(row["objects"])
    ]
    table = pd.DataFrame(found)
    return table.assign(x=table["x"] + 1, **changed)


def test_a_sound_system_has_no_finding(
    found: Callable[..., dict[str, Finding]], identity: Callable[..., Identity]
) -> None:
    assert found(sound(), predictions={"good": detections(sound())}) == {}


def with_corners(boxes: pd.DataFrame) -> pd.DataFrame:
    return boxes.assign(width=boxes["x"] + boxes["width"], height=boxes["y"] + boxes["height"])


def other_classes(boxes: pd.DataFrame) -> pd.DataFrame:
    return boxes.assign(category=boxes["category"].map({LABELS[0]: LABELS[1], LABELS[1]: LABELS[0]}))


def resized(boxes: pd.DataFrame) -> pd.DataFrame:
    sides = ["x", "y", "width", "height"]
    return boxes.assign(**(boxes[sides] / [2, 1.5, 2, 1.5]))


def one_score(boxes: pd.DataFrame) -> pd.DataFrame:
    return boxes.assign(score=1.0)


def without_a_class(boxes: pd.DataFrame) -> pd.DataFrame:
    return boxes[boxes["category"] == LABELS[0]]


def twice(boxes: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([boxes, boxes.assign(score=boxes["score"] - 0.5, x=boxes["x"] + 2)])


def elsewhere(boxes: pd.DataFrame) -> pd.DataFrame:
    return boxes.assign(x=400.0, y=300.0, width=30.0, height=30.0)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("doubtful-detections", with_corners),
        ("doubtful-detections", other_classes),
        ("doubtful-detections", resized),
        ("equal-scores", one_score),
        ("never-detected", without_a_class),
        ("unsuppressed", twice),
    ],
)
def test_a_fault_of_a_system_is_found(
    found: Callable[..., dict[str, Finding]], name: str, fault: Callable[[pd.DataFrame], pd.DataFrame]
) -> None:
    systems = {"good": detections(sound()), "bad": fault(detections(sound()))}
    finding = found(sound(), predictions=systems)[name]
    assert all(row.startswith("bad") for row in finding.rows)
    assert finding.numbers["count"] >= 1
    assert "{" not in finding.title + finding.statement


def test_the_mean_box_beats_a_system_that_looks_elsewhere(
    found: Callable[..., dict[str, Finding]], identity: Callable[..., Identity]
) -> None:
    train = [row for row in sound() if row["split"] == "train"]
    systems = {"bad": elsewhere(detections(sound()))}
    finding = found(sound(), predictions=systems, against=made(train, identity))["mean-box-guess"]
    assert finding.severity == "high"
    assert finding.numbers["guess"] > finding.numbers["best"]
    assert "the other splits" in found(sound(), predictions=systems)["mean-box-guess"].statement
    good = {"good": detections(sound())}
    assert "mean-box-guess" not in found(sound(), predictions=good, against=made(train, identity))


def test_the_whole_image_beats_a_system_where_objects_fill_it(found: Callable[..., dict[str, Finding]]) -> None:
    rows = sound()
    for row in rows[:-2]:
        for n, each in enumerate(row["objects"]):
            each |= {"x": 5.5 + n, "y": 5.25, "width": 600.5, "height": 450.5, "area": 600.5 * 450.5}
    finding = found(rows, predictions={"bad": elsewhere(detections(rows))})["whole-image-guess"]
    assert finding.severity == "high"
    assert finding.numbers["guess"] == pytest.approx(0.8, abs=0.05)


def test_labels_that_are_rare_beside_others_are_told(found: Callable[..., dict[str, Finding]]) -> None:
    rows = sound()
    for number in range(320):
        rows[0]["objects"].append(box(1000 + number, LABELS[number % 2], 1.5 * number, 300.25, 30.5, 40.5))
    rows[1]["objects"].append(box(2000, "rut", 300.5, 200.25, 60.5, 40.5))
    rows[11]["objects"].append(box(2001, "rut", 300.5, 200.25, 60.5, 40.5))
    assert found(rows)["rare-labels"].rows == ["rut in train (1)"]


def test_images_leak_under_another_name(
    found: Callable[..., dict[str, Finding]], identity: Callable[..., Identity]
) -> None:
    others = [{**row, "sample_id": f"x{row['sample_id']}", "file_name": f"x{row['file_name']}"} for row in sound()[:3]]
    others.append({**sound()[3], "file_name": "4.jpg", "objects": sound()[4]["objects"][:1], "sample_id": "y"})
    leak = found(sound(), against=made(others, identity))["leak-image"]
    assert leak.rows == ["0", "1", "2", "4"]
    assert (leak.numbers["names"], leak.numbers["contents"]) == (1, 3)


def test_images_of_which_the_boxes_say_nothing_are_not_called_the_same() -> None:
    sides = pd.DataFrame({"x": 0.0, "y": 0.0, "width": [9.0, 9.0, 5.0, 5.0], "height": 8.0, "row": [0, 1, 2, 3]})
    found = contents(sides.assign(image_width=[9, 9, 9, None], image_height=[8, 8, 8, None]), 5)
    assert (found > 0).tolist() == [False, False, True, True, False]


NUMBERS = st.integers(0, 6).map(float)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.sampled_from("ab"), NUMBERS, NUMBERS, NUMBERS, NUMBERS), max_size=12),
    st.sampled_from([0.3, 0.5, 0.75, 0.9]),
)
def test_twins_are_those_of_all_pairs(rows: list[tuple[Any, ...]], least: float) -> None:
    boxes = pd.DataFrame(rows, columns=["row", "label", *SIDES]).astype(dict.fromkeys(SIDES, float))
    one, other = twin_pairs(boxes, least)
    sides = boxes[SIDES].to_numpy(float).T.reshape(4, -1)
    naive = {
        (a, b)
        for a in range(len(rows))
        for b in range(a + 1, len(rows))
        if rows[a][:2] == rows[b][:2] and overlaps(sides[:, [a]], sides[:, [b]])[0] > least
    }
    assert {(min(pair), max(pair)) for pair in zip(one.tolist(), other.tolist(), strict=True)} == naive
    assert len(one) == len(naive)


def test_twins_among_many_boxes_do_not_take_the_square_of_them() -> None:
    place = np.arange(200_000)
    boxes = pd.DataFrame({"row": place // 1000, "label": "a", "x": place % 1000 * 7.0, "y": 0.0, "width": 6.0})
    assert len(twin_pairs(boxes.assign(height=9.0), 0.9)[0]) == 0
    heap = boxes[:20_000].assign(row=0, x=5.0, height=9.0)
    assert len(twin_pairs(heap, 0.9)[0]) < 20_000 * 500


def test_areas_of_masks_are_never_those_of_boxes(found: Callable[..., dict[str, Finding]]) -> None:
    rows = sound()
    for row in rows:
        for each in row["objects"]:
            each["area"] *= 0.6
    assert found(rows) == {}
    sample = found(rows[:10] + sound()[10:])  # half of them masks: some are, some are not
    assert sample["area-not-of-box"].numbers["count"] == 20
