"""Detections in folders of text files: YOLO's, one an image, and VOC's, one a class."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from schemas.arrays import texts_of
from schemas.errors import InputError, Problem, shown
from scorers.predictions.flat import UNKNOWN, flat_table

COMP4 = re.compile(r"comp\d_det_(?P<name>[^_]+_.+)\.txt")
_NUMBER_AT_END = re.compile(r"[0-9]+$")

# Image, position of the category, box, score.
_Row = tuple[str, int, list[float], float]


def read_yolo(folder: Path, images: pa.Table, labels: Sequence[str], dropped: Container[str]) -> pa.Table:
    """Boxes relative to the image's size become pixels; files are named by sample id, or by the image file's stem."""
    if not folder.is_dir():
        raise InputError(Problem(str(folder), "", "", "a file", "a folder with a .txt file an image"))
    rows = images.select(["sample_id", "file_name", "width", "height"]).to_pylist()
    by_name = {Path(row["file_name"]).stem: row for row in rows if row["file_name"]} | {r["sample_id"]: r for r in rows}
    found: list[_Row] = []
    problems = []
    for path in sorted(folder.glob("*.txt")):
        row = by_name.get(path.stem) or _dropped_image(path.stem, dropped)
        if row is None or not row["width"] or not row["height"]:
            what = "an image of the manifest" if row is None else "an image of known width and height"
            problems.append(Problem(str(path), "", "file name", shown(path.stem), what))
            continue
        for line_number, line in enumerate(_lines(path), 1):
            if not line.strip():
                continue
            place, layout = f"line {line_number}", "class x_center y_center width height confidence"
            values, problem = _numbers(str(path), place, line, 6, layout)
            if problem is not None:
                problems.append(problem)
                continue
            number, x, y, width, height, score = values
            if not number.is_integer() or max(abs(side) for side in values[1:5]) > 2:
                expected = "a whole class number, and a box relative to the image"
                problems.append(Problem(str(path), place, "", shown(values), expected))
                continue
            category = int(number) if 0 <= number < len(labels) else UNKNOWN
            box = [(x - width / 2) * row["width"], (y - height / 2) * row["height"]]
            found.append((row["sample_id"], category, [*box, width * row["width"], height * row["height"]], score))
    if problems:
        raise InputError(problems)
    return _from_rows(found, labels)


def _dropped_image(stem: str, dropped: Container[str]) -> dict[str, Any] | None:
    """An image that the build dropped, by its sample id or, as COCO's files are named, by the number at the end."""
    number = _NUMBER_AT_END.search(stem)
    names = (stem, number[0].lstrip("0") or "0") if number else (stem,)
    return next(({"sample_id": name, "width": 1, "height": 1} for name in names if name in dropped), None)


def read_voc(path: Path, labels: Sequence[str]) -> pa.Table:
    """Pixels counted from 1, both ends of the box included."""
    places = {label: place for place, label in enumerate(labels)}
    files = [path] if path.is_file() else sorted(path.glob("comp*_det_*.txt"))
    if not files:
        raise InputError(Problem(str(path), "", "", "no such file", "comp4_det_<split>_<class>.txt"))
    found: list[_Row] = []
    problems = []
    for file in files:
        match = COMP4.fullmatch(file.name)
        if match is None:
            problems.append(Problem(str(file), "", "file name", shown(file.name), "comp4_det_<split>_<class>.txt"))
            continue
        name = _category_of(match["name"], labels)
        category = places.setdefault(name, len(places))
        for number, line in enumerate(_lines(file), 1):
            if not line.strip():
                continue
            image, *rest = line.split(maxsplit=1)
            values, problem = _numbers(str(file), f"line {number}", "".join(rest), 5, "image score xmin ymin xmax ymax")
            if problem is not None:
                problems.append(problem)
                continue
            score, xmin, ymin, xmax, ymax = values
            found.append((image, category, [xmin - 1, ymin - 1, xmax - xmin + 1, ymax - ymin + 1], score))
    if problems:
        raise InputError(problems)
    return _from_rows(found, list(places))


def _category_of(name: str, labels: Sequence[str]) -> str:
    """The class in `<split>_<class>`: both may have underscores, so the longest known class, else all behind one."""
    known = [label for label in labels if name.endswith(f"_{label}")]
    return max(known, key=len, default=name.partition("_")[2])


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as failure:
        raise InputError(Problem(str(path), "", "", str(failure), "a text file")) from None


def _numbers(file: str, place: str, text: str, count: int, layout: str) -> tuple[list[float], Problem | None]:
    try:
        values = [float(part) for part in text.split()]
    except ValueError:
        values = []
    if len(values) != count:
        return [], Problem(file, place, "", shown(text), layout)
    return values, None


def _from_rows(found: list[_Row], labels: Sequence[str]) -> pa.Table:
    names, categories, boxes, scores = zip(*found, strict=True) if found else ((), (), (), ())
    sides = np.array(boxes, np.float64).reshape(-1, 4)
    codes = np.array(categories, np.int64)
    return flat_table("sample_id", texts_of(names), codes, labels, sides, np.array(scores, np.float64))
