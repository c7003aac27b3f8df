"""Times of a text to spans: those that it calls a start or an end, and neighbours that it joins (from a to b)."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from itertools import pairwise, zip_longest
from typing import Any, Literal, NamedTuple

from scorers.answers.mentions import Span, Time, TimeScale, in_lower_case, joined, times_in

Joint = Literal["dash", "until", "and", "comma", ""]
Layout = Literal["from-to", "between-and", "range", "brackets", "listed"]

_ABOUT = "about|around|approximately|roughly|the|seconds?|frame|t"
# May stand between a label, or "from", and a number without a unit, and leave it a time.
_SMALL = rf"{_ABOUT}|are|at|be|is|it|of|s|times?|would"
# Say that the numbers behind them are times.
_TIMES = r"answer|boxed|happens|interval|occurs|seconds|segment|span|times?|timestamps|window"


def _only(words: str) -> str:
    """An expression for text of one sentence that has no other words, and no digits."""
    return rf"(?:[^a-z0-9.!?;\n]|(?<![a-z])(?:{words})(?![a-z]))*"


_SMALL_WORDS = re.compile(rf"(?:[^a-z]|(?<![a-z])(?:{_SMALL})(?![a-z]))*")
_NOTHING_ELSE = re.compile(rf"(?:[^a-z]|(?<![a-z])(?:{_SMALL}|{_TIMES})(?![a-z]))*")
_OPENING = re.compile(rf"\b(from|between)\b{_only(_ABOUT)}$")
_SAID_TO_BE_TIMES = re.compile(
    rf"(?:(?:^|[.!?;] |\n)[^a-z0-9.]*(?:from|between)\b|\b(?:{_TIMES})\b{_only(_SMALL)}(?:\b(?:from|between)\b)?)"
    rf"{_only(_ABOUT)}$"
)
_LABEL = re.compile(
    r"(?<![a-z])(?:(?P<start>start(?:s|ed|ing)?|begins?|beginning|began|commences?|onset)"
    r"|end(?:s|ed|ing)?|finish(?:es|ed)?|stop(?:s|ped)|concludes?|offset|until|till)(?![a-z])"
)
_BOTH = re.compile(r"[_ ]?(?:times?)? ?(?:and|/|,) ?(?:the )?")
_BREAK = re.compile(r"[.!?]\s|\n")
_CLAUSE = re.compile(r"[.,;:!?\n](?=\s|$)|\bbut\b")
_NEGATION = re.compile(r"\b(?:not|no|cannot|never|rather than|instead of|except(?: for)?|outside)\b|n't\b")
# All that stands between two times of one span: a full stop of an abbreviation, brackets, an approximation.
_JOINT = re.compile(
    r"\.?[ \t]*(?:mark)?[ \t]*[\"'`)\]>]?[ \t]*"
    r"(?:(?P<dash>-+>?|[~→]|to(?![a-z]))|(?P<until>(?:until|till|through)(?![a-z]))|(?P<and> ?and)|(?P<comma>,?))"
    rf"[ \t]*[\"'`(\[<~]?[ \t]*(?:(?:{_ABOUT})(?: *=)?[ \t]*){{0,3}}"
)


class Labelled(NamedTuple):
    """A time that the text calls a start, an end, or the first of both.

    Attributes:
        label: which.
        time: the time; where the label is before a range, its midpoint.
        position: of the time among those of the text; a range takes the next one, too.
        midpoint: whether it is a midpoint.
        begin: offset of the label.
    """

    label: Literal["start", "end", "both"]
    time: Time
    position: int
    midpoint: bool
    begin: int


class Range(NamedTuple):
    """Two neighbouring times that a text joins into a span."""

    layout: Layout
    first: Time
    second: Time

    @property
    def span(self) -> Span:
        return joined(self.first, self.second)


class Prose(NamedTuple):
    """An answer as running text.

    Attributes:
        text: quotations without digits shortened to `"..."`, since they repeat the query; no asterisks.
        lower: `text` with its ASCII letters in lower case, so that offsets are the same.
        times: the times in it, in order.
        joints: what joins each of them to the next.
        labelled: those that are called a start or an end.
        pairs: starts and ends that go together, exact ones first.
        left: labelled times without a partner.
        ranges: the spans of neighbouring times without a label, quoted ones last.
    """

    text: str
    lower: str
    times: list[Time]
    joints: list[Joint]
    labelled: list[Labelled]
    pairs: list[tuple[Labelled, Labelled]]
    left: list[Labelled]
    ranges: list[Range]


def prose_of(text: str, scale: TimeScale) -> Prose:
    """What the running `text` says of times."""
    lower = in_lower_case(text)
    times = times_in(lower, scale)
    joints = _joints_of(lower, times)
    labelled = _labelled_times(lower, times, joints)
    pairs, left = _pairs_of(labelled)
    unlabelled = _ranges(lower, times, joints, {time.position for time in labelled})

    def is_quoted(found: Range) -> bool:
        """Whether it is inside a quotation, as an example of the form asked for does."""
        return text.count('"', 0, found.first.start) % 2 == 1 and '"' not in text[found.first.end : found.second.start]

    unlabelled.sort(key=is_quoted)
    return Prose(text, lower, times, joints, labelled, pairs, left, unlabelled)


def spans_in(text: str, scale: TimeScale) -> list[Span]:
    """The ranges of a short text, as it is in the value of a JSON key."""
    times = times_in(text, scale)
    return [found.span for found in _ranges(text, times, _joints_of(text, times))]


def _joints_of(text: str, times: list[Time]) -> list[Joint]:
    """What joins each time of `text` to the next, empty where other words stand between them; one for each time."""
    joints: list[Any] = []
    for first, second in pairwise(times):
        # No further: blanks upon blanks would take the expression for ever.
        near = second.start - first.end <= 60
        match = _JOINT.fullmatch(text, first.end, second.start) if near else None
        joints.append(match.lastgroup if match else "")
    return [*joints, ""]


def _labelled_times(text: str, times: list[Time], joints: list[Joint]) -> list[Labelled]:
    """The labelled times of `text` (lower case), in order.

    A label before a range means its midpoint, rounded down to a whole second where the range is of whole-second clocks
    (as the authors of UAL-Bench did, uag : results/fix_null_pred.py, there for minutes and seconds separately).
    """
    found: list[Labelled] = []
    position = gap = 0
    while position < len(times):
        time = times[position]
        label, begin = _label(text, gap, time)
        midpoint = label in ("start", "end") and joints[position] == "dash"
        if midpoint:
            time = _midpoint(time, times[position + 1])
        if label:
            found.append(Labelled(label, time, position, midpoint, begin))
        gap = time.end
        position += 1 + midpoint
    return found


def _label(text: str, gap: int, time: Time) -> tuple[Literal["start", "end", "both"] | None, int]:
    """The last label between `gap` and `time`, and its offset; None where it does not reach the time."""
    labels = list(_LABEL.finditer(text, gap, time.start))
    if not labels or not _reaches(text[labels[-1].end() : time.start], time):
        return None, 0
    last = labels[-1]
    if last["start"]:
        # "starts from a to b" is a range.
        return None if text[last.end() : time.start] == " from " else "start", last.start()
    if len(labels) > 1 and labels[-2]["start"] and _BOTH.fullmatch(text, labels[-2].end(), last.start()):
        return "both", labels[-2].start()
    return "end", last.start()


def _reaches(between: str, time: Time) -> bool:
    """Whether a label still speaks of the time behind it: only small words between, or, with a unit, one sentence."""
    if _SMALL_WORDS.fullmatch(between):
        return True
    return time.unit != "" and not _BREAK.search(between) and not _NEGATION.search(between)


def _midpoint(low: Time, high: Time) -> Time:
    start, end, _ = joined(low, high)
    middle = (start + end) / 2  # type: ignore[operator]
    whole_clocks = low.unit == "clock" and low.seconds.is_integer() and high.seconds.is_integer()
    return low._replace(end=high.end, seconds=float(math.floor(middle)) if whole_clocks else middle)


def _pairs_of(labelled: list[Labelled]) -> tuple[list[tuple[Labelled, Labelled]], list[Labelled]]:
    """Pairs of a start and an end, exact ones first, and the times left without a partner.

    Each start goes with the end that follows, or an end with the start that follows; a reversed pair stays reversed. Of
    two starts before an end (the video's and the event's) the nearer goes with it.
    """
    pairs: list[tuple[Labelled, Labelled]] = []
    left: list[Labelled] = []
    waiting: Labelled | None = None
    single = [time for time in labelled if time.label != "both"]
    for time, following in zip_longest(single, single[1:]):
        partner_follows = time.label == "start" and following is not None and following.label == "end"
        if waiting is None:
            waiting = time
        elif waiting.label == time.label or partner_follows:
            left.append(waiting)
            waiting = time
        else:
            pairs.append((waiting, time) if waiting.label == "start" else (time, waiting))
            waiting = None
    pairs.sort(key=lambda pair: pair[0].midpoint or pair[1].midpoint)
    return pairs, left + ([waiting] if waiting else [])


def _ranges(text: str, times: list[Time], joints: list[Joint], labelled: Collection[int] = ()) -> list[Range]:
    """The ranges of a text, in order. `labelled` times are left to their labels; chains (a - b - c) are not spans."""
    found: list[Range] = []
    position = 0
    while position + 1 < len(times):
        first, second = times[position : position + 2]
        layout = None if position in labelled else _layout(text, first, second, joints[position])
        if layout is None:
            position += 1
        elif joints[position + 1] in ("dash", "until"):
            position += 3
        else:
            found.append(Range(layout, first, second))
            position += 2
    return found


def _layout(text: str, first: Time, second: Time, joint: Joint) -> Layout | None:
    before = text[max(0, first.start - 100) : first.start]
    if not joint or _NEGATION.search(_CLAUSE.split(before)[-1]):
        return None
    opening = _OPENING.search(before[-60:])
    layout: Layout = "listed"
    if joint in ("dash", "until"):
        layout = "range" if opening is None else "from-to" if opening[1] == "from" else "between-and"
    elif joint == "and" and opening and opening[1] == "between":
        layout = "between-and"
    elif joint == "comma" and re.search(r"[\[(<{][\"' ]?$", before) and re.match(r"[\"' ]?[\])>}]", text[second.end :]):
        layout = "brackets"
    if first.unit or second.unit:
        return layout
    # Two numbers without units are times where the words before them say so, or nothing else is there.
    if len(text) < 400 and _NOTHING_ELSE.fullmatch(text[: first.start] + " " + text[second.end :]):
        return "brackets" if layout == "listed" else layout
    return layout if layout != "listed" and _SAID_TO_BE_TIMES.search(before[-60:]) else None
