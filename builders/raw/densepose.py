"""DensePose-COCO (Guler et al., CVPR 2018): COCO instances with masks of 14 body parts on some of the persons.

Format from `facebookresearch/DensePose : challenge/2018_COCO_DensePose/data_format.md` and
`facebookresearch/detectron2 : projects/DensePose/densepose/data`. Persons that nobody annotated are in the same file,
without the key `dp_masks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from builders.raw.boxes import object_names
from builders.raw.coco import Annotation, InstanceTables, label_by_id, parse
from builders.raw.run_lengths import Integers, Runs, decode_masks
from schemas.errors import Problem, shown
from schemas.input.problems import Place, raise_any
from schemas.notices import Counted

N_PARTS = 14
# Masks are drawn in a square frame that stands for the person's box.
SIDE = 256

_Nothing = Annotated[list[Any], msgspec.Meta(max_length=0)]


class _Mask(msgspec.Struct, gc=False):
    counts: str
    size: tuple[int, int]


# A single mask, of the foreground alone, is what the files for continuous surface embeddings (CSE) have.
_Given = list[_Mask | _Nothing | None] | _Mask | msgspec.UnsetType


class _DensePoseAnnotation(Annotation, gc=False):
    dp_masks: _Given = msgspec.UNSET


class PartMasks(NamedTuple):
    """The masks of all objects, by object, then part.

    Attributes:
        row: (masks,) position of the object.
        part: (masks,) 1 to 14: torso, right and left hand, left and right foot, upper legs (right, left), lower legs
            (right, left), upper arms (left, right), lower arms (left, right), head.
        runs: run lengths of `SIDE` x `SIDE` pixels.
    """

    row: Integers
    part: Integers
    runs: Runs


@dataclass(frozen=True)
class DensePoseTables:
    """What a DensePose-COCO file says: the instances, whose `objects` also have `has_masks` (bool), and the masks."""

    instances: InstanceTables
    masks: PartMasks


def read_densepose(path: Path) -> DensePoseTables:
    """The images, objects and part masks of a DensePose-COCO file.

    An object has masks if the key `dp_masks` is there, even if all 14 entries are empty. One mask of the foreground
    alone and an empty list, both of the CSE files, count as masks without parts.

    Raises:
        InputError: as `coco.read_instances`; or `dp_masks` has another number of entries than 14, or a mask has another
            size than 256 x 256, or is not the run lengths of that size.
    """
    parsed = parse(path, _DensePoseAnnotation)
    given = [annotation.dp_masks for annotation in parsed.annotations]
    masks, problems = _part_masks(str(path), label_by_id("annotation", parsed.annotations), given)
    raise_any([*parsed.problems, *problems])
    name = object_names(parsed.tables.images, parsed.tables.objects, "image_id")
    counts = {
        "objects with one mask of the foreground instead of 14 parts": Counted.where(
            [isinstance(value, _Mask) for value in given], name
        ),
        "objects with an empty list instead of 14 parts": Counted.where([value == [] for value in given], name),
    }
    has_masks: npt.NDArray[np.bool_] = np.array([value is not msgspec.UNSET for value in given], np.bool_)
    instances = replace(
        parsed.tables,
        objects=parsed.tables.objects.assign(has_masks=has_masks),
        findings=parsed.tables.findings | {text: count for text, count in counts.items() if count},
    )
    return DensePoseTables(instances, masks)


def _part_masks(file: str, label: Place, given: Sequence[_Given]) -> tuple[PartMasks, list[Problem]]:
    lists = [(row, masks) for row, masks in enumerate(given) if isinstance(masks, list) and masks]
    expected = f"{N_PARTS}, empty where a part is not visible"
    problems = [
        Problem(file, label(row), "dp_masks", f"{len(masks)} masks", expected)
        for row, masks in lists
        if len(masks) != N_PARTS
    ]
    drawn = [(row, place, mask) for row, masks in lists for place, mask in enumerate(masks) if isinstance(mask, _Mask)]
    problems += [
        Problem(file, label(row), f"dp_masks[{place}].size", shown(list(mask.size)), f"[{SIDE}, {SIDE}]")
        for row, place, mask in drawn
        if mask.size != (SIDE, SIDE)
    ]
    drawn = [each for each in drawn if each[2].size == (SIDE, SIDE)]
    runs, faults = decode_masks([mask.counts for *_, mask in drawn], SIDE * SIDE)
    for number, fault in faults.items():
        row, place, mask = drawn[number]
        found, expected = shown(mask.counts), f"run lengths: {fault}"
        problems.append(Problem(file, label(row), f"dp_masks[{place}].counts", found, expected))
    rows, places = np.array([each[:2] for each in drawn], np.int64).reshape(-1, 2).T
    return PartMasks(rows, places + 1, runs), problems
