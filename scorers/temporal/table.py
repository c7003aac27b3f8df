"""Predictions as all formats are read into, and our own format: a row per window of a sample, ranked by a `score`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import msgspec
import numpy as np
import pyarrow as pa

from schemas.arrays import booleans, integers, one_array, texts_of
from schemas.errors import InputError, Problem
from schemas.input.columns import Integers, decoded, flat, is_list, row_named
from schemas.input.csv import require_column
from schemas.input.documents import Document
from schemas.input.problems import Place
from scorers.times import Floats, Time, seconds, seconds_of

Name: TypeAlias = str | int | float
Span: TypeAlias = tuple[Time, Time]

_TIMES = ("start_s", "end_s")


@dataclass(frozen=True)
class Predictions:
    """The entries of a prediction file, each with its windows, in file order.

    Attributes:
        file: the path as the user knows it.
        keys: name of each entry as the file has it: a sample id, or a video.
        start, end: predicted times of each window in seconds, NaN for none; the best window of an entry first.
        entry: the entry that each window belongs to, ascending.
        truth: start and end of the ground truth of each entry, where the file repeats them.
        score: of each window, where the file has scores.
        queries, videos: query and video of each entry, where the file gives both beside the key.
        warnings: what a reader must know of the file.
    """

    file: str
    keys: pa.Array
    start: Floats
    end: Floats
    entry: Integers
    truth: tuple[Floats, Floats] | None = None
    score: Floats | None = None
    queries: list[str] | None = None
    videos: pa.Array | None = None
    warnings: tuple[str, ...] = ()


class _Row(msgspec.Struct):
    sample_id: Name
    start_s: Time
    end_s: Time
    score: float | str | None = None


def predictions_of(
    document: Document,
    keys: Sequence[object],
    windows: Sequence[Sequence[Sequence[Time]]],
    truth: Sequence[Span] | None = None,
    fields: tuple[str, str] = ("prediction", "prediction"),
) -> Predictions:
    """Entries by their keys, the windows of each and its quoted truth; errors name the entry."""
    file, label = document.file, document.label
    entry = np.repeat(np.arange(len(keys)), list(map(len, windows)))
    start, end = (
        seconds_of([window[side] for ranked in windows for window in ranked], file, field, lambda n: label(entry[n]))
        for side, field in enumerate(fields)
    )
    quoted = None
    if truth is not None:
        starts, ends = zip(*truth, strict=True)
        quoted = seconds_of(starts, file, "truth", label), seconds_of(ends, file, "truth", label)
    return Predictions(file, texts_of(list(map(str, keys))), start, end, entry, quoted)


def read_table(file: str, table: pa.Table, names: pa.Array | None = None) -> Predictions:
    """Rows of a table; a row may have lists of windows, ranked as listed.

    Args:
        names: sample ids of the rows of a table without `sample_id`.

    Raises:
        InputError: a column that is missing, repeated or of another type; see `seconds`.
    """
    if names is None or "sample_id" in table.column_names:
        require_column(file, table, "sample_id")
        names = _sample_ids(table["sample_id"], file)
    elif len(names) != len(table):
        expected = f"a column sample_id, or the {len(names):,} rows of the manifest in their order"
        raise InputError(Problem(file, "", "", f"{len(table):,} rows without sample_id", expected))
    fields = [*_TIMES, *(["score"] if "score" in table.column_names else [])]
    for field in fields:
        require_column(file, table, field)
    columns = [decoded(table[field]) for field in fields]
    entry = np.arange(len(names))
    if all(is_list(column.type) for column in columns):
        lists = [flat(column) for column in columns]
        columns, entry = [items for items, _ in lists], lists[0][1]
        if not all(np.array_equal(entry, owner) for _, owner in lists):
            raise InputError(Problem(file, "", fields[-1], "lists of other lengths", "as many as start_s has"))
    start, end, *scores = (
        seconds(column, file, field, clocks=field != "score") for field, column in zip(fields, columns, strict=True)
    )
    found = Predictions(file, names, start, end, entry)
    return _ranked(found, scores[0], row_named) if scores else found


def read_records(document: Document) -> Predictions:
    """The same as records of JSON."""
    rows = document.typed(_Row)
    spans = [[(row.start_s, row.end_s)] for row in rows]
    found = predictions_of(document, [row.sample_id for row in rows], spans, fields=_TIMES)
    if all(row.score is None for row in rows):
        return found
    scores = seconds_of([row.score for row in rows], found.file, "score", document.label, clocks=False)
    return _ranked(found, scores, document.label)


def _sample_ids(column: pa.ChunkedArray, file: str) -> pa.Array:
    try:
        keys = one_array(column).cast(pa.string())
    except pa.ArrowException:
        raise InputError(Problem(file, "", "sample_id", f"a column of {column.type}", "text")) from None
    if keys.null_count:
        row, more = int(np.flatnonzero(booleans(keys.is_null()))[0]), keys.null_count - 1
        found = "nothing" + f" (and in {more:,} more rows)" * bool(more)
        raise InputError(Problem(file, row_named(row), "sample_id", found, "a sample id"))
    return keys


def _ranked(found: Predictions, scores: Floats, place: Place) -> Predictions:
    """Entries of one key as the windows of one entry, by falling score."""
    wrong = np.flatnonzero(~np.isfinite(scores))
    if len(wrong):
        score, record = scores[wrong[0]], place(int(found.entry[wrong[0]]))
        told = (
            ("nothing", "a number in every row, or no scores") if np.isnan(score) else (str(score), "a finite number")
        )
        raise InputError(Problem(found.file, record, "score", *told))
    keys = found.keys.dictionary_encode()
    entry = integers(keys.indices)[found.entry]
    order = np.lexsort((-scores, entry))
    return Predictions(
        found.file, keys.dictionary, found.start[order], found.end[order], entry[order], score=scores[order]
    )
