"""What is odd about boxes and groups, against plain loops over random rows."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from schemas.activity import activity_schema
from schemas.box_doubts import DOUBTS
from schemas.cards import Card, LabelList
from schemas.detection import detection_schema
from schemas.value_findings import value_findings

TEXTS = dict.fromkeys(["title", "task", "citation", "licence", "access", "rows"], "invented")
LISTS = [LabelList(name, ["a", "b"], "here") for name in ("actions", "social", "global")]
CARD = Card(name="invented", splits=["test"], sources=[], labels=["crack"], label_lists=LISTS, **TEXTS)

sides = st.sampled_from([-1.0, 0.0, 3.0, 10.0, 10.005, 10.5, math.nan, math.inf])
boxes = st.fixed_dictionaries(
    {
        "category": st.sampled_from(["crack", "a", "pothole"]),
        "x": sides,
        "y": st.sampled_from([-0.005, 0.0, 4.0]),
        "width": sides,
        "height": st.sampled_from([0.0, 5.0, 6.0]),
        "annotation_id": st.sampled_from([None, 1, 2, 3]),
    }
)
images = st.fixed_dictionaries(
    {"width": st.sampled_from([None, 10]), "height": st.just(10), "objects": st.lists(boxes, max_size=4)}
)


def counts(table: pa.Table, card: Card | None = CARD) -> dict[str, tuple[str, int, str]]:
    found = [finding for finding in value_findings("test", table, card) if finding.check not in DOUBTS]
    assert all(f"{finding.count:,} " in finding.message and finding.place == "test" for finding in found)
    summed: dict[str, tuple[str, int, str]] = {}
    for finding in found:
        _, count, example = summed.get(finding.check, ("", 0, finding.example))
        summed[finding.check] = (finding.severity, count + finding.count, min(example, finding.example))
    return summed


def expected_of(hits: list[tuple[str, str, str]]) -> dict[str, tuple[str, int, str]]:
    """Severity, check and sample of every hit, summed."""
    checks = Counter((severity, check) for severity, check, _ in hits)
    return {
        check: (severity, count, min(sample for s, c, sample in hits if (s, c) == (severity, check)))
        for (severity, check), count in checks.items()
    }


def box_hits(rows: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    hits, ids = [], set()
    for row in rows:
        seen: list[dict[str, Any]] = []
        for box in row["objects"]:
            x, y, width, height = (box[name] for name in ("x", "y", "width", "height"))
            right, bottom = (math.inf if row[name] is None else row[name] + 0.01 for name in ("width", "height"))
            same = [name for name in box if name != "annotation_id"]
            facts = {
                ("error", "finite"): not all(map(math.isfinite, (x, y, width, height))),
                ("error", "negative"): width < 0 or height < 0,
                ("warning", "area"): width == 0 or height == 0,
                ("warning", "pixel"): 0 < min(width, height) < 1,
                ("warning", "image"): x < -0.01 or y < -0.01 or x + width > right or y + height > bottom,
                ("warning", "repeated"): any(all(repr(o[n]) == repr(box[n]) for n in same) for o in seen),
                ("warning", "label"): box["category"] == "pothole",
                ("warning", "annotation_id"): box["annotation_id"] in ids,
            }
            hits += [(*fact, row["sample_id"]) for fact, holds in facts.items() if holds]
            seen.append(box)
            ids |= {box["annotation_id"]} - {None}
    return hits


@given(st.lists(images, max_size=4))
def test_boxes_are_counted_as_a_plain_loop_counts_them(rows: list[dict[str, Any]]) -> None:
    rest = {"area": 1.0, "area_source": "box", "crowd": False, "difficult": None, "ignored": False, "category_id": None}
    named = [
        {"sample_id": f"s{place}", "split": "test", "image_id": place, "file_name": None, **row}
        | {"objects": [rest | box for box in row["objects"]]}
        for place, row in enumerate(rows)
    ]
    table = pa.Table.from_pylist(named, schema=detection_schema("invented", 1))
    assert counts(table) == expected_of(box_hits([rows[i] | {"sample_id": f"s{i}"} for i in range(len(rows))]))


ids = st.sampled_from([1, 2, 3])
labels = st.lists(st.sampled_from([0, 1, 2, 3]), max_size=2)
frames = st.fixed_dictionaries(
    {
        "persons": st.lists(st.fixed_dictionaries({"person_id": ids, "actions": labels, "social": labels}), max_size=3),
        "groups": st.lists(
            st.fixed_dictionaries({"member_ids": st.lists(ids, max_size=3), "activities": labels}), max_size=3
        ),
        "global_activities": labels,
    }
)


def group_hits(rows: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    hits = []
    for row in rows:
        persons = [person["person_id"] for person in row["persons"]]
        members = [member for group in row["groups"] for member in group["member_ids"]]
        given = [*row["global_activities"], *(i for group in row["groups"] for i in group["activities"])]
        given += [i for person in row["persons"] for i in [*person["actions"], *person["social"]]]
        found = (
            ("error", "person", len(persons) - len(set(persons))),
            ("error", "member", len(members) - len(set(members))),
            ("error", "label", sum(not 1 <= i <= 2 for i in given)),
            ("warning", "empty", sum(not group["member_ids"] for group in row["groups"])),
            ("warning", "absent", sum(member not in persons for member in members)),
        )
        hits += [(severity, check, row["sample_id"]) for severity, check, count in found for _ in range(count)]
    return hits


def activity_table(rows: list[dict[str, Any]]) -> pa.Table:
    def labelled(person: dict[str, Any], place: int) -> dict[str, Any]:
        given = {task: [{"id": i, "difficult": False} for i in person[task]] for task in ("actions", "social")}
        box = {"x": place, "y": 0, "width": 1, "height": 1}
        return person | given | box | {"group_id": None, "group_difficult": None}

    frame = {
        "split": "test",
        "sequence": "q",
        "sequence_index": 0,
        "frame": 0,
        "file_name": "",
        "width": 9,
        "height": 9,
    }
    full = [
        frame
        | {"width": 9, "height": 9}
        | row
        | {"persons": [labelled(person, place) for place, person in enumerate(row["persons"])]}
        | {"groups": [group | {"group_id": place} for place, group in enumerate(row["groups"])]}
        for row in rows
    ]
    return pa.Table.from_pylist(full, schema=activity_schema("invented", 1))


@given(st.lists(frames, max_size=4))
def test_groups_and_labels_are_counted_as_a_plain_loop_counts_them(rows: list[dict[str, Any]]) -> None:
    named = [row | {"sample_id": f"s{place}"} for place, row in enumerate(rows)]
    assert counts(activity_table(named)) == expected_of(group_hits(named))


def test_labels_are_not_checked_without_a_list() -> None:
    person = {"person_id": 1, "actions": [99], "social": []}
    row = {"sample_id": "s", "persons": [person], "groups": [], "global_activities": [99]}
    assert counts(activity_table([row]), None) == {}
