"""Rules about the objects of some classes: which count, which images have any, what is done where they are small."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from builders.engine.rules import Outcome, Rule, rule
from builders.raw.segmentations import mask_areas
from schemas.errors import MOST_PROBLEMS, Problem, UsageError, shown
from schemas.input.problems import raise_any

Mask = NDArray[np.bool_]


class ClassRules(NamedTuple):
    """The rules about the objects that a benchmark is about.

    Attributes:
        category: `category.keep`: keep these objects alone, or `all`.
        present: `<noun>_present.required`: drop images without such an object.
        small: `small_<noun>`: what `on_small` does about those whose `area` is below `min_area`.
    """

    category: Rule
    present: Rule
    small: Rule


def rules_for(
    noun: str, classes: Sequence[str] | None = None, *, cites: str = "none", cites_small: str = ""
) -> ClassRules:
    """The rules about the objects of some classes, on tables as `builders.detection.candidates` makes them.

    Args:
        noun: what such an object is called: `person` gives the rules `person_present` and `small_person`.
        classes: values of `category` that such objects have; only `noun` itself where it is not given.
        cites: where the authors say that they count these; `cites_small`: where they say what is small.

    Raises:
        TypeError, ValueError: a noun that is not one word, or classes that are not a list of texts.

    >>> [rule.name for rule in rules_for("damage", ["crack", "pothole"])]
    ['category', 'damage_present', 'small_damage']
    """
    if not isinstance(noun, str) or not re.fullmatch(r"\w+", noun):
        likely = "_".join(re.findall(r"\w+", noun)) if isinstance(noun, str) else ""
        raise ValueError(
            f"the noun {shown(noun)}: expected letters, digits and underscores, such as {likely or 'person'}"
        )
    wanted = [noun] if classes is None else [] if isinstance(classes, str) else list(classes)
    if not wanted or not all(isinstance(name, str) and name for name in wanted):
        raise TypeError(
            f"the classes {shown(classes)}: expected a list of at least one name, such as ['crack', 'pothole']"
        )

    @rule(
        "category",
        level="objects",
        cites=cites,
        reasons={"other_category": f"it is not a {noun}"},
        choices={"keep": (noun, "all")},
    )
    def category(objects: pd.DataFrame, *, keep: Annotated[str, "those that count, or every object"] = noun) -> Outcome:
        """Keep the objects that count."""
        return Outcome() if keep == "all" else Outcome(keep=of_classes(objects, wanted), reason="other_category")

    @rule(f"{noun}_present", cites=cites, reasons={f"no_{noun}": f"it shows no {noun}"})
    def present(
        images: pd.DataFrame,
        objects: pd.DataFrame,
        *,
        required: Annotated[bool, "whether an image without an object that counts is dropped"] = True,
    ) -> Outcome:
        """Keep images with at least one object that counts."""
        if not required:
            return Outcome()
        return Outcome(keep=_have_any(images, objects, of_classes(objects, wanted)), reason=f"no_{noun}")

    return ClassRules(category, present, _small_rule(noun, wanted, cites_small or cites))


def _small_rule(noun: str, classes: Sequence[str], cites: str) -> Rule:
    small_one, drop_one = f"small_{noun}", f"drop_{noun}"
    sentence = f"{noun} {{{noun}:.0f}} has area {{area:.10g}} < {{min_area:.10g}}"

    @rule(
        small_one,
        cites=cites,
        reasons={
            small_one: sentence,
            "small_crowd": f"{sentence} (crowd)",
            "none_left": f"each {noun} in it is smaller than {{min_area:.10g}}",
        },
        choices={"on_small": ("drop_image", drop_one, "ignore", "off"), "area": ("annotation", "box", "mask")},
    )
    def small(
        images: pd.DataFrame,
        objects: pd.DataFrame,
        *,
        on_small: Annotated[
            str, "drop the image, drop the object alone, keep it but leave it out of scoring, or no such rule"
        ] = "drop_image",
        min_area: Annotated[float, "the least area that stays, in square pixels (strictly less is small)"] = 1024.0,
        area: Annotated[str, "the area of the annotation, width x height of the box, or of the mask"] = "annotation",
        count_crowds: Annotated[bool, "whether a crowd can be small"] = True,
    ) -> Outcome | list[Outcome]:
        """Find objects that are too small, and drop their image, or only them."""
        if on_small == "off":
            return Outcome()
        counted = of_classes(objects, classes)
        areas, owner = _areas(images, objects, counted, small_one, area), _owners(objects)
        is_small = (counted & (areas < min_area) & (count_crowds | ~objects["crowd"].to_numpy(bool)))[owner]
        reason = np.where(objects["crowd"], "small_crowd", small_one)[owner]
        values = {noun: objects["key"].to_numpy()[owner], "area": areas[owner], "min_area": min_area}
        if on_small == "ignore":
            columns = {"ignored": objects["ignored"].to_numpy(bool) | is_small}
            return Outcome(level="objects", columns=columns, touched=is_small, reason=reason, values=values)
        if on_small == drop_one:
            left = _have_any(images, objects, counted & ~is_small) | ~_have_any(images, objects, counted)
            dropped = Outcome(level="objects", keep=~is_small, reason=reason, values=values)
            return [dropped, Outcome(keep=left, reason="none_left", values={"min_area": min_area})]
        account = pd.DataFrame({"parent": objects["parent"], "reason": reason, **values})[is_small]
        first = account.groupby("parent").first().reindex(images.index)
        return Outcome(
            keep=first["reason"].isna().to_numpy(),
            reason=first["reason"].to_numpy(),
            values={name: first[name].to_numpy() for name in values},
        )

    return small


def of_classes(objects: pd.DataFrame, classes: Sequence[str]) -> Mask:
    """Which objects are of one of the classes."""
    return objects["category"].isin(classes).to_numpy(bool)


def _have_any(images: pd.DataFrame, objects: pd.DataFrame, mask: Mask) -> Mask:
    """Whether an object of the image is in the mask."""
    return np.isin(images.index.to_numpy(), objects["parent"].to_numpy()[mask])


def _owners(objects: pd.DataFrame) -> NDArray[np.int64]:
    """Place of the object that an object is a part of (`owner_row`), or its own: parts fare as their owner does."""
    if "owner_row" not in objects:
        return np.arange(len(objects))
    rows = objects["owner_row"].fillna(pd.Series(objects.index, objects.index)).astype(np.int64)
    return objects.index.get_indexer(pd.Index(rows))


def _areas(
    images: pd.DataFrame, objects: pd.DataFrame, counted: Mask, rule_name: str, area: str
) -> NDArray[np.float64]:
    """Areas of objects in square pixels; those of masks of the `counted` ones alone, NaN for the others.

    Raises:
        UsageError: the source has no masks.
        InputError: an object that is counted has no such area.
    """
    if area == "box":
        return (objects["width"] * objects["height"]).to_numpy(np.float64)
    if area == "annotation":
        areas, field, expected = objects["area"].to_numpy(np.float64), "area", "a number"
    elif "segmentation" in objects:
        areas, field, expected = _mask_areas(images, objects, counted), "segmentation", "a mask"
    else:
        raise UsageError(f"{rule_name}.area=mask: the source has no masks; expected annotation or box")
    unknown = objects[np.isnan(areas) & counted][:MOST_PROBLEMS]
    advice = f"{rule_name}.area=box needs none"
    raise_any([Problem(*place, field, "nothing", expected, advice) for place in _places(images, unknown)])
    return areas


def _mask_areas(images: pd.DataFrame, objects: pd.DataFrame, counted: Mask) -> NDArray[np.float64]:
    areas = np.full(len(objects), np.nan)
    chosen = objects[counted]
    sizes = images[["height", "width"]].loc[chosen["parent"]].fillna(0).to_numpy(np.int64)
    areas[counted], problems = mask_areas(chosen["segmentation"].tolist(), sizes, _places(images, chosen))
    raise_any(problems)
    return areas


def _places(images: pd.DataFrame, objects: pd.DataFrame) -> list[tuple[str, str]]:
    """File and name of each object, for errors."""
    files = images["file"].loc[objects["parent"]] if "file" in images else [""] * len(objects)
    return [(file, f"annotation {key}") for file, key in zip(files, objects["key"], strict=True)]
