"""Detections in tables and in memory, good and bad, read into one table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from schemas.errors import InputError, UsageError
from scorers.detection.formats import FORMATS
from scorers.detection.tables import COLUMNS
from tests.scorers.detection.conftest import BOX, FOUND, HEADER, File, ProblemOf, Read, boxes, flat


def test_parquet_by_image_id(file: File, read: Read) -> None:
    path = file("found.parquet", flat(extra=["left out"]))
    assert boxes(read, path) == [(7, *BOX)]
    assert list(read(path)[0]) == ["image_id", *COLUMNS]


def test_parquet_by_sample_id(file: File, read: Read) -> None:
    columns = flat() | {"sample_id": ["7"]}
    del columns["image_id"]
    assert boxes(read, file("found.parquet", columns)) == [("7", *BOX)]


def test_parquet_is_known_by_its_content(file: File, tmp_path: Path, read: Read) -> None:
    file("found.parquet", flat()).rename(tmp_path / "found.txt")
    assert boxes(read, tmp_path / "found.txt") == [(7, *BOX)]


def test_dictionaries_and_other_widths_of_numbers_are_columns_too(file: File, read: Read) -> None:
    columns = flat(category=pa.array(["person"]).dictionary_encode(), score=pa.array([0.5], pa.float32()))
    assert boxes(read, file("a.parquet", columns)) == [(7, *BOX)]
    named = flat(width=pa.array([30], pa.uint8())) | {"sample_id": pa.array(["7"]).dictionary_encode()}
    del named["image_id"]
    assert boxes(read, file("b.parquet", named)) == [("7", *BOX)]


def test_csv_by_either_name(file: File, read: Read) -> None:
    line = "7,person,10.5,20,30,40.25,0.5\n"
    assert boxes(read, file("a.csv", HEADER + line)) == [("7", *BOX)]
    assert boxes(read, file("b.csv", HEADER.replace("image_id", "sample_id") + line)) == [("7", *BOX)]
    assert boxes(read, file("c.tsv", (HEADER + line).replace(",", "\t"))) == [("7", *BOX)]


@pytest.mark.parametrize("name", ["none.parquet", "none.csv", "none.json"])
def test_no_detections_are_none(file: File, name: str, read: Read) -> None:
    content = {"parquet": pa.table(flat()).slice(0, 0), "csv": HEADER, "json": []}[name.partition(".")[2]]
    assert read(file(name, content)) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"x": ["ten"]}, "row 1: x: found 'ten', expected a number"),
        ({"score": [True]}, "score: found a column of bool, expected numbers"),
        ({"width": pa.array([1], pa.decimal128(5, 2))}, "width: found a column of decimal128(5, 2), expected numbers"),
        ({"category": [["person"]]}, "category: found a column of list<element: string>, expected numbers or names"),
        ({"image_id": [[7]]}, "image_id: found a column of list<element: int64>, expected numbers or names"),
        (
            {"width": [-1.0]},
            "detection 1: width: found -1 (1 such boxes), expected 0 or more",
        ),
    ],
)
def test_columns_of_another_kind_are_named(
    file: File, changes: dict[str, Any], said: str, problem_of: ProblemOf
) -> None:
    assert problem_of(file("found.parquet", flat(**changes))).startswith(said)


@pytest.mark.parametrize("lacking", ["image_id", *COLUMNS])
def test_columns_that_are_missing_are_refused(file: File, lacking: str, problem_of: ProblemOf) -> None:
    columns = flat()
    del columns[lacking]
    said = problem_of(file("found.parquet", columns))
    assert said.startswith(f"found columns {', '.join(columns)}, expected columns image_id, sample_id or file_name")


def test_a_column_twice_is_refused(file: File, problem_of: ProblemOf) -> None:
    table = pa.table(flat())
    twice = pa.Table.from_arrays([*table.columns, table["x"]], names=[*table.column_names, "x"])
    assert "once each" in problem_of(file("found.parquet", twice))


def test_a_broken_parquet_file_is_refused(file: File, problem_of: ProblemOf) -> None:
    assert "expected a whole Parquet file" in problem_of(file("found.parquet", b"PAR1 and then nothing"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("7,person,10.5,20,wide,40,0.5", "row 1: width: found 'wide', expected a number"),
        ("7,person,10.5", "line 2: found 3 cells, expected 7"),
        ("7,person,1,2,3,4,5,6", "line 2: found 8 cells, expected 7"),
        ("7,person,1,2,3,-4,5", "detection 1: height: found -4 (1 such boxes), expected 0 or more"),
    ],
)
def test_broken_lines_of_csv_are_refused(file: File, line: str, said: str, problem_of: ProblemOf) -> None:
    assert problem_of(file("found.csv", HEADER + line + "\n")).startswith(said)


def test_what_is_missing_in_csv_is_no_number(file: File, problem_of: ProblemOf) -> None:
    for score in ("", "nan"):
        said = problem_of(file("found.csv", HEADER + f"7,person,1,2,3,4,{score}\n"))
        assert said.startswith("row 1: score: found ")


def test_a_table_may_name_images_twice(file: File, read: Read) -> None:
    assert boxes(read, file("found.parquet", flat() | {"sample_id": ["7"]})) == [(7, "7", *BOX)]


def test_a_category_that_is_missing_is_refused(file: File, problem_of: ProblemOf) -> None:
    said = "row 1: category: found nothing, expected a class by name or number"
    assert problem_of(file("found.parquet", flat(category=pa.array([None], pa.string())))) == said


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_of_the_wrong_kind_of_path_is_refused(
    file: File, tmp_path: Path, name: str, problem_of: ProblemOf
) -> None:
    (tmp_path / "folder").mkdir()
    assert problem_of(file("boxes.md", "0 .5 .5 .1 .1 .9") if name in ("yolo", "voc") else tmp_path / "folder", name)


def test_formats_and_paths_that_do_not_exist(file: File, tmp_path: Path, read: Read, problem_of: ProblemOf) -> None:
    assert problem_of(tmp_path / "none.json") == "found nothing, expected a file or folder of detections"
    with pytest.raises(UsageError, match=r"unknown detection format 'tables'; did you mean table\?"):
        read(file("found.json", []), "tables")
    assert problem_of(file("folder/notes.md", "").parent).startswith(
        "found no .txt files, expected a folder of .txt files"
    )
    assert problem_of(file("notes.txt", "7")).startswith("file name: found notes.txt, expected comp4_det_")
    assert "found an empty file" in problem_of(file("empty.parquet", b""))
    assert FORMATS == ("table", "coco", "yolo", "voc")


def test_detections_in_memory_are_a_table_or_columns(file: File, read: Read) -> None:
    columns = flat()
    assert boxes(read, pa.table(columns)) == boxes(read, columns) == boxes(read, pd.DataFrame(columns)) == [(7, *BOX)]
    arrays = {name: np.array(values) for name, values in columns.items()}
    assert boxes(read, arrays) == [(7, *BOX)]
    assert (
        boxes(read, [FOUND])
        == boxes(read, [FOUND | {"bbox": np.array(FOUND["bbox"]), "score": np.float64(0.5)}])
        == [(7, *BOX)]
    )
    assert read([]) == []


@pytest.mark.parametrize(
    ("source", "field", "said"),
    [
        (flat(width=[-1.0]), "width", "-1 (1 such boxes)"),
        (flat(x=["ten"]), "x", "'ten'"),
        (flat(x=np.array([np.nan])), "x", "nothing"),
        ([FOUND, FOUND | {"score": "high"}], "score", "'high'"),
        ([FOUND | {"score": float("nan")}], "score", "null"),
        ([FOUND | {"bbox": None}], "bbox", "null"),
    ],
)
def test_what_is_wrong_in_memory_is_named_like_what_is_wrong_in_files(
    source: object, field: str, said: str, read: Read
) -> None:
    with pytest.raises(InputError) as failure:
        read(source)
    (problem,) = failure.value.problems
    assert (problem.file, problem.field, problem.found) == ("predictions in memory", field, said)


def test_what_holds_no_detections_is_refused(read: Read) -> None:
    with pytest.raises(UsageError, match="expected a path, a pandas DataFrame"):
        read(7)
    with pytest.raises(InputError, match="predictions in memory"):
        read([object()])
