"""Answers read back: what a parser finds in a text is what the text was made to state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from schemas.arrays import floats
from schemas.errors import shown
from scorers.answers import parse_answers

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
# The span that is asked about, or told; and the true one where that is wrong.
_SPANS = (("start_s", "end_s"), ("true_start_s", "true_end_s"))
# By how much more a wrong span may overlap the true one (IoU) as the text has it, rounded.
_BLURRED = 0.1
# Of times: what is left of nine printed decimals and of two floating-point operations.
_SAME = 1e-6
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")


class StatedSpan(NamedTuple):
    """The span of each text in seconds: start and end as they are, and as the text has them, rounded."""

    value: tuple[Floats, Floats]
    stated: tuple[Floats, Floats]

    @property
    def emptied(self) -> Mask:
        """Whether rounding has left it no length."""
        emptied: Mask = (self.stated[0] == self.stated[1]) & (self.value[0] != self.value[1])
        return emptied

    @property
    def moved(self) -> Floats:
        """By how much rounding has moved start or end, whichever is more."""
        return np.maximum(*(np.abs(one - other) for one, other in zip(self.value, self.stated, strict=True)))


def stated_span(numbers: pd.DataFrame, size: int) -> StatedSpan | None:
    """The span that each of so many texts states, the first one if several; None if some state none."""
    for names in _SPANS:
        sides = [numbers[numbers["name"] == name].drop_duplicates("row").sort_values("row") for name in names]
        if size and all(len(side) == size for side in sides):
            start, end = ([side[kind].to_numpy() for kind in ("value", "stated")] for side in sides)
            return StatedSpan((start[0], end[0]), (start[1], end[1]))
    return None


def blurred(span: StatedSpan, true: tuple[Floats, Floats], max_overlap: float) -> Mask:
    """Wrong spans that rounding has moved into the true one: no longer wrong enough as the text has them."""
    (start, end), (first, last) = span.stated, true
    wrong = (span.value[0] != first) | (span.value[1] != last)
    shared = np.minimum(end, last) - np.maximum(start, first)
    union = np.maximum(end, last) - np.minimum(start, first)
    inside = (start == end) & (start > first) & (start < last)
    overlaps: Mask = wrong & (inside | (shared > (max_overlap + _BLURRED) * union))
    return overlaps


def unread_spans(
    texts: Sequence[str], stated: tuple[Floats, Floats], scale: str, durations: Floats
) -> tuple[Mask, list[str]]:
    """Answers in which our parser does not find the span that they state, and what it found instead.

    Args:
        texts: the answers.
        stated: start and end in seconds as the text has them, rounded.
        scale: of the numbers, as in `time_scale`.
        durations: seconds of the videos, NaN where not known; they matter on a relative scale alone.
    """
    relative = scale not in ("", "seconds")
    found = parse_answers(texts, scale=scale or "seconds", durations=durations if relative else None)
    pairs = zip(stated, (floats(found[name]) for name in ("start_s", "end_s")), strict=True)
    same = np.logical_and.reduce([np.abs(one - other) <= _SAME for one, other in pairs])
    wrong = ~same | np.isin(np.array(found["status"].to_pylist(), dtype=object), ("reversed", "single", "none"))
    starts, ends, statuses = (found[name].to_pylist() for name in ("start_s", "end_s", "status"))
    rows = np.flatnonzero(wrong).tolist()
    said = [f"{starts[row]} to {ends[row]}" if starts[row] is not None else "no time" for row in rows]
    return wrong, [f"{times} ({statuses[row]})" for times, row in zip(said, rows, strict=True)]


def unread_boxes(texts: Sequence[str], numbers: pd.DataFrame) -> tuple[Mask, list[str]]:
    """Answers whose numbers are not, one after another, those that were put there; and what was found."""
    sides = numbers.sort_values(["row", "begin"])
    wanted: list[list[str]] = [[] for _ in texts]
    for row, begin, end in zip(sides["row"].tolist(), sides["begin"].tolist(), sides["end"].tolist(), strict=True):
        wanted[row].append(texts[row][begin:end].rstrip("%"))
    found = [_NUMBER.findall(text) for text in texts]
    wrong = np.array([one != other for one, other in zip(found, wanted, strict=True)], bool)
    rows = np.flatnonzero(wrong).tolist()
    return wrong, [f"the numbers {shown(' '.join(found[row]))}, not {shown(' '.join(wanted[row]))}" for row in rows]
