"""What a pattern is and what it reads of an answer; the general patterns in the order in which they are tried."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from scorers.answers.mentions import Span, TimeScale, joined
from scorers.answers.spans import Layout, Prose, prose_of
from scorers.answers.structured import spans_in_json

MIDPOINTS = "midpoints of ranges"
SEVERAL = "several spans"
NULL = "the answer says null"
FURTHER = "further times"
UNEVEN = "only one time has a unit"
ELSEWHERE = "counted from another moment"
LASTING = "may be how long it lasts"
WHOLE = "may be the start and the end of the video"

_MATCHED_CHARACTERS = 200
_QUOTED = re.compile(r'"[^"\n]{1,600}"(?P<key>\s*[:=])?')
# 7,5 s: one number, as much of Europe writes it; in brackets it is two.
_DIGIT_COMMA = re.compile(r"[0-9],[0-9]")
_DECIMAL_COMMA = re.compile(r"(?<![\d.,:\[(<{/-])(\d{1,4}),(\d{1,2})(?![\d:\])>}/]|[.,]\d)")
_VALUE_MISSING = (
    r"[\"'_ ]{0,4}(?:times?|timestamps?)?[\"' ]{0,4}[:=]?[\"' ]{0,4}(?:null|none|n/?a|unknown|not[ -][a-z]+)\b"
)
_NO_START = re.compile("start" + _VALUE_MISSING)
_NO_END = re.compile("end" + _VALUE_MISSING)
# 12 s before the end, 2 s after the door opens: not times of the video, but for its start.
_ELSEWHERE = re.compile(
    r" (?:(?:before|after|prior to|from) (?:the )?end\b|(?:before|after|prior to) the\b"
    r"(?! (?:start|beginning) of the (?:video|clip|footage))|earlier\b)"
)
_LASTING = re.compile(
    r"\b(?:duration|(?:period|course|intervals?) of|waits?|waited|every|(?:less|more) than|last(?:s|ed)? from)\W{1,3}$"
)
_WHOLE = re.compile(r"(?<!in )(?<!of )\b(?:the|this) (?:video|clip|footage|recording) (?:itself |also )?$")
_WORD = re.compile(r"[^\W\d_]{2}|[^\x00-\x7F]")


class Reading:
    """A part of an answer under one time scale.

    Attributes:
        raw: the whole answer as given; only the official patterns read it.
        text: the part, as `parts_of` gives it.
        scale: what a number without a unit means.
    """

    def __init__(self, raw: str, text: str, scale: TimeScale) -> None:
        self.raw = raw
        self.text = text
        self.scale = scale

    @cached_property
    def prose(self) -> Prose:
        text = _QUOTED.sub(_shortened, self.text).replace("*", " ")
        decimal = _DECIMAL_COMMA.sub(r"\1.\2", text) if _DIGIT_COMMA.search(text) else text
        return prose_of(decimal, self.scale)


class Found(NamedTuple):
    """What one pattern found in one answer.

    Attributes:
        spans: best first; none where the answer states that there is no span; an end may be missing.
        matched: the text that matched, None where no pattern found anything.
        notes: why a person should look, empty where nobody need.
        pattern: name of the pattern that decided, None where none did.
        refuses: whether the answer gives no span and declines to.
    """

    spans: tuple[Span, ...]
    matched: str | None
    notes: tuple[str, ...] = ()
    pattern: str | None = None
    refuses: bool = False

    @property
    def whole(self) -> bool:
        """Whether the best span has both ends."""
        return bool(self.spans) and None not in self.spans[0][:2]


class Pattern(NamedTuple):
    """A named way of reading a span out of an answer.

    Attributes:
        name: as recorded with each row.
        meaning: one line for people.
        find: gives what it finds, or None.
        checks: whether it is noted when the running text states another span than the one found.
    """

    name: str
    meaning: str
    find: Callable[[Reading], Found | None]
    checks: bool = False


def found(spans: Sequence[Span], text: str, doubts: Mapping[str, bool] | None = None) -> Found:
    """Spans with the text that matched, as one line of at most 200 characters, and the notes that hold."""
    line = " ".join(text[: 4 * _MATCHED_CHARACTERS].split())
    matched = line if len(line) <= _MATCHED_CHARACTERS else line[: _MATCHED_CHARACTERS - 3] + "..."
    return Found(tuple(spans), matched, tuple(note for note, holds in (doubts or {}).items() if holds))


def _shortened(quoted: re.Match[str]) -> str:
    return quoted[0] if quoted["key"] or any(map(str.isdigit, quoted[0])) else '"..."'


def _json(reading: Reading) -> Found | None:
    spans, matched, several = spans_in_json(reading.text, reading.scale)
    return found(spans, matched, {NULL: not spans, SEVERAL: several}) if matched else None


def _explicit_null(reading: Reading) -> Found | None:
    start = _NO_START.search(reading.prose.lower)
    end = _NO_END.search(reading.prose.lower) if start else None
    return found((), f"{start[0]} ... {end[0]}", {NULL: True}) if start and end else None


def _labelled(reading: Reading, midpoints: bool) -> Found | None:
    prose = reading.prose
    if not prose.pairs:
        return None
    start, end = prose.pairs[0]
    if (start.midpoint or end.midpoint) != midpoints:
        return None
    spans = list(dict.fromkeys(Span(start.time.seconds, end.time.seconds) for start, end in prose.pairs))
    known = {seconds for span in spans for seconds in span[:2]}
    doubts = {
        MIDPOINTS: midpoints,
        SEVERAL: len(spans) > 1,
        UNEVEN: (start.time.unit == "") != (end.time.unit == ""),
        FURTHER: any(single.time.seconds not in known for single in prose.left),
        ELSEWHERE: any(_ELSEWHERE.match(prose.lower, side.time.end) for side in (start, end)),
        WHOLE: bool(_WHOLE.search(prose.lower[max(0, start.begin - 40) : start.begin])),
    }
    return found(spans, prose.text[min(start.begin, end.begin) : max(start.time.end, end.time.end)], doubts)


def _start_and_end(reading: Reading) -> Found | None:
    prose = reading.prose
    for both in (time for time in prose.labelled if time.label == "both" and prose.joints[time.position]):
        first, second = prose.times[both.position : both.position + 2]
        return found([joined(first, second)], prose.text[both.begin : second.end])
    return None


def _range(layout: Layout) -> Callable[[Reading], Found | None]:
    def find(reading: Reading) -> Found | None:
        ranges = [each for each in reading.prose.ranges if each.layout == layout]
        if not ranges:
            return None
        first, second, lower = ranges[0].first, ranges[0].second, reading.prose.lower
        spans = list(dict.fromkeys(each.span for each in ranges))
        doubts = {
            SEVERAL: len(spans) > 1,
            "numbers without a unit": reading.scale.unit == "seconds" and not first.unit and not second.unit,
            UNEVEN: {first.unit, second.unit} == {"clock", ""},
            "two times without a relation": layout == "listed",
            ELSEWHERE: bool(_ELSEWHERE.match(lower, second.end)),
            LASTING: bool(_LASTING.search(lower[max(0, first.start - 30) : first.start])),
        }
        return found(spans, reading.prose.text[first.start : second.end], doubts)

    return find


def _two_times(reading: Reading) -> Found | None:
    return _range("listed")(reading) if len(reading.prose.times) == 2 else None


def _single_time(reading: Reading) -> Found | None:
    prose = reading.prose
    if len({(single.label, single.time.seconds) for single in prose.left}) == 1:
        label, time, _, midpoint, begin = prose.left[0]
        others = not midpoint and any(other.seconds != time.seconds for other in prose.times)
        span = Span(time.seconds, None) if label == "start" else Span(None, time.seconds)
        return found([span], prose.text[begin : time.end], {MIDPOINTS: midpoint, FURTHER: others})
    # The only number may be anything where it has no unit and words stand around it.
    any_number = not any(time.unit for time in prose.times) and _WORD.search(prose.text)
    if len({time.seconds for time in prose.times}) != 1 or any_number:
        return None
    time = prose.times[0]
    return Found((Span(time.seconds, None),), prose.text[time.start : time.end])


GENERAL: tuple[Pattern, ...] = (
    Pattern("json", "objects and lists in JSON, under any usual key, nested", _json, checks=True),
    Pattern("explicit-null", "start and end are said to be null, not found, unknown", _explicit_null),
    Pattern("labelled", "start: a ... end: b; starts at a and ends at b", lambda r: _labelled(r, False), checks=True),
    Pattern("labelled-ranges", "start: a - b, end: c - d; their midpoints", lambda r: _labelled(r, True)),
    Pattern("start-and-end", "start and end are a and b", _start_and_end, checks=True),
    Pattern("from-to", "from a to b", _range("from-to"), checks=True),
    Pattern("between-and", "between a and b", _range("between-and"), checks=True),
    Pattern("range", "a - b, a to b, a until b, a through b", _range("range"), checks=True),
    Pattern("brackets", "[a, b], (a, b)", _range("brackets"), checks=True),
    Pattern("two-times", "exactly two times with units, side by side: a and b", _two_times),
    Pattern("single-time", "only one time", _single_time),
)
