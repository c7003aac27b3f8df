"""The vocabulary of the general patterns, lower case."""

from __future__ import annotations

import re

_WORD = re.compile(r"[a-z]+")
_CONTEXT = 60


def vocabulary(*lines: str) -> frozenset[str]:
    """The words of `lines`, for sets that read as text."""
    return frozenset(word for line in lines for word in line.split())


APPROXIMATELY = vocabulary(
    "about approx approximately around roughly nearly circa the second seconds sec frame frames time t"
)

# May stand between a label, or "from", and a number without a unit, and leave it a time.
SMALL = APPROXIMATELY | vocabulary(
    "a action activity are at be been clip estimated event exact exactly in index interval is it likely mark moment",
    "near of on point position predicted query s scene segment should span this timestamp timestamps times value",
    "video was were will window would",
)

# Say that the numbers behind them are times.
TIMES = vocabulary(
    "answer boxed frames happening happens interval intervals located moments occurred occurring occurs output period",
    "place prediction range result seconds segment segments span spans time times timespan timestamp timestamps window",
    "windows",
)

# May follow a number without a unit; "3 people", "5 times" are no times.
FOLLOWERS = vocabulary(
    "and as at because begin begins but end ended ending ends finish in into is it of or respectively since so start",
    "starts stop stops that the then this through till to until up when where which while with",
)

# Number what follows them; "scene 3", "step 2" are no times.
NUMBERED = vocabulary(
    "answer attempt camera case chapter choice day episode example figure fig frame frames id image item level line no",
    "number option page part person phase picture player point query question rank room row scene section shot stage",
    "step table team top version video first last next final past another other every each",
)

# Say how long something takes: "lasts 5 s", "the first 5 seconds".
LASTING = vocabulary("another each every final first for last lasted lasting lasts next past takes taking took take")
WITHIN = vocabulary("a an within")
LENGTHS = vocabulary("duration length total")
LENGTH_FILLERS = APPROXIMATELY - {"time", "t"} | vocabulary("only just over up to at least most between of is")


def words_before(text: str, position: int) -> list[str]:
    """The words of the sentence before `position`, nearest last, no further back than 60 characters."""
    before = text[max(0, position - _CONTEXT) : position]
    for stop in ("\n", ". ", "! ", "? ", "; "):
        if stop in before:
            before = before.rpartition(stop)[2]
    return _WORD.findall(before)


def without(words: list[str], fillers: frozenset[str]) -> list[str]:
    """`words` without the last ones that are `fillers`."""
    length = len(words)
    while length and words[length - 1] in fillers:
        length -= 1
    return words[:length]
