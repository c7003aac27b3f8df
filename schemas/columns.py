"""Explicit Arrow schemas whose fields carry their own documentation and unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args, get_origin

import pyarrow as pa

_ARROW = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


def column(name: str, kind: pa.DataType | type, about: str, *, unit: str = "", required: bool = True) -> pa.Field:
    """A documented column.

    Args:
        name: column name; times end in `_s`.
        kind: Arrow type, or `str`, `int`, `float`, `bool`, or `list[...]` of one of them.
        about: one sentence on the meaning, stored as field metadata `about`.
        unit: `s`, `px`, `frames`..., stored as field metadata `unit`; empty for none.
        required: whether nulls are forbidden.

    Raises:
        TypeError: `kind` is something else.

    >>> column("width", int, "width of the image", unit="px").type
    DataType(int64)
    """
    metadata = {"about": about} | ({"unit": unit} if unit else {})
    return pa.field(name, _arrow_type(kind), nullable=not required, metadata=metadata)


def _arrow_type(kind: object) -> pa.DataType:
    if isinstance(kind, pa.DataType):
        return kind
    if get_origin(kind) is list:
        return pa.list_(_arrow_type(get_args(kind)[0]))
    if kind not in _ARROW:
        raise TypeError(f"a column of {kind!r}: expected an Arrow type, str, int, float, bool or a list of these")
    return _ARROW[kind]


def table_schema(name: str, version: int, columns: Sequence[pa.Field]) -> pa.Schema:
    """A schema with its name and version in the schema metadata. Every manifest has `sample_id` and `split`."""
    return pa.schema(columns, metadata={"schema": name, "schema_version": str(version)})


def described(schema: pa.Schema) -> list[tuple[str, str, str, str]]:
    """(name, type, unit, meaning) of every column, the fields of nested records as `objects.category`."""
    rows: list[tuple[str, str, str, str]] = []
    for field in schema:
        rows.extend(_described_field(field, field.name))
    return rows


def _described_field(field: pa.Field, path: str) -> list[tuple[str, str, str, str]]:
    metadata = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
    inner = field.type.value_type if pa.types.is_list(field.type) else field.type
    nested = [inner.field(i) for i in range(inner.num_fields)] if pa.types.is_struct(inner) else []
    kind = "list of records" if nested and inner is not field.type else "record" if nested else str(field.type)
    kind = kind.replace("item: ", "").replace(" not null", "") + (", may be null" if field.nullable else "")
    own = (path, kind, metadata.get("unit", ""), metadata.get("about", ""))
    return [own, *(row for child in nested for row in _described_field(child, f"{path}.{child.name}"))]
