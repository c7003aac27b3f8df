"""Findings of invented key frames: silent on sound ones, and each on its fault."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import benchwright
from benchwright.checks.finding import Finding
from benchwright.checks.people import sets
from schemas.activity import activity_schema
from schemas.cards import Card, LabelList
from schemas.identity import Identity, Split
from schemas.ledger import LEDGER
from schemas.manifest import Manifest, manifest_in_memory

Rows = list[dict[str, Any]]
SCHEMA = activity_schema("invented", 1)
ACTIONS = ["walking", "standing", "sitting", "reading"]


def person(number: int, frame: int, *actions: int) -> dict[str, Any]:
    box = {"x": 100 * number + frame, "y": 40, "width": 30, "height": 90}
    labels = [{"id": action, "difficult": False} for action in actions]
    group = {"group_id": (number + 1) // 2, "group_difficult": False}
    return {"person_id": number, **box, "actions": labels, "social": [], **group}


def sound() -> Rows:
    """Two sequences a split, five frames each: four persons who walk and stand in pairs, and scenes that change."""
    rows = []
    for place, (split, sequence) in enumerate([("train", "a"), ("train", "b"), ("test", "c"), ("test", "d")]):
        for frame in range(15, 90, 15):
            people = [person(1, frame, 1), person(2, frame, 1, 4), person(3, frame, 2), person(4, frame, 3)]
            pairs = [(1, [1, 2], [1]), (2, [3, 4], [2])]
            groups = [dict(zip(("group_id", "member_ids", "activities"), pair, strict=True)) for pair in pairs]
            image = {"file_name": f"{sequence}/{frame}.jpg", "width": 4000, "height": 200}
            place_in = {"split": split, "sequence": sequence, "sequence_index": place, "frame": frame}
            scene = {"persons": people, "groups": groups, "global_activities": [1 + frame // 15 % 2]}
            rows.append({"sample_id": f"{sequence}/{frame}", **place_in, **image, **scene})
    return rows


@pytest.fixture
def found(identity: Callable[..., Identity], card: Callable[..., Card]) -> Callable[..., dict[str, Finding]]:
    lists = {"actions": ACTIONS, "social": ACTIONS[:2], "global": ["resting", "moving"]}
    cards = [LabelList(name, labels, "invented") for name, labels in lists.items()]

    def run(rows: Rows, **options: Any) -> dict[str, Finding]:
        names = dict.fromkeys(row["split"] for row in rows)
        tables = {name: pa.Table.from_pylist([r for r in rows if r["split"] == name], SCHEMA) for name in names}
        fields = {"splits": {name: Split(len(table), "") for name, table in tables.items()}}
        given = identity("invented", schema_version=1, card=card(list(names), label_lists=cards), **fields)
        manifest: Manifest = manifest_in_memory(given, tables, LEDGER.empty_table())
        made = benchwright.findings(manifest, **options)
        assert made.failures == []
        return {each.id: each for each in made.findings}

    return run


def test_sound_frames_have_no_finding_but_their_sequences(found: Callable[..., dict[str, Finding]]) -> None:
    assert set(found(sound())) == {"clusters"}


def first(rows: Rows) -> dict[str, Any]:
    people: dict[str, Any] = rows[0]["persons"][0]
    return people


def constant(rows: Rows) -> None:
    for row in rows:
        row["global_activities"] = [1 + row["sequence_index"] % 2]


def absent(rows: Rows) -> None:
    for row in rows[10:]:
        row["persons"][1]["actions"] = row["persons"][1]["actions"][:1]


def idle_group(rows: Rows) -> None:
    rows[0]["groups"][1]["activities"] = [1]


def contradictory(rows: Rows) -> None:
    first(rows)["actions"] = [{"id": 2, "difficult": False}, {"id": 1, "difficult": False}]


def without_posture(rows: Rows) -> None:
    first(rows)["actions"] = [{"id": 4, "difficult": False}]


def flicker(rows: Rows) -> None:
    rows[1]["persons"][0]["actions"] = [{"id": 2, "difficult": False}]


def jump(rows: Rows) -> None:
    rows[2]["persons"][0]["x"] += 1500


def twins(rows: Rows) -> None:
    for row in rows[:2]:
        row["persons"][1] |= {"x": row["persons"][0]["x"] + 1}


def person_twice(rows: Rows) -> None:
    rows[0]["persons"].append({**copy.deepcopy(first(rows)), "x": 800})


def other_group(rows: Rows) -> None:
    rows[4]["persons"][2]["group_id"] = 1


def group_again(rows: Rows) -> None:
    one, other = rows[2]["groups"]
    one["group_id"], other["group_id"] = 3, 1


def lecture(rows: Rows) -> None:
    rows[0]["groups"] = [{"group_id": 1, "member_ids": [1, 2, 3, 4], "activities": [1]}]


def tall(rows: Rows) -> None:
    first(rows).update(width=8)


def outside(rows: Rows) -> None:
    first(rows).update(y=150)


@pytest.mark.parametrize(
    ("name", "fault", "rows"),
    [
        ("constant-scenes", constant, ["a", "b", "c", "d"]),
        ("absent-classes", absent, ["reading in test"]),
        ("walking-groups", idle_group, ["a/15: group 2"]),
        ("contradictory-actions", contradictory, ["a/15: person 1"]),
        ("no-posture", without_posture, ["a/15: person 1"]),
        ("flicker", flicker, ["a/30: person 1"]),
        ("jumps", jump, ["a/45: person 1", "a/60: person 1"]),
        ("twin-persons", twins, ["a/15: person 1 and 2", "a/30: person 1 and 2"]),
        ("person-id-reuse", person_twice, ["a/15", "a/15"]),
        ("group-changes", other_group, ["a: person 3"]),
        ("group-id-reuse", group_again, ["a/45: group 1", "a/60: group 1"]),
        ("lecture-groups", lecture, ["a/15: group 1"]),
        ("odd-persons", tall, ["a/15"]),
        ("persons-outside", outside, ["a/15"]),
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


def test_numbers_of_twins_are_of_boxes_and_of_tracks(found: Callable[..., dict[str, Finding]]) -> None:
    faulty = sound()
    twins(faulty)
    assert found(faulty)["twin-persons"].numbers["tracks"] == 1


def test_rare_classes_are_told_where_classes_are_frequent(found: Callable[..., dict[str, Finding]]) -> None:
    rows: Rows = []
    for number in range(60):
        later = [{"sample_id": f"{row['sample_id']}/{number}", "frame": row["frame"] + 75 * number} for row in sound()]
        rows += [row | name for row, name in zip(sound(), later, strict=True)]
    for row in rows[5:]:
        row["persons"][1]["actions"] = row["persons"][1]["actions"][:1]
    assert found(rows)["rare-classes"].rows == ["reading in train (5)"]


def test_sets_of_labels_do_not_depend_on_their_order() -> None:
    assert sets([1, 0, 1], [7, 3, 5], 3).tolist() == sets([1, 1, 0], [5, 7, 3], 3).tolist() == ["3", "5 7", ""]


def answers(rows: Rows) -> pa.Table:
    """What a system says that is right about the test split."""
    columns = ["sample_id", "persons", "groups", "global_activities"]
    return pa.Table.from_pylist([row for row in rows if row["split"] == "test"], SCHEMA).select(columns)


def test_a_sound_system_has_no_finding(found: Callable[..., dict[str, Finding]]) -> None:
    assert set(found(sound(), predictions={"good": answers(sound())})) == {"clusters"}


def all_walk(rows: Rows) -> None:
    for row in rows:
        for each in row["persons"]:
            each["actions"] = [{"id": 1, "difficult": False}]


def nobody_reads(rows: Rows) -> None:
    for row in rows:
        row["persons"][1]["actions"] = row["persons"][1]["actions"][:1]


def missing_persons(rows: Rows) -> None:
    for row in rows:
        row["persons"].pop()
        row["groups"].pop()


def all_wrong(rows: Rows) -> None:
    for row in rows:
        for each in row["persons"]:
            each["actions"] = [{"id": 5 - each["actions"][0]["id"], "difficult": False}]


def one_group_more(rows: Rows) -> None:
    for row in rows:
        row["groups"].append({"group_id": 9, "member_ids": [2, 3], "activities": [1]})


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("recall-over-predicted", one_group_more),
        ("same-answer", all_walk),
        ("never-predicted", nobody_reads),
        ("missing-answers", missing_persons),
        ("same-for-everybody", all_wrong),
    ],
)
def test_a_fault_of_a_system_is_found(
    found: Callable[..., dict[str, Finding]], name: str, fault: Callable[[Rows], None]
) -> None:
    faulty = sound()
    fault(faulty)
    finding = found(sound(), predictions={"bad": answers(faulty)})[name]
    assert finding.numbers["count"] >= 1
    assert "{" not in finding.title + finding.statement
