"""Charades-STA: both splits, durations and re-annotations where they are there; on samples and on the real files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builders.engine.run import Build
from schemas.errors import InputError, UsageError

BuildOf = Callable[..., Build]

NAME = "charades-sta"


def rows_of(build: Build, split: str = "test") -> dict[str, dict[str, Any]]:
    return {row["sample_id"]: row for row in build.splits[split].to_pylist()}


def test_rows_are_named_by_split_and_line(build_of: BuildOf) -> None:
    build = build_of(NAME)
    assert list(build.splits) == ["train", "test"]
    assert [table.num_rows for table in build.splits.values()] == [12, 8]
    assert list(rows_of(build))[:2] == ["test/00001", "test/00002"]
    assert list(rows_of(build, "train"))[-1] == "train/00012"


def test_a_row_is_a_sentence_and_its_span(build_of: BuildOf) -> None:
    assert rows_of(build_of(NAME))["test/00004"] == {
        "sample_id": "test/00004",
        "split": "test",
        "video": "Y6XHN",
        "description": "person cooks something on the stove.",
        "start_s": 12.9,
        "end_s": 30.1,
        "duration_s": 32.5,
        "reannotated": None,
    }


def test_ends_beyond_the_video_are_noted_or_cut(build_of: BuildOf, reasons) -> None:
    kept, cut = build_of(NAME), build_of(NAME, end__clip_to_duration=True)
    assert reasons(kept) == {("end", "noted", "beyond_duration"): 6}
    assert reasons(cut) == {("end", "changed", "beyond_duration"): 6}
    assert (rows_of(kept)["test/00005"]["end_s"], rows_of(cut)["test/00005"]["end_s"]) == (33.9, 32.5)
    assert rows_of(kept)["test/00001"] == rows_of(cut)["test/00001"]
    entry = next(entry for entry in cut.ledger.to_pylist() if entry["key"] == "test/00005")
    assert entry["values"] == [{"name": "end_s", "value": 33.9}, {"name": "duration_s", "value": 32.5}]


@pytest.mark.parametrize(
    ("choice", "spans", "account"),
    [
        (False, [(0.0, 5.0), (4.0, 6.0), (1.0, 2.0)], {("end", "noted", "beyond_duration"): 2}),
        (
            True,
            [(0.0, 3.5), (4.0, 6.0), (1.0, 2.0)],
            {("end", "changed", "beyond_duration"): 1, ("end", "noted", "after_video"): 1},
        ),
        (
            "drop",
            [(0.0, 3.5), (1.0, 2.0)],
            {("end", "changed", "beyond_duration"): 1, ("end", "dropped", "after_video"): 1},
        ),
    ],
)
def test_spans_after_their_video_are_kept_or_dropped_never_reversed(
    build_of: BuildOf, cases: Path, reasons, choice: object, spans: list[tuple[float, float]], account: object
) -> None:
    build = build_of(NAME, cases / "spans-beyond", end__clip_to_duration=choice)
    assert [(row["start_s"], row["end_s"]) for row in rows_of(build).values()] == spans
    assert reasons(build) == account
    assert build.identity.warnings == []


@pytest.mark.parametrize("start", [3.4, 3.5, 3.6])
def test_a_span_that_starts_where_its_video_ends_is_after(build_of: BuildOf, own_samples: Path, start: float) -> None:
    folder = own_samples / "charades_sta"
    (folder / "charades.json").write_text('{"A": {"duration": 3.5}, "QX7LM": {"duration": 60}}')
    for name in ("train", "test"):
        (folder / f"charades_sta_{name}.txt").write_text(f"A {start} 9##a person waits.\n")
    build = build_of(NAME, own_samples, end__clip_to_duration=True)
    assert rows_of(build)["test/00001"]["end_s"] == (3.5 if start < 3.5 else 9.0)


def test_durations_are_optional_but_for_cutting(build_of: BuildOf, own_samples: Path, reasons) -> None:
    (own_samples / "charades_sta/charades.json").unlink()
    build = build_of(NAME, own_samples)
    assert {row["duration_s"] for row in rows_of(build).values()} == {None}
    assert reasons(build) == {}
    assert build.identity.levels["query"].kept == 20
    with pytest.raises(UsageError, match=r"end.clip_to_duration=true: the durations of 11 videos are not known, such"):
        build_of(NAME, own_samples, end__clip_to_duration=True)


def test_durations_may_come_from_the_two_files_of_charades(build_of: BuildOf, own_samples: Path) -> None:
    folder = own_samples / "charades_sta"
    (folder / "charades.json").unlink()
    (folder / "Charades_v1_train.csv").write_text('id,scene,length\nQX7LM,"Kitchen, small",15.42\n')
    (folder / "Charades_v1_test.csv").write_text("id,length\nY6XHN,32.50\n")
    build = build_of(NAME, own_samples)
    assert rows_of(build)["test/00004"]["duration_s"] == 32.5
    assert rows_of(build, "train")["train/00001"]["duration_s"] == 15.42
    assert rows_of(build)["test/00001"]["duration_s"] is None


def test_re_annotations_are_percents_of_the_video(build_of: BuildOf, own_samples: Path) -> None:
    header = "HITId,video_id,description,start,end\n"
    asked = "Y6XHN.mp4,person cooks something on the stove."
    folder = own_samples / "charades_sta"
    (folder / "mayu_reannotated_test_00.csv").write_text(f"{header}a,{asked},20,80\nb,{asked},0,100\n")
    (folder / "mayu_reannotated_test_01.csv").write_text(f"{header}c,Y6XHN.mp4,person cooks nothing.,1,2\n")
    build = build_of(NAME, own_samples)
    assert rows_of(build)["test/00004"]["reannotated"] == [
        {"start_s": 6.5, "end_s": 26.0},
        {"start_s": 0.0, "end_s": 32.5},
    ]
    assert rows_of(build)["test/00001"]["reannotated"] is None
    assert build.identity.findings == {"re-annotations of no query, or of a video of unknown duration": 1}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("T4MQB 0.0 8.3#person takes a book.", "expected video start end##sentence"),
        ("T4MQB 8.3 0.0##person takes a book.", "expected an end after the start"),
        ("T4MQB 0.0 nan##person takes a book.", "expected seconds as a decimal number"),
        ("T4MQB 0.0 8.3##person##book.", "expected one ## in a line"),
        ("T4MQB 0.0 99:61##person takes a book.", "expected seconds as a decimal number"),
    ],
)
def test_broken_lines_are_input_errors_that_name_the_line(
    build_of: BuildOf, own_samples: Path, line: str, said: str
) -> None:
    with (own_samples / "charades_sta/charades_sta_test.txt").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(InputError, match="charades_sta_test.txt: line 9: .*" + said):
        build_of(NAME, own_samples)


@pytest.mark.real_data
def test_the_real_files_give_the_published_rows(build_of: BuildOf, real_data: Path, reasons) -> None:
    build = build_of(NAME, real_data)
    assert {name: table.num_rows for name, table in build.splits.items()} == {"train": 12408, "test": 3720}
    assert len({row["video"] for row in rows_of(build).values()}) == 1334
    keys = [entry["key"].partition("/")[0] for entry in build.ledger.to_pylist()]
    assert (keys.count("train"), keys.count("test")) == (1802, 562)
    assert reasons(build) == {("end", "noted", "beyond_duration"): 2364}
