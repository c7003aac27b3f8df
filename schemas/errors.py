"""The one error type of the toolkit: what is wrong, where, what was expected, what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from heapq import nlargest
from itertools import pairwise
from typing import Any

SHOWN_PROBLEMS = 20
# Where readers may stop to collect: of a file of garbage nobody wants more, and they take memory.
MOST_PROBLEMS = 1000
_SHOWN_CHARACTERS = 80
_CLIPPED_CHARACTERS = 300
_NAME_CHARACTERS = 1000
_LONGEST_BITS = 10_000
_COMPARED = 50
_PLURAL = re.compile(r"(?<=ch|ss)es\b|(?<=[^\Ws])s\b")
_OF_ONE = {"are": "is", "have": "has"}


class BenchwrightError(Exception):
    """Anything that a user can mend: bad input, bad usage. The command line prints it and exits with 2."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in one file.

    Attributes:
        file: path as the user knows it.
        record: where in the file: `line 12`, `clip "a"`, `byte 311`, `video v_A_01 behaviour b_02`; empty for the file.
        field: name of the field, empty where the record as a whole is meant.
        found: what is there (shorten long values with `shown`).
        expected: what the format asks for.
        advice: what to do about it, empty where `expected` says it all.
    """

    file: str
    record: str
    field: str
    found: str
    expected: str
    advice: str = ""

    def __str__(self) -> str:
        place = ": ".join([self.file] * bool(self.file) + [clipped(part) for part in (self.record, self.field) if part])
        advice = f" ({self.advice})" if self.advice else ""
        return printable(f"{place}: found {clipped(self.found)}, expected {clipped(self.expected)}{advice}")


class InputError(BenchwrightError):
    """Raw or given files that break their format; carries every `Problem`, prints at most 20 of them, one a line.

    Another message may be in their place.
    """

    def __init__(self, problems: Problem | Sequence[Problem], message: str = "") -> None:
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        lines = [str(problem) for problem in self.problems[:SHOWN_PROBLEMS]]
        if len(self.problems) > SHOWN_PROBLEMS:
            least = "at least " if len(self.problems) >= MOST_PROBLEMS else ""
            lines.append(f"... and {least}{len(self.problems) - SHOWN_PROBLEMS:,} more problems")
        super().__init__(message or "\n".join(lines))


class UsageError(BenchwrightError):
    """A name, parameter or path in the call that does not exist or does not fit."""


def counted(count: int, things: str, verb: str = "") -> str:
    """A number of things and what they do, in words for several; of one the plural is taken back where it is regular.

    >>> counted(1_589, "rows", "are"), counted(1, "rows", "are"), counted(1, "persons missing")
    ('1,589 rows are', '1 row is', '1 person missing')
    """
    if count == 1:
        things, verb = _PLURAL.sub("", things), _OF_ONE.get(verb, f"{verb}s" if verb else "")
    return f"{count:,} {things} {verb}".rstrip()


def first_few(examples: Sequence[str], count: int) -> str:
    """Examples out of `count`, for messages: `a, b, c, ...` where there are more."""
    return ", ".join(map(clipped, examples)) + (", ..." if count > len(examples) else "")


def clipped(text: str, most: int = _CLIPPED_CHARACTERS) -> str:
    """A text that others wrote, without its middle where it is longer than any name in use.

    >>> clipped("a" * 5 + "b" * 1_000_000 + "c" * 5, 20)
    'aaaaabbb...bbbbccccc'
    """
    head = (most - 3) // 2
    return text if len(text) <= most else f"{text[:head]}...{text[len(text) - (most - 3 - head) :]}"


def shown(value: object) -> str:
    """`value` as it is quoted in an error: `repr`, cut to 80 characters.

    >>> shown(["a", {"b": (1,)}]), shown([[]] * 1_000_000)
    ("['a', {'b': (1,)}]", '[[], [], [], [], [], [], [], [], [], [], [], [], [], [], [], [], [], [], [], ...')
    """
    text = _begun(value, _SHOWN_CHARACTERS + 1)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 3] + "..."


def _begun(value: Any, room: int) -> str:
    """`repr(value)`, of which only the first `room` characters must be right: all of it may take hours to write.

    A list that holds another one eight times, and so on, is small in memory and in YAML, and has no end written out.
    """
    if isinstance(value, str | bytes):
        return repr(value[:room])
    if isinstance(value, int) and value.bit_length() > _LONGEST_BITS:  # which Python refuses to write
        return hex(value)
    if type(value) not in (list, tuple, dict):
        return repr(value)
    text, closing = ("[", "]") if type(value) is list else ("(", ")") if type(value) is tuple else ("{", "}")
    for item in value.items() if isinstance(value, dict) else value:
        if len(text) > room:
            return text
        text += ", " * (len(text) > 1)
        parts = item if isinstance(value, dict) else (item,)
        for place, part in enumerate(parts):
            text += ": " * place + _begun(part, room - len(text))
    return text + ("," if isinstance(value, tuple) and len(value) == 1 else "") + closing


def printable(text: str) -> str:
    """`text` without control characters: names are untrusted and may hold terminal escape sequences."""
    return "".join(c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in text)


def nearest(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> list[str]:
    """Up to three known names that are much like `name`, whatever the case of its letters, the nearest first."""
    if len(name) > _NAME_CHARACTERS:
        return []
    known = [other for other in known if len(other) <= _NAME_CHARACTERS]
    # Comparing every pair of names takes seconds for ten thousands; shared pairs of letters tell the hopeless apart.
    pairs = set(pairwise(name.casefold()))
    likely = nlargest(_COMPARED, known, key=lambda other: len(pairs & set(pairwise(other.casefold()))))
    by_folded = {other.casefold(): other for other in likely}
    if name.casefold() in by_folded:
        return [by_folded[name.casefold()]]
    return [by_folded[near] for near in get_close_matches(name.casefold(), by_folded, n=3, cutoff=cutoff)]


def unknown_name(kind: str, name: str, known: Sequence[str]) -> UsageError:
    """The error for an unknown name: says what exists, the nearest first."""
    near = nearest(name, known, cutoff=0.5)
    guess = f"; did you mean {' or '.join(near)}?" if near else ""
    listing = ", ".join(map(clipped, known)) if known else "none"
    return UsageError(printable(f"unknown {kind} {clipped(repr(name))}{guess} (known: {listing})"))
