"""YOLO's annotations (ultralytics): a text file per image, lines of `class x_center y_center width height`, relative.

Where files are: `labels/<split>` and `images/<split>`, `<split>/labels` and `<split>/images`, `labels` and `images`, or
all in one folder. The paths in a `data.yaml` are not followed: they may lead anywhere, and often do not lead home.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from schemas.cards import SPLIT_NAME
from schemas.errors import InputError, Problem, UsageError, shown
from schemas.input.problems import raise_any
from schemas.notices import Counted
from scorers.detection.class_lists import class_names, names_beside
from scorers.detection.text_files import text_files, yolo_rows

_IMAGES = {".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff", ".gif"}
_LINE = "class x_center y_center width height"
_FARTHEST = 2
_ORIENTATION, _SIDEWAYS = 0x0112, {5, 6, 7, 8}

_Frame = dict[str, Any]


class _Labels(NamedTuple):
    split: str
    labels: Path
    images: Path


def read_labels(
    path: Path, split: str | None, default: str, images: Path | None = None
) -> tuple[pd.DataFrame, pd.DataFrame, list[str], dict[str, int]]:
    """The images, their boxes in pixels, the names of the classes, and what is odd, counted.

    An image without a file of labels has no boxes, as for ultralytics. Sizes are those of the images as they are looked
    at, turned by what EXIF says.

    Args:
        path: the folder, or the `data.yaml` in it.
        split: the one split that is read, or what the one folder of files is called; all when None.
        default: the split of a folder without splits.
        images: folder of the images, or of folders of them for each split.

    Raises:
        UsageError: Pillow is not installed, which reads the sizes.
        InputError: no labels or names; lines of another kind; labels without an image, an image that cannot be read.
    """
    folder = path if path.is_dir() else path.parent
    places = _places(folder, split, default, images)
    if not places:
        raise InputError(Problem(str(folder), "", "", "no labels", "labels/<split>/*.txt, labels/*.txt or *.txt"))
    names = class_names(path) if path.is_file() else names_beside(folder, places[0].labels)
    if not names:
        raise InputError(Problem(str(folder), "", "", "no names of classes", "data.yaml or classes.txt"))
    frames: list[_Frame] = []
    objects: list[_Frame] = []
    problems: list[Problem] = []
    counts = {"images without a file of labels (no boxes)": 0, "images that EXIF turns": 0}
    for place in places:
        _read(place, names, frames, objects, problems, counts)
    raise_any(problems)
    columns = ["sample_id", "file_name", "split", "file", "width", "height"]
    found = pd.DataFrame(frames, columns=columns)
    boxes = pd.DataFrame(objects, columns=["parent", "category", "x", "y", "width", "height"])
    boxes = boxes.astype({"parent": "int64"} | dict.fromkeys(["x", "y", "width", "height"], "float64"))
    return found, boxes, names, {text: Counted(count) for text, count in counts.items() if count}


def _places(folder: Path, split: str | None, default: str, images: Path | None) -> list[_Labels]:
    """Folders of labels with their splits and images."""
    below = folder / "labels"
    by_split = {child.name: (child, folder / "images" / child.name) for child in _folders(below) if text_files(child)}
    by_split |= {
        child.name: (child / "labels", child / "images")
        for child in _folders(folder)
        if (child / "labels").is_dir() and text_files(child / "labels")
    }
    if split is not None and by_split:
        by_split = {name: pair for name, pair in by_split.items() if name == split}
    for flat, beside in ((below, folder / "images"), (folder, folder)):
        if not by_split and flat.is_dir() and text_files(flat):
            by_split = {split or default: (flat, beside)}
    wrong = [name for name in by_split if not re.fullmatch(SPLIT_NAME, name)]
    raise_any([Problem(str(folder), "", "split", shown(n), "letters, digits and underscores") for n in wrong])

    def images_of(name: str, beside: Path) -> Path:
        if images is None:
            return beside
        return images / name if (images / name).is_dir() else images

    return [_Labels(name, labels, images_of(name, beside)) for name, (labels, beside) in sorted(by_split.items())]


def _folders(folder: Path) -> list[Path]:
    return sorted(child for child in folder.iterdir() if child.is_dir()) if folder.is_dir() else []


def _read(
    place: _Labels,
    names: Sequence[str],
    frames: list[_Frame],
    objects: list[_Frame],
    problems: list[Problem],
    counts: dict[str, int],
) -> None:
    """Add the images and boxes of one folder to what is there."""
    pictures: dict[str, Path] = {}
    for file in sorted(place.images.iterdir()) if place.images.is_dir() else []:
        if file.suffix.lower() in _IMAGES and not file.name.startswith("._"):
            if file.stem in pictures:
                other = pictures[file.stem].name
                problems.append(Problem(str(file), "", "file name", f"the same stem as {other}", "one image of a stem"))
            pictures[file.stem] = file
    files = {file.stem: file for file in text_files(place.labels)}
    expected = f"an image of this name in {place.images}, whose size is needed"
    problems += [Problem(str(files[stem]), "", "", "no image", expected) for stem in files if stem not in pictures]
    for stem, picture in pictures.items():
        try:
            (width, height), turned = _size(picture)
        except (OSError, ValueError, SyntaxError) as failure:
            problems.append(Problem(str(picture), "", "", str(failure), "an image that Pillow can open"))
            continue
        counts["images that EXIF turns"] += turned
        counts["images without a file of labels (no boxes)"] += stem not in files
        if stem in files:
            parent = len(frames)
            for line, values in yolo_rows(files[stem], _LINE, problems):
                box = _box(values, width, height)
                if box is None or not (values[0].is_integer() and 0 <= values[0] < len(names)):
                    wanted = f"a class from 0 to {len(names) - 1}, and a box relative to the image"
                    problems.append(Problem(str(files[stem]), line, "", shown(values), wanted))
                else:
                    objects.append({"parent": parent, "category": names[int(values[0])]} | box)
        size = {"width": width, "height": height}
        frames.append(
            {"sample_id": stem, "file_name": picture.name, "split": place.split, "file": str(files.get(stem, picture))}
            | size
        )


def _box(values: Sequence[float], columns: int, rows: int) -> dict[str, float] | None:
    """A box in pixels; None for one that is not relative."""
    _, x, y, width, height = values
    if max(map(abs, values[1:])) > _FARTHEST or min(width, height) < 0:
        return None
    sides = {"width": width * columns, "height": height * rows}
    return {"x": x * columns - sides["width"] / 2, "y": y * rows - sides["height"] / 2} | sides


def _size(path: Path) -> tuple[tuple[int, int], bool]:
    """Width and height of an image as it is looked at, from its header; and whether EXIF turns it."""
    try:
        from PIL import Image
    except ImportError:
        raise UsageError("sizes of images need Pillow: pip install 'benchwright[media]'") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of large images, of which only the header is read
        try:
            with Image.open(path) as image:
                width, height = image.size
                turned = image.format == "JPEG" and image.getexif().get(_ORIENTATION) in _SIDEWAYS
        except Image.DecompressionBombError as failure:
            raise ValueError(str(failure)) from None
    return ((height, width) if turned else (width, height)), turned
