"""Answers to spans in seconds, with a status for every row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.arrays import floats
from schemas.errors import InputError, Problem, UsageError, shown
from scorers.answers.reply import Reply, read_reply, select_patterns
from scorers.answers.scales import time_scale
from scorers.answers.spans import Span

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
    read = cache(lambda text, duration: read_reply(text, chosen, on.over(duration)))
    lengths = np.where(np.isnan(seconds) | (not on.relative), 1.0, seconds).tolist()
    replies: list[Reply] = [read(text, length) for text, length in zip(answers, lengths, strict=True)]
    # Whether the duration matters shows in whether another one changes the spans.
    unknown = np.flatnonzero(np.isnan(seconds)) if on.relative else ()
    needed = [row for row in unknown if read(answers[row], 2.0).spans != replies[row].spans]
    if needed and durations is None:
        raise UsageError(f"answers on the scale {on.name!r} need the durations of the videos")
    if needed:
        raise InputError([_problem(row, "none", f"seconds, needed on the scale {on.name!r}") for row in needed])
    return _table(replies, seconds)


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


def _problem(row: np.intp, found: str, expected: str) -> Problem:
    return Problem("answers", f"row {row}", "duration", found, expected)


def _table(replies: list[Reply], durations: Floats) -> pa.Table:
    firsts = [reply.spans[0] if reply.spans else Span(None, None) for reply in replies]
    start, end = (pa.array([span[side] for span in firsts], pa.float64()) for side in (0, 1))
    windows = [
        [dict(zip(_WINDOW.names, span, strict=True)) for span in reply.spans if None not in span[:2]]
        for reply in replies
    ]
    return pa.table(
        {
            "start_s": start,
            "end_s": end,
            "status": pa.array(_statuses(replies, floats(start), floats(end), durations), pa.string()),
            "pattern": pa.array([reply.pattern for reply in replies], pa.string()),
            "matched": pa.array([reply.matched for reply in replies], pa.string()),
            "windows": pa.array(windows, pa.list_(_WINDOW)),
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
