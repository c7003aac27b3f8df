from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from builders.raw.inventory import read_inventory


@pytest.fixture
def parquet_file(tmp_path: Path) -> Callable[..., Path]:
    def write(**columns: Any) -> Path:
        path = tmp_path / "inventory.parquet"
        pq.write_table(pa.table(columns), path)
        return path

    return write


def test_reads_all_columns_and_ignores_others(parquet_file) -> None:
    path = parquet_file(
        video=["b.mp4", "a b.c", "x.MKV"],
        available=[True, False, None],
        duration_s=[3.5, None, 7.0],
        frame_rate=[29.97, 25.0, None],
        n_scenes=[1, None, 12],
        codec=["h264", "vp9", "av1"],
    )
    inventory = read_inventory(path)
    assert list(inventory.columns) == ["video", "available", "duration_s", "frame_rate", "n_scenes"]
    assert inventory["video"].tolist() == ["b", "a b.c", "x"]
    assert inventory.dtypes.astype(str).tolist()[1:] == ["boolean", "float64", "float64", "Int64"]
    assert inventory["available"].tolist() == [True, False, pd.NA]
    assert inventory["n_scenes"].tolist() == [1, pd.NA, 12]
    assert math.isnan(inventory["duration_s"][1])
    assert math.isnan(inventory["frame_rate"][2])


def test_missing_columns_come_back_null(parquet_file) -> None:
    inventory = read_inventory(parquet_file(video=["a"]))
    assert inventory.drop(columns="video").isna().all(axis=None)
    assert inventory.dtypes.astype(str).tolist()[1:] == ["boolean", "float64", "float64", "Int64"]


@pytest.mark.parametrize("extension", [".mp4", ".avi", ".mkv", ".webm", ".mov", ".MP4", ""])
def test_a_trailing_video_extension_is_removed_once(parquet_file, extension: str) -> None:
    assert read_inventory(parquet_file(video=["a.mp4.b" + extension]))["video"].tolist() == ["a.mp4.b"]


def test_columns_may_have_any_type_that_loses_nothing(parquet_file) -> None:
    path = parquet_file(
        video=pa.array(["a", "b"]).dictionary_encode(),
        available=pa.nulls(2),
        duration_s=pa.array([3, None], pa.int32()),
        frame_rate=pa.array([25.0, 50.0], pa.float32()),
        n_scenes=pa.array([2.0, None], pa.float64()),
    )
    inventory = read_inventory(path)
    assert inventory["video"].tolist() == ["a", "b"]
    assert inventory["duration_s"][0] == 3.0
    assert inventory["frame_rate"].tolist() == [25.0, 50.0]
    assert inventory["n_scenes"].tolist() == [2, pd.NA]


def test_an_inventory_written_by_pandas(tmp_path: Path) -> None:
    path = tmp_path / "inventory.parquet"
    pd.DataFrame({"video": ["a", "b"], "n_scenes": [1, None], "duration_s": [None, 2.5]}).to_parquet(path)
    inventory = read_inventory(path)
    assert inventory["n_scenes"].tolist() == [1, pd.NA]
    assert inventory["duration_s"].tolist()[1] == 2.5


@pytest.mark.parametrize(
    ("column", "values", "found"),
    [
        ("video", [1, 2], "a column of int64"),
        ("available", ["yes", "no"], "a column of string"),
        ("available", [1, 0], "a column of int64"),
        ("duration_s", ["3", "4"], "a column of string"),
        ("frame_rate", [[30.0], [30.0]], "a column of list<"),
        ("n_scenes", [True, False], "a column of bool"),
        ("n_scenes", [1.5, 2.0], "Float value 1.5"),
    ],
)
def test_columns_of_another_type(parquet_file, refused, column: str, values: list[Any], found: str) -> None:
    (problem,) = refused(read_inventory, parquet_file(**{"video": ["a", "b"], column: values}))
    assert problem.field == column
    assert problem.found.startswith(found)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("duration_s", 0.0),
        ("duration_s", -1.0),
        ("duration_s", math.nan),
        ("duration_s", math.inf),
        ("frame_rate", 0.0),
        ("frame_rate", math.nan),
        ("n_scenes", -1),
    ],
)
def test_values_out_of_range(parquet_file, refused, column: str, value: float) -> None:
    (problem,) = refused(read_inventory, parquet_file(**{"video": ["a.mp4", "b.mp4"], column: [1, value]}))
    assert (problem.record, problem.field, problem.found) == ('video "b"', column, str(value))


def test_no_scene_is_refused_with_the_reason(parquet_file, refused) -> None:
    (problem,) = refused(read_inventory, parquet_file(video=["a"], n_scenes=[0]))
    assert (problem.found, problem.expected) == ("0", "at least 1, or null")
    assert "PySceneDetect" in problem.advice


@pytest.mark.parametrize("videos", [["a", None], ["a", ""], ["a", ".mp4"], ["a", " "]])
def test_a_video_needs_a_name(parquet_file, refused, videos: list[str | None]) -> None:
    (problem,) = refused(read_inventory, parquet_file(video=videos))
    assert (problem.record, problem.field) == ("row 2", "video")


def test_a_video_may_stand_there_once(parquet_file, refused) -> None:
    (problem,) = refused(read_inventory, parquet_file(video=["a.mp4", "b", "a.mkv"]))
    assert (problem.record, problem.found) == ("row 3", "'a' again")


def test_no_column_of_videos(parquet_file, refused) -> None:
    (problem,) = refused(read_inventory, parquet_file(name=["a"]))
    assert (problem.field, problem.found) == ("video", "no such column")


def test_other_files_are_no_parquet(parquet_file, tmp_path: Path, refused) -> None:
    whole = parquet_file(video=["a"] * 1).read_bytes()
    for content in (b"video\na\n", whole[:-10], whole[4:], whole[:4] + b"\xff" * (len(whole) - 12) + whole[-8:]):
        path = tmp_path / "broken.parquet"
        path.write_bytes(content)
        (problem,) = refused(read_inventory, path)
        assert problem.expected == "a whole Parquet file"


def test_text_that_is_not_utf8_is_refused(parquet_file, refused) -> None:
    broken = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff\xfe"]).buffers())
    (problem,) = refused(read_inventory, parquet_file(video=broken))
    assert "Invalid UTF8" in problem.found


def test_a_column_name_that_is_not_utf8_is_refused(parquet_file, refused) -> None:
    path = parquet_file(video=["a"], other=["b"])
    path.write_bytes(path.read_bytes().replace(b"other", b"oth\xffr"))
    (problem,) = refused(read_inventory, path)
    assert problem.expected == "a whole Parquet file"
