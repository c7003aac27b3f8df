"""The parts of an answer that are read, the surest first: what it calls its answer, without examples; then all."""

from __future__ import annotations

import re
from typing import NamedTuple

from scorers.answers.mentions import in_lower_case

_LONGEST = 20_000
# Typographic dashes, quotes and blanks as their plain forms, one character each.
_PLAIN = str.maketrans("‐‑‒–—―−“”’‘\u00a0\u202f\r", "-------\"\"''  \n")
# Searched in lower case, and only where one of its words occurs: most answers have none.
_ANSWER_FOLLOWS = re.compile(
    r"\bfinal (?:answer|prediction|output|response|result)[*_ ]*(?::|\bis\b|\n)"
    r"|(?<![\w\"'])(?:answer|assistant)[*_ ]*(?:\([^()\n]{0,30}\)[*_ ]*)?:|\bthe answer (?P<loose>is)\b"
)
_ANSWER_WORDS = ("answer", "assistant", "final ")
_THOUGHT = re.compile(r"[<◁](?P<end>/)?(?:think(?:ing)?|thoughts?|reasoning)[>▷]", re.IGNORECASE)
# The form of an answer that prompts show and models repeat, behind words that say so, in quotes or up to its end.
_EXAMPLE = re.compile(
    r"\b(?:for (?:example|instance)|e\.g\.|examples?(?: is| are)?|such as|as in|form(?:at)?(?: is)?|asked for)[ :,]*"
    r"(?=[^\w\n]{0,9}(?:(?:from|between|(?:start|begin)\w{0,4}(?: times?)?)[^\w\n]{1,9})?(?:[0-9]|\w{2,9}[\"']))"
    r"(?:\"[^\"\n]*\"|\{[^{}\n]*\}|[^\n]*?(?=[.;:!?](?:\s|$)|\n|$))"
)
_EXAMPLE_WORDS = ("exampl", "instance", "e.g.", "such as", "as in", "form", "asked for")


class Part(NamedTuple):
    """A part of an answer.

    Attributes:
        text: its text, punctuation in its plain form, at most 20,000 characters.
        sure: whether all that it says counts, be it no span or a refusal, and not a whole span alone.
        cut: whether the middle of it is left unread.
        before: whether it begins before what is called the answer, which says nothing then.
        example: whether it has an example, without which it states no whole span.
    """

    text: str
    sure: bool = True
    cut: bool = False
    before: bool = False
    example: bool = False


def parts_of(answer: str) -> list[Part]:
    """The parts to be read in turn; the last is the answer without its reasoning, in which times do not count."""
    thoughts = list(_THOUGHT.finditer(answer))
    ends = [mark.end() for mark in thoughts if mark["end"]]
    # Thoughts that never end leave what stands before them.
    said = answer[ends[-1] :] if ends else answer[: thoughts[0].start()] if thoughts else answer
    said = said.replace("\\n", "\n")
    marks = _matches(_ANSWER_FOLLOWS, _ANSWER_WORDS, said)
    final = said[marks[-1].end() :] if marks else said
    final = final.rpartition("<answer>")[2].partition("</answer>")[0]
    sure = not (marks and marks[-1]["loose"])
    return _parts(final, sure, before=False) + (_parts(said, True, before=sure) if final != said else [])


def _parts(text: str, sure: bool, before: bool) -> list[Part]:
    """A text without its examples, if it has any, and the text itself."""
    cut = len(text) > _LONGEST
    if cut:
        text = text[: _LONGEST // 2] + "\n...\n" + text[-_LONGEST // 2 :]
    text = text.translate(_PLAIN) if "\r" in text or not text.isascii() else text
    examples = _matches(_EXAMPLE, _EXAMPLE_WORDS, text)
    if not examples:
        return [Part(text, sure, cut, before)]
    ends = [0, *(match.end() for match in examples)]
    others = [text[end : match.start()] for end, match in zip(ends, examples, strict=False)]
    rest = " ".join([*others, text[ends[-1] :]])
    return [Part(rest, False, cut, before), Part(text, sure, cut, before, example=True)]


def _matches(expression: re.Pattern[str], words: tuple[str, ...], text: str) -> list[re.Match[str]]:
    lower = in_lower_case(text)
    for word in words:
        if word in lower:
            return list(expression.finditer(lower))
    return []
