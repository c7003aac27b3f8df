"""Result files by their content: tables, records, keyed records; and what is no such file, with the place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.errors import InputError
from schemas.input.documents import read_csv, read_document, records_of

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


def test_all_of_csv_and_tsv_is_text_and_empty_cells_are_null(write: Write) -> None:
    path = write("a.csv", 'sample_id,time,text\n007,0:01:05,"one\ntwo, three"\nb,,""\n')
    assert columns(path) == {"sample_id": ["007", "b"], "time": ["0:01:05", None], "text": ["one\ntwo, three", None]}
    assert columns(write("a.TSV", "a\tb\n1,5\t2\n")) == {"a": ["1,5"], "b": ["2"]}


def test_quoted_line_breaks_may_stand_anywhere_in_a_long_file(write: Write) -> None:
    answer = "first line\n" + "x" * 1000
    path = write("long.csv", "sample_id,answer\n" + "".join(f'{row},"{answer}"\n' for row in range(3000)))
    assert columns(path) == {"sample_id": [str(row) for row in range(3000)], "answer": [answer] * 3000}


def test_repeated_columns_of_csv_are_kept_for_the_reader_of_the_form_to_judge(write: Write) -> None:
    assert read_csv(write("a.csv", "a,b,a\n1,2,3\n")).column_names == ["a", "b", "a"]


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
    "empty": ("a.json", "", "a.json: found an empty file"),
    "blank": ("a.json", " \n" * 100, "found an empty file"),
    "empty CSV": ("a.csv", "", "found Empty CSV file, expected CSV in UTF-8 with a header line"),
    "empty list": ("a.json", "[]", "found no records, expected at least one"),
    "empty object": ("a.json", "{}", "found no records"),
    "header alone": ("a.csv", "sample_id,start_s\n", "found no records"),
    "ragged CSV": ("a.csv", "a,b\n1,2\n1,2,3\n", "CSV parse error: Expected 2 columns, got 3"),
    "CSV in another encoding": ("a.csv", "a\né\n".encode("latin-1"), "invalid UTF8"),
    "CSV header in another encoding": ("a.csv", "é\na\n".encode("latin-1"), "expected CSV in UTF-8"),
    "JSON in another encoding": ("a.json", '["é"]'.encode("latin-1"), "Invalid UTF-8"),
    "byte order mark": ("a.json", b"\xef\xbb\xbf[1]", "byte 0: found a byte order mark, expected UTF-8 without one"),
    "UTF-16": ("a.json", "[1]".encode("utf-16"), "byte 0: found a byte order mark"),
    "broken off": ("a.json", '[{"a": 1}, {"a', "byte 14: found the end of the file, expected JSON, or JSON Lines"),
    "broken": ("a.json", '[{"a": 1} {"a": 2}]', "byte 10: found '{\"a\": 2}]', expected JSON"),
    "NaN": ("a.json", '[{"a": NaN}]', "byte 7: found 'NaN}]', expected JSON, or JSON Lines (invalid character)"),
    "Infinity": ("a.json", '[{"a": -Infinity}]', "byte 8: found 'Infinity}]'"),
    "out of range": ("a.json", '[{"a": 1e999}]', "found Number out of range"),
    "third line": (
        "a.jsonl",
        '{"a": 1}\n{"a": 2}\n{"a" 3}\n',
        "line 3, byte 23: found '3}', expected one JSON value a",
    ),
    "last line": ("a.jsonl", '{"a": 1}\n{"a": ', "line 2, byte 14: found the end of the line"),
    "first line": ("a.jsonl", '{"a" 1}\n{"a": 2}\n', "byte 5: found '1}"),
    "deep": ("a.json", "[" * 100_000, "maximum recursion depth exceeded"),
    "deep line": ("a.jsonl", '{"a": 1}\n' + "[" * 100_000, "line 2: found maximum recursion depth"),
    "half a Parquet file": ("a.parquet", b"PAR1" + b"\0" * 50, "expected a whole Parquet file"),
}


@pytest.mark.parametrize(("name", "content", "message"), BAD.values(), ids=BAD)
def test_what_cannot_be_read_says_where_it_breaks(write: Write, name: str, content: str | bytes, message: str) -> None:
    path = write(name, content)
    with pytest.raises(InputError) as failure:
        read_document(path)
    assert str(failure.value).startswith(f"{path}: ")
    assert message in str(failure.value)


def test_a_folder_and_nothing_are_no_files(tmp_path: Path) -> None:
    for path, message in ((tmp_path, "Is a directory"), (tmp_path / "none.csv", "No such file or directory")):
        with pytest.raises(InputError, match=f"{message}, expected a readable file"):
            read_document(path)
    with pytest.raises(InputError, match="expected a readable file"):
        read_csv(tmp_path / "none.csv")


VALUES = st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.dictionaries(st.text(max_size=3), VALUES, max_size=4), max_size=4), st.floats(0, 1))
def test_an_array_cut_short_is_refused_at_its_end(write: Write, records: list[dict[str, object]], share: float) -> None:
    text = json.dumps(records).encode()
    cut = 1 + int(share * (len(text) - 2))
    with pytest.raises(InputError, match=f"byte {cut}: found the end of the file"):
        read_document(write("cut.json", text[:cut]))


def test_records_of_another_kind_are_named(write: Write) -> None:
    with pytest.raises(InputError, match="record 2: found 3, expected an object"):
        records_of(read_document(write("a.json", "[{}, 3]")), dict, "an object")
    with pytest.raises(InputError, match="'b': found 'text', expected an object"):
        records_of(read_document(write("a.json", '{"a": {}, "b": "text"}')), dict, "an object")
