"""What holds of every span and box, as masks of those that break it: for the rows of a manifest, and rule by rule."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from schemas.notices import Severity

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Broken = Iterator[tuple[Severity, str, str, Mask]]
"""Severity, check, what breaks the law in words, and which do; shape (rows,)."""

SPAN = ("start_s", "end_s")
SIDES = ("x", "y", "width", "height")

# Boxes are printed with two decimals, so that sides may differ by this from where they are.
_ROUNDING = 0.01  # px


def broken_spans(start: Floats, end: Floats, duration: Floats) -> Broken:
    """Spans that no video has.

    Args:
        start, end: in seconds, shape (rows,).
        duration: of the video in seconds, NaN where it is not known.
    """
    yield "error", "finite", "times that are not finite", ~np.isfinite(start + end)
    yield "error", "negative", "times below 0", (start < 0) | (end < 0)
    yield "warning", "span", "spans that start at or after their end", start >= end
    yield "warning", "duration", "spans that end beyond their video", end > duration


def broken_boxes(sides: Floats, sizes: Floats, of: str) -> Broken:
    """Boxes that no image has.

    Args:
        sides: x, y, width, height in pixels, shape (4, boxes).
        sizes: width and height of each box's image in pixels, NaN where they are not known, shape (2, boxes).
        of: the level that they are of, for the words.
    """
    width, height = sides[2:]
    yield "error", "finite", f"boxes of {of} that are not finite", ~np.isfinite(sides.sum(axis=0))
    yield "error", "negative", f"boxes of {of} with sides below 0", (width < 0) | (height < 0)
    yield "warning", "area", f"boxes of {of} without area", (width == 0) | (height == 0)
    yield "warning", "pixel", f"boxes of {of} under a pixel wide or high", under_a_pixel(sides)
    yield "warning", "image", f"boxes of {of} that reach beyond their image", beyond(sides, sizes)


def under_a_pixel(sides: Floats) -> Mask:
    """Which boxes have a side between 0 and 1 px; those of 0 are without area. Shape (boxes,)."""
    least = np.minimum(sides[2], sides[3])
    small: Mask = (least > 0) & (least < 1)
    return small


def beyond(sides: Floats, sizes: Floats, tolerance: float = _ROUNDING) -> Mask:
    """Which boxes reach beyond their image, whose size may be NaN; arguments as of `broken_boxes`. Shape (boxes,)."""
    ends = sides[:2] + sides[2:]
    outside: Mask = np.any((sides[:2] < -tolerance) | (ends > sizes + tolerance), axis=0)
    return outside
