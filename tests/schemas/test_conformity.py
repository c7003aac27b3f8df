"""Rows of strangers: columns that stand twice, or are of another type than those who read them rely on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from schemas.conformity import KINDS, MOST, plain, refuse_lacking, refuse_other_rows
from schemas.detection import detection_schema
from schemas.errors import InputError, Problem
from schemas.instruction import INSTRUCTION_SCHEMA

BOX = {"category": "person", "x": 0.0, "y": 0.0, "width": 4.0, "height": 9.0, "area_source": "box", "crowd": False}
IMAGE = {"sample_id": "a", "split": "test", "image_id": 7, "width": 64, "height": 48}
SCHEMA = detection_schema("invented", 1)


def image(**changes: Any) -> pa.Table:
    row = IMAGE | {"objects": [BOX | {"ignored": False}]} | changes
    return pa.Table.from_pylist([row | {"file_name": None}], schema=SCHEMA)


def retyped(column: str, kind: pa.DataType, values: list[Any]) -> pa.Table:
    table = image()
    return table.set_column(table.schema.get_field_index(column), column, pa.array(values, kind))


def within_objects(change: Callable[[list[pa.Field]], list[pa.Field]]) -> pa.Table:
    """An image without objects, whose records have other fields."""
    record = SCHEMA.field("objects").type.value_type
    return retyped("objects", pa.list_(pa.struct(change(list(record)))), [[]])


def test_rows_of_the_schema_are_taken_as_they_are() -> None:
    table = image()
    assert plain(table, "f") is table
    refuse_other_rows(table, "test", "f")
    refuse_lacking(table.schema, KINDS["boxes"][1], "f")


@pytest.mark.parametrize(
    ("table", "field", "found"),
    [
        (image(split="../../up"), "split", "'../../up'"),
        (image().drop(["split"]), "split", "no such column"),
        (retyped("sample_id", pa.string(), [None]), "sample_id", "nothing"),
        (retyped("image_id", pa.float64(), [1.0]), "image_id", "a column of double"),
        (retyped("width", pa.int64(), [MOST + 1]), "width", str(MOST + 1)),
        (retyped("objects", pa.list_(pa.string()), [["person"]]), "objects", "a column of string"),
        (retyped("objects", SCHEMA.field("objects").type, [[None]]), "objects", "nothing"),
        (within_objects(lambda fields: [field.with_type(pa.int8()) for field in fields]), "objects.category", "int8"),
    ],
)
def test_what_readers_cannot_rely_on_is_refused_by_name(
    refused: Callable[..., tuple[Problem, ...]], table: pa.Table, field: str, found: str
) -> None:
    (problem,) = refused(refuse_other_rows, table, "test", "rows.parquet")
    assert (problem.file, problem.field) == ("rows.parquet", field)
    assert found in problem.found


def test_a_column_or_field_that_stands_twice_is_refused(refused: Callable[..., tuple[Problem, ...]]) -> None:
    twice = image().append_column("width", [[1]])
    inside = within_objects(lambda fields: [*fields, fields[0]])
    assert [refused(plain, table, "f")[0].field for table in (twice, inside)] == ["width", "objects.category"]


def test_a_field_that_is_lacking_matters_to_those_who_need_the_kind(
    refused: Callable[..., tuple[Problem, ...]],
) -> None:
    table = within_objects(lambda fields: fields[1:])
    refuse_other_rows(table, "test", "f")
    assert refused(refuse_lacking, table.schema, SCHEMA, "f")[0].field == "objects.category"


@pytest.mark.parametrize("kind", [pa.string_view(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_texts_and_lists_of_any_layout_are_read_as_plain_ones(kind: pa.DataType) -> None:
    names = pa.array(["a"], pa.string()).cast(kind)
    lists = pa.LargeListArray.from_arrays([0, 1], pa.StructArray.from_arrays([names], ["name"]))
    table = plain(pa.table({"sample_id": names, "things": lists}), "f")
    assert table.schema.types == [pa.string(), pa.list_(pa.struct([("name", pa.string())]))]
    assert table.to_pylist() == [{"sample_id": "a", "things": [{"name": "a"}]}]


def test_a_layout_that_cannot_be_read_is_an_input_error() -> None:
    views = pa.array([[1]], pa.list_view(pa.int64()))
    assert plain(pa.table({"a": views}), "f")["a"].to_pylist() == [[1]]
    with pytest.raises(InputError, match="a column of list_view"):
        refuse_other_rows(pa.table({"sample_id": ["a"], "split": ["b"], "objects": views}), "b", "f")


def test_conversations_have_all_columns_of_theirs(refused: Callable[..., tuple[Problem, ...]]) -> None:
    table = INSTRUCTION_SCHEMA.empty_table()
    refuse_other_rows(table, "test", "f")
    assert refused(refuse_other_rows, table.drop(["media"]), "test", "f")[0].field == "media"
