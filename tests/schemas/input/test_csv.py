"""CSV as text: what is read, and the line of what breaks the format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from schemas.input.csv import read_csv, require_column

Write = Callable[[str], Path]


def test_reads_the_columns_asked_for_in_that_order(text_file: Write) -> None:
    table = read_csv(text_file('a,b,c\r\n1,"x, ""y""",3\r\n\r\n4,"two\r\nlines",6\r\n'), ("c", "b"))
    assert (table.column_names, table.to_pydict()) == (["c", "b"], {"c": ["3", "6"], "b": ['x, "y"', "two\r\nlines"]})


def test_all_is_text_and_empty_cells_are_null(text_file: Write) -> None:
    table = read_csv(text_file('sample_id,time,text\n007,0:01:05,"one\ntwo, three"\nb,,""\n'))
    expected = {"sample_id": ["007", "b"], "time": ["0:01:05", None], "text": ["one\ntwo, three", None]}
    assert table.to_pydict() == expected


def test_tabs_separate_the_cells_of_a_tsv(tmp_path: Path) -> None:
    path = tmp_path / "a.TSV"
    path.write_text('a\tb\n1,5\t"2\t3"\n')
    assert read_csv(path).to_pydict() == {"a": ["1,5"], "b": ["2\t3"]}


def test_quoted_line_breaks_may_be_anywhere_in_a_long_file(text_file: Write) -> None:
    answer = "first line\n" + "x" * 1000
    table = read_csv(text_file("sample_id,answer\n" + "".join(f'{row},"{answer}"\n' for row in range(3000))))
    assert table.to_pydict() == {"sample_id": [str(row) for row in range(3000)], "answer": [answer] * 3000}


def test_a_cell_may_be_as_long_as_a_model_s_answer(text_file: Write) -> None:
    assert len(read_csv(text_file(f'a,b\n1,"{"x" * 2_000_000}"\n'))["b"][0].as_py()) == 2_000_000


def test_the_byte_order_mark_of_a_spreadsheet_program_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbfa,b\n1,2\n")
    assert read_csv(path, ("a",)).to_pydict() == {"a": ["1"]}


def test_columns_without_a_name_or_repeated_ones_do_no_harm_unless_they_are_wanted(text_file: Write) -> None:
    path = text_file("a,,b,b\n1,2,3,4\n")
    assert read_csv(path, ("a",)).to_pydict() == {"a": ["1"]}
    assert read_csv(path).column_names == ["a", "", "b", "b"]


@pytest.mark.parametrize(
    ("text", "record", "field", "found"),
    [
        ("a,c\n1,2\n", "", "b", "only the columns a, c"),
        ("a,b,b\n1,2,3\n", "", "b", "it twice among the columns a, b, b"),
        ("a,b\n1,2\n1,2,3\n", "line 3", "", "3 cells"),
        ('a,b\n1,"2\n\n"\n1,2,3\n', "line 5", "", "3 cells"),
        ("a,b\n1\n", "line 2", "", "1 cells"),
        ('a,b\n1,"2\n', "line 2", "", "unexpected end of data"),
        ('a,b\n1,"2"3\n', "line 2", "", "',' expected after '\"'"),
    ],
)
def test_bad_tables(text_file: Write, refused, text: str, record: str, field: str, found: str) -> None:
    (problem,) = refused(read_csv, text_file(text), ("a", "b"))
    assert (problem.record, problem.field, problem.found) == (record, field, found)


@pytest.mark.parametrize(
    ("content", "byte"),
    [("a\né\n".encode("latin-1"), 2), ("é\na\n".encode("latin-1"), 0), ("a\n1\n".encode("utf-16"), 0)],
)
def test_other_encodings_are_refused_at_their_byte(tmp_path: Path, refused, content: bytes, byte: int) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    (problem,) = refused(read_csv, path)
    assert (problem.record, problem.expected) == (f"byte {byte}", "UTF-8 text")


def test_a_table_must_have_a_column_once(refused) -> None:
    table = pa.table({"a": [1]})
    require_column("f", table, "a")
    (problem,) = refused(require_column, "f", table, "b")
    assert (problem.file, problem.field, problem.found) == ("f", "b", "only the columns a")
