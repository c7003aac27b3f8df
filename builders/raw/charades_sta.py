"""Charades-STA (Gao et al., ICCV 2017): sentences with moments, video durations, and re-annotated moments."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import pandas as pd
import pyarrow as pa

from schemas.errors import InputError, Problem, shown
from schemas.input.columns import row_named
from schemas.input.csv import read_csv
from schemas.input.files import MEBIBYTE, read_bytes, read_lines
from schemas.input.json import read_object
from schemas.input.problems import CONTROL_CHARACTER, gather, problems_where, raise_any, repeats

# The published files have at most a few megabytes.
_LIMIT = 64 * MEBIBYTE

_JSON = re.compile(rb"(\xef\xbb\xbf)?\s*[{\[]")
_DECIMAL = re.compile(r"[0-9]+(\.[0-9]+)?")
_PERCENT = re.compile(r"(100|[0-9]{1,2})(\.0*)?")


class _Query(NamedTuple):
    line: int
    video: str
    start_s: float
    end_s: float
    sentence: str


class _Video(msgspec.Struct):
    duration: float


class _Reannotation(NamedTuple):
    hit: str
    video: str
    description: str
    start_percent: int
    end_percent: int


def read_queries(path: Path) -> pd.DataFrame:
    """`charades_sta_train.txt`, `charades_sta_test.txt`: lines `video start end##sentence`.

    An end beyond the video is common in the published files and not looked at here.

    Returns:
        One row per line in file order: `line` (int64, from 1), `video`, `start_s`, `end_s` (float64 s), `sentence`.

    Raises:
        InputError: the file cannot be read as UTF-8 lines; a line is blank, lacks a part, has a second `##`; a time is
            not a plain decimal number >= 0; an end is not after its start.
    """
    queries = gather(lambda numbered: _query(str(path), *numbered), enumerate(read_lines(path, _LIMIT), start=1))
    return pd.DataFrame(queries, columns=list(_Query._fields))


def read_durations(path: Path) -> pd.DataFrame:
    """Durations of the videos, from `charades.json` (`26hzhang/VSLNet : data/dataset/charades/`, field `duration`) or
    from `Charades_v1_train.csv` / `Charades_v1_test.csv` of Charades itself (columns `id`, `length`); content decides.

    Returns:
        One row per video in file order: `video`, `duration_s` (float64 s).

    Raises:
        InputError: the file breaks either format; a duration is not a finite number above 0; a video occurs twice.
    """
    file, content = str(path), read_bytes(path, _LIMIT)
    if _JSON.match(content):
        records = read_object(path, _Video, "video", content=content)
        return _durations(path, list(records), [record.duration for record in records.values()], "duration")
    videos, texts = _columns(read_csv(path, ("id", "length"), content=content))
    raise_any(repeats(str(path), row_named, "id", videos))
    lengths = gather(lambda row: _seconds(file, row_named(row), "length", texts[row]), range(len(texts)))
    return _durations(path, videos, lengths, "length")


def read_reannotations(path: Path) -> pd.DataFrame:
    """Moments of test queries as five people each saw them (`mayu-ot/hidden-challenges-MR :
    data/raw/charades/re-annotated/test_0*.csv`; Otani et al., BMVC 2020).

    Times are whole percent of the video, not seconds: they reach 100 in videos of 30 s, and agree with the published
    moments when read so.

    Returns:
        One row per person and query in file order: `hit` (task id), `video` (without `.mp4`), `description`,
        `start_percent`, `end_percent` (int64, percent of the duration).

    Raises:
        InputError: the file breaks the CSV format; a time is not a whole number from 0 to 100; an end is not after its
            start.
    """
    table = read_csv(path, ("HITId", "video_id", "description", "start", "end"), _LIMIT)
    rows = enumerate(zip(*_columns(table), strict=True))
    moments = gather(lambda numbered: _reannotation(str(path), *numbered), rows)
    return pd.DataFrame(moments, columns=list(_Reannotation._fields))


def _columns(table: pa.Table) -> list[list[str]]:
    return [column.fill_null("").to_pylist() for column in table.columns]


def _query(file: str, number: int, text: str) -> _Query:
    record = f"line {number}"
    moment, marks, sentence = text.partition("##")
    parts = moment.split(" ")
    if not marks or len(parts) != 3 or not parts[0]:
        found = shown(text) if text.strip() else "a blank line"
        raise InputError(Problem(file, record, "", found, "video start end##sentence"))
    if "##" in sentence:
        raise InputError(Problem(file, record, "sentence", shown(sentence), "one ## in a line"))
    if not sentence.strip() or CONTROL_CHARACTER.search(text):
        raise InputError(Problem(file, record, "sentence", shown(text), "words, without control characters"))
    start, end = _seconds(file, record, "start", parts[1]), _seconds(file, record, "end", parts[2])
    _require_order(file, record, start, end)
    return _Query(number, parts[0], start, end, sentence)


def _reannotation(file: str, row: int, cells: Sequence[str]) -> _Reannotation:
    hit, video, description, start, end = cells
    record = row_named(row)
    for field, text in (("start", start), ("end", end)):
        if not _PERCENT.fullmatch(text):
            raise InputError(Problem(file, record, field, shown(text), "a whole number from 0 to 100 (percent)"))
    first, last = int(float(start)), int(float(end))
    _require_order(file, record, first, last)
    return _Reannotation(hit, video.removesuffix(".mp4"), description, first, last)


def _seconds(file: str, record: str, field: str, text: str) -> float:
    seconds = float(text) if _DECIMAL.fullmatch(text) else math.nan
    if not math.isfinite(seconds):
        raise InputError(Problem(file, record, field, shown(text), "seconds as a decimal number >= 0"))
    return seconds


def _require_order(file: str, record: str, start: float, end: float) -> None:
    if end <= start:
        raise InputError(Problem(file, record, "end", f"{end:g} with start {start:g}", "an end after the start"))


def _durations(path: Path, videos: list[str], seconds: Sequence[float], field: str) -> pd.DataFrame:
    duration = np.array(seconds, dtype=np.float64)
    too_short = ~(duration > 0)
    raise_any(
        problems_where(too_short, str(path), lambda place: f'video "{videos[place]}"', field, seconds, "seconds > 0")
    )
    return pd.DataFrame({"video": videos, "duration_s": duration})
