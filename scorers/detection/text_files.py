"""Detections in folders of text files: YOLO's, one per image, and VOC's, one per class."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from schemas.errors import InputError, Problem, shown
from schemas.input.problems import raise_any
from scorers.detection.class_lists import CLASS_NAMES, lines_of, names_beside
from scorers.detection.images import ImageSet

COMP4 = re.compile(r"(?P<competition>comp\d)_det_(?P<rest>[^_]+_.+)\.txt")
_YOLO_LINE = "class x_center y_center width height confidence"
_VOC_LINE = "image score xmin ymin xmax ymax"
_FARTHEST = 2

Row = tuple[str, str, list[float], float]
"""Image by sample id, class, box in pixels, score."""


def yolo_folder(path: Path, split: str) -> Path | None:
    """The folder of the text files: itself, or `labels/<split>` below it as training frameworks write them."""
    for folder in (path, path / "labels" / split, path / "labels", path / split):
        if folder.is_dir() and text_files(folder):
            return folder
    return None


def read_yolo(path: Path, images: ImageSet) -> list[Row]:
    """Boxes relative to the image's size become pixels; files are named by sample id, or by the image file's stem.

    Classes are those that somebody named, or of a `data.yaml` or `classes.txt` beside or above the files.
    """
    folder = yolo_folder(path, images.split) if path.is_dir() else None
    if folder is None:
        expected = f"a folder with a .txt file per image, or with such a folder labels/{images.split}"
        raise InputError(Problem(str(path), "", "", "no .txt files" if path.is_dir() else "a file", expected))
    listed = [] if images.named else names_beside(path, folder)
    names = dict(enumerate(listed or images.classes))
    sizes = _sizes(images)
    found: list[Row] = []
    problems: list[Problem] = []
    for file in text_files(folder):
        name, columns, rows = sizes.get(file.stem) or _size_of_similar(file.stem, images, sizes)
        if not name or not columns or not rows:
            what = "an image of known width and height" if name else "an image of the manifest"
            problems.append(Problem(str(file), "", "file name", shown(file.stem), what))
            continue
        for place, _, values in _rows_of(file, _YOLO_LINE, problems):
            number, x, y, width, height, score = values
            if not number.is_integer() or number < 0 or max(map(abs, values[1:5])) > _FARTHEST:
                expected = "a whole class number from 0, and a box relative to the image"
                problems.append(Problem(str(file), place, "", shown(values), expected))
            elif min(width, height) < 0:
                problems.append(_negative(file, place, width, height))
            else:
                box = [(x - width / 2) * columns, (y - height / 2) * rows, width * columns, height * rows]
                found.append((name, names.get(int(number), f"class {int(number)}"), box, score))
    raise_any(problems)
    return found


def read_voc(path: Path, images: ImageSet) -> list[Row]:
    """Pixels counted from 1, both ends of the box included."""
    found: list[Row] = []
    problems: list[Problem] = []
    for file, category in _voc_files(path, images):
        for place, image, (score, xmin, ymin, xmax, ymax) in _rows_of(file, _VOC_LINE, problems):
            box = [xmin - 1, ymin - 1, xmax - xmin + 1, ymax - ymin + 1]
            if min(box[2:]) < 0:
                problems.append(_negative(file, place, box[2], box[3], "lines end in corners, xmin ymin xmax ymax"))
            else:
                found.append((image, category, box, score))
    raise_any(problems)
    return found


def _voc_files(path: Path, images: ImageSet) -> list[tuple[Path, str]]:
    """The files of one split and competition, with the class of each."""
    files = [path] if path.is_file() else sorted(path.glob("comp*_det_*.txt"))
    parts = {file: COMP4.fullmatch(file.name) for file in files}
    named = {
        file: (match["competition"], *_split_and_class(match["rest"], images.labels))
        for file, match in parts.items()
        if match is not None
    }
    if len(named) < len(files) or not files:
        wrong = next((file for file in files if file not in named), path)
        found = shown(wrong.name) if files else "no such file"
        raise InputError(Problem(str(wrong), "", "file name", found, "comp4_det_<split>_<class>.txt"))
    ours = {file: parts for file, parts in named.items() if parts[1] == images.split} or named
    kinds = sorted({f"{competition}_det_{split}" for competition, split, _ in ours.values()})
    if len(kinds) > 1:
        expected = "files of one split and competition"
        raise InputError(Problem(str(path), "", "", f"those of {', '.join(kinds)}", expected, "give a folder of each"))
    return [(file, category) for file, (_, _, category) in ours.items()]


def _split_and_class(rest: str, labels: Sequence[str]) -> tuple[str, str]:
    """The parts of `<split>_<class>`: both may have underscores, so the longest known class, else all behind one."""
    known = [label for label in labels if rest.endswith(f"_{label}")]
    category = max(known, key=len, default=rest.partition("_")[2])
    return rest.removesuffix(f"_{category}"), category


def text_files(folder: Path) -> list[Path]:
    """Files that hold detections: not those that macOS leaves beside, and no list of classes."""
    return sorted(f for f in folder.glob("*.txt") if not f.name.startswith("._") and f.name != CLASS_NAMES)


def _sizes(images: ImageSet) -> dict[str, tuple[str, int, int]]:
    """Sample id, width and height of each image by its id and by the stem of its file; 0 for an unknown size."""
    columns = images.images.select(["sample_id", "file_name", "width", "height"]).to_pydict().values()
    rows = [(name, file, width or 0, height or 0) for name, file, width, height in zip(*columns, strict=True)]
    by_file = {Path(file).stem: (name, width, height) for name, file, width, height in rows if file}
    return by_file | {name: (name, width, height) for name, _, width, height in rows}


def _size_of_similar(stem: str, images: ImageSet, sizes: Mapping[str, tuple[str, int, int]]) -> tuple[str, int, int]:
    """The stem itself, told as not exact, with the size of the image that its folded name means; no name for none."""
    place = images.similar_place(stem)
    if place >= len(images.images):
        return stem, 1, 1  # nobody looks at boxes on dropped images
    return (stem, *sizes[images.samples[place]][1:]) if place >= 0 else ("", 1, 1)


def yolo_rows(file: Path, layout: str, problems: list[Problem]) -> Iterator[tuple[str, list[float]]]:
    """Place and numbers of each line of the layout that is not blank; others are problems."""
    return ((place, values) for place, _, values in _rows_of(file, layout, problems))


def _rows_of(file: Path, layout: str, problems: list[Problem]) -> Iterator[tuple[str, str, list[float]]]:
    """Place, image if the layout begins with one, and numbers of each line that is not blank; others are problems."""
    named = layout.startswith("image ")
    for number, line in enumerate(lines_of(file), 1):
        if not line.strip():
            continue
        image, *rest = line.split(maxsplit=1) if named else ("", line)
        try:
            values = [float(part) for part in "".join(rest).split()]
        except ValueError:
            values = []
        if len(values) == len(layout.split()) - named and all(map(math.isfinite, values)):
            yield f"line {number}", image, values
        else:
            without = layout == _YOLO_LINE and len(values) == len(layout.split()) - 1
            advice = "without confidences there is no score: write them, in ultralytics with save_conf=True"
            expected = f"{layout}, finite numbers"
            problems.append(Problem(str(file), f"line {number}", "", shown(line), expected, advice * without))


def _negative(file: Path, place: str, width: float, height: float, advice: str = "") -> Problem:
    return Problem(str(file), place, "", f"a box of {width:g} by {height:g}", "width and height of 0 or more", advice)
