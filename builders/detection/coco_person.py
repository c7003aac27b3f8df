"""Persons in MS-COCO images without small persons: one of the two evaluation sets of the paper."""

from __future__ import annotations

from typing import Annotated

from builders.detection import persons
from builders.detection.candidates import coco_candidates
from builders.engine.recipe import Candidates, Recipe
from builders.engine.sources import Sources
from builders.raw.coco import read_instances
from schemas.detection import detection_schema


def read(
    sources: Sources, *, split: Annotated[str, "year and split, as in instances_<split>.json"] = "val2014"
) -> Candidates:
    """The images of an instances file, and all their objects."""
    return coco_candidates(read_instances(sources["instances"]), split, [persons.PERSON])


RECIPE = Recipe(
    card="coco-person",
    version=1,
    version_reason="first version",
    level="image",
    read=read,
    rules=(persons.category, persons.person_present, persons.small_person),
    schema=detection_schema("coco-person", 1),
)
