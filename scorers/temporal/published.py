"""The forms of published predictions and of other tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from schemas.errors import InputError, Problem, shown
from schemas.input.documents import Document, records_of
from scorers.temporal.entries import Predictions
from scorers.temporal.seconds import seconds_of

Record = dict[str, Any]


def read_ual_bench(document: Document) -> Predictions:
    records = records_of(document, dict, "an object")
    if document.keys is not None:
        for key, record in zip(document.keys, records, strict=True):
            _check_fields(record, ("pred_start", "pred_end"), document.file, repr(key))
        pairs = [(record["pred_start"], record["pred_end"]) for record in records]
        return _single(document, "ual-bench", document.keys, pairs)
    for number, record in enumerate(records, 1):
        _check_fields(record, ("label", "pred"), document.file, f"record {number}")
    truth = [_pair(record, "gt", document.file, n) for n, record in enumerate(records, 1)]
    pairs = [_pair(record, "pred", document.file, n) for n, record in enumerate(records, 1)]
    return _single(document, "ual-bench", [str(record["label"]) for record in records], pairs, truth=truth)


def _check_fields(record: Record, fields: Sequence[str], file: str, place: str) -> None:
    """An absent field is a mistake; null is what says that there is no prediction."""
    if not record.keys() >= set(fields):
        raise InputError(Problem(file, place, "", f"fields {', '.join(record)}", " and ".join(fields)))


def _pair(record: Record, field: str, file: str, number: int) -> tuple[object, object]:
    value = record.get(field)
    if value is None:
        return None, None
    if not isinstance(value, list) or len(value) != 2:
        raise InputError(Problem(file, f"record {number}", field, shown(value), "a pair of times"))
    return value[0], value[1]


def read_official(document: Document) -> Predictions:
    records = records_of(document, dict, "an object")
    for number, record in enumerate(records, 1):
        _check_fields(record, ("video_id", "pred_start", "pred_end"), document.file, f"record {number}")
    pairs = [(record["pred_start"], record["pred_end"]) for record in records]
    truth = [(record.get("start_time"), record.get("end_time")) for record in records]
    return _single(document, "official", [str(record["video_id"]) for record in records], pairs, truth=truth)


def read_moment_detr(document: Document) -> Predictions:
    records = records_of(document, dict, "an object")
    naming = "qid" if "qid" in records[0] else "vid"
    for number, record in enumerate(records, 1):
        _check_fields(record, (naming, "pred_relevant_windows"), document.file, f"record {number}")
    windows = [_windows_of(record, document.file, number) for number, record in enumerate(records, 1)]
    times = [[window[side] for ranked in windows for window in ranked] for side in (0, 1)]
    start, end = (seconds_of(side, document.file, "pred_relevant_windows") for side in times)
    entry = np.repeat(np.arange(len(records)), [len(ranked) for ranked in windows])
    keys = [str(record[naming]) for record in records]
    queries = videos = None
    if all("query" in record and "vid" in record for record in records):
        queries = [str(record["query"]) for record in records]
        videos = pa.array([str(record["vid"]) for record in records], pa.string())
    return Predictions(document.file, "moment-detr", pa.array(keys, pa.string()), start, end, entry, queries, videos)


def _windows_of(record: Record, file: str, number: int) -> list[list[object]]:
    """The windows of one record; one without times where it has none."""
    windows = record.get("pred_relevant_windows")
    expected = "a list of [start, end, score]"
    if not isinstance(windows, list):
        raise InputError(Problem(file, f"record {number}", "pred_relevant_windows", shown(windows), expected))
    for window in windows:
        if not isinstance(window, list) or len(window) < 2:
            raise InputError(Problem(file, f"record {number}", "pred_relevant_windows", shown(window), expected))
    return windows or [[None, None]]


def read_lmms_eval(document: Document) -> Predictions:
    texts = records_of(document, str, "text")
    parts = [key.split(">>>") for key in document.keys or []]
    if document.keys is None or any(len(part) < 2 for part in parts):
        raise InputError(Problem(document.file, "", "", "other keys", 'keys of the shape "video>>>query>>>truth"'))
    nothing = np.full(len(texts), np.nan)
    return Predictions(
        document.file,
        "lmms-eval",
        pa.array([part[0] for part in parts], pa.string()),
        nothing,
        nothing,
        np.arange(len(texts)),
        queries=[part[1] for part in parts],
        answers=texts,
    )


def _single(
    document: Document,
    form: str,
    keys: Sequence[str],
    pairs: Sequence[tuple[object, object]],
    truth: Sequence[tuple[object, object]] | None = None,
) -> Predictions:
    """Entries of one window each."""
    start, end = (seconds_of([pair[side] for pair in pairs], document.file, "prediction") for side in (0, 1))
    quoted = None
    if truth is not None:
        starts, ends = ([pair[side] for pair in truth] for side in (0, 1))
        quoted = seconds_of(starts, document.file, "truth"), seconds_of(ends, document.file, "truth")
    return Predictions(document.file, form, pa.array(keys, pa.string()), start, end, np.arange(len(keys)), truth=quoted)
