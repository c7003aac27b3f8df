"""The rows that a person should look at, and the way back of that person's edits."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import Problem, UsageError, shown
from schemas.input.problems import raise_any
from scorers.answers.mentions import clock_seconds
from scorers.answers.parse import Durations
from scorers.answers.replies import FAILURES, Reply

REVIEW_SCHEMA = pa.schema(
    [
        pa.field("sample_id", pa.string(), nullable=False),
        pa.field("start", pa.float64()),
        pa.field("end", pa.float64()),
        pa.field("status", pa.string(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("pattern", pa.string()),
        pa.field("matched", pa.string()),
        pa.field("answer", pa.string()),
    ]
)
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})? ?s?")
_REASONS = {
    **FAILURES,
    "reversed": "the end lies before the start",
    "single": "only one time",
    "out_of_range": "a time is negative or beyond the video",
    "none": "no span",
    "refusal": "the answer declines",
}


def needs_review(parsed: pa.Table) -> pa.Array:
    """Why a person should look at each row of `parse_answers`, null where nobody need: (n,) strings."""
    rows = zip(parsed["status"].to_pylist(), parsed["note"].to_pylist(), strict=True)
    reasons = ("; ".join(filter(None, (_REASONS.get(status), note))) for status, note in rows)
    return pa.array([reason or None for reason in reasons], pa.string())


def with_failures(parsed: pa.Table, replies: Sequence[Reply]) -> pa.Table:
    """`parsed` with the status of requests that failed, and with what is said of replies that gave no whole span."""
    statuses, notes = parsed["status"].to_pylist(), parsed["note"].to_pylist()
    for row, reply in enumerate(replies):
        statuses[row] = reply.status or statuses[row]
        if reply.note and statuses[row] != "ok":
            notes[row] = "; ".join(filter(None, (notes[row], reply.note)))
    columns = {name: parsed[name] for name in parsed.schema.names} | {"status": statuses, "note": notes}
    return pa.table(columns, schema=parsed.schema)


def review_table(sample_ids: Sequence[str], texts: Sequence[str | None], parsed: pa.Table) -> pa.Table:
    """The rows that need review, by `REVIEW_SCHEMA`, with their answers; `start` and `end` (seconds) are for edits."""
    reasons = needs_review(parsed)
    table = pa.table(
        {
            "sample_id": pa.array(sample_ids, pa.string()),
            "start": parsed["start_s"],
            "end": parsed["end_s"],
            "status": parsed["status"],
            "reason": reasons,
            "pattern": parsed["pattern"],
            "matched": parsed["matched"],
            "answer": pa.array(texts, pa.string()),
        }
    )
    return table.filter(pc.is_valid(reasons)).cast(REVIEW_SCHEMA)


def apply_edits(
    sample_ids: Sequence[str],
    parsed: pa.Table,
    edits: Iterable[tuple[str, object, object]],
    durations: Durations | None = None,
    file: str = "edits",
) -> pa.Table:
    """Put a person's spans in place of the parsed ones.

    A row of `edits` that repeats what was parsed changes nothing. Any other becomes status `edited` with the new span
    as its only window; empty start and end take the span away.

    Args:
        sample_ids: (n,) keys of the rows of `parsed`.
        parsed: what `parse_answers` gave, or what this function gave before.
        edits: (sample_id, start, end); times are numbers of seconds, clock strings, or empty ("", None, NaN).
        durations: (n,) seconds of the videos, None or NaN where unknown.
        file: name of the file that the edits come from, for messages.

    Raises:
        UsageError: `sample_ids` or `durations` of another length than `parsed`.
        InputError: unknown or repeated sample id, something that is not a time, one time without the other, a negative
            time, an end before its start or beyond the video. All of them are reported, nothing is applied.
    """
    if len(sample_ids) != parsed.num_rows or (durations is not None and len(durations) != parsed.num_rows):
        raise UsageError(f"{parsed.num_rows:,} parsed answers, but another number of sample ids or durations")
    seconds = np.full(parsed.num_rows, np.nan) if durations is None else np.array(durations, dtype=np.float64)
    rows = {sample_id: row for row, sample_id in enumerate(sample_ids)}
    given = list(edits)
    times_given = Counter(sample_id for sample_id, _, _ in given)
    columns = {name: parsed[name].to_pylist() for name in parsed.schema.names}
    problems: list[Problem] = []
    for number, (sample_id, start, end) in enumerate(given, start=1):
        row, span = rows.get(sample_id), (_cell(start), _cell(end))
        if row is None:
            wrong = [("sample_id", shown(sample_id), "a sample of the parsed answers")]
        elif times_given[sample_id] > 1:
            wrong = [("sample_id", f"{times_given[sample_id]} rows", "one row per sample")]
        elif span == (columns["start_s"][row], columns["end_s"][row]):
            continue
        else:
            wrong = _wrong(span, (start, end), seconds[row])
            if not wrong:
                _edit(columns, row, span)
        problems += [Problem(file, f"row {number} {sample_id!r}", *what) for what in wrong]
    raise_any(problems)
    return pa.table(columns, schema=parsed.schema)


def _edit(columns: dict[str, list[object]], row: int, span: tuple[float | None, float | None]) -> None:
    ends = dict(zip(("start_s", "end_s"), span, strict=True))
    new = {**ends, "status": "edited", "windows": [] if None in span else [{**ends, "score": None}]}
    for name, values in columns.items():
        values[row] = new.get(name)


def _wrong(
    span: tuple[float | None, float | None], cells: tuple[object, object], duration: float
) -> list[tuple[str, str, str]]:
    """Field, what was found, what is expected, of everything wrong with an edited span."""
    problems = []
    for field, seconds, cell in zip(("start", "end"), span, cells, strict=True):
        if seconds is not None and not 0 <= seconds < math.inf:
            problems.append((field, shown(cell), "seconds from 0, a clock string, or nothing"))
        elif seconds is not None and seconds > duration:
            problems.append((field, shown(cell), f"at most the duration of the video, {duration:g} s"))
    start, end = span
    if (start is None) != (end is None):
        problems.append(("start" if start is None else "end", "nothing", "both times, or neither"))
    elif not problems and start is not None and end is not None and end < start:
        problems.append(("end", shown(cells[1]), f"no less than the start, {start:g}"))
    return problems


def _cell(value: object) -> float | None:
    """Seconds of an edited cell, None where it is empty, NaN where it is not a time."""
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        return None if math.isnan(value) else float(value)
    text = "" if value is None else str(value).strip()
    if text == "":
        return None
    clock = clock_seconds(text)
    if clock is not None:
        return clock
    return float(text.removesuffix("s")) if _NUMBER.fullmatch(text) else math.nan
