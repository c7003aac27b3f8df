"""YOLO's and VOC's text files, good and bad, read into one table."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemas.errors import InputError
from scorers.detection.tables import COLUMNS
from tests.scorers.detection.conftest import File, ProblemOf, Read, boxes


def test_yolo_boxes_become_pixels(file: File, read: Read) -> None:
    file("labels/COCO_val2014_000000000007.txt", "0 0.5 0.5 0.25 0.5 0.9\n\n2 0.1 0.2 0.1 0.2 1e-3\n")
    path = file("labels/2008_000001.txt", "1 0.5 0.5 1 1 0.25\n").parent
    assert [(row["sample_id"], row["category"], row["score"]) for row in read(path)] == [
        ("2008_000001", "upper_leg", 0.25),
        ("7", "person", 0.9),
        ("7", "leg", 0.001),
    ]
    assert [[row[side] for side in COLUMNS[1:5]] for row in read(path)][:2] == [[0, 0, 500, 375], [75, 25, 50, 50]]


def test_yolo_files_may_be_named_by_sample_and_may_be_empty(file: File, read: Read) -> None:
    file("labels/2008_000001.txt", "")
    path = file("labels/7.txt", "0 0.5 0.5 0.25 0.5 0.9").parent
    assert [row["sample_id"] for row in read(path)] == ["7"]


def test_yolo_classes_that_are_unknown_keep_their_number(file: File, read: Read) -> None:
    path = file("labels/7.txt", "3 .5 .5 .1 .1 .9\n0 .5 .5 .1 .1 .9\n").parent
    assert [row["category"] for row in read(path)] == ["class 3", "person"]


def test_yolo_classes_are_named_by_a_list_beside_or_above_the_files(
    file: File, tmp_path: Path, read: Read, problem_of: ProblemOf
) -> None:
    file("labels/classes.txt", "leg\nperson\n\n")
    file("labels/._7.txt", b"\0\5\26\7")
    path = file("labels/7.txt", "0 .5 .5 .1 .1 .9\n1 .5 .5 .1 .1 .9\n").parent
    assert [row["category"] for row in read(path)] == ["leg", "person"]
    (path / "classes.txt").rename(tmp_path / "classes.txt")
    assert [row["category"] for row in read(tmp_path)] == ["leg", "person"]
    file("labels/classes.txt", "leg\nleg\n")
    assert "expected one name of a class per line, each once" in problem_of(path)


@pytest.mark.parametrize("below", ["labels/val", "labels", "val", ""])
def test_yolo_files_may_lie_deeper_as_training_frameworks_write_them(
    file: File, tmp_path: Path, below: str, read: Read
) -> None:
    file(f"run/{below}/7.txt", "0 .5 .5 .1 .1 .9\n")
    assert len(read(tmp_path / "run")) == len(read(tmp_path / "run", "yolo")) == 1


def test_yolo_files_of_another_split_are_none(file: File, tmp_path: Path, problem_of: ProblemOf) -> None:
    file("run/labels/train/7.txt", "0 .5 .5 .1 .1 .9\n")
    for name in (None, "yolo"):
        assert "found no .txt files, expected a folder" in problem_of(tmp_path / "run", name)


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
def test_yolo_lines_and_files_that_do_not_fit_are_named(
    file: File, name: str, line: str, said: str, problem_of: ProblemOf
) -> None:
    folder = file(f"labels/{name}.txt", line).parent
    message = problem_of(folder)
    assert said in message
    assert "\x1b" not in message


def test_negative_relative_sizes_are_refused(file: File, problem_of: ProblemOf) -> None:
    path = file("labels/7.txt", "0 .5 .5 -.1 .1 .9").parent
    assert problem_of(path) == "7.txt: line 1: found a box of -0.1 by 0.1, expected width and height of 0 or more"


def test_all_problems_of_a_folder_are_told_at_once(file: File, read: Read) -> None:
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
def test_yolo_files_of_dropped_images_keep_their_count(
    file: File, name: str, read: Read, problem_of: ProblemOf
) -> None:
    path = file(f"labels/{name}.txt", "0 .5 .5 .1 .1 .9\n0 .5 .5 .1 .1 .8\n").parent
    assert len(read(path, dropped=dict.fromkeys(("700019", "2010_000002"), "dropped by rule size"))) == 2
    assert f"found '{name}'" in problem_of(path)


def test_yolo_files_are_text(file: File, problem_of: ProblemOf) -> None:
    path = file("labels/7.txt", b"\xff\xfe").parent
    assert "expected UTF-8 text" in problem_of(path)


def test_voc_files_count_from_1_and_include_both_ends(file: File, read: Read) -> None:
    path = file("comp4_det_val_person.txt", "2008_000001 0.9 53 87 302 375\n7\t.5\t1\t1\t1\t1\n\n")
    expected = [
        ("2008_000001", "person", 52.0, 86.0, 250.0, 289.0, 0.9),
        ("7", "person", 0.0, 0.0, 1.0, 1.0, 0.5),
    ]
    assert boxes(read, path) == boxes(read, path.parent) == expected


def test_a_folder_of_voc_files_has_a_file_a_class(file: File, read: Read) -> None:
    file("voc/comp3_det_test_leg.txt", "7 0.1 1 1 2 2\n")
    path = file("voc/comp3_det_test_person.txt", "7 0.2 1 1 2 2\n").parent
    assert [(row["category"], row["score"]) for row in read(path)] == [("leg", 0.1), ("person", 0.2)]


def test_voc_files_of_several_splits_are_not_added_up(file: File, read: Read, problem_of: ProblemOf) -> None:
    line = "7 0.1 1 1 2 2\n"
    file("voc/comp4_det_train_person.txt", line)
    folder = file("voc/comp4_det_test_person.txt", line).parent
    assert problem_of(folder).startswith("found those of comp4_det_test, comp4_det_train, expected files of one split")
    file("voc/comp4_det_val_person.txt", line)
    assert len(read(folder)) == 1
    file("voc/comp3_det_val_person.txt", line)
    assert problem_of(folder).startswith("found those of comp3_det_val, comp4_det_val, expected files of one split")


@pytest.mark.parametrize(
    ("name", "category"),
    [("val_person", "person"), ("my_val_person", "person"), ("val_upper_leg", "upper_leg"), ("val_tv_set", "tv_set")],
)
def test_splits_and_classes_may_have_underscores(file: File, name: str, category: str, read: Read) -> None:
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
def test_voc_lines_that_do_not_fit_are_named(file: File, line: str, said: str, problem_of: ProblemOf) -> None:
    assert problem_of(file("comp4_det_val_person.txt", line + "\n")).startswith(said)


def test_voc_files_have_the_name_of_their_class(file: File, problem_of: ProblemOf) -> None:
    path = file("voc/comp4_det_.txt", "7 0.1 1 1 2 2\n").parent
    assert "expected comp4_det_<split>_<class>.txt" in problem_of(path, "voc")


def test_an_empty_folder_said_to_be_voc_is_refused(tmp_path: Path, problem_of: ProblemOf) -> None:
    assert problem_of(tmp_path, "voc") == "file name: found no such file, expected comp4_det_<split>_<class>.txt"
