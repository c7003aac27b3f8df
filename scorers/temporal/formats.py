"""Predicted spans in the formats that people have, read into one: `Predictions`.

* `table`: CSV, JSON, JSON Lines or Parquet with `sample_id`, `start_s`, `end_s` and an optional `score`; the same as a
  data frame, an Arrow table or arrays in memory.
* `ual-bench`: the published objects `{id: {pred_start, pred_end}}` and arrays of `{label, gt, pred}`; the latter name
  only the video, the quoted truth tells its rows apart.
* `official`: an array of `{video_id, start_time, end_time, pred_start, pred_end}`, the official evaluator's template.
* `moment-detr`: JSON Lines of `{qid, query, vid, pred_relevant_windows}` as for QVHighlights, best window first.
* `lmms-eval`: an object `{"video>>>query>>>truth": "free text"}`; the answers are still to be parsed.

Times are seconds, or clock strings (h:mm:ss, m:ss) as the published files have them; null, or an empty cell, is no
prediction. Several windows of one row are ranked: as listed, or by falling `score` (ties in file order).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec
import numpy as np
import pyarrow as pa

from schemas.arrays import texts_of
from schemas.errors import MOST_PROBLEMS, InputError, Problem, UsageError, shown, unknown_name
from schemas.input.documents import Document, read_document
from schemas.input.problems import raise_any
from schemas.input.tables import table_of
from scorers.temporal.entries import Floats, Predictions, Time, seconds_of
from scorers.temporal.table import read_records, read_table
from scorers.times import LONGEST_TIME

Name: TypeAlias = str | int | float
Span: TypeAlias = tuple[Time, Time]

Window: TypeAlias = Annotated[list[Time], msgspec.Meta(min_length=2)]

_NOTHING: Span = (None, None)


class _Published(msgspec.Struct):
    pred_start: Time
    pred_end: Time


class _Labelled(msgspec.Struct):
    label: Name
    pred: Span | None
    gt: Span | None = None


class _Official(msgspec.Struct):
    video_id: Name
    pred_start: Time
    pred_end: Time
    start_time: Time = None
    end_time: Time = None


class _Ranked(msgspec.Struct):
    pred_relevant_windows: list[Window]
    qid: Name | None = None
    vid: Name | None = None
    query: Name | None = None


def read_predictions(source: object, format: str | None = None, names: pa.Array | None = None) -> Predictions:
    """Read predicted spans.

    Args:
        source: path of a file; or a data frame, an Arrow table or a mapping of columns (`table_of`) with the columns of
            the format `table`, where one row may also have a list of windows: arrays of shape (rows, ranks).
        format: one of `FORMATS`; found out from the content when None.
        names: sample ids of the rows that a source in memory without `sample_id` is about, in their order.

    Raises:
        UsageError: unknown format, or none fits the content; a source of another kind.
        InputError: unreadable file, missing fields, times that are none: not finite, negative, other text.
    """
    if format is not None and format not in FORMATS:
        raise unknown_name("prediction format", format, FORMATS)
    if not isinstance(source, str | os.PathLike):
        if format not in (None, "table"):
            raise UsageError(f"format {format} is one of files, found {type(source).__name__}")
        predictions = read_table("predictions", table_of(source), names)
    else:
        document = read_document(Path(source))
        chosen = format or _detected(document)
        if document.table is None:
            predictions = _READERS[chosen](document)
        elif chosen == "table":
            predictions = read_table(document.file, document.table)
        else:
            raise UsageError(f"{document.file}: found a table, expected the JSON records of {chosen}")
    _check_times(predictions)
    return predictions


def _detected(document: Document) -> str:
    """The format whose distinctive fields the first record has."""
    if document.table is not None:
        return "table"
    first = document.first
    if document.keys is None and isinstance(first, dict):
        for field, format in _MARKS.items():
            if field in first:
                return format
    elif document.keys is not None:
        if isinstance(first, str) and ">>>" in document.keys[0]:
            return "lmms-eval"
        if isinstance(first, dict) and "pred_start" in first:
            return "ual-bench"
    fields = ", ".join(map(str, first)) if isinstance(first, dict) else type(first).__name__
    raise UsageError(
        f"{document.file}: no known prediction format has records like {shown(fields)}"
        f" (known: {', '.join(FORMATS)}; free answers go through `benchwright parse` first)"
    )


def _ual_bench(document: Document) -> Predictions:
    if document.keys is not None:
        spans = [[(record.pred_start, record.pred_end)] for record in document.typed(_Published)]
        return _predictions(document, "ual-bench", document.keys, spans)
    records = document.typed(_Labelled)
    truth = [record.gt or _NOTHING for record in records]
    spans = [[record.pred or _NOTHING] for record in records]
    return _predictions(document, "ual-bench", [record.label for record in records], spans, truth)


def _official(document: Document) -> Predictions:
    records = document.typed(_Official)
    spans = [[(record.pred_start, record.pred_end)] for record in records]
    truth = [(record.start_time, record.end_time) for record in records]
    return _predictions(document, "official", [record.video_id for record in records], spans, truth)


def _moment_detr(document: Document) -> Predictions:
    records = document.typed(_Ranked)
    naming = "vid" if records[0].qid is None else "qid"
    keys = [record.vid if naming == "vid" else record.qid for record in records]
    nameless = [place for place, key in enumerate(keys) if key is None][:MOST_PROBLEMS]
    raise_any([Problem(document.file, document.label(place), naming, "nothing", "a value") for place in nameless])
    windows: list[Sequence[Sequence[Time]]] = [record.pred_relevant_windows or [_NOTHING] for record in records]
    predictions = _predictions(document, "moment-detr", keys, windows)
    if any(record.query is None or record.vid is None for record in records):
        return predictions
    videos = texts_of([str(record.vid) for record in records])
    return replace(predictions, queries=[str(record.query) for record in records], videos=videos)


def _lmms_eval(document: Document) -> Predictions:
    answers = document.typed(str)
    parts = [key.split(">>>") for key in document.keys or []]
    if document.keys is None or any(len(part) < 2 for part in parts):
        raise InputError(Problem(document.file, "", "", "other keys", 'keys of the shape "video>>>query>>>truth"'))
    predictions = _predictions(document, "lmms-eval", [part[0] for part in parts], [[_NOTHING]] * len(parts))
    return replace(predictions, queries=[part[1] for part in parts], answers=answers)


def _predictions(
    document: Document,
    format: str,
    keys: Sequence[object],
    windows: Sequence[Sequence[Sequence[Time]]],
    truth: Sequence[Span] | None = None,
) -> Predictions:
    """Entries by their keys, the windows of each and its quoted truth; errors name the entry."""
    file, label = document.file, document.label
    entry = np.repeat(np.arange(len(keys)), list(map(len, windows)))

    def times(side: int) -> Floats:
        listed = [window[side] for ranked in windows for window in ranked]
        return seconds_of(listed, file, "prediction", lambda window: label(int(entry[window])))

    quoted = None
    if truth is not None:
        start, end = (seconds_of([span[side] for span in truth], file, "truth", label) for side in (0, 1))
        quoted = start, end
    return Predictions(file, format, texts_of(list(map(str, keys))), times(0), times(1), entry, truth=quoted)


def _check_times(predictions: Predictions) -> None:
    problems = []
    for field, times in (("start", predictions.start), ("end", predictions.end)):
        for window in np.flatnonzero((times < 0) | (times > LONGEST_TIME))[:MOST_PROBLEMS]:
            key = predictions.keys[int(predictions.entry[window])].as_py()
            huge = LONGEST_TIME < times[window] < np.inf
            expected = "a time that a video can have" if huge else "a finite time from 0"
            problems.append(Problem(predictions.file, repr(key), field, f"{times[window]:g}", expected))
    raise_any(problems)


_READERS = {
    "table": read_records,
    "ual-bench": _ual_bench,
    "official": _official,
    "moment-detr": _moment_detr,
    "lmms-eval": _lmms_eval,
}
FORMATS = tuple(_READERS)
# The field that tells records of a format from those of others.
_MARKS = {"pred_relevant_windows": "moment-detr", "pred_start": "official", "pred": "ual-bench", "sample_id": "table"}
