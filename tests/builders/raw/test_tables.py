"""Records and rows of one's own: every shape of file, every type of field, every misfit named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builders.raw.tables import read_csv, read_records
from schemas.errors import InputError, Problem

FIELDS = {"name": str, "size": int, "score": float | None, "good": bool, "note": str | None, "tags": [str]}
RECORDS = [
    {"name": "a", "size": 1, "score": 0.5, "good": True, "note": "x", "tags": ["t"], "other": 1},
    {"name": "b", "size": 2, "good": False, "tags": []},
]
ROWS = [
    {"name": "a", "size": 1, "score": 0.5, "good": True, "note": "x", "tags": ["t"]},
    {"name": "b", "size": 2, "score": None, "good": False, "note": None, "tags": []},
]
DTYPES = ["object", "int64", "float64", "bool", "object", "object"]


def rows_of(frame: Any) -> list[dict[str, Any]]:
    """The rows, NaN as None."""
    records = frame.astype(object).where(frame.notna(), None)
    return [dict(zip(frame.columns, row, strict=True)) for row in records.itertuples(index=False)]


def test_a_list_of_records(json_file: Callable[[Any], Path]) -> None:
    frame = read_records(json_file(RECORDS), FIELDS)
    assert rows_of(frame) == ROWS
    assert list(map(str, frame.dtypes)) == DTYPES


def test_one_record_a_line(text_file: Callable[[str], Path]) -> None:
    lines = '{"name": "a", "size": 1}\n\n{"name": "b", "size": 2}\n'
    assert rows_of(read_records(text_file(lines), {"name": str, "size": int})) == [
        {"name": "a", "size": 1},
        {"name": "b", "size": 2},
    ]


def test_an_object_of_records_gives_their_names(json_file: Callable[[Any], Path]) -> None:
    frame = read_records(json_file({"v1": {"label": 3}, "label": {"label": 4}}), {"label": int}, key="video")
    assert rows_of(frame) == [{"video": "v1", "label": 3}, {"video": "label", "label": 4}]


def test_a_list_in_an_object(json_file: Callable[[Any], Path]) -> None:
    frame = read_records(json_file({"info": {}, "images": [{"id": 7}]}), {"id": int}, under="images")
    assert rows_of(frame) == [{"id": 7}]


def test_records_within_records_and_names_that_are_no_identifiers(json_file: Callable[[Any], Path]) -> None:
    record = {"file-name": "a", "boxes": [{"x": 1, "class": "crack", "other": 2}]}
    frame = read_records(json_file([record]), {"file-name": str, "boxes": [{"x": float, "class": str}]})
    assert rows_of(frame) == [{"file-name": "a", "boxes": [{"x": 1.0, "class": "crack"}]}]


def test_numbers_and_flags_count_however_they_are_written(json_file: Callable[[Any], Path], tmp_path: Path) -> None:
    fields = {"size": int, "x": float, "crowd": bool}
    for size, x, crowd in ((640, 1, True), (640.0, "1", 1), ("640", 1.0, "1"), ("640.0", "1.0", 1.0)):
        row = {"size": 640, "x": 1.0, "crowd": True}
        assert rows_of(read_records(json_file([{"size": size, "x": x, "crowd": crowd}]), fields)) == [row]
        (tmp_path / "a.csv").write_text(f"size,x,crowd\n{size},{x},{crowd}\n", encoding="utf-8-sig")
        assert rows_of(read_csv(tmp_path / "a.csv", fields)) == [row]


@pytest.mark.parametrize(
    ("content", "fields", "record", "field", "found", "expected"),
    [
        ([{"size": "1.5"}], {"size": int}, "record 1", "size", "'1.5'", "a whole number"),
        ([{"size": 2**64}], {"size": int}, "record 1", "size", str(2**64), "a whole number"),
        ([{"size": None}], {"size": int}, "record 1", "size", "null", "a whole number"),
        ([{}], {"size": int}, "record 1", "size", "nothing", "a value"),
        ([{"b": [{"x": "y"}]}], {"b": [{"x": float}]}, "record 1", "b[0].x", "'y'", "a number"),
        ({"a": {"size": 1}}, {"size": int}, "", "", "one JSON object", "a list of records"),
    ],
)
def test_records_that_do_not_fit_are_named(
    json_file: Callable[[Any], Path],
    refused: Callable[..., tuple[Problem, ...]],
    content: Any,
    fields: dict[str, Any],
    record: str,
    field: str,
    found: str,
    expected: str,
) -> None:
    (problem,) = refused(read_records, json_file(content), fields)
    assert (problem.record, problem.field, problem.found) == (record, field, found)
    assert problem.expected.startswith(expected)


def csv_file(folder: Path, text: str) -> Path:
    path = folder / "rows.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_rows_of_csv_have_types(tmp_path: Path) -> None:
    text = 'good,name,size,score,note,more\ntrue,a,1,0.5,x,\n0," b, c ",-2,,,y\n'
    fields = {name: kind for name, kind in FIELDS.items() if name != "tags"}
    frame = read_csv(csv_file(tmp_path, text), fields)
    assert rows_of(frame) == [
        {"name": "a", "size": 1, "score": 0.5, "good": True, "note": "x"},
        {"name": " b, c ", "size": -2, "score": None, "good": False, "note": None},
    ]
    assert list(map(str, frame.dtypes)) == DTYPES[:-1]


def test_cells_that_do_not_fit_are_all_named(tmp_path: Path, refused: Callable[..., tuple[Problem, ...]]) -> None:
    text = f"name,size,score,good\na,1.5,nan,yes\n,{2**63},1e999,true\n"
    fields = {"name": str, "size": int | None, "score": float, "good": bool}
    problems = refused(read_csv, csv_file(tmp_path, text), fields)
    assert {(p.record, p.field, p.found, p.expected) for p in problems} == {
        ("row 1", "size", "'1.5'", "a whole number, or nothing"),
        ("row 1", "score", "'nan'", "a finite number"),
        ("row 1", "good", "'yes'", "true or false"),
        ("row 2", "name", "nothing", "text"),
        ("row 2", "size", f"'{2**63}'", "a whole number, or nothing"),
        ("row 2", "score", "'1e999'", "a finite number"),
    }


def test_a_column_that_is_not_there_and_types_that_there_are_not(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "name\na\n")
    with pytest.raises(InputError, match="size"):
        read_csv(path, {"size": int})
    with pytest.raises(TypeError, match="expected str, int, float"):
        read_csv(path, {"name": [str]})
    with pytest.raises(TypeError, match="expected str, int, float"):
        read_records(path, {"name": bytes})


def test_a_table_is_no_file_of_records(tmp_path: Path, refused: Callable[..., tuple[Problem, ...]]) -> None:
    (problem,) = refused(read_records, csv_file(tmp_path, "name\na\n"), {"name": str})
    assert (problem.found, problem.expected) == ("a table", "a list of records, or one record a line")
