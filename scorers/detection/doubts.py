"""Detections that cannot be meant so: told with what they look like, and scored as they are.

The surest detections are compared with the true boxes of their images, whatever the classes: where they are nowhere
near them as they were read, and near by another reading of their numbers, the numbers mean that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from schemas.arrays import floats
from schemas.box_doubts import other_modes
from schemas.box_readings import YOLO, Reading, boxes_of, fits, likely_reading, numbers_of
from schemas.errors import counted
from schemas.laws import beyond
from scorers.detection.boxes import SIDES, Detections, Flags, Floats, Integers, Truth, image_order
from scorers.detection.resized import originals
from scorers.detection.surest import Nearest, nearest_of, sampled, surest_of

_HIT = 0.5
_FEW_HITS, _MANY_HITS = 3, 5
_BY_CHANCE = 0.1  # of the hits of a class that lie on boxes of its own name
_SHARE = 0.1
_TINY, _MOST = 0.01, 0.5
NUMBERING = "--classes or --category-base (classes, category_base in Python) say how classes are numbered"

Rescored = Callable[[Detections], str]
"""What the score would be with other boxes, in words."""


class Found(NamedTuple):
    """Detections as they were read.

    Attributes:
        detections: those of unknown classes too.
        names: of their classes, by number.
        reading: what their numbers were taken for.
        modes: the `bbox_mode` of each, where they have one.
    """

    detections: Detections
    names: Sequence[str]
    reading: Reading
    modes: Sequence[object] = ()


def doubts_of(found: Found, truth: Truth, images: pa.Table, rescored: Rescored | None = None) -> Iterator[str]:
    """What is doubtful about detections, with counts and what to do.

    Args:
        found: what was read.
        truth: the boxes to be found, of the same images.
        images: of the manifest, with their sizes.
        rescored: the score by the reading that fits is told where this can say it.
    """
    for mode, rows in other_modes(found.modes).items():
        have = counted(int(rows.sum()), "detections", "have")
        yield f"{have} the bbox_mode {mode}, but read as {found.reading}; convert them"
    detections, sizes = found.detections, _sizes(images)
    sample = sampled(detections, truth)
    nearest = nearest_of(detections.rows(sample), truth)
    surest = surest_of(detections, truth, sample)
    iou = nearest.iou[np.isin(sample, surest)]
    doubtful = len(surest) >= _FEW_HITS and iou.mean() < _HIT
    other = _other_meaning(found, surest, truth, sizes) if doubtful else None
    if other is not None:
        score = f", and {rescored(other.detections)}" if rescored else ""
        yield (
            f"the boxes look like {other.what}, not {found.reading}: read so, the mean IoU of the {other.surest:,}"
            f" surest with true boxes is {other.overlap:.2f} instead of {other.given:.2f}{score}; they are scored as"
            " they are, so convert them"
        )
        return
    yield from _class_doubts(found, detections.category[sample], nearest, truth)
    yield from _size_doubts(detections, surest, iou, sizes)


class _Meaning(NamedTuple):
    """What the numbers look like, and all detections read so.

    Attributes:
        what: in words.
        overlap, given: mean IoU of the surest with true boxes, read so and as it was meant.
        surest: how many these are.
    """

    what: str
    overlap: float
    given: float
    surest: int
    detections: Detections


def _other_meaning(found: Found, surest: Integers, truth: Truth, sizes: Floats) -> _Meaning | None:
    """The meaning of the numbers that fits best, None where that is the one that was meant."""
    meanings = [_other_reading(found, surest, truth, sizes), _resized(found, surest, truth, sizes)]
    if found.reading == YOLO:
        shifted = _confidence_second(found.detections, sizes)
        surest = surest_of(shifted, truth, sampled(shifted, truth))
        near, given = (nearest_of(each.rows(surest), truth).iou for each in (shifted, found.detections))
        if len(surest) >= _FEW_HITS and fits(near, given):
            what = "`class confidence x_center y_center width height`, the confidence second"
            meanings.append(_Meaning(what, float(near.mean()), float(given.mean()), len(surest), shifted))
    return max(filter(None, meanings), key=lambda meaning: meaning.overlap, default=None)


def _other_reading(found: Found, surest: Integers, truth: Truth, sizes: Floats) -> _Meaning | None:
    looked_at = found.detections.rows(surest)

    def overlap(boxes: Floats) -> Floats:
        return nearest_of(_with_boxes(looked_at, boxes), truth).iou

    numbers, extents = _numbers(found.detections, sizes, found.reading), sizes[:, found.detections.image]
    other = likely_reading(numbers[:, surest], extents[:, surest], overlap, found.reading)
    if other is None:
        return None
    moved = _with_boxes(found.detections, boxes_of(numbers, extents, other.reading))
    return _Meaning(str(other.reading), other.overlap, other.meant, len(surest), moved)


def _resized(found: Found, surest: Integers, truth: Truth, sizes: Floats) -> _Meaning | None:
    detections, looked_at = found.detections, found.detections.rows(surest)
    tried = [
        (what, nearest_of(_with_boxes(looked_at, boxes), truth).iou)
        for what, boxes in originals(_sides(looked_at), sizes[:, looked_at.image])
    ]
    given, (what, near) = nearest_of(looked_at, truth).iou, max(tried, key=lambda each: float(each[1].mean()))
    # Of so many ways one fits a few boxes by chance, if not well.
    if near.mean() < _HIT or not fits(near, given):
        return None
    moved = _with_boxes(detections, dict(originals(_sides(detections), sizes[:, detections.image]))[what])
    return _Meaning(what, float(near.mean()), float(given.mean()), len(surest), moved)


def _confidence_second(detections: Detections, sizes: Floats) -> Detections:
    """Lines of YOLO's text read with the confidence behind the class instead of at the end."""
    x, y, width, height = _numbers(detections, sizes, YOLO)
    numbers = np.array([y, width, height, detections.score])
    return replace(_with_boxes(detections, boxes_of(numbers, sizes[:, detections.image], YOLO)), score=x)


def _class_doubts(found: Found, category: Integers, nearest: Nearest, truth: Truth) -> Iterator[str]:
    """Classes nearly none of whose boxes are hit by detections called so, but by those of another name."""
    hit = nearest.iou >= _HIT
    hits = np.zeros((len(found.names), len(truth.categories)), np.int64)
    np.add.at(hits, (category[hit], nearest.category[hit]), 1)
    count = np.bincount(category, minlength=len(found.names))
    places = {name: place for place, name in enumerate(truth.categories)}
    own = np.array([hits[code, places[name]] if name in places else 0 for code, name in enumerate(found.names)])
    most = hits.max(axis=1, initial=0)
    right = own > _BY_CHANCE * most
    other = np.where(~right & (2 * most >= np.maximum(count, 1)), hits.argmax(axis=1), -1)
    named = set(np.array(found.names, object)[right].tolist())
    pairs = [
        (found.names[code], truth.categories[label], int(hits[code, label]), int(count[code]))
        for code, label in enumerate(other.tolist())
        if label >= 0 and truth.categories[label] not in named and truth.categories[label] != found.names[code]
    ]
    pairs.sort(key=lambda pair: -pair[2])
    total = sum(number for _, _, number, _ in pairs)
    if total < _FEW_HITS or (total < _SHARE * hits.sum() and pairs[0][2] < _MANY_HITS):
        return
    listed = ", ".join(f"{name} on boxes of {label} ({number:,} of {of:,})" for name, label, number, of in pairs[:5])
    more = ", ..." if len(pairs) > 5 else ""
    yield (
        f"detections lie on boxes of another class, and nearly none of that class does: {listed}{more}; perhaps classes"
        f" are numbered otherwise: {NUMBERING}"
    )


def _size_doubts(detections: Detections, sample: Integers, iou: Floats, sizes: Floats) -> Iterator[str]:
    """Detections that are too small to match anything, or mostly outside their images."""
    if not len(sample):
        return
    tiny = int(np.count_nonzero(np.minimum(detections.width, detections.height) < 1))
    if tiny >= _TINY * len(detections):
        share = f"{tiny:,} of {len(detections):,} detections"
        yield f"{share} are under a pixel wide or high, and match next to nothing; pixels are expected"
    # Detectors overshoot by a little, and those that do not clip their boxes by more.
    looked_at = detections.rows(sample)
    extents = sizes[:, looked_at.image]
    outside: Flags = beyond(_sides(looked_at) / np.concatenate([extents, extents]), np.ones_like(extents), _SHARE)
    outside &= iou < _HIT
    if outside.mean() > _MOST and len(sample) >= _FEW_HITS:
        share = f"{int(outside.sum()):,} of the {len(sample):,} surest detections"
        yield f"{share} reach far beyond their images; perhaps they are of images of another size"


def _sides(detections: Detections) -> Floats:
    return np.array([getattr(detections, name) for name in SIDES])


def _numbers(detections: Detections, sizes: Floats, reading: Reading) -> Floats:
    return numbers_of(_sides(detections), sizes[:, detections.image], reading)


def _with_boxes(detections: Detections, boxes: Floats) -> Detections:
    """The detections with other boxes; those that a reading turns inside out have no area."""
    x, y, width, height = np.nan_to_num(boxes)
    return replace(detections, x=x, y=y, width=np.maximum(width, 0), height=np.maximum(height, 0))


def _sizes(images: pa.Table) -> Floats:
    """Width and height of the images in the order in which boxes count them, NaN where not known; shape (2, images)."""
    sizes = np.full((2, len(images)), np.nan)
    for place, name in enumerate(("width", "height")):
        if name in images.column_names:
            sizes[place, image_order(images)] = floats(images[name])
    return np.where(sizes > 0, sizes, np.nan)
