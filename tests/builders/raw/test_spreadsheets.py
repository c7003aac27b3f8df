"""Sheets of xlsx workbooks: cells as they stand, a strict header, no memory that a small file could ask for."""

from __future__ import annotations

import io
import shutil
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.raw import spreadsheets
from builders.raw.spreadsheets import read_sheet
from schemas.errors import InputError

HEADER = ("", "id", "labels")
SAMPLE = Path(__file__).parents[2] / "samples/jrdb_par/annotated_excel/seq_2_2.xlsx"
SAMPLE_HEADER = ("", "seq_id", "frame_id", "group_id", "social_activity_labels", "global_labels", "notes")

Workbook = Callable[..., Path]


def test_cells_are_texts_and_numbers_and_blank_rows_are_left_out(workbook: Workbook) -> None:
    rows = [HEADER, [0, "12", " 3 5"], [None, " ", ""], [1, 7, None], [2, "遮挡", 2.5]]
    read = [(row.number, row.cells) for row in read_sheet(workbook(rows), "Sheet1", HEADER)]
    assert read == [(2, [0.0, "12", " 3 5"]), (4, [1.0, 7.0, ""]), (5, [2.0, "遮挡", 2.5])]


def test_a_sheet_of_a_header_alone_has_no_rows(workbook: Workbook) -> None:
    assert read_sheet(workbook([HEADER]), "Sheet1", HEADER) == []


def test_shared_texts_as_office_writes_them() -> None:
    rows = read_sheet(SAMPLE, "Sheet1", SAMPLE_HEADER)
    assert [row.cells for row in rows] == [
        [0.0, "2", "15", "82", 10.0, 5.0, " "],
        [1.0, "2", "15", "6", 9.0, 5.0, " "],
        ["", "", "30", 82.0, 1.0, 5.0, ""],
        ["", "", "45", 82.0, 10.0, 5.0, ""],
    ]


def test_a_renamed_sheet_is_named_with_its_advice(workbook: Workbook, refused: Callable) -> None:
    (problem,) = refused(read_sheet, workbook([HEADER], sheet="Labels"), "Sheet1", HEADER)
    assert (problem.field, problem.found, problem.expected) == ("sheets", "'Labels'", "a sheet 'Sheet1'")
    assert problem.advice == "rename it back to Sheet1"


@pytest.mark.parametrize(
    ("header", "advice"),
    [
        (["", "labels", "id"], "the same columns in another order: restore the order"),
        (["", "id", "label"], "missing: 'labels'; unknown: 'label'"),
        (["", "id"], "missing: 'labels'"),
        (["", "id", "labels", "extra"], "unknown: 'extra'"),
        (["id", "labels", ""], "the same columns in another order: restore the order"),
        ([None, "id", "labels", None, "id"], ""),
    ],
)
def test_another_header_is_refused(workbook: Workbook, refused: Callable, header: list[str], advice: str) -> None:
    (problem,) = refused(read_sheet, workbook([header, [1, 2, 3]]), "Sheet1", HEADER)
    assert (problem.record, problem.advice) == ("row 1", advice)
    assert problem.expected == "the columns ['', 'id', 'labels']"


def test_a_table_that_does_not_begin_in_the_first_cell_is_refused(workbook: Workbook, refused: Callable) -> None:
    (problem,) = refused(read_sheet, workbook([[], HEADER]), "Sheet1", HEADER)
    assert problem.record == "row 1"


def test_no_workbook(tmp_path: Path, refused: Callable) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" * 100)  # what a password, or an old format, makes of it
    (problem,) = refused(read_sheet, path, "Sheet1", HEADER)
    assert problem.expected == "an xlsx workbook"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("readme.txt", "no workbook")
    (problem,) = refused(read_sheet, path, "Sheet1", HEADER)
    assert problem.expected == "an xlsx workbook"


def test_a_part_that_is_packed_otherwise(workbook: Workbook, refused: Callable) -> None:
    path = workbook([HEADER])
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    (problem,) = refused(read_sheet, path, "Sheet1", HEADER)
    assert problem.expected == "an xlsx workbook"


def test_a_zip_bomb_is_refused_before_it_is_unpacked(workbook: Workbook, refused: Callable) -> None:
    path = workbook([HEADER], parts={"xl/sharedStrings.xml": bytes(200 * 1024 * 1024)})
    assert path.stat().st_size < 1_000_000
    (problem,) = refused(read_sheet, path, "Sheet1", HEADER)
    assert (problem.found[:4], problem.found[-15:]) == ("209,", " bytes unpacked")


def test_parts_that_hold_no_cells_are_not_unpacked(workbook: Workbook) -> None:
    assert read_sheet(workbook([HEADER], parts={"xl/media/bomb.bin": bytes(200 * 1024 * 1024)}), "Sheet1", HEADER) == []


def test_a_size_that_lies_is_refused(workbook: Workbook, refused: Callable) -> None:
    path = workbook([HEADER], parts={"xl/sharedStrings.xml": bytes(1_000_000)})
    content = bytearray(path.read_bytes())
    place = content.rindex(b"PK\1\2")  # the last entry of the directory: its size unpacked is 24 bytes in
    content[place + 24 : place + 28] = struct.pack("<I", 10)
    path.write_bytes(content)
    (problem,) = refused(read_sheet, path, "Sheet1", HEADER)
    assert problem.expected == "an xlsx workbook"


@pytest.mark.parametrize("declaration", ['<!DOCTYPE a [<!ENTITY b "c">]>', "<!ENTITY b SYSTEM 'file:///etc/passwd'>"])
def test_document_types_are_refused(workbook: Workbook, refused: Callable, declaration: str) -> None:
    path = workbook([HEADER], parts={"xl/sharedStrings.xml": f"{declaration}<sst>&b;</sst>"})
    (problem,) = refused(read_sheet, path, "Sheet1", HEADER)
    assert (problem.record, problem.found) == ("part 'xl/sharedStrings.xml'", "<! or NUL")


@pytest.mark.parametrize("value", ["<!-- was 3 -->5", "5<!-- was 53 -->", "<![CDATA[5]]>"])
def test_comments_and_cdata_hide_no_value(workbook: Workbook, refused: Callable, value: str) -> None:
    path = workbook([], parts=sheet_of_row_2(f'<c r="B2"><v>{value}</v></c>'))
    (problem,) = refused(read_sheet, path, "Sheet1", HEADER)
    assert (problem.record, problem.found) == ("part 'xl/worksheets/sheet1.xml'", "<! or NUL")


def sheet_of_row_2(cells: str) -> dict[str, str]:
    """A sheet with the header, and these cells below; as the parts of a workbook."""
    header = "".join(f'<c r="{"ABC"[place]}1" t="str"><v>{name}</v></c>' for place, name in enumerate(HEADER))
    rows = f'<row r="1">{header}</row><row r="2">{cells}</row>'
    sheet = f'<worksheet xmlns:x="x"><sheetData>{rows}</sheetData></worksheet>'
    return {"xl/worksheets/sheet1.xml": sheet}


def cell_b2(cell: str, prefix: str) -> dict[str, str]:
    row = f'<{prefix}c r="A2"/>{cell.format(p=prefix)}<{prefix}c r="C2"><{prefix}v>7</{prefix}v></{prefix}c>'
    return sheet_of_row_2(row)


@pytest.mark.parametrize("prefix", ["", "x:"])
@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ('<{p}c r="B2" s="1" t="e"><{p}v>#DIV/0!</{p}v></{p}c>', "'#DIV/0!'"),
        ("<{p}c t = 'e' r='B2'><{p}f>1/0</{p}f><{p}v>#DIV/0!</{p}v></{p}c>", "'#DIV/0!'"),
        ('<{p}c r="B2" t="e"/>', "'an error without a name'"),
        ('<{p}c r="B2"><{p}f>2+3</{p}f></{p}c>', "'=2+3 without a value'"),
        ('<{p}c r="B2"><{p}f>A1&amp;"x"</{p}f><{p}v/></{p}c>', "'=A1&\"x\" without a value'"),
        ('<{p}c r="B2" t="str"><{p}f>2+3</{p}f><{p}v></{p}v></{p}c>', "'=2+3 without a value'"),
        ('<{p}c r="B2"><{p}f t="shared" si="0"/></{p}c>', "'= without a value'"),
    ],
)
def test_errors_and_formulas_without_value_are_refused(
    workbook: Workbook, refused: Callable, prefix: str, cell: str, found: str
) -> None:
    (problem,) = refused(read_sheet, workbook([], parts=cell_b2(cell, prefix)), "Sheet1", HEADER)
    assert (problem.record, problem.found) == ("cell B2", found)


@pytest.mark.parametrize("prefix", ["", "x:"])
@pytest.mark.parametrize(
    ("cell", "read"),
    [
        ('<{p}c r="B2"><{p}f>2+3</{p}f><{p}v>5</{p}v></{p}c>', 5.0),
        ('<{p}c r="B2" t="str"><{p}f>A1</{p}f><{p}v>3 5</{p}v></{p}c>', "3 5"),
    ],
)
def test_a_formula_has_its_stored_value(workbook: Workbook, prefix: str, cell: str, read: object) -> None:
    (found,) = read_sheet(workbook([], parts=cell_b2(cell, prefix)), "Sheet1", HEADER)
    assert found == (2, ["", read, 7.0])


def test_all_errors_are_named_at_once(workbook: Workbook, refused: Callable) -> None:
    parts = sheet_of_row_2('<c r="A2" t="e"><v>#N/A</v></c><c r="B2"><v>1</v></c><c r="C2"><f>1</f></c>')
    problems = refused(read_sheet, workbook([], parts=parts), "Sheet1", HEADER)
    assert [problem.record for problem in problems] == ["cell A2", "cell C2"]


@pytest.mark.parametrize("cell", ['<c r="B2" t="s"><v>0</v></c>', '<c r="B2" t="s"><v>-1</v></c>'])
def test_the_number_of_no_text(workbook: Workbook, refused: Callable, cell: str) -> None:
    (problem,) = refused(read_sheet, workbook([], parts=sheet_of_row_2(cell)), "Sheet1", HEADER)
    assert problem.expected == "an xlsx workbook"


def test_a_cell_beyond_the_header(workbook: Workbook, refused: Callable) -> None:
    path = workbook([], parts=sheet_of_row_2('<c r="D2"><v>5</v></c>'))
    (problem,) = refused(read_sheet, path, "Sheet1", HEADER)
    assert (problem.record, problem.found) == ("row 2", "[5.0] beyond them")
    path = workbook([], parts=sheet_of_row_2('<c r="B2"><v>5</v></c><c r="D2" s="1"/>'))
    assert read_sheet(path, "Sheet1", HEADER) == [(2, ["", 5.0, ""])]


@pytest.mark.parametrize(
    ("cell", "place"),
    [
        ('<c r="XFD2"><v>5</v></c>', "'XFD2'"),
        ('<c r="B100000"><v>5</v></c>', "'B100000'"),
        ("<c><v>5</v></c>", "'nowhere'"),
        ("<c/>", "'nowhere'"),
        ('<c r="b2"><v>5</v></c>', "'b2'"),
        ('<c r="B2"><v>5</v></c><c r="B2"><v>6</v></c>', "'B2'"),
        ('<c r="B2"><v>5</v></c><x:c r="B2"><v>6</v></x:c>', "'B2'"),
        ('<c r="B3"><v>5</v></c><c r="B2"><v>6</v></c>', "'B2'"),
    ],
)
def test_a_cell_far_away_or_out_of_order_is_named(workbook: Workbook, refused: Callable, cell: str, place: str) -> None:
    (problem,) = refused(read_sheet, workbook([], parts=sheet_of_row_2(cell)), "Sheet1", HEADER)
    assert (problem.record, problem.found) == ("part 'xl/worksheets/sheet1.xml'", f"a cell at {place}")


def test_a_workbook_without_sheets_is_not_to_be_renamed(workbook: Workbook, refused: Callable) -> None:
    path = workbook([HEADER], parts={"xl/workbook.xml": "<workbook><sheets/></workbook>"})
    (problem,) = refused(read_sheet, path, "Sheet1", HEADER)
    assert (problem.found, problem.advice) == ("none", "obtain the file again")


def test_a_sheet_that_is_listed_without_its_cells(workbook: Workbook, refused: Callable) -> None:
    path = workbook([HEADER])
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist() if "sheet1" not in name}
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    (problem,) = refused(read_sheet, path, "Sheet1", HEADER)
    assert problem.expected == "an xlsx workbook"
    assert problem.advice == "obtain the file again"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_utf16_cannot_hide_a_document_type(workbook: Workbook, refused: Callable, encoding: str) -> None:
    path = workbook([HEADER], parts={"xl/sharedStrings.xml": "<!DOCTYPE a><sst/>".encode(encoding)})
    (problem,) = refused(read_sheet, path, "Sheet1", HEADER)
    assert problem.found == "<! or NUL"


@pytest.mark.parametrize("prefix", ["", "x:"])
def test_a_long_text_in_many_cells_is_refused(workbook: Workbook, refused: Callable, prefix: str) -> None:
    cells = "".join(f'<c r="B{row}" t="s"><v>0</v></c>' for row in range(2, 2000))
    strings = f"<{prefix}sst><{prefix}si><{prefix}t>{'a' * 100_000}</{prefix}t></{prefix}si></{prefix}sst>"
    path = workbook([], parts=sheet_of_row_2(cells) | {"xl/sharedStrings.xml": strings})
    (problem,) = refused(read_sheet, path, "Sheet1", HEADER)
    assert problem.found.endswith("bytes that 2,001 cells may show")


def test_a_text_in_pieces_without_its_pronunciation(workbook: Workbook) -> None:
    item = '<si><r><t>a</t></r><r><t xml:space="preserve"> b</t></r><rPh><t>c</t></rPh></si>'
    parts = sheet_of_row_2('<c r="B2" t="s"><v>0</v></c>') | {"xl/sharedStrings.xml": f"<sst>{item}</sst>"}
    assert read_sheet(workbook([], parts=parts), "Sheet1", HEADER) == [(2, ["", "a b", ""])]


@settings(max_examples=200)
@given(place=st.floats(0, 1), n_removed=st.integers(0, 12), inserted=st.binary(max_size=6), part=st.integers(0, 8))
def test_a_damaged_workbook_is_read_or_refused_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, place: float, n_removed: int, inserted: bytes, part: int
) -> None:
    """Damage within a part, whose checksum is right, or to the packed bytes as a whole."""
    path = tmp_path_factory.mktemp("damaged") / "book.xlsx"

    def damaged(content: bytes) -> bytes:
        start = int(place * len(content))
        return content[:start] + inserted + content[start + n_removed :]

    with zipfile.ZipFile(SAMPLE) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    names = [name for name in parts if name.endswith((".xml", ".rels"))]
    if part < len(names):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as again:
            for name, content in parts.items():
                again.writestr(name, damaged(content) if name == names[part] else content)
        path.write_bytes(buffer.getvalue())
    else:
        path.write_bytes(damaged(SAMPLE.read_bytes()))
    rows, problems = [], ()
    try:
        rows = read_sheet(path, "Sheet1", SAMPLE_HEADER)
    except InputError as error:
        problems = error.problems
    assert all(problem.file == str(path) and problem.found and problem.expected for problem in problems)
    assert all(len(row.cells) == len(SAMPLE_HEADER) for row in rows)


def test_the_file_itself_is_not_changed(tmp_path: Path) -> None:
    path = Path(shutil.copy(SAMPLE, tmp_path))
    before = path.read_bytes()
    read_sheet(path, "Sheet1", SAMPLE_HEADER)
    assert path.read_bytes() == before
    assert spreadsheets.is_blank(" \t")
    assert not spreadsheets.is_blank(0.0)
