"""UAG-FunQA: first record of a video, then the task of localisation; on samples, an invented file and the real one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builders.engine.run import Build
from schemas.errors import InputError, UsageError

BuildOf = Callable[..., Build]

NAME = "uag-funqa"
GOAT = "H_A_7_0120_0318.mp4"


def rows_of(build: Build) -> dict[str, dict[str, Any]]:
    return {row["sample_id"]: row for row in build.splits["test"].to_pylist()}


@pytest.fixture
def funqa(tmp_path: Path) -> Callable[..., Path]:
    """Write a FunQA file of (visual_input, task, output) records; returns its folder."""

    def write(*records: tuple[str, str, str]) -> Path:
        fields = [
            {"instruction": "Find it.", "visual_input": video, "output": output, "task": task, "ID": f"test_{number}"}
            for number, (video, task, output) in enumerate(records)
        ]
        (tmp_path / "funqa_test.json").write_text(json.dumps(fields))
        return tmp_path

    return write


def test_the_samples_fall_rule_by_rule(build_of: BuildOf, passed, reasons) -> None:
    build = build_of(NAME)
    assert [rows for _, rows in passed(build)] == [7, 5, 5, 5, 5, 5]
    assert reasons(build) == {
        ("first_record", "dropped", "later_record"): 11,
        ("task", "dropped", "other_task"): 2,
    }


def test_a_row_keeps_frames_and_rate_beside_the_times(build_of: BuildOf) -> None:
    assert rows_of(build_of(NAME))["test_2"] == {
        "sample_id": "test_2",
        "split": "test",
        "video": GOAT,
        "description": "Identify the video's funny moment.",
        "start_s": 0.5,
        "end_s": 6.0,
        "duration_s": 6.6,
        "task": "H1",
        "output": "[0015,  0180]",
        "start_frame": 15,
        "end_frame": 180,
        "frame_rate": 30.0,
    }


def test_the_ledger_numbers_the_records_that_were_compared(build_of: BuildOf) -> None:
    entry = next(entry for entry in build_of(NAME).ledger.to_pylist() if entry["key"] == "test_16")
    assert entry["values"] == [{"name": "first_record", "value": 1.0}, {"name": "record", "value": 17.0}]


def test_the_first_record_of_all_tasks_or_of_its_own(build_of: BuildOf, funqa) -> None:
    folder = funqa(("H_A_1_0000_0090.mp4", "H2", "it is funny"), ("H_A_1_0000_0090.mp4", "H1", "[0, 60]"))
    assert rows_of(build_of(NAME, folder)) == {}
    assert list(rows_of(build_of(NAME, folder, first_record__among="task"))) == ["test_1"]


def test_a_file_without_records_gives_an_empty_split(build_of: BuildOf, funqa) -> None:
    build = build_of(NAME, funqa())
    assert build.splits["test"].num_rows == 0
    assert [count.rows_in for count in build.identity.counts] == [0] * 6


@pytest.mark.parametrize(
    ("settings", "start", "end", "duration"),
    [
        ({"frame_rate__nominal": 25}, 0.6, 7.2, 7.92),
        ({"frame_rate__nominal": "29.97"}, 0.5, 6.01, 198 / 29.97),
        ({"times__decimals": 0}, 0.0, 6.0, 6.6),
        ({"times__decimals": 6, "frame_rate__nominal": 24}, 0.625, 7.5, 8.25),
    ],
)
def test_frame_rate_and_rounding(
    build_of: BuildOf, settings: dict[str, object], start: float, end: float, duration: float
) -> None:
    row = rows_of(build_of(NAME, **settings))["test_2"]
    assert (row["start_s"], row["end_s"], row["duration_s"]) == (start, end, duration)


def test_times_round_as_python_does(build_of: BuildOf, funqa) -> None:
    """1.005 lies below its decimal and rounds to 1.0, where a product with 100 would round to 1.01."""
    folder = funqa(("H_A_1_0000_0999.mp4", "H1", "[0201, 0535]"))
    row = rows_of(build_of(NAME, folder, frame_rate__nominal=200))["test_0"]
    assert (row["start_s"], row["end_s"]) == (round(1.005, 2), round(2.675, 2)) == (1.0, 2.67)


@pytest.mark.parametrize("nominal", [0, -30])
def test_a_rate_is_above_zero(build_of: BuildOf, nominal: int) -> None:
    with pytest.raises(UsageError, match=f"frame_rate.nominal={nominal}: expected frames per second"):
        build_of(NAME, frame_rate__nominal=nominal)


def test_rate_and_duration_may_be_measured(build_of: BuildOf, inventory, reasons) -> None:
    given = inventory(video=[GOAT], frame_rate=[25.0], duration_s=[7.9])
    build = build_of(NAME, given={"inventory": given}, frame_rate__of="inventory", duration__of="inventory")
    rows = rows_of(build)
    assert (rows["test_2"]["start_s"], rows["test_2"]["frame_rate"], rows["test_2"]["duration_s"]) == (0.6, 25.0, 7.9)
    assert (rows["test_5"]["start_s"], rows["test_5"]["frame_rate"], rows["test_5"]["duration_s"]) == (2.0, 30.0, None)
    assert reasons(build)["frame_rate", "changed", "rate_unknown"] == 4


def test_a_video_name_without_frames_has_no_duration(build_of: BuildOf, funqa) -> None:
    assert rows_of(build_of(NAME, funqa(("clip.mp4", "H1", "[0, 60]"))))["test_0"]["duration_s"] is None


@pytest.mark.parametrize("output", ["[60, 0]", "[0.5, 6]", "0, 60", "[0, 60, 90]", ""])
def test_an_answer_that_is_no_pair_of_frames_is_an_input_error(build_of: BuildOf, funqa, output: str) -> None:
    with pytest.raises(InputError, match=r"funqa_test.json: ID test_0: output: found "):
        build_of(NAME, funqa(("H_A_1_0000_0090.mp4", "H1", output)))


def test_answers_of_other_tasks_are_not_read(build_of: BuildOf, funqa) -> None:
    folder = funqa(("H_A_1_0000_0090.mp4", "H1", "[0, 60]"), ("C_A_1_0000_0090.mp4", "C1", "from 2 to 4"))
    assert list(rows_of(build_of(NAME, folder))) == ["test_0"]


@pytest.mark.real_data
def test_the_real_excerpt_gives_the_published_rows(build_of: BuildOf, real_data: Path) -> None:
    build = build_of(NAME, real_data)
    rows = rows_of(build).values()
    assert len(rows) == 172
    assert {row["description"] for row in rows} == {"Identify the video's funny moment."}
    assert round(sum(row["duration_s"] for row in rows) / 172, 2) == 6.94
    assert all(row["end_frame"] / 30 <= row["duration_s"] for row in rows)
