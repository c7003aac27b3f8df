"""Clock strings: [h:]mm:ss with an optional fraction."""

from __future__ import annotations

import re

_CLOCK = re.compile(r"(?:(?P<hours>[0-9]{1,3}):)?(?P<minutes>[0-9]{1,4}):(?P<seconds>[0-9]{1,2}(?:[.,][0-9]{1,9})?)")


def clock_seconds(text: str) -> float | None:
    """Seconds of a clock string, None where it is none. 75 seconds, or 75 minutes beside hours, are no clock."""
    match = _CLOCK.fullmatch(text)
    if match is None:
        return None
    return clock_value(match["hours"], match["minutes"], match["seconds"])


def clock_value(hours: str | None, minutes: str, seconds: str) -> float | None:
    """Seconds of the parts of a clock string, None where they are no clock."""
    whole_minutes, rest = int(minutes), float(seconds.replace(",", "."))
    if rest >= 60 or (hours and whole_minutes >= 60):
        return None
    return int(hours or 0) * 3600 + whole_minutes * 60 + rest
