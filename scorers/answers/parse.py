"""Answers to spans in seconds, with a status for every row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import InputError, Problem, UsageError, shown
from scorers.answers.mentions import Span, TimeScale, time_scale
from scorers.answers.official import select_patterns
from scorers.answers.parts import parts_of
from scorers.answers.patterns import Found, Pattern, Reading
from scorers.answers.replies import FAILURES
from scorers.times import LONGEST_TIME

STATUSES: Mapping[str, str] = {
    "ok": "a span",
    "reversed": "a span that ends before it starts",
    "single": "one time alone",
    "out_of_range": "a time before the start or beyond the duration of the video",
    "none": "no time",
    "refusal": "no time, in words that decline to give one",
    "edited": "as a person edited it",
    **FAILURES,
}
"""What became of an answer, and what that means."""

_WINDOW = pa.struct([(name, pa.float64()) for name in ("start_s", "end_s", "score")])
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

_DECLINE_TO = "(?:provide|determine|identify|find)"
_REFUSAL = re.compile(
    r"\bas an ai\b|\bsorry\b|\bi(?:'m| am| was)? (?:can ?not|can't|could not|couldn't|unable to|not able to)\b"
    rf"|\b(?:not able|unable|not possible) to {_DECLINE_TO}\b"
    r"|\b(?:can ?not|can't|could not|couldn't) be (?:determined|identified|found)\b"
    r"|\b(?:does|do|did)(?: not|n't) (?:provide|contain|include|have) (?:\w+ ){0,6}"
    r"(?:information|details|timestamps?)\b"
    r"|\b(?:is|are) not (?:provided|available|specified)\b"
    r"|\b(?:no|not enough) (?:\w+ ){0,3}information\b|\bplease provide\b"
)
# What declines although times are named: it must be the start and the end that are not given.
_REFUSAL_OF_TIMES = re.compile(
    rf"\b(?:can ?not|can't|could not|couldn't|unable to|not able to) {_DECLINE_TO}[^.!?\n]{{0,60}}"
    r"\b(?:start|end|times?|timestamps?)\b"
)
_TIME_NAMED = re.compile(r"[0-9](?::[0-9]{2}| ?s(?:ecs?|econds?)?\b)")
_EXAMPLE = "stated as an example"
_CUT = "long answer, its middle is unread"
_BEFORE = "nothing in the final answer, read before it"
_DISAGREE = "patterns disagree"
_DENIED = "a span, and words that deny the event"
# Literal, since every answer with a span is searched for them.
_DENIALS = (
    *("no such ", "never happens", "never occurs"),
    *(f"{no} {verb}" for no in ("not", "n't") for verb in ("occur", "happen", "take place", "appear in the video")),
    *(f"not {seen} in the {what}" for seen in ("shown", "present", "visible", "seen") for what in ("video", "clip")),
)
_DIGIT = re.compile("[0-9]")
_DENIES_FIRST = re.compile(r"\W*(?:no\b[,.;:]|(?:no\W+)?there (?:is|was|are|were) no\b)")
# From how far apart two statements of one span differ; models round when they repeat themselves.
_SECONDS_APART = 1.0

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
        `status`, one of `STATUSES`: `reversed`, the end is before the start; `out_of_range`, a time is negative or
        beyond the duration; `single`, one time only; `refusal`, no span, and words that decline to give one; `none`;
        else `ok` (a span of length 0, too). `pattern`, `matched`: what matched, and its text. `windows`: the complete
        spans in rank order. `note`: why a person should look although a span was found, or why none was.

    Raises:
        UsageError: unknown pattern, set or scale; durations missing altogether, or of another length; an answer that is
            no text.
        InputError: no duration in a row whose answer is on a relative scale; a duration that is not a positive number.
    """
    chosen, on = select_patterns(patterns), time_scale(scale)
    answers = ["" if text is None else text for text in texts]
    if strange := next((text for text in answers if not isinstance(text, str)), None):
        raise UsageError(f"answers must be text, found {shown(strange)}")
    seconds = _checked(durations, len(answers))
    read = cache(lambda text, duration: _read(text, chosen, on.over(duration) if on.relative else on))
    lengths = np.where(np.isnan(seconds) | (not on.relative), 1.0, seconds).tolist()
    replies: list[Found] = [read(text, length) for text, length in zip(answers, lengths, strict=True)]
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


def _table(replies: list[Found], durations: Floats) -> pa.Table:
    firsts = [reply.spans[0] if reply.spans else Span(None, None) for reply in replies]
    rows = zip(replies, firsts, durations.tolist(), strict=True)
    columns = {
        "start_s": [span.start for span in firsts],
        "end_s": [span.end for span in firsts],
        "status": [_status(span, reply.refuses, duration) for reply, span, duration in rows],
        "pattern": [reply.pattern for reply in replies],
        "matched": [reply.matched for reply in replies],
        "windows": [
            [dict(zip(_WINDOW.names, span, strict=True)) for span in reply.spans if None not in span[:2]]
            for reply in replies
        ],
        "note": ["; ".join(reply.notes) or None for reply in replies],
    }
    return pa.table(columns, schema=ANSWER_SCHEMA)


def _status(span: Span, refuses: bool, duration: float) -> str:
    if span.start is None or span.end is None:
        return "single" if span[:2] != (None, None) else "refusal" if refuses else "none"
    if span.end < span.start:
        return "reversed"
    return "out_of_range" if span.start < 0 or span.end > duration else "ok"


def _read(answer: str, patterns: tuple[Pattern, ...], scale: TimeScale) -> Found:
    """What the first part of an answer says that says anything; of one that is not sure, whole spans alone count."""
    parts = parts_of(answer)
    readings = [Reading(answer, part.text, scale) for part in parts]
    for part, reading in zip(parts, readings, strict=True):
        found, checks = _found(reading, patterns)
        if part is not parts[-1] and not (found.whole or (part.sure and (found.pattern or found.refuses))):
            continue
        disagree = checks and _contradicted(found, readings[-1])
        notes = {
            _EXAMPLE: found.whole and part.example,
            _CUT: part.cut,
            _BEFORE: part.before and bool(found.spans),
            _DISAGREE: disagree,
            _DENIED: checks and bool(found.spans) and _denies(readings[-1].text.lower()),
        }
        return found._replace(notes=(*found.notes, *(note for note, holds in notes.items() if holds)))
    raise AssertionError


def _found(reading: Reading, patterns: tuple[Pattern, ...]) -> tuple[Found, bool]:
    """What the first of `patterns` finds that finds anything, of spans that lack an end only one; whether it checks."""
    for pattern in patterns:
        found = pattern.find(reading)
        # Nothing lasts longer than `LONGEST_TIME`: what is beyond is not a time.
        if found is None or not all(abs(end or 0.0) <= LONGEST_TIME for span in found.spans for end in span[:2]):
            continue
        complete = tuple(span for span in found.spans if None not in span[:2])
        refuses = not found.spans and _refuses(reading)
        spans = complete or found.spans[:1]
        return found._replace(spans=spans, pattern=pattern.name, refuses=refuses), pattern.checks
    return Found((), None, refuses=_refuses(reading)), False


def _refuses(reading: Reading) -> bool:
    """Whether the answer declines; one that names times does so only where it says that start and end are not given."""
    text = reading.text.lower()
    return bool((_REFUSAL_OF_TIMES if _TIME_NAMED.search(text) else _REFUSAL).search(text))


def _denies(text: str) -> bool:
    """Whether the answer (lower case) says that the event is not there, before any time: behind it stand reasons."""
    before = text[: first.start()] if (first := _DIGIT.search(text)) else text
    return _DENIES_FIRST.match(before) is not None or any(words in before for words in _DENIALS)


def _contradicted(found: Found, reading: Reading) -> bool:
    """Whether the running text states another span than those found."""
    prose = reading.prose
    stated = [Span(start.time.seconds, end.time.seconds) for start, end in prose.pairs]
    stated += [other.span for other in prose.ranges if other.layout != "listed"]
    return any(not any(_alike(span, known) for known in found.spans) for span in stated)


def _alike(one: Span, other: Span) -> bool:
    ends = zip(one[:2], other[:2], strict=True)
    return all(a == b if a is None or b is None else abs(a - b) < _SECONDS_APART for a, b in ends)
