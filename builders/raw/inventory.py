"""Inventory of the media that a user has: what a probe of the videos found, as a Parquet table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from schemas.errors import InputError, Problem
from schemas.input.columns import decoded, row_named
from schemas.input.files import MEBIBYTE
from schemas.input.parquet import read_parquet
from schemas.input.problems import gather, problems_where, raise_any, repeats

# A row takes tens of bytes, so this is room for tens of millions of videos.
_LIMIT = 1024 * MEBIBYTE

VIDEO_EXTENSION = r"(?i)\.(mp4|avi|mkv|webm|mov)$"


class _Column(NamedTuple):
    """What a column holds and which Arrow types may carry it without loss."""

    type: pa.DataType
    fits: Callable[[pa.DataType], bool]
    expected: str


def _is_number(data_type: pa.DataType) -> bool:
    return bool(pa.types.is_integer(data_type) or pa.types.is_floating(data_type) or pa.types.is_decimal(data_type))


_COLUMNS = {
    "video": _Column(pa.string(), lambda t: bool(pa.types.is_string(t) or pa.types.is_large_string(t)), "text"),
    "available": _Column(pa.bool_(), lambda t: bool(pa.types.is_boolean(t)), "true or false"),
    "duration_s": _Column(pa.float64(), _is_number, "numbers (seconds)"),
    "frame_rate": _Column(pa.float64(), _is_number, "numbers (frames per second)"),
    # pandas turns a whole-number column with nulls into floats, so whole floats are whole numbers here.
    "n_scenes": _Column(pa.int64(), _is_number, "whole numbers"),
}


def read_inventory(path: Path) -> pd.DataFrame:
    """The inventory of a user's videos. Only the column `video` must be there; other columns are ignored.

    Returns:
        One row per video in file order: `video` (a trailing `.mp4`, `.avi`, `.mkv`, `.webm` or `.mov` removed);
        `available` (boolean), `duration_s` (float64 s), `frame_rate` (float64, frames per second), `n_scenes` (Int64),
        each null where unknown and all null where the file lacks the column. `n_scenes` counts scenes, so a video
        without cuts has 1. PySceneDetect by default returns an empty list for such a video (Breakthrough/PySceneDetect
        issue 282): a 0 is refused, as the length of that list is not a count of scenes.

    Raises:
        InputError: not a Parquet file; no column `video`; a column of another type; a null, blank or repeated video
            (after removing the extension); a duration or frame rate not finite and above 0; `n_scenes` below 1.
    """
    table = read_parquet(path, list(_COLUMNS), _LIMIT)
    columns = dict(zip(_COLUMNS, gather(lambda name: _column(path, table, name), _COLUMNS), strict=True))
    types = {pa.bool_(): pd.BooleanDtype(), pa.int64(): pd.Int64Dtype()}
    frame: pd.DataFrame = pa.table(columns).to_pandas(types_mapper=types.get)
    frame["video"] = frame["video"].str.replace(VIDEO_EXTENSION, "", regex=True)
    raise_any(_value_problems(path, frame, columns))
    return frame


def _column(path: Path, table: Any, name: str) -> Any:
    expected = _COLUMNS[name]
    if name not in table.column_names:
        if name == "video":
            raise InputError(Problem(str(path), "", name, "no such column", "a column of video names"))
        return pa.nulls(table.num_rows, expected.type)
    column = decoded(table.column(name))
    if not (pa.types.is_null(column.type) or expected.fits(column.type)):
        raise InputError(Problem(str(path), "", name, f"a column of {column.type}", expected.expected))
    try:
        return column.cast(expected.type)
    except pa.ArrowException as error:
        raise InputError(Problem(str(path), "", name, str(error), expected.expected)) from None


def _value_problems(path: Path, frame: pd.DataFrame, columns: dict[str, Any]) -> list[Problem]:
    videos: list[str] = frame["video"].tolist()
    nameless = (frame["video"].isna() | (frame["video"].str.strip() == "")).to_numpy()
    if nameless.any():
        return problems_where(nameless, str(path), row_named, "video", videos, "a name")

    def where(bad: np.ndarray, field: str, expected: str, advice: str = "") -> list[Problem]:
        found = columns[field].to_pylist()
        return problems_where(bad, str(path), lambda place: f'video "{videos[place]}"', field, found, expected, advice)

    def not_positive(field: str) -> np.ndarray:
        known = np.array(columns[field].is_valid(), dtype=bool)
        values = frame[field].to_numpy()
        return np.asarray(known & ~(np.isfinite(values) & (values > 0)))

    sceneless = frame["n_scenes"].lt(1).fillna(False).to_numpy(dtype=bool)
    trap = "PySceneDetect lists no scene for a video without cuts; count such a video as 1 scene"
    return [
        *repeats(str(path), row_named, "video", videos),
        *where(not_positive("duration_s"), "duration_s", "seconds above 0, or null"),
        *where(not_positive("frame_rate"), "frame_rate", "frames per second above 0, or null"),
        *where(sceneless, "n_scenes", "at least 1, or null", trap),
    ]
