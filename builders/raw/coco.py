"""COCO instances (cocodataset.org, "Data format"): one JSON file of images, categories and annotated objects.

Irregularities from the published files and from threads about them: annotation ids of crowds need 64 bits; the
third-party minival splits repeat ids and write one as a float (`rbgirshick/py-faster-rcnn` issue 522); two boxes of
train2017 have no height (`cocodataset/cocoapi` issue 355); many images have no annotation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt
import pandas as pd

from builders.raw.boxes import box_anomalies, object_names
from schemas.errors import Problem, shown
from schemas.input.files import path_text
from schemas.input.json import read_lists
from schemas.input.problems import FARTHEST, Place, problems_where, raise_any, repeats
from schemas.notices import Counted

# Above 2**53 a float no longer stands for one whole number.
_EXACT = 2.0**53
# In place of an id that is not a whole number; the file is refused anyway.
_NO_ID = -(2**63)
# Published coordinates are rounded to hundredths, so a box may pass the edge of its image by the sum of two roundings.
_EDGE_TOLERANCE = 0.015

_Id = Annotated[int, msgspec.Meta(gt=_NO_ID, le=2**63 - 1)] | float
_Flag = Annotated[int, msgspec.Meta(ge=0, le=1)] | bool
_Area = Annotated[float, msgspec.Meta(ge=0)]
_Place = Annotated[float, msgspec.Meta(ge=-FARTHEST, le=FARTHEST)]
_Extent = Annotated[float, msgspec.Meta(ge=0, le=FARTHEST)]
_Pixels = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]


class _Image(msgspec.Struct, gc=False):
    id: _Id
    file_name: str
    width: _Pixels | None = None
    height: _Pixels | None = None


class _Category(msgspec.Struct, gc=False):
    id: _Id
    name: str


class Annotation(msgspec.Struct, gc=False):
    """One annotated object as the file has it; formats that extend COCO's add fields."""

    id: _Id
    image_id: _Id
    category_id: _Id
    bbox: tuple[_Place, _Place, _Extent, _Extent]
    area: _Area | None = None
    iscrowd: _Flag = 0
    ignore: _Flag = 0
    bbox_mode: Any = None
    # Undecoded: as Python numbers, the polygons of a 450 MB file take gigabytes.
    segmentation: msgspec.Raw = msgspec.Raw(b"null")


Kind = TypeVar("Kind", bound=Annotation)


@dataclass(frozen=True)
class InstanceTables:
    """What an instances file says.

    Attributes:
        file: its path, for errors.
        images: in file order: `image_id` (int64), `file_name` (as written, never opened), `width`, `height` (Int64
            pixels, null where absent or 0).
        objects: in file order: `parent` (int64, row of its image in `images`), `key` (int64, annotation id),
            `category_id` (int64); `x`, `y`, `width`, `height` (float64 pixels, from the top left corner of the image);
            `area` (float64 square pixels as the file says, NaN where it says nothing); `crowd` (bool); `bbox_mode` as
            written, if any object has one.
        categories: in file order: `id` (int64), `name`.
        segmentations: of each object, undecoded JSON; `segmentations.mask_areas` measures and checks them.
        findings: data anomalies that are not errors, with their counts.
    """

    file: str
    images: pd.DataFrame
    objects: pd.DataFrame
    categories: pd.DataFrame
    segmentations: list[msgspec.Raw]
    findings: dict[str, int]


class Parsed(NamedTuple, Generic[Kind]):
    """Tables, with what they were made from: the records, parallel to `tables.objects`, and all problems found."""

    tables: InstanceTables
    annotations: list[Kind]
    problems: list[Problem]


def read_instances(path: Path) -> InstanceTables:
    """The images, objects and categories of an instances file.

    Annotations of images that the file does not list are left out and counted. Repeated annotation ids, boxes without
    area, boxes beyond their image, ids written as floats, and `ignore` flags (which COCO's own evaluation disregards)
    are counted.

    Raises:
        InputError: with all problems of the file: not JSON (names the byte; NaN and Infinity are not JSON), a missing
            list, record that does not fit, id that is not a whole number, negative size, or box beyond `FARTHEST`; no
            images; a repeated image or category id; an unknown category; no annotation that belongs to a listed image.
    """
    parsed = parse(path, Annotation)
    raise_any(parsed.problems)
    return parsed.tables


def parse(path: Path, kind: type[Kind]) -> Parsed[Kind]:
    """As `read_instances` for annotations with the fields of `kind`; problems of records are returned, not raised.

    Raises:
        InputError: the file cannot be opened, is not JSON, or lacks a list.
    """
    kinds: dict[str, tuple[str, type[Any]]] = {
        "images": ("image", _Image),
        "annotations": ("annotation", kind),
        "categories": ("category", _Category),
    }
    lists, problems = read_lists(path, kinds)
    file, annotations = str(path), lists["annotations"]
    image = _ids(file, "image", "id", lists["images"])
    category = _ids(file, "category", "id", lists["categories"])
    key, owner, class_ = (_ids(file, "annotation", name, annotations) for name in ("id", "image_id", "category_id"))
    columns = (image, category, key, owner, class_)
    problems += [problem for column in columns for problem in column.problems]
    problems += repeats(file, "images[{}]".format, "id", image.found)
    problems += repeats(file, "categories[{}]".format, "id", category.found)
    unknown, label = ~np.isin(class_.values, [*category.values, _NO_ID]), label_by_id("annotation", annotations)
    problems += problems_where(unknown, file, label, "category_id", class_.found, "an id of the list `categories`")
    parent = pd.Index(image.values).drop_duplicates().get_indexer(pd.Index(owner.values)).astype(np.int64)
    listed = np.flatnonzero(parent >= 0)
    if not problems and not image.found:
        problems.append(Problem(file, "", "images", "an empty list", "at least one image"))
    elif not problems and annotations and not len(listed):
        advice = "no annotation belongs to any of them; perhaps they are of another set"
        found, expected = shown(owner.found[0]), "an image of the list `images`"
        problems.append(Problem(file, label(0), "image_id", found, expected, advice))

    images = _images(lists["images"], image.values)
    categories = pd.DataFrame({"id": category.values, "name": [each.name for each in lists["categories"]]})
    names = {"parent": parent, "key": key.values, "category_id": class_.values}
    modes = [annotation.bbox_mode for annotation in annotations]
    given = {"bbox_mode": pd.Series(modes, dtype=object)} if any(mode is not None for mode in modes) else {}
    unlisted = Counted.where(parent < 0, lambda row: f"{key.found[row]} of {owner.found[row]}")
    objects = pd.DataFrame(names | _measures(annotations) | given).iloc[listed].reset_index(drop=True)
    annotations = [annotations[place] for place in listed.tolist()]
    ignored = np.fromiter(map(attrgetter("ignore"), annotations), np.bool_, len(annotations)) & ~objects["crowd"]
    box = object_names(images, objects, "image_id")
    counts = {
        "annotations of images that are not listed (left out)": unlisted,
        "ids written as floats": sum(column.n_floats for column in columns),
        "annotations marked `ignore` (a flag that COCO's evaluation disregards)": Counted.where(ignored, box),
        **box_anomalies(images, objects, "image_id", least=-_EDGE_TOLERANCE, tolerance=_EDGE_TOLERANCE),
        "annotation ids given more than once": Counted.where(objects["key"].duplicated(), box),
        "boxes without area": Counted.where(objects[["width", "height"]].min(axis=1) == 0, box),
        "category names given to more than one id": Counted.where(
            categories["name"].duplicated(), lambda row: str(categories["name"].iloc[row])
        ),
    }
    findings = {text: count for text, count in counts.items() if count}
    segmentations = list(map(attrgetter("segmentation"), annotations))
    tables = InstanceTables(path_text(path), images, objects, categories, segmentations, findings)
    return Parsed(tables, annotations, problems)


def label_by_id(kind: str, records: Sequence[Any]) -> Place:
    """How errors name the record at a place."""
    return lambda place: f"{kind} {records[place].id}"


class _Ids(NamedTuple):
    found: list[int | float]
    values: npt.NDArray[np.int64]
    n_floats: int
    problems: list[Problem]


def _ids(file: str, kind: str, field: str, records: Sequence[Any]) -> _Ids:
    """A column of ids; a float is accepted where it stands for one whole number."""
    found: list[int | float] = list(map(attrgetter(field), records))
    values, n_floats = np.array(found), 0
    if values.dtype != np.int64:
        values = np.array([_whole(value) for value in found], np.int64)
        n_floats = sum(isinstance(value, float) for value in found)
    problems = problems_where(values == _NO_ID, file, label_by_id(kind, records), field, found, "a whole number")
    return _Ids(found, values, n_floats - len(problems), problems)


def _whole(value: int | float) -> int:
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _EXACT else _NO_ID
    return value


def _images(records: Sequence[_Image], ids: npt.NDArray[np.int64]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "image_id": ids,
            "file_name": [image.file_name for image in records],
            "width": pd.array([image.width or None for image in records], pd.Int64Dtype()),
            "height": pd.array([image.height or None for image in records], pd.Int64Dtype()),
        }
    )


def _measures(annotations: Sequence[Annotation]) -> dict[str, npt.NDArray[Any]]:
    n = len(annotations)
    corners = np.fromiter(chain.from_iterable(map(attrgetter("bbox"), annotations)), np.float64, 4 * n).reshape(n, 4)
    return {
        **dict(zip(("x", "y", "width", "height"), corners.T, strict=True)),
        "area": np.array(list(map(attrgetter("area"), annotations)), np.float64),
        "crowd": np.fromiter(map(attrgetter("iscrowd"), annotations), np.bool_, n),
    }
