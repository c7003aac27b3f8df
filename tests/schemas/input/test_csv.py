from __future__ import annotations

import pytest

from schemas.input.csv import Row, read_rows


def test_reads_the_columns_asked_for_with_their_lines(text_file) -> None:
    path = text_file('a,b,c\r\n1,"x, ""y""",3\r\n\r\n4,"two\r\nlines",6\r\n')
    assert read_rows(path, ("c", "b")) == [Row(2, ("3", 'x, "y"')), Row(5, ("6", "two\r\nlines"))]


def test_empty_header_cells_do_not_matter(text_file) -> None:
    assert read_rows(text_file("a,,\n1,2,3\n"), ("a",)) == [Row(2, ("1",))]


@pytest.mark.parametrize(
    ("text", "record", "field", "found"),
    [
        ("a,c\n1,2\n", "line 1", "b", "no such column"),
        ("a,b,b\n1,2,3\n", "line 1", "b", "twice the column"),
        ("a,b\n1,2\n1,2,3\n", "line 3", "", "3 cells"),
        ("a,b\n1\n", "line 2", "", "1 cells"),
        ('a,b\n1,"2\n', "line 2", "", "unexpected end of data"),
        ('a,b\n1,"2"3\n', "line 2", "", "',' expected after '\"'"),
    ],
)
def test_bad_tables(text_file, refused, text: str, record: str, field: str, found: str) -> None:
    (problem,) = refused(read_rows, text_file(text), ("a", "b"))
    assert (problem.record, problem.field, problem.found) == (record, field, found)


def test_an_enormous_cell_is_refused(text_file, refused) -> None:
    (problem,) = refused(read_rows, text_file(f"a,b\n1,{'x' * 200_000}\n"), ("a", "b"))
    assert problem.record == "line 2"
    assert "field larger than field limit" in problem.found
