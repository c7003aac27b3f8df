"""Candidates of data sets of boxes: from a COCO file, or from tables of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from builders.detection.doubts import doubts_of
from builders.engine.recipe import Candidates
from builders.raw.boxes import object_names
from builders.raw.coco import InstanceTables
from schemas.errors import MOST_PROBLEMS, InputError, Problem, nearest, shown
from schemas.input.problems import problems_where, raise_any, repeats
from schemas.notices import Counted

CASE_MISMATCH = "objects whose category differs from a class in upper and lower case or blanks alone (another category)"
_MOST_NAMES = 10


def box_candidates(
    images: pd.DataFrame, objects: pd.DataFrame, split: str, findings: Mapping[str, int] | None = None
) -> Candidates:
    """Candidates with all the columns of `schemas.detection`; those that the tables lack get their defaults.

    Args:
        images: `sample_id` (unique text); where known `image_id` (else numbered from 1), `file_name`, `width`,
            `height` (pixels), and `file`, which errors name.
        objects: `category`; `x`, `y`, `width`, `height` (pixels, from the top left corner of the image); `parent`, the
            position of its image, or else `sample_id`; where known `area` (else that of the box), `crowd`, `difficult`,
            `ignored`, `category_id`, `annotation_id`, `key` (else its position); for doubts alone `segmentation` (lists
            of polygons) and `bbox_mode`.
        split: name of the split that the images belong to.
        findings: data anomalies that change no row, with their counts.

    Raises:
        InputError: a column is lacking, a `sample_id` is of two images or of none, a side of a box is negative.
    """
    _check_columns(images, objects)
    images = _filled(images, split=split, image_id=np.arange(1, len(images) + 1), file_name=None, file="")
    images = _filled(images, width=None, height=None)
    if "parent" not in objects:
        ids = images["sample_id"].tolist()
        raise_any(repeats(_file(images), lambda row: f"image {row + 1}", "sample_id", ids))
        parent = pd.Index(ids, dtype=object).get_indexer(pd.Index(objects["sample_id"], dtype=object))
        names, expected = objects["sample_id"].tolist(), "one that an image has"
        raise_any(problems_where(parent < 0, _file(objects), _object_named, "sample_id", names, expected))
        objects = objects.assign(parent=parent)
    _check_sides(images, objects)
    doubts = doubts_of(images, objects)
    return Candidates(images, {"objects": completed(objects)}, dict(findings or {}), doubts)


def completed(objects: pd.DataFrame) -> pd.DataFrame:
    """Objects with all the columns of `schemas.detection`; those that they lack get defaults: the box has the area."""
    if "area" not in objects:
        objects = objects.assign(area=objects["width"] * objects["height"], area_source="box")
    objects = _filled(objects, key=np.arange(len(objects)), area_source="annotation", crowd=False, difficult=None)
    return _filled(objects, ignored=False, category_id=None, annotation_id=None)


def _check_columns(images: pd.DataFrame, objects: pd.DataFrame) -> None:
    place = "parent" if "parent" in objects else "sample_id"
    for what, table, columns in (
        ("images", images, ["sample_id"]),
        ("objects", objects, ["category", "x", "y", "width", "height", place]),
    ):
        names = list(map(str, table))
        raise_any(
            [
                Problem(
                    "", what, name, f"only the columns {', '.join(names)}", f"a column {name!r}", _guess(name, names)
                )
                for name in columns
                if name not in table
            ]
        )


def _guess(name: str, names: Sequence[str]) -> str:
    near = nearest(name, names)
    return f"did you mean {' or '.join(near)}?" if near else "rename what the table has instead"


def _check_sides(images: pd.DataFrame, objects: pd.DataFrame) -> None:
    """Refuse boxes whose width or height is negative."""
    for side in ("width", "height"):
        negative = objects[objects[side] < 0][:MOST_PROBLEMS]
        owners = images["sample_id"].to_numpy()[negative["parent"].to_numpy(np.int64)]
        records = [f"{c} of image {shown(i)}" for c, i in zip(negative["category"], owners, strict=True)]
        found = negative[side].tolist()
        raise_any(
            [
                Problem(_file(objects), record, side, f"{value:g}", "a side of zero or more pixels")
                for record, value in zip(records, found, strict=True)
            ]
        )


def _object_named(row: int) -> str:
    return f"object {row + 1}"


def _file(table: pd.DataFrame) -> str:
    """The file that a table was read from, empty where it does not say so: then the place of the reader is named."""
    return str(table.attrs.get("file", ""))


def coco_candidates(tables: InstanceTables, split: str, classes: Sequence[str] = ()) -> Candidates:
    """One row per image of an instances file, its objects as children, with the columns of `schemas.detection`.

    Args:
        tables: what `builders.raw.coco.read_instances` read.
        split: name of the split that the images belong to.
        classes: names of categories that the file must have.

    Raises:
        InputError: the file has no category of such a name.
    """
    names = tables.categories.set_index("id")["name"]
    lacking = [name for name in classes if name not in set(names)]
    if lacking:
        found = _listing([*near_classes(names, lacking), *names])
        raise InputError(
            [Problem(tables.file, "", "categories", found, f"one named {shown(name)}") for name in lacking]
        )
    images = tables.images.assign(sample_id=tables.images["image_id"].astype(str), file=tables.file)
    objects = tables.objects.assign(
        category=names.reindex(tables.objects["category_id"]).to_numpy(),
        annotation_id=tables.objects["key"],
        segmentation=np.fromiter(tables.segmentations, object, len(tables.segmentations)),
    )
    box = object_names(images, objects, "sample_id")
    near = Counted.where(objects["category"].isin(near_classes(names, classes)), box)
    return box_candidates(images, objects, split, tables.findings | ({CASE_MISMATCH: near} if near else {}))


def near_classes(names: Iterable[str], classes: Sequence[str]) -> list[str]:
    """The names that are one of `classes` but for upper and lower case and blanks around."""
    folded = {name.casefold() for name in classes}
    return [name for name in names if name not in classes and name.strip().casefold() in folded]


def _filled(table: pd.DataFrame, **defaults: Any) -> pd.DataFrame:
    return table.assign(**{name: value for name, value in defaults.items() if name not in table})


def _listing(names: Iterable[str]) -> str:
    """The first names, each once."""
    each = list(dict.fromkeys(names))
    more = f" and {len(each) - _MOST_NAMES:,} more" if len(each) > _MOST_NAMES else ""
    return (", ".join(map(shown, each[:_MOST_NAMES])) or "none") + more
