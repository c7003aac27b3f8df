"""Annotated boxes that cannot be meant so: they are built as they are given, with a warning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from schemas.box_doubts import Doubt, doubtful_boxes, doubtful_images, finding_of, other_modes
from schemas.box_readings import TOLD_APART, XYWH, Reading, boxes_of, likely_reading, overlaps
from schemas.laws import SIDES, Mask, under_a_pixel
from schemas.notices import Notice

# So many annotations are compared with their polygons, evenly spread: all polygons of COCO take gigabytes as numbers.
_LOOKED_AT = 2000
_UNLIKE = 0.5  # IoU; boxes of published files are the bounds of their polygons but for rounding
_ROUNDING = 1.0  # px
# Areas agree up to this share; so many boxes must have theirs by another reading, and so few by the one that is meant.
_AREA_ROUNDING, _AREAS_ALIKE, _AREAS_UNLIKE = 0.02, 0.9, 0.5
_FEW = 3

_Polygons = list[list[float]]
_POLYGONS = msgspec.json.Decoder(_Polygons)

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


def doubts_of(images: pd.DataFrame, objects: pd.DataFrame) -> list[Notice]:
    """What is doubtful about the boxes of a source, with counts and advice.

    Args:
        images: `sample_id`, `file_name`, `width`, `height`.
        objects: `parent` (position in `images`), `x`, `y`, `width`, `height`; where the source has them `bbox_mode` and
            `segmentation` (lists of polygons, also undecoded).
    """
    parent = objects["parent"].to_numpy(np.int64)
    sides = objects[list(SIDES)].to_numpy(np.float64).T
    sizes = images[["width", "height"]].astype("Float64").to_numpy(np.float64, na_value=np.nan)[parent].T
    names = images["file_name"].astype(object).where(images["file_name"].notna(), None).tolist()
    doubts = list(_modes(objects["bbox_mode"].tolist())) if "bbox_mode" in objects else []
    rows = np.unique(np.linspace(0, max(len(objects) - 1, 0), min(_LOOKED_AT, len(objects)), dtype=np.int64))
    # What they are compared with says more than that they leave their image: the first that says anything is told.
    for found in (
        _unlike_polygons(objects, rows, sides, sizes),
        _unlike_areas(objects, rows, sides, sizes),
        doubtful_boxes(sides, sizes),
    ):
        if not any(doubt.check == "layout" for doubt in doubts):
            doubts += found
    of_images = doubtful_images(names, np.bincount(parent, minlength=len(images)), all_objects=True)
    samples = images["sample_id"].tolist()
    tiny = under_a_pixel(sides)
    if tiny.any() and not any(doubt.check == "layout" for doubt in doubts):
        advice = "pixels are expected, and detectors cannot match less"
        doubts.append(Doubt("pixel", f"{int(tiny.sum()):,} boxes are under a pixel wide or high; {advice}", tiny))
    warnings = [finding_of(doubt, "objects", parent[doubt.rows], samples) for doubt in doubts]
    return warnings + [finding_of(doubt, "images", np.flatnonzero(doubt.rows), samples) for doubt in of_images]


def _modes(modes: Sequence[object]) -> Iterator[Doubt]:
    for name, rows in other_modes(modes).items():
        message = f"{int(rows.sum()):,} boxes have the bbox_mode {name}, but are read as {XYWH} in pixels"
        yield Doubt("mode", f"{message}; convert them", rows)


def _unlike_polygons(objects: pd.DataFrame, rows: Rows, sides: Floats, sizes: Floats) -> Iterator[Doubt]:
    """Whether boxes of some rows are unlike the bounds of their polygons, and what they are like."""
    if "segmentation" not in objects:
        return
    bounds = np.array([_bounds(given) for given in objects["segmentation"].to_numpy(object)[rows]]).reshape(-1, 4).T
    rows, bounds = rows[~np.isnan(bounds[0])], bounds[:, ~np.isnan(bounds[0])]
    # A box of a pixel or two, or without area, may be rounded away from its polygon.
    apart = np.abs(sides[:, rows] - bounds).max(axis=0, initial=0) > _ROUNDING
    unlike = apart & (overlaps(sides[:, rows], bounds) < _UNLIKE)
    if not unlike.any():
        return
    mask = _mask(rows[unlike], len(objects))
    message = f"{int(unlike.sum()):,} of {len(rows):,} boxes that were compared are unlike the bounds of their polygons"
    likely = likely_reading(sides[:, rows], sizes[:, rows], lambda boxes: overlaps(boxes, bounds))
    if likely is None:
        yield Doubt("polygon", f"{message} (IoU below {_UNLIKE})", mask)
        return
    yield Doubt(
        "layout",
        f"{message}: they look like {likely.reading}, by which the mean IoU is {likely.overlap:.2f} instead of"
        f" {likely.meant:.2f}; {XYWH} in pixels are expected",
        mask,
    )


def _unlike_areas(objects: pd.DataFrame, rows: Rows, sides: Floats, sizes: Floats) -> Iterator[Doubt]:
    """Whether areas of some rows are those of other boxes, and of which: without masks, the area is that of the box."""
    if "area" not in objects:
        return
    area = objects["area"].to_numpy(np.float64)
    rows = rows[area[rows] > 0]
    if len(rows) < _FEW:
        return

    def as_annotated(reading: Reading) -> Mask:
        extents = boxes_of(sides[:, rows], sizes[:, rows], reading)[2:]
        positive = np.all(extents > 0, axis=0)
        alike: Mask = positive & np.isclose(extents.prod(axis=0), area[rows], rtol=_AREA_ROUNDING)
        return alike

    alike = {reading: as_annotated(reading) for reading in TOLD_APART}
    if alike[XYWH].mean() > _AREAS_UNLIKE:
        return
    readings = " or ".join(str(reading) for reading, found in alike.items() if found.mean() >= _AREAS_ALIKE)
    if readings:
        mask = _mask(rows[~alike[XYWH]], len(objects))
        message = (
            f"{int(mask.sum()):,} of {len(rows):,} boxes that were compared have another area than is given for them"
        )
        yield Doubt("layout", f"{message}: they look like {readings}; {XYWH} in pixels are expected", mask)


def _mask(rows: Rows, count: int) -> Mask:
    mask = np.zeros(count, np.bool_)
    mask[rows] = True
    return mask


def _bounds(segmentation: object) -> tuple[float, ...]:
    """The box around all polygons of an object; NaN where it has none, such as masks of crowds."""
    try:
        if isinstance(segmentation, msgspec.Raw):
            polygons = _POLYGONS.decode(segmentation)
        else:
            polygons = msgspec.convert(segmentation, _Polygons)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        return (np.nan,) * 4
    whole = [polygon for polygon in polygons if len(polygon) >= 6 and not len(polygon) % 2]
    if not whole:
        return (np.nan,) * 4
    left, right = min(min(each[::2]) for each in whole), max(max(each[::2]) for each in whole)
    top, bottom = min(min(each[1::2]) for each in whole), max(max(each[1::2]) for each in whole)
    return left, top, right - left, bottom - top
