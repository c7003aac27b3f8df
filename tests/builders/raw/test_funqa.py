from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.raw.funqa import frames_in_name, parse_frames, read_records
from schemas.errors import InputError

RECORD = {"instruction": "Why?", "visual_input": "H_A_1_0000_0030.mp4", "output": "Because.", "task": "H3", "ID": "t_0"}


def test_the_sample(samples: Path) -> None:
    records = read_records(samples / "funqa" / "funqa_test.json")
    assert list(records.columns) == ["instruction", "visual_input", "output", "task", "id"]
    assert records["task"].tolist() == [
        "C1", "C2", "H1", "H2", "H3", "H1", "H4", "H1", "H2", "H1", "H3", "H1", "H2", "M1", "M2", "M3", "C4", "C5",
    ]  # fmt: skip
    assert records["id"].tolist() == [f"test_{place}" for place in range(18)]
    moments = records[records["task"] == "H1"]
    start, end = parse_frames(moments["output"].tolist(), moments["id"].tolist(), "f")
    assert (start.tolist(), end.tolist()) == ([15, 60, 0, 101, 0], [180, 221, 150, 200, 1])
    assert (start.dtype, end.dtype) == (np.int64, np.int64)


def test_the_full_file_has_many_records_of_all_tasks(json_file) -> None:
    tasks = [f"{kind}{number}" for kind in "HCM" for number in range(1, 6)]
    many = [RECORD | {"task": tasks[place % 15], "ID": f"test_{place}"} for place in range(30_170)]
    records = read_records(json_file(many))
    assert len(records) == 30_170
    assert records["task"].nunique() == 15


@pytest.mark.parametrize(
    ("change", "field", "found", "expected"),
    [
        ({"task": "H6"}, "task", "'H6'", "one of H1 to M5"),
        ({"task": "h1"}, "task", "'h1'", "one of H1 to M5"),
        ({"task": "H1\n"}, "task", "'H1\\n'", "one of H1 to M5"),
        ({"task": None}, "task", "null", "text"),
        ({"output": [0, 195]}, "output", "[0, 195]", "text"),
        ({"output": 8}, "output", "8", "text"),
        ({"ID": 3}, "ID", "3", "text"),
        ({"ID": "t_0"}, "ID", "'t_0' again", "each once (first at record 1)"),
    ],
)
def test_bad_records(json_file, refused, change: dict[str, Any], field: str, found: str, expected: str) -> None:
    (problem,) = refused(read_records, json_file([RECORD, RECORD | {"ID": "t_1"} | change]))
    assert (problem.record, problem.field, problem.found, problem.expected) == ("record 2", field, found, expected)


@pytest.mark.parametrize("field", list(RECORD))
def test_missing_fields(json_file, refused, field: str) -> None:
    (problem,) = refused(read_records, json_file([{key: RECORD[key] for key in RECORD if key != field}]))
    assert (problem.field, problem.found) == (field, "nothing")


def test_an_object_in_place_of_the_list(json_file, refused) -> None:
    (problem,) = refused(read_records, json_file({"annotations": [RECORD]}))
    assert (problem.found, problem.expected) == ("an object", "a list")


@given(st.lists(st.tuples(st.integers(0, 9999), st.integers(0, 9999), st.integers(0, 2)), max_size=5))
def test_frames_are_read_back(moments: list[tuple[int, int, int]]) -> None:
    spans = [(min(a, b), max(a, b)) for a, b, _ in moments]
    outputs = [f"[{a:04},{' ' * blanks}{b:04}]" for (a, b), (_, _, blanks) in zip(spans, moments, strict=True)]
    start, end = parse_frames(outputs, [""] * len(outputs), "f")
    assert list(zip(start.tolist(), end.tolist(), strict=True)) == spans


@pytest.mark.parametrize(
    "output",
    [
        *("[0001,   0002]", "[0001 0002]", "[0001, 0002", "0001, 0002", "[ 0001, 0002]", "[0001, 0002] ", "[1, 2]\n"),
        *("[1.5, 2]", "[-1, 2]", "[nan, 2]", "[1, 2, 3]", "[1, 99999999999999999999]", "[١, ٢]", "", "Because."),
    ],
)
def test_other_shapes_are_no_frames(refused, output: str) -> None:
    (problem,) = refused(parse_frames, ["[0001, 0002]", output], ["a", "b"], "funqa.json")
    assert (problem.file, problem.record, problem.field) == ("funqa.json", "ID b", "output")
    assert problem.expected == "frames such as [0012, 0195]"


def test_frames_that_end_before_they_start(refused) -> None:
    problems = refused(parse_frames, ["[0002, 0001]", "[0005, 0005]", "x"], ["a", "b", "c"], "f")
    assert [(problem.record, problem.found) for problem in problems] == [("ID a", "'[0002, 0001]'"), ("ID c", "'x'")]


def test_frames_in_names() -> None:
    names = pd.Series(
        [
            "H_A_101_1433_1631.mp4",
            "M_T_2_x_0050_0410.mp4",
            "H_A_1_2.mp4",
            "X_A_1_2_3.mp4",
            "H_A_1_2_3.avi",
            "H_A_1_a_3.mp4",
        ],
        index=[3, 1, 4, 1, 5, 9],
    )
    first, last = frames_in_name(names)
    assert first.index.equals(names.index)
    assert (str(first.dtype), str(last.dtype)) == ("Int64", "Int64")
    assert (first.fillna(-1).tolist(), last.fillna(-1).tolist()) == (
        [1433, 50, -1, -1, -1, -1],
        [1631, 410, -1, -1, -1, -1],
    )


def test_frames_in_no_names() -> None:
    first, last = frames_in_name(pd.Series([], dtype=str))
    assert (len(first), str(last.dtype)) == (0, "Int64")


@pytest.mark.real_data
def test_real_records(real_data: Path) -> None:
    records = read_records(real_data / "funqa" / "funqa_test.json")
    assert len(records) == 172
    assert records["task"].unique().tolist() == ["H1"]
    shapes = records["output"].str.replace(r"\d+", "n", regex=True).value_counts().to_dict()
    assert shapes == {"[n, n]": 132, "[n,n]": 38, "[n,  n]": 2}
    start, end = parse_frames(records["output"].tolist(), records["id"].tolist(), "f")
    first, last = frames_in_name(records["visual_input"])
    assert first.notna().all()
    assert ((last - first) / 30).mean() == pytest.approx(6.94, abs=0.005)
    assert (end <= (last - first).to_numpy()).all()
    assert (start < end).all()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("H_A_7_0300_0100.mp4", "a last frame not before the first"),
        (" ", "a file name without control characters"),
        ("H_A_7_\x1b[31m.mp4", "a file name without control characters"),
    ],
)
def test_names_that_no_clip_has_are_problems(tmp_path: Path, name: str, expected: str) -> None:
    path = tmp_path / "funqa_test.json"
    record = {"instruction": "i", "visual_input": name, "output": "[0, 1]", "task": "H1", "ID": "test_0"}
    path.write_text(json.dumps([record]))
    with pytest.raises(InputError) as caught:
        read_records(path)
    (problem,) = caught.value.problems
    assert (problem.record, problem.field, problem.expected) == ("record 1", "visual_input", expected)
