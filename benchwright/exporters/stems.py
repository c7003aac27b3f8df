"""Names of the files that stand for images: of labels, one for each image."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePosixPath

import pyarrow as pa

from schemas.cards import LONGEST_NAME
from schemas.errors import InputError, Problem, shown


def image_stems(table: pa.Table, file: str, *, sized: bool, by_split: bool) -> list[str]:
    """The name of each image without its extension: of its file, else its sample id.

    Args:
        table: rows of `schemas.detection`.
        file: what errors call it.
        sized: whether images must have a width and a height.
        by_split: whether each split has a folder of its own, so that a name may be given once in each.

    Raises:
        InputError: images without size, or whose names cannot be names of files, or that share one.
    """
    rows = table.select(["sample_id", "file_name", "width", "height", "split"]).to_pylist()
    stems = [PurePosixPath(row["file_name"]).stem if row["file_name"] else row["sample_id"] for row in rows]
    places = [(row["split"] if by_split else "", stem) for row, stem in zip(rows, stems, strict=True)]
    counts = Counter(places)
    problems = [
        Problem(file, repr(row["sample_id"]), field, found, expected)
        for row, place in zip(rows, places, strict=True)
        for wrong, field, found, expected in (
            (sized and not (row["width"] and row["height"]), "width", "no size", "width and height of the image"),
            (not _can_be_a_file(place[1]), "file_name", shown(row["file_name"]), "the name of a file"),
            (counts[place] > 1, "file_name", shown(row["file_name"]), "another name than that of other images"),
        )
        if wrong
    ]
    if problems:
        raise InputError(problems)
    return stems


def _can_be_a_file(stem: str) -> bool:
    """Whether a name stays in its folder, on any system, can be printed, and leaves room for an extension."""
    apart = stem not in ("", ".", "..") and not set(stem) & set("/\\")
    return apart and stem.isprintable() and len(stem.encode()) <= LONGEST_NAME
