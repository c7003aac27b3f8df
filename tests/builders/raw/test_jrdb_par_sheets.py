"""The spreadsheets of JRDB-PAR: ids and labels of cells that people filled in, by hand and in several ways."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from builders.raw.jrdb_par_sheets import HEADER, read_sheets

ROW = [0, "3", "15", "1", 1, 5, " "]
Problems = Callable[..., list[tuple[str, ...]]]


@pytest.fixture
def folder(workbook: Callable[..., Path]) -> Callable[..., Path]:
    """Write workbooks, each from its rows below the header."""

    def call(*books: list[list[object]]) -> Path:
        paths = [workbook([HEADER, *rows], f"sheets/seq_{number}.xlsx") for number, rows in enumerate(books)]
        return paths[0].parent

    return call


@pytest.fixture
def problems(folder: Callable[..., Path], places: Callable) -> Problems:
    """What is wrong with workbooks: name of the file, record, field and what was found."""
    return lambda *books: places(read_sheets, folder(*books))


def test_ids_may_be_texts_or_numbers_and_labels_one_number_or_a_text_of_several(folder: Callable[..., Path]) -> None:
    rows = [
        [4, "3", "15", "1", 4, " 3 5 6", "遮挡"],
        [1, 3, 15.0, " 2 ", " 1 4 9", "6 5 3", None],
        ["", "", "30", 7.0, "", None, "90 miss"],
    ]
    table = read_sheets(folder(rows))
    assert table.pop("file").map(lambda file: Path(file).name).tolist() == ["seq_0.xlsx"] * 3
    assert table.to_dict("list") == {
        "number": [2, 3, 4],
        "sequence": [3, 3, 3],
        "frame": [15, 15, 30],
        "group": [1, 2, 7],
        "social": [(28,), (1, 28, 29), ()],
        "global_labels": [(3, 5, 6), (6, 5, 3), ()],
        "named": [True, True, False],
    }


def test_workbooks_stand_in_the_order_of_sequences(folder: Callable[..., Path]) -> None:
    table = read_sheets(folder([["", "11", 15, 1, 1, 5, ""]], [["", "2", 15, 1, 1, 5, ""]]))
    assert table["sequence"].tolist() == [2, 11]


def test_what_office_leaves_beside_an_open_workbook_is_not_read(folder: Callable[..., Path]) -> None:
    place = folder([ROW])
    (place / "~$seq_0.xlsx").write_bytes(b"owner")
    (place / "._seq_0.xlsx").write_bytes(b"AppleDouble")
    assert len(read_sheets(place)) == 1


@pytest.mark.parametrize(
    ("column", "cell", "found"),
    [
        ("seq_id", "27", "'27'"),
        ("seq_id", "1 2", "'1 2'"),
        ("frame_id", "", "''"),
        ("frame_id", 15.5, "15.5"),
        ("frame_id", "15.0", "'15.0'"),
        ("frame_id", -15, "-15"),
        ("group_id", None, "''"),
        ("group_id", "three", "'three'"),
        ("social_activity_labels", 13, "13"),
        ("social_activity_labels", "1 0", "'1 0'"),
        ("social_activity_labels", "1,2", "'1,2'"),
        ("global_labels", " 3 8", "' 3 8'"),
        ("global_labels", "3 3", "'3 3'"),
        ("global_labels", "walking", "'walking'"),
        ("global_labels", 1e300, f"{str(int(1e300))[:77]}..."),
    ],
)
def test_a_cell_that_holds_no_ids(problems: Problems, column: str, cell: object, found: str) -> None:
    row = [cell if name == column else value for name, value in zip(HEADER, ROW, strict=True)]
    assert problems([ROW, row]) == [("seq_0.xlsx", "row 3", column, found)]


def test_what_a_cell_should_hold_is_said(folder: Callable[..., Path], refused: Callable) -> None:
    (problem,) = refused(read_sheets, folder([["", "3", "15", "1", 1, " 3 8", ""]]))
    assert problem.expected == "whole numbers, each once, with blanks between them, from 1 to 7"


def sheet_with(letter: str, cell: str) -> dict[str, str]:
    """A sheet whose second row has one cell as it is given; as the parts of a workbook."""
    cells = "".join(cell if name == letter else f'<c r="{name}2"><v>1</v></c>' for name in "ABCDEFG")
    header = "".join(f'<c r="{name}1" t="str"><v>{text}</v></c>' for name, text in zip("ABCDEFG", HEADER, strict=True))
    sheet = f'<worksheet><sheetData><row r="1">{header}</row><row r="2">{cells}</row></sheetData></worksheet>'
    return {"xl/worksheets/sheet1.xml": sheet}


def test_a_truth_value_is_no_number(workbook: Callable[..., Path], refused: Callable) -> None:
    path = workbook([], parts=sheet_with("F", '<c r="F2" t="b"><v>1</v></c>'))
    (problem,) = refused(read_sheets, path.parent)
    assert (problem.field, problem.found) == ("global_labels", "True")


def test_errors_of_all_workbooks_are_named_by_cell(workbook: Callable[..., Path], refused: Callable) -> None:
    path = workbook([], parts=sheet_with("B", '<c r="B2" t="e"><v>#REF!</v></c>'))
    workbook([], "sheets/seq_1_1.xlsx", parts=sheet_with("G", '<c r="G2"><f>2+3</f></c>'))
    first, second = refused(read_sheets, path.parent)
    assert (first.file, first.record, first.found) == (str(path), "cell B2", "'#REF!'")
    assert (second.record, second.found) == ("cell G2", "'=2+3 without a value'")


def test_the_problems_of_all_workbooks_come_together(problems: Problems) -> None:
    found = problems([["", "x", "y", "1", 1, 5, ""]], [["", "1", "15", "1", 99, 5, ""]])
    assert [problem[:3] for problem in found] == [
        ("seq_0.xlsx", "row 2", "seq_id"),
        ("seq_0.xlsx", "row 2", "frame_id"),
        ("seq_1.xlsx", "row 2", "social_activity_labels"),
    ]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([], ("", "seq_id", "no sequence")),
        ([["", "", "15", "1", 1, 5, ""]], ("", "seq_id", "no sequence")),
        ([ROW, ["", "4", "15", "2", 1, 5, ""]], ("", "seq_id", "sequences 3, 4")),
        ([ROW, ROW], ("row 3", "group_id", "group 1 of frame 15 again")),
        (
            [ROW, ["", "3", "15", "2", 1, "", ""], ["", "3", "15", "4", 1, "2 5", ""]],
            ("row 4", "global_labels", "2 5"),
        ),
    ],
)
def test_rows_that_contradict_one_another(problems: Problems, rows: list, problem: tuple[str, ...]) -> None:
    assert problems(rows) == [("seq_0.xlsx", *problem)]


def test_global_labels_in_another_order_are_no_contradiction(folder: Callable[..., Path]) -> None:
    rows = [["", "3", "15", "1", 1, "2 5", ""], ["", "3", "15", "2", 1, "5 2", ""], ["", "3", "30", "1", 1, 5, ""]]
    assert len(read_sheets(folder(rows))) == 3


def test_two_workbooks_of_a_sequence(problems: Problems) -> None:
    assert problems([ROW], [ROW]) == [("seq_1.xlsx", "", "seq_id", "sequence 3 again")]


@pytest.mark.parametrize(
    ("names", "blamed", "there"),
    [
        (["seq_3_1.xlsx", "seq_27_1.xlsx"], "seq_27_1.xlsx", "seq_3_1.xlsx"),
        (["seq_3_1.xlsx", "copy.xlsx"], "copy.xlsx", "seq_3_1.xlsx"),
        (["seq_2_9.xlsx", "seq_3_1.xlsx"], "seq_2_9.xlsx", "seq_3_1.xlsx"),
        (["seq_3_1.xlsx", "seq_3_2.xlsx"], "seq_3_2.xlsx", "seq_3_1.xlsx"),
    ],
)
def test_of_two_workbooks_the_one_named_after_its_sequence_is_not_blamed(
    workbook: Callable[..., Path], refused: Callable, names: list[str], blamed: str, there: str
) -> None:
    for name in names:
        folder = workbook([HEADER, ROW], f"sheets/{name}").parent
    (problem,) = refused(read_sheets, folder)
    assert (Path(problem.file).name, problem.expected) == (blamed, f"one workbook of it (there is {there})")


def test_shuffled_columns_are_refused(workbook: Callable[..., Path], refused: Callable) -> None:
    path = workbook([[*HEADER[:4], "global_labels", "social_activity_labels", "notes"], ROW])
    (problem,) = refused(read_sheets, path.parent)
    assert problem.advice == "the same columns in another order: restore the order"


def test_a_folder_that_is_missing_or_holds_no_workbook(tmp_path: Path, refused: Callable) -> None:
    assert refused(read_sheets, tmp_path / "none")[0].found == "no such file or directory"
    assert refused(read_sheets, tmp_path)[0].found == "no *.xlsx file"
    (tmp_path / "~$a.xlsx").write_bytes(b"owner")
    assert refused(read_sheets, tmp_path)[0].found == "no *.xlsx file"


@pytest.mark.real_data
def test_the_published_workbooks(real_data: Path) -> None:
    table = read_sheets(real_data / "jrdb_par/annotated_excel")
    assert len(table) == 7821
    assert table["sequence"].nunique() == 27
    unnamed = table[~table["named"]]
    assert (unnamed["sequence"].tolist(), unnamed["number"].tolist()) == ([2] * 9, list(range(570, 579)))
    filled = table[table["global_labels"].map(len) > 0]
    assert (filled.groupby("sequence")["global_labels"].nunique() == 1).all()
    assert Counter(table["sequence"][table["global_labels"].map(len) == 0]) == {5: 1, 7: 1}
    opening = table[table["frame"] == 15].groupby("sequence")["global_labels"].first()
    assert (len(opening), opening.map(len).min()) == (27, 1)
    assert [opening[number] for number in (0, 1, 2, 26)] == [(3, 5, 6), (4, 2), (2, 5), (6, 5)]
