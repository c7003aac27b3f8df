"""Flat tables to the manifest's rows: children become lists of records of their sample, splits part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from builders.engine.rules import ROOT
from schemas.errors import BenchwrightError


def nested(schema: pa.Schema, tables: Mapping[str, pd.DataFrame], name: str) -> pa.Table:
    """The root table in the manifest's schema, the children as lists of records in the order of their reader.

    Raises:
        BenchwrightError: a required column of recipe `name` has nulls.
    """
    root = tables[ROOT]
    columns = [
        _child_lists(field, root, tables[field.name]) if field.name in tables else _array(field, root, name)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def split_tables(table: pa.Table, names: Sequence[str], name: str) -> dict[str, pa.Table]:
    """The rows of each split.

    Raises:
        BenchwrightError: rows of recipe `name` belong to no split.
    """
    splits = {split: table.filter(pc.equal(table["split"], split)) for split in names}
    strangers = table.num_rows - sum(rows.num_rows for rows in splits.values())
    if strangers:
        raise BenchwrightError(f"{name}: {strangers:,} rows are in no split of the card ({', '.join(names)})")
    return splits


def _child_lists(field: pa.Field, root: pd.DataFrame, rows: pd.DataFrame) -> pa.Array:
    position = pd.Series(np.arange(len(root)), index=root.index).loc[rows["parent"]].to_numpy()
    rows = rows.iloc[np.argsort(position, kind="stable")]
    records = field.type.value_type
    fields = [records.field(i) for i in range(records.num_fields)]
    values = pa.StructArray.from_arrays([_array(f, rows, field.name) for f in fields], fields=fields)
    counts = np.bincount(position, minlength=len(root))
    return pa.ListArray.from_arrays(np.concatenate([[0], np.cumsum(counts)]).astype(np.int32), values, type=field.type)


def _array(field: pa.Field, rows: pd.DataFrame, where: str) -> pa.Array:
    if field.name not in rows:
        raise BenchwrightError(f"{where}: the schema has a column {field.name!r}, its reader and rules make none")
    try:
        array = pa.array(rows[field.name], field.type, from_pandas=True)
    except (pa.ArrowException, TypeError, OverflowError) as failure:
        raise BenchwrightError(f"{where}: column {field.name!r} is no {field.type}: {failure}") from None
    if isinstance(array, pa.ChunkedArray):  # pandas keeps texts in chunks after a concat
        array = array.combine_chunks()
    if array.null_count and not field.nullable:
        found = f"{array.null_count:,} rows have no {field.name!r}"
        raise BenchwrightError(f"{where}: {found}; its rules must set or drop them")
    return array
