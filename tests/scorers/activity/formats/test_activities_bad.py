"""Prediction files of activities that must be refused, with the place of what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from schemas.errors import InputError, UsageError
from scorers.activity import Predictions

Read = Callable[..., Predictions]
Write = Callable[[str, Any], Path]

A = "hall-2019-02-08_0"
ONE = {"sequence": [A], "frame": [15], "person": [7], "labels": [[1]]}
PAIR = {"sequence": [A], "frame": [15], "members": [[7, 12]], "labels": [[1]]}
TWO = {name: values * 2 for name, values in PAIR.items()}
SCORES = {"sequence": [A], "frame": [15], "person": [7]}
BAD: dict[str, tuple[Any, str]] = {
    "frame that does not exist": (ONE | {"frame": [20]}, rf"frame: found 1 that do not exist \({A}/000020\)"),
    "sequence that does not exist": (ONE | {"sequence": ["attic"]}, r"found 1 that do not exist \(attic/000015\)"),
    "number of no sequence": (ONE | {"sequence": [8]}, r"found 1 that do not exist \(8/000015\)"),
    "person who does not exist": (ONE | {"person": [8]}, rf"found 1 who do not exist \(8 in {A}/000015\)"),
    "member who does not exist": (PAIR | {"members": [[7, 8]]}, rf"found 1 who do not exist \(8 in {A}/000015\)"),
    "label 0": (ONE | {"labels": [[0]]}, "row 1: labels: found 0, expected a label from 1 to 27"),
    "label 28 of 27": (ONE | {"labels": [[28]]}, "found 28, expected a label from 1 to 27"),
    "label 33 of 32": (PAIR | {"labels": [[33]]}, "found 33, expected a label from 1 to 32"),
    "label that is no number": (ONE | {"labels": [["walking"]]}, "row 1: labels: found 'walking'"),
    "label twice": (ONE | {"labels": [[2, 3, 2]]}, "row 1: labels: found 2 twice, expected every label once"),
    "null among labels": (ONE | {"labels": [[2, None]]}, "row 1: labels: found None, expected a whole number"),
    "person twice": (
        {name: values * 2 for name, values in ONE.items()},
        f"found person 7 in {A}/000015 more than once, expected one row each",
    ),
    "label row twice": (
        {"sequence": [A] * 2, "frame": [15] * 2, "person": [7] * 2, "label": [3, 3]},
        f"found person 7 in {A}/000015 more than once, expected every label once",
    ),
    "frame twice": (
        {"sequence": [A] * 2, "frame": [15] * 2, "labels": [[1], [2]]},
        f"found {A}/000015 more than once, expected one row each",
    ),
    "person in two groups": (
        TWO | {"members": [[7, 12], [12, 3]]},
        f"group: found person 12 in {A}/000015 in several groups, expected everybody in one group of a key frame",
    ),
    "person of two groups": (
        {"sequence": [A] * 2, "frame": [15] * 2, "person": [7] * 2, "group": [1, 2], "label": [1, 2]},
        f"group: found person 7 in {A}/000015 in several groups",
    ),
    "member twice": (PAIR | {"members": [[7, 7]]}, f"members: found person 7 in {A}/000015 twice in a group"),
    "group twice": (
        TWO | {"members": [[7], [12]], "group": [1, 1]},
        "row 2: group: found a group that was there already",
    ),
    "NaN score": (
        SCORES | {"scores": [[float("nan")] * 27]},
        r"row 1: scores: found nan \(and 26 more\), expected a number",
    ),
    "score without a number": (SCORES | {"label": [3], "score": [None]}, "row 1: score: found None, expected a number"),
    "too few scores": (
        SCORES | {"scores": [[0.5] * 26]},
        "row 1: scores: found 26 scores, expected one for each of 27",
    ),
    "no scores": (SCORES | {"scores": pa.array([None], pa.list_(pa.float64()))}, "row 1: scores: found 0 scores"),
    "frame with a fraction": (ONE | {"frame": [15.5]}, "row 1: frame: found 15.5, expected a whole number"),
    "frame as a truth value": (ONE | {"frame": [True]}, "frame: found a column of bool, expected whole numbers"),
    "no frame": (ONE | {"frame": pa.array([None], pa.int64())}, "row 1: frame: found None"),
    "no sequence": (ONE | {"sequence": pa.array([None], pa.string())}, "row 1: sequence: found nothing"),
    "sequence that is a list": (ONE | {"sequence": [[1]]}, "sequence: found a column of list"),
    "person in words": (ONE | {"person": ["seven"]}, "row 1: person: found 'seven', expected a whole number"),
    "labels that are no list": (ONE | {"labels": [3]}, "labels: found a column of int64, expected lists"),
    "members that are no list": (PAIR | {"members": [3]}, "members: found a column of int64, expected lists"),
    "labels in two forms": (ONE | {"scores": [[0.5] * 27]}, "expected sample_id, or sequence and frame; and one of"),
    "no labels": (SCORES, "found columns sequence, frame, person, expected"),
    "no key": ({"person": [7], "labels": [[1]]}, "found columns person, labels, expected"),
    "group without members": (
        {"sequence": [A], "frame": [15], "group": [1], "labels": [[1]]},
        "expected either members, one row a group, or person and group, one row a person",
    ),
    "sample id that is a number": ({"sample_id": [3], "labels": [[1]]}, "sample_id: found a column of int64"),
    "nested frame twice": (
        {"sample_id": [f"{A}/000015"] * 2, "global_activities": [[1], [2]]},
        rf"row 2: sample_id: found '{A}/000015' as in row 1, expected one row each",
    ),
    "nested persons without ids": (
        {"sample_id": [f"{A}/000015"], "persons": [[{"id": 7, "actions": [1]}]]},
        "persons: found records of actions, id, expected records of person_id, and actions or action_scores",
    ),
    "nested persons that are numbers": (
        {"sample_id": [f"{A}/000015"], "persons": [[7]]},
        "persons: found lists of int64, expected records of person_id",
    ),
    "nested rows without a name": (
        {"persons": [[{"person_id": 7, "actions": [1]}]]},
        "expected sample_id, or sequence",
    ),
    "nested labels and scores": (
        {"sample_id": [f"{A}/000015"], "global_activities": [[1]], "global_scores": [[0.1] * 7]},
        "found both global_activities and global_scores",
    ),
    "records of labels without ids": (
        {"sample_id": [f"{A}/000015"], "global_activities": [[{"label": 1}]]},
        "global_activities: found records of label, expected ids, or records with an id",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_content_is_refused_with_its_place(case: str, write: Write, read: Read) -> None:
    content, message = BAD[case]
    with pytest.raises(InputError, match=message) as caught:
        read(write("predictions.parquet", content))
    assert "predictions.parquet" in str(caught.value)


def test_bad_files_are_refused(write: Write, read: Read, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="a folder without tables"):
        read(tmp_path / "empty")
    with pytest.raises(InputError, match="readable file"):
        read(tmp_path / "absent.parquet")
    with pytest.raises(InputError, match=r"a second table of individual predictions, beside .*one\.csv"):
        read(write("one.csv", ONE), write("two.csv", ONE))
    with pytest.raises(InputError, match="several columns of this name"):
        read(write("twice.csv", "sequence,frame,frame,labels\na,1,1,1\n"))
    with pytest.raises(InputError, match=r"row 2: sequence: found \[\], a list, expected text, as in row 1"):
        read(write("mixed.jsonl", [{"sequence": "a", "frame": 1}, {"sequence": [], "frame": 1}]))
    with pytest.raises(InputError, match="expected an object"):
        read(write("numbers.jsonl", "[1, 2]"))
    with pytest.raises(InputError, match="expected valid JSON"):
        read(write("text.jsonl", "sequence"))
    with pytest.raises(InputError, match="an empty file"):
        read(write("unknown.jsonl", ""))
