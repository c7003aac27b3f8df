"""Predicted spans in the formats that people have, read into one: `Predictions`.

* `table`: CSV, JSON, JSON Lines or Parquet with `sample_id`, `start_s`, `end_s` and an optional `score`; the same as a
  data frame, an Arrow table or arrays in memory.
* `ual-bench`: the published objects `{id: {pred_start, pred_end}}` and arrays of `{label, gt, pred}`; the latter name
  only the video, the quoted truth tells its rows apart.
* `official`: an array of `{video_id, start_time, end_time, pred_start, pred_end}`, the official evaluator's template.
* `moment-detr`: JSON Lines of `{qid, query, vid, pred_relevant_windows}` as for QVHighlights, best window first, or by
  the scores behind the times.
* `timelens`: an object `{"video>>>query>>>truth": {timestamps}}`, best window first.
* `lmms-eval`: the samples that a task of `export --to lmms-eval` logs, with the windows that it found in each answer.

Times are seconds, or clock strings (h:mm:ss, m:ss) as the published files have them; null, or an empty cell, is no
prediction. Several windows of one row are ranked: as listed, or by falling `score` (ties in file order).
"""

from __future__ import annotations

import math
import os
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
from scorers.names import said_in_keys
from scorers.temporal.table import Name, Predictions, Span, predictions_of, read_records, read_table
from scorers.times import LONGEST_TIME, Time

Window: TypeAlias = Annotated[list[Time], msgspec.Meta(min_length=2)]

_NOTHING: Span = (None, None)


class _Published(msgspec.Struct):
    pred_start: Time
    pred_end: Time


class _Labelled(msgspec.Struct):
    label: Name
    pred: Span | None
    gt: Span | None = None


class _Official(_Published):
    video_id: Name
    start_time: Time = None
    end_time: Time = None


class _Grounded(msgspec.Struct):
    timestamps: list[Window] | None


class _Ranked(msgspec.Struct):
    pred_relevant_windows: list[Window]
    qid: Name | None = None
    vid: Name | None = None
    query: Name | None = None


class _Found(msgspec.Struct):
    sample_id: Name
    windows: list[Window]


class _Logged(msgspec.Struct):
    scored: _Found | None = None


def read_predictions(source: object, format: str | None = None, names: pa.Array | None = None) -> Predictions:
    """Read predicted spans.

    Args:
        source: path of a file; or a data frame, an Arrow table or a mapping of columns (`table_of`) with the columns of
            the format `table`, where one row may also have a list of windows: arrays of shape (rows, ranks).
        format: one of `FORMATS`; found out from the content when None.
        names: sample ids of the rows that a source in memory without `sample_id` is about, in their order.

    Raises:
        UsageError: unknown format, or none fits the content; free answers; a source of another kind.
        InputError: unreadable file, missing fields, times that are none: not finite, negative, other text.
    """
    if format is not None and format not in FORMATS:
        raise unknown_name("prediction format", format, FORMATS)
    if isinstance(source, str | os.PathLike):
        document, names = read_document(Path(source)), None
    else:
        table = table_of(source)
        document = Document("predictions", table)
        if not table.num_rows:
            raise InputError(Problem(document.file, "", "", "no records", "at least one"))
    chosen = format or _detected(document)
    if document.table is None:
        predictions = _READERS[chosen](document)
    elif chosen == "table":
        predictions = read_table(document.file, document.table, names)
    else:
        raise UsageError(f"{document.file}: found a table, expected the JSON records of {chosen}")
    _check_times(predictions)
    return predictions


def _detected(document: Document) -> str:
    """The format whose distinctive fields the first record has."""
    if document.table is not None:
        return "table"
    first, keys = document.first, document.keys
    marks = _MARKS if keys is None else {"pred_start": "ual-bench", "timestamps": "timelens"}
    if isinstance(first, dict):
        for field, format in marks.items():
            if field in first:
                return format
    if keys is not None and isinstance(first, str) and ">>>" in keys[0]:  # as lmms-eval dumps them
        advice = "turn them into predictions with `benchwright parse` first"
        raise UsageError(f"{document.file} holds free answers: {advice}")
    fields = ", ".join(map(str, first)) if isinstance(first, dict) else type(first).__name__
    raise UsageError(
        f"{document.file}: no known prediction format has records like {shown(fields)}"
        f" (known: {', '.join(FORMATS)}; free answers go through `benchwright parse` first)"
    )


def _ual_bench(document: Document) -> Predictions:
    if document.keys is not None:
        spans = [[(record.pred_start, record.pred_end)] for record in document.typed(_Published)]
        return predictions_of(document, document.keys, spans)
    records = document.typed(_Labelled)
    spans, truth = [[record.pred or _NOTHING] for record in records], [record.gt or _NOTHING for record in records]
    return predictions_of(document, [record.label for record in records], spans, truth)


def _official(document: Document) -> Predictions:
    records = document.typed(_Official)
    spans = [[(record.pred_start, record.pred_end)] for record in records]
    truth = [(record.start_time, record.end_time) for record in records]
    return predictions_of(document, [record.video_id for record in records], spans, truth)


def _moment_detr(document: Document) -> Predictions:
    records = document.typed(_Ranked)
    naming = "vid" if records[0].qid is None else "qid"
    keys = [getattr(record, naming) for record in records]
    nameless = [place for place, key in enumerate(keys) if key is None][:MOST_PROBLEMS]
    raise_any([Problem(document.file, document.label(place), naming, "nothing", "a value") for place in nameless])
    windows = [_by_score(record.pred_relevant_windows) for record in records]
    found = predictions_of(document, keys, [ranked or [_NOTHING] for ranked in windows])
    if all(map(_scored, windows)):
        scores = [window[2] for ranked in windows for window in ranked or [[None, None, math.nan]]]
        found = replace(found, score=np.array(scores, np.float64))
    disordered = sum(ranked != record.pred_relevant_windows for ranked, record in zip(windows, records, strict=True))
    if disordered:
        order = "list windows in another order than that of their scores, and are ranked by score"
        found = replace(found, warnings=(f"{disordered:,} of {len(records):,} predictions {order}",))
    if any(record.query is None or record.vid is None for record in records):
        return found
    videos = texts_of([str(record.vid) for record in records])
    return replace(found, queries=[str(record.query) for record in records], videos=videos)


def _by_score(windows: list[Window]) -> list[Window]:
    """Windows by falling score where each has one, else as listed."""
    return sorted(windows, key=lambda window: -window[2]) if _scored(windows) else windows  # type: ignore[operator]


def _scored(windows: list[Window]) -> bool:
    """Whether each window has a score behind its times."""
    return all(len(window) > 2 and isinstance(window[2], int | float) for window in windows)


def _timelens(document: Document) -> Predictions:
    records, keys = document.typed(_Grounded), document.keys or []
    found = predictions_of(document, keys, [record.timestamps or [_NOTHING] for record in records])
    said = said_in_keys(keys)
    return found if said is None else replace(found, queries=said[1], videos=texts_of(said[0]))


def _lmms_eval(document: Document) -> Predictions:
    found = [record.scored for record in document.typed(_Logged) if record.scored is not None]
    return predictions_of(document, [row.sample_id for row in found], [row.windows or [_NOTHING] for row in found])


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
    "timelens": _timelens,
    "lmms-eval": _lmms_eval,
}
FORMATS = tuple(_READERS)
# The field that tells records of a format from those of others.
_MARKS = {
    "pred_relevant_windows": "moment-detr",
    "pred_start": "official",
    "pred": "ual-bench",
    "sample_id": "table",
    "scored": "lmms-eval",
}
