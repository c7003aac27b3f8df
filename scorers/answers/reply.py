"""The choice of patterns, and what one answer says: the spans of the first that finds any, or that it declines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from schemas.errors import UsageError, unknown_name
from scorers.answers.official import OFFICIAL_SETS
from scorers.answers.patterns import GENERAL
from scorers.answers.reading import Found, Pattern, Reading
from scorers.answers.scales import TimeScale
from scorers.answers.spans import Span
from scorers.times import LONGEST_TIME

OFFICIAL: dict[str, tuple[str, ...]] = {
    name: tuple(p.name for p in patterns) for name, patterns in OFFICIAL_SETS.items()
}
PATTERNS: dict[str, Pattern] = {
    pattern.name: pattern for patterns in (*OFFICIAL_SETS.values(), GENERAL) for pattern in patterns
}

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
# From how far apart two statements of one span differ; models round when they repeat themselves.
_SECONDS_APART = 1.0


class Reply(NamedTuple):
    """What one answer says.

    Attributes:
        spans: in rank order; one that lacks an end stands alone.
        pattern: name of the pattern that decided, None where none did.
        matched: text that it matched.
        notes: why a person should look.
        refuses: whether the answer gives no span and declines to.
    """

    spans: tuple[Span, ...] = ()
    pattern: str | None = None
    matched: str | None = None
    notes: tuple[str, ...] = ()
    refuses: bool = False


def select_patterns(patterns: str | Sequence[str]) -> tuple[Pattern, ...]:
    """The patterns of a set (`general`, `official:vid-llm`, ...), or those named one by one, in the order given.

    Raises:
        UsageError: an unknown set or pattern, no pattern at all.
    """
    if patterns == "general":
        return GENERAL
    if isinstance(patterns, str):
        if patterns not in OFFICIAL_SETS:
            raise unknown_name("set of patterns", patterns, ["general", *OFFICIAL_SETS])
        return OFFICIAL_SETS[patterns]
    if not patterns:
        raise UsageError("no patterns named; give a set such as 'general', or names of patterns")
    for name in patterns:
        if name not in PATTERNS:
            raise unknown_name("pattern", name, list(PATTERNS))
    return tuple(PATTERNS[name] for name in patterns)


def read_reply(text: str, patterns: tuple[Pattern, ...], scale: TimeScale) -> Reply:
    """Read one answer by the first of `patterns` that finds anything."""
    reading = Reading(text, scale)
    unread = ("long answer, its middle is unread",) * reading.cut
    for pattern in patterns:
        found = pattern.find(reading)
        if found is None or not all(_possible(seconds) for span in found.spans for seconds in span[:2]):
            continue
        disagree = ("patterns disagree",) * (pattern.checks and _contradicted(found, reading))
        complete = tuple(span for span in found.spans if None not in span[:2])
        refuses = not found.spans and _refuses(reading)
        notes = found.notes + unread + disagree
        return Reply(complete or found.spans[:1], pattern.name, found.matched, notes, refuses)
    return Reply(notes=unread, refuses=_refuses(reading))


def _refuses(reading: Reading) -> bool:
    """Whether the answer declines; one that names times does so only where it says that start and end are not given."""
    text = reading.text.lower()
    return bool((_REFUSAL_OF_TIMES if _TIME_NAMED.search(text) else _REFUSAL).search(text))


def _contradicted(found: Found, reading: Reading) -> bool:
    """Whether the running text states another span than those found."""
    prose = reading.prose
    stated = [Span(start.time.seconds, end.time.seconds) for start, end in prose.pairs]
    stated += [other.span for other in prose.ranges if other.layout != "listed"]
    return any(not any(_alike(span, known) for known in found.spans) for span in stated)


def _alike(one: Span, other: Span) -> bool:
    ends = zip(one[:2], other[:2], strict=True)
    return all(a == b if a is None or b is None else abs(a - b) < _SECONDS_APART for a, b in ends)


def _possible(seconds: float | None) -> bool:
    """Nothing lasts longer than `LONGEST_TIME`: what is beyond is no time."""
    return seconds is None or abs(seconds) <= LONGEST_TIME
