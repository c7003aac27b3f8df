"""Times that the text calls a start or an end, and the spans that they make."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from typing import Literal, NamedTuple

from scorers.answers.mentions import Form, Mention
from scorers.answers.ranges import joined
from scorers.answers.units import Moment, Window
from scorers.answers.words import SMALL, vocabulary

_LABEL = re.compile(
    r"(?P<start>start(?:s|ed|ing)?|begins?|beginning|began|onset|commences?)(?=[^a-z]|times?\b|stamp|$)"
    r"|(?P<end>end(?:s|ed|ing)?|finish(?:es|ed|ing)?|stop(?:s|ped|(?=[_ ]?time| at\b|[\"']?\s*[:=]))|concludes?"
    r"|offset|until|till)"
    r"(?=[^a-z]|times?\b|stamp|$)"
)
_STEMS = vocabulary("start begin began onset commence end finish stop conclude offset until till")
# "the end of the pool" is a place; "the end of the event" is a time.
_PLACE = re.compile(
    r" of (?:the |this |that |a )?+(?!query|event|action|activity|moment|segment|span|incident|interval|scene)"
)
_BOTH = re.compile(r"[_ ]{0,2}(?:times?|timestamps?)?[ ]{0,2}(?:and|&|/|,|-|to)[ ]{0,2}(?:the )?")
_BREAK = re.compile(r"[.!?]\s|\n")
_NEGATION = re.compile(r"\b(?:not|no|cannot|never|none|null|unknown|without)\b|n't\b")
_NEGATED_LABEL = re.compile(r"(?:\b(?:not|never|cannot)|n't)\s+(?:\w+\s+)?$")
_VERB = re.compile(r"start(?:s|ed)|begins?|began|commences?")
_WORDS = re.compile(r"[a-z]+")
_TAIL = 240
_GAP = 150


class Labelled(NamedTuple):
    """A time that the text calls a start, an end, or the first of both.

    Attributes:
        label: which.
        moment: the time; the midpoint where the label stands before a range.
        mention: index of its mention; a range takes the next one too.
        form: form of the mention.
        midpoint: whether it is a midpoint.
        begin, stop: offsets of the label's first character and behind the time's last.
    """

    label: Literal["start", "end", "both"]
    moment: Moment
    mention: int
    form: Form
    midpoint: bool
    begin: int
    stop: int


class Pairing(NamedTuple):
    """The spans of a text's labelled times.

    Attributes:
        windows: pairs of a start and an end, in order, those with a midpoint after the exact ones.
        left: labelled times without a partner.
        midpoints: whether the first has a midpoint.
        uneven: whether the first pairs a plain number with a time that has a unit.
        begin, stop: offsets of the first pair, or of the first time left.
    """

    windows: list[Window]
    left: list[Labelled]
    midpoints: bool
    uneven: bool
    begin: int
    stop: int


NO_PAIRS = Pairing([], [], midpoints=False, uneven=False, begin=0, stop=0)


def labelled_times(text: str, mentions: list[Mention]) -> list[Labelled]:
    """The labelled times of `text` (lower case), in order.

    A label before a range means its midpoint, rounded down to a whole second where the range is of whole-second clocks
    (as the authors of UAL-Bench did, uag : results/fix_null_pred.py, there for minutes and seconds separately).
    """
    labels = _labels(text) if mentions else []
    found: list[Labelled] = []
    index, gap_start = 0, 0
    while labels and index < len(mentions):
        mention = mentions[index]
        labelled = _label(text, labels, max(gap_start, mention.start - _TAIL), mention)
        joint = joined(text, mentions, index, "-") if labelled and labelled[0] != "both" else None
        last = index + 1 if joint else index
        if labelled:
            moment = _midpoint(*joint, mention.form) if joint else mention.moment
            stop = mentions[last].end
            found.append(Labelled(labelled[0], moment, index, mention.form, joint is not None, labelled[1], stop))
        gap_start = mentions[last].end
        index = last + 1
    return found


def pair(times: list[Labelled]) -> Pairing:
    """Each start with the end that follows, or an end with the start that follows; a reversed pair stays reversed.

    Two different starts before an end (the video's and the event's) are left without a partner: nobody can tell which.
    """
    if not times:
        return NO_PAIRS
    pairs: list[tuple[Labelled, Labelled]] = []
    left: list[Labelled] = []
    waiting: Labelled | None = None
    torn = False
    single = [time for time in times if time.label != "both"]
    for position, time in enumerate(single):
        if waiting is None:
            waiting = time
        elif waiting.label == time.label:
            if waiting.moment != time.moment:
                left.append(waiting)
                waiting, torn = time, True
        elif torn:
            left += [waiting, time]
            waiting, torn = None, False
        elif waiting.label == "end" and [later.label for later in single[position + 1 : position + 2]] == ["end"]:
            left.append(waiting)
            waiting = time
        else:
            pairs.append((waiting, time) if waiting.label == "start" else (time, waiting))
            waiting = None
    left += [waiting] if waiting else []
    return _pairing(pairs, left)


def _pairing(pairs: list[tuple[Labelled, Labelled]], left: list[Labelled]) -> Pairing:
    pairs.sort(key=_has_midpoint)
    shown = pairs[0] if pairs else tuple(left[:1])
    return Pairing(
        windows=list(dict.fromkeys(Window(start.moment, end.moment) for start, end in pairs)),
        left=left,
        midpoints=bool(pairs) and _has_midpoint(pairs[0]),
        uneven=bool(pairs) and (pairs[0][0].form == "plain") != (pairs[0][1].form == "plain"),
        begin=min((time.begin for time in shown), default=0),
        stop=max((time.stop for time in shown), default=0),
    )


def _has_midpoint(times: tuple[Labelled, Labelled]) -> bool:
    return times[0].midpoint or times[1].midpoint


def _label(
    text: str, labels: list[re.Match[str]], gap_start: int, mention: Mention
) -> tuple[Literal["start", "end", "both"], int] | None:
    """The last label between `gap_start` and `mention`, and its offset; None where it does not reach the mention."""
    position = bisect_left(labels, mention.start, key=_offset)
    if position == 0 or labels[position - 1].start() < gap_start:
        return None
    last = labels[position - 1]
    if not _reaches(text[last.end() : mention.start], mention):
        return None
    if _NEGATED_LABEL.search(text[max(0, last.start() - 30) : last.start()]):
        return None
    if last["start"]:
        verb_from = mention.words[-1:] == ["from"] and _VERB.fullmatch(last[0])
        return None if verb_from else ("start", last.start())
    before = labels[position - 2] if position > 1 else None
    if before and before["start"] and before.start() >= gap_start and _BOTH.fullmatch(text, before.end(), last.start()):
        return "both", before.start()
    return "end", last.start()


def _labels(text: str) -> list[re.Match[str]]:
    """The labels of a text in order. Their stems are looked for first: many times faster than the expression alone."""
    found: list[re.Match[str]] = []
    for stem in _STEMS:
        position = text.find(stem)
        while position >= 0:
            match = _LABEL.match(text, position)
            inside_a_word = position > 0 and "a" <= text[position - 1] <= "z"
            if match and not inside_a_word and not _PLACE.match(text, match.end()):
                found.append(match)
            position = text.find(stem, position + len(stem))
    return sorted(found, key=_offset)


def _offset(match: re.Match[str]) -> int:
    return match.start()


def _reaches(between: str, mention: Mention) -> bool:
    """Whether a label still speaks of the time behind it: only small words between, or, with a unit, one sentence."""
    words = _WORDS.findall(between)
    if words[-1:] == ["to"]:
        return False
    if SMALL.issuperset(words):
        return True
    unbroken = len(between) <= _GAP and not _BREAK.search(between) and not _NEGATION.search(between)
    return mention.form != "plain" and unbroken


def _midpoint(low: Moment, high: Moment, form: Form) -> Moment:
    middle = (low.value + high.value) / 2
    whole = form == "clock" and low.value.is_integer() and high.value.is_integer()
    return Moment(float(math.floor(middle)) if whole else middle, low.kind)
