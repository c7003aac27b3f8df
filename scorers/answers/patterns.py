"""The general patterns in the order in which they are tried."""

from __future__ import annotations

import re
from collections.abc import Callable

from scorers.answers.reading import MIDPOINTS, NULL, SEVERAL, Found, Pattern, Reading, excerpt
from scorers.answers.spans import Layout, Span, joined
from scorers.answers.structured import spans_in_json

FURTHER = "further times"
UNEVEN = "only one time has a unit"

_VALUE_MISSING = (
    r"[\"'_ ]{0,4}(?:times?|timestamps?)?[\"' ]{0,4}[:=]?[\"' ]{0,4}(?:null|none|n/?a|unknown|not[ -][a-z]+)\b"
)
_NO_START = re.compile("start" + _VALUE_MISSING)
_NO_END = re.compile("end" + _VALUE_MISSING)
_WORD = re.compile(r"[^\W\d_]{2}|[^\x00-\x7F]")


def _explicit_null(reading: Reading) -> Found | None:
    start = _NO_START.search(reading.prose.lower)
    end = _NO_END.search(reading.prose.lower) if start else None
    return Found((), excerpt(f"{start[0]} ... {end[0]}"), (NULL,)) if start and end else None


def _labelled(reading: Reading, midpoints: bool) -> Found | None:
    prose = reading.prose
    if not prose.pairs:
        return None
    start, end = prose.pairs[0]
    if (start.midpoint or end.midpoint) != midpoints:
        return None
    spans = tuple(dict.fromkeys(Span(start.time.seconds, end.time.seconds) for start, end in prose.pairs))
    known = {seconds for span in spans for seconds in span[:2]}
    doubts = {
        MIDPOINTS: midpoints,
        SEVERAL: len(spans) > 1,
        UNEVEN: (start.time.unit == "") != (end.time.unit == ""),
        FURTHER: any(single.time.seconds not in known for single in prose.left),
    }
    matched = prose.text[min(start.begin, end.begin) : max(start.time.end, end.time.end)]
    return Found(spans, excerpt(matched), tuple(note for note, holds in doubts.items() if holds))


def _start_and_end(reading: Reading) -> Found | None:
    prose = reading.prose
    for both in (time for time in prose.labelled if time.label == "both" and prose.joints[time.position]):
        first, second = prose.times[both.position : both.position + 2]
        return Found((joined(first, second),), excerpt(prose.text[both.begin : second.end]))
    return None


def _range(layout: Layout) -> Callable[[Reading], Found | None]:
    def find(reading: Reading) -> Found | None:
        ranges = [found for found in reading.prose.ranges if found.layout == layout]
        if not ranges:
            return None
        first, second = ranges[0].first, ranges[0].second
        spans = tuple(dict.fromkeys(found.span for found in ranges))
        doubts = {
            SEVERAL: len(spans) > 1,
            "numbers without a unit": reading.scale.unit == "seconds" and not first.unit and not second.unit,
            UNEVEN: {first.unit, second.unit} == {"clock", ""},
            "two times without a relation": layout == "listed",
        }
        matched = excerpt(reading.prose.text[first.start : second.end])
        return Found(spans, matched, tuple(note for note, holds in doubts.items() if holds))

    return find


def _two_times(reading: Reading) -> Found | None:
    return _range("listed")(reading) if len(reading.prose.times) == 2 else None


def _single_time(reading: Reading) -> Found | None:
    prose = reading.prose
    if len({(single.label, single.time.seconds) for single in prose.left}) == 1:
        label, time, _, midpoint, begin = prose.left[0]
        others = not midpoint and any(other.seconds != time.seconds for other in prose.times)
        span = Span(time.seconds, None) if label == "start" else Span(None, time.seconds)
        return Found((span,), excerpt(prose.text[begin : time.end]), (MIDPOINTS,) * midpoint + (FURTHER,) * others)
    # The only number may be anything where it has no unit and words stand around it.
    any_number = not any(time.unit for time in prose.times) and _WORD.search(prose.text)
    if len({time.seconds for time in prose.times}) != 1 or any_number:
        return None
    time = prose.times[0]
    return Found((Span(time.seconds, None),), prose.text[time.start : time.end])


GENERAL: tuple[Pattern, ...] = (
    Pattern("json", "objects and lists in JSON, under any usual key, nested", spans_in_json, checks=True),
    Pattern("explicit-null", "start and end are said to be null, not found, unknown", _explicit_null),
    Pattern("labelled", "start: a ... end: b; starts at a and ends at b", lambda r: _labelled(r, False), checks=True),
    Pattern("labelled-ranges", "start: a - b, end: c - d; their midpoints", lambda r: _labelled(r, True)),
    Pattern("start-and-end", "start and end are a and b", _start_and_end, checks=True),
    Pattern("from-to", "from a to b", _range("from-to"), checks=True),
    Pattern("between-and", "between a and b", _range("between-and"), checks=True),
    Pattern("range", "a - b, a to b, a until b", _range("range"), checks=True),
    Pattern("brackets", "[a, b], (a, b)", _range("brackets"), checks=True),
    Pattern("two-times", "exactly two times with units, side by side: a and b", _two_times),
    Pattern("single-time", "only one time", _single_time),
)
