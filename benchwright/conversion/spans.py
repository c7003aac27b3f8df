"""Predicted spans from one format of `scorers.temporal.formats` to another."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from benchwright.conversion import Converted
from schemas.arrays import array_of, texts_of
from schemas.errors import InputError, Problem, UsageError, shown
from schemas.exchange import new_file
from schemas.input.problems import raise_any
from scorers.table_files import refuse_suffix, write_table
from scorers.temporal.formats import read_predictions
from scorers.temporal.table import Predictions

_BY_RANK = "scores that are 1 / rank, as the source has none"
_LATER = "windows lost behind the first of their row, for which {to} has no place"


@dataclass(frozen=True)
class _Row:
    """One entry: its windows, the best first (none where nothing was predicted), and what else is known of it."""

    key: str
    windows: list[tuple[float, float, float | None]]
    truth: tuple[float, float] | None
    query: str | None
    video: str | None


def convert_spans(
    sources: Sequence[Path], to: str, out: Path, input_format: str | None, progress: Callable[[str], None]
) -> Converted:
    """Merge prediction files and write them; arguments and errors as of `convert`."""
    if to == "table":
        refuse_suffix(out)
    rows: list[_Row] = []
    owners: dict[str, str] = {}
    notes: dict[str, int] = {}
    for path in sources:
        progress(path.name)
        read = read_predictions(path, input_format)
        notes |= dict.fromkeys(read.warnings, 1)
        found = _rows(read)
        shared = [row.key for row in found if row.key in owners]
        raise_any([Problem(str(path), shown(key), "", f"also in {owners[key]}", "a row of one file") for key in shared])
        owners |= dict.fromkeys((row.key for row in found), str(path))
        rows += found
    progress(to)
    document = _WRITERS[to](rows, notes)
    if isinstance(document, pa.Table):
        write_table(out, document)
    else:
        with new_file(out) as draft:
            draft.write_bytes(document)
    windows = sum(len(row.windows) for row in rows) - notes.get(_LATER.format(to=to), 0)
    return Converted({"rows": len(rows), "windows": windows}, {text: count for text, count in notes.items() if count})


def _rows(read: Predictions) -> list[_Row]:
    keys = read.keys.to_pylist()
    scores = [None] * len(read.entry) if read.score is None else read.score.tolist()
    windows: list[list[tuple[float, float, float | None]]] = [[] for _ in keys]
    for entry, *window in zip(read.entry.tolist(), read.start.tolist(), read.end.tolist(), scores, strict=True):
        if not np.isnan(window[:2]).all():
            windows[entry].append((window[0], window[1], window[2]))
    truth = list(zip(*(side.tolist() for side in read.truth), strict=True)) if read.truth else [None] * len(keys)
    known = [None if span is None or np.isnan(span).any() else span for span in truth]
    queries: Sequence[str | None] = read.queries or [None] * len(keys)
    videos = read.videos.to_pylist() if read.videos is not None else [None] * len(keys)
    return [_Row(*row) for row in zip(keys, windows, known, queries, videos, strict=True)]


def _table(rows: list[_Row], notes: dict[str, int]) -> pa.Table:
    """A row per window, and one of nulls where nothing was predicted; a score if any row has several windows."""
    notes |= _lost(rows, "table", ("truth", "query", "video"))
    lines = [(row.key, *window) for row in rows for window in _scored(row) or [(np.nan, np.nan, -np.inf)]]
    keys, start, end, score = zip(*lines, strict=True)
    columns = {"sample_id": texts_of(keys)}
    columns |= {name: _nullable(times) for name, times in (("start_s", start), ("end_s", end))}
    given = any(window[2] is not None for row in rows for window in row.windows)
    if given or any(len(row.windows) > 1 for row in rows):
        notes[_BY_RANK] = _ranked(rows)
        columns["score"] = array_of(np.where(np.isneginf(score), 0.0, score))
    return pa.table(columns)


def _ual_bench(rows: list[_Row], notes: dict[str, int]) -> bytes:
    """An object by id; an array with the truth where ids, which are of videos then, are repeated."""
    notes[_LATER.format(to="ual-bench")] = _later(rows)
    firsts = [_first(row) for row in rows]
    if len({row.key for row in rows}) == len(rows):
        notes |= _lost(rows, "ual-bench", ("truth", "query", "video", "score"))
        names = ("pred_start", "pred_end")
        return _json({row.key: dict(zip(names, span, strict=True)) for row, span in zip(rows, firsts, strict=True)})
    notes |= _lost(rows, "ual-bench", ("query", "video", "score"))
    return _json(
        [
            {"label": row.key, **({"gt": row.truth} if row.truth else {}), "pred": span}
            for row, span in zip(rows, firsts, strict=True)
        ]
    )


def _official(rows: list[_Row], notes: dict[str, int]) -> bytes:
    notes |= {_LATER.format(to="official"): _later(rows)} | _lost(rows, "official", ("query", "video", "score"))
    without = sum(row.truth is None for row in rows)
    notes["rows without start_time and end_time, which the official evaluator asks for"] = without
    names = ("start_time", "end_time")
    return _json(
        [
            {"video_id": row.key}
            | (dict(zip(names, row.truth, strict=True)) if row.truth else {})
            | dict(zip(("pred_start", "pred_end"), _first(row), strict=True))
            for row in rows
        ]
    )


def _moment_detr(rows: list[_Row], notes: dict[str, int]) -> bytes:
    """One record a line; the evaluator of QVHighlights asks for a score behind the times.

    It takes `qid` by its type, too: names that are all whole numbers are written as such, as its own files have them.
    """
    notes |= {_BY_RANK: _ranked(rows)} | _lost(rows, "moment-detr", ("truth",))
    numbered = all(re.fullmatch(r"0|[1-9]\d{0,17}", row.key, re.ASCII) for row in rows)
    lines = [
        {"qid": int(row.key) if numbered else row.key}
        | {name: text for name, text in (("query", row.query), ("vid", row.video)) if text is not None}
        | {"pred_relevant_windows": _scored(row)}
        for row in rows
    ]
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def _timelens(rows: list[_Row], notes: dict[str, int]) -> bytes:
    """Keys of video, query and truth."""
    nameless = next((row for row in rows if row.query is None or row.video is None), None)
    if nameless is not None:
        raise UsageError(f"timelens names rows by video and query, which the source does not say of {nameless.key!r}")
    notes |= _lost(rows, "timelens", ("score",))
    found: dict[str, Any] = {}
    for row in rows:
        key = f"{row.video}>>>{row.query}>>>{list(row.truth) if row.truth else []}"
        if key in found:
            expected = "a video and query of one row"
            raise InputError(Problem("timelens", shown(row.key), "", f"a second row of {shown(key)}", expected))
        found[key] = {"timestamps": [window[:2] for window in row.windows]}
    return _json(found)


_WRITERS: dict[str, Callable[[list[_Row], dict[str, int]], Any]] = {
    "table": _table,
    "ual-bench": _ual_bench,
    "official": _official,
    "moment-detr": _moment_detr,
    "timelens": _timelens,
}


def _first(row: _Row) -> tuple[float | None, float | None]:
    start, end, _ = row.windows[0] if row.windows else (None, None, None)
    return start, end


def _scored(row: _Row) -> list[tuple[float, float, float]]:
    """The windows with their scores, or 1 / rank where the source has none."""
    return [(s, e, 1 / rank if score is None else score) for rank, (s, e, score) in enumerate(row.windows, 1)]


def _ranked(rows: list[_Row]) -> int:
    return sum(window[2] is None for row in rows for window in row.windows)


def _later(rows: list[_Row]) -> int:
    return sum(max(len(row.windows) - 1, 0) for row in rows)


def _lost(rows: list[_Row], to: str, what: Sequence[str]) -> dict[str, int]:
    """How many rows have what the target has no place for."""
    has: dict[str, Callable[[_Row], bool]] = {
        "truth": lambda row: row.truth is not None,
        "query": lambda row: row.query is not None,
        "video": lambda row: row.video is not None,
        "score": lambda row: any(window[2] is not None for window in row.windows),
    }
    words = {"truth": "truths", "query": "queries", "video": "names of videos", "score": "scores"}
    return {
        f"rows whose {words[name]} are lost, for which {to} has no place": sum(map(has[name], rows)) for name in what
    }


def _nullable(times: Sequence[float]) -> pa.Array:
    return pa.array(times, pa.float64(), from_pandas=True)


def _json(document: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"
