"""Conversations that are there already, parted anew and compared with benchmarks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import benchwright
from schemas.errors import InputError, UsageError
from schemas.validation import validate

VIDEOS = {
    "climbing 1": "A climber loses grip of the wet rope",
    "climbing 2": "Two climbers swing into a yellow tent",
    "kitchen": "The pancake lands beside its pan",
    "garden": "A wheelbarrow rolls down the steep lawn",
    "harbour": "Somebody jumps short of the rowing boat",
}


def rows(videos: dict[str, str]) -> list[dict[str, Any]]:
    """What LLaVA would load."""
    return [
        {
            "id": video,
            "video": f"clips/{video}.mp4",
            "conversations": [
                {"from": "human", "value": f"<image>\nIn which seconds of the video does this happen? {text}."},
                {"from": "gpt", "value": "From 1.0 to 2.5 seconds."},
            ],
        }
        for video, text in videos.items()
    ]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "my data-1.json"
    path.write_text(json.dumps(rows(VIDEOS)))
    return path


@pytest.fixture
def benchmark(manifest_of: Callable[..., Any], spans: Callable[..., Any]) -> Callable[..., Any]:
    """A benchmark of spans with these videos and queries."""

    def make(*queries: tuple[str, str]) -> Any:
        rows = spans(len(queries))
        for row, (video, text) in zip(rows, queries, strict=True):
            row.update(video=video, description=text)
        return manifest_of(rows)

    return make


def test_a_file_is_parted_by_its_videos(file: Path, tmp_path: Path) -> None:
    made = benchwright.instruct(file, tmp_path / "made", validation=0.4, leaks="drop", seed=3)
    assert made.identity.name == "my-data-1"
    assert made.identity.parameters["split.group_by"] == "videos"
    assert made.identity.parameters["import.of"] == "llava"
    assert sorted(made.splits) == ["train", "validation"]
    assert len(made.table()) + len(made.ledger()) == len(VIDEOS)
    assert [each for each in validate(made) if each.severity == "error"] == []
    assert benchwright.open_manifest(tmp_path / "made").identity.content_digest == made.identity.content_digest


def test_a_pattern_groups_videos(file: Path) -> None:
    made = benchwright.instruct(file, validation=0.4, group_by=r"media:clips/(\w+)")
    groups = made.table().to_pandas().groupby("group")["split"].nunique()
    assert (len(groups), groups.max()) == (4, 1)


def test_what_a_benchmark_has_is_refused(file: Path, benchmark: Callable[..., Any]) -> None:
    with pytest.raises(UsageError, match="1 of 5 rows are of a video or an image of"):
        benchwright.instruct(file, against=[benchmark(("kitchen", "Something else entirely happens"))])
    with pytest.raises(UsageError, match="1 of 5 rows have a query near one of"):
        benchwright.instruct(file, against=[benchmark(("other", "a wheelbarrow rolls down the lawn"))])
    # What all rows ask is of the template, and so is nobody's query.
    benchwright.instruct(file, against=[benchmark(("other", "In which seconds of the video does this happen"))])


def test_rows_that_leak_are_dropped_with_a_reason(file: Path, benchmark: Callable[..., Any]) -> None:
    made = benchwright.instruct(file, against=[benchmark(("kitchen", "Nothing of note"))], leaks="drop")
    assert made.ledger().select(["key", "reason"]).to_pylist() == [{"key": "kitchen", "reason": "leak_video"}]
    assert str(made.identity.parameters["split.against"]).startswith("invented ")
    everything = benchmark(*VIDEOS.items())
    with pytest.raises(UsageError, match="no conversation is left"):
        benchwright.instruct(file, against=[everything], leaks="drop")


def test_conversations_of_ours_are_parted_by_their_groups(sample_manifest: Callable[..., Any]) -> None:
    oops = sample_manifest("oops-uag-instruct")
    made = benchwright.instruct(oops, templates="spans")
    again = benchwright.instruct(made, validation=0.3, leaks="drop", seed=1)
    assert again.identity.parameters["split.group_by"] == "compilations"
    assert again.table().to_pandas().groupby("group")["split"].nunique().max() == 1
    assert again.identity.sources["manifest"].sha256 == made.identity.content_digest
    assert set(again.table()["sample_id"].to_pylist()) <= set(made.table()["sample_id"].to_pylist())
    with pytest.raises(UsageError, match="are of a video"):
        benchwright.instruct(made, against=[oops])


def test_templates_have_nothing_to_fill_in(file: Path) -> None:
    with pytest.raises(UsageError, match="holds conversations already"):
        benchwright.instruct(file, templates="spans")


def test_names_of_files_become_names_of_splits(file: Path, tmp_path: Path) -> None:
    made = benchwright.instruct(file)
    assert made.splits == ["my_data_1"]
    assert made.identity.warnings[0].message == "the split of my data-1.json is called my_data_1"
    (tmp_path / "my-data-1.json").write_text(file.read_text())
    with pytest.raises(InputError, match="one file a split"):
        benchwright.instruct(tmp_path)


def test_a_shard_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "train-000000.tar").write_bytes(b"not a tar" * 100)
    with pytest.raises(InputError, match="expected a shard of WebDataset"):
        benchwright.instruct(tmp_path)
