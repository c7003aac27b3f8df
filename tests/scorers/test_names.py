"""Names as tools write them: what is disregarded, what is not, and that a name which fits several rows names none."""

from __future__ import annotations

import unicodedata

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.left_out import by_reason
from scorers.names import NONE, SEVERAL, FoldedNames, folded, folded_text, told

ACCENTED = "Caf\u00e9 am Meer"
SAME = {
    "QA1ZX": [
        "QA1ZX.mp4",
        "qa1zx",
        "QA1ZX.MP4",
        "./videos/QA1ZX.mp4",
        "/data/charades/QA1ZX.mp4",
        r"C:\data\charades\QA1ZX.avi",
        r".\QA1ZX.webm",
        "https://host.org/clips/QA1ZX.mp4?token=a.b/c#t=3",
        "s3://bucket/QA1ZX.mkv",
        "file:///data/QA1ZX.mp4",
        "QA1ZX.",
        " QA1ZX ",
        "QA1ZX.mp4.json",
        "QA1ZX.mp4/",
    ],
    ACCENTED: [
        unicodedata.normalize("NFD", ACCENTED) + ".mp4",
        ACCENTED.upper(),
        "Caf%C3%A9%20am%20Meer.mp4",
        "gs://b/c%2FCaf%C3%A9%20am%20Meer.mp4",
    ],
    "Fails of the Week. (May 2017)7": [
        "fails of the week. (may 2017)7.mp4",
        "Fails%20of%20the%20Week.%20(May%202017)7",
    ],
    "test/00001": ["00001", "splits/test/00001.json", "TEST/00001", r"test\00001"],
    "100% wrong": ["100% Wrong.mp4", "100%25 wrong"],
}
OTHER = {
    "QA1ZX": ["QA1ZY", "QA1ZX_1", "QA1Z", "QA1ZX.v2", "A1ZX", "QA1ZX/2", "QA1ZX..%2f7", ""],
    "test/00001": ["train/00001", "1", "test/1", "00001/test", "test00001"],
    "yard 3": ["yard_3", "yard3"],
}


@pytest.mark.parametrize(("ours", "theirs"), [(ours, name) for ours, names in SAME.items() for name in names])
def test_what_tools_add_or_change_is_disregarded(ours: str, theirs: str) -> None:
    assert FoldedNames([["another", ours, "test/00002"]]).row(theirs) == 1


@pytest.mark.parametrize(("ours", "theirs"), [(ours, name) for ours, names in OTHER.items() for name in names])
def test_other_names_stay_other_names(ours: str, theirs: str) -> None:
    assert FoldedNames([["another", ours, "test/00002"]]).row(theirs) == NONE


def test_a_name_that_fits_several_rows_names_none() -> None:
    names = FoldedNames([["a.mp4", "A.avi", "x/b", "y/b", "c", "z/c"]])
    assert [names.row(name) for name in ("a", "b", "x/b", "c.mp4", "z/c", "d")] == [
        SEVERAL,
        SEVERAL,
        2,
        SEVERAL,
        5,
        NONE,
    ]
    assert names.rows(pa.array(["d", "x/B", "d"])).tolist() == [NONE, 2, NONE]
    assert names.rows(pa.array([], pa.string())).tolist() == []


def test_numbers_count_where_rows_are_numbered_alone() -> None:
    files = ["COCO_val2014_000000000042.jpg", "000000000043.jpg", "yard_044.jpg"]
    names = FoldedNames([files], [["42", "43", "7"], files])
    given_names = ("42", "000042", "coco_val2014_000000000042", "val/COCO_train2014_000000000042.png", "43.0", "007")
    assert [names.row(name) for name in given_names] == [0, 0, 0, 0, 1, 2]
    assert [names.row(name) for name in ("44", "yard_44", "4", "")] == [NONE] * 4
    assert (
        FoldedNames(
            [
                ["5"],
            ],
            [["7"], ["5"]],
        ).row("007")
        == 0
    )
    assert FoldedNames([["a", "b"]], [["7", "8"], ["8", None]]).row("08") == SEVERAL


@given(st.text())
def test_folding_twice_is_folding_once_and_no_text_breaks_it(name: str) -> None:
    assert folded_text(folded_text(name)) == folded_text(name)
    FoldedNames([[name]]).row(folded(name))


def test_a_path_of_a_million_folders_is_a_name() -> None:
    deep = "a/" * 1_000_000 + "b"
    assert FoldedNames([["b", deep]]).row("x/b.mp4") == 0


def test_what_is_told_names_each_example_once() -> None:
    assert told("predictions", 0, []) == []
    (warning,) = told("detections", 5, [("a.mp4", "a")] * 3 + [("b.mp4", "b")])
    assert warning == (
        "5 detections are matched by names that differ in folder, extension, case and the like"
        " ('a.mp4' as 'a', 'b.mp4' as 'b')"
    )
    reasons = ["of split train", "dropped by rule r", "of split train"]
    assert by_reason("predictions", "of rows", np.array([0, 1, 0, 2]), ["a", "b", "c"], reasons) == [
        "3 predictions are of rows of split train ('a', 'c') and are left out",
        "1 prediction is of rows dropped by rule r ('b') and is left out",
    ]
