"""Predicted spans on the rows of a temporal manifest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.arrays import floats, integers
from schemas.cards import cards
from schemas.errors import UsageError, unknown_name
from schemas.manifest import Manifest
from scorers.temporal.entries import Predictions
from scorers.temporal.formats import read_predictions
from scorers.temporal.join import Join, checked_join, mostly_known, rows_alike, rows_named
from scorers.temporal.metrics import Truth

Floats = NDArray[np.float64]

ANNOTATORS = 5
TRUTHS = ("start", "any", *(f"annotator:{number}" for number in range(1, ANNOTATORS + 1)))

_COLUMNS = ("sample_id", "start_s", "end_s", "duration_s")
_BEYOND_SHARE = 0.95


@dataclass(frozen=True)
class Rows:
    """The rows of a split of a temporal manifest: the columns that scoring needs, others when asked for.

    `selected` is a mask of the split's rows, None for all.
    """

    manifest: Manifest
    split: str
    names: pa.Array
    truth: Truth
    duration: Floats
    selected: pa.Array | None = None

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def videos(self) -> pa.Array:
        """The video of each row."""
        return self.column("video")

    @cached_property
    def clusters(self) -> NDArray[np.int64]:
        """The video of each row as a number 0, 1, ... in order of first appearance."""
        return integers(self.videos.dictionary_encode().indices)

    def column(self, name: str) -> pa.Array:
        """Another column.

        Raises:
            UsageError: the manifest has none of that name.
        """
        table = self.manifest.table(self.split, [name])
        if name not in table.column_names:
            raise UsageError(f"{self.manifest.identity.name} has no column {name}")
        values = table[name].combine_chunks()
        return values if self.selected is None else values.filter(self.selected)


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
        truth: `start`: the benchmark's own spans. `any`: any annotated onset counts for onset accuracy (UAG-OOPS); the
            best met of the five re-annotators' spans counts (Charades-STA, re-annotated rows alone). `annotator:1` to
            `annotator:5`: the spans of one re-annotator.

    Raises:
        UsageError: no temporal manifest, no such split, no annotated onsets, nothing re-annotated.
    """
    if truth not in TRUTHS:
        raise unknown_name("truth", truth, TRUTHS)
    chosen = manifest.chosen_split(split)
    table = manifest.table(chosen, _COLUMNS if truth == "start" else [*_COLUMNS, "onsets_s", "reannotated"])
    if not set(_COLUMNS) <= set(table.column_names):
        raise UsageError(f"{manifest.path}: not a benchmark of temporal localisation (no columns start_s and end_s)")
    if truth != "start" and "reannotated" in table.column_names:
        return _reannotated_rows(manifest, chosen, table, truth)
    if truth != "start" and (truth != "any" or "onsets_s" not in table.column_names):
        raise UsageError(f"{manifest.identity.name} has no other annotations for --truth {truth}")
    onsets = _padded(table["onsets_s"].combine_chunks()) if truth == "any" else None
    start, end, duration = (floats(table[name]) for name in ("start_s", "end_s", "duration_s"))
    names = table["sample_id"].combine_chunks()
    return Rows(manifest, chosen, names, Truth(start, end, onsets), duration)


def reannotated_spans(lists: pa.Array) -> list[tuple[Floats, Floats]]:
    """Start and end that each of five people gave, from the column `reannotated`; NaN in rows that nobody was asked.

    Raises:
        UsageError: nothing was re-annotated, or not by five people.
    """
    asked = np.asarray(lists.is_valid())
    records = lists.flatten()
    if not asked.any() or len(records) != ANNOTATORS * np.count_nonzero(asked):
        raise UsageError(
            "the manifest was built without the spans of five re-annotators (sources reannotations_0 to _2)"
        )
    spans = []
    for number in range(ANNOTATORS):
        times = [np.full(len(lists), np.nan) for _ in range(2)]
        for column, name in zip(times, ("start_s", "end_s"), strict=True):
            column[asked] = floats(records.field(name))[number::ANNOTATORS]
        spans.append((times[0], times[1]))
    return spans


def _reannotated_rows(manifest: Manifest, split: str, table: pa.Table, truth: str) -> Rows:
    lists = table["reannotated"].combine_chunks()
    selected = lists.is_valid()
    truths = [Truth(start, end) for start, end in reannotated_spans(lists.filter(selected))]
    first, *others = truths if truth == "any" else [truths[int(truth.removeprefix("annotator:")) - 1]]
    kept = table.filter(selected)
    names, duration = kept["sample_id"].combine_chunks(), floats(kept["duration_s"])
    return Rows(manifest, split, names, Truth(first.start, first.end, others=tuple(others)), duration, selected)


def read_run(path: Path, rows: Rows, form: str | None = None, ranks: int = 1) -> Run:
    """Read predictions and place them on the rows.

    Args:
        path: the prediction file.
        rows: the manifest's rows.
        form: form of the file, found out when None.
        ranks: how many of the best windows of each row to keep, as many as the metrics look at.

    Raises:
        InputError, UsageError: see `read_predictions` and `checked_join`.
    """
    predictions = read_predictions(path, form)
    if predictions.answers is not None:
        raise UsageError(f"{path} holds free answers: turn them into predictions with `benchwright parse` first")
    joined = place_entries(
        rows,
        predictions.file,
        predictions.keys,
        queries=predictions.queries,
        videos=predictions.videos,
        truth=predictions.truth,
    )
    start, end = _placed(predictions, joined.row, len(rows), ranks)
    if rows.selected is not None:
        # Most rows of such a truth are left out on purpose; their predictions are no strangers.
        known = pc.is_in(predictions.keys, value_set=rows.manifest.table(rows.split, ["sample_id"])["sample_id"])
        if pc.all(known).as_py():
            told = f"only the {len(rows):,} re-annotated rows are scored"
            return Run(start, end, [told, *_suspicions(predictions, joined, end, rows)])
    warnings = [*joined.warnings, *_suspicions(predictions, joined, end, rows)]
    return Run(start, end, warnings, joined.unknown)


def place_entries(
    rows: Rows,
    file: str,
    keys: pa.Array,
    *,
    queries: list[str] | None = None,
    videos: pa.Array | None = None,
    truth: tuple[Floats, Floats] | None = None,
) -> Join:
    """The row of each entry of a file: by name where most are names of ours, else by what entries say.

    Args:
        rows: the manifest's rows.
        file: the file, for messages.
        keys: name of each entry: a sample id, or a video.
        queries: the query of each entry.
        videos: the video of each entry, where other than the key.
        truth: start and end of the ground truth of each entry.
    """
    card = cards().get(rows.manifest.identity.name)
    row = rows_named(rows.names, keys, [rows.column(alias) for alias in (card.aliases if card else [])])
    if not mostly_known(row):
        owners = (keys if videos is None else videos).to_pylist()
        named = rows.videos.to_pylist()
        if queries is not None:
            asked = rows.column("description").to_pylist()
            row = rows_alike(zip(named, asked, strict=True), zip(owners, queries, strict=True))
        elif truth is not None:
            spans = rows.truth.start.tolist(), rows.truth.end.tolist()
            quoted = truth[0].tolist(), truth[1].tolist()
            row = rows_alike(zip(named, *spans, strict=True), zip(owners, *quoted, strict=True))
    return checked_join(row, rows.names, keys, file)


def _placed(predictions: Predictions, row: NDArray[np.int64], rows: int, ranks: int) -> tuple[Floats, Floats]:
    """The best `ranks` windows of each entry on its row: shape (rows,) where no row has several, else (rows, ranks)."""
    entry = predictions.entry
    if len(entry) == len(row) and np.array_equal(row, np.arange(rows)):
        return predictions.start, predictions.end
    first = np.searchsorted(entry, np.arange(len(row)))
    rank = np.arange(len(entry)) - first[entry]
    owner = row[entry]
    kept = (owner >= 0) & (rank < ranks)
    width = int(rank[kept].max(initial=0)) + 1
    cell = owner[kept] * width + rank[kept]
    start, end = np.full(rows * width, np.nan), np.full(rows * width, np.nan)
    start[cell], end[cell] = predictions.start[kept], predictions.end[kept]
    return (start, end) if width == 1 else (start.reshape(rows, width), end.reshape(rows, width))


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


def _padded(lists: pa.ListArray) -> Floats:
    """Lists of numbers as one array (rows, longest), NaN where a row has fewer."""
    lengths = np.diff(integers(lists.offsets))
    filled = np.full((len(lists), int(lengths.max(initial=1))), np.nan)
    filled[np.arange(filled.shape[1]) < lengths[:, None]] = floats(lists.flatten())
    return filled
