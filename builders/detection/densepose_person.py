"""Persons and eight body parts in DensePose-COCO images: training and validation set of the paper's detectors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from builders.detection import rules as detection
from builders.detection.part_boxes import LARGEST_ID, OVERWRITTEN, SAMPLED_AWAY, TOO_THIN, part_boxes, part_ids
from builders.engine.recipe import Candidates, Recipe
from builders.engine.rules import Outcome, rule
from builders.engine.sources import Sources
from builders.raw.densepose import DensePoseTables, read_densepose
from schemas.columns import column
from schemas.detection import detection_schema
from schemas.errors import MOST_PROBLEMS, Problem
from schemas.input.files import path_text
from schemas.input.problems import raise_any

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
VANISHED = {OVERWRITTEN: "hidden", SAMPLED_AWAY: "sampled_away", TOO_THIN: "too_thin"}
SPLITS = {"both": ("train", "val"), "train": ("train",), "val": ("val",), "minival": ("minival",), "test": ("test",)}


def read(
    sources: Sources,
    *,
    split: Annotated[Literal["both", "train", "val", "minival", "test"], "train and val, or one file alone"] = "both",
) -> Candidates:
    """The images of one or two files, the persons in them, and a candidate for every body part that has a mask."""
    sources.require(*SPLITS[split])
    parts = [_read_split(sources[name], name) for name in SPLITS[split]]
    images = pd.concat([part.root for part in parts], ignore_index=True)
    offsets = np.cumsum([0, *(len(part.root) for part in parts)])
    rows = np.cumsum([0, *(len(part.children["objects"]) for part in parts)])
    objects = pd.concat(
        [
            part.children["objects"].assign(
                parent=part.children["objects"]["parent"] + offsets[number],
                person_row=part.children["objects"]["person_row"] + rows[number],
            )
            for number, part in enumerate(parts)
        ],
        ignore_index=True,
    )
    findings: dict[str, int] = {}
    for part in parts:
        findings = {text: findings.get(text, 0) + part.findings.get(text, 0) for text in {**findings, **part.findings}}
    return Candidates(images, {"objects": objects}, findings)


def _read_split(path: Path, split: str) -> Candidates:
    tables = read_densepose(path)
    candidates = detection.coco_candidates(tables, path, split)
    persons = candidates.children["objects"].assign(part=0, side=None, vanished=None)
    found = _part_candidates(tables, persons, path)
    # A part stands behind its person; `person_row` is renumbered to the rows of the joint table.
    joint = pd.concat([persons.assign(person_row=persons.index), found]).sort_values(
        ["person_row", "part"], kind="stable", ignore_index=True
    )
    first = np.flatnonzero(joint["part"] == 0)
    row_of = pd.Series(first, index=joint["person_row"].to_numpy()[first])
    joint["person_row"] = row_of.reindex(joint["person_row"]).to_numpy()
    joint["person_row"] = joint["person_row"].where(joint["part"] > 0).astype("Int64")
    return Candidates(candidates.root, {"objects": joint}, candidates.findings)


def _part_candidates(tables: DensePoseTables, persons: pd.DataFrame, path: Path) -> pd.DataFrame:
    """A row per mask: with a box, or with the reason why none is left.

    Raises:
        InputError: a person with masks has an id to which no part's number can be appended in 64 bits.
    """
    masked = np.flatnonzero(persons["has_masks"] & (persons["category"] == detection.PERSON))
    boxes = persons[["x", "y", "width", "height"]].to_numpy()[masked]
    made = part_boxes([tables.masks[row] for row in masked.tolist()], boxes)
    drawn = made.boxes.assign(vanished=None)
    found = pd.concat([drawn, made.vanished.rename(columns={"reason": "vanished"})], ignore_index=True)
    owners = persons.iloc[masked[found["person"].to_numpy(np.int64)]]
    part = found["part"].to_numpy(np.int64)
    ids = owners["annotation_id"].to_numpy(np.int64)
    large = np.unique(ids[np.abs(ids) > LARGEST_ID])[:MOST_PROBLEMS].tolist()
    expected = f"at most {LARGEST_ID:,}, as the ids of its parts are longer"
    raise_any([Problem(path_text(path), f"annotation {each}", "id", str(each), expected) for each in large])
    number = part_ids(ids, part)
    names, sides = (np.array([None, *column], dtype=object)[part] for column in zip(*PARTS, strict=True))
    size = found[["x", "y", "width", "height"]].fillna(0.0)
    return size.assign(
        parent=owners["parent"].to_numpy(),
        key=number,
        annotation_id=number,
        category_id=None,
        person_row=owners.index.to_numpy(),
        part=part,
        category=names,
        side=sides,
        vanished=found["vanished"],
        area=size["width"] * size["height"],
        area_source="box",
        crowd=False,
        difficult=None,
        ignored=False,
        has_masks=False,
    )


@rule(
    "fully_annotated",
    cites=detection.CITED,
    reasons={
        "no_masks": "person {person:.0f} has no part masks",
        "crowd": "person {person:.0f} is a crowd, without masks",
    },
)
def fully_annotated(images: pd.DataFrame, objects: pd.DataFrame) -> Outcome:
    """Keep images in which every person has part masks (the key `dp_masks`, even if all are empty)."""
    bare = detection.first_without(images, objects, ~detection.is_person(objects) | objects["has_masks"].to_numpy(bool))
    reason = np.where(bare["crowd"].eq(True), "crowd", "no_masks")
    return Outcome(keep=bare["key"].isna().to_numpy(), reason=reason, values={"person": bare["key"].to_numpy()})


@rule(
    "parts",
    level="objects",
    cites=f"{detection.CITED} and src/tools/utils.py",
    reasons={
        "hidden": "later parts cover it",
        "sampled_away": "no pixel of it is left at the size of its person",
        "too_thin": "it is one pixel wide or high at the size of its person",
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
    reason = objects["vanished"].map(VANISHED).to_numpy()
    return Outcome(keep=objects["vanished"].isna(), columns={"category": names}, reason=reason)


@rule("classes", level="objects", cites=detection.CITED, reasons={"other_class": "it is of no class asked for"})
def classes(
    objects: pd.DataFrame,
    *,
    of: Annotated[
        Literal["person_and_parts", "parts", "person"], "all nine classes, the eight parts, or persons alone"
    ] = "person_and_parts",
) -> Outcome:
    """Keep the classes that a detector is trained on."""
    person = detection.is_person(objects)
    keep = {"person_and_parts": person | True, "parts": ~person, "person": person}[of]
    return Outcome(keep=keep, reason="other_class")


RECIPE = Recipe(
    card="densepose-person",
    version=1,
    version_reason="first version",
    level="image",
    read=read,
    rules=(
        detection.person_present,
        fully_annotated,
        detection.small_person.with_defaults(on_small="off"),
        parts,
        classes,
        detection.positions,
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
