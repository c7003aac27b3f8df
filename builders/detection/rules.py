"""What the benchmarks of person detection share: candidates of COCO files, and the rules of the paper's filter."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from builders.engine.recipe import Candidates
from builders.engine.rules import Outcome, rule
from builders.engine.sources import Sources
from builders.raw.coco import InstanceTables, read_instances
from schemas.errors import MOST_PROBLEMS, InputError, Problem, UsageError, shown
from schemas.input.files import path_text

PERSON = "person"
CITED = "FraunhoferIKS/smf-object-detection : src/generate_annotations.py"
MISSPELT = "objects named person but for the case of letters (taken for something else)"
_MOST_NAMES = 10


def coco_candidates(tables: InstanceTables, path: Path, split: str) -> Candidates:
    """One row per image, its objects as children, with the columns of `schemas.detection`; `path` is that of the file.

    Raises:
        InputError: the file has no category `person`.
    """
    names = tables.categories.set_index("id")["name"]
    if PERSON not in set(names):
        raise InputError(_no_person(path, list(names)))
    sample = tables.images["image_id"].astype(str)
    images = tables.images.assign(sample_id=sample, split=split, file=path_text(path))
    objects = tables.objects.assign(
        category=names.reindex(tables.objects["category_id"]).to_numpy(),
        annotation_id=tables.objects["key"],
        area_source="annotation",
        difficult=None,
        ignored=False,
    )
    misspelt = int(objects["category"].isin(almost_person(names)).sum())
    return Candidates(images, {"objects": objects}, tables.findings | ({MISSPELT: misspelt} if misspelt else {}))


def almost_person(names: Iterable[str]) -> list[str]:
    """The names that are `person` but for the case of letters and white space around."""
    return [name for name in names if name != PERSON and name.strip().casefold() == PERSON]


def _no_person(path: Path, names: list[str]) -> Problem:
    """The problem of a file without a category `person`, the likeliest names first."""
    likely = list(dict.fromkeys([*almost_person(names), *names]))
    listing = ", ".join(map(shown, likely[:_MOST_NAMES])) or "none"
    more = f" and {len(likely) - _MOST_NAMES:,} more" if len(likely) > _MOST_NAMES else ""
    return Problem(path_text(path), "", "categories", listing + more, f"one named {shown(PERSON)}")


@rule("category", level="objects", cites=CITED, reasons={"other_category": "it is no person"})
def category(
    objects: pd.DataFrame, *, keep: Annotated[Literal["person", "all"], "persons alone, or every object"] = "person"
) -> Outcome:
    """Keep the objects that count."""
    if keep == "all":
        return Outcome()
    return Outcome(keep=objects["category"] == PERSON, reason="other_category")


@rule("person_present", cites=CITED, reasons={"no_person": "it shows no person"})
def person_present(
    images: pd.DataFrame,
    objects: pd.DataFrame,
    *,
    required: Annotated[bool, "whether an image without persons is dropped"] = True,
) -> Outcome:
    """Keep images with at least one person."""
    if not required:
        return Outcome()
    return Outcome(keep=_any(images, objects, is_person(objects)), reason="no_person")


@rule(
    "small_person",
    cites=f"Schwaiger et al. 2023 (images with persons below 2247 px2 are left out); {CITED}",
    reasons={
        "small_person": "person {person:.0f} has area {area:.10g} < {min_area:.10g}",
        "small_crowd": "person {person:.0f} has area {area:.10g} < {min_area:.10g} (crowd)",
        "none_left": "all its persons are smaller than {min_area:.10g}",
    },
)
def small_person(
    images: pd.DataFrame,
    objects: pd.DataFrame,
    sources: Sources,
    *,
    on_small: Annotated[
        Literal["drop_image", "drop_person", "ignore", "off"],
        "drop the image, drop the person alone, keep it but leave it out of scoring, or no such rule",
    ] = "drop_image",
    min_area: Annotated[float, "the least area that stays, in square pixels (strictly less is small)"] = 2247.0,
    area: Annotated[
        Literal["annotation", "box", "mask"], "the area of the annotation, width x height of the box, or of the mask"
    ] = "annotation",
    count_crowds: Annotated[bool, "whether a crowd can be a small person"] = True,
) -> Outcome | list[Outcome]:
    """Find persons that are too small, and drop their image, or only them."""
    if on_small == "off":
        return Outcome()
    areas, owner = _areas(images, objects, area, sources), _owners(objects)
    small = is_person(objects) & (areas < min_area) & (count_crowds | ~objects["crowd"].to_numpy(bool))
    small = small[owner]
    reason = np.where(objects["crowd"], "small_crowd", "small_person")[owner]
    values = {"person": objects["key"].to_numpy()[owner], "area": areas[owner], "min_area": min_area}
    if on_small == "ignore":
        columns = {"ignored": objects["ignored"].to_numpy(bool) | small}
        return Outcome(level="objects", columns=columns, touched=small, reason=reason, values=values)
    if on_small == "drop_person":
        person = is_person(objects)
        left = _any(images, objects, person & ~small) | ~_any(images, objects, person)
        persons = Outcome(level="objects", keep=~small, reason=reason, values=values)
        return [persons, Outcome(keep=left, reason="none_left", values={"min_area": min_area})]
    first = pd.DataFrame({"parent": objects["parent"], "reason": reason, **values})[small].groupby("parent").first()
    told = first.reindex(images.index)
    return Outcome(
        keep=told["reason"].isna().to_numpy(),
        reason=told["reason"].to_numpy(),
        values={name: told[name].to_numpy() for name in values},
    )


@rule("positions", level="objects", cites="none: how the manifest says whose part it is")
def positions(objects: pd.DataFrame) -> Outcome:
    """Give each part the position of its person among the objects of the image."""
    position = objects.groupby("parent").cumcount()
    return Outcome(columns={"person": position.reindex(objects["person_row"]).astype("Int64").to_numpy()})


def is_person(objects: pd.DataFrame) -> NDArray[np.bool_]:
    """Which objects are persons."""
    return (objects["category"] == PERSON).to_numpy(bool)


def first_without(images: pd.DataFrame, objects: pd.DataFrame, wanted: NDArray[np.bool_]) -> pd.DataFrame:
    """For each image the `key` and `crowd` of its first object that is not `wanted`, nulls where there is none."""
    return objects[~wanted].groupby("parent")[["key", "crowd"]].first().reindex(images.index)


def _any(images: pd.DataFrame, objects: pd.DataFrame, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether an object of the image is in the mask."""
    return np.isin(images.index.to_numpy(), objects["parent"].to_numpy()[mask])


def _owners(objects: pd.DataFrame) -> NDArray[np.int64]:
    """Place of the person that an object is a part of, its own for all else: parts fare as their person does."""
    if "person_row" not in objects:
        return np.arange(len(objects))
    rows = objects["person_row"].fillna(pd.Series(objects.index, objects.index)).astype(np.int64)
    return objects.index.get_indexer(pd.Index(rows))


def _areas(images: pd.DataFrame, objects: pd.DataFrame, area: str, sources: Sources) -> NDArray[np.float64]:
    if area == "box":
        return (objects["width"] * objects["height"]).to_numpy(np.float64)
    if area == "annotation":
        areas = objects["area"].to_numpy(np.float64)
    elif "instances" in sources.used:
        measured: Any = read_instances(sources["instances"], masks=True).objects["mask_area"]
        areas = np.asarray(measured.reindex(objects.index), np.float64)
    else:
        raise UsageError("small_person.area=mask: the source has no masks; expected annotation or box")
    unknown = objects[np.isnan(areas) & is_person(objects)][:MOST_PROBLEMS]
    if len(unknown):
        field, expected = {"annotation": ("area", "a number"), "mask": ("segmentation", "a mask")}[area]
        place = (field, "nothing", expected, "small_person.area=box needs none")
        files = images["file"].reindex(unknown["parent"])
        raise InputError(
            [Problem(file, f"annotation {key}", *place) for file, key in zip(files, unknown["key"], strict=True)]
        )
    return areas
