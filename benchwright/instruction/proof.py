"""Answers read back: what a parser finds in a text is what the text was made to state."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from schemas.arrays import floats
from scorers.answers import parse_answers

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
# Of times: what is left of nine printed decimals and of two floating-point operations.
_SAME = 1e-6
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")
_SIDES = ("x1", "y1", "x2", "y2", "w", "h", "cx", "cy")


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
    """Answers whose numbers are not, one after another, the sides of boxes that were put there; and what was found."""
    sides = numbers[numbers["name"].isin(_SIDES)].sort_values(["row", "begin"])
    wanted: list[list[str]] = [[] for _ in texts]
    for row, begin, end in zip(sides["row"].tolist(), sides["begin"].tolist(), sides["end"].tolist(), strict=True):
        wanted[row].append(texts[row][begin:end].rstrip("%"))
    found = [_NUMBER.findall(text) for text in texts]
    wrong = np.array([one != other for one, other in zip(found, wanted, strict=True)], bool)
    return wrong, [f"{len(found[row])} numbers, not {len(wanted[row])}" for row in np.flatnonzero(wrong).tolist()]
