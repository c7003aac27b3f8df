"""Boxes of several sources as those of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from schemas.errors import Problem, shown
from schemas.input.columns import Integers
from schemas.input.problems import raise_any


@dataclass(frozen=True)
class Boxes:
    """One source.

    Attributes:
        file: its path, for errors.
        images: with the columns of `schemas.detection`.
        objects: the same; `parent` is the position of the image in `images`.
        labels: all its classes, in its order.
        notes: what is odd, with counts.
    """

    file: str
    images: pd.DataFrame
    objects: pd.DataFrame
    labels: list[str]
    notes: dict[str, int] = field(default_factory=dict)


def merged(sources: Sequence[Boxes], join: bool, notes: Counter[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The images and objects of all sources; images of one name are one if `join`, and refused if not."""
    starts = np.cumsum([0, *(len(source.images) for source in sources)])
    images = pd.concat([source.images for source in sources], ignore_index=True)
    objects = pd.concat(
        [
            each.objects.assign(parent=each.objects["parent"] + start)
            for each, start in zip(sources, starts, strict=False)
        ],
        ignore_index=True,
    )
    objects = objects.reindex(columns=list(dict.fromkeys([*objects, "segmentation", "truncated", "occluded"])))
    origin = np.repeat(np.arange(len(sources)), [len(source.images) for source in sources])
    names = images["file_name"].fillna(images["sample_id"]).astype(str)
    owner = pd.Series(np.arange(len(images))).groupby([images["split"], names]).transform("min").to_numpy()
    again = np.flatnonzero((owner != np.arange(len(images))) & (origin != origin[owner]))
    if len(again):
        _refuse_unlike(sources, images, names, owner, again, origin, join)
        notes["images in several sources, joined"] += len(again)
        stay = np.ones(len(images), bool)
        stay[again] = False
        places = np.cumsum(stay) - 1
        objects["parent"] = places[np.where(stay, np.arange(len(images)), owner)[objects["parent"].to_numpy()]]
        images = images[stay].reset_index(drop=True)
    if images["image_id"].duplicated().any():
        images["image_id"] = np.arange(1, len(images) + 1)
        notes["images numbered anew, as sources share numbers"] += len(images)
    return images, objects


def _refuse_unlike(
    sources: Sequence[Boxes],
    images: pd.DataFrame,
    names: pd.Series[str],
    owner: Integers,
    again: Integers,
    origin: Integers,
    join: bool,
) -> None:
    """Refuse images of one name unless they are to be joined, and those whose sizes differ in any case."""
    sizes = images[["width", "height"]].astype("Float64")
    unlike = (sizes.iloc[again].to_numpy() != sizes.iloc[owner[again]].to_numpy()).any(axis=1)
    problems = []
    for place in again[unlike] if join else again[:1]:
        here, there = sources[origin[place]].file, sources[origin[owner[place]]].file
        found = f"also in {there}" + (" with another size" if join else f" ({len(again):,} such images)")
        advice = "" if join else "--join takes images of one name for one image"
        problems.append(Problem(here, shown(names.iloc[place]), "", found, "an image of one source", advice))
    raise_any(problems)
