"""An answer made ready for the patterns: the part that answers, plain punctuation, the times in it."""

from __future__ import annotations

import re
import string
from functools import cached_property
from typing import NamedTuple

from scorers.answers.labels import Labelled, Pairing, labelled_times, pair
from scorers.answers.mentions import Mention, mentions
from scorers.answers.ranges import Joined, ranges
from scorers.answers.units import TimeScale

LONGEST = 20_000
_MATCHED_CHARACTERS = 200

# Typographic dashes, spaces, quotes and colons as their plain forms, one character each; zero-width ones dropped.
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u00a0\u2009\u202f\u3000", " "),
        **dict.fromkeys("\u200b\ufeff"),
        "“": '"',
        "”": '"',
        "’": "'",
        "‘": "'",
        "：": ":",
        "，": ",",
        "\r": "\n",
    }
)
_LOWER = {ord(letter): letter.lower() for letter in string.ascii_uppercase}
_QUOTED = re.compile(r'"[^"\n]{1,600}"(?P<key>\s*[:=])?')
_WORD = re.compile(r"[A-Za-z]{2,}")
_QUOTED_WORDS = 5
# 7,5 s: one number, as much of Europe writes it; in brackets it is two.
_DECIMAL_COMMA = re.compile(r"(?<![\d.,:\[(<{/-])(\d{1,4}),(\d{1,2})(?![\d:\])>}/]|[.,]\d)")

# Nothing but 3,7 may be one number or two.
_PAIR = re.compile(r"\s*\d+,\d+\W*")


class Prose(NamedTuple):
    """An answer as running text.

    Attributes:
        text: quotations shortened to `"..."`, since they repeat the query; no asterisks.
        lower: `text` with its ASCII letters in lower case, so that offsets are the same.
        mentions: the times in it, in order.
        labelled: those that are called a start or an end.
        pairing: the spans that these make.
        ranges: the spans of neighbouring times without a label.
    """

    text: str
    lower: str
    mentions: list[Mention]
    labelled: list[Labelled]
    pairing: Pairing
    ranges: list[Joined]


class Reading:
    """One answer under one time scale.

    Attributes:
        raw: the answer as given; only the official patterns read it.
        scale: what a number without a unit means.
        text: the final answer (after `</think>`, inside `<answer>`), punctuation in its plain form, at most `LONGEST`
            characters.
        cut: whether the middle of a long answer is left unread.
    """

    def __init__(self, raw: str, scale: TimeScale) -> None:
        self.raw = raw
        self.scale = scale
        answer = _final_answer(raw).replace("\\n", "\n")
        self.cut = len(answer) > LONGEST
        if self.cut:
            answer = answer[: LONGEST // 2] + "\n...\n" + answer[-LONGEST // 2 :]
        self.text = answer if answer.isascii() and "\r" not in answer else answer.translate(_PLAIN)

    @cached_property
    def prose(self) -> Prose:
        text = self.text.strip()
        if len(text) > 1 and text[0] == text[-1] == '"' and text.count('"') == 2:
            text = text[1:-1]
        text = _QUOTED.sub(_shortened, text).replace("*", " ")
        if not _PAIR.fullmatch(text):
            text = _DECIMAL_COMMA.sub(r"\1.\2", text)
        lower = text.lower() if text.isascii() else text.translate(_LOWER)
        times = mentions(lower, self.scale)
        labelled = labelled_times(lower, times)
        joined = ranges(lower, times, {time.mention for time in labelled})
        return Prose(text, lower, times, labelled, pair(labelled), joined)


def excerpt(text: str) -> str:
    """The matched text as it is recorded: one line of at most 200 characters."""
    line = " ".join(text[: 4 * _MATCHED_CHARACTERS].split())
    return line if len(line) <= _MATCHED_CHARACTERS else line[: _MATCHED_CHARACTERS - 3] + "..."


def _shortened(quoted: re.Match[str]) -> str:
    words = len(_WORD.findall(quoted[0]))
    short = words <= _QUOTED_WORDS and any(character.isdigit() for character in quoted[0])
    return quoted[0] if quoted["key"] or short or not words else '"..."'


def _final_answer(text: str) -> str:
    """Reasoning models put their answer after `</think>` or inside `<answer>`; times in the reasoning are no answer."""
    if "<think>" in text and "</think>" not in text:
        return text[: text.index("<think>")]
    answer = text.rpartition("</think>")[2]
    opened = answer.rfind("<answer>")
    if opened < 0:
        return answer
    inside = answer[opened + len("<answer>") :].partition("</answer>")[0]
    return inside if any(character.isdigit() for character in inside) else answer
