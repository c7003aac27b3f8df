"""Flat tables to the manifest's rows: children become lists of records of their sample, splits part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from builders.engine.lists import list_array
from builders.engine.rules import ROOT
from schemas.arrays import one_array
from schemas.errors import BenchwrightError, InputError, Problem, nearest, printable, shown

Makers = Mapping[tuple[str, str], str]
"""Level and column -> the file, line and rule that made it last."""


def nested(schema: pa.Schema, tables: Mapping[str, pd.DataFrame], makers: Makers, reader: str) -> pa.Table:
    """The root table in the manifest's schema, the children as lists of records in the order of their reader.

    Args:
        schema: of the manifest.
        tables: one per level, under `ROOT` and the names of the child levels.
        makers: which rule made a column last; all others are of the `reader`.
        reader: its file and line.

    Raises:
        BenchwrightError: nobody makes a column of the schema.
        InputError: a cell is not of its column's type, or a required one is null; names it, and who made it.
    """
    writer = _Writer(tables, makers, reader)
    return pa.Table.from_arrays([writer.column(field) for field in schema], schema=schema)


def split_tables(table: pa.Table, names: Sequence[str], maker: str) -> dict[str, pa.Table]:
    """The rows of each split.

    Raises:
        BenchwrightError: rows belong to no split; names the `maker` of the column, its file and line.
    """
    splits = {split: table.filter(pc.equal(table["split"], split)) for split in names}
    unknown = table.filter(pc.invert(pc.is_in(table["split"], value_set=pa.array(names, pa.string()))))
    if unknown.num_rows:
        sample, split = unknown["sample_id"][0].as_py(), unknown["split"][0].as_py()
        near = nearest(split, names)
        guess = f"; did you mean {near[0]!r}?" if near else ""
        found = f"{unknown.num_rows:,} rows are in no split of the card ({', '.join(names)})"
        raise BenchwrightError(printable(f"{maker}: {found}, such as sample {sample!r} in {split!r}{guess}"))
    return splits


class _Writer:
    def __init__(self, tables: Mapping[str, pd.DataFrame], makers: Makers, reader: str) -> None:
        self._tables = tables
        self._makers = makers
        self._reader = reader

    def column(self, field: pa.Field) -> pa.Array:
        return self._child_lists(field) if field.name in self._tables else self._array(field, ROOT, self._tables[ROOT])

    def _child_lists(self, field: pa.Field) -> pa.Array:
        root, rows = self._tables[ROOT], self._tables[field.name]
        position = pd.Series(np.arange(len(root)), index=root.index).loc[rows["parent"]].to_numpy()
        rows = rows.iloc[np.argsort(position, kind="stable")]
        if not pa.types.is_list(field.type) or not pa.types.is_struct(field.type.value_type):
            expected = "expected a list of records, as a table of this name is given"
            raise BenchwrightError(f"{self._reader}: the schema's column {field.name!r} is {field.type}, {expected}")
        records = field.type.value_type
        fields = [records.field(i) for i in range(records.num_fields)]
        values = pa.StructArray.from_arrays([self._array(f, field.name, rows) for f in fields], fields=fields)
        return list_array(np.bincount(position, minlength=len(root)), values, field.type)

    def _array(self, field: pa.Field, level: str, rows: pd.DataFrame) -> pa.Array:
        if field.name not in rows:
            near = nearest(field.name, [str(name) for name in rows])
            guess = f"; did they mean {near[0]!r}?" if near else ""
            of = "" if level == ROOT else f" of {level!r}"
            raise BenchwrightError(
                f"{self._reader}: the schema has a column {field.name!r}{of} that neither it nor a rule makes{guess}"
            )
        try:
            # pandas keeps texts in chunks after a concat.
            array = one_array(pa.array(rows[field.name], field.type, from_pandas=True))
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as failure:
            raise self._invalid(field, level, rows, failure) from None
        if array.null_count and not field.nullable:
            found = f"nothing ({array.null_count:,} such rows)"
            place = int(np.flatnonzero(array.is_null())[0])
            raise self._problem(field, level, rows, place, found, "its rules must set or drop them")
        return array

    def _invalid(self, field: pa.Field, level: str, rows: pd.DataFrame, failure: Exception) -> InputError:
        """The error for the first cell that is not of the column's type."""
        for place, value in enumerate(rows[field.name]):
            try:
                pa.array([value], field.type, from_pandas=True)
            except (pa.ArrowException, TypeError, ValueError, OverflowError):
                return self._problem(field, level, rows, place, shown(value), "")
        return InputError(Problem(self._maker(level, field.name), "", field.name, str(failure), str(field.type)))

    def _problem(
        self, field: pa.Field, level: str, rows: pd.DataFrame, place: int, found: str, advice: str
    ) -> InputError:
        if level == ROOT:
            record = f"sample {rows['sample_id'].iloc[place]!r}"
        else:
            sample = self._tables[ROOT]["sample_id"][rows["parent"].iloc[place]]
            record = f"{level} {rows['key'].iloc[place]!r} of sample {sample!r}"
        return InputError(Problem(self._maker(level, field.name), record, field.name, found, str(field.type), advice))

    def _maker(self, level: str, column: str) -> str:
        return self._makers.get((level, column), self._reader)
