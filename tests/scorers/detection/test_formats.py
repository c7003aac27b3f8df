"""Detections of every format and in memory, good and bad, read into one table."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import InputError, UsageError
from scorers.detection.formats import COLUMNS, FORMATS, read_detections
from scorers.detection.images import ImageSet

IMAGES = pa.table(
    {
        "sample_id": ["7", "2008_000001", "9"],
        "file_name": ["COCO_val2014_000000000007.jpg", None, "folder/photo.v2.png"],
        "width": [200, 500, None],
        "height": [100, 375, None],
    }
)
LABELS = ["person", "upper_leg", "leg"]
NUMBERS = {1: "person", 84: "leg"}
FOUND = {"image_id": 7, "category_id": 1, "bbox": [10.5, 20, 30, 40.25], "score": 0.5}
HEADER = "image_id,category,x,y,width,height,score\n"


def flat(**changes: Any) -> dict[str, Any]:
    """The columns of a table with one detection."""
    row = {"image_id": 7, "category": "person", "x": 10.5, "y": 20.0, "width": 30.0, "height": 40.25, "score": 0.5}
    return {name: [value] for name, value in row.items()} | changes


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str, Any], Path]:
    """Write a file by its name: Parquet from columns, JSON from anything else that is no text."""

    def write(name: str, content: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".parquet") and not isinstance(content, bytes):
            pq.write_table(content if isinstance(content, pa.Table) else pa.table(content), path)
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


File = Callable[[str, Any], Path]


KNOWN = ImageSet(IMAGES, LABELS, LABELS, NUMBERS, "val")


def read(source: object, file_format: str | None = None, **known: Any) -> list[dict[str, Any]]:
    return read_detections(source, replace(KNOWN, **known), file_format)[0].to_pylist()


def refused(path: Path, file_format: str | None = None) -> str:
    with pytest.raises(InputError) as failure:
        read(path, file_format)
    message = str(failure.value)
    assert message.startswith(str(path))
    return message.removeprefix(str(path)).lstrip(":/ ")


def boxes(source: object) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in read(source)]


BOX = ("person", 10.5, 20.0, 30.0, 40.25, 0.5)


def test_parquet_by_image_id(file: File) -> None:
    path = file("found.parquet", flat(extra=["left out"]))
    assert boxes(path) == [(7, *BOX)]
    assert read_detections(path, KNOWN)[0].column_names == ["image_id", *COLUMNS]


def test_parquet_by_sample_id(file: File) -> None:
    columns = flat() | {"sample_id": ["7"]}
    del columns["image_id"]
    assert boxes(file("found.parquet", columns)) == [("7", *BOX)]


def test_parquet_is_known_by_its_content(file: File, tmp_path: Path) -> None:
    file("found.parquet", flat()).rename(tmp_path / "found.txt")
    assert boxes(tmp_path / "found.txt") == [(7, *BOX)]


def test_dictionaries_and_other_widths_of_numbers_are_columns_too(file: File) -> None:
    columns = flat(category=pa.array(["person"]).dictionary_encode(), score=pa.array([0.5], pa.float32()))
    assert boxes(file("a.parquet", columns)) == [(7, *BOX)]
    named = flat(width=pa.array([30], pa.uint8())) | {"sample_id": pa.array(["7"]).dictionary_encode()}
    del named["image_id"]
    assert boxes(file("b.parquet", named)) == [("7", *BOX)]


def test_csv_by_either_name(file: File) -> None:
    line = "7,person,10.5,20,30,40.25,0.5\n"
    assert boxes(file("a.csv", HEADER + line)) == [("7", *BOX)]
    assert boxes(file("b.csv", HEADER.replace("image_id", "sample_id") + line)) == [("7", *BOX)]
    assert boxes(file("c.tsv", (HEADER + line).replace(",", "\t"))) == [("7", *BOX)]


@pytest.mark.parametrize("name", ["none.parquet", "none.csv", "none.json"])
def test_no_detections_are_none(file: File, name: str) -> None:
    content = {"parquet": pa.table(flat()).slice(0, 0), "csv": HEADER, "json": []}[name.partition(".")[2]]
    assert read(file(name, content)) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"x": ["ten"]}, "row 1: x: found 'ten', expected a number"),
        ({"score": [True]}, "score: found a column of bool, expected numbers"),
        ({"width": pa.array([1], pa.decimal128(5, 2))}, "width: found a column of decimal128(5, 2), expected numbers"),
        ({"category": [1]}, "category: found a column of int64, expected names"),
        ({"category": [["person"]]}, "category: found a column of list<element: string>, expected names"),
        ({"image_id": [[7]]}, "image_id: found a column of list<element: int64>, expected numbers or names"),
        (
            {"width": [-1.0]},
            "detection 1: width: found -1 (1 such boxes), expected 0 or more",
        ),
    ],
)
def test_columns_of_another_kind_are_named(file: File, changes: dict[str, Any], said: str) -> None:
    assert refused(file("found.parquet", flat(**changes))).startswith(said)


@pytest.mark.parametrize("lacking", ["image_id", *COLUMNS])
def test_columns_that_are_missing_are_refused(file: File, lacking: str) -> None:
    columns = flat()
    del columns[lacking]
    said = refused(file("found.parquet", columns))
    assert said.startswith(f"found columns {', '.join(columns)}, expected columns image_id, sample_id or file_name")


def test_a_column_twice_is_refused(file: File) -> None:
    table = pa.table(flat())
    twice = pa.Table.from_arrays([*table.columns, table["x"]], names=[*table.column_names, "x"])
    assert "once each" in refused(file("found.parquet", twice))


def test_a_broken_parquet_file_is_refused(file: File) -> None:
    assert "expected a whole Parquet file" in refused(file("found.parquet", b"PAR1 and then nothing"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("7,person,10.5,20,wide,40,0.5", "row 1: width: found 'wide', expected a number"),
        ("7,person,10.5", "line 2: found 3 cells, expected 7"),
        ("7,person,1,2,3,4,5,6", "line 2: found 8 cells, expected 7"),
        ("7,person,1,2,3,-4,5", "detection 1: height: found -4 (1 such boxes), expected 0 or more"),
    ],
)
def test_broken_lines_of_csv_are_refused(file: File, line: str, said: str) -> None:
    assert refused(file("found.csv", HEADER + line + "\n")).startswith(said)


def test_what_is_missing_in_csv_is_no_number(file: File) -> None:
    for score in ("", "nan"):
        said = refused(file("found.csv", HEADER + f"7,person,1,2,3,4,{score}\n"))
        assert said.startswith("row 1: score: found ")


def test_coco_results_by_number_or_by_name(file: File) -> None:
    results = [FOUND, FOUND | {"category_id": "upper_leg"}, FOUND | {"category_id": 84, "segmentation": []}]
    assert [row[:2] for row in boxes(file("found.json", results))] == [(7, "person"), (7, "upper_leg"), (7, "leg")]
    assert boxes(file("found.json", [FOUND])) == [(7, *BOX)]


def test_numbers_of_categories_are_those_given(file: File) -> None:
    path = file("found.json", [FOUND | {"category_id": number} for number in (0, 1, 2)])
    zero, one = ({base + place: label for place, label in enumerate(LABELS)} for base in (0, 1))
    read_with = [[row["category"] for row in read(path, numbers=numbers)] for numbers in (zero, one)]
    assert read_with == [["person", "upper_leg", "leg"], ["category_id 0", "person", "upper_leg"]]


def test_unknown_categories_keep_what_the_file_calls_them(file: File) -> None:
    path = file("found.json", [FOUND | {"category_id": 2}, FOUND | {"category_id": "Person"}, FOUND])
    assert [row["category"] for row in read(path)] == ["category_id 2", "Person", "person"]


def test_a_table_may_name_images_twice(file: File) -> None:
    assert boxes(file("found.parquet", flat() | {"sample_id": ["7"]})) == [(7, "7", *BOX)]


def test_a_category_that_is_missing_is_refused(file: File) -> None:
    said = "row 1: category: found nothing, expected the name of a class"
    assert refused(file("found.parquet", flat(category=pa.array([None], pa.string())))) == said


@pytest.mark.parametrize("suffix", ["json", "csv", "parquet"])
def test_numbers_count_however_they_are_written(file: File, suffix: str) -> None:
    written: dict[str, Any] = {
        "json": [FOUND | {"image_id": 7.0, "category_id": "1.0", "bbox": ["10.5", 20.0, "30", 40.25], "score": "0.5"}],
        "csv": HEADER + "7.0,person,10.5,20.0,30,40.25,.5\n",
        "parquet": flat(image_id=[7.0], x=["10.5"], score=["0.5"]),
    }
    (row,) = read(file(f"found.{suffix}", written[suffix]))
    key = row.pop("sample_id" if "sample_id" in row else "image_id")
    assert int(key) == 7
    assert [row] == pa.table(flat()).drop_columns("image_id").to_pylist()


@pytest.mark.parametrize("category", [84, 84.0, "84", "84.0", "leg"])
def test_a_class_is_known_by_number_text_of_the_number_or_name(file: File, category: object) -> None:
    (row,) = read(file("found.json", [FOUND | {"category_id": category}]))
    assert row["category"] == "leg"


def test_a_class_whose_name_is_a_number_is_known_by_name(file: File) -> None:
    (row,) = read(file("digits.json", [FOUND | {"category_id": "1"}]), labels=["0", "1"], numbers={1: "0", 2: "1"})
    assert row["category"] == "1"


def test_ids_of_images_may_be_names(file: File) -> None:
    path = file("found.json", [FOUND | {"image_id": "2008_000001"}, FOUND])
    assert [row["sample_id"] for row in read(path)] == ["2008_000001", "7"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"score": None}, "score: found null, expected a number"),
        ({"score": "half"}, "score: found 'half', expected a number"),
        ({"bbox": [1, 2, 3]}, "bbox: found [1, 2, 3], expected a list of length 4"),
        ({"bbox": [1, 2, 3, 4, 5]}, "bbox: found [1, 2, 3, 4, 5], expected a list of length 4"),
        ({"bbox": [1, 2, "NaN", 4]}, "bbox[2]: found 'NaN', expected a number"),
        ({"bbox": [1, 2, 3e200, 4]}, "detection 1: width: found 3e+200 (1 such boxes), expected a number of pixels"),
        ({"bbox": [1, 2, -3, 4]}, "detection 1: width: found -3 (1 such boxes), expected 0 or more"),
        ({"bbox": [1, 2, 3, -0.5]}, "detection 1: height: found -0.5 (1 such boxes), expected 0 or more"),
        ({"image_id": 7.5}, "image_id: found 7.5, expected a whole number or text"),
        ({"image_id": 2**63}, "image_id: found 9223372036854775808, expected a whole number"),
        ({"category_id": 2**70}, "category_id: found 1180591620717411303424, expected a whole number"),
        ({"category_id": [1]}, "category_id: found [1], expected a whole number or text"),
    ],
)
def test_fields_of_coco_results_that_do_not_fit_are_named(file: File, changes: dict[str, Any], said: str) -> None:
    said = said if said.startswith("detection") else f"result 1: {said}"
    assert refused(file("found.json", [FOUND | changes])).startswith(said)


@pytest.mark.parametrize("lacking", FOUND)
def test_fields_of_coco_results_that_are_missing_are_named(file: File, lacking: str) -> None:
    result = {name: value for name, value in FOUND.items() if name != lacking}
    assert refused(file("found.json", [FOUND, result])).startswith(f"result 2: {lacking}: found nothing, expected ")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            b'[{"image_id": 7, "category_id": 1, "bbox": [1, 2,',
            "byte 49: found the end of the file",
        ),
        (b"", "found an empty file"),
        (b'{"annotations": []}', "found an object, expected a list"),
        (b'[{"image_id": 7, "note": "\xff"}]', "byte 26: found b'\\xff', expected UTF-8 text"),
        (
            b'[{"image_id": 7}, {"image_id": 7, "category_id": 1, "bbox": [1, 2, 3, 4], "score": NaN}]',
            "byte 83: score: found NaN, expected a finite number",
        ),
        (
            b'[{"image_id": 7, "category_id": 1, "bbox": [1, 2, -Infinity, 4], "score": 1}]',
            "byte 51: bbox: found Infinity, expected a finite number",
        ),
        (
            b'[{"image_id": 7, "category_id": 1, "bbox": [1, 2, 3, 1e999], "score": 1}]',
            "result 1: bbox[3]: found ",
        ),
        (b"[7]", "result 1: found 7, expected an object"),
        (b'[{"image_id": "\xff"}]', "byte 15: found "),
        (b"\xff\xfe[\0]\0", "byte 0: found a byte order mark"),
        (b"[" * 100_000, "found endless nesting"),
        (b"image_id,score\n", "byte 0: found 'image_id,score"),
    ],
)
def test_what_is_no_array_of_results_is_refused(file: File, content: bytes, said: str) -> None:
    assert said in refused(file("found.json", content))


def test_yolo_boxes_become_pixels(file: File) -> None:
    file("labels/COCO_val2014_000000000007.txt", "0 0.5 0.5 0.25 0.5 0.9\n\n2 0.1 0.2 0.1 0.2 1e-3\n")
    path = file("labels/2008_000001.txt", "1 0.5 0.5 1 1 0.25\n").parent
    assert [(row["sample_id"], row["category"], row["score"]) for row in read(path)] == [
        ("2008_000001", "upper_leg", 0.25),
        ("7", "person", 0.9),
        ("7", "leg", 0.001),
    ]
    assert [[row[side] for side in COLUMNS[1:5]] for row in read(path)][:2] == [[0, 0, 500, 375], [75, 25, 50, 50]]


def test_yolo_files_may_be_named_by_sample_and_may_be_empty(file: File) -> None:
    file("labels/2008_000001.txt", "")
    path = file("labels/7.txt", "0 0.5 0.5 0.25 0.5 0.9").parent
    assert [row["sample_id"] for row in read(path)] == ["7"]


def test_yolo_classes_that_are_unknown_keep_their_number(file: File) -> None:
    path = file("labels/7.txt", "3 .5 .5 .1 .1 .9\n0 .5 .5 .1 .1 .9\n").parent
    assert [row["category"] for row in read(path)] == ["class 3", "person"]


def test_yolo_classes_are_named_by_a_list_beside_or_above_the_files(file: File, tmp_path: Path) -> None:
    file("labels/classes.txt", "leg\nperson\n\n")
    file("labels/._7.txt", b"\0\5\26\7")
    path = file("labels/7.txt", "0 .5 .5 .1 .1 .9\n1 .5 .5 .1 .1 .9\n").parent
    assert [row["category"] for row in read(path)] == ["leg", "person"]
    (path / "classes.txt").rename(tmp_path / "classes.txt")
    assert [row["category"] for row in read(tmp_path)] == ["leg", "person"]
    file("labels/classes.txt", "leg\nleg\n")
    assert "expected one name of a class per line, each once" in refused(path)


@pytest.mark.parametrize("below", ["labels/val", "labels", "val", ""])
def test_yolo_files_may_lie_deeper_as_training_frameworks_write_them(file: File, tmp_path: Path, below: str) -> None:
    file(f"run/{below}/7.txt", "0 .5 .5 .1 .1 .9\n")
    assert len(read(tmp_path / "run")) == len(read(tmp_path / "run", "yolo")) == 1


def test_yolo_files_of_another_split_are_none(file: File, tmp_path: Path) -> None:
    file("run/labels/train/7.txt", "0 .5 .5 .1 .1 .9\n")
    for name in (None, "yolo"):
        assert "found no .txt files, expected a folder" in refused(tmp_path / "run", name)


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        (
            "7",
            "0 .5 .5 .1 .1",
            "line 1: found '0 .5 .5 .1 .1', expected class x_center y_center width height confidence",
        ),
        ("7", "0 .5 .5 .1 .1 .9 3", "line 1: found '0 .5 .5 .1 .1 .9 3', expected class"),
        ("7", "person .5 .5 .1 .1 .9", "line 1: found 'person .5 .5 .1 .1 .9', expected class"),
        ("7", "0 52 86 250 289 .9", "expected a whole class number from 0, and a box relative to the image"),
        ("7", "0.5 .5 .5 .1 .1 .9", "expected a whole class number"),
        ("7", "-1 .5 .5 .1 .1 .9", "expected a whole class number from 0"),
        ("7", "inf .5 .5 .1 .1 .9", "confidence, finite numbers"),
        ("7", "0 .5 .5 .1 .1 nan", "confidence, finite numbers"),
        ("8", "0 .5 .5 .1 .1 .9", "file name: found '8', expected an image of the manifest"),
        ("9", "0 .5 .5 .1 .1 .9", "file name: found '9', expected an image of known width and height"),
        ("\x1b[31m", "0 .5 .5 .1 .1 .9", "file name: found '\\x1b[31m', expected an image of the manifest"),
        ("..%2f7", "0 .5 .5 .1 .1 .9", "file name: found '..%2f7', expected an image of the manifest"),
    ],
)
def test_yolo_lines_and_files_that_do_not_fit_are_named(file: File, name: str, line: str, said: str) -> None:
    folder = file(f"labels/{name}.txt", line).parent
    message = refused(folder)
    assert said in message
    assert "\x1b" not in message


def test_negative_relative_sizes_are_refused(file: File) -> None:
    path = file("labels/7.txt", "0 .5 .5 -.1 .1 .9").parent
    assert refused(path) == "7.txt: line 1: found a box of -0.1 by 0.1, expected width and height of 0 or more"


def test_all_problems_of_a_folder_are_told_at_once(file: File) -> None:
    file("labels/7.txt", "0\n0 .5 .5 .1 .1 .9\n1 2\n")
    path = file("labels/x.txt", "").parent
    with pytest.raises(InputError) as failure:
        read(path)
    assert [(Path(p.file).name, p.record) for p in failure.value.problems] == [
        ("7.txt", "line 1"),
        ("7.txt", "line 3"),
        ("x.txt", ""),
    ]


@pytest.mark.parametrize("name", ["700019", "COCO_val2014_000000700019", "2010_000002"])
def test_yolo_files_of_dropped_images_keep_their_count(file: File, name: str) -> None:
    path = file(f"labels/{name}.txt", "0 .5 .5 .1 .1 .9\n0 .5 .5 .1 .1 .8\n").parent
    assert len(read(path, dropped=dict.fromkeys(("700019", "2010_000002"), "dropped by rule size"))) == 2
    assert f"found '{name}'" in refused(path)


def test_yolo_files_are_text(file: File) -> None:
    path = file("labels/7.txt", b"\xff\xfe").parent
    assert "expected UTF-8 text" in refused(path)


def test_voc_files_count_from_1_and_include_both_ends(file: File) -> None:
    path = file("comp4_det_val_person.txt", "2008_000001 0.9 53 87 302 375\n7\t.5\t1\t1\t1\t1\n\n")
    expected = [
        ("2008_000001", "person", 52.0, 86.0, 250.0, 289.0, 0.9),
        ("7", "person", 0.0, 0.0, 1.0, 1.0, 0.5),
    ]
    assert boxes(path) == boxes(path.parent) == expected


def test_a_folder_of_voc_files_has_a_file_a_class(file: File) -> None:
    file("voc/comp3_det_test_leg.txt", "7 0.1 1 1 2 2\n")
    path = file("voc/comp3_det_test_person.txt", "7 0.2 1 1 2 2\n").parent
    assert [(row["category"], row["score"]) for row in read(path)] == [("leg", 0.1), ("person", 0.2)]


def test_voc_files_of_several_splits_are_not_added_up(file: File) -> None:
    line = "7 0.1 1 1 2 2\n"
    file("voc/comp4_det_train_person.txt", line)
    folder = file("voc/comp4_det_test_person.txt", line).parent
    assert refused(folder).startswith("found those of comp4_det_test, comp4_det_train, expected files of one split")
    file("voc/comp4_det_val_person.txt", line)
    assert len(read(folder)) == 1
    file("voc/comp3_det_val_person.txt", line)
    assert refused(folder).startswith("found those of comp3_det_val, comp4_det_val, expected files of one split")


@pytest.mark.parametrize(
    ("name", "category"),
    [("val_person", "person"), ("my_val_person", "person"), ("val_upper_leg", "upper_leg"), ("val_tv_set", "tv_set")],
)
def test_splits_and_classes_may_have_underscores(file: File, name: str, category: str) -> None:
    (row,) = read(file(f"comp4_det_{name}.txt", "7 0.1 1 1 2 2\n"))
    assert row["category"] == category


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("7 0.9 53 87 302", "line 1: found '7 0.9 53 87 302', expected image score xmin ymin xmax ymax"),
        ("7 0.9 53 87 302 375 1", "line 1: found '7 0.9 53 87 302 375 1', expected image score"),
        ("7", "line 1: found '7', expected image score xmin ymin xmax ymax"),
        ("7 high 53 87 302 375", "line 1: found '7 high 53 87 302 375', expected image score"),
        ("7 nan 53 87 302 375", "line 1: found '7 nan 53 87 302 375', expected image score"),
        ("7 0.9 53 87 12 375", "line 1: found a box of -40 by 289, expected width and height of 0 or more"),
    ],
)
def test_voc_lines_that_do_not_fit_are_named(file: File, line: str, said: str) -> None:
    assert refused(file("comp4_det_val_person.txt", line + "\n")).startswith(said)


def test_voc_files_have_the_name_of_their_class(file: File) -> None:
    path = file("voc/comp4_det_.txt", "7 0.1 1 1 2 2\n").parent
    assert "expected comp4_det_<split>_<class>.txt" in refused(path, "voc")


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_of_the_wrong_kind_of_path_is_refused(file: File, tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    assert refused(file("boxes.md", "0 .5 .5 .1 .1 .9") if name in ("yolo", "voc") else tmp_path / "folder", name)


def test_an_empty_folder_said_to_be_voc_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, "voc") == "file name: found no such file, expected comp4_det_<split>_<class>.txt"


def test_formats_and_paths_that_do_not_exist(file: File, tmp_path: Path) -> None:
    assert refused(tmp_path / "none.json") == "found nothing, expected a file or folder of detections"
    with pytest.raises(UsageError, match=r"unknown detection format 'tables'; did you mean table\?"):
        read(file("found.json", []), "tables")
    assert refused(file("folder/notes.md", "").parent).startswith(
        "found no .txt files, expected a folder of .txt files"
    )
    assert refused(file("notes.txt", "7")).startswith("file name: found notes.txt, expected comp4_det_")
    assert "found an empty file" in refused(file("empty.parquet", b""))
    assert FORMATS == ("table", "coco", "yolo", "voc")


def test_detections_in_memory_are_a_table_or_columns(file: File) -> None:
    columns = flat()
    assert boxes(pa.table(columns)) == boxes(columns) == boxes(pd.DataFrame(columns)) == [(7, *BOX)]
    arrays = {name: np.array(values) for name, values in columns.items()}
    assert boxes(arrays) == [(7, *BOX)]
    assert boxes([FOUND]) == boxes([FOUND | {"bbox": np.array(FOUND["bbox"]), "score": np.float64(0.5)}]) == [(7, *BOX)]
    assert read([]) == []


@pytest.mark.parametrize(
    ("source", "field", "said"),
    [
        (flat(width=[-1.0]), "width", "-1 (1 such boxes)"),
        (flat(x=["ten"]), "x", "'ten'"),
        (flat(x=np.array([np.nan])), "x", "None"),
        ([FOUND, FOUND | {"score": "high"}], "score", "'high'"),
        ([FOUND | {"score": float("nan")}], "score", "null"),
        ([FOUND | {"bbox": None}], "bbox", "null"),
    ],
)
def test_what_is_wrong_in_memory_is_named_like_what_is_wrong_in_files(source: object, field: str, said: str) -> None:
    with pytest.raises(InputError) as failure:
        read(source)
    (problem,) = failure.value.problems
    assert (problem.file, problem.field, problem.found) == ("predictions in memory", field, said)


def test_what_holds_no_detections_is_refused() -> None:
    with pytest.raises(UsageError, match="expected a path, a pandas DataFrame"):
        read(7)
    with pytest.raises(InputError, match="predictions in memory"):
        read([object()])


NUMBER = st.floats(0, 1e6, allow_nan=False, width=32)
RESULTS = st.lists(
    st.builds(
        lambda image, category, box, score: {"image_id": image, "category_id": category, "bbox": box, "score": score},
        st.integers(-(2**63), 2**63 - 1),
        st.sampled_from([1, 84]),
        st.lists(NUMBER, min_size=4, max_size=4),
        NUMBER,
    ),
    max_size=5,
)


@settings(deadline=None, max_examples=50)
@given(RESULTS)
def test_coco_results_and_the_same_as_parquet_read_alike(tmp_path_factory: Any, results: list[dict[str, Any]]) -> None:
    folder = tmp_path_factory.mktemp("alike")
    (folder / "found.json").write_text(json.dumps(results))
    columns: dict[str, Any] = {"image_id": pa.array([r["image_id"] for r in results], pa.int64())}
    columns["category"] = pa.array([NUMBERS[r["category_id"]] for r in results], pa.string())
    for place, side in enumerate(COLUMNS[1:5]):
        columns[side] = pa.array([r["bbox"][place] for r in results], pa.float64())
    columns["score"] = pa.array([r["score"] for r in results], pa.float64())
    pq.write_table(pa.table(columns), folder / "found.parquet")
    assert read(folder / "found.json") == read(folder / "found.parquet") == read(results)
