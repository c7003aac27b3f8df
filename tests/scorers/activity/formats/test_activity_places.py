"""Where errors in prediction files of activities say that something is wrong: row, record and field as in the file."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from schemas.errors import InputError
from scorers.activity import Predictions

Read = Callable[..., Predictions]
Write = Callable[[str, Any], Path]

A, B = "hall-2019-02-08_0", "yard-2019-03-16_1"
ROWS: list[dict[str, Any]] = [
    {
        "sample_id": f"{A}/000015",
        "persons": [{"person_id": person, "actions": [1]} for person in (7, 3, 12)],
        "groups": [{"member_ids": [7, 12], "activities": [2]}],
        "global_activities": [5],
    },
    {
        "sample_id": f"{A}/000030",
        "persons": [{"person_id": person, "actions": [1]} for person in (3, 12)],
        "groups": [{"member_ids": [3], "activities": [2]}, {"member_ids": [12], "activities": [1]}],
        "global_activities": [5],
    },
]
PERSON, GROUP = "row 2, record 2 of persons: ", "row 2, record 2 of groups: "
NESTED: dict[str, tuple[tuple[Any, ...], Any, str]] = {
    "action": (("persons", 1, "actions"), [28], PERSON + "actions: found 28, expected a label from 1 to 27"),
    "action twice": (("persons", 1, "actions"), [3, 3], PERSON + "actions: found 3 twice"),
    "null action": (("persons", 1, "actions"), [3, None], PERSON + "actions: found None, expected a whole number"),
    "no person": (("persons", 1, "person_id"), None, PERSON + "person_id: found None, expected a whole number"),
    "half a person": (("persons", 1, "person_id"), 1.5, PERSON + "person_id: found 1.5, expected a whole number"),
    "person in words": (
        ("persons", 1, "person_id"),
        "x",
        PERSON + "person_id: found 'x', text, expected a number, as in row 1, record 1 of persons",
    ),
    "large person": (("persons", 1, "person_id"), 2**70, PERSON + "person_id: found 1180591620717411303424, expected"),
    "truth value": (
        ("persons", 1, "actions"),
        [True],
        PERSON + "actions: found True, a truth value, expected a number",
    ),
    "stranger": (("persons", 1, "person_id"), 99, rf"person_id: found 1 who do not exist \(99 in {A}/000030\)"),
    "activity": (("groups", 1, "activities"), [33], GROUP + "activities: found 33, expected a label from 1 to 32"),
    "null member": (("groups", 1, "member_ids"), [12, None], GROUP + "member_ids: found None, expected a whole"),
    "no members": (("groups", 1, "member_ids"), None, GROUP + "member_ids: found nothing, expected a list of persons"),
    "member twice": (("groups", 1, "member_ids"), [12, 12], f"member_ids: found person 12 in {A}/000030 twice"),
    "member who is a stranger": (("groups", 1, "member_ids"), [99], "member_ids: found 1 who do not exist"),
    "global": (("global_activities",), [8], "row 2: global_activities: found 8, expected a label from 1 to 7"),
    "frame twice": (("sample_id",), f"{A}/000015", f"row 2: sample_id: found '{A}/000015' as in row 1, expected one"),
    "no name": (("sample_id",), None, "row 2: sample_id: found nothing, expected a sample id"),
    "misspelt person": (
        ("persons", 1),
        {"person_id": 12, "action": [3]},
        r"row 2, record 2 of persons: found the unknown key 'action', .*\(did you mean actions\?\)",
    ),
    "misspelt group": (
        ("groups", 1),
        {"member_ids": [12], "activity": [3]},
        r"row 2, record 2 of groups: found the unknown key 'activity', .*\(did you mean activities\?\)",
    ),
}


def changed(path: tuple[Any, ...], value: Any) -> list[dict[str, Any]]:
    """The rows with another value somewhere in the second."""
    rows = deepcopy(ROWS)
    place: Any = rows[1]
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return rows


@pytest.mark.parametrize("case", NESTED)
def test_errors_in_nested_rows_name_row_record_and_field_of_the_file(case: str, write: Write, read: Read) -> None:
    path, value, message = NESTED[case]
    with pytest.raises(InputError, match=message):
        read(write("rows.jsonl", changed(path, value)))


def test_scores_in_nested_rows_are_named_by_their_row(write: Write, read: Read) -> None:
    rows = deepcopy(ROWS)
    for person in (person for row in rows for person in row["persons"]):
        person["action_scores"] = [0.0] * 27
        del person["actions"]
    rows[1]["persons"][1]["action_scores"] = [0.0] * 26 + [None]
    with pytest.raises(InputError, match="row 2, record 2 of persons: action_scores: found None, expected a number"):
        read(write("rows.jsonl", rows))
    rows[1]["persons"][1]["action_scores"] = [0.0] * 26
    with pytest.raises(InputError, match="row 2, record 2 of persons: action_scores: found 26 scores"):
        read(write("rows.jsonl", rows))
    records = [[{"id": 1, "score": 0.7}], [{"id": 2, "score": None}]]
    nested = [row | {"global_activities": labels} for row, labels in zip(ROWS, records, strict=True)]
    with pytest.raises(InputError, match=r"row 2: global_activities\.score: found None, expected a number"):
        read(write("rows.jsonl", nested))


KEYS = {"sequence": [A] * 3, "frame": [15] * 3, "person": [7, 3, 12]}
MEMBERS = {"sequence": [A, A], "frame": [15, 30]}
LONG: dict[str, tuple[Any, str]] = {
    "text label": (KEYS | {"labels": [["1", "2"], ["2"], ["sit", "3"]]}, "row 3: labels: found 'sit'"),
    "null label": (KEYS | {"labels": [[1, 2], [2, 3], [None]]}, "row 3: labels: found None"),
    "NaN": (KEYS | {"scores": [[0.0] * 27] * 2 + [[0.0] * 26 + [float("nan")]]}, "row 3: scores: found nan"),
    "text score": (KEYS | {"scores": [["0"] * 27, ["0"] * 27, ["0"] * 26 + ["high"]]}, "row 3: scores: found 'high'"),
    "score after no label": (KEYS | {"label": [None, 1, 1], "score": [None, 0.5, None]}, "row 3: score: found None"),
    "text score of a label": (KEYS | {"label": [None, 1, 1], "score": ["", "1e-3", "?"]}, r"row 3: score: found '\?'"),
    "member": (MEMBERS | {"members": [["7", "12"], ["x"]], "labels": [[1], [1]]}, "row 2: members: found 'x'"),
    "no members": (MEMBERS | {"members": [[7, 12], None], "labels": [[1], [1]]}, "row 2: members: found nothing"),
    "record of a label": (
        {"sequence": [A, A], "frame": [15, 30], "labels": [[{"id": 1}, {"id": 2}], [{"id": 8}]]},
        "row 2: labels: found 8",
    ),
}


@pytest.mark.parametrize("case", LONG)
def test_elements_of_lists_in_long_tables_are_named_by_their_row(case: str, write: Write, read: Read) -> None:
    content, message = LONG[case]
    with pytest.raises(InputError, match=message):
        read(write("table.parquet", content))


MISSPELT: dict[str, tuple[Any, str]] = {
    "score": (KEYS | {"label": [1, 1, 1], "scoer": [0.1] * 3}, r"row 1: found the unknown key 'scoer', .*mean score"),
    "person": (
        {"sequence": [A], "frame": [15], "person_id": [7], "labels": [[1]]},
        r"row 1: found the unknown key 'person_id', .*mean person\?",
    ),
    "score of a record": (
        {"sequence": [A], "frame": [15], "labels": [[{"id": 1, "scores": 0.1}]]},
        r"row 1: found the unknown key 'scores', expected id, score \(did you mean score\?\)",
    ),
    "members beside person": (
        {"sequence": [A], "frame": [15], "person": [7], "members": [[7, 12]], "labels": [[1]]},
        "expected either members, one row a group, or person and group, one row a person",
    ),
    "sequence beside another's sample id": (
        {"sample_id": [f"{A}/000015"] * 2, "sequence": [5, 9], "person": [7, 3], "labels": [[1], [1]]},
        f"row 2: sequence: found '{B}' beside the sample_id '{A}/000015', expected the same key frame",
    ),
    "frame beside another's sample id": (
        {"sample_id": [f"{A}/000015"] * 2, "frame": [15, 30], "person": [7, 3], "labels": [[1], [1]]},
        f"row 2: frame: found 30 beside the sample_id '{A}/000015', expected the same key frame",
    ),
    "no label beside a label": (
        {"sequence": [A] * 2, "frame": [15] * 2, "person": [7] * 2, "label": [None, 3]},
        f"label: found person 7 in {A}/000015 in a row without a label, and in others",
    ),
    "no label twice": (
        {"sequence": [A] * 2, "frame": [15] * 2, "person": [7] * 2, "label": pa.array([None] * 2, pa.int64())},
        f"label: found person 7 in {A}/000015 in a row without a label, and in others",
    ),
    "label of a group twice": (
        {"sequence": [A] * 2, "frame": [15] * 2, "members": [[7, 12], [12, 7]], "label": [3, 3]},
        "found the group of row 1 more than once, expected every label once",
    ),
    "named group with other members": (
        {"sequence": [A] * 3, "frame": [15] * 3, "members": [[7], [3, 12], [3]], "group": [1, 2, 2], "label": [1] * 3},
        "row 3: members: found other members than in an earlier row of the same group",
    ),
    "same members in groups of two names": (
        {"sequence": [A] * 2, "frame": [15] * 2, "members": [[7], [7]], "group": [1, 2], "label": [1, 2]},
        f"group: found person 7 in {A}/000015 in several groups",
    ),
}


@pytest.mark.parametrize("case", MISSPELT)
def test_misspelt_and_contradictory_keys_are_refused(case: str, write: Write, read: Read) -> None:
    content, message = MISSPELT[case]
    with pytest.raises(InputError, match=message):
        read(write("table.parquet", content))


def test_one_row_with_a_misspelt_column_is_refused(write: Write, read: Read) -> None:
    rows = [ROWS[0], {"group" if name == "groups" else name: value for name, value in ROWS[1].items()}]
    with pytest.raises(InputError, match=r"row 2: found the unknown key 'group', .*did you mean groups\?"):
        read(write("rows.jsonl", rows))


def test_a_nested_row_with_the_sequence_of_another_is_refused(write: Write, read: Read) -> None:
    rows = [
        row | {"sequence": name, "frame": 15 + 15 * n} for n, (row, name) in enumerate(zip(ROWS, (A, B), strict=True))
    ]
    with pytest.raises(InputError, match=f"row 2: sequence: found '{B}' beside the sample_id '{A}/000030'"):
        read(write("rows.jsonl", rows))


def test_values_of_two_kinds_name_both_rows(write: Write, read: Read) -> None:
    rows = [{"sequence": name, "frame": 15, "labels": [1]} for name in (B, 5)]
    with pytest.raises(InputError, match="row 2: sequence: found 5, a number, expected text, as in row 1"):
        read(write("table.jsonl", rows))


def test_unknown_suffixes_are_named(write: Write, read: Read) -> None:
    with pytest.raises(InputError, match=r"table\.txt: found the unknown suffix \.txt, expected \.parquet, \.csv"):
        read(write("table.txt", f"sequence,frame,labels\n{A},15,5\n"))
    with pytest.raises(InputError, match="found a name without a suffix"):
        read(write("table", f"sequence,frame,labels\n{A},15,5\n"))
    rows = '{"sequence": 5, "frame": 15, "labels": [5]}\n{"sequence": 5, "frame": 30, "labels": [1]}\n'
    found = read(write("rows.txt", rows)).activities
    assert found is not None
    assert found.tolist() == [16, 1, 0]
