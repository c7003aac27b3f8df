"""Two neighbouring times that the text joins into a span: a - b, a to b, from a to b, between a and b, [a, b]."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal, NamedTuple

from scorers.answers.mentions import Mention
from scorers.answers.units import Moment, Window
from scorers.answers.words import APPROXIMATELY, SMALL, TIMES, without

RangeForm = Literal["from-to", "between-and", "range", "brackets", "listed"]

# What may stand around the joining sign or word: the mark of a frame-accurate phrase, an approximation, a bracket.
_BEFORE_JOINT = r"\.?[ \t]*(?:\(s\)|mark|point|timestamps?)?[ \t]*[\"'`)\]>]?[ \t]*"
_AFTER_JOINT = (
    r"[ \t]*[\"'`(\[<]?[ \t]*"
    r"(?:(?:about|around|approximately|roughly|approx|the|second|seconds|frame|time|~|t ?=)[ \t]*){0,3}"
)
_DASH = re.compile(rf"{_BEFORE_JOINT}(?:-{{1,2}}>?|~|→|to|through|up to)(?![a-z]){_AFTER_JOINT}")
_UNTIL = re.compile(rf"{_BEFORE_JOINT}(?:and )?(?:until|till)(?![a-z]){_AFTER_JOINT}")
_AND = re.compile(rf"{_BEFORE_JOINT}(?:,? ?and|&){_AFTER_JOINT}")
_COMMA = re.compile(r"\s*[\"']?\s*(?:[,;]|\]\s*\[)\s*[\"']?\s*")
_BLANK = re.compile(r"[ \t]{1,4}")
_CLAUSE = re.compile(r"[.,;:!?\n](?=\s|$)|\b(?:but|however|although|though)\b")
_NEGATION = re.compile(r"\b(?:not|no|cannot|never|neither|nor)\b|n't\b")
_WORDS = re.compile(r"[a-z]+")
# What follows two times that are no span of the video: counted from its end, or a degree of certainty.
_NO_SPAN_AFTER = re.compile(
    r"[ \t]*%?[ \t]*(?:(?:from|before|until|till) the end\b|sure|certain|confiden|likel|probab"
    r"|in the (?:morning|afternoon))"
)
_SAYING_NOTHING_ELSE = SMALL | TIMES
_FILLERS = SMALL - TIMES


class Joined(NamedTuple):
    """A range in a text: the index of its first mention, its form, its span."""

    mention: int
    form: RangeForm
    window: Window


def joined(
    text: str, mentions: list[Mention], index: int, joints: Literal["-", "any", "and"]
) -> tuple[Moment, Moment] | None:
    """The times of mentions `index` and `index + 1` where the text joins them and their units agree.

    `joints` says by what: `-` a dash or "to", `any` these or "until", `and` also "and" and a comma.
    """
    if index + 1 >= len(mentions):
        return None
    first, second = mentions[index], mentions[index + 1]
    patterns = {"-": (_DASH,), "any": (_DASH, _UNTIL), "and": (_AND, _COMMA, _DASH, _UNTIL)}[joints]
    if second.start - first.end > 60 or not any(p.fullmatch(text, first.end, second.start) for p in patterns):
        return None
    return _same_unit(first, second)


def ranges(text: str, mentions: list[Mention], labelled: Collection[int]) -> list[Joined]:
    """The spans of a text, in order. `labelled` mentions are left to their labels; chains (a - b - c) are no spans."""
    found: list[Joined] = []
    index = 0
    while index + 1 < len(mentions):
        form = None if index in labelled else _form(text, mentions, index)
        pair = _same_unit(mentions[index], mentions[index + 1]) if form else None
        if form is None or pair is None:
            index += 1
            continue
        if form != "brackets" and joined(text, mentions, index + 1, "any"):
            index += 3
            continue
        found.append(Joined(index, form, Window(*pair)))
        index += 2
    return found


def _form(text: str, mentions: list[Mention], index: int) -> RangeForm | None:
    first, second = mentions[index], mentions[index + 1]
    if second.start - first.end > 60:
        return None
    form: RangeForm | None = None
    opening = without(first.words, APPROXIMATELY)[-1:]
    if _DASH.fullmatch(text, first.end, second.start) or _UNTIL.fullmatch(text, first.end, second.start):
        form = "from-to" if opening == ["from"] else "between-and" if opening == ["between"] else "range"
    elif _AND.fullmatch(text, first.end, second.start):
        form = "between-and" if opening == ["between"] else "listed"
    elif _COMMA.fullmatch(text, first.end, second.start):
        form = "brackets" if _bracketed(text, first, second) else "listed"
    elif _BLANK.fullmatch(text, first.end, second.start):
        form = "listed"
    if form is None or _negated(text, first) or _NO_SPAN_AFTER.match(text, second.end):
        return None
    if first.form == second.form == "plain":
        return _form_of_numbers(text, form, first, second)
    return form


def _same_unit(first: Mention, second: Mention) -> tuple[Moment, Moment] | None:
    """Both times, a plain number taking the unit of its partner; None where that leaves it open what it means."""
    start, end = first.moment, second.moment
    if first.form == "plain" and second.form == "unit":
        start = Moment(round(first.moment.value * second.factor, 9), end.kind)
    elif first.form == "unit" and second.form == "plain":
        end = Moment(round(second.moment.value * first.factor, 9), start.kind)
    elif "clock" in (first.form, second.form) and "plain" in (first.form, second.form):
        return None
    return start, end


def _bracketed(text: str, first: Mention, second: Mention) -> bool:
    opening = text[max(0, first.start - 3) : first.start].rstrip("\"' ")
    closing = text[second.end : second.end + 3].lstrip("\"' ")
    return opening[-1:] in ("[", "(", "<", "{") and closing[:1] in ("]", ")", ">", "}")


def _negated(text: str, first: Mention) -> bool:
    """Whether the clause before the range says that it is not one."""
    before = text[max(0, first.start - 100) : first.start]
    return bool(_NEGATION.search(before)) and bool(_NEGATION.search(_CLAUSE.split(before)[-1]))


def _form_of_numbers(text: str, form: RangeForm, first: Mention, second: Mention) -> RangeForm | None:
    """`form` where two numbers without units are times: said by the words before them, or nothing else is there."""
    around = text[:400][: first.start] + " " + text[second.end : second.end + 400]
    alone = len(text) < 400 and _SAYING_NOTHING_ELSE.issuperset(_WORDS.findall(around))
    if form == "listed":
        decimal_comma = text[first.end : second.start] == "," and "." not in text[first.start : second.end]
        return "brackets" if alone and not decimal_comma else None
    words = without(first.words, APPROXIMATELY)
    words = words[:-1] if form in ("from-to", "between-and") else words
    named = without(words, _FILLERS)
    if alone or (named and named[-1] in TIMES):
        return form
    return form if form in ("from-to", "between-and") and (not words or _fractions(text, first, second)) else None


def _fractions(text: str, first: Mention, second: Mention) -> bool:
    """Two decimal fractions on a scale on which times are numbers without a unit."""
    numbers = first.moment.kind == second.moment.kind == "number"
    return numbers and "." in text[first.start : first.end] and "." in text[second.start : second.end]
