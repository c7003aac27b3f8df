"""Predictions as the three long tables that `scorers.activity.formats` reads."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from schemas.errors import UsageError
from schemas.exchange import new_file
from scorers.activity.frames import Groups, Predictions, Truth
from scorers.activity.sets import Integers, Sets, sizes

SUFFIXES = (".parquet", ".csv", ".jsonl")


def write_activities(folder: Path, truth: Truth, predictions: Predictions, suffix: str = ".parquet") -> list[Path]:
    """Write `individual`, `groups` and `global` into a folder; the files written.

    Raises:
        UsageError: another suffix, or a file that cannot be written.
    """
    if suffix not in SUFFIXES:
        raise UsageError(f"{suffix}: expected {', '.join(SUFFIXES)}")
    written = []
    for kind, table in tables_of(truth, predictions).items():
        path = folder / f"{kind}{suffix}"
        with new_file(path) as draft:
            if suffix == ".parquet":
                pq.write_table(table, draft, compression="zstd")
            elif suffix == ".jsonl":
                draft.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in table.to_pylist()))
            else:
                from pyarrow import csv

                csv.write_csv(_flattened(table), draft)
        written.append(path)
    return written


def tables_of(truth: Truth, predictions: Predictions) -> dict[str, pa.Table]:
    """The tables of the tasks that were tried, by kind."""
    tables = {}
    if predictions.actions is not None:
        frame, person = truth.person_frame[: truth.persons], truth.person_id[: truth.persons]
        tables["individual"] = _table(truth, frame, {"person": pa.array(person)}, predictions.actions)
    if predictions.groups is not None:
        tables["groups"] = _groups(truth, predictions.groups)
    if predictions.activities is not None:
        tables["global"] = _table(truth, np.arange(truth.frames), {}, predictions.activities)
    return tables


def _groups(truth: Truth, groups: Groups) -> pa.Table:
    order = np.argsort(groups.frame, kind="stable")
    member = np.argsort(np.argsort(order)[groups.group], kind="stable")
    frame = groups.frame[order]
    number = np.arange(len(order)) - np.searchsorted(frame, frame) + 1
    members = _lists(truth.person_id[groups.person[member]], groups.size[order])
    return _table(truth, frame, {"group": pa.array(number), "members": members}, groups.labels[order])


def _table(truth: Truth, frame: Integers, columns: dict[str, pa.Array], sets: Sets) -> pa.Table:
    names = pa.array(truth.sequences, pa.string()).take(pa.array(truth.sequence[frame]))
    bits = np.unpackbits(sets.astype("<u4").view(np.uint8).reshape(-1, 4), axis=1, bitorder="little")
    labels = _lists(np.nonzero(bits)[1] + 1, sizes(sets))
    return pa.table({"sequence": names, "frame": pa.array(truth.frame[frame]), **columns, "labels": labels})


def _lists(values: Integers, counts: Integers) -> pa.Array:
    offsets = np.append(0, np.cumsum(counts)).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values, pa.int64()))


def _flattened(table: pa.Table) -> pa.Table:
    """Lists as texts with spaces between, as CSV knows no lists."""
    for place, name in enumerate(table.column_names):
        if pa.types.is_list(table.schema.field(name).type):
            texts = pc.binary_join(table[name].cast(pa.list_(pa.string())), " ")
            table = table.set_column(place, name, texts)
    return table
