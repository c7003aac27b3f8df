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
# Or where so many lie on what they should be by it alone, and so much fewer by the one that was meant alone: of a
# detector that also sees much where nothing is, mean IoU tells little.
_HIT = 0.5
_GAINED, _GAINED_SHARE, _TO_LOST, _TIMES = 6, 0.03, 4, 1.5
# Without anything to compare with, another reading is looked for where so many boxes leave their image.
_LEAVING = 0.2
_INSIDE = 0.99
_EDGE = 1.0  # px

_LAYOUTS = {
    "xywh": "[x, y, width, height]",
    "xyxy": "corners [x1, y1, x2, y2]",
    "cxcywh": "centres [x_center, y_center, width, height]",
    "yxyx": "corners [y1, x1, y2, x2]",
    "yxhw": "[y, x, height, width]",
    "cycxhw": "centres [y_center, x_center, height, width]",
    "from one": "corners [xmin, ymin, xmax, ymax] of pixels counted from 1",
}
_CORNERS, _CENTRES = ("xyxy", "yxyx", "from one"), ("cxcywh", "cycxhw")
_Y_FIRST = ("yxyx", "yxhw", "cycxhw")
_SCALES = {"pixels": ("", 0), "fractions": (" in fractions of the image", 1)}
_SCALES |= {"thousandths": (" in thousandths of the image", 1000), "percent": (" in percent of the image", 100)}


class Reading(NamedTuple):
    """A meaning of four numbers: their layout, a name in `_LAYOUTS`, and their scale, one in `_SCALES`."""

    layout: str
    scale: str = "pixels"

    def __str__(self) -> str:
        return _LAYOUTS[self.layout] + _SCALES[self.scale][0]


XYWH, YOLO, VOC = Reading("xywh"), Reading("cxcywh", "fractions"), Reading("from one")
READINGS = tuple(Reading(layout, scale) for scale, layout in product(_SCALES, _LAYOUTS) if layout != VOC.layout)
TOLD_APART = tuple(reading for reading in READINGS if reading.layout not in ("yxhw", "cycxhw"))
"""Those that may be told apart by sizes of images and areas alone."""


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
    first, second = _x_first(numbers, reading)
    if reading == VOC:
        first = first - 1
    if reading.layout in _CORNERS:
        second = second - first
    elif reading.layout in _CENTRES:
        first = first - second / 2
    return np.concatenate([first, second]) * _unit(sizes, reading)


def numbers_of(sides: Floats, sizes: Floats, reading: Reading) -> Floats:
    """The numbers that a reading makes these boxes of; the inverse of `boxes_of`."""
    first, second = np.split(sides / _unit(sizes, reading), 2)
    if reading.layout in _CORNERS:
        second = first + second
    elif reading.layout in _CENTRES:
        first = first + second / 2
    if reading == VOC:
        first = first + 1
    return np.concatenate(_x_first(np.concatenate([first, second]), reading))


def _x_first(numbers: Floats, reading: Reading) -> list[Floats]:
    """The two pairs of numbers, each turned round where y is first."""
    return [pair[::-1] if reading.layout in _Y_FIRST else pair for pair in np.split(numbers, 2)]


def _unit(sizes: Floats, reading: Reading) -> Floats | float:
    whole = _SCALES[reading.scale][1]
    return np.concatenate([sizes, sizes]) / whole if whole else 1.0


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
    given = overlap(boxes_of(numbers, sizes, meant))
    others = [reading for reading in READINGS if reading != meant]
    found = [np.nan_to_num(overlap(boxes_of(numbers, sizes, reading))) for reading in others]
    best = int(np.argmax([each.mean() for each in found]))
    return Likely(others[best], float(found[best].mean()), float(given.mean())) if fits(found[best], given) else None


def fits(other: Floats, given: Floats) -> bool:
    """Whether boxes are where they should be by another reading, while by the one that was meant they are not.

    Args:
        other, given: IoU of each box with what it should be, by either; shape (boxes,), not empty.
    """
    before, after = float(given.mean()), float(other.mean())
    if before >= _DOUBTFUL:
        return False
    fit, better = (_FEW_FIT, _FEW_BETTER) if len(given) < _FEW else (_FIT, _BETTER)
    gained = int(np.count_nonzero((other >= _HIT) & (given < _HIT)))
    lost = int(np.count_nonzero((other < _HIT) & (given >= _HIT)))
    clear = gained >= max(_GAINED, _GAINED_SHARE * len(given), _TO_LOST * lost) and after >= _TIMES * before
    return after >= max(fit, before + better) or clear


def readings_inside(sides: Floats, sizes: Floats) -> list[Reading]:
    """Other readings by which boxes lie in their images and have a pixel, which now leave them or are less than that.

    Of `TOLD_APART` those of one scale by which nearly no box leaves its image, pixels before fractions. Thousandths are
    not tried: as such, boxes in pixels lie in their images too.
    """
    known = np.isfinite(sizes).all(axis=0)
    sides, sizes = sides[:, known], sizes[:, known]
    if not sides.shape[1] or _inside(sides, sizes).mean() > 1 - _LEAVING:
        return []
    for scale in ("pixels", "fractions"):
        of_scale = [reading for reading in TOLD_APART if reading.scale == scale and reading != XYWH]
        fitting = [each for each in of_scale if _inside(boxes_of(sides, sizes, each), sizes).mean() >= _INSIDE]
        if fitting:
            return fitting
    return []


def _inside(sides: Floats, sizes: Floats) -> Mask:
    """Which boxes have a pixel and do not leave their image by more than one."""
    inside: Mask = (np.minimum(sides[2], sides[3]) >= 1) & ~beyond(sides, sizes, _EDGE)
    return inside
