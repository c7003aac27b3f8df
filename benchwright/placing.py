"""Predicted spans on the rows of a temporal manifest."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.cards import cards
from schemas.errors import UsageError, unknown_name
from schemas.identity import Identity
from schemas.manifest import Manifest
from scorers.join import Join, join, join_by_content
from scorers.predictions import Predictions, read_predictions
from scorers.temporal import Truth

Floats = NDArray[np.float64]

_BEYOND_SHARE = 0.95


@dataclass(frozen=True)
class Rows:
    """The columns of a temporal manifest that scoring needs."""

    names: pa.Array
    videos: pa.Array
    truth: Truth
    duration: Floats
    table: pa.Table

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True)
class Run:
    """Predictions placed on the rows of a manifest: times of shape (rows,) or (rows, ranks), NaN for none."""

    start: Floats
    end: Floats
    warnings: list[str]
    unknown: int = 0


def read_rows(manifest: Manifest, split: str | None = None, truth: str = "start") -> Rows:
    """The rows to score.

    Args:
        manifest: a temporal manifest.
        split: one split; its only one, or `test`, when None.
        truth: `start`, or `any`: any of the annotated onsets counts for onset accuracy.

    Raises:
        UsageError: no temporal manifest, no such split, no annotated onsets.
    """
    table = manifest.table(chosen_split(manifest, split))
    if not {"start_s", "end_s", "duration_s", "video"} <= set(table.column_names):
        raise UsageError(f"{manifest.path}: not a benchmark of temporal localisation (no columns start_s and end_s)")
    if truth not in ("start", "any"):
        raise unknown_name("truth", truth, ["start", "any"])
    if truth == "any" and "onsets_s" not in table.column_names:
        raise UsageError(
            f"{manifest.identity.name} has no annotated onsets besides the start: --truth any needs onsets_s"
        )
    onsets = _padded(table["onsets_s"].combine_chunks()) if truth == "any" else None
    start, end, duration = (_floats(table[name]) for name in ("start_s", "end_s", "duration_s"))
    names, videos = table["sample_id"].combine_chunks(), table["video"].combine_chunks()
    return Rows(names, videos, Truth(start, end, onsets), duration, table)


def chosen_split(manifest: Manifest, split: str | None) -> str:
    """The split to score: the one named, the only one, or `test`."""
    return split or (manifest.splits[0] if len(manifest.splits) == 1 else "test")


def read_run(path: Path, rows: Rows, identity: Identity, form: str | None = None) -> Run:
    """Read predictions and place them on the rows.

    Raises:
        InputError, UsageError: see `read_predictions` and `join`.
    """
    predictions = read_predictions(path, form)
    if predictions.answers is not None:
        raise UsageError(f"{path} holds free answers: turn them into predictions with `benchwright parse` first")
    joined = place_entries(
        rows,
        identity,
        predictions.file,
        predictions.keys,
        queries=predictions.queries,
        videos=predictions.videos,
        truth=predictions.truth,
    )
    start, end = _placed(predictions, joined, len(rows))
    warnings = [*joined.warnings, *_suspicions(predictions, joined, end, rows)]
    return Run(start, end, warnings, joined.unknown)


def place_entries(
    rows: Rows,
    identity: Identity,
    file: str,
    keys: pa.Array,
    *,
    queries: list[str] | None = None,
    videos: pa.Array | None = None,
    truth: tuple[Floats, Floats] | None = None,
) -> Join:
    """The row of each entry of a file: by name where the names are ours and unique, else by what entries say.

    Args:
        rows: the manifest's rows.
        identity: of the manifest.
        file: the file, for messages.
        keys: name of each entry: a sample id, or a video.
        queries: the query of each entry.
        videos: the video of each entry, where other than the key.
        truth: start and end of the ground truth of each entry.
    """
    names = rows.names
    card = cards().get(identity.name)
    aliases = {name: rows.table[name].combine_chunks() for name in (card.aliases if card else [])}
    ours = 2 * int(pc.sum(pc.is_in(keys, value_set=names)).as_py() or 0) > len(keys)
    if queries and not ours:
        contents = list(zip(rows.videos.to_pylist(), rows.table["description"].to_pylist(), strict=True))
        owners = (keys if videos is None else videos).to_pylist()
        return join_by_content(names, contents, keys, list(zip(owners, queries, strict=True)), file)
    if truth and not (ours and len(keys.unique()) == len(keys)):
        contents = list(
            zip(rows.videos.to_pylist(), *(t.tolist() for t in (rows.truth.start, rows.truth.end)), strict=True)
        )
        return join_by_content(
            names, contents, keys, list(zip(keys.to_pylist(), *(t.tolist() for t in truth), strict=True)), file
        )
    return join(names, keys, file, aliases)


def _placed(predictions: Predictions, joined: Join, rows: int) -> tuple[Floats, Floats]:
    """Windows on rows, shape (rows,) if no entry has several, else (rows, ranks)."""
    entry = predictions.entry
    plain = len(entry) == len(joined.row)
    if plain and rows == len(entry) and np.array_equal(joined.row, np.arange(rows)):
        return predictions.start, predictions.end
    first = np.searchsorted(entry, np.arange(len(joined.row)))
    rank = np.arange(len(entry)) - first[entry]
    shape = (rows, int(rank.max(initial=0)) + 1)
    row = joined.row[entry]
    start, end = np.full(shape, np.nan), np.full(shape, np.nan)
    start[row[row >= 0], rank[row >= 0]] = predictions.start[row >= 0]
    end[row[row >= 0], rank[row >= 0]] = predictions.end[row >= 0]
    return (start[:, 0], end[:, 0]) if shape[1] == 1 else (start, end)


def _suspicions(predictions: Predictions, joined: Join, end: Floats, rows: Rows) -> list[str]:
    """What looks like a mistake of the file, though it can be scored."""
    found = []
    best = end if end.ndim == 1 else end[:, 0]
    known = ~np.isnan(best) & ~np.isnan(rows.duration)
    if known.any() and np.mean(best[known] > rows.duration[known]) >= _BEYOND_SHARE:
        found.append("nearly all predicted ends lie beyond their videos: are these milliseconds, or frame numbers?")
    if predictions.truth is not None:
        at = joined.row >= 0
        row = joined.row[at]
        other = (predictions.truth[0][at] != rows.truth.start[row]) | (predictions.truth[1][at] != rows.truth.end[row])
        other &= ~np.isnan(predictions.truth[0][at])
        if other.any():
            found.append(f"{np.count_nonzero(other):,} predictions quote another ground truth than the manifest has")
    return found


def _floats(column: Any) -> Floats:
    return np.asarray(column.to_numpy(), dtype=np.float64)


def _padded(lists: pa.ListArray) -> Floats:
    """Lists of numbers as one array (rows, longest), NaN where a row has fewer."""
    offsets = np.asarray(lists.offsets)
    lengths = np.diff(offsets)
    filled = np.full((len(lists), int(lengths.max(initial=1))), np.nan)
    filled[np.arange(filled.shape[1]) < lengths[:, None]] = np.asarray(lists.flatten())
    return filled
