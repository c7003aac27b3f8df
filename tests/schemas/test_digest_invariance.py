"""What the content digest must not see: chunks, slices, compression, encodings, a round trip through pandas."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.digest import split_digest

EXAMPLES = settings(max_examples=40, deadline=None)

Tables = Callable[..., st.SearchStrategy[tuple[pa.Table, list[list[Any]]]]]


@EXAMPLES
@given(st.data())
def test_chunks_and_slices_do_not_matter(tables: Tables, data: st.DataObject) -> None:
    table, _ = data.draw(tables())
    cut = data.draw(st.integers(0, table.num_rows))
    chunks = pa.concat_tables([table.slice(0, cut), table.slice(cut)])
    padded = pa.concat_tables([table, table, table])
    middle = padded.combine_chunks().slice(table.num_rows, table.num_rows)
    assert split_digest(chunks) == split_digest(middle) == split_digest(table)
    assert split_digest(padded.slice(cut, table.num_rows)) == split_digest(
        pa.concat_tables([table.slice(cut), table.slice(0, cut)]).combine_chunks()
    )


@EXAMPLES
@given(st.data(), st.sampled_from(["none", "snappy", "zstd", "gzip"]), st.integers(1, 4), st.booleans())
def test_parquet_compression_and_row_groups_do_not_matter(
    tables: Tables, data: st.DataObject, compression: str, group: int, dictionaries: bool
) -> None:
    table, _ = data.draw(tables())
    file = io.BytesIO()
    pq.write_table(table, file, compression=compression, row_group_size=group, use_dictionary=dictionaries)
    assert split_digest(pq.ParquetFile(file).read()) == split_digest(table)


@EXAMPLES
@given(st.lists(st.none() | st.text(st.characters(codec="utf-8"), max_size=3), max_size=8), st.integers(0, 8))
def test_encodings_of_text_do_not_matter(texts: list[str | None], cut: int) -> None:
    plain = pa.array(texts, pa.string())
    digest = split_digest(pa.table({"a": plain}))
    halves = [plain[:cut].dictionary_encode(), plain[cut:].dictionary_encode()]
    for column in (
        pa.chunked_array(halves, type=pa.dictionary(pa.int32(), pa.string())),
        plain.cast(pa.large_string()),
        plain.cast(pa.large_string()).dictionary_encode(),
        plain.cast(pa.string_view()),
    ):
        assert split_digest(pa.table({"a": column})) == digest
    for kind in (pa.large_string(), pa.string_view()):
        part = pa.table({"a": plain.cast(kind)}).slice(cut)
        assert split_digest(part) == split_digest(pa.table({"a": pa.array(texts[cut:], pa.string())}))


@EXAMPLES
@given(st.lists(st.none() | st.lists(st.none() | st.text("abü", max_size=2), max_size=3), max_size=5))
def test_encodings_of_lists_and_of_text_inside_them_do_not_matter(lists: list[Any]) -> None:
    digest = split_digest(pa.table({"a": pa.array(lists, pa.list_(pa.string()))}))
    for kind in (pa.large_list(pa.large_string()), pa.list_(pa.dictionary(pa.int8(), pa.string()))):
        assert split_digest(pa.table({"a": pa.array(lists, kind)})) == digest


def test_lists_of_a_fixed_size_are_lists() -> None:
    pairs = [[1, 2], None, [3, 4]]
    fixed, free = (pa.array(pairs, pa.list_(pa.int64(), *size)) for size in ([2], []))
    assert split_digest(pa.table({"a": fixed})) == split_digest(pa.table({"a": free}))
    assert split_digest(pa.table({"a": fixed}).slice(1)) == split_digest(pa.table({"a": free}).slice(1))


@EXAMPLES
@given(st.data())
def test_a_round_trip_through_pandas_with_the_same_schema_does_not_matter(tables: Tables, data: st.DataObject) -> None:
    table, _ = data.draw(tables(tame=True))
    frame = table.to_pandas(integer_object_nulls=True)
    assert split_digest(pa.Table.from_pandas(frame, schema=table.schema, preserve_index=False)) == split_digest(table)


def test_values_that_a_null_hides_do_not_matter() -> None:
    hidden = pa.Array.from_buffers(pa.int64(), 2, [pa.py_buffer(b"\1"), pa.py_buffer(struct.pack("<2q", 5, 9))])
    assert hidden.to_pylist() == [5, None]
    assert split_digest(pa.table({"a": hidden})) == split_digest(pa.table({"a": pa.array([5, None])}))
    inner = pa.array([1, 2])
    record = pa.StructArray.from_arrays([inner], names=["x"], mask=pa.array([False, True]))
    plain = pa.array([{"x": 1}, None], record.type)
    assert split_digest(pa.table({"a": record})) == split_digest(pa.table({"a": plain}))


@pytest.mark.parametrize(("kind", "form", "bits"), [(pa.float64(), "<Q", 64), (pa.float32(), "<I", 32)])
def test_every_nan_is_one_nan(kind: pa.DataType, form: str, bits: int) -> None:
    quiet, negative, loaded = {
        64: (0x7FF8000000000000, 0xFFF8000000000000, 0x7FF8000000000001),
        32: (0x7FC00000, 0xFFC00000, 0x7FC00001),
    }[bits]
    digests = set()
    for pattern in (quiet, negative, loaded):
        array = pa.Array.from_buffers(kind, 1, [None, pa.py_buffer(struct.pack(form, pattern))])
        digests.add(split_digest(pa.table({"a": array})))
    assert len(digests) == 1
    assert digests.isdisjoint({split_digest(pa.table({"a": pa.array([None], kind)}))})


def test_metadata_does_not_matter() -> None:
    table = pa.table({"a": [1]})
    noted = table.replace_schema_metadata({"huggingface": "x"}).cast(
        pa.schema([pa.field("a", pa.int64(), metadata={"about": "a number"})])
    )
    assert split_digest(noted) == split_digest(table)
