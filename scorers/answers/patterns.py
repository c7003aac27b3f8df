"""Every named pattern, the general ones in the order in which they are tried, and the choice among them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from schemas.errors import UsageError, unknown_name
from scorers.answers.found import (
    FURTHER,
    LISTED,
    MIDPOINTS,
    NULL,
    PLAIN_NUMBERS,
    SEVERAL,
    UNEVEN,
    Found,
    Pattern,
)
from scorers.answers.official import OFFICIAL_SETS
from scorers.answers.ranges import RangeForm, joined
from scorers.answers.reading import Reading, excerpt
from scorers.answers.structured import structured
from scorers.answers.units import Window

_VALUE_MISSING = (
    r"[\"'_ ]{0,4}(?:times?|timestamps?)?[\"' ]{0,4}(?:[:=]|\bis\b|\bare\b)?[\"' ]{0,4}"
    r"(?:null|none|nan|n/?a|not[ -](?:found|applicable|available|present|specified|mentioned)|unknown|undefined)\b"
)
_NO_START = re.compile(rf"(?:start|begin)(?:ing)?{_VALUE_MISSING}")
_NO_END = re.compile(rf"(?:end|stop)(?:ing)?{_VALUE_MISSING}")


def _json(reading: Reading) -> Found | None:
    result = structured(reading.text, reading.scale)
    if result is None:
        return None
    notes = (NULL,) * result.null + (SEVERAL,) * (result.values > 1)
    return Found(tuple(result.windows), excerpt(result.matched), notes)


def _explicit_null(reading: Reading) -> Found | None:
    start = _NO_START.search(reading.prose.lower)
    end = _NO_END.search(reading.prose.lower) if start else None
    if start is None or end is None:
        return None
    return Found((), excerpt(f"{start[0]} ... {end[0]}"), (NULL,))


def _labelled(reading: Reading, midpoints: bool) -> Found | None:
    pairing = reading.prose.pairing
    if not pairing.windows or pairing.midpoints != midpoints:
        return None
    notes = [MIDPOINTS] if midpoints else []
    if len(pairing.windows) > 1:
        notes.append(SEVERAL)
    if pairing.uneven:
        notes.append(UNEVEN)
    known = {moment for window in pairing.windows for moment in window[:2]} if pairing.left else ()
    if any(time.moment not in known for time in pairing.left):
        notes.append(FURTHER)
    return Found(tuple(pairing.windows), excerpt(reading.prose.text[pairing.begin : pairing.stop]), tuple(notes))


def _start_and_end(reading: Reading) -> Found | None:
    prose = reading.prose
    for time in prose.labelled:
        pair = joined(prose.lower, prose.mentions, time.mention, "and") if time.label == "both" else None
        if pair is not None:
            stop = prose.mentions[time.mention + 1].end
            return Found((Window(*pair),), excerpt(prose.text[time.begin : stop]))
    return None


def _range(*forms: RangeForm) -> Callable[[Reading], Found | None]:
    def find(reading: Reading) -> Found | None:
        prose = reading.prose
        joints = [joint for joint in prose.ranges if joint.form in forms]
        if not joints:
            return None
        first, second = prose.mentions[joints[0].mention], prose.mentions[joints[0].mention + 1]
        windows = tuple(dict.fromkeys(joint.window for joint in joints))
        bare = reading.scale.unit == "seconds" and first.form == second.form == "plain"
        notes = (SEVERAL,) * (len(windows) > 1) + (PLAIN_NUMBERS,) * bare
        matched = _with_words_before(prose.text, first.start) + prose.text[first.start : second.end]
        return Found(windows, excerpt(matched), notes)

    return find


def _with_words_before(text: str, position: int) -> str:
    """The last words before `position`, 24 characters at most."""
    before = text[max(0, position - 24) : position]
    return before if len(before) < 24 else before[before.find(" ") + 1 :]


def _two_times(reading: Reading) -> Found | None:
    if len(reading.prose.mentions) != 2 or any(time.form == "plain" for time in reading.prose.mentions):
        return None
    found = _range("listed")(reading)
    return found and found._replace(notes=(*found.notes, LISTED))


def _single_time(reading: Reading) -> Found | None:
    prose = reading.prose
    left, times = prose.pairing.left, prose.mentions
    if len({(time.label, time.moment) for time in left}) == 1:
        moment = left[0].moment
        window = Window(moment, None) if left[0].label == "start" else Window(None, moment)
        others = any(time.moment != moment for time in times) and not left[0].midpoint
        notes = (MIDPOINTS,) * left[0].midpoint + (FURTHER,) * others
        return Found((window,), excerpt(prose.text[prose.pairing.begin : prose.pairing.stop]), notes)
    if len({time.moment for time in times}) != 1 or _is_any_number(reading):
        return None
    return Found((Window(times[0].moment, None),), prose.text[times[0].start : times[0].end])


def _is_any_number(reading: Reading) -> bool:
    """Whether the only number has no unit and words around it, so that it may be anything."""
    plain = all(time.form == "plain" for time in reading.prose.mentions)
    return plain and bool(re.search(r"[^\W\d_]{2}|[^\x00-\x7F]", reading.prose.text))


def _labelled_exactly(reading: Reading) -> Found | None:
    return _labelled(reading, midpoints=False)


def _labelled_ranges(reading: Reading) -> Found | None:
    return _labelled(reading, midpoints=True)


GENERAL: tuple[Pattern, ...] = (
    Pattern("json", "objects and lists in JSON, under any usual key, nested, several windows", _json, checks=True),
    Pattern("explicit-null", "start and end are said to be null, not found, unknown", _explicit_null),
    Pattern("labelled", "start: a ... end: b; starts at a and ends at b", _labelled_exactly, checks=True),
    Pattern("labelled-ranges", "start: a - b, end: c - d; their midpoints", _labelled_ranges),
    Pattern("start-and-end", "start and end are a and b", _start_and_end, checks=True),
    Pattern("from-to", "from a to b", _range("from-to"), checks=True),
    Pattern("between-and", "between a and b", _range("between-and"), checks=True),
    Pattern("range", "a - b, a to b, a until b", _range("range"), checks=True),
    Pattern("brackets", "[a, b], (a, b)", _range("brackets"), checks=True),
    Pattern("two-times", "exactly two times with units, side by side: a and b", _two_times),
    Pattern("single-time", "only one time", _single_time),
)
OFFICIAL: dict[str, tuple[str, ...]] = {
    name: tuple(p.name for p in patterns) for name, patterns in OFFICIAL_SETS.items()
}
PATTERNS: dict[str, Pattern] = {
    pattern.name: pattern for patterns in (*OFFICIAL_SETS.values(), GENERAL) for pattern in patterns
}


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
