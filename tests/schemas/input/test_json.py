from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import InputError
from schemas.input.json import read_array, read_lists, read_object


class Thing(msgspec.Struct, kw_only=True):
    t: tuple[float, float]
    name: str | None = None
    size: Annotated[int, msgspec.Meta(ge=0)] = msgspec.field(default=0, name="SIZE")
    needed: float = msgspec.field(name="len")


def object_of(path: Path) -> dict[str, Thing]:
    return read_object(path, Thing, "thing")


def array_of(path: Path) -> list[Thing]:
    return read_array(path, Thing)


GOOD = {"t": [1, 2.5], "name": "n", "SIZE": 3, "len": 2, "extra": {"deep": [None, {}]}}


def test_reads_objects_in_file_order_ignoring_other_fields(json_file) -> None:
    things = object_of(json_file({"b": GOOD, "a": GOOD | {"name": None}}))
    assert list(things) == ["b", "a"]
    assert things["b"] == Thing(t=(1.0, 2.5), name="n", size=3, needed=2.0)
    assert things["a"].name is None


def test_reads_lists(json_file) -> None:
    assert [thing.needed for thing in array_of(json_file([GOOD, GOOD | {"len": 7}]))] == [2.0, 7.0]


@given(st.lists(st.text(st.characters(codec="utf-8")), max_size=8))
def test_text_survives(tmp_path_factory, texts: list[str]) -> None:
    path = tmp_path_factory.mktemp("json") / "a.json"
    path.write_bytes(msgspec.json.encode(texts))
    assert read_array(path, str) == texts


@pytest.mark.parametrize(
    ("change", "field", "found", "expected"),
    [
        ({"t": 3}, "t", "3", "a list"),
        ({"t": [1]}, "t", "[1]", "a list of length 2"),
        ({"t": [1, 2, 3]}, "t", "[1, 2, 3]", "a list of length 2"),
        ({"t": [1, "two"]}, "t[1]", "'two'", "a number"),
        ({"t": [1, "-Infinity"]}, "t[1]", "'-Infinity'", "a number"),
        ({"t": [1, None]}, "t[1]", "null", "a number"),
        ({"len": True}, "len", "True", "a number"),
        ({"len": {"a": 1}}, "len", "{'a': 1}", "a number"),
        ({"SIZE": 1.5}, "SIZE", "1.5", "a whole number"),
        ({"SIZE": -1}, "SIZE", "-1", "a whole number >= 0"),
        ({"name": 5}, "name", "5", "text or null"),
    ],
)
def test_an_invalid_record_names_field_value_and_type(
    json_file, refused, change: dict[str, Any], field: str, found: str, expected: str
) -> None:
    (problem,) = refused(object_of, json_file({"good": GOOD, "bad": GOOD | change}))
    assert (problem.record, problem.field, problem.found, problem.expected) == ('thing "bad"', field, found, expected)


def test_a_missing_field_is_named(json_file, refused) -> None:
    (problem,) = refused(array_of, json_file([{"t": [1, 2]}]))
    assert (problem.record, problem.field, problem.found) == ("record 1", "len", "nothing")


def test_a_number_out_of_range_is_shown(tmp_path: Path, refused) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"t": [1, 1e999], "len": 1}]')
    (problem,) = refused(array_of, path)
    assert (problem.field, problem.advice) == ("t[1]", "Number out of range")
    assert "1e999" in problem.found


def test_every_bad_record_is_reported(json_file, refused) -> None:
    problems = refused(array_of, json_file([1, GOOD, "x", None, GOOD | {"len": "x"}]))
    assert [problem.record for problem in problems] == ["record 1", "record 3", "record 4", "record 5"]
    assert [problem.found for problem in problems] == ["1", "'x'", "null", "'x'"]


@pytest.mark.parametrize(
    ("read", "value", "found", "expected"),
    [
        (object_of, [], "a list", "an object"),
        (object_of, 3, "a whole number", "an object"),
        (array_of, {}, "an object", "a list"),
        (array_of, "x", "text", "a list"),
        (array_of, None, "null", "a list"),
    ],
)
def test_a_wrong_outer_level_is_named(json_file, refused, read, value: Any, found: str, expected: str) -> None:
    (problem,) = refused(read, json_file(value))
    assert (problem.record, problem.found, problem.expected) == ("", found, expected)


@pytest.mark.parametrize(
    ("text", "byte", "found", "reason"),
    [
        ('{"a": {"t": [NaN, 2], "len": 1}}', 13, "NaN", "invalid character"),
        ('{"a": {"t": [1, Infinity]}}', 16, "Infinity", "invalid character"),
        ('{"a": {"t": [1, 2}}', 17, "'}}'", "expected ',' or ']'"),
        ("{'a': 1}", 1, "\"'a': 1}\"", "object keys must be strings"),
        ('{"a": 1,}', 8, "'}'", "trailing comma in object"),
        ('{"a": 1} {}', 9, "'{}'", "trailing characters"),
        ("// note\n{}", 0, "'// note\\n{}'", "invalid character"),
    ],
)
def test_a_syntax_error_names_the_byte(text_file, refused, text: str, byte: int, found: str, reason: str) -> None:
    (problem,) = refused(object_of, text_file(text))
    assert (problem.record, problem.found, problem.advice) == (f"byte {byte}", found, reason)


@pytest.mark.parametrize("cut", range(1, len(msgspec.json.encode({"a": GOOD}))))
def test_a_truncated_file_names_where_it_ends(text_file, refused, cut: int) -> None:
    text = msgspec.json.encode({"a": GOOD}).decode()[:cut]
    (problem,) = refused(object_of, text_file(text))
    assert (problem.record, problem.found) == (f"byte {len(text)}", "the end of the file")


@pytest.mark.parametrize(
    ("content", "byte"),
    [
        (b'{"\xff": 1}', 2),
        (b'{"a": {"t": [1, 2], "len": 1, "name": "\xe9"}}', 39),
        (b'{"a": {"t": [1, 2], "len": 1, "skipped": "\xe9"}}', 42),
    ],
)
def test_bytes_that_are_not_utf8_are_found_even_in_skipped_fields(
    tmp_path: Path, refused, content: bytes, byte: int
) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    (problem,) = refused(object_of, path)
    assert (problem.record, problem.expected) == (f"byte {byte}", "UTF-8 text")


@pytest.mark.parametrize("content", ["[]".encode("utf-16"), "[]".encode("utf-32")])
def test_other_encodings_are_refused_at_the_first_byte(tmp_path: Path, refused, content: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    (problem,) = refused(array_of, path)
    assert problem.record == "byte 0"


def test_numbers_are_numbers_however_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for written in ("5", "5.0", '"5"', '"5.0"', "5e0"):
        path.write_text(f'\ufeff{{"a": {{"SIZE": {written}, "len": {written}, "t": [1, {written}], "name": null}}}}')
        (thing,) = object_of(path).values()
        assert (thing, type(thing.size)) == (Thing(t=(1.0, 5.0), size=5, needed=5.0), int)


def test_one_invalid_record_does_not_hide_numbers_written_otherwise(json_file, refused) -> None:
    (problem,) = refused(object_of, json_file({"text": GOOD | {"SIZE": "5.0"}, "bad": GOOD | {"SIZE": "5.5"}}))
    assert (problem.record, problem.found) == ('thing "bad"', "'5.5'")


def test_behind_a_byte_order_mark_bytes_are_counted_from_the_beginning_of_the_file(tmp_path: Path, refused) -> None:
    path = tmp_path / "a.json"
    for mark, byte in ((b"", "byte 4"), (b"\xef\xbb\xbf", "byte 7")):
        path.write_bytes(mark + b"[1, x]")
        (problem,) = refused(read_array, path, int)
        assert problem.record == byte


def test_repeated_names_are_all_named(tmp_path: Path, refused) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": 1, "b": 2, "a": 3, "\\u0062": 4}')
    first, second = refused(read_object, path, int, "thing")
    assert (first.record, first.found, first.expected) == ("entry 3", "'a' again", "each once (first at entry 1)")
    assert second.found == "'b' again"


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, '[{"len": 1, "x": ' + "[" * 5000])
def test_endless_nesting_is_refused(text_file, refused, text: str) -> None:
    (problem,) = refused(array_of if text[0] == "[" else object_of, text_file(text))
    assert problem.found == "endless nesting"


def test_numbers_that_json_does_not_have_are_named_with_their_field(text_file, refused) -> None:
    for token in ("NaN", "Infinity", "-Infinity"):
        text = f'{{"a": {{"t": [1, 2], "len": 1}}, "b": {{"len": 1, "t": [1.5, {token}]}}}}'
        (problem,) = refused(object_of, text_file(text))
        assert (problem.field, problem.found, problem.expected) == ("t", token.lstrip("-"), "a finite number")


def test_half_of_a_surrogate_pair_is_not_text(text_file, refused) -> None:
    (problem,) = refused(array_of, text_file('[{"t": [1, 2], "len": 1, "name": "\\ud83d"}]'))
    assert "\\ud83d\\ude00" in problem.advice


def test_a_nul_is_not_json(tmp_path: Path, refused) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'[{"t": [1,\0 2]}]')
    (problem,) = refused(array_of, path)
    assert problem.record == "byte 10"


def test_garbage_below_the_limit_fails_at_its_first_byte(tmp_path: Path, refused) -> None:
    path = tmp_path / "garbage.json"
    with path.open("wb") as file:
        file.truncate(1000 * 1024**2)
    (problem,) = refused(object_of, path)
    assert problem.record == "byte 0"


@pytest.mark.parametrize("text", ["[" + "1," * 9_000_000 + "1]", "[" + "{}," * 6_000_000 + "{}]"])
def test_a_large_file_of_garbage_is_refused_at_its_first_invalid_record(tmp_path: Path, text: str) -> None:
    """Listing every invalid record would hold each record undecoded: gigabytes for a file of these."""
    path = tmp_path / "large.json"
    path.write_text(text)
    tracemalloc.start()
    with pytest.raises(InputError) as caught:
        array_of(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    (problem,) = caught.value.problems
    assert problem.record == "record 1"
    assert peak < len(text) + 10_000_000


@pytest.mark.parametrize(
    ("field", "value", "found", "expected"),
    [("len", "x", "text", "a number"), ("t", [1], "another value", "a list of length 2")],
)
def test_in_a_large_file_the_first_invalid_record_is_named(
    json_file, refused, monkeypatch, field: str, value: Any, found: str, expected: str
) -> None:
    monkeypatch.setattr("schemas.input.json._LISTED_LIMIT", 10)
    things = [GOOD] * 7 + [GOOD | {field: value}] * 2
    (problem,) = refused(read_lists, json_file({"things": things}), {"things": ("thing", Thing)})
    assert (problem.record, problem.field, problem.found, problem.expected) == ("things[7]", field, found, expected)
    (problem,) = refused(array_of, json_file(things))
    assert (problem.record, problem.field) == ("record 8", field)
    (problem,) = refused(object_of, json_file({str(number): thing for number, thing in enumerate(things)}))
    assert (problem.record, problem.field) == ("", field)


def test_lists_in_an_object_give_the_valid_records_and_the_problems(json_file) -> None:
    things = [GOOD, GOOD | {"id": 12, "len": "x"}, 3, GOOD]
    valid, problems = read_lists(json_file({"other": 1, "things": things}), {"things": ("thing", Thing)})
    assert len(valid["things"]) == 2
    assert [(problem.record, problem.field) for problem in problems] == [("thing 12", "len"), ("things[2]", "")]


def test_the_collector_of_cycles_runs_again_after_good_and_bad_files(json_file, refused) -> None:
    array_of(json_file([GOOD]))
    refused(array_of, json_file([3]))
    assert gc.isenabled()
