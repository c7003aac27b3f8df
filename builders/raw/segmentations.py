"""COCO's segmentations: polygons, or run lengths as a list or as text; their areas in pixels.

`cocodataset/cocoapi : common/maskApi.c` defines which pixels a polygon covers, so it is asked; run lengths
are only added up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated

import msgspec
import numpy as np
import numpy.typing as npt
from pycocotools import mask

from builders.raw import run_lengths
from schemas.errors import Problem, shown
from schemas.input.json_errors import invalid_record

# pycocotools 2.0 has room for six characters per count and none for the end of its text. From here on the first three
# counts can take six each, and a fourth, too, fills a buffer of 24 bytes; smaller buffers are rounded up by malloc.
_TOO_MANY_PIXELS = 3 * 2**24

_Count = Annotated[int, msgspec.Meta(ge=0, lt=2**32)]
_Pixels = Annotated[int, msgspec.Meta(gt=0, lt=2**31)]


class _RunLengths(msgspec.Struct):
    counts: str | list[_Count]
    size: tuple[_Pixels, _Pixels]


class _MaskError(Exception):
    """What was expected of a segmentation, what was found, and where in it."""

    def __init__(self, expected: str, found: str, place: str = "") -> None:
        super().__init__(expected)
        self.found, self.place = found, place


_Polygons = list[list[float]]
_DECODER = msgspec.json.Decoder(_RunLengths | _Polygons | None)


def mask_areas(
    segmentations: Sequence[msgspec.Raw], sizes: npt.NDArray[np.int64], places: Sequence[tuple[str, str]]
) -> tuple[npt.NDArray[np.float64], list[Problem]]:
    """The area of every segmentation, whatever its shape and whatever `iscrowd` says.

    Polygons of fewer than three points cover nothing.

    Args:
        segmentations: JSON of a list of polygons, each x, y, x, y ... in pixels; or of an object of run lengths.
        sizes: (n, 2) height and width of each one's image in pixels, 0 where unknown.
        places: file and name of each one's annotation, for the problems.

    Returns:
        Areas in pixels, NaN where there is no segmentation (null, or no polygon); and the problems.
    """
    areas = np.full(len(segmentations), np.nan)
    problems: list[Problem] = []
    for place, (segmentation, (height, width)) in enumerate(zip(segmentations, sizes.tolist(), strict=True)):
        try:
            areas[place] = _area(_DECODER.decode(segmentation), height, width)
        except (msgspec.DecodeError, RecursionError) as error:
            problems.append(_invalid(invalid_record(*places[place], str(error), segmentation)))
        except _MaskError as error:
            problems.append(Problem(*places[place], f"segmentation{error.place}", error.found, str(error)))
    return areas, problems


def _invalid(problem: Problem) -> Problem:
    """The problem of a value of another type than segmentations have, with its place in the annotation."""
    dot = "." if problem.field and not problem.field.startswith("[") else ""
    expected = problem.expected if problem.field else "polygons or run lengths"
    return replace(problem, field=f"segmentation{dot}{problem.field}", expected=expected)


def _area(segmentation: _RunLengths | _Polygons | None, height: int, width: int) -> float:
    if not segmentation:
        return math.nan
    if isinstance(segmentation, _RunLengths):
        return _area_of_runs(segmentation, height, width)
    drawn = {place: polygon for place, polygon in enumerate(segmentation) if len(polygon) >= 6}
    return _area_of_polygons(drawn, height, width) if drawn else 0.0


def _area_of_runs(runs: _RunLengths, height: int, width: int) -> float:
    """Foreground pixels of `runs`; its own size counts where that of the image is unknown (0).

    Raises:
        _MaskError: another size than the image, malformed text, or counts that do not fill the size.
    """
    if height and width and runs.size != (height, width):
        raise _MaskError(f"[{height}, {width}], that of the image", str(list(runs.size)), ".size")
    try:
        counts = run_lengths.decode([runs.counts]).counts.tolist() if isinstance(runs.counts, str) else runs.counts
    except ValueError as error:
        raise _MaskError(f"run lengths: {error}", shown(runs.counts), ".counts") from None
    if sum(counts) != math.prod(runs.size):
        raise _MaskError(f"{math.prod(runs.size):,}, as the size has", f"{sum(counts):,} pixels", ".counts")
    return float(sum(counts[1::2]))


def _area_of_polygons(polygons: Mapping[int, list[float]], height: int, width: int) -> float:
    """Pixels that the polygons, by their place in the list, cover together.

    Raises:
        _MaskError: an image of unknown or enormous size, an odd number of coordinates, or one far from the image: the
            time and memory of drawing grow with the distance.
    """
    if not (height and width):
        raise _MaskError("an image with width and height to draw polygons on", "polygons")
    if height * width >= _TOO_MANY_PIXELS:
        found = f"polygons on {height * width:,} pixels"
        raise _MaskError(f"an image of fewer than {_TOO_MANY_PIXELS:,} pixels to draw polygons on", found)
    reach = max(height, width)
    for place, polygon in polygons.items():
        if len(polygon) % 2:
            raise _MaskError("an x and a y for every point", f"{len(polygon)} numbers", f"[{place}]")
        if min(polygon) < -reach or max(polygon) > 2 * reach:
            far = max(polygon, key=lambda number: abs(number - reach / 2))
            raise _MaskError(f"coordinates near the image, -{reach} to {2 * reach}", f"{far:g}", f"[{place}]")
    return float(mask.area(mask.merge(mask.frPyObjects(list(polygons.values()), height, width))))
