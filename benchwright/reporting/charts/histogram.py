"""Histograms: how often values lie where."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchwright.reporting.charts.axis import WIDTH, Scale, across, along, round_step
from benchwright.reporting.drawing import Anchor, Drawing, Label, Line, Rectangle, Shape

HEIGHT = 200.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 54.0, WIDTH - 12, 22.0, HEIGHT - 26
_MARK_HEIGHT = 12.0


@dataclass(frozen=True)
class Bins:
    """Values counted between round edges.

    Attributes:
        edges: one more than bins, the last bin holds its upper edge, too.
        counts: by bin.
        below, above: values beyond the edges, which the first and the last bin hold, too.
    """

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    below: int = 0
    above: int = 0


@dataclass(frozen=True)
class Mark:
    """A line at a value, such as the median or a threshold of a rule."""

    value: float
    text: str


def binned(values: ArrayLike, low: float | None = None, high: float | None = None, about: int = 30) -> Bins:
    """Count values between round edges; NaN is left out.

    Args:
        values: any numbers; of whole ones the bins are as wide as whole numbers.
        low, high: the edges; without them 0, or the lowest hundredth if that is negative, and the highest hundredth.
        about: how many bins.

    >>> binned([1, 1, 2, 9], high=4, about=4)
    Bins(edges=(0.0, 1.0, 2.0, 3.0, 4.0), counts=(0, 2, 1, 1), below=0, above=1)
    """
    known: NDArray[np.float64] = np.asarray(values, np.float64).ravel()
    known = known[np.isfinite(known)]
    if not len(known):
        return Bins((0.0, 1.0), (0,))
    first, last = np.quantile(known, (0.01, 0.99)).tolist()
    low = min(0.0, first) if low is None else low
    high = max(last, low) if high is None else high
    whole = bool((known == np.rint(known)).all())
    step = round_step((high - low) / about, (1.0, 2.0, 5.0, 10.0))
    step = max(step, 1.0 if whole else 1e-6)
    start = np.floor(low / step + 1e-9)
    stop = max(np.ceil(high / step - 1e-9), start + 1)
    edges = np.arange(start, stop + 1) * step
    counts = np.histogram(np.clip(known, edges[0], edges[-1]), edges)[0]
    below, above = int((known < edges[0]).sum()), int((known > edges[-1]).sum())
    return Bins(tuple(np.round(edges, 12).tolist()), tuple(counts.tolist()), below, above)


def histogram(bins: Bins, description: str, unit: str = "", things: str = "", mark: Mark | None = None) -> Drawing:
    """Draw counts as bars.

    Args:
        bins: what was counted.
        description: what the drawing shows.
        unit: of the values.
        things: what is counted, in the plural.
        mark: a value to point at.
    """
    edges, counts = bins.edges, bins.counts
    x = Scale(edges[0], edges[-1], _LEFT, _RIGHT)
    y = Scale(0, max(*counts, 1), _BOTTOM, _TOP)
    shapes: list[Shape] = along(y, _LEFT, _RIGHT)
    shapes += [shape for shape in across(x, _BOTTOM, _BOTTOM, unit) if isinstance(shape, Label)]
    for low, high, count in zip(edges, edges[1:], counts, strict=False):
        if count:
            title = f"{low:g} to {high:g} {unit}: {count:,} {things}".replace(" :", ":").rstrip()
            shapes.append(
                Rectangle(x(low) + 0.5, y(count), max(x(high) - x(low) - 1, 0.5), _BOTTOM - y(count), "bar", title)
            )
    if mark is not None and edges[0] <= mark.value <= edges[-1]:
        place = x(mark.value)
        anchor: Anchor
        aside, anchor = (5, "start") if place < WIDTH * 0.62 else (-5, "end")
        shapes.append(Line(((place, _MARK_HEIGHT - 8), (place, _BOTTOM)), "hair", dashed=True))
        shapes.append(Label(place + aside, _MARK_HEIGHT, mark.text, "strong", anchor, bold=True))
    return Drawing(WIDTH, HEIGHT, tuple(shapes), description)
