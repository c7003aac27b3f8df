"""Predicted spans on the rows of a truth: which row each entry means, what is unknown, missing, or repeated."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import UsageError
from scorers.scorer import Aligned
from scorers.temporal.baselines import Spans
from scorers.temporal.entries import Predictions
from scorers.temporal.join import Join, checked_join, mostly_known, rows_alike, rows_named
from scorers.temporal.metrics import Floats, prediction_counts
from scorers.temporal.truth import Truth

_BEYOND_SHARE = 0.95


def aligned(predictions: Predictions, truth: Truth, ranks: int = 1) -> Aligned[Spans]:
    """The best `ranks` windows of each entry on its row; NaN where a row has none.

    Raises:
        UsageError: the file holds free answers.
        InputError: no entry belongs to a row, or several belong to the same.
    """
    if predictions.answers is not None:
        raise UsageError(
            f"{predictions.file} holds free answers: turn them into predictions with `benchwright parse` first"
        )
    joined = join_entries(
        truth,
        predictions.file,
        predictions.keys,
        queries=predictions.queries,
        videos=predictions.videos,
        quoted=predictions.truth,
    )
    spans = Spans(*_placed(predictions, joined.row, len(truth), ranks))
    best = Spans(*(times if times.ndim == 1 else times[:, 0] for times in spans))
    unknown, warnings = joined.unknown, list(joined.warnings)
    if truth.left_out is not None and unknown:
        known = pc.is_in(predictions.keys.filter(pa.array(joined.row < 0)), value_set=truth.left_out)
        if pc.all(known).as_py():
            unknown, warnings = 0, [f"only the {len(truth):,} re-annotated rows are scored"]
    warnings += _suspicious(best.end, truth)
    if predictions.truth is not None:
        warnings += _other_truth(predictions.truth, joined.row, truth)
    return Aligned(spans, _counts(best, unknown), warnings)


def join_entries(
    truth: Truth,
    file: str,
    keys: pa.Array,
    *,
    queries: list[str] | None = None,
    videos: pa.Array | None = None,
    quoted: tuple[Floats, Floats] | None = None,
) -> Join:
    """The row of each entry of a file: by name where most are sample ids or aliases, else by what entries say.

    Args:
        truth: the rows.
        file: the file, for messages.
        keys: name of each entry: a sample id, or a video.
        queries: the query of each entry.
        videos: the video of each entry, where other than the key.
        quoted: start and end of the ground truth of each entry.

    Raises:
        InputError: no entry has a row (the message says which benchmark's names they look like), or several entries
            have the same.
    """
    card = truth.manifest.card
    row = rows_named(truth.names, keys, [truth.column(alias) for alias in (card.aliases if card else [])])
    if not mostly_known(row):
        owners = (keys if videos is None else videos).to_pylist()
        if queries is not None:
            asked = truth.column("description").to_pylist()
            row = rows_alike(zip(truth.videos.to_pylist(), asked, strict=True), zip(owners, queries, strict=True))
        elif quoted is not None:
            known, given = (
                [times.tolist() for times in span] for span in ((truth.spans.start, truth.spans.end), quoted)
            )
            row = rows_alike(zip(truth.videos.to_pylist(), *known, strict=True), zip(owners, *given, strict=True))
    return checked_join(row, truth.names, keys, file)


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


def _counts(best: Spans, unknown: int) -> dict[str, int]:
    statuses = prediction_counts(*best)
    return {"rows": len(best.start), "scored": len(best.start) - statuses["missing"], **statuses, "unknown": unknown}


def _suspicious(end: Floats, truth: Truth) -> list[str]:
    """What looks like a mistake, though it can be scored."""
    known = ~np.isnan(end) & ~np.isnan(truth.duration)
    if known.any() and np.mean(end[known] > truth.duration[known]) >= _BEYOND_SHARE:
        return ["nearly all predicted ends are beyond their videos: are these milliseconds, or frame numbers?"]
    return []


def _other_truth(quoted: tuple[Floats, Floats], row: NDArray[np.int64], truth: Truth) -> list[str]:
    """Whether the ground truth that predictions quote is another than the manifest's."""
    at = row >= 0
    start, end = (times[at] for times in quoted)
    other = ((start != truth.spans.start[row[at]]) | (end != truth.spans.end[row[at]])) & ~np.isnan(start)
    found = f"{np.count_nonzero(other):,} predictions quote another ground truth than the manifest has"
    return [found] if other.any() else []
