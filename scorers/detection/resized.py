"""Boxes of images that were resized before they were looked at, as detectors do it, put back into the images."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorers.detection.boxes import Floats

INPUTS = (300, 320, 384, 416, 448, 512, 544, 608, 640, 768, 800, 896, 1024, 1280, 1536)
"""Usual sizes of a detector's input in pixels."""

_SHORTER, _LONGER = 800, 1333
"""Sides up to which Detectron and those after it enlarge images, keeping their shape."""


def originals(sides: Floats, sizes: Floats) -> Iterator[tuple[str, Floats]]:
    """What boxes would be in their images if they were of resized ones, for each usual way, which is told in words.

    Args:
        sides: x, y, width, height in pixels, shape (4, boxes).
        sizes: width and height of each box's image in pixels, NaN where not known, shape (2, boxes).
    """
    nothing = np.zeros_like(sizes)
    for side in INPUTS:
        longer = np.broadcast_to(side / sizes.max(axis=0), sizes.shape)
        yield f"those of images stretched to {side} x {side} px", _restored(sides, side / sizes, nothing)
        yield f"those of images scaled to {side} px on the longer side", _restored(sides, longer, nothing)
        padded = _restored(sides, longer, (side - longer * sizes) / 2)
        yield f"those of images scaled to {side} px on the longer side and padded on both sides", padded
    least = np.minimum(_SHORTER / sizes.min(axis=0), _LONGER / sizes.max(axis=0))
    shorter = _restored(sides, np.broadcast_to(least, sizes.shape), nothing)
    yield f"those of images scaled to {_SHORTER} px on the shorter side, at most {_LONGER} on the longer", shorter


def _restored(sides: Floats, scale: Floats, margin: Floats) -> Floats:
    return np.concatenate([(sides[:2] - margin) / scale, sides[2:] / scale])
