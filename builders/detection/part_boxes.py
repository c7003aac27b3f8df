"""Boxes of body parts from DensePose's part masks, as the authors of the person and body-part benchmark draw them.

The steps are those of `FraunhoferIKS/smf-object-detection : src/generate_annotations.py`: paint the parts of a person
on a 256 x 256 canvas in their order, so that later parts overwrite earlier ones; fill the tight box of what is left of
a part; resize the canvas to the person's box, truncated to whole pixels, by nearest neighbour; take `max - min` as
width and height. Nothing is painted here: the masks stay run lengths, and the resize is a formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from builders.raw import run_lengths
from builders.raw.run_lengths import Integers

CANVAS = 256
N_PARTS = 14
# Of a person, so that the ids of its parts have 64 bits.
LARGEST_ID = (2**63 - 1 - N_PARTS) // 1000

# Why a part has a mask but no box.
OVERWRITTEN = "no pixel that later parts leave visible"
SAMPLED_AWAY = "no pixel left after the resize"
TOO_THIN = "one pixel wide or high after the resize"

_PIXELS = CANVAS * CANVAS
_PART_BITS = 4
# Persons whose runs are handled together: few enough that the arrays stay in the processor's cache.
_BLOCK = 64
# For every set of parts, as bits, the last part in it.
_LAST_PART = np.repeat(np.arange(-1, N_PARTS, dtype=np.int8), np.concatenate([[1], 1 << np.arange(N_PARTS)]))


@dataclass(frozen=True)
class PartBoxes:
    """Boxes of parts, and the parts that have none though they have a mask.

    Attributes:
        boxes: `person` (row in the input), `part` (1 to 14, DensePose's order), `x`, `y`, `width`, `height` (float64
            pixels of the image, whole numbers; width and height are `max - min`, a pixel less than the part covers).
        vanished: `person`, `part`, `reason` (`OVERWRITTEN`, `SAMPLED_AWAY` or `TOO_THIN`).
    """

    boxes: pd.DataFrame
    vanished: pd.DataFrame


class _Extents(NamedTuple):
    """First and last row and column of the visible pixels of each part; `person` and `part` (from 0) say whose."""

    person: Integers
    part: Integers
    left: Integers
    right: Integers
    top: Integers
    bottom: Integers


def part_boxes(masks: Sequence[Sequence[str | bytes | None]], boxes: npt.NDArray[np.float64]) -> PartBoxes:
    """The box of every part of every person, left and right apart.

    Args:
        masks: for each person 14 compressed run lengths of 256 x 256 pixels; None where the part is not visible.
        boxes: (n, 4) the persons' `x`, `y`, `width`, `height` in pixels; each number is truncated before use.

    Raises:
        ValueError: another number of parts than 14, or a text that is not the run lengths of 256 x 256 pixels.
    """
    blocks = [_visible_extents(masks[first : first + _BLOCK], first) for first in range(0, len(masks), _BLOCK)]
    extents = _Extents(*(np.concatenate(column) for column in zip(*blocks, strict=True))) if blocks else _nothing()
    whole = np.trunc(boxes).astype(np.int64)[extents.person]
    left, right = _resized(extents.left, extents.right, whole[:, 2])
    top, bottom = _resized(extents.top, extents.bottom, whole[:, 3])
    width, height = right - left, bottom - top

    reason = np.full(len(width), "", dtype=object)
    reason[np.minimum(width, height) == 0] = TOO_THIN
    reason[np.minimum(width, height) < 0] = SAMPLED_AWAY
    reason[extents.right < extents.left] = OVERWRITTEN
    names = {"person": extents.person, "part": extents.part + 1}
    sides = {"x": whole[:, 0] + left, "y": whole[:, 1] + top, "width": width, "height": height}
    drawn = reason == ""
    return PartBoxes(
        pd.DataFrame(names | {name: side.astype(np.float64) for name, side in sides.items()})[drawn].reset_index(
            drop=True
        ),
        pd.DataFrame(names | {"reason": reason})[~drawn].reset_index(drop=True),
    )


def part_ids(persons: Integers, parts: Integers) -> Integers:
    """Ids of parts as the authors form them: the digits of the person's id, a 0, and those of the part, in a row.

    Args:
        persons: (n,) the persons' ids, from -`LARGEST_ID` to `LARGEST_ID`; a sign stays in front.
        parts: (n,) 1 to 14.

    >>> part_ids(np.array([1234, 1234, -7]), np.array([4, 14, 1])).tolist()
    [123404, 1234014, -701]
    """
    appended = np.abs(persons) * np.where(parts < 10, 100, 1000) + parts
    return np.where(persons < 0, -appended, appended)


def _visible_extents(masks: Sequence[Sequence[str | bytes | None]], first_person: int) -> _Extents:
    if any(len(parts) != N_PARTS for parts in masks):
        raise ValueError(f"each person needs {N_PARTS} masks or places without one")
    given = np.array([text is not None for parts in masks for text in parts], dtype=bool)
    slot = np.flatnonzero(given)
    runs = run_lengths.decode([text for parts in masks for text in parts if text is not None])
    if (run_lengths.totals(runs) != _PIXELS).any():
        raise ValueError(f"each mask must have {CANVAS} x {CANVAS} pixels")
    position, parts = _toggles(runs, slot // N_PARTS, slot % N_PARTS)
    extents = _extents_of_segments(position, parts, len(given))[:, slot]
    return _Extents(slot // N_PARTS + first_person, slot % N_PARTS, *extents)


def _toggles(runs: run_lengths.Runs, person: Integers, part: Integers) -> tuple[Integers, npt.NDArray[np.int16]]:
    """Every place where a part begins or ends, in order, and the parts (as bits) that are painted from there on.

    The canvases of all persons are laid end to end. A mask changes between background and foreground at the end of each
    count; the last count of an odd number of them is background and ends with the canvas, where nothing changes.
    """
    place = run_lengths.places(runs.sizes)
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
    first_column, first_row = np.divmod(first % _PIXELS, CANVAS)
    last_column, last_row = np.divmod(last % _PIXELS, CANVAS)
    wraps = first_column < last_column
    extents = np.array([[CANVAS], [-1], [CANVAS], [-1]]).repeat(n_slots, axis=1)
    np.minimum.at(extents[0], slot, first_column)
    np.maximum.at(extents[1], slot, last_column)
    np.minimum.at(extents[2], slot, np.where(wraps, 0, first_row))
    np.maximum.at(extents[3], slot, np.where(wraps, CANVAS - 1, last_row))
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
    step = 1 / (size / CANVAS)
    output: Integers = np.maximum(source * size // CANVAS - 1, 0)
    for _ in range(3):
        output += np.floor(output * step) < source
    return output


def _nothing() -> _Extents:
    return _Extents(*np.zeros((6, 0), np.int64))
