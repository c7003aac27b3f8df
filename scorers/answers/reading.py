"""What a pattern is, what it reads (the part of an answer that answers, and the times in it) and what it gives."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

from scorers.answers.mentions import Time, times_in
from scorers.answers.scales import TimeScale
from scorers.answers.spans import Joint, Labelled, Range, Span, joints_of, labelled_times, pairs_of, ranges

MIDPOINTS = "midpoints of ranges"
SEVERAL = "several spans"
NULL = "the answer says null"

_LONGEST = 20_000
_MATCHED_CHARACTERS = 200
# Typographic dashes, quotes and blanks as their plain forms, one character each.
_PLAIN = str.maketrans("‐‑‒–—―−“”’‘\u00a0\u202f\r", "-------\"\"''  \n")
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_QUOTED = re.compile(r'"[^"\n]{1,600}"(?P<key>\s*[:=])?')
# 7,5 s: one number, as much of Europe writes it; in brackets it is two.
_DECIMAL_COMMA = re.compile(r"(?<![\d.,:\[(<{/-])(\d{1,4}),(\d{1,2})(?![\d:\])>}/]|[.,]\d)")
_ANSWER_FOLLOWS = re.compile(r"</think>|\bfinal answer[*_ ]*:", re.IGNORECASE)


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


class Reading:
    """One answer under one time scale.

    Attributes:
        raw: the answer as given; only the official patterns read it.
        scale: what a number without a unit means.
        text: the final answer, punctuation in its plain form, at most 20,000 characters.
        cut: whether the middle of a long answer is left unread.
    """

    def __init__(self, raw: str, scale: TimeScale) -> None:
        self.raw = raw
        self.scale = scale
        answer = _final_answer(raw).replace("\\n", "\n")
        self.cut = len(answer) > _LONGEST
        if self.cut:
            answer = answer[: _LONGEST // 2] + "\n...\n" + answer[-_LONGEST // 2 :]
        self.text = answer.translate(_PLAIN)

    @cached_property
    def prose(self) -> Prose:
        text = _QUOTED.sub(_shortened, self.text).replace("*", " ")
        text = _DECIMAL_COMMA.sub(r"\1.\2", text)
        lower = text.translate(_LOWER)
        times = times_in(lower, self.scale)
        joints = joints_of(lower, times)
        labelled = labelled_times(lower, times, joints)
        pairs, left = pairs_of(labelled)
        unlabelled = ranges(lower, times, joints, {time.position for time in labelled})
        unlabelled.sort(key=lambda found: _is_quoted(text, found))
        return Prose(text, lower, times, joints, labelled, pairs, left, unlabelled)


class Found(NamedTuple):
    """What one pattern found in one answer.

    Attributes:
        spans: best first; none where the answer states that there is no span; an end may be missing.
        matched: the text that matched.
        notes: why a person should look, empty where nobody need.
    """

    spans: tuple[Span, ...]
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


def excerpt(text: str) -> str:
    """The matched text as it is recorded: one line of at most 200 characters."""
    line = " ".join(text[: 4 * _MATCHED_CHARACTERS].split())
    return line if len(line) <= _MATCHED_CHARACTERS else line[: _MATCHED_CHARACTERS - 3] + "..."


def _shortened(quoted: re.Match[str]) -> str:
    return quoted[0] if quoted["key"] or any(map(str.isdigit, quoted[0])) else '"..."'


def _is_quoted(text: str, found: Range) -> bool:
    """Whether a range stands inside a quotation, as an example of the form asked for does."""
    return text.count('"', 0, found.first.start) % 2 == 1 and '"' not in text[found.first.end : found.second.start]


def _final_answer(text: str) -> str:
    """What stands after `</think>` or "Final answer:", or inside `<answer>`; times in the reasoning are no answer."""
    if "<think>" in text and "</think>" not in text:
        return text[: text.index("<think>")]
    return _ANSWER_FOLLOWS.split(text)[-1].rpartition("<answer>")[2].partition("</answer>")[0]
