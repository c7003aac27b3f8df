"""Boxes that cannot be meant so, by themselves and their images: for raw annotations and for rows of a manifest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.box_readings import VOC, Reading, numbers_of, readings_inside
from schemas.errors import first_few
from schemas.input.problems import FARTHEST
from schemas.laws import Floats, Mask, beyond, under_a_pixel
from schemas.notices import Notice

DOUBTS = ("layout", "names", "pixel")
"""The checks that both a build and `validate` make."""

_MOST = 0.5
_EDGE = 1.0  # px; a box may pass the edge of its image by roundings and counting from 1
_FEW_BOXES = 3
# From so many images with boxes on, at most one box in each is no accident.
_FEW_IMAGES = 8
_EXAMPLES = 3
# detectron2's BoxMode, by number and by name.
_MODES = ("XYXY_ABS", "XYWH_ABS", "XYXY_REL", "XYWH_REL", "XYWHA_ABS")


class Doubt(NamedTuple):
    """What was checked in a word, what is doubtful with its count and advice, and which boxes or images it is about."""

    check: str
    message: str
    rows: Mask


def doubtful_boxes(sides: Floats, sizes: Floats) -> Iterator[Doubt]:
    """Whether many boxes leave their image or have less than a pixel, and what they look like.

    Args:
        sides: x, y, width, height in pixels, shape (4, boxes).
        sizes: width and height of each box's image in pixels, NaN where not known, shape (2, boxes).
    """
    if not sides.shape[1] or not np.all(np.abs(sides) <= FARTHEST):
        return  # boxes that are not finite are errors of their own
    # Corners of VOC, which count from 1: in fractions all would lie around the pixel before the first.
    corners = numbers_of(sides, sizes, VOC)
    relative = np.all((corners >= 0) & (corners <= 1), axis=0) & np.all(corners[:2] < corners[2:], axis=0)
    if int(relative.sum()) >= _FEW_BOXES and relative.mean() > _MOST:
        looks = f"look like {Reading('xyxy', 'fractions')}"
        yield Doubt("layout", f"{_of(relative)} boxes {looks}, but are read as {VOC}; convert them", relative)
        return
    outside = beyond(sides, sizes, _EDGE)
    wrong = outside | under_a_pixel(sides)
    if int(wrong.sum()) < _FEW_BOXES:
        return
    readings = " or ".join(map(str, readings_inside(sides, sizes)))
    if readings:
        yield Doubt(
            "layout",
            f"{_of(wrong)} boxes reach beyond their image or are under a pixel; read as {readings} nearly all would lie"
            " within: x, y, width and height in pixels are expected",
            wrong,
        )
    elif outside.mean() > _MOST:
        swapped = not beyond(sides, sizes[::-1], _EDGE).any()
        guess = "width and height of the images are swapped" if swapped else "the sizes are of other images"
        yield Doubt("layout", f"{_of(outside)} boxes reach beyond their image; perhaps {guess}", outside)


def doubtful_images(names: Sequence[str | None], boxes: NDArray[np.int64], *, all_objects: bool) -> Iterator[Doubt]:
    """Whether images share file names, and whether none has two boxes: then an image may stand there once per box.

    Args:
        names: of the images' files, None where not known.
        boxes: how many each image has, shape (images,).
        all_objects: whether these are all boxes of the source; of one class, images often have one alone.
    """
    known, places, counts = np.unique([name or "" for name in names], return_inverse=True, return_counts=True)
    shared = (counts > 1) & (known != "")
    images = shared[places]
    single = bool(len(boxes)) and int(boxes.max()) == 1
    if images.any():
        alone = ", and no image has more than one box" if single else ""
        examples = first_few(list(map(repr, known[shared][:_EXAMPLES].tolist())), int(shared.sum()))
        yield Doubt(
            "names",
            f"{int(images.sum()):,} images share {int(shared.sum()):,} file names ({examples}){alone}: an image that is"
            " listed once per box is scored once per box; list each file once",
            images,
        )
    elif single and all_objects and int(boxes.sum()) >= _FEW_IMAGES:
        yield Doubt(
            "single",
            f"each of {int(boxes.sum()):,} images has one box; if the images show more, perhaps each box got an image"
            " of its own: list each image once",
            boxes == 1,
        )


def other_modes(modes: Sequence[object]) -> dict[str, Mask]:
    """Which boxes are said to be other than `[x, y, width, height]` in pixels, by the name of their `bbox_mode`."""
    names = np.array([_mode(mode) for mode in modes], dtype=object)
    return {name: names == name for name in dict.fromkeys(names.tolist()) if name not in ("", "XYWH_ABS")}


def _mode(mode: object) -> str:
    """The name of a mode in detectron2, empty where none is given."""
    text = "" if mode is None else str(mode).removesuffix(".0").strip().upper()
    if text.isdecimal():
        return _MODES[int(text)] if int(text) < len(_MODES) else text
    name = re.search(r"XY\w+", text)
    text = name[0] if name else text
    return f"{text}_ABS" if f"{text}_ABS" in _MODES else text


def finding_of(doubt: Doubt, place: str, rows: NDArray[np.int64], samples: Sequence[object]) -> Notice:
    """The warning of a doubt; `rows` are the positions in `samples` of what it is about, in ascending order."""
    example = str(samples[int(rows[0])])
    return Notice("warning", doubt.check, place, f"{doubt.message} (such as in {example!r})", len(rows), example)


def _of(mask: Mask) -> str:
    return f"{int(mask.sum()):,} of {len(mask):,}"
