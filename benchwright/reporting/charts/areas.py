"""Areas of boxes on a scale of powers of two, those that a rule drops beside those that stay."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from benchwright.reporting.charts.axis import WIDTH, Scale, along
from benchwright.reporting.drawing import Drawing, Label, Line, Rectangle, Shape

HEIGHT = 200.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, WIDTH - 12, 24.0, HEIGHT - 26


def areas(
    kept: NDArray[np.float64], gone: NDArray[np.float64], least: float | None, description: str, per_power: int = 2
) -> Drawing:
    """Draw a histogram of areas in square pixels, bins half a power of two wide; what is dropped lies on top.

    Args:
        kept, gone: areas; below 1 they count as 1, those that are not finite are left out.
        least: the least area that the rule lets stay: a line.
        description: what the drawing shows.
        per_power: bins from a number to its double.
    """
    logs = [np.log2(np.maximum(values[np.isfinite(values)], 1)) for values in (kept, gone)]
    joint = np.concatenate([*logs, [] if least is None else [math.log2(max(least, 1.0))]])
    low, high = (math.floor(joint.min()), math.floor(joint.max()) + 1) if len(joint) else (0, 1)
    edges = np.linspace(low, high, (high - low) * per_power + 1)
    stay, drop = (np.histogram(values, edges)[0] for values in logs)
    x = Scale(low, high, _LEFT, _RIGHT)
    y = Scale(0, float(max((stay + drop).max(initial=0), 1)), _BOTTOM, _TOP)
    shapes: list[Shape] = [*along(y, _LEFT, _RIGHT), *_powers(x)]
    for start, end, below, above in zip(edges, edges[1:], stay.tolist(), drop.tolist(), strict=False):
        span = f"{2**start:,.0f} to {2**end:,.0f} px²"
        for base, count, colour, word in ((0, below, "kept", "stay"), (below, above, "gone", "dropped")):
            if count:
                top, width = y(base + count), max(x(end) - x(start) - 1, 0.5)
                shapes.append(Rectangle(x(start) + 0.5, top, width, y(base) - top, colour, f"{span}: {count:,} {word}"))
    if least is not None:
        place = x(math.log2(max(least, 1.0)))
        right = place < WIDTH * 0.6
        shapes.append(Line(((place, 8), (place, _BOTTOM)), "hair", dashed=True))
        words = f"{least:,.10g} px²"
        shapes.append(Label(place + (5 if right else -5), 14, words, "strong", "start" if right else "end", bold=True))
    return Drawing(WIDTH, HEIGHT, tuple(shapes), description)


def _powers(x: Scale) -> list[Shape]:
    """Sides of squares of such areas, as people know sizes by them: 16², 32², 64²."""
    every = max(1, round((x.high - x.low) / 2 / 6))
    halves = [half for half in range(math.ceil(x.low / 2), math.floor(x.high / 2) + 1) if half % every == 0]
    texts = [f"{2**half:,}²" for half in halves[:-1]] + [f"{2**half:,}² px" for half in halves[-1:]]
    places = [x(2.0 * half) for half in halves]
    return [
        Label(place, _BOTTOM + 18, text, anchor="end" if place > WIDTH - 24 else "middle")
        for place, text in zip(places, texts, strict=True)
    ]
