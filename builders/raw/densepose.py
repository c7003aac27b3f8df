"""DensePose-COCO (Guler et al., CVPR 2018): COCO instances with masks of 14 body parts on some of the persons.

Format from `facebookresearch/DensePose : challenge/2018_COCO_DensePose/data_format.md` and
`facebookresearch/detectron2 : projects/DensePose/densepose/data`. Persons that nobody annotated stand in the same file
without the key `dp_masks`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np

from builders.raw import run_lengths
from builders.raw.coco import Annotation, InstanceTables, label_by_id, parse
from schemas.errors import Problem, shown
from schemas.input.problems import raise_any

N_PARTS = 14
# Masks are drawn in a square frame that stands for the person's box.
SIDE = 256

Masks = tuple[str | None, ...]

_Nothing = Annotated[list[Any], msgspec.Meta(max_length=0)]
_NO_MASKS: Masks = (None,) * N_PARTS


class _Mask(msgspec.Struct, gc=False):
    counts: str
    size: tuple[int, int]


# A single mask, of the foreground alone, stands in the files for continuous surface embeddings (CSE).
_Given = list[_Mask | _Nothing | None] | _Mask | msgspec.UnsetType


class _DensePoseAnnotation(Annotation, gc=False):
    dp_masks: _Given = msgspec.UNSET


@dataclass(frozen=True)
class DensePoseTables(InstanceTables):
    """What a DensePose-COCO file says: `InstanceTables`, whose `objects` also have `has_masks` (bool).

    Attributes:
        masks: for each object 14 compressed run lengths of 256 x 256 pixels, None where the part is not visible, in the
            order torso, right and left hand, left and right foot, upper legs (right, left), lower legs (right, left),
            upper arms (left, right), lower arms (left, right), head.
    """

    masks: list[Masks]


def read_densepose(path: Path) -> DensePoseTables:
    """The images, objects and part masks of a DensePose-COCO file.

    An object has masks if the key `dp_masks` is there, even if all 14 entries are empty. One mask of the foreground
    alone and an empty list, both of the CSE files, count as masks without parts.

    Raises:
        InputError: as `coco.read_instances`; or `dp_masks` has another number of entries than 14, or a mask has another
            size than 256 x 256, or is no run lengths of that size.
    """
    parsed = parse(path, _DensePoseAnnotation)
    given = [annotation.dp_masks for annotation in parsed.annotations]
    label = label_by_id("annotation", parsed.annotations)
    raise_any([*parsed.problems, *_problems(str(path), label, given)])
    counts = {
        "objects with one mask of the foreground instead of 14 parts": sum(isinstance(value, _Mask) for value in given),
        "objects with an empty list instead of 14 parts": sum(value == [] for value in given),
    }
    tables = parsed.tables
    return DensePoseTables(
        tables.images,
        tables.objects.assign(has_masks=np.array([value is not msgspec.UNSET for value in given], np.bool_)),
        tables.categories,
        tables.findings | {text: count for text, count in counts.items() if count},
        [_masks(value) for value in given],
    )


def _masks(given: _Given) -> Masks:
    if not isinstance(given, list) or not given:
        return _NO_MASKS
    return tuple(mask.counts if isinstance(mask, _Mask) else None for mask in given)


def _problems(file: str, label: Callable[[int], str], given: Sequence[_Given]) -> list[Problem]:
    lists = [(place, masks) for place, masks in enumerate(given) if isinstance(masks, list) and masks]
    expected = f"{N_PARTS}, empty where a part is not visible"
    problems = [
        Problem(file, label(place), "dp_masks", f"{len(masks)} masks", expected)
        for place, masks in lists
        if len(masks) != N_PARTS
    ]
    listed = [
        (label(place), f"dp_masks[{part}]", mask)
        for place, masks in lists
        for part, mask in enumerate(masks)
        if isinstance(mask, _Mask)
    ]
    problems += [
        Problem(file, record, f"{field}.size", shown(list(mask.size)), f"[{SIDE}, {SIDE}]")
        for record, field, mask in listed
        if mask.size != (SIDE, SIDE)
    ]
    framed = [(record, field, mask.counts) for record, field, mask in listed if mask.size == (SIDE, SIDE)]
    for place, fault in run_lengths.faults([counts for _, _, counts in framed], SIDE * SIDE).items():
        record, field, counts = framed[place]
        problems.append(Problem(file, record, f"{field}.counts", shown(counts), f"run lengths: {fault}"))
    return problems
