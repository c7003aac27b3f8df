"""The content digest against its written definition, and the changes that must change it."""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from schemas.digest import manifest_digest, schema_line, split_digest
from schemas.errors import BenchwrightError

DOCUMENTATION = Path(__file__).parents[2] / "docs" / "digest.md"

# The name of each type in the schema line, and how `struct` packs its values.
NUMBERS = {
    pa.int8(): ("int8", "<b"),
    pa.uint8(): ("uint8", "<B"),
    pa.int32(): ("int32", "<i"),
    pa.int64(): ("int64", "<q"),
    pa.uint64(): ("uint64", "<Q"),
    pa.float32(): ("float", "<f"),
    pa.float64(): ("double", "<d"),
    pa.bool_(): ("bool", "<?"),
}
EXAMPLES = settings(max_examples=40, deadline=None)

Tables = Callable[..., st.SearchStrategy[tuple[pa.Table, list[list[Any]]]]]


# The definition of docs/digest.md, written a second time, over Python values.


def expected_digest(schema: pa.Schema, columns: list[list[Any]]) -> str:
    line = ",".join(f"{field.name}:{type_name(field.type)}{'?' if field.nullable else '!'}" for field in schema)
    rows = len(columns[0]) if columns else 0
    return hashlib.sha256(
        f"{line}\n{rows}\n".encode() + b"".join(encoded(f.type, v) for f, v in zip(schema, columns, strict=True))
    ).hexdigest()


def type_name(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"list<{type_name(kind.value_type)}{'?' if kind.value_field.nullable else '!'}>"
    if pa.types.is_struct(kind):
        inner = [kind.field(place) for place in range(kind.num_fields)]
        return f"struct<{','.join(f'{f.name}:{type_name(f.type)}' + '!?'[f.nullable] for f in inner)}>"
    return NUMBERS[kind][0] if kind in NUMBERS else str(kind)


def encoded(kind: pa.DataType, values: list[Any]) -> bytes:
    valid = bytes(value is not None for value in values)
    if pa.types.is_list(kind):
        offsets = [0]
        for value in values:
            offsets.append(offsets[-1] + len(value or []))
        items = [item for value in values for item in value or []]
        return valid + struct.pack(f"<{len(offsets)}q", *offsets) + encoded(kind.value_type, items)
    if pa.types.is_struct(kind):
        inner = [kind.field(place) for place in range(kind.num_fields)]
        return valid + b"".join(encoded(f.type, [(value or {}).get(f.name) for value in values]) for f in inner)
    if kind in NUMBERS:
        return valid + b"".join(packed(NUMBERS[kind][1], value) for value in values)
    texts = [value.encode() if isinstance(value, str) else value or b"" for value in values]
    return valid + struct.pack(f"<{len(texts)}q", *map(len, texts)) + b"".join(texts)


def packed(form: str, value: Any) -> bytes:
    if isinstance(value, float) and math.isnan(value):
        return {"<f": bytes.fromhex("0000c07f"), "<d": bytes.fromhex("000000000000f87f")}[form]
    return struct.pack(form, value or 0) if value != 0 else struct.pack(form, value)


@EXAMPLES
@given(st.data())
def test_follows_the_written_definition(tables: Tables, data: st.DataObject) -> None:
    table, columns = data.draw(tables())
    assert split_digest(table) == expected_digest(table.schema, columns)


def test_a_table_written_out_by_hand() -> None:
    times = pa.list_(pa.field("item", pa.float64(), nullable=False))
    schema = pa.schema(
        [pa.field("name", pa.string(), False), pa.field("times_s", times, False), pa.field("count", pa.int64())]
    )
    table = pa.table({"name": ["ab", "é"], "times_s": [[0.5], []], "count": [7, None]}, schema=schema)
    said = b"name:string!,times_s:list<double!>!,count:int64?\n2\n"
    said += b"\1\1" + b"\2\0\0\0\0\0\0\0" * 2 + b"ab\xc3\xa9"
    said += b"\1\1" + b"\0\0\0\0\0\0\0\0" + b"\1\0\0\0\0\0\0\0" * 2
    said += b"\1" + b"\0\0\0\0\0\0\xe0\x3f"
    said += b"\1\0" + b"\7\0\0\0\0\0\0\0" + b"\0\0\0\0\0\0\0\0"
    assert split_digest(table) == hashlib.sha256(said).hexdigest()


def test_the_schema_line_reads_as_documented() -> None:
    thing = pa.struct([pa.field("label", pa.large_string(), False), pa.field("score", pa.float32())])
    schema = pa.schema(
        [
            pa.field("sample_id", pa.dictionary(pa.int32(), pa.string()), False),
            pa.field("objects", pa.large_list(thing)),
        ]
    )
    assert schema_line(schema) == "sample_id:string!,objects:list<struct<label:string!,score:float?>?>?"


VECTORS = [
    (pa.table({}), "3c8b8315b8e547df336157f97bf88054954d2aed3afb4185378d9582ee64e275"),
    (
        pa.table({"a": [1, 2, 3]}, schema=pa.schema([pa.field("a", pa.int64(), nullable=False)])),
        "5ec6858bffdb161e12d8d52a2c4b9bd3d829cd45ed78bdd9d011283478004d9d",
    ),
    (pa.table({"a": ["x", None, "é"]}), "e962cbfe945098fa3377a09d12612ba259b34893dcae0a6ca6189a0722b636c0"),
    (
        pa.table({"a": pa.array([0.0, -0.0, math.nan, None], from_pandas=False)}),
        "945c09223eedb465fa932142093f480db0ea487fd66f013556226f342cdd0817",
    ),
    (pa.table({"a": [[1.5], [], None]}), "96c73e59c98719aaa0df8b07d68697007719ac8f3033a4340c50462b441bae66"),
    (
        pa.table({"a": pa.array([{"b": True, "c": 7}, None], pa.struct([("b", pa.bool_()), ("c", pa.int32())]))}),
        "5c2fcd24a80b7dfd04139f6a47cea2f8943721c68767cfdb621de9e3a4cec5cc",
    ),
]


@pytest.mark.parametrize(("table", "digest"), VECTORS)
def test_fixed_vectors_never_change_and_are_documented(table: pa.Table, digest: str) -> None:
    assert split_digest(table) == digest == expected_digest(table.schema, [c.to_pylist() for c in table.columns])
    assert f"`{digest}`" in DOCUMENTATION.read_text(encoding="utf-8")


def test_the_digest_of_a_manifest_hashes_its_splits_in_order_of_their_names() -> None:
    splits = {"train": "b" * 64, "test": "a" * 64}
    digest = hashlib.sha256(f"test {'a' * 64}\ntrain {'b' * 64}\n".encode()).hexdigest()
    assert manifest_digest(splits) == manifest_digest(dict(reversed(splits.items()))) == digest
    assert f"`{digest}`" in DOCUMENTATION.read_text(encoding="utf-8")


@EXAMPLES
@given(st.data())
def test_every_change_of_a_value_matters(tables: Tables, data: st.DataObject) -> None:
    table, columns = data.draw(tables())
    assume(table.num_rows)
    place = data.draw(st.integers(0, table.num_rows - 1))
    column = data.draw(st.integers(0, table.num_columns - 1))
    other = data.draw(st.integers(0, table.num_rows - 1))
    changed = list(columns[column])
    changed[place] = columns[column][other]
    kind = table.schema[column].type
    swapped = table.set_column(column, table.schema[column], pa.array(changed, kind))
    same = encoded(kind, changed) == encoded(kind, columns[column])
    assert (split_digest(swapped) == split_digest(table)) == same


ONE = pa.table({"a": pa.array([0, 1], pa.int64())})


@pytest.mark.parametrize(
    "other",
    [
        pa.table({"b": pa.array([0, 1], pa.int64())}),
        pa.table({"a": pa.array([0, 1], pa.int32())}),
        pa.table({"a": pa.array([0, 1], pa.uint64())}),
        pa.table({"a": pa.array([0.0, 1.0])}),
        pa.table({"a": pa.array(["0", "1"])}),
        pa.table({"a": pa.array([None, 1], pa.int64())}),
        pa.table({"a": pa.array([1, 0], pa.int64())}),
        pa.table({"a": pa.array([0], pa.int64())}),
        pa.table({"a": pa.array([0, 1, 1], pa.int64())}),
        pa.table({"a": pa.array([[0], [1]])}),
        pa.table({"a": pa.array([0, 1])}, schema=pa.schema([pa.field("a", pa.int64(), nullable=False)])),
        pa.table({"a": pa.array([0, 1]), "b": pa.array([0, 1])}),
    ],
)
def test_name_type_nullability_order_and_nulls_matter(other: pa.Table) -> None:
    assert split_digest(other) != split_digest(ONE)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pa.array([0.0]), pa.array([-0.0])),
        (pa.array(["ab", "c"]), pa.array(["a", "bc"])),
        (pa.array([""]), pa.array([None], pa.string())),
        (pa.array([b""]), pa.array([""])),
        (pa.array([[1], []]), pa.array([[], [1]])),
        (pa.array([[]], pa.list_(pa.int64())), pa.array([None], pa.list_(pa.int64()))),
        (pa.array([[None]], pa.list_(pa.int64())), pa.array([[]], pa.list_(pa.int64()))),
        (pa.array([[[1], []]]), pa.array([[[], [1]]])),
        (pa.array([None], pa.struct([("x", pa.int64())])), pa.array([{"x": None}], pa.struct([("x", pa.int64())]))),
        (pa.array([[1]], pa.list_(pa.int64())), pa.array([[1]], pa.list_(pa.field("item", pa.int64(), False)))),
        (pa.array([{"x": 1}]), pa.array([{"y": 1}])),
    ],
)
def test_differences_that_look_alike_matter(one: pa.Array, other: pa.Array) -> None:
    assert split_digest(pa.table({"a": one})) != split_digest(pa.table({"a": other}))


def test_the_order_of_columns_matters() -> None:
    table = pa.table({"a": [1], "b": [1]})
    assert split_digest(table.select(["b", "a"])) != split_digest(table)


def test_types_that_no_manifest_has_are_refused() -> None:
    with pytest.raises(BenchwrightError, match=r"no columns of type timestamp\[s\]"):
        split_digest(pa.table({"a": pa.array([0], pa.timestamp("s"))}))


def test_tables_of_other_lengths_or_names_never_say_the_same_bytes() -> None:
    """Without the number of rows, and without quotes around odd names, these pairs had one digest."""
    quoted = pa.table({"a:string?,b": pa.array([], pa.string())})
    plain = pa.table({"a": pa.array([], pa.string()), "b": pa.array([], pa.string())})
    assert split_digest(quoted) != split_digest(plain)
    assert schema_line(quoted.schema) == '"a:string?,b":string?'
