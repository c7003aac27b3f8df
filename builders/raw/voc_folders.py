"""Where the files of a PASCAL VOC data set are: XML files in `Annotations`, lists of images in `ImageSets/Main`.

Layout from the development kit's documentation (`VOCdevkit/devkit_doc`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from schemas.errors import InputError, Problem, shown
from schemas.input.files import check_names, files_in, path_text, read_text
from schemas.input.problems import raise_any, repeats
from schemas.paths import real_path

# The name of the split that is not listed: every XML file there is.
ALL = "all"

_ANNOTATIONS = "Annotations"
_FLAG_BEHIND = re.compile(r"\s+(-1|0|1)$")


def annotations_at(place: Path) -> Path:
    """The folder of XML files, or the one file, that `place` means; nothing above or beside `place` is looked at.

    Args:
        place: a folder of XML files; one such file; the data set that holds `Annotations`, such as `VOC2010`; or a
            folder one or two levels above a single data set.

    Raises:
        InputError: a folder without XML files and `Annotations`, or with several data sets below it.
    """
    place = place if place.name.strip(".") else real_path(place)
    own = place / _ANNOTATIONS
    if _is_folder(own):
        return own
    if not _is_folder(place) or place.name == _ANNOTATIONS or next(place.glob("[!.]*.xml"), None):
        return place
    found = (path for depth in ("*", "*/*") for path in place.glob(f"{depth}/{_ANNOTATIONS}") if _is_folder(path))
    below = sorted(path for path in found if "__MACOSX" not in path.parts)
    if not below:
        expected = "XML files, or a folder `Annotations` in it or up to two levels below"
        raise InputError(Problem(path_text(place), "", "", "no folder `Annotations`", expected))
    if len(below) > 1:
        names = ", ".join(str(path.parent.relative_to(place)) for path in below)
        advice = "give the folder of that one"
        raise InputError(Problem(path_text(place), "", "", f"several data sets: {names}", "one", advice))
    return below[0]


def annotated_files(annotations: Path) -> list[Path]:
    """The XML files of a place that `annotations_at` found, by name.

    Raises:
        InputError: as `files_in`.
    """
    if not annotations.is_file():
        return files_in(annotations, ".xml")
    check_names([annotations])
    return [annotations]


def own_list(annotations: Path, split: str) -> Path | None:
    """Where the data set that a folder `Annotations` belongs to lists a split; None where it has no lists at all."""
    lists = annotations.parent / "ImageSets" / "Main"
    return lists / f"{split}.txt" if annotations.name == _ANNOTATIONS and _is_folder(lists) else None


def listed_files(path: Path, annotations: Path, annotated: Sequence[Path]) -> list[Path]:
    """The files among `annotated`, those of the place `annotations`, that a list names, in its order.

    Args:
        path: the list: a name of an image per line, with or without a flag (-1, 0, 1) behind it; all its images count.

    Raises:
        InputError: no such list, no image in it, or images that are listed twice or have no XML file.
    """
    if path.parent.name == "Main" and not path.exists():
        known = sorted(other.stem for other in path.parent.glob("[!._]*.txt") if "_" not in other.stem)
        raise InputError(Problem(path_text(path), "", "", "no such list", ", ".join([*known, f"or {ALL}"])))
    file, place = path_text(path), path_text(annotations)
    lines = {number: line for number, line in enumerate(read_text(path).splitlines(), 1) if line.strip()}
    if not lines:
        raise InputError(Problem(file, "", "", "no image", "at least one"))
    names = [_FLAG_BEHIND.sub("", line.strip()) for line in lines.values()]
    labels = [f"line {number}" for number in lines]
    files = {each.stem: each for each in annotated}
    missing = [
        Problem(file, label, "", shown(name), f"an image with an XML file in {place}")
        for label, name in zip(labels, names, strict=True)
        if name not in files
    ]
    raise_any([*missing, *repeats(file, lambda index: labels[index], "", names)])
    return [files[name] for name in names]


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False  # may not be entered; reading it will say so
