"""PASCAL VOC (Everingham et al., IJCV 2010): one XML file per image, and lists of images per split.

Format from the development kit's documentation (`VOCdevkit/devkit_doc`). Pixels are counted from 1, and a box includes
both its ends. Irregularities of published and third-party files: coordinates with decimals, children in any order,
flags that are missing, body parts (`part`) with a name and box of their own inside an object, sizes of 0, wrong file
names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

import numpy as np
import pandas as pd

from builders.raw.boxes import box_anomalies, image_names, object_names
from builders.raw.voc_folders import ALL, annotated_files, annotations_at, listed_files, own_list
from schemas.errors import InputError, Problem, shown
from schemas.input.files import path_text
from schemas.input.problems import FARTHEST, gather
from schemas.input.xml import read_root, required_child
from schemas.notices import Counted

_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?\s*")
_SIDES = ("xmin", "ymin", "xmax", "ymax")
_FLAGS = ("difficult", "truncated", "occluded")
_OBJECT_TYPES = {
    "key": "int64",
    "category": "string",
    "has_parts": "bool",
    **dict.fromkeys(_SIDES, "float64"),
    **dict.fromkeys(_FLAGS, "boolean"),
}
_IMAGE_TYPES = {"file_name": "string", "width": "Int64", "height": "Int64"}
_FLAG_VALUES = {"1": True, "0": False, "1.0": True, "0.0": False, None: None, "": None, "unspecified": None}
_FOLDER_OR_EXTENSION = r"^.*[\\/]|\.[^.\\/]*$"


@dataclass(frozen=True)
class DevkitTables:
    """What a split of a VOC data set says.

    Attributes:
        images: in the order of the list: `image_id` (int64, from 1), `name` (stem of the XML file), `file` (its path,
            for errors), `file_name` (as written, never opened; null where missing), `width`, `height` (Int64 pixels,
            null where missing or 0).
        objects: in file order: `parent` (int64, row of its image in `images`), `key` (int64, position in its file, from
            1), `category`; `x`, `y`, `width`, `height` (float64 pixels from the top left corner: `x` = xmin - 1,
            `width` = xmax - xmin + 1); `difficult`, `truncated`, `occluded` (boolean, null where not said).
        findings: data anomalies that are not errors, with their counts.
    """

    images: pd.DataFrame
    objects: pd.DataFrame
    findings: dict[str, int]


class _Object(NamedTuple):
    key: int
    category: str
    xmin: float
    ymin: float
    xmax: float
    ymax: float
    difficult: bool | None
    truncated: bool | None
    occluded: bool | None
    has_parts: bool


class _Image(NamedTuple):
    name: str
    file: str
    file_name: str | None
    width: int | None
    height: int | None
    objects: list[_Object]


def read_devkit(place: Path, split: str, listed: Path | None = None) -> DevkitTables:
    """The images of a split and their objects. Parts (head, hand, foot) and actions inside objects are not read.

    Args:
        place: where the XML files are, as `annotations_at` has it.
        split: name of a list in `ImageSets/Main`, with or without flags behind the image names: `trainval`,
            `person_val`; all its images count, whatever their flag. `all`: every XML file.
        listed: the list, where it is not that of the data set itself.

    Raises:
        InputError: with the problems of all files: no folder or list of that name, or several; a listed image twice or
            without XML file; a file name that is not UTF-8; unsafe or malformed XML; an object without name or box, a
            coordinate that is not a number or farther than `FARTHEST`, a box that ends before it begins, a flag that is
            neither 0 nor 1.
    """
    annotations = annotations_at(place)
    paths = annotated_files(annotations)
    if split != ALL:
        path = listed or own_list(annotations, split)
        if path is None:
            found, expected = "no lists of images", f"ImageSets/Main/{split}.txt beside the folder `Annotations`"
            raise InputError(Problem(path_text(annotations), "", "", found, expected))
        paths = listed_files(path, annotations, paths)
    return _tables(gather(_read_image, paths))


def _read_image(path: Path) -> _Image:
    root, file = read_root(path, "annotation"), path_text(path)
    readings: tuple[Callable[[Element, str], Any], ...] = (_size, _objects)
    (width, height), objects = gather(lambda read: read(root, file), readings)
    return _Image(path.stem, file, (root.findtext("filename") or "").strip() or None, width, height, objects)


def _size(root: Element, file: str) -> list[int | None]:
    """Width and height, None where missing or 0."""
    element = root.find("size")
    sides: list[int | None] = []
    for side in ("width", "height"):
        text = element.findtext(side, "").strip() if element is not None else ""
        pixels = _number(text or "0", side, file, "")
        if pixels < 0 or pixels % 1:
            raise InputError(Problem(file, "", side, f"{pixels:g}", "a whole number of pixels"))
        sides.append(int(pixels) or None)
    return sides


def _objects(root: Element, file: str) -> list[_Object]:
    return gather(lambda numbered: _read_object(*numbered, file), enumerate(root.findall("object"), 1))


def _read_object(place: int, element: Element, file: str) -> _Object:
    """Everything is looked up by name, as the order varies, and among direct children: parts repeat the same names."""
    record = f"object {place}"
    category = (element.findtext("name") or "").strip()
    if not category:
        raise InputError(Problem(file, record, "name", "nothing", "text"))
    box = required_child(element, "bndbox", file, record)
    xmin, ymin, xmax, ymax = [_number(box.findtext(side), side, file, record) for side in _SIDES]
    if xmax < xmin or ymax < ymin:
        found = f"x from {xmin:g} to {xmax:g}, y from {ymin:g} to {ymax:g}"
        raise InputError(Problem(file, record, "bndbox", found, "an end that is not before the beginning"))
    flags = [_flag(element.findtext(name), name, file, record) for name in _FLAGS]
    return _Object._make([place, category, xmin, ymin, xmax, ymax, *flags, element.find("part") is not None])


def _number(text: str | None, tag: str, file: str, record: str) -> float:
    if not text or not _NUMBER.fullmatch(text):
        found = shown(text.strip()) if text and text.strip() else "nothing"
        raise InputError(Problem(file, record, tag, found, "a number of pixels"))
    pixels = float(text)
    if abs(pixels) > FARTHEST:
        raise InputError(Problem(file, record, tag, shown(text.strip()), f"from -{FARTHEST:,} to {FARTHEST:,}"))
    return pixels


def _flag(text: str | None, name: str, file: str, record: str) -> bool | None:
    if text in _FLAG_VALUES:
        return _FLAG_VALUES[text]
    word = (text or "").strip().lower()
    if word not in _FLAG_VALUES:
        raise InputError(Problem(file, record, name, shown(word), "0 or 1"))
    return _FLAG_VALUES[word]


def _tables(images: Sequence[_Image]) -> DevkitTables:
    rows = [row for image in images for row in image.objects]
    found = pd.DataFrame(rows, columns=list(_Object._fields)).astype(_OBJECT_TYPES)
    files = pd.DataFrame([image[:-1] for image in images], columns=list(_Image._fields[:-1])).astype(_IMAGE_TYPES)
    files.insert(0, "image_id", np.arange(1, len(images) + 1))
    columns = {
        "parent": np.repeat(np.arange(len(images)), [len(image.objects) for image in images]),
        "key": found["key"],
        "category": found["category"],
        "x": found["xmin"] - 1,
        "y": found["ymin"] - 1,
        "width": found["xmax"] - found["xmin"] + 1,
        "height": found["ymax"] - found["ymin"] + 1,
    }
    objects = pd.DataFrame(columns).join(found[list(_FLAGS)])
    counts = _anomalies(files, objects) | {
        "objects with body parts (not read)": Counted.where(found["has_parts"], object_names(files, objects, "name"))
    }
    return DevkitTables(files, objects, {text: count for text, count in counts.items() if count})


def _anomalies(images: pd.DataFrame, objects: pd.DataFrame) -> dict[str, int]:
    boxes = objects[["x", "y", "width", "height"]].to_numpy()
    image, box = image_names(images, "name"), object_names(images, objects, "name")
    stems = images["file_name"].str.replace(_FOLDER_OR_EXTENSION, "", regex=True)
    misnamed = (stems != images["name"]) & (images["file_name"] != images["name"])
    return {
        **box_anomalies(images, objects, "name", least=-1, tolerance=0),
        "images whose <filename> names another file": Counted.where(misnamed.fillna(False), image),
        "boxes that begin at pixel 0 (the format counts from 1, so x or y is -1)": Counted.where(
            boxes[:, :2].min(axis=1) == -1, box
        ),
        "boxes with decimals": Counted.where((boxes % 1 != 0).any(axis=1), box),
    }
