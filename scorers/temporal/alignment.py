"""Predicted spans beside a truth: the best windows of each row, and what a reader must know of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from scorers.names import Rows
from scorers.scorer import Aligned
from scorers.temporal.matching import missing, quoted_names, rows_of
from scorers.temporal.metrics import prediction_counts
from scorers.temporal.spans import Floats, Spans
from scorers.temporal.table import Predictions
from scorers.temporal.truth import Truth

_BEYOND_SHARE = 0.95


def aligned(predictions: Predictions, truth: Truth, ranks: int = 1) -> Aligned[Spans]:
    """The best `ranks` windows of each entry on its row; NaN where a row has none. Errors as in `rows_of`."""
    quoted = predictions.truth
    match = rows_of(truth, predictions.file, predictions.keys, predictions.queries, predictions.videos, quoted)
    spans = _placed(predictions, match.row, len(truth), ranks)
    nothing = bool(np.isnan(spans.start).all() and np.isnan(spans.end).all())
    without = missing(match.row, truth.names, np.arange(len(truth)) if nothing else None)
    warnings = [*predictions.warnings, *match.warnings, *without]
    best = spans.best
    statuses = prediction_counts(*best)
    counts = {"rows": len(truth), "scored": len(truth) - statuses["missing"], **statuses, **match.counts}
    warnings += [] if nothing else _halves(best, truth.names)
    warnings += _suspicious(best.end, truth)
    asked = np.bincount(match.row[match.row >= 0], minlength=len(truth)) > 0
    warnings += [] if quoted is None else other_truth(quoted, match.row, truth)
    return Aligned(spans, counts, warnings, asked=asked)


def by_sample(predictions: Predictions, truth: Truth) -> Predictions:
    """The same entries under the sample ids of the rows that they mean; those that mean none keep their names.

    What else an entry says (query, truth) is used up: so placed, it means the same sample in any variant of the rows.
    """
    said = predictions.queries, predictions.videos, predictions.truth
    row = rows_of(truth, predictions.file, predictions.keys, *said).row
    named = pc.if_else(pa.array(row >= 0), truth.names.take(pa.array(np.maximum(row, 0))), predictions.keys)
    return replace(predictions, keys=named, queries=None, videos=None, truth=None)


def _placed(predictions: Predictions, row: Rows, rows: int, ranks: int) -> Spans:
    """The best `ranks` windows of each entry on its row: shape (rows,) where no row has several, else (rows, ranks)."""
    entry = predictions.entry
    if len(entry) == len(row) and np.array_equal(row, np.arange(rows)):
        return Spans(predictions.start, predictions.end)
    first = np.searchsorted(entry, np.arange(len(row)))
    rank = np.arange(len(entry)) - first[entry]
    owner = row[entry]
    kept = (owner >= 0) & (rank < ranks)
    width = int(rank[kept].max(initial=0)) + 1
    cell = owner[kept] * width + rank[kept]
    times = np.full((2, rows * width), np.nan)
    times[0, cell], times[1, cell] = predictions.start[kept], predictions.end[kept]
    return Spans(*(times if width == 1 else times.reshape(2, rows, width)))


def _halves(best: Spans, names: pa.Array) -> list[str]:
    """A warning of rows whose prediction lacks one of its two times, which is no span."""
    halves = np.flatnonzero(np.isnan(best.start) != np.isnan(best.end))
    found = f"{len(halves):,} of {len(names):,} rows have a start or an end alone, which counts as missing"
    return [f"{found} ({quoted_names(names, halves)})"] if len(halves) else []


def _suspicious(end: Floats, truth: Truth) -> list[str]:
    """What looks like a mistake, though it can be scored."""
    known = ~np.isnan(end) & ~np.isnan(truth.duration)
    if known.any() and np.mean(end[known] > truth.duration[known]) >= _BEYOND_SHARE:
        return ["nearly all predicted ends are beyond their videos: are these milliseconds, or frame numbers?"]
    return []


def other_truth(quoted: tuple[Floats, Floats], row: Rows, truth: Truth) -> list[str]:
    """Whether the ground truth that predictions quote is another than the manifest's."""
    at = row >= 0
    start, end = (times[at] for times in quoted)
    other = ((start != truth.spans.start[row[at]]) | (end != truth.spans.end[row[at]])) & ~np.isnan(start)
    found = f"{np.count_nonzero(other):,} predictions quote another ground truth than the manifest has"
    return [found] if other.any() else []
