"""Persons and eight body parts in DensePose-COCO images: training and validation set of the paper's detectors."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from builders.detection.candidates import coco_candidates, completed
from builders.detection.part_boxes import HIDDEN, LARGEST_ID, SAMPLED_AWAY, TOO_THIN, part_boxes, part_ids
from builders.detection.persons import CITED, PERSON, person_present, small_person
from builders.detection.rules import Mask, of_classes
from builders.engine.recipe import Candidates, Recipe
from builders.engine.rules import Outcome, rule
from builders.engine.sources import Sources
from builders.raw.densepose import PartMasks, read_densepose
from schemas.columns import column
from schemas.detection import detection_schema
from schemas.errors import MOST_PROBLEMS, Problem
from schemas.input.problems import raise_any
from schemas.notices import Notice

# DensePose's fourteen masks, from 1: the class that is meant, and the side of the body.
PARTS = (
    ("torso", None),
    ("hand", "right"),
    ("hand", "left"),
    ("foot", "left"),
    ("foot", "right"),
    ("upper_leg", "right"),
    ("upper_leg", "left"),
    ("lower_leg", "right"),
    ("lower_leg", "left"),
    ("upper_arm", "left"),
    ("upper_arm", "right"),
    ("lower_arm", "left"),
    ("lower_arm", "right"),
    ("head", None),
)
RIGHT_FOOT = 5
SPLITS = {"both": ("train", "val"), "train": ("train",), "val": ("val",), "minival": ("minival",), "test": ("test",)}


def read(
    sources: Sources,
    *,
    split: Annotated[Literal["both", "train", "val", "minival", "test"], "train and val, or one file alone"] = "both",
) -> Candidates:
    """The images of one or two files, the persons in them, and a candidate for every body part that has a mask."""
    sources.require(*SPLITS[split])
    images: list[pd.DataFrame] = []
    objects: list[pd.DataFrame] = []
    findings: Counter[str] = Counter()
    warnings: list[Notice] = []
    for name in SPLITS[split]:
        part = _read_split(sources[name], name)
        rows = part.children["objects"]
        parent, owner = rows["parent"] + sum(map(len, images)), rows["owner_row"] + sum(map(len, objects))
        images.append(part.root)
        objects.append(rows.assign(parent=parent, owner_row=owner))
        findings.update(part.findings)
        warnings += part.warnings
    joint = {"objects": pd.concat(objects, ignore_index=True)}
    return Candidates(pd.concat(images, ignore_index=True), joint, dict(findings), warnings)


def _read_split(path: Path, split: str) -> Candidates:
    tables = read_densepose(path)
    candidates = coco_candidates(tables.instances, split, [PERSON])
    whole = candidates.children["objects"].assign(part=0, side=None, vanished=None)
    found = _part_candidates(tables.masks, whole, tables.instances.file)
    # The parts of a person are behind it; `owner_row` becomes its row in the joint table.
    joint = pd.concat([whole.assign(owner_row=whole.index), found]).sort_values(
        ["owner_row", "part"], kind="stable", ignore_index=True
    )
    is_part = joint["part"] > 0
    owner = pd.Series(np.flatnonzero(~is_part)[joint["owner_row"]]).where(is_part).astype("Int64")
    return replace(candidates, children={"objects": joint.assign(owner_row=owner)})


def _part_candidates(masks: PartMasks, whole: pd.DataFrame, file: str) -> pd.DataFrame:
    """A row per mask of a person: with a box, or with the reason why none is left.

    Raises:
        InputError: a person with masks has an id to which no part's number can be appended in 64 bits.
    """
    found = part_boxes(masks, whole[["x", "y", "width", "height"]].to_numpy())
    found = found[is_person(whole)[found["row"]]]
    owners = whole.loc[found["row"]]
    part, ids = found["part"].to_numpy(), owners["annotation_id"].to_numpy()
    large = np.unique(ids[np.abs(ids) > LARGEST_ID])[:MOST_PROBLEMS].tolist()
    expected = f"at most {LARGEST_ID:,}, as the ids of its parts are longer"
    raise_any([Problem(file, f"annotation {each}", "id", str(each), expected) for each in large])
    number = part_ids(ids, part)
    names, sides = (np.array([None, *column], dtype=object)[part] for column in zip(*PARTS, strict=True))
    size = found[["x", "y", "width", "height"]].fillna(0.0)
    parts = size.assign(
        parent=owners["parent"].to_numpy(),
        key=number,
        annotation_id=number,
        owner_row=found["row"],
        part=part,
        category=names,
        side=sides,
        vanished=found["vanished"],
        has_masks=False,
    )
    return completed(parts)


def is_person(objects: pd.DataFrame) -> Mask:
    """Which objects are persons, not parts of one."""
    return of_classes(objects, [PERSON])


@rule(
    "fully_annotated",
    cites=CITED,
    reasons={
        "no_masks": "person {person:.0f} has no part masks",
        "crowd": "person {person:.0f} is a crowd, without masks",
    },
)
def fully_annotated(images: pd.DataFrame, objects: pd.DataFrame) -> Outcome:
    """Keep images in which every person has part masks (the key `dp_masks`, even if all are empty)."""
    without = objects[is_person(objects) & ~objects["has_masks"].to_numpy(bool)]
    bare = without.groupby("parent")[["key", "crowd"]].first().reindex(images.index)
    reason = np.where(bare["crowd"].eq(True), "crowd", "no_masks")
    return Outcome(keep=bare["key"].isna().to_numpy(), reason=reason, values={"person": bare["key"].to_numpy()})


@rule(
    "parts",
    level="objects",
    gives="category = {category}",
    cites=f"{CITED} and src/tools/utils.py",
    reasons={
        HIDDEN: "later parts cover it",
        SAMPLED_AWAY: "no pixel of it is left at the size of its person",
        TOO_THIN: "it is one pixel wide or high at the size of its person",
    },
)
def parts(
    objects: pd.DataFrame,
    *,
    right_foot: Annotated[
        Literal["foot", "upper_leg_as_published"],
        "the class of the right foot; the authors' code leaves it an upper leg",
    ] = "foot",
) -> Outcome:
    """Name the parts; drop those of which no box is left."""
    names = objects["category"]
    if right_foot == "upper_leg_as_published":
        names = names.mask(objects["part"] == RIGHT_FOOT, "upper_leg")
    return Outcome(keep=objects["vanished"].isna(), columns={"category": names}, reason=objects["vanished"].to_numpy())


@rule("classes", level="objects", cites=CITED, reasons={"other_class": "its class is not asked for"})
def classes(
    objects: pd.DataFrame,
    *,
    of: Annotated[
        Literal["person_and_parts", "parts", "person"], "all nine classes, the eight parts, or persons alone"
    ] = "person_and_parts",
) -> Outcome:
    """Keep the classes that a detector is trained on."""
    person = is_person(objects)
    keep = {"person_and_parts": person | True, "parts": ~person, "person": person}[of]
    return Outcome(keep=keep, reason="other_class")


@rule(
    "positions",
    level="objects",
    cites="none: how the manifest says whose part it is",
    gives="person = {person}",
)
def positions(objects: pd.DataFrame) -> Outcome:
    """Give each part the position of its person among the objects of the image."""
    position = objects.groupby("parent").cumcount()
    return Outcome(columns={"person": position.reindex(objects["owner_row"]).astype("Int64").to_numpy()})


RECIPE = Recipe(
    card="densepose-person",
    version=1,
    version_reason="first version",
    level="image",
    read=read,
    rules=(
        person_present,
        fully_annotated,
        small_person.with_defaults(on_small="off"),
        parts,
        classes,
        positions,
    ),
    schema=detection_schema(
        "densepose-person",
        1,
        [
            column("side", pa.string(), "left or right, null where a part has no side", required=False),
            column(
                "person", pa.int64(), "position of the part's person among the objects, null if not", required=False
            ),
        ],
    ),
)
