"""Predicted spans on the rows of a truth: which row each entry means, what is unknown, missing, or repeated."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.arrays import array_of, integers
from schemas.cards import cards
from schemas.errors import InputError, Problem, first_few
from scorers.scorer import Aligned
from scorers.temporal.metrics import Floats, Spans, prediction_counts
from scorers.temporal.table import Predictions
from scorers.temporal.truth import Truth

Rows = NDArray[np.int64]
"""The row of each entry of a file, -1 for none; shape (entries,)."""
Content = tuple[object, ...]

_BEYOND_SHARE = 0.95
_EXAMPLES = 3


def aligned(predictions: Predictions, truth: Truth, ranks: int = 1) -> Aligned[Spans]:
    """The best `ranks` windows of each entry on its row; NaN where a row has none. Errors as in `rows_of`."""
    keys, quoted = predictions.keys, predictions.truth
    row = rows_of(truth, predictions.file, keys, predictions.queries, predictions.videos, quoted)
    spans = _placed(predictions, row, len(truth), ranks)
    unknown = np.flatnonzero(row < 0)
    nothing = bool(np.isnan(spans.start).all() and np.isnan(spans.end).all())
    warnings = unmatched(row, truth.names, keys, np.arange(len(truth)) if nothing else None)
    if truth.left_out is not None and len(unknown):
        known = pc.is_in(keys.take(array_of(unknown)), value_set=truth.left_out)
        if pc.all(known).as_py():
            unknown, warnings = unknown[:0], [f"only the {len(truth):,} re-annotated rows are scored"]
    best = spans.best
    statuses = prediction_counts(*best)
    counts = {"rows": len(truth), "scored": len(truth) - statuses["missing"], **statuses, "unknown": len(unknown)}
    warnings += [] if nothing else _halves(best, truth.names)
    warnings += _suspicious(best.end, truth)
    return Aligned(spans, counts, warnings + ([] if quoted is None else _other_truth(quoted, row, truth)))


def rows_of(
    truth: Truth,
    file: str,
    keys: pa.Array,
    queries: list[str] | None = None,
    videos: pa.Array | None = None,
    quoted: tuple[Floats, Floats] | None = None,
) -> Rows:
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
        known, owners = truth.videos.to_pylist(), (keys if videos is None else videos).to_pylist()
        if queries is not None:
            asked = truth.column("description").to_pylist()
            row = rows_alike(zip(known, asked, strict=True), zip(owners, queries, strict=True))
        elif quoted is not None:
            ours, theirs = (
                [times.tolist() for times in span] for span in ((truth.spans.start, truth.spans.end), quoted)
            )
            row = rows_alike(zip(known, *ours, strict=True), zip(owners, *theirs, strict=True))
    check_rows(row, truth.names, keys, file)
    return row


def rows_named(names: pa.Array, keys: pa.Array, aliases: Sequence[pa.Array] = ()) -> Rows:
    """The row that each key names, -1 for none; shape (keys,).

    Args:
        names: `sample_id` of every row.
        keys: name of every entry.
        aliases: other columns whose values name rows, tried in turn where most keys are not sample ids. One whose
            values repeat names nothing.
    """
    row = _positions(names, keys)
    for column in aliases:
        if mostly_known(row):
            break
        if len(column.unique()) == len(column):
            row = np.maximum(row, _positions(column, keys))
    return row


def rows_alike(contents: Iterable[Content], entries: Iterable[Content]) -> Rows:
    """The row that says the same as each entry (video and query, or video and truth), -1 for none; shape (entries,).

    Entries that are alike take rows that are alike in their order.
    """
    rows: dict[Content, list[int]] = defaultdict(list)
    for number, content in enumerate(contents):
        rows[content].append(number)
    waiting = {content: iter(numbers) for content, numbers in rows.items()}
    return np.array([next(waiting[entry], -1) if entry in waiting else -1 for entry in entries], dtype=np.int64)


def mostly_known(row: Rows) -> bool:
    """Whether more than half of the entries have a row."""
    return 2 * int(np.count_nonzero(row >= 0)) > len(row)


def check_rows(row: Rows, names: pa.Array, keys: pa.Array, file: str) -> None:
    """Refuse a file none of whose entries has a row, or several of whose entries have the same; `InputError`.

    Where there are no rows, none can be meant.
    """
    known = row >= 0
    if len(row) and len(names) and not known.any():
        expected = f"names such as {names[0].as_py()!r}"
        raise InputError(Problem(file, "", "", _unknown_names(keys, len(names)), expected))
    repeated = np.flatnonzero(np.bincount(row[known]) > 1)
    if len(repeated):
        found = f"{len(repeated):,} rows with several predictions ({_quoted(names, repeated)})"
        advice = "rank them with a column `score`, or keep one"
        raise InputError(Problem(file, "", "", found, "one prediction per row", advice))


def unmatched(row: Rows, names: pa.Array, keys: pa.Array, missing: Rows | None = None) -> list[str]:
    """Warnings of unknown names and of missing rows, counted, with examples; these are those without an entry."""
    unknown = np.flatnonzero(row < 0)
    if missing is None:
        missing = np.flatnonzero(np.bincount(row[row >= 0], minlength=len(names)) == 0)
    warnings = []
    if len(unknown):
        examples = _quoted(keys, unknown)
        warnings.append(f"{len(unknown):,} predictions name no row of the manifest ({examples}) and are left out")
    if len(missing):
        warnings.append(f"{len(missing):,} of {len(names):,} rows have no prediction ({_quoted(names, missing)})")
    return warnings


def _positions(names: pa.Array, keys: pa.Array) -> Rows:
    # Files in manifest order need no look-up: comparing is a hundred times faster than hashing.
    if len(names) == len(keys) and names.equals(keys):
        return np.arange(len(keys))
    return integers(pc.index_in(keys, value_set=names), null=-1)


def _quoted(values: pa.Array, positions: NDArray[np.int64]) -> str:
    return first_few([repr(values[int(position)].as_py()) for position in positions[:_EXAMPLES]], len(positions))


def _unknown_names(keys: pa.Array, rows: int) -> str:
    """What names look like of which none is known."""
    sample = keys.slice(0, 100).to_pylist()
    like = [
        name
        for name, card in cards().items()
        if card.sample_ids and all(re.fullmatch(card.sample_ids, key) for key in sample)
    ]
    guess = f"; these look like {like[0]} ids" if like else ""
    return f"names such as {sample[0]!r} (0 of {rows:,} ids match{guess})"


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
    return [f"{found} ({_quoted(names, halves)})"] if len(halves) else []


def _suspicious(end: Floats, truth: Truth) -> list[str]:
    """What looks like a mistake, though it can be scored."""
    known = ~np.isnan(end) & ~np.isnan(truth.duration)
    if known.any() and np.mean(end[known] > truth.duration[known]) >= _BEYOND_SHARE:
        return ["nearly all predicted ends are beyond their videos: are these milliseconds, or frame numbers?"]
    return []


def _other_truth(quoted: tuple[Floats, Floats], row: Rows, truth: Truth) -> list[str]:
    """Whether the ground truth that predictions quote is another than the manifest's."""
    at = row >= 0
    start, end = (times[at] for times in quoted)
    other = ((start != truth.spans.start[row[at]]) | (end != truth.spans.end[row[at]])) & ~np.isnan(start)
    found = f"{np.count_nonzero(other):,} predictions quote another ground truth than the manifest has"
    return [found] if other.any() else []
