"""What a pattern is, and what it gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from scorers.answers.reading import Reading
from scorers.answers.units import Window

MIDPOINTS = "midpoints of ranges"
SEVERAL = "several spans"
DISAGREE = "patterns disagree"
UNEVEN = "only one time has a unit"
FURTHER = "further times"
PLAIN_NUMBERS = "numbers without a unit"
LISTED = "two times without a relation"
NULL = "the answer says null"
MIXED = "one time in seconds, one on the scale"
DECLINES = "the answer declines, too"
UNREAD = "long answer, its middle is unread"


class Found(NamedTuple):
    """What one pattern found in one answer.

    Attributes:
        windows: spans, best first; none where the answer states that there is no span; the only one may lack an end.
        matched: the text that matched.
        notes: why a person should look, empty where nobody need.
    """

    windows: tuple[Window, ...]
    matched: str
    notes: tuple[str, ...] = ()


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
