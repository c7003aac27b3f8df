"""Free model answers to predictions, with the rows that a person should look at."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

from schemas.arrays import floats, integers
from schemas.cards import cards
from schemas.errors import UsageError, unknown_name
from schemas.exchange import new_file
from schemas.input.csv import read_csv
from schemas.manifest import Manifest
from schemas.paths import real_path
from scorers.answers import STATUSES, apply_edits, parse_answers, review_table, with_failures
from scorers.answers.files import read_answers
from scorers.table_files import as_meant, fill, inert_table, refuse_suffix
from scorers.temporal.matching import missing, rows_of
from scorers.temporal.truth import Truth


@dataclass(frozen=True)
class Parsed:
    """What became of the answers.

    Attributes:
        statuses: rows by status.
        patterns: rows by the pattern that matched.
        review: rows that a person should look at (`scorers.answers.REVIEW_SCHEMA`).
        names: answers by what became of those whose names are not exact (`scorers.temporal.matching.Match`).
        warnings: failed requests, unknown and missing rows.
    """

    statuses: dict[str, int]
    patterns: dict[str, int]
    review: pa.Table
    names: dict[str, int]
    warnings: list[str]


def parse_file(
    path: Path,
    out: Path,
    truth: Truth,
    patterns: str = "general",
    scale: str = "seconds",
    edits: Path | None = None,
    field: str | None = None,
    review: Path | None = None,
    force: bool = False,
) -> Parsed:
    """Read answers, parse them, put a person's edits over them, write predictions and the rows to look at, or neither.

    Args:
        path: the answers.
        out: predictions to write; `.parquet`, `.csv` or `.json`.
        truth: the manifest's rows, for names and durations.
        patterns: `general`, `official` (the authors' for this benchmark and model family), or `official:...`.
        scale: what a number without a unit means.
        edits: an edited review file, None for none.
        field: of the records, the one that holds the text of the answer; found by its name when None.
        review: file of the rows to look at, see `write_review`; not written when None.
        force: whether that file is replaced where it may have been edited.

    Raises:
        InputError, UsageError: see `read_answers`, `parse_answers`, `apply_edits`.
    """
    answers = read_answers(path, field)
    match = rows_of(truth, answers.file, answers.keys, answers.queries, answers.videos)
    row = match.row
    replies = [reply for reply, place in zip(answers.replies, row.tolist(), strict=True) if place >= 0]
    texts = [reply.text for reply in replies]
    known = row[row >= 0]
    names, durations = truth.names.take(pa.array(known)), truth.duration[known]
    chosen = _official_set(truth.manifest, answers.field) if patterns == "official" else patterns
    parsed = with_failures(parse_answers(texts, chosen, scale, durations), replies)
    if edits is not None:
        parsed = apply_edits(names.to_pylist(), parsed, read_edits(edits), durations, str(edits))
    doubtful = review_table(names.to_pylist(), texts, parsed)
    suffix = refuse_suffix(out)
    with new_file(out) as draft:
        fill(draft, windows_of(names, parsed), suffix)
        if review is not None:
            write_review(review, doubtful, edits, force=force)
    empty = [] if len(truth) else ["the split has no rows"]
    counts, matched = Counter(parsed["status"].to_pylist()), Counter(parsed["pattern"].to_pylist())
    return Parsed(
        {status: counts[status] for status in STATUSES if counts[status]},
        {pattern: count for pattern, count in matched.most_common() if pattern},
        doubtful,
        match.counts,
        [*empty, *answers.warnings, *match.warnings, *missing(row, truth.names)],
    )


def windows_of(names: pa.Array, parsed: pa.Table) -> pa.Table:
    """Parsed answers (`scorers.answers.ANSWER_SCHEMA`) as predictions: a row per window, ranked by a falling `score`.

    Without several windows in any answer there is no `score`. A row without a whole window has null times, and so has a
    window that begins or ends before the video does: its status says so.
    """
    lists = parsed["windows"].combine_chunks()
    lengths = integers(lists.value_lengths())
    counts = np.maximum(lengths, 1)
    row = np.repeat(np.arange(len(names)), counts)
    rank = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    times = np.full((2, len(row)), np.nan)
    times[:, lengths[row] > 0] = [floats(lists.flatten().field(name)) for name in ("start_s", "end_s")]
    times[:, (times < 0).any(axis=0)] = np.nan
    start, end = (pa.array(side, from_pandas=True) for side in times)
    scores = {"score": pa.array(1.0 / (1 + rank))} if (counts > 1).any() else {}
    extra = {name: parsed[name].take(pa.array(row)) for name in ("status", "pattern")}
    return pa.table({"sample_id": names.take(pa.array(row)), "start_s": start, "end_s": end} | scores | extra)


def _official_set(manifest: Manifest, field: str) -> str:
    """The authors' set of patterns for answers in `field`, by the manifest's card.

    Raises:
        UsageError: a benchmark whose authors' patterns are not known.
    """
    card = manifest.card
    if card is None or not card.answer_patterns:
        known = [name for name, other in cards().items() if other.answer_patterns]
        raise unknown_name("benchmark with official patterns", manifest.identity.name, known)
    family = next((name for name in card.answer_patterns if field.startswith(name)), "others")
    return card.answer_patterns[family]


def write_review(path: Path, review: pa.Table, edits: Path | None = None, *, force: bool = False) -> None:
    """Write the rows to look at as CSV; its columns `start` and `end` are there to be edited.

    Texts that a spreadsheet would run have an apostrophe before them, which `read_edits` takes away. What is there and
    reads otherwise may be a person's work, and is not replaced without `force`; where `path` is `edits`, never.

    Raises:
        UsageError: the file is there and holds something else.
    """
    if edits is not None and real_path(path) == real_path(edits):
        return
    with new_file(path) as draft:
        csv.write_csv(inert_table(review), draft)
        if not force and path.exists() and path.read_bytes() != draft.read_bytes():
            advice = "give it as --edits, name another --review, or replace it with --force"
            raise UsageError(f"{path} is there already, and may have been edited; {advice}")


def read_edits(path: Path) -> list[tuple[str, object, object]]:
    """Sample id, start and end of each row of an edited review file.

    Raises:
        InputError: unreadable file or missing columns.
    """
    names, *times = (column.to_pylist() for column in read_csv(path, ("sample_id", "start", "end")).columns)
    return list(zip((name and as_meant(name) for name in names), *times, strict=True))
