"""Boxes of body parts from DensePose's part masks, as the authors of the person and body-part benchmark draw them.

The steps are those of `FraunhoferIKS/smf-object-detection : src/generate_annotations.py`: paint the parts of a person
on a 256 x 256 canvas in their order, so that later parts overwrite earlier ones; fill the tight box of what is left of
a part; resize the canvas to the person's box, truncated to whole pixels, by nearest neighbour; take `max - min` as
width and height. Nothing is painted here: the masks stay run lengths, and the resize is a formula.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from builders.raw.densepose import N_PARTS, SIDE, PartMasks
from builders.raw.run_lengths import Integers, Runs, places

# Of a person, so that the ids of its parts have 64 bits.
LARGEST_ID = (2**63 - 1 - N_PARTS) // 1000

# Why a part has a mask but no box: later parts cover it; no pixel is left after the resize, or one in width or height.
HIDDEN, SAMPLED_AWAY, TOO_THIN = "hidden", "sampled_away", "too_thin"

_PIXELS = SIDE * SIDE
_PART_BITS = 4
# Persons whose runs are handled together: few enough that the arrays stay in the processor's cache.
_BLOCK = 64
# For every set of parts, as bits, the last part in it.
_LAST_PART = np.repeat(np.arange(-1, N_PARTS, dtype=np.int8), np.concatenate([[1], 1 << np.arange(N_PARTS)]))


class _Extents(NamedTuple):
    """First and last column and row of the pixels that show each mask's part; first > last where none does."""

    left: Integers
    right: Integers
    top: Integers
    bottom: Integers


def part_boxes(masks: PartMasks, boxes: npt.NDArray[np.float64]) -> pd.DataFrame:
    """The box of every part of every person, left and right apart.

    Args:
        masks: of the parts, by person.
        boxes: (n, 4) `x`, `y`, `width`, `height` in pixels of each object that `masks.row` counts; each number is
            truncated before use.

    Returns:
        One row per mask, in their order: `row`, `part`; `x`, `y`, `width`, `height` (float64 pixels of the image, whole
        numbers; width and height are `max - min`, a pixel less than the part covers), NaN where no box is left, and
        then the reason in `vanished` (`HIDDEN`, `SAMPLED_AWAY` or `TOO_THIN`, else null).
    """
    extents = _visible_extents(masks)
    whole = np.trunc(boxes).astype(np.int64)[masks.row]
    left, right = _resized(extents.left, extents.right, whole[:, 2])
    top, bottom = _resized(extents.top, extents.bottom, whole[:, 3])
    width, height = right - left, bottom - top

    vanished = np.full(len(width), None, dtype=object)
    vanished[np.minimum(width, height) == 0] = TOO_THIN
    vanished[np.minimum(width, height) < 0] = SAMPLED_AWAY
    vanished[extents.right < extents.left] = HIDDEN
    sides = {"x": whole[:, 0] + left, "y": whole[:, 1] + top, "width": width, "height": height}
    drawn = {name: np.where(pd.isna(vanished), side, np.nan) for name, side in sides.items()}
    return pd.DataFrame({"row": masks.row, "part": masks.part, **drawn, "vanished": vanished})


def part_ids(persons: Integers, parts: Integers) -> Integers:
    """Ids of parts as the authors make them: the digits of the person's id, a 0, and the digits of the part.

    Args:
        persons: (n,) the persons' ids, from -`LARGEST_ID` to `LARGEST_ID`; a sign stays in front.
        parts: (n,) 1 to 14.

    >>> part_ids(np.array([1234, 1234, -7]), np.array([4, 14, 1])).tolist()
    [123404, 1234014, -701]
    """
    appended = np.abs(persons) * np.where(parts < 10, 100, 1000) + parts
    return np.where(persons < 0, -appended, appended)


def _visible_extents(masks: PartMasks) -> _Extents:
    """The extents of all masks, some persons at a time."""
    changes = np.flatnonzero(np.diff(masks.row, prepend=-1))
    person = np.repeat(np.arange(len(changes)), np.diff(changes, append=len(masks.row)))
    first_count = np.concatenate([[0], np.cumsum(masks.runs.sizes)])
    cuts = [*changes[::_BLOCK].tolist(), len(masks.row)]
    blocks = [np.zeros((4, 0), np.int64)]
    for first, last in pairwise(cuts):
        runs = Runs(masks.runs.counts[first_count[first] : first_count[last]], masks.runs.sizes[first:last])
        own, part = person[first:last] - person[first], masks.part[first:last] - 1
        extents = _extents_of_segments(*_toggles(runs, own, part), (int(own[-1]) + 1) * N_PARTS)
        blocks.append(extents[:, own * N_PARTS + part])
    return _Extents(*np.concatenate(blocks, axis=1))


def _toggles(runs: Runs, person: Integers, part: Integers) -> tuple[Integers, npt.NDArray[np.int16]]:
    """Every place where a part begins or ends, in order, and the parts (as bits) that are painted from there on.

    The canvases of all persons are laid end to end. A mask changes between background and foreground at the end of each
    count; the last count of an odd number of them is background and ends with the canvas, where nothing changes.
    """
    place = places(runs.sizes)
    ends = np.cumsum(runs.counts) - np.repeat(_PIXELS * np.arange(len(person)), runs.sizes)
    changes = (place + 1 < np.repeat(runs.sizes, runs.sizes)) | (place % 2 == 1)
    key = ((ends + np.repeat(_PIXELS * person, runs.sizes)) << _PART_BITS) | np.repeat(part, runs.sizes)
    key = np.sort(key[changes])
    bits = np.left_shift(1, key & (2**_PART_BITS - 1), dtype=np.int16, casting="unsafe")
    return key >> _PART_BITS, np.bitwise_xor.accumulate(bits)


def _extents_of_segments(position: Integers, parts: npt.NDArray[np.int16], n_slots: int) -> Integers:
    """First and last column, first and last row (4, n_slots) of the pixels that show each part of each person."""
    painted = np.flatnonzero((parts[:-1] != 0) & (position[1:] > position[:-1]))
    first, last = position[painted], position[painted + 1] - 1
    slot = first // _PIXELS * N_PARTS + _LAST_PART[parts[painted]]
    first_column, first_row = np.divmod(first % _PIXELS, SIDE)
    last_column, last_row = np.divmod(last % _PIXELS, SIDE)
    wraps = first_column < last_column
    extents = np.array([[SIDE], [-1], [SIDE], [-1]]).repeat(n_slots, axis=1)
    np.minimum.at(extents[0], slot, first_column)
    np.maximum.at(extents[1], slot, last_column)
    np.minimum.at(extents[2], slot, np.where(wraps, 0, first_row))
    np.maximum.at(extents[3], slot, np.where(wraps, SIDE - 1, last_row))
    return extents


def _resized(first: Integers, last: Integers, size: Integers) -> tuple[Integers, Integers]:
    """First and last of `size` output pixels that show source pixels `first` to `last`; first > last if none does."""
    return _first_reaching(first, size), np.minimum(_first_reaching(last + 1, size), size) - 1


def _first_reaching(source: Integers, size: Integers) -> Integers:
    """The first output pixel that samples `source` or a later source pixel.

    Output pixel i samples floor(i * (1 / (size / 256))), computed in double precision as OpenCV's nearest neighbour
    does (`opencv/opencv : modules/imgproc/src/resize.cpp`). Rounding moves the answer by at most one from
    source * size / 256.
    """
    size = np.maximum(size, 1)
    step = 1 / (size / SIDE)
    output: Integers = np.maximum(source * size // SIDE - 1, 0)
    for _ in range(3):
        output += np.floor(output * step) < source
    return output
