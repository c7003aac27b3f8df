"""What one answer says: the spans of the first pattern that finds any, and whether it declines to answer."""

from __future__ import annotations

import math
import re
from itertools import chain
from typing import NamedTuple

from scorers.answers.found import DECLINES, DISAGREE, MIXED, UNREAD, Found, Pattern
from scorers.answers.reading import Reading
from scorers.answers.units import Moment, TimeScale, Window

_DECLINED = "provide|determine|answer|identify|give|find|tell|say|assist|help|locate|see|view|watch|predict"
_REFUSAL = re.compile(
    r"\bas an? (?:responsible (?:and ethical )?)?(?:ai|language model|assistant)\b|\bi(?:'m| am) (?:just )?an ai\b"
    r"|\bi(?:'m| am)? (?:sorry|apologi[sz]e)\b|\bmy apologies\b"
    r"|\b(?:i|we)(?:'m| am| are| was| were)? (?:can ?not|can't|could not|couldn't|won't|will not|unable to"
    r"|not able to)\b"
    rf"|\b(?:not able|unable|not possible|impossible) to (?:{_DECLINED})\b"
    r"|\b(?:can ?not|can't|could not|couldn't) be (?:determined|identified|answered|found|inferred|located)\b"
    r"|\b(?:does not|doesn't|do not|don't|did not|didn't) (?:provide|contain|give|include|have|specify) (?:\w+ ){0,6}"
    r"(?:information|details?|timestamps?|times?|data|evidence)\b"
    r"|\b(?:is|are|was|were) not (?:\w+ )?(?:provided|available|specified|given)\b"
    r"|\b(?:not enough|no|insufficient) (?:\w+ ){0,3}information\b|\bplease provide\b",
)
# None of these words, no refusal: they are looked for first since that is fast.
_HINTS = ("not", "n't", "unable", "sorry", "apolog", "impossible", "no ", "insufficient", "please", " ai")
# What declines although times are named: it must be the start and the end that are not given.
_REFUSAL_OF_TIMES = re.compile(
    rf"\b(?:can ?not|can't|could not|couldn't|unable to|not able to|not possible to) (?:{_DECLINED})"
    r"[^.!?\n]{0,60}\b(?:start|end|times?|timestamps?)\b",
)
_TIME_NAMED = re.compile(r"[0-9](?::[0-9]{2}| ?s(?:ecs?|econds?)?\b)")
# Spans that the answer does not call the start and end of anything: they may be the whole video's.
_UNLABELLED = frozenset(["from-to", "between-and", "range", "brackets", "two-times"])
_NOT_SEEN = re.compile(
    r"\bnot (?:\w+ )?(?:visible|shown|seen|present|found|happen|occur|appear)"
    r"|\b(?:can ?not|can't|could not|couldn't|unable to|not able to) (?:\w+ )?(?:find|locate|see|identify|determine)\b"
)
# From how far apart two statements of one span differ; models round when they repeat themselves.
_SECONDS_APART = 1.0


class Reply(NamedTuple):
    """What one answer says, its times not yet seconds.

    Attributes:
        windows: spans in rank order; one that lacks an end stands alone.
        pattern: name of the pattern that decided, None where none did.
        matched: text that it matched.
        notes: why a person should look.
        refuses: whether the answer gives no span and declines to.
    """

    windows: tuple[Window, ...] = ()
    pattern: str | None = None
    matched: str | None = None
    notes: tuple[str, ...] = ()
    refuses: bool = False


def read_reply(text: str, patterns: tuple[Pattern, ...], scale: TimeScale) -> Reply:
    """Read one answer by the first of `patterns` that finds anything."""
    reading = Reading(text, scale)
    unread = (UNREAD,) if reading.cut else ()
    for pattern in patterns:
        found = pattern.find(reading)
        if found is None or not all(_finite(window) for window in found.windows):
            continue
        if pattern.name == "single-time" and not reading.prose.labelled and _refuses(reading):
            break
        notes = found.notes + unread
        if found.windows and _mixed(found.windows[0]):
            notes += (MIXED,)
        if pattern.checks and _contradicted(found, reading):
            notes += (DISAGREE,)
        if found.windows and pattern.name in _UNLABELLED and _NOT_SEEN.search(reading.prose.lower):
            notes += (DECLINES,)
        refuses = not found.windows and _refuses(reading)
        return Reply(_complete_first(found.windows), pattern.name, found.matched, notes, refuses)
    return Reply(notes=unread, refuses=_refuses(reading))


def _refuses(reading: Reading) -> bool:
    """Whether the answer declines; one that names times does so only where it says that start and end are not given."""
    text = reading.text.lower()
    if not any(hint in text for hint in _HINTS):
        return False
    return bool((_REFUSAL_OF_TIMES if _TIME_NAMED.search(text) else _REFUSAL).search(text))


def _complete_first(windows: tuple[Window, ...]) -> tuple[Window, ...]:
    complete = tuple(window for window in windows if window.start and window.end)
    return complete or windows[:1]


def _contradicted(found: Found, reading: Reading) -> bool:
    """Whether the running text states another span than those found."""
    pairing = [] if reading.prose.pairing.midpoints else reading.prose.pairing.windows
    stated = chain(pairing, (joint.window for joint in reading.prose.ranges if joint.form != "listed"))
    return any(not any(_alike(window, known) for known in found.windows) for window in stated)


def _alike(one: Window, other: Window) -> bool:
    return all(_near(a, b) for a, b in ((one.start, other.start), (one.end, other.end)))


def _near(one: Moment | None, other: Moment | None) -> bool:
    if one is None or other is None or one.kind != other.kind:
        return one == other
    return one == other or (one.kind == "seconds" and abs(one.value - other.value) < _SECONDS_APART)


def _mixed(window: Window) -> bool:
    return window.start is not None and window.end is not None and window.start.kind != window.end.kind


def _finite(window: Window) -> bool:
    return all(moment is None or math.isfinite(moment.value) for moment in (window.start, window.end))
