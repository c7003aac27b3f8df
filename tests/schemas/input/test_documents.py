"""Result files by their content: tables, records, keyed records; and what is not one, with the place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.input.documents import read_document

Write = Callable[[str, str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def call(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return call


def columns(path: Path) -> dict[str, list[object]]:
    table = read_document(path).table
    assert table is not None
    return {name: table[name].to_pylist() for name in table.column_names}


def test_a_parquet_file_is_known_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    pq.write_table(pa.table({"a": [1, 2]}), path)
    assert columns(path) == {"a": [1, 2]}


def test_csv_and_tsv_are_known_by_their_suffix(write: Write) -> None:
    assert columns(write("a.csv", "a,b\n1,\n")) == {"a": ["1"], "b": [None]}
    assert columns(write("a.TSV", "a\tb\n1,5\t2\n")) == {"a": ["1,5"], "b": ["2"]}


def test_an_object_of_records_has_keys_repeated_ones_too(write: Write) -> None:
    document = read_document(write("a.json", ' {"b": {"x": 1}, "a": null, "b": {"x": 3}}'))
    assert (document.keys, document.records) == (["b", "a", "b"], [{"x": 1}, None, {"x": 3}])


def test_an_array_has_records(write: Write) -> None:
    document = read_document(write("a.json", '[{"x": 1}, 2]'))
    assert (document.keys, document.records) == (None, [{"x": 1}, 2])


def test_json_lines_may_have_blank_lines_and_any_line_ends(write: Write) -> None:
    document = read_document(write("a.jsonl", '\n{"x": 1}\r\n  \n{"x": "\\n"}\n\n[3]'))
    assert (document.keys, document.records) == (None, [{"x": 1}, {"x": "\n"}, [3]])


@pytest.mark.parametrize("field", ["sample_id", "video_id", "custom_id", "qid", "vid", "label"])
def test_a_lone_record_is_one_line_of_json_lines(write: Write, field: str) -> None:
    record = {field: "a", "pred": {"b": "text"}}
    document = read_document(write("a.jsonl", json.dumps(record)))
    assert (document.keys, document.records) == (None, [record])


BAD = {
    "empty": ("a.json", "", "", "an empty file"),
    "blank": ("a.json", " \n" * 100, "", "no records"),
    "empty list": ("a.json", "[]", "", "no records"),
    "empty object": ("a.json", "{}", "", "no records"),
    "header alone": ("a.csv", "sample_id,start_s\n", "", "no records"),
    "ragged CSV": ("a.csv", "a,b\n1,2\n1,2,3\n", "line 3", "3 cells"),
    "JSON in another encoding": ("a.json", '["é"]'.encode("latin-1"), "byte 2", "b'\\xe9'"),
    "JSON Lines in another encoding": ("a.json", '{"a": 1}\n{"a": "é"}'.encode("latin-1"), "byte 16", "b'\\xe9'"),
    "UTF-16": ("a.json", "[1]".encode("utf-16"), "byte 0", "a byte order mark of UTF-16"),
    "broken off": ("a.json", '[{"a": 1}, {"a', "byte 14", "the end of the file"),
    "broken": ("a.json", '[{"a": 1} {"a": 2}]', "byte 10", "'{\"a\": 2}]'"),
    "NaN": ("a.json", '[{"a": NaN}]', "byte 7", "NaN"),
    "Infinity": ("a.json", '[{"a": -Infinity}]', "byte 8", "Infinity"),
    "third line": ("a.jsonl", '{"a": 1}\n{"a": 2}\n{"a" 3}\n', "line 3, byte 23", "'3}'"),
    "last line": ("a.jsonl", '{"a": 1}\n{"a": ', "line 2, byte 14", "the end of the line"),
    "first line": ("a.jsonl", '{"a" 1}\n{"a": 2}\n', "byte 5", "'1}\\n{\"a\": 2}\\n'"),
    "deep": ("a.json", "[" * 100_000, "", "endless nesting"),
    "deep line": ("a.jsonl", '{"a": 1}\n' + "[" * 100_000, "line 2", "endless nesting"),
}


@pytest.mark.parametrize(("name", "content", "record", "found"), BAD.values(), ids=BAD)
def test_what_cannot_be_read_says_where_it_breaks(
    write: Write, refused, name: str, content: str | bytes, record: str, found: str
) -> None:
    path = write(name, content)
    (problem,) = refused(read_document, path)
    assert (problem.file, problem.record, problem.found) == (str(path), record, found)


def test_a_number_that_no_float_holds_is_a_problem_of_its_record(write: Write, refused) -> None:
    document = read_document(write("a.json", '[{"a": 1}, {"a": 1e999}]'))
    (problem,) = refused(lambda: document.records)
    assert (problem.record, problem.field, problem.advice) == ("record 2", "[...]", "Number out of range")


VALUES = st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.dictionaries(st.text(max_size=3), VALUES, max_size=4), max_size=4), st.floats(0, 1))
def test_an_array_cut_short_is_refused_at_its_end(
    write: Write, refused, records: list[dict[str, object]], share: float
) -> None:
    text = json.dumps(records).encode()
    cut = 1 + int(share * (len(text) - 2))
    (problem,) = refused(read_document, write("cut.json", text[:cut]))
    assert (problem.record, problem.found) == (f"byte {cut}", "the end of the file")


def test_records_are_typed_all_at_once_and_named_by_place_or_key(write: Write, refused) -> None:
    typed = dict[str, int]
    assert read_document(write("a.json", '[{}, {"x": 1}]')).typed(typed) == [{}, {"x": 1}]
    problems = refused(read_document(write("a.json", '[{}, 3, {"x": "y"}]')).typed, typed)
    assert [(problem.record, problem.field) for problem in problems] == [("record 2", ""), ("record 3", "[...]")]
    (problem,) = refused(read_document(write("a.json", '{"a": {}, "b": "text"}')).typed, typed)
    assert (problem.record, problem.found, problem.expected) == ("'b'", "'text'", "an object")


def test_the_first_record_is_known_before_the_others_are_looked_at(write: Write) -> None:
    assert read_document(write("a.json", '[{"x": 1}, 1e999]')).first == {"x": 1}
