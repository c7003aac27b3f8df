"""Persons in Pascal VOC images without small persons: the other evaluation set of the paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import pandas as pd

from builders.detection import persons
from builders.detection.candidates import CASE_MISMATCH, box_candidates, near_classes
from builders.engine.recipe import Candidates, Recipe
from builders.engine.rules import Outcome, rule
from builders.engine.sources import Sources
from builders.raw.boxes import object_names
from builders.raw.voc import DevkitTables, read_devkit
from builders.raw.voc_folders import ALL, annotations_at, own_list
from schemas.detection import detection_schema
from schemas.errors import MOST_PROBLEMS, InputError, Problem, shown
from schemas.notices import Counted

# Any number of so many digits fits in 64 bits.
_DIGITS = 18


def read(
    sources: Sources,
    *,
    split: Annotated[str, "a list of ImageSets/Main, or all: every XML file under Annotations"] = "trainval",
) -> Candidates:
    """The images of a split, and all their objects; VOC has no masks, so the area is that of the box."""
    annotations, listed = _located(sources, split)
    tables = read_devkit(annotations, split, listed)
    images = tables.images.assign(sample_id=tables.images["name"])
    return box_candidates(images, tables.objects, split, tables.findings | _case_mismatches(tables))


def _located(sources: Sources, split: str) -> tuple[Path, Path | None]:
    """Where the XML files are, and the list of the split: that of the same data set, unless the user names another."""
    if split == ALL:
        return sources.use("annotations", annotations_at(sources["annotations"])), None
    annotations = sources.use("annotations", annotations_at(sources.require("annotations", "split_list")))
    own = own_list(annotations, split)
    if own is None or "split_list" in sources.given:
        return annotations, sources["split_list"]
    return annotations, sources.use("split_list", own)


def _case_mismatches(tables: DevkitTables) -> dict[str, int]:
    """How many objects are named `person` but for case; `InputError` where no object is named just so."""
    names = tables.objects["category"]
    known = names.unique()
    near = tables.objects[names.isin(near_classes(known, [persons.PERSON]))]
    if len(near) and persons.PERSON not in known:
        parent, key, name = near.iloc[0][["parent", "key", "category"]]
        record, expected = f"object {key}", shown(persons.PERSON)
        advice = f"no object is named just so; {len(near):,} almost"
        raise InputError(Problem(tables.images["file"][parent], record, "name", shown(name), expected, advice))
    named = object_names(tables.images, near, "name")
    return {CASE_MISMATCH: Counted(len(near), map(named, range(len(near))))} if len(near) else {}


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
    digits = images["sample_id"].str.extract(r"([0-9]+)", expand=False)
    unnumbered = images[~digits.str.fullmatch(f"0*[0-9]{{1,{_DIGITS}}}", na=False)]["file"][:MOST_PROBLEMS]
    if len(unnumbered):
        what = ("none that fits", f"a number of up to {_DIGITS} digits", "voc.image_id=file_name needs none")
        raise InputError([Problem(file, "", "first number in the name", *what) for file in unnumbered])
    numbers = digits.astype("int64")
    shared = numbers.duplicated(keep=False)
    return Outcome(columns={"image_id": numbers}, touched=shared, reason="first_digits", values={"image_id": numbers})


RECIPE = Recipe(
    card="voc-person",
    version=1,
    version_reason="first version",
    level="image",
    read=read,
    rules=(voc, persons.category, persons.person_present, persons.small_person),
    schema=detection_schema("voc-person", 1),
)
