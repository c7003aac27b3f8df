"""Boxes as a PASCAL VOC data set: an XML file per image in `Annotations`, a list of images per split.

Format: VOCdevkit/devkit_doc. Pixels are counted from 1, and a box includes both its ends.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

import pyarrow as pa

from benchwright.exporters.stems import image_stems
from schemas.errors import InputError, Problem, shown
from schemas.exchange import new_folder
from schemas.manifest import Manifest
from scorers.detection.images import object_rows

# In a list of images, what readers take for a flag behind the name: such a name gets a flag, the one of all images.
_LIKE_A_FLAG = re.compile(r"\s(-1|0|1)$")
_FLAGS = ("truncated", "difficult", "occluded")
_HARD, _THIN = "crowds and ignored boxes written as difficult", "boxes narrower than a pixel left out"
_DECIMAL = "boxes with decimals, which some readers round"


def write_voc(manifest: Manifest, out: Path, split: str | None = None) -> dict[str, int]:
    """Write a detection manifest; see `write_devkit`.

    Raises:
        UsageError: not a detection manifest.
        InputError: as `write_devkit`.
    """
    return write_devkit(object_rows(manifest, split), out, str(manifest.path))


def write_devkit(table: pa.Table, out: Path, file: str) -> dict[str, int]:
    """Write `Annotations/<image>.xml` and `ImageSets/Main/<split>.txt`.

    Crowds and ignored boxes are written as difficult, which evaluation leaves out as it does them. A box narrower
    than a pixel is left out: its end would be before its beginning. Images have three channels, of which rows say
    nothing.

    Args:
        table: rows of `schemas.detection`; objects may have `truncated` and `occluded`, too.
        out: the folder.
        file: what errors call the rows.

    Returns:
        How many images and objects there are, and what became of others.

    Raises:
        InputError: images whose names cannot be names of files, or are those of others; classes that XML cannot name.
    """
    stems = image_stems(table, file, sized=False, by_split=False)
    rows = table.to_pylist()
    _refuse_names(rows, stems, file)
    counts = Counter({"images": len(rows), "objects": 0})
    lists: dict[str, list[str]] = {}
    with new_folder(out) as draft:
        (draft / "Annotations").mkdir()
        (draft / "ImageSets" / "Main").mkdir(parents=True)
        for row, stem in zip(rows, stems, strict=True):
            flag = " 1" if _LIKE_A_FLAG.search(stem) else ""
            lists.setdefault(row["split"], []).append(f"{stem}{flag}\n")
            tree = ElementTree(_annotation(row, stem, counts))
            indent(tree)
            tree.write(draft / "Annotations" / f"{stem}.xml", encoding="utf-8")
        for name, lines in lists.items():
            (draft / "ImageSets" / "Main" / f"{name}.txt").write_text("".join(lines), encoding="utf-8")
    return {what: counts[what] for what in ("images", "objects", _HARD, _THIN, _DECIMAL)}


def _refuse_names(rows: list[dict[str, Any]], stems: list[str], file: str) -> None:
    problems = [
        Problem(file, repr(row["sample_id"]), "file_name", shown(stem), "a name without blanks around it")
        for row, stem in zip(rows, stems, strict=True)
        if stem != stem.strip()
    ]
    names = dict.fromkeys(item["category"] for row in rows for item in row["objects"])
    problems += [
        Problem(file, "", "category", shown(name), "a name that XML can hold, on one line")
        for name in names
        if not name.isprintable() or not name.strip()
    ]
    if problems:
        raise InputError(problems)


def _annotation(row: dict[str, Any], stem: str, counts: Counter[str]) -> Element:
    root = Element("annotation")
    _add(root, "folder", "JPEGImages")
    _add(root, "filename", PurePosixPath(row["file_name"]).name if row["file_name"] else f"{stem}.jpg")
    size = SubElement(root, "size")
    for side in ("width", "height"):
        _add(size, side, row[side] or 0)
    _add(size, "depth", 3)
    _add(root, "segmented", 0)
    for item in row["objects"]:
        corners = _corners(item)
        if corners["xmax"] < corners["xmin"] or corners["ymax"] < corners["ymin"]:
            counts[_THIN] += 1
        else:
            _add_object(root, item, corners, counts)
    return root


def _corners(item: dict[str, Any]) -> dict[str, float]:
    """To a millionth of a pixel, so that a side of one pixel stays one however it was computed."""
    x, y, width, height = (item[side] for side in ("x", "y", "width", "height"))
    corners = {"xmin": x + 1, "ymin": y + 1, "xmax": x + width, "ymax": y + height}
    return {name: round(value, 6) + 0.0 for name, value in corners.items()}  # + 0.0: no -0


def _add_object(root: Element, item: dict[str, Any], corners: dict[str, float], counts: Counter[str]) -> None:
    ignored = item["crowd"] or item["ignored"]
    element = SubElement(root, "object")
    _add(element, "name", item["category"])
    for flag in _FLAGS:
        value = item.get(flag)
        # Of what is not known nothing is said, except where readers break off without it.
        if value is not None or flag == "difficult":
            _add(element, flag, int(bool(value or (flag == "difficult" and ignored))))
    box = SubElement(element, "bndbox")
    for name, value in corners.items():
        _add(box, name, f"{value:.10g}")
    counts["objects"] += 1
    counts[_HARD] += bool(ignored)
    counts[_DECIMAL] += any(value % 1 for value in corners.values())


def _add(parent: Element, name: str, value: object) -> None:
    SubElement(parent, name).text = str(value)
