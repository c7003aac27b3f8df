"""The content digest: a SHA-256 of what a table says, whatever the file around it looks like.

Rechunking, slicing, compression, dictionary encoding and a round trip through pandas leave it unchanged; any change of
a value, of a null, of the order of rows, of a column's name, type or nullability changes it. `docs/digest.md` has the
definition in full, with fixed vectors.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.arrays import one_array, values_of
from schemas.errors import BenchwrightError
from schemas.input.columns import is_list

_WIDE_NAMES = {"large_string": "string", "large_binary": "binary", "string_view": "string", "binary_view": "binary"}


def split_digest(table: pa.Table) -> str:
    """Hexadecimal SHA-256 of one split's rows, in stored order.

    Hashes the schema line and the number of rows, then for each leaf column, depth first: validity as one byte a value,
    list offsets rebased to zero as little-endian int64, values little-endian (strings as int64 lengths, then UTF-8
    bytes; one canonical NaN; -0.0 kept; nulls as zero).

    Raises:
        BenchwrightError: a column of another type than text, bytes, booleans, numbers, and lists and records of these.
    """
    digest = hashlib.sha256(f"{schema_line(table.schema)}\n{table.num_rows}\n".encode())
    for field in table.schema:
        column = one_array(table.column(field.name))
        for block in _blocks(column):
            digest.update(memoryview(block).cast("B"))
    return digest.hexdigest()


def manifest_digest(splits: Mapping[str, str]) -> str:
    """Digest of a manifest: SHA-256 over the lines `split digest` in sorted order of the splits' names."""
    lines = "".join(f"{name} {digest}\n" for name, digest in sorted(splits.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def schema_line(schema: pa.Schema) -> str:
    """Names, logical types and nullability, such as `sample_id:string!,start_s:double!,onsets_s:list<double!>?`.

    Physical variants of one logical type (dictionary encoding, large strings and lists) read alike.
    """
    return ",".join(map(_field, schema))


def _field(field: pa.Field) -> str:
    # A name may hold anything; quoted, it cannot be taken for types or for other columns.
    name = field.name if re.fullmatch(r"\w+", field.name) else json.dumps(field.name)
    return f"{name}:{_kind(field.type)}{'?' if field.nullable else '!'}"


def _kind(kind: pa.DataType) -> str:
    if pa.types.is_dictionary(kind):
        return _kind(kind.value_type)
    if is_list(kind):
        return f"list<{_kind(kind.value_type)}{'?' if kind.value_field.nullable else '!'}>"
    if pa.types.is_struct(kind):
        return f"struct<{','.join(_field(kind.field(i)) for i in range(kind.num_fields))}>"
    return _WIDE_NAMES.get(str(kind), str(kind))


def _blocks(array: pa.Array) -> Iterator[Any]:
    """The byte blocks of one column, children after their parent."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    yield values_of(array.is_valid())
    if is_list(array.type):
        lengths = values_of(pc.list_value_length(array)).astype("<i8")
        yield np.concatenate([np.zeros(1, "<i8"), np.cumsum(lengths)]).astype("<i8")
        yield from _blocks(array.flatten())
    elif pa.types.is_struct(array.type):
        for child in array.flatten():
            yield from _blocks(child)
    else:
        yield from _leaf(array)


def _leaf(array: pa.Array) -> Iterator[Any]:
    kind = array.type
    if _kind(kind) in ("string", "binary"):
        texts = array.cast(pa.large_binary())
        yield values_of(pc.binary_length(texts)).astype("<i8")
        written = texts.drop_null()
        if written.buffers()[2] is not None and len(written):
            ends = np.frombuffer(written.buffers()[1], np.int64)[written.offset : written.offset + len(written) + 1]
            yield written.buffers()[2][int(ends[0]) : int(ends[-1])]
    elif pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        values = values_of(array)
        if pa.types.is_floating(kind) and np.isnan(values).any():
            values = np.where(np.isnan(values), np.nan, values)
        yield values.astype(values.dtype.newbyteorder("<"), copy=False)
    else:
        raise BenchwrightError(f"a manifest has no columns of type {kind}")
