"""Persons in Pascal VOC images without small persons: the other evaluation set of the paper."""

from __future__ import annotations

from typing import Annotated, Literal

import pandas as pd

from builders import detection
from builders.raw.voc import ALL, read_devkit
from builders.recipe import Candidates, Recipe
from builders.rules import Outcome, rule
from builders.sources import Sources
from schemas.detection import detection_schema
from schemas.errors import UsageError

# Any number of so many digits fits in 64 bits.
_DIGITS = 18


def read(
    sources: Sources,
    *,
    split: Annotated[str, "a list of ImageSets/Main, or all: every XML file under Annotations"] = "trainval",
) -> Candidates:
    """The images of a split, and all their objects; VOC has no masks, so the area is that of the box."""
    annotations = sources["annotations"]
    if split != ALL and "split_list" in sources:
        sources["split_list"]
    tables = read_devkit(annotations.parent, split)
    images = tables.images.assign(sample_id=tables.images["name"], split=split)
    objects = tables.objects.assign(
        area=tables.objects["width"] * tables.objects["height"],
        area_source="box",
        annotation_id=None,
        category_id=None,
        crowd=False,
        ignored=False,
    )
    return Candidates(images, {"objects": objects}, tables.findings)


@rule(
    "voc",
    cites="roboflow/voc2coco : voc2coco.py",
    reasons={"first_digits": "its id {image_id:.0f} is the first number in its name, which other images share"},
)
def voc(
    images: pd.DataFrame,
    *,
    image_id: Annotated[
        Literal["file_name", "first_digits_as_published"],
        "a number of its own for each file, or the first number in its name as voc2coco has it (the year)",
    ] = "file_name",
) -> Outcome:
    """Number the images."""
    if image_id == "file_name":
        return Outcome()
    digits = images["sample_id"].str.extract(r"([0-9]+)", expand=False).fillna("0")
    longest = digits[digits.str.lstrip("0").str.len() > _DIGITS]
    if len(longest):
        raise UsageError(f"voc.image_id=first_digits_as_published: {longest.iloc[0]} does not fit an id")
    numbers = digits.astype("int64")
    shared = numbers.duplicated(keep=False)
    return Outcome(columns={"image_id": numbers}, touched=shared, reason="first_digits", values={"image_id": numbers})


RECIPE = Recipe(
    card="voc-person",
    version=1,
    version_reason="first version",
    level="image",
    read=read,
    rules=(voc, detection.category, detection.person_present, detection.small_person),
    schema=detection_schema("voc-person", 1),
)
