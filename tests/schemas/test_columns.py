from __future__ import annotations

import pyarrow as pa

from schemas.columns import column, described, table_schema
from schemas.temporal import temporal_schema


def test_a_column_carries_its_meaning_and_unit() -> None:
    field = column("start_s", pa.float64(), "start of the span", unit="s")
    assert field.metadata == {b"about": b"start of the span", b"unit": b"s"}
    assert not field.nullable


def test_a_column_without_unit_has_no_unit_and_may_be_optional() -> None:
    field = column("note", pa.string(), "a note", required=False)
    assert field.metadata == {b"about": b"a note"}
    assert field.nullable


def test_a_schema_knows_its_name_and_version() -> None:
    schema = table_schema("invented", 3, [column("a", pa.int64(), "a number")])
    assert schema.metadata == {b"schema": b"invented", b"schema_version": b"3"}


def test_described_lists_fields_of_nested_records_under_their_path() -> None:
    box = pa.struct([column("x", pa.float64(), "left", unit="px"), column("y", pa.float64(), "top", unit="px")])
    thing = pa.struct([column("category", pa.string(), "what it is"), column("box", box, "where it is")])
    schema = table_schema(
        "images",
        1,
        [
            column("objects", pa.list_(thing), "what is in the image"),
            column("times_s", pa.list_(pa.float64()), "when", unit="s", required=False),
        ],
    )
    assert described(schema) == [
        ("objects", "list of records", "", "what is in the image"),
        ("objects.category", "string", "", "what it is"),
        ("objects.box", "record", "", "where it is"),
        ("objects.box.x", "double", "px", "left"),
        ("objects.box.y", "double", "px", "top"),
        ("times_s", "list<double>, may be null", "s", "when"),
    ]


def test_every_time_of_the_shared_schema_is_in_seconds_and_every_column_is_explained() -> None:
    extra = column("onset_s", pa.float64(), "an onset", unit="s")
    columns = described(temporal_schema("invented", 1, [extra]))
    assert [name for name, *_ in columns][:2] == ["sample_id", "split"]
    assert columns[-1][0] == "onset_s"
    assert all(about for *_, about in columns)
    assert {name: unit for name, _, unit, _ in columns if unit} == dict.fromkeys(
        ["start_s", "end_s", "duration_s", "onset_s"], "s"
    )
