"""COCO's segmentations: polygons, or run lengths as a list or as text; their areas in pixels.

`cocodataset/cocoapi : common/maskApi.c` defines which pixels a polygon covers, so it is asked; run lengths
are only added up.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
import numpy.typing as npt
from pycocotools import mask

from builders.raw import run_lengths
from schemas.errors import Problem, shown

NO_MASK = "objects without a segmentation"
NO_POLYGON = "polygons of fewer than three points (they cover nothing)"

# pycocotools 2.0 has room for six characters per count and none for the end of its text. From here on the first three
# counts can take six each, and a fourth, too, fills a buffer of 24 bytes; smaller buffers are rounded up by malloc.
_TOO_MANY_PIXELS = 3 * 2**24

_Count = Annotated[int, msgspec.Meta(ge=0, lt=2**32)]
_Pixels = Annotated[int, msgspec.Meta(gt=0, lt=2**31)]


class _RunLengths(msgspec.Struct):
    counts: str | list[_Count]
    size: tuple[_Pixels, _Pixels]


_Polygons = list[list[float]]
_DECODER = msgspec.json.Decoder(_RunLengths | _Polygons | None)


def mask_areas(
    path: Path, segmentations: Sequence[msgspec.Raw], sizes: npt.NDArray[np.int64], label: Callable[[int], str]
) -> tuple[npt.NDArray[np.float64], list[Problem], dict[str, int]]:
    """The area of every segmentation, whatever its shape and whatever `iscrowd` says.

    Args:
        segmentations: JSON of a list of polygons, each x, y, x, y ... in pixels; or of an object of run lengths.
        sizes: (n, 2) height and width of each one's image in pixels, 0 where unknown.
        label: names the annotation at a place, for the problems.

    Returns:
        Areas in pixels, NaN where there is no segmentation (null, or no polygon); the problems; oddities with counts.
    """
    areas = np.full(len(segmentations), np.nan)
    problems: list[Problem] = []
    findings: Counter[str] = Counter()
    for place, (segmentation, (height, width)) in enumerate(zip(segmentations, sizes.tolist(), strict=True)):
        try:
            areas[place] = _area(_DECODER.decode(segmentation), height, width, findings)
        except (msgspec.DecodeError, RecursionError) as error:
            problems.append(_problem(path, label(place), segmentation, "polygons or run lengths", str(error)))
        except ValueError as error:
            problems.append(_problem(path, label(place), segmentation, str(error)))
    return areas, problems, {text: count for text, count in findings.items() if count}


def _problem(path: Path, record: str, segmentation: msgspec.Raw, expected: str, advice: str = "") -> Problem:
    found = shown(bytes(segmentation).decode("utf-8", "replace"))
    return Problem(str(path), record, "segmentation", found, expected, advice)


def _area(segmentation: _RunLengths | _Polygons | None, height: int, width: int, findings: Counter[str]) -> float:
    if not segmentation:
        findings[NO_MASK] += 1
        return math.nan
    if isinstance(segmentation, _RunLengths):
        return _area_of_runs(segmentation, height, width)
    polygons = [polygon for polygon in segmentation if len(polygon) >= 6]
    findings[NO_POLYGON] += len(segmentation) - len(polygons)
    return _area_of_polygons(polygons, height, width) if polygons else 0.0


def _area_of_runs(runs: _RunLengths, height: int, width: int) -> float:
    """Foreground pixels of `runs`; its own size stands in where that of the image is unknown (0).

    Raises:
        ValueError: another size than the image, malformed text, or counts that do not fill the size.
    """
    if height and width and runs.size != (height, width):
        raise ValueError(f"size [{height}, {width}], that of the image")
    counts = run_lengths.decode([runs.counts]).counts.tolist() if isinstance(runs.counts, str) else runs.counts
    if sum(counts) != math.prod(runs.size):
        raise ValueError(f"counts that add up to the size, {math.prod(runs.size)} (here {sum(counts)})")
    return float(sum(counts[1::2]))


def _area_of_polygons(polygons: _Polygons, height: int, width: int) -> float:
    """Pixels that the polygons cover together.

    Raises:
        ValueError: an image of unknown or enormous size, an odd number of coordinates, or one far from the image: the
            time and memory of drawing grow with the distance.
    """
    if not (height and width):
        raise ValueError("an image with width and height to draw polygons on")
    if height * width >= _TOO_MANY_PIXELS:
        raise ValueError(f"an image of fewer than {_TOO_MANY_PIXELS:,} pixels to draw polygons on")
    if any(len(polygon) % 2 for polygon in polygons):
        raise ValueError("an x and a y for every point")
    reach = max(height, width)
    if min(map(min, polygons)) < -reach or max(map(max, polygons)) > 2 * reach:
        raise ValueError(f"coordinates near the image, -{reach} to {2 * reach}")
    return float(mask.area(mask.merge(mask.frPyObjects(polygons, height, width))))
