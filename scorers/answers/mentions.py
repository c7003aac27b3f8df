"""Times in a text, as spans are made of: clock strings, numbers with a unit, plain numbers on some scale."""

from __future__ import annotations

import re
import string
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from schemas.errors import UsageError, shown

KNOWN_SCALES = (
    "seconds, normalised, percent, frames:100 (index on a grid of 100), frames:30fps (frame number at 30 fps)"
)
Unit = Literal["", "clock", "seconds", "minutes", "milliseconds", "percent", "frame"]

_FRAMES = re.compile(r"frames:(?P<count>[0-9]{1,9}(?:\.[0-9]{1,9})?)(?P<rate>fps)?")
_SECONDS_PER: dict[Unit, float] = {"seconds": 1.0, "minutes": 60.0, "milliseconds": 0.001}
# As many decimals as a double has when it is printed: 28.770000000000003.
_NUMBER = r"[0-9]{1,9}(?:\.[0-9]{1,17})?+(?![0-9])"
_CLOCK = (
    r"(?:(?P<hours>[0-9]{1,2}):)?(?P<minutes>[0-9]{1,3})"
    r":(?P<seconds>[0-5][0-9](?:\.[0-9]{1,9}|,[0-9]{3})?)(?![0-9])"
)
_COMPOUND = (
    r"(?:(?P<h>[0-9]{1,2}) ?(?:h|hours?)[ ,]{0,2})?(?P<m>[0-9]{1,3}) ?(?:m|min|minutes?) ?(?:and )?"
    rf"(?P<s>{_NUMBER}) ?(?:s|secs?|seconds?)\b"
)
_WITH_UNIT = (
    rf"(?P<value>{_NUMBER})[ -]?(?:(?P<second>seconds?|secs?|s)|(?P<millisecond>ms)"
    r"|(?P<minute>minutes?|min)|(?P<percent>%))(?!\w)"
)
# "3rd", "3:4", "3 people" are not times; only a few words may follow a plain number that is one.
_PLAIN = (
    rf"(?:(?P<frame>frames?) )?(?P<plain>{_NUMBER})(?!\w|[:/][0-9])"
    r"(?![ \t]{1,2}(?!(?:and|as|at|in|into|is|of|or|through|till|to|until|when|where|while)\b)[a-z])"
)
_TIME = re.compile(rf"(?=[0-9f])(?<![\w.])(?<![0-9]:)(?:{_CLOCK}|{_COMPOUND}|{_WITH_UNIT}|{_PLAIN})")
_WHOLE_CLOCK = re.compile(_CLOCK)
_UNITS: dict[str, Unit] = {
    "second": "seconds",
    "millisecond": "milliseconds",
    "minute": "minutes",
    "percent": "percent",
}
_LINE_START = re.compile(r"(?:^|\n)[ \t(-]*$")
_LIST_NUMBER = re.compile(r"[.)](?:\s|$)")
_LASTING_BEFORE = re.compile(
    r"\b(?:an?|first|for|takes?|took|duration (?:of|is)|last(?:s|ed|ing)?(?! from))"
    r"(?: (?:about|approximately|around|between|from|only|up to))* $"
)
# Those with which it can end: most times are not behind one, and need no search.
_LASTING_WORDS = {
    *("a", "an", "first", "for", "last", "lasts", "lasted", "lasting", "take", "takes", "took", "of", "is"),
    *("about", "approximately", "around", "between", "from", "only", "to"),
}
_LASTING_AFTER = re.compile(r"[ -](?:long|later)\b")
_CONTEXT = 60
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


@dataclass(frozen=True, slots=True)
class TimeScale:
    """What a number without a unit means.

    Attributes:
        name: as written: `seconds`, `normalised`, `percent`, `frames:100`, `frames:30fps`.
        unit: `seconds`, `normalised`, `percent`, `grid` (frames spread over the duration), `rate` (frames per second).
        divisor: how many of the unit make the whole duration, or (`seconds`, `rate`) one second.
        duration: seconds of the video; matters on a relative scale only.
    """

    name: str
    unit: Literal["seconds", "normalised", "percent", "grid", "rate"]
    divisor: float
    duration: float = 1.0

    @property
    def relative(self) -> bool:
        """Whether a number is a share of the duration, so that the duration must be known."""
        return self.unit in ("normalised", "percent", "grid")

    def over(self, duration: float) -> TimeScale:
        """The scale of a video of `duration` seconds."""
        return replace(self, duration=duration)

    def seconds(self, value: float, unit: Unit) -> float | None:
        """`value` as seconds, or None where its unit is not one of time on this scale (a percentage among seconds)."""
        if unit in ("clock", "seconds"):
            return value
        if unit in _SECONDS_PER:
            return round(value * _SECONDS_PER[unit], 9)
        if unit == "percent":
            return value / 100 * self.duration if self.unit in ("percent", "normalised") else None
        if unit == "frame" and self.unit not in ("grid", "rate"):
            return None
        return value / self.divisor * (self.duration if self.relative else 1.0)


def time_scale(name: str) -> TimeScale:
    """The scale called `name`.

    `frames:N` is an index on a grid of N frames spread over the whole video, time = index / N * duration (as VTimeLLM
    answers, N = 100); `frames:Rfps` is the number of a frame at R frames per second, time = number / R.

    Raises:
        UsageError: no such scale.

    >>> time_scale("frames:100").over(40.0).seconds(25, "")
    10.0
    """
    if name == "seconds":
        return TimeScale(name, "seconds", 1.0)
    if name in ("normalised", "normalized"):
        return TimeScale("normalised", "normalised", 1.0)
    if name == "percent":
        return TimeScale(name, "percent", 100.0)
    frames = _FRAMES.fullmatch(name)
    count = float(frames["count"]) if frames else 0.0
    if not frames or count <= 0 or (not frames["rate"] and count != int(count)):
        raise UsageError(f"unknown time scale {shown(name)} (known: {KNOWN_SCALES})")
    return TimeScale(name, "rate" if frames["rate"] else "grid", count)


def in_lower_case(text: str) -> str:
    """`text` with its letters in lower case, so that offsets are the same."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text.translate(_LOWER)


class Time(NamedTuple):
    """One time in a text.

    Attributes:
        start: offset of its first character, a sign included.
        end: offset behind its last, unit included.
        seconds: the time.
        value: the number as written.
        unit: its unit, empty for a plain number.
    """

    start: int
    end: int
    seconds: float
    value: float
    unit: Unit


class Span(NamedTuple):
    """One span in seconds; an end that the answer does not state is None."""

    start: float | None
    end: float | None
    score: float | None = None


def joined(first: Time, second: Time) -> Span:
    """Two times as a span; a plain number takes the unit of the one behind it (3 to 5 minutes)."""
    per_unit = _SECONDS_PER.get(second.unit) if first.unit == "" else None
    return Span(round(first.value * per_unit, 9) if per_unit else first.seconds, second.seconds)


def times_in(text: str, scale: TimeScale) -> list[Time]:
    """The times in `text` (lower case), in order; counts, list numbers, ids and durations are none.

    >>> [(time.seconds, time.unit) for time in times_in("at 1:05 or 70 s", time_scale("seconds"))]
    [(65.0, 'clock'), (70.0, 'seconds')]
    """
    found: list[Time] = []
    read_to = lasting_end = -1
    for match in _TIME.finditer(text):
        time = _time(text, match, read_to, scale)
        before = text[max(0, read_to, match.start() - _CONTEXT) : match.start()]
        read_to = match.end()
        if time is None:
            continue
        lasting = before[:-1].rpartition(" ")[2] in _LASTING_WORDS and _LASTING_BEFORE.search(before)
        second_of_two = lasting_end >= 0 and text[lasting_end : time.start].strip() in ("-", "to", "and", "or")
        if second_of_two or lasting or _LASTING_AFTER.match(text, time.end):
            lasting_end = time.end
        else:
            found.append(time)
    return found


def _time(text: str, match: re.Match[str], read_to: int, scale: TimeScale) -> Time | None:
    """The time that `match` is, if it is one on `scale`; the one before it ended at `read_to`."""
    start, end = match.span()
    unit: Unit = "seconds"
    if match["minutes"]:
        value, unit = _clock_value(match), "clock"
    elif match["m"]:
        value = 3600 * int(match["h"] or 0) + 60 * int(match["m"]) + float(match["s"])
    elif match["value"]:
        value, unit = float(match["value"]), _UNITS[str(match.lastgroup)]
    else:
        value, unit = float(match["plain"]), "frame" if match["frame"] else ""
        if _LIST_NUMBER.match(text, end) and _LINE_START.search(text[max(0, start - 12) : start]):
            return None
    # A hyphen is a sign, unless it stands between two times.
    if text[start - 1 : start] == "-" and (read_to < 0 or text[read_to : start - 1].strip(" -")):
        start, value = start - 1, -value
    seconds = scale.seconds(value, unit)
    return None if seconds is None else Time(start, end, seconds, value, unit)


def clock_seconds(text: str) -> float | None:
    """Seconds of a clock string, None where it is none, as 0:75."""
    match = _WHOLE_CLOCK.fullmatch(text)
    return None if match is None else _clock_value(match)


def _clock_value(match: re.Match[str]) -> float:
    return int(match["hours"] or 0) * 3600 + int(match["minutes"]) * 60 + float(match["seconds"].replace(",", "."))
