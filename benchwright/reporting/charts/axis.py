"""Axes: round ticks, how they are written, and where values lie on the grid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from benchwright.reporting.drawing import Label, Line, Shape

WIDTH = 520.0
CHARACTER = 8.6
"""Width of a character where charts are narrow and their text is large."""
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


class Scale(NamedTuple):
    """A line from values to places on the grid; values beyond its ends are drawn at the ends."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """
        >>> Scale(0, 10, 100, 200)(2.5), Scale(0, 10, 100, 200)(99)
        (125.0, 200.0)
        """
        share = (min(max(value, self.low), self.high) - self.low) / ((self.high - self.low) or 1.0)
        return self.start + share * (self.end - self.start)


def round_step(size: float, steps: Sequence[float] = STEPS) -> float:
    """The next round number that is not smaller: 1, 2, 2.5 or 5 times a power of ten.

    >>> round_step(0.3), round_step(7), round_step(21)
    (0.5, 10.0, 25.0)
    """
    if size <= 0 or not math.isfinite(size):
        return 1.0
    power = 10.0 ** math.floor(math.log10(size))
    return next(step * power for step in (*steps, 20.0) if step * power >= size * (1 - 1e-9))


def ticks(low: float, high: float, about: int = 4) -> list[float]:
    """Round values from `low` to `high`, about so many steps.

    >>> ticks(0, 43), ticks(-5, 5, 2)
    ([0.0, 10.0, 20.0, 30.0, 40.0], [-5.0, 0.0, 5.0])
    """
    step = round_step((high - low) / about * 0.9)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(place * step, 12) for place in range(first, last + 1)]


def written(values: Sequence[float], unit: str = "") -> list[str]:
    """Values of an axis with as many digits as tell them apart; the last has the unit.

    >>> written([0.0, 2.5, 5.0], "s"), written([0.0, 1000.0])
    (['0.0', '2.5', '5.0 s'], ['0', '1,000'])
    """
    digits = next((n for n in range(7) if all(math.isclose(v, round(v, n), abs_tol=1e-9) for v in values)), 7)
    texts = [f"{value:,.{digits}f}" for value in values]
    return [*texts[:-1], f"{texts[-1]} {unit}".rstrip()] if texts else []


def cut(text: str, most: int) -> str:
    """A text of at most so many characters.

    >>> cut("videollama_finetuned", 12)
    'videollama_…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def across(scale: Scale, top: float, bottom: float, unit: str = "", about: int = 4) -> list[Shape]:
    """Lines from top to bottom at round values, which are written below."""
    places = ticks(scale.low, scale.high, about)
    lines: list[Shape] = [Line(((scale(x), top), (scale(x), bottom)), "axis") for x in places]
    return lines + [
        Label(scale(x), bottom + 18, text, anchor="end" if scale(x) + CHARACTER * len(text) / 2 > WIDTH else "middle")
        for x, text in zip(places, written(places, unit), strict=True)
    ]


def along(scale: Scale, left: float, right: float, unit: str = "", about: int = 3) -> list[Shape]:
    """Lines from left to right at round values, which are written on the left."""
    places = ticks(scale.low, scale.high, about)
    lines: list[Shape] = [Line(((left, scale(y)), (right, scale(y))), "axis") for y in places]
    return lines + [
        Label(left - 6, scale(y) + 4, text, anchor="end") for y, text in zip(places, written(places, unit), strict=True)
    ]
