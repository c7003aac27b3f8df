"""The times in a text: clock strings, numbers with a unit, and plain numbers that may be times."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from scorers.answers.clock import clock_value
from scorers.answers.units import Moment, TimeScale, Unit
from scorers.answers.words import (
    FOLLOWERS,
    LASTING,
    LENGTH_FILLERS,
    LENGTHS,
    NUMBERED,
    WITHIN,
    without,
    words_before,
)

Form = Literal["clock", "unit", "plain"]

_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[a-z]")
_JOINED_BEFORE = re.compile(r"[\w./\\#$€£]|(?<=[0-9]):")
_NUMBER = r"(?:[0-9]{1,9}(?:\.[0-9]{1,9})?+|\.[0-9]{1,9})(?![0-9])"
_CLOCK = re.compile(r"(?:([0-9]{1,2}):)?([0-9]{1,3}):([0-9]{2}(?:\.[0-9]{1,9}|,[0-9]{3})?)(?![0-9]|:[0-9])")
_MINUTES = re.compile(
    r"(?:(?P<hours>[0-9]{1,3}) ?(?:h|hrs?|hours?)[ ,]{0,2}(?:and )?)?"
    r"(?P<minutes>[0-9]{1,4}) ?(?:m|mins?|minutes?)[ ,]{0,2}(?:and )?"
    rf"(?P<seconds>{_NUMBER}) ?(?:s|secs?|seconds?)(?![a-z0-9_])"
)
_PLAIN = re.compile(_NUMBER)
_UNIT = re.compile(
    r"(?P<joint>[ -]?)(?:(?P<seconds>seconds?|secs?|s)|(?P<thousandths>milliseconds?|msecs?|ms)"
    r"|(?P<minutes>minutes?|mins?)|(?P<percent>percent|%)|(?P<frame>frames?))(?![a-z0-9_])"
)
_UNIT_BEFORE = re.compile(
    r"(?<![a-z])(?:(?P<seconds>seconds?|t ?=)|(?P<frame>frames?)(?: number| index| no\.)?) *[:=#]? *$"
)
_FACTORS: dict[str, tuple[Unit, float]] = {
    "seconds": ("seconds", 1.0),
    "thousandths": ("seconds", 0.001),
    "minutes": ("seconds", 60.0),
    "percent": ("percent", 1.0),
    "frame": ("frame", 1.0),
}
_LASTING_AFTER = re.compile(
    r"[ -](?:long|later|earlier|ago|apart|per|in (?:length|duration|total)|duration|of (?:the )?(?:video|footage)"
    r"|(?P<from_there>after|before))\b"
)
_LENGTH_OF = re.compile(r"(?:second|minute)[ -](?:video|clip|window|interval|segment|delay|pause)s?\b")
_POINTS = frozenset(("at", "is", "to", "until", "from", "around", "about", "approximately", "and", "between"))
_APART = (":", "=", ")", ",", ";")
_JOINTS = ("-", "to", "and", "or", "~")
_WALL_TIME = re.compile(r" ?(?:[ap]\.?m\b|o'clock|hours?\b|h\b)")
_NEGATIVE_AFTER = re.compile(r"(?:[:=\[(,\"]\s*|\b(?:is|at|to|from|and|between|of)\s+|^\s*)$")
_DATE = re.compile(r"[0-9]{1,4}([-/.])[0-9]{1,2}\1[0-9]{1,4}(?![0-9:])")
_THOUSANDS = re.compile(r",[0-9]{3}(?![0-9])")
_TIED = re.compile(r"[^\W\d]|[°%']|[:/\\][0-9]")
_LIST_MARK = re.compile(r"[.)](?:\s|$)")
_NEXT_WORD = re.compile(r"[ \t]{1,2}([a-z]+)")
_NUMBERED_BEFORE = re.compile(r"([a-z]+)\.?[ \t]{1,2}\(?$")
_DECADE = re.compile(r"(?:(?:19|20)[0-9]|[5-9])0s\b(?! mark)")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")


class Mention(NamedTuple):
    """One time in a text.

    Attributes:
        start: offset of its first character, a sign included.
        end: offset behind its last, unit included.
        moment: the time.
        form: `clock`, `unit` (a number with a unit) or `plain`.
        words: the words of the sentence before it, nearest last.
        factor: by what a plain partner in the same range is multiplied (5 to 10 minutes).
    """

    start: int
    end: int
    moment: Moment
    form: Form
    words: list[str]
    factor: float = 1.0


def mentions(text: str, scale: TimeScale) -> list[Mention]:
    """The times in `text` (lower case), in order; counts, years, list numbers, ids, dates, durations are none."""
    found: list[Mention] = []
    position = lasting_end = 0
    while digit := _DIGIT.search(text, position):
        read_to, position = position, digit.end()
        start = digit.start()
        if text[start - 1 : start] == "." and not text[start - 2 : start - 1].isalnum():
            start -= 1
        if start and _JOINED_BEFORE.match(text, start - 1):
            continue
        if date := _DATE.match(text, start):
            position = date.end()
            continue
        mention, position = _mention(text, start, read_to, scale)
        if mention is None:
            continue
        joined_to_lasting = lasting_end and text[lasting_end : mention.start].strip() in _JOINTS
        if joined_to_lasting or _is_duration(text, mention, read_to):
            lasting_end = mention.end
        else:
            found.append(mention)
    return found


def _mention(text: str, start: int, read_to: int, scale: TimeScale) -> tuple[Mention | None, int]:
    """The time that begins at `start`, if it is one, and where to read on; the number before it ended at `read_to`."""
    number = _PLAIN.match(text, start)
    if number is None:
        return None, start + 1
    clock = _CLOCK.match(text, start) if text[number.end() : number.end() + 1] == ":" else None
    compound = None if clock else _MINUTES.match(text, start)
    end = (clock or compound or number).end()
    sign, begin = _sign(text, start, read_to)
    if sign == 0:
        return None, end
    words = words_before(text, begin)
    if not clock and not compound:
        mention = _number(text, number, scale, sign, begin, max(read_to, begin - 16), words)
        return mention, mention.end if mention else end
    seconds = clock_value(clock[1], clock[2], clock[3]) if clock else _compound_seconds(compound)
    if seconds is None or (clock and _WALL_TIME.match(text, end)):
        return None, end
    return Mention(begin, end, Moment(sign * seconds, "seconds"), "clock" if clock else "unit", words), end


def _compound_seconds(match: re.Match[str] | None) -> float | None:
    """Seconds of `1 h 2 min 3 s`, the hours optional."""
    return match and 3600 * int(match["hours"] or 0) + 60 * int(match["minutes"]) + float(match["seconds"])


def _number(
    text: str, match: re.Match[str], scale: TimeScale, sign: int, begin: int, unit_from: int, words: list[str]
) -> Mention | None:
    """The time that a number is, by the unit before it (looked for from `unit_from` on), behind it, or without one."""
    value = sign * float(match[0])
    before, after = _UNIT_BEFORE.search(text[unit_from:begin]), _UNIT.match(text, match.end())
    if before is not None:
        moment = scale.moment(value, "seconds" if before.lastgroup == "seconds" else "frame")
        end = after.end() if after and after.lastgroup == before.lastgroup else match.end()
        return Mention(begin, end, moment, "unit", words) if moment else None
    if after is not None:
        unit, factor = _FACTORS[str(after.lastgroup)]
        adjective = after["joint"] == "-" and not text.startswith(" mark", after.end())
        decade = words[-1:] == ["the"] and _DECADE.match(text, begin)
        moment = None if adjective or decade or unit == "frame" else scale.moment(round(value * factor, 9), unit)
        return Mention(begin, after.end(), moment, "unit", words, factor) if moment else None
    moment = scale.moment(value)
    if moment is None or not _may_be_time(text, match, scale, begin):
        return None
    return Mention(begin, match.end(), moment, "plain", words)


def _sign(text: str, start: int, read_to: int) -> tuple[int, int]:
    """Sign of the number at `start` and where it begins; sign 0 where a hyphen ties it to a word (`clip-3`)."""
    if start == 0 or text[start - 1] != "-":
        return 1, start
    before = text[max(0, start - 12) : start - 1]
    if read_to > 0 and text[read_to : start - 1].strip(" -") == "":
        return 1, start
    if before[-1:].isalpha():
        return 0, start
    return (-1, start - 1) if _NEGATIVE_AFTER.search(before) else (1, start)


def _is_duration(text: str, mention: Mention, read_to: int) -> bool:
    """Whether a time says how long something takes (lasts 5 s, 5 seconds later, a 5-second clip)."""
    words = without(mention.words, LENGTH_FILLERS) if _LETTER.search(text, read_to, mention.start) else []
    mark = text[max(0, mention.start - 4) : mention.start].rstrip()[-1:]
    if words and mark not in _APART and (words[-1] in LASTING or (words[-1] in WITHIN and mention.form != "clock")):
        return True
    if words and words[-1] in LENGTHS:
        return True
    if mention.form == "unit" and _LENGTH_OF.match(text, max(mention.end - 6, 0)):
        return True
    after = _LASTING_AFTER.match(text, mention.end)
    if after is None or not after["from_there"] or mention.form == "clock":
        return after is not None and not after["from_there"]
    return mark not in _APART and not (mention.words and mention.words[-1] in _POINTS)


def _may_be_time(text: str, match: re.Match[str], scale: TimeScale, begin: int) -> bool:
    """Whether a number without a unit may be a time, by what stands around it."""
    end = match.end()
    if _TIED.match(text, end) or (scale.unit == "seconds" and _YEAR.fullmatch(match[0])):
        return False
    if _THOUSANDS.match(text, end) and text[begin - 1 : begin] not in ("[", "("):
        return False
    if _LIST_MARK.match(text, end) and text[max(0, begin - 12) : begin].rpartition("\n")[2].strip(" \t(-") == "":
        return begin == 0 and text[end + 1 :].strip() == ""
    following = _NEXT_WORD.match(text, end)
    if following and following[1] not in FOLLOWERS:
        return False
    before = _NUMBERED_BEFORE.search(text[max(0, begin - 24) : begin])
    return before is None or before[1] not in NUMBERED
