"""What four numbers of a box may mean, and which meaning fits: corners, centres, fractions of the image.

Nothing is mended: whoever builds, validates or scores says what the numbers look like, and leaves them as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.laws import Mask, beyond

Floats = NDArray[np.float64]

# Up to this mean IoU boxes are doubtful. Another reading is believed where its own is so high and so much better: of a
# few boxes by more, as one of many readings fits a few by chance.
_DOUBTFUL = 0.5
_FEW, _FEW_FIT, _FEW_BETTER = 10, 0.5, 0.2
_FIT, _BETTER = 0.3, 0.1
# Without anything to compare with, another reading is looked for where so many boxes leave their image.
_LEAVING = 0.2
_INSIDE = 0.99
_EDGE = 1.0  # px

_LAYOUTS = {
    "xywh": "[x, y, width, height]",
    "xyxy": "corners [x1, y1, x2, y2]",
    "cxcywh": "centres [x_center, y_center, width, height]",
    "yxyx": "corners [y1, x1, y2, x2]",
}
_SCALES = {"pixels": "", "fractions": " in fractions of the image", "thousandths": " in thousandths of the image"}


class Reading(NamedTuple):
    """A meaning of four numbers: their layout, a name in `_LAYOUTS`, and their scale, one in `_SCALES`."""

    layout: str
    scale: str = "pixels"

    def __str__(self) -> str:
        return _LAYOUTS[self.layout] + _SCALES[self.scale]


XYWH = Reading("xywh")
READINGS = tuple(Reading(layout, scale) for scale, layout in product(_SCALES, _LAYOUTS))


class Likely(NamedTuple):
    """A reading that fits: its mean IoU with what the boxes should be, and that of the reading that was meant."""

    reading: Reading
    overlap: float
    meant: float


def boxes_of(numbers: Floats, sizes: Floats, reading: Reading) -> Floats:
    """Left, top, width and height in pixels, shape (4, boxes); sides may be negative where the reading does not fit.

    Args:
        numbers: as they are written, shape (4, boxes).
        sizes: width and height of each box's image in pixels, NaN where not known, shape (2, boxes).
    """
    first, second = numbers[:2], numbers[2:]
    if reading.layout == "yxyx":
        first, second = first[::-1], second[::-1]
    if reading.layout in ("xyxy", "yxyx"):
        second = second - first
    elif reading.layout == "cxcywh":
        first = first - second / 2
    return np.concatenate([first, second]) * _unit(sizes, reading)


def numbers_of(sides: Floats, sizes: Floats, reading: Reading) -> Floats:
    """The numbers that a reading makes these boxes of; the inverse of `boxes_of`."""
    scaled = sides / _unit(sizes, reading)
    first, second = scaled[:2], scaled[2:]
    if reading.layout in ("xyxy", "yxyx"):
        second = first + second
    elif reading.layout == "cxcywh":
        first = first + second / 2
    if reading.layout == "yxyx":
        first, second = first[::-1], second[::-1]
    return np.concatenate([first, second])


def _unit(sizes: Floats, reading: Reading) -> Floats | float:
    if reading.scale == "pixels":
        return 1.0
    return np.concatenate([sizes, sizes]) / (1000 if reading.scale == "thousandths" else 1)


def overlaps(boxes: Floats, others: Floats) -> Floats:
    """IoU of each box with the other at its place, 0 where a side is not above 0; shapes (4, boxes) to (boxes,)."""
    ends = np.minimum(boxes[:2] + boxes[2:], others[:2] + others[2:])
    common = np.prod(np.maximum(ends - np.maximum(boxes[:2], others[:2]), 0), axis=0)
    union = np.prod(np.maximum(boxes[2:], 0), axis=0) + np.prod(np.maximum(others[2:], 0), axis=0) - common
    ratio: Floats = np.divide(common, union, out=np.zeros(len(common)), where=union > 0)
    return ratio


def likely_reading(
    numbers: Floats, sizes: Floats, overlap: Callable[[Floats], Floats], meant: Reading = XYWH
) -> Likely | None:
    """Another reading by which boxes are where they should be, which by the one that was meant they are not.

    Args:
        numbers, sizes: as of `boxes_of`.
        overlap: from boxes to the IoU of each with what it should be.
        meant: how the numbers were read.
    """
    if not numbers.shape[1]:
        return None
    given = float(overlap(boxes_of(numbers, sizes, meant)).mean())
    if given >= _DOUBTFUL:
        return None
    others = [reading for reading in READINGS if reading != meant]
    means = [float(np.nan_to_num(overlap(boxes_of(numbers, sizes, reading))).mean()) for reading in others]
    best = int(np.argmax(means))
    fit, better = (_FEW_FIT, _FEW_BETTER) if numbers.shape[1] < _FEW else (_FIT, _BETTER)
    fits = means[best] >= max(fit, given + better)
    return Likely(others[best], means[best], given) if fits else None


def readings_inside(sides: Floats, sizes: Floats) -> list[Reading]:
    """Other readings by which boxes lie in their images and have a pixel, which now leave them or are less than that.

    Of the readings of one scale those by which nearly no box leaves its image, pixels before fractions. Thousandths are
    not tried: as such, boxes in pixels lie in their images too.
    """
    known = np.isfinite(sizes).all(axis=0)
    sides, sizes = sides[:, known], sizes[:, known]
    if not sides.shape[1] or _inside(sides, sizes).mean() > 1 - _LEAVING:
        return []
    for scale in ("pixels", "fractions"):
        of_scale = [reading for reading in READINGS if reading.scale == scale and reading != XYWH]
        fitting = [each for each in of_scale if _inside(boxes_of(sides, sizes, each), sizes).mean() >= _INSIDE]
        if fitting:
            return fitting
    return []


def _inside(sides: Floats, sizes: Floats) -> Mask:
    """Which boxes have a pixel and do not leave their image by more than one."""
    inside: Mask = (np.minimum(sides[2], sides[3]) >= 1) & ~beyond(sides, sizes, _EDGE)
    return inside
