"""Answers to spans in seconds, with a status for every row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import InputError, Problem, UsageError, shown
from scorers.answers.patterns import select_patterns
from scorers.answers.reply import Reply, read_reply
from scorers.answers.units import Moment, TimeScale, time_scale

STATUSES = ("ok", "reversed", "single", "out_of_range", "none", "refusal", "edited")
_WINDOW = pa.struct([("start_s", pa.float64()), ("end_s", pa.float64()), ("score", pa.float64())])
ANSWER_SCHEMA = pa.schema(
    [
        pa.field("start_s", pa.float64()),
        pa.field("end_s", pa.float64()),
        pa.field("status", pa.string(), nullable=False),
        pa.field("pattern", pa.string()),
        pa.field("matched", pa.string()),
        pa.field("windows", pa.list_(_WINDOW), nullable=False),
        pa.field("note", pa.string()),
    ]
)

Floats = NDArray[np.float64]
Durations = Sequence[float | None] | Floats


def parse_answers(
    texts: Iterable[str | None],
    patterns: str | Sequence[str] = "general",
    scale: str = "seconds",
    durations: Durations | None = None,
) -> pa.Table:
    """Read a span out of each answer.

    The first pattern that finds anything decides, and its first window is the row's span. Nothing is guessed or mended:
    a reversed pair stays reversed, a lone time stays alone.

    Args:
        texts: (n,) answers; None is an answer without text.
        patterns: `general`, an official set (`official:vid-llm`, ...), or names of patterns in the order wanted.
        scale: what a number without a unit means (`time_scale`); clock strings and times with a unit are always times.
        durations: (n,) seconds of the videos, None or NaN where unknown.

    Returns:
        A table of n rows by `ANSWER_SCHEMA`. `start_s`, `end_s`: seconds, null where the answer does not state them.
        `status`, one of `STATUSES`: `reversed`, the end lies before the start; `out_of_range`, a time is negative or
        beyond the duration; `single`, one time only; `refusal`, no span, and words that decline to give one; `none`;
        else `ok` (a span of length 0, too). `pattern`, `matched`: what matched, and its text. `windows`: the complete
        spans in rank order. `note`: why a person should look although a span was found, or why none was.

    Raises:
        UsageError: unknown pattern, set or scale; durations missing altogether, or of another length; an answer that is
            no text.
        InputError: no duration in a row whose answer is on a relative scale; a duration that is no positive number.
    """
    chosen, on = select_patterns(patterns), time_scale(scale)
    answers = ["" if text is None else text for text in texts]
    if strange := next((text for text in answers if not isinstance(text, str)), None):
        raise UsageError(f"answers must be text, found {shown(strange)}")
    seconds = _checked(durations, len(answers))
    memory: dict[str, Reply] = {}
    for text in answers:
        if text not in memory:
            memory[text] = read_reply(text, chosen, on)
    replies = [memory[text] for text in answers]
    rows = np.repeat(np.arange(len(replies)), [len(reply.windows) for reply in replies])
    windows = list(chain.from_iterable(reply.windows for reply in replies))
    starts = _in_seconds([window.start for window in windows], rows, on, seconds, durations is not None)
    ends = _in_seconds([window.end for window in windows], rows, on, seconds, durations is not None)
    scores = [window.score for window in windows]
    return _table(replies, rows, starts, ends, scores, seconds)


def _checked(durations: Durations | None, count: int) -> Floats:
    """Durations as an array, NaN where unknown."""
    if durations is None:
        return np.full(count, np.nan)
    seconds = np.array(durations, dtype=np.float64)
    if seconds.shape != (count,):
        raise UsageError(f"found {seconds.size:,} durations for {count:,} answers")
    wrong = np.flatnonzero(~np.isnan(seconds) & ~((seconds > 0) & np.isfinite(seconds)))
    if wrong.size:
        raise InputError([_problem(row, shown(float(seconds[row])), "a positive number of seconds") for row in wrong])
    return seconds


def _in_seconds(
    moments: list[Moment | None], rows: NDArray[np.intp], scale: TimeScale, durations: Floats, given: bool
) -> Floats:
    """Seconds of each moment, NaN for None; `rows` says whose duration counts."""
    values = np.array([np.nan if moment is None else moment.value for moment in moments], dtype=np.float64)
    numbers = np.array([moment is not None and moment.kind == "number" for moment in moments], dtype=bool)
    if scale.relative and numbers.any():
        if not given:
            raise UsageError(f"answers on the scale {scale.name!r} need the durations of the videos")
        unknown = np.unique(rows[numbers & np.isnan(durations[rows])])
        if unknown.size:
            raise InputError([_problem(row, "none", f"seconds, needed on the scale {scale.name!r}") for row in unknown])
    return scale.to_seconds(values, numbers, durations[rows])


def _problem(row: np.intp, found: str, expected: str) -> Problem:
    return Problem("answers", f"row {row}", "duration", found, expected)


def _table(
    replies: list[Reply],
    rows: NDArray[np.intp],
    starts: Floats,
    ends: Floats,
    scores: list[float | None],
    durations: Floats,
) -> pa.Table:
    start, end = np.full(len(replies), np.nan), np.full(len(replies), np.nan)
    owners, firsts = np.unique(rows, return_index=True)
    start[owners], end[owners] = starts[firsts], ends[firsts]
    complete = ~np.isnan(starts) & ~np.isnan(ends)
    offsets = np.searchsorted(rows[complete], np.arange(len(replies) + 1)).astype(np.int32)
    kept = [score for score, whole in zip(scores, complete, strict=True) if whole]
    columns = [pa.array(starts[complete]), pa.array(ends[complete]), pa.array(kept, pa.float64())]
    structs = pa.StructArray.from_arrays(columns, fields=list(_WINDOW))
    return pa.table(
        {
            "start_s": pa.array(start, from_pandas=True),
            "end_s": pa.array(end, from_pandas=True),
            "status": pa.array(_statuses(replies, start, end, durations), pa.string()),
            "pattern": pa.array([reply.pattern for reply in replies], pa.string()),
            "matched": pa.array([reply.matched for reply in replies], pa.string()),
            "windows": pa.ListArray.from_arrays(pa.array(offsets), structs),
            "note": pa.array(["; ".join(reply.notes) or None for reply in replies], pa.string()),
        },
        schema=ANSWER_SCHEMA,
    )


def _statuses(replies: list[Reply], start: Floats, end: Floats, durations: Floats) -> NDArray[np.object_]:
    refuses = np.array([reply.refuses for reply in replies], dtype=bool)
    whole, neither = ~np.isnan(start) & ~np.isnan(end), np.isnan(start) & np.isnan(end)
    outside = (np.fmin(start, end) < 0) | (np.fmax(start, end) > durations)
    statuses = np.where(refuses, "refusal", "none").astype(object)
    statuses[~neither] = "single"
    statuses[whole] = "ok"
    statuses[whole & outside] = "out_of_range"
    statuses[whole & (end < start)] = "reversed"
    return statuses
