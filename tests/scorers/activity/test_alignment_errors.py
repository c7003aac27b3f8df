"""Predictions that are refused: file, record, field and what was found there, for every format."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from schemas.errors import InputError, Problem, UsageError
from scorers.activity.frames import Predictions
from scorers.scorer import Aligned

Read = Callable[..., Aligned[Predictions]]
Write = Callable[[str, Any], Path]

A, B = "hall-2019-02-08_0", "yard-2019-03-16_1"
ONE = {"sequence": [A], "frame": [15], "person": [7], "labels": [[1]]}
PAIR = {"sequence": [A], "frame": [15], "members": [[7, 12]], "labels": [[1]]}
TWO = {name: values * 2 for name, values in PAIR.items()}
SCORES = {"sequence": [A], "frame": [15], "person": [7]}
KEYS = {"sequence": [A] * 3, "frame": [15] * 3, "person": [7, 3, 12]}
MEMBERS = {"sequence": [A, A], "frame": [15, 30]}

# Content, and the record, the field and what was found there.
TABLES: dict[str, tuple[Any, str, str, str]] = {
    "frame that does not exist": (ONE | {"frame": [20]}, "row 1", "frame", f"{A}/000020, which does not exist"),
    "sequence that does not exist": (
        ONE | {"sequence": ["attic"]},
        "row 1",
        "frame",
        "attic/000015, which does not exist",
    ),
    "number of no sequence": (ONE | {"sequence": [8]}, "row 1", "frame", "8/000015, which does not exist"),
    "person who does not exist": (ONE | {"person": [8]}, "row 1", "person", f"8, who does not exist in {A}/000015"),
    "member who does not exist": (
        PAIR | {"members": [[7, 8]]},
        "row 1",
        "members",
        f"8, who does not exist in {A}/000015",
    ),
    "label 0": (ONE | {"labels": [[0]]}, "row 1", "labels", "0"),
    "label 28 of 27": (ONE | {"labels": [[28]]}, "row 1", "labels", "28"),
    "label 33 of 32": (PAIR | {"labels": [[33]]}, "row 1", "labels", "33"),
    "label that is no number": (ONE | {"labels": [["walking"]]}, "row 1", "labels", "'walking'"),
    "label twice": (ONE | {"labels": [[2, 3, 2]]}, "row 1", "labels", f"2 of person 7 in {A}/000015 again"),
    "null among labels": (ONE | {"labels": [[2, None]]}, "row 1", "labels", "nothing"),
    "person twice": ({name: values * 2 for name, values in ONE.items()}, "row 2", "", f"person 7 in {A}/000015 again"),
    "label row twice": (
        {"sequence": [A] * 2, "frame": [15] * 2, "person": [7] * 2, "label": [3, 3]},
        "row 2",
        "label",
        f"3 of person 7 in {A}/000015 again",
    ),
    "frame twice": ({"sequence": [A] * 2, "frame": [15] * 2, "labels": [[1], [2]]}, "row 2", "", f"{A}/000015 again"),
    "person in two groups": (
        TWO | {"members": [[7, 12], [12, 3]]},
        "",
        "group",
        f"person 12 in {A}/000015 in several groups",
    ),
    "person of two groups": (
        {"sequence": [A] * 2, "frame": [15] * 2, "person": [7] * 2, "group": [1, 2], "label": [1, 2]},
        "",
        "group",
        f"person 7 in {A}/000015 in several groups",
    ),
    "member twice": (PAIR | {"members": [[7, 7]]}, "row 1", "members", f"person 7 in {A}/000015 again"),
    "group twice": (TWO | {"members": [[7], [12]], "group": [1, 1]}, "row 2", "group", "the group of an earlier row"),
    "NaN score": (SCORES | {"scores": [[float("nan")] * 27]}, "row 1", "scores", "nan (and 26 more)"),
    "score without a number": (SCORES | {"label": [3], "score": [None]}, "row 1", "score", "nothing"),
    "too few scores": (SCORES | {"scores": [[0.5] * 26]}, "row 1", "scores", "26 scores"),
    "no scores": (SCORES | {"scores": pa.array([None], pa.list_(pa.float64()))}, "row 1", "scores", "0 scores"),
    "frame with a fraction": (ONE | {"frame": [15.5]}, "row 1", "frame", "15.5"),
    "frame as a truth value": (ONE | {"frame": [True]}, "", "frame", "a column of bool"),
    "no frame": (ONE | {"frame": pa.array([None], pa.int64())}, "row 1", "frame", "nothing"),
    "no sequence": (ONE | {"sequence": pa.array([None], pa.string())}, "row 1", "sequence", "nothing"),
    "sequence that is a list": (ONE | {"sequence": [[1]]}, "", "sequence", "a column of list<element: int64>"),
    "person in words": (ONE | {"person": ["seven"]}, "row 1", "person", "'seven'"),
    "labels that are no list": (ONE | {"labels": [3]}, "", "labels", "a column of int64"),
    "members that are no list": (PAIR | {"members": [3]}, "", "members", "a column of int64"),
    "labels in two columns": (
        ONE | {"scores": [[0.5] * 27]},
        "",
        "",
        "columns sequence, frame, person, labels, scores",
    ),
    "no labels": (SCORES, "", "", "columns sequence, frame, person"),
    "no key": ({"person": [7], "labels": [[1]]}, "", "", "columns person, labels"),
    "group without members": (
        {"sequence": [A], "frame": [15], "group": [1], "labels": [[1]]},
        "",
        "",
        "columns group, labels",
    ),
    "sample id that is a number": ({"sample_id": [3], "labels": [[1]]}, "", "sample_id", "a column of int64"),
    "nested frame twice": (
        {"sample_id": [f"{A}/000015"] * 2, "global_activities": [[1], [2]]},
        "row 2",
        "sample_id",
        f"'{A}/000015' again",
    ),
    "nested persons without ids": (
        {"sample_id": [f"{A}/000015"], "persons": [[{"id": 7, "actions": [1]}]]},
        "",
        "persons",
        "records of actions, id",
    ),
    "nested persons that are numbers": (
        {"sample_id": [f"{A}/000015"], "persons": [[7]]},
        "",
        "persons",
        "lists of int64",
    ),
    "nested rows without a name": ({"persons": [[{"person_id": 7, "actions": [1]}]]}, "", "", "columns persons"),
    "nested labels and scores": (
        {"sample_id": [f"{A}/000015"], "global_activities": [[1]], "global_scores": [[0.1] * 7]},
        "",
        "",
        "both global_activities and global_scores",
    ),
    "records of labels without ids": (
        {"sample_id": [f"{A}/000015"], "global_activities": [[{"label": 1}]]},
        "",
        "global_activities",
        "records of label",
    ),
    "text label": (KEYS | {"labels": [["1", "2"], ["2"], ["sit", "3"]]}, "row 3", "labels", "'sit'"),
    "null label": (KEYS | {"labels": [[1, 2], [2, 3], [None]]}, "row 3", "labels", "nothing"),
    "NaN": (KEYS | {"scores": [[0.0] * 27] * 2 + [[0.0] * 26 + [float("nan")]]}, "row 3", "scores", "nan"),
    "text score": (KEYS | {"scores": [["0"] * 27, ["0"] * 27, ["0"] * 26 + ["high"]]}, "row 3", "scores", "'high'"),
    "score after no label": (KEYS | {"label": [None, 1, 1], "score": [None, 0.5, None]}, "row 3", "score", "nothing"),
    "text score of a label": (KEYS | {"label": [None, 1, 1], "score": ["", "1e-3", "?"]}, "row 3", "score", "'?'"),
    "text member": (MEMBERS | {"members": [["7", "12"], ["x"]], "labels": [[1], [1]]}, "row 2", "members", "'x'"),
    "no members": (MEMBERS | {"members": [[7, 12], None], "labels": [[1], [1]]}, "row 2", "members", "nothing"),
    "record of a label": (
        {"sequence": [A, A], "frame": [15, 30], "labels": [[{"id": 1}, {"id": 2}], [{"id": 8}]]},
        "row 2",
        "labels",
        "8",
    ),
    "misspelt score": (KEYS | {"label": [1, 1, 1], "scoer": [0.1] * 3}, "row 1", "", "the unknown key 'scoer'"),
    "misspelt person": (
        {"sequence": [A], "frame": [15], "person_id": [7], "labels": [[1]]},
        "row 1",
        "",
        "the unknown key 'person_id'",
    ),
    "misspelt score of a record": (
        {"sequence": [A], "frame": [15], "labels": [[{"id": 1, "scores": 0.1}]]},
        "row 1",
        "",
        "the unknown key 'scores'",
    ),
    "members beside person": (
        {"sequence": [A], "frame": [15], "person": [7], "members": [[7, 12]], "labels": [[1]]},
        "",
        "",
        "columns person, members, labels",
    ),
    "sequence beside another's sample id": (
        {"sample_id": [f"{A}/000015"] * 2, "sequence": [5, 9], "person": [7, 3], "labels": [[1], [1]]},
        "row 2",
        "sequence",
        f"9 beside the sample_id '{A}/000015'",
    ),
    "frame beside another's sample id": (
        {"sample_id": [f"{A}/000015"] * 2, "frame": [15, 30], "person": [7, 3], "labels": [[1], [1]]},
        "row 2",
        "frame",
        f"30 beside the sample_id '{A}/000015'",
    ),
    "no label beside a label": (
        {"sequence": [A] * 2, "frame": [15] * 2, "person": [7] * 2, "label": [None, 3]},
        "row 1",
        "label",
        f"no label of person 7 in {A}/000015, who has other rows",
    ),
    "no label twice": (
        {"sequence": [A] * 2, "frame": [15] * 2, "person": [7] * 2, "label": pa.array([None] * 2, pa.int64())},
        "row 1",
        "label",
        f"no label of person 7 in {A}/000015, who has other rows",
    ),
    "label of a group twice": (
        {"sequence": [A] * 2, "frame": [15] * 2, "members": [[7, 12], [12, 7]], "label": [3, 3]},
        "row 2",
        "label",
        "3 of its group again",
    ),
    "named group with other members": (
        {"sequence": [A] * 3, "frame": [15] * 3, "members": [[7], [3, 12], [3]], "group": [1, 2, 2], "label": [1] * 3},
        "row 3",
        "group",
        "the group of an earlier row, with other members",
    ),
    "same members in groups of two names": (
        {"sequence": [A] * 2, "frame": [15] * 2, "members": [[7], [7]], "group": [1, 2], "label": [1, 2]},
        "",
        "group",
        f"person 7 in {A}/000015 in several groups",
    ),
}


def refused(read: Read, *sources: Any) -> Problem:
    """What is wrong with predictions."""
    with pytest.raises(InputError) as caught:
        read(*sources)
    return caught.value.problems[0]


@pytest.mark.parametrize("case", TABLES)
def test_what_is_wrong_in_a_table_is_told_by_its_place(case: str, write: Write, read: Read) -> None:
    content, *expected = TABLES[case]
    path = write("table.parquet", content)
    problem = refused(read, path)
    assert (problem.file, problem.record, problem.field, problem.found) == (str(path), *expected)


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

# What stands instead in the second row, and the record, the field and what was found there.
NESTED: dict[str, tuple[tuple[Any, ...], Any, str, str, str]] = {
    "action": (("persons", 1, "actions"), [28], "row 2, record 2 of persons", "actions", "28"),
    "action twice": (
        ("persons", 1, "actions"),
        [3, 3],
        "row 2, record 2 of persons",
        "actions",
        f"3 of person 12 in {A}/000030 again",
    ),
    "null action": (("persons", 1, "actions"), [3, None], "row 2, record 2 of persons", "actions", "nothing"),
    "no person": (("persons", 1, "person_id"), None, "row 2, record 2 of persons", "person_id", "nothing"),
    "half a person": (("persons", 1, "person_id"), 1.5, "row 2, record 2 of persons", "person_id", "1.5"),
    "person in words": (("persons", 1, "person_id"), "x", "row 2, record 2 of persons", "person_id", "'x'"),
    "large person": (
        ("persons", 1, "person_id"),
        2**70,
        "row 2, record 2 of persons",
        "person_id",
        "1180591620717411303424",
    ),
    "truth value": (("persons", 1, "actions"), [True], "row 2, record 2 of persons", "actions", "True"),
    "person who does not exist": (
        ("persons", 1, "person_id"),
        99,
        "row 2, record 2 of persons",
        "person_id",
        f"99, who does not exist in {A}/000030",
    ),
    "activity": (("groups", 1, "activities"), [33], "row 2, record 2 of groups", "activities", "33"),
    "null member": (("groups", 1, "member_ids"), [12, None], "row 2, record 2 of groups", "member_ids", "nothing"),
    "no members": (("groups", 1, "member_ids"), None, "row 2, record 2 of groups", "member_ids", "nothing"),
    "member twice": (
        ("groups", 1, "member_ids"),
        [12, 12],
        "row 2, record 2 of groups",
        "member_ids",
        f"person 12 in {A}/000030 again",
    ),
    "member who does not exist": (
        ("groups", 1, "member_ids"),
        [99],
        "row 2, record 2 of groups",
        "member_ids",
        f"99, who does not exist in {A}/000030",
    ),
    "global": (("global_activities",), [8], "row 2", "global_activities", "8"),
    "frame twice": (("sample_id",), f"{A}/000015", "row 2", "sample_id", f"'{A}/000015' again"),
    "no name": (("sample_id",), None, "row 2", "sample_id", "nothing"),
    "misspelt person": (
        ("persons", 1),
        {"person_id": 12, "action": [3]},
        "row 2, record 2 of persons",
        "",
        "the unknown key 'action'",
    ),
    "misspelt group": (
        ("groups", 1),
        {"member_ids": [12], "activity": [3]},
        "row 2, record 2 of groups",
        "",
        "the unknown key 'activity'",
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
def test_what_is_wrong_in_nested_rows_is_told_by_row_record_and_field(case: str, write: Write, read: Read) -> None:
    path, value, *expected = NESTED[case]
    problem = refused(read, write("rows.jsonl", changed(path, value)))
    assert [problem.record, problem.field, problem.found] == expected


@pytest.mark.parametrize(("scores", "found"), [([0.0] * 26 + [None], "nothing"), ([0.0] * 26, "26 scores")])
def test_scores_in_nested_rows_are_named_by_their_row(scores: Any, found: str, write: Write, read: Read) -> None:
    rows = deepcopy(ROWS)
    for person in (person for row in rows for person in row["persons"]):
        person["action_scores"] = [0.0] * 27
        del person["actions"]
    rows[1]["persons"][1]["action_scores"] = scores
    problem = refused(read, write("rows.jsonl", rows))
    expected = ("row 2, record 2 of persons", "action_scores", found)
    assert (problem.record, problem.field, problem.found) == expected


def test_scores_of_labels_are_named_by_their_row(write: Write, read: Read) -> None:
    records = [[{"id": 1, "score": 0.7}], [{"id": 2, "score": None}]]
    nested = [row | {"global_activities": labels} for row, labels in zip(ROWS, records, strict=True)]
    problem = refused(read, write("rows.jsonl", nested))
    assert (problem.record, problem.field, problem.found) == ("row 2", "global_activities.score", "nothing")


def test_one_row_with_a_misspelt_column_is_refused(write: Write, read: Read) -> None:
    rows = [ROWS[0], {"group" if name == "groups" else name: value for name, value in ROWS[1].items()}]
    problem = refused(read, write("rows.jsonl", rows))
    expected = ("row 2", "the unknown key 'group'", "did you mean groups?")
    assert (problem.record, problem.found, problem.advice) == expected


def test_a_nested_row_with_the_sequence_of_another_is_refused(write: Write, read: Read) -> None:
    rows = [
        row | {"sequence": name, "frame": 15 + 15 * n} for n, (row, name) in enumerate(zip(ROWS, (A, B), strict=True))
    ]
    problem = refused(read, write("rows.jsonl", rows))
    assert (problem.record, problem.field) == ("row 2", "sequence")
    assert problem.found == f"'{B}' beside the sample_id '{A}/000030'"


def test_a_sequence_that_is_no_whole_number_is_named_by_its_row(read: Read) -> None:
    problem = refused(read, KEYS | {"sequence": [5.0, 5.0, 5.5], "labels": [[1]] * 3})
    assert (problem.file, problem.record, problem.field) == ("predictions", "row 3", "sequence")


def test_values_of_two_kinds_name_both_rows(write: Write, read: Read) -> None:
    problem = refused(read, write("table.jsonl", [{"sequence": name, "frame": 15, "labels": [1]} for name in (B, [5])]))
    assert (problem.record, problem.field, problem.expected) == ("row 2", "sequence", "string, as in the rows above")


def test_a_whole_message(write: Write, read: Read) -> None:
    path = write("individual.csv", f"sequence,frame,person,labels\n{A},15,7,1 28\n")
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value) == f"{path}: row 1: labels: found 28, expected a label from 1 to 27"


def test_files_that_cannot_be_read_are_refused(write: Write, read: Read, tmp_path: Path) -> None:
    assert refused(read, tmp_path / "absent.parquet").expected == "a readable file"
    assert refused(read, write("twice.csv", "sequence,frame,frame,labels\na,1,1,1\n")).field == "frame"
    assert (
        refused(read, write("mixed.jsonl", [{"sequence": "a", "frame": 1}, {"sequence": [], "frame": 1}])).record
        == "row 2"
    )
    assert refused(read, write("numbers.jsonl", "[1, 2]")).record == "record 1"
    assert refused(read, write("text.jsonl", "sequence")).expected == "valid JSON"
    assert refused(read, write("unknown.jsonl", "")).found == "an empty file"


def test_two_tables_of_a_task_are_refused(write: Write, read: Read) -> None:
    one, two = write("one.csv", ONE), write("two.csv", ONE)
    problem = refused(read, one, two)
    assert (problem.file, problem.found) == (str(two), f"a second table of individual predictions, beside {one}")


def test_unknown_suffixes_are_named(write: Write, read: Read) -> None:
    assert refused(read, write("table.txt", f"sequence,frame,labels\n{A},15,5\n")).found == "the unknown suffix .txt"
    assert refused(read, write("table", f"sequence,frame,labels\n{A},15,5\n")).found == "a name without a suffix"
    rows = '{"sequence": 5, "frame": 15, "labels": [5]}\n{"sequence": 5, "frame": 30, "labels": [1]}\n'
    found = read(write("rows.txt", rows)).predictions.activities
    assert found is not None
    assert found.tolist() == [16, 1, 0]


def test_files_in_a_folder_that_are_no_tables_are_passed_over(write: Write, read: Read) -> None:
    folder = write("run/individual.parquet", ONE).parent
    write("run/.draft.parquet", b"")
    assert not [warning for warning in read(folder).warnings if "not read" in warning]
    write("run/notes.txt", "nothing to score")
    assert read(folder).warnings[0].startswith("notes.txt: not read, as tables end in .parquet, .csv")
    (folder / "individual.parquet").unlink()
    with pytest.raises(UsageError, match=r"a folder without tables \(found notes\.txt\)"):
        read(folder)
