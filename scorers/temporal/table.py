"""Our own form: one row a window, with `sample_id`, `start_s`, `end_s` and an optional `score`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from schemas.arrays import floats, integers
from schemas.errors import InputError, Problem, UsageError
from schemas.exchange import new_file
from schemas.input.documents import Document, records_of
from scorers.temporal.entries import Floats, Predictions
from scorers.temporal.seconds import as_text, seconds

REQUIRED = ("sample_id", "start_s", "end_s")
COLUMNS = (*REQUIRED, "score")


def read_table(document: Document) -> Predictions:
    table = document.table if document.table is not None else _as_table(document)
    for name in COLUMNS:
        count = table.column_names.count(name)
        if count > 1 or (count == 0 and name in REQUIRED):
            columns = ", ".join(table.column_names[:10])
            raise InputError(Problem(document.file, "", name, f"columns {columns}", f"one column {name!r}"))
    keys = _sample_ids(table["sample_id"], document.file)
    start, end = (seconds(table[name], document.file, name) for name in ("start_s", "end_s"))
    if "score" not in table.column_names:
        return Predictions(document.file, "table", keys, start, end, np.arange(len(keys)))
    return _ranked(document.file, keys, start, end, _scores(table["score"], document.file))


def _as_table(document: Document) -> pa.Table:
    records = records_of(document, dict, "an object")
    wanted = COLUMNS if "score" in records[0] else REQUIRED
    for number, record in enumerate(records, 1):
        if not record.keys() >= set(wanted):
            found, expected = f"fields {', '.join(record)}", ", ".join(wanted)
            raise InputError(Problem(document.file, f"record {number}", "", found, expected))
    # Numbers and clock strings may stand side by side in JSON; text holds both.
    return pa.table({n: pa.array([as_text(record[n]) for record in records], pa.string()) for n in wanted})


def _sample_ids(column: pa.ChunkedArray, file: str) -> pa.Array:
    try:
        keys = column.combine_chunks().cast(pa.string())
    except pa.ArrowException:
        raise InputError(Problem(file, "", "sample_id", f"a column of {column.type}", "text")) from None
    if keys.null_count:
        raise InputError(Problem(file, f"{keys.null_count:,} rows", "sample_id", "nothing", "a sample id"))
    return keys


def _scores(column: pa.ChunkedArray, file: str) -> Floats:
    scores = seconds(column, file, "score", clocks=False)
    if np.isnan(scores).any():
        raise InputError(Problem(file, "", "score", "no number in some rows", "a number in every row"))
    return scores


def _ranked(file: str, keys: pa.Array, start: Floats, end: Floats, scores: Floats) -> Predictions:
    """Rows of one key become the windows of one entry, by falling score."""
    encoded = keys.dictionary_encode()
    entry = integers(encoded.indices)
    order = np.lexsort((-scores, entry))
    return Predictions(file, "table", encoded.dictionary, start[order], end[order], entry[order])


def write_windows(path: Path, keys: pa.Array, parsed: pa.Table) -> None:
    """Write parsed answers (`scorers.answers.ANSWER_SCHEMA`): one row a window, ranked by a falling `score`.

    Without several windows in any answer there is no `score`. A row without a whole window has null
    times, and so has a window that begins or ends before the video does: its status says so.
    """
    windows = parsed["windows"].combine_chunks()
    lengths = integers(windows.value_lengths())
    counts = np.maximum(lengths, 1)
    row = np.repeat(np.arange(len(keys)), counts)
    rank = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    start, end = np.full(len(row), np.nan), np.full(len(row), np.nan)
    whole = np.repeat(lengths > 0, counts)
    flat = windows.flatten()
    start[whole], end[whole] = (floats(flat.field(name)) for name in ("start_s", "end_s"))
    impossible = (start < 0) | (end < 0)
    start[impossible] = end[impossible] = np.nan
    extra = {name: parsed[name].take(pa.array(row)) for name in ("status", "pattern")}
    scores = {"score": pa.array(1.0 / (1 + rank))} if (counts > 1).any() else {}
    write_table(path, keys.take(pa.array(row)), start, end, scores | extra)


def write_table(
    path: Path, keys: pa.Array, start: Floats, end: Floats, extra: Mapping[str, pa.Array] | None = None
) -> None:
    """Write one window a row as Parquet, CSV or JSON, by the suffix; NaN becomes null. `extra` are further columns.

    Raises:
        UsageError: another suffix, or a file that cannot be written.
    """
    times = {name: pa.array(values, from_pandas=True) for name, values in (("start_s", start), ("end_s", end))}
    table = pa.table({"sample_id": keys} | times | dict(extra or {}))
    suffix = path.suffix.lower()
    if suffix not in (".parquet", ".csv", ".json"):
        raise UsageError(f"{path}: expected a name that ends in .parquet, .csv or .json")
    with new_file(path) as draft:
        if suffix == ".parquet":
            pq.write_table(table, draft, compression="zstd")
        elif suffix == ".csv":
            from pyarrow import csv

            csv.write_csv(table, draft)
        else:
            draft.write_bytes(msgspec.json.format(msgspec.json.encode(table.to_pylist()), indent=1))
