"""Our own format: one row per window, with `sample_id`, `start_s`, `end_s` and an optional `score`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa

from schemas.arrays import floats, integers, texts_of
from schemas.errors import InputError, Problem
from schemas.input.columns import Integers, Place, decoded, flat, is_list, row_named
from schemas.input.csv import require_column
from schemas.input.documents import Document
from scorers import table_files
from scorers.temporal.entries import Floats, Predictions, Time, seconds, seconds_of

_TIMES = ("start_s", "end_s")


class _Row(msgspec.Struct):
    sample_id: str | int | float
    start_s: Time
    end_s: Time
    score: float | str | None = None


def read_table(file: str, table: pa.Table, names: pa.Array | None = None) -> Predictions:
    """Rows of a table; a row may have lists of windows, ranked as listed.

    Args:
        names: sample ids of the rows of a table without `sample_id`.

    Raises:
        InputError: a column that is missing, repeated or of another type; see `seconds`.
    """
    columns = [*_TIMES, *(["score"] if "score" in table.column_names else [])]
    if names is None or "sample_id" in table.column_names:
        require_column(file, table, "sample_id")
        names = _sample_ids(table["sample_id"], file)
    elif len(names) != len(table):
        expected = f"a column sample_id, or the {len(names):,} rows of the manifest in their order"
        raise InputError(Problem(file, "", "", f"{len(table):,} rows without sample_id", expected))
    for name in columns:
        require_column(file, table, name)
    kept = [decoded(table[name]) for name in columns]
    entry = np.arange(len(names))
    if all(is_list(column.type) for column in kept):
        lists = [flat(column) for column in kept]
        kept, entry = [items for items, _ in lists], lists[0][1]
        if not all(np.array_equal(entry, owner) for _, owner in lists):
            raise InputError(Problem(file, "", columns[-1], "lists of other lengths", "as many as start_s has"))
    start, end, *scores = (
        seconds(column, file, name, clocks=name != "score") for name, column in zip(columns, kept, strict=True)
    )
    return _ranked(file, row_named, names, entry, start, end, scores[0] if scores else None)


def read_records(document: Document) -> Predictions:
    """The same as records of JSON."""
    rows, file, label = document.typed(_Row), document.file, document.label
    start = seconds_of([row.start_s for row in rows], file, "start_s", label)
    end = seconds_of([row.end_s for row in rows], file, "end_s", label)
    scores = None
    if any(row.score is not None for row in rows):
        scores = seconds_of([row.score for row in rows], file, "score", label, clocks=False)
    keys = texts_of([str(row.sample_id) for row in rows])
    return _ranked(file, label, keys, np.arange(len(rows)), start, end, scores)


def _sample_ids(column: pa.ChunkedArray, file: str) -> pa.Array:
    try:
        keys = column.combine_chunks().cast(pa.string())
    except pa.ArrowException:
        raise InputError(Problem(file, "", "sample_id", f"a column of {column.type}", "text")) from None
    if keys.null_count:
        raise InputError(Problem(file, f"{keys.null_count:,} rows", "sample_id", "nothing", "a sample id"))
    return keys


def _ranked(
    file: str, place: Place, keys: pa.Array, entry: Integers, start: Floats, end: Floats, scores: Floats | None
) -> Predictions:
    """With scores, rows of one key become the windows of one entry, by falling score."""
    if scores is None:
        return Predictions(file, "table", keys, start, end, entry)
    unscored = np.flatnonzero(np.isnan(scores))
    if len(unscored):
        expected = "a number in every row, or no scores"
        raise InputError(Problem(file, place(int(entry[unscored[0]])), "score", "nothing", expected))
    encoded = keys.dictionary_encode()
    entry = integers(encoded.indices)[entry]
    order = np.lexsort((-scores, entry))
    return Predictions(file, "table", encoded.dictionary, start[order], end[order], entry[order])


def write_windows(path: Path, keys: pa.Array, parsed: pa.Table) -> None:
    """Write parsed answers (`scorers.answers.ANSWER_SCHEMA`): one row per window, ranked by a falling `score`.

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
    table_files.write_table(path, table)
