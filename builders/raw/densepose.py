"""DensePose-COCO (Guler et al., CVPR 2018): COCO instances with masks of 14 body parts on some of the persons.

Format from `facebookresearch/DensePose : challenge/2018_COCO_DensePose/data_format.md` and
`facebookresearch/detectron2 : projects/DensePose/densepose/data`. Persons that nobody annotated stand in the same file
without the key `dp_masks`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from builders.raw import run_lengths
from builders.raw.coco import Annotation, InstanceTables, label_by_id, parse
from builders.raw.problems import raise_any
from schemas.errors import Problem, shown

N_PARTS = 14
# Masks are drawn in a square frame that stands for the person's box.
SIDE = 256

Masks = tuple[str | None, ...]

_Nothing = Annotated[list[None], msgspec.Meta(max_length=0)]
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
    masks = [_masks(value) for value in given]
    label = label_by_id("annotation", parsed.annotations)
    raise_any([*parsed.problems, *_size_problems(str(path), label, given), *_text_problems(str(path), label, masks)])
    counts = {
        "objects with one mask of the foreground instead of 14 parts": sum(isinstance(value, _Mask) for value in given),
        "objects with an empty list instead of 14 parts": sum(value == [] for value in given),
    }
    tables = parsed.tables
    return DensePoseTables(
        tables.images,
        tables.objects.assign(has_masks=[value is not msgspec.UNSET for value in given]),
        tables.categories,
        tables.findings | {text: count for text, count in counts.items() if count},
        masks,
    )


def _masks(given: _Given) -> Masks:
    if not isinstance(given, list) or not given:
        return _NO_MASKS
    return tuple(mask.counts if isinstance(mask, _Mask) else None for mask in given)


def _size_problems(file: str, label: Callable[[int], str], given: Sequence[_Given]) -> list[Problem]:
    problems = []
    for place, masks in enumerate(given):
        if not isinstance(masks, list) or not masks:
            continue
        if len(masks) != N_PARTS:
            found, expected = f"{len(masks)} masks", f"{N_PARTS}, empty where a part is not visible"
            problems.append(Problem(file, label(place), "dp_masks", found, expected))
        for part, mask in enumerate(masks):
            if isinstance(mask, _Mask) and mask.size != (SIDE, SIDE):
                field = f"dp_masks[{part}].size"
                problems.append(Problem(file, label(place), field, shown(list(mask.size)), f"[{SIDE}, {SIDE}]"))
    return problems


def _text_problems(file: str, label: Callable[[int], str], masks: Sequence[Masks]) -> list[Problem]:
    where = [(place, part) for place, parts in enumerate(masks) for part, text in enumerate(parts) if text is not None]
    texts = [text for parts in masks for text in parts if text is not None]
    return [
        Problem(
            file,
            label(where[text][0]),
            f"dp_masks[{where[text][1]}].counts",
            shown(texts[text]),
            f"run lengths: {fault}",
        )
        for text, fault in run_lengths.faults(texts, SIDE * SIDE).items()
    ]
