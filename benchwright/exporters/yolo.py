"""Detection manifests as YOLO label folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from benchwright.exporters.stems import image_stems
from schemas.arrays import booleans, floats, integers, one_array
from schemas.exchange import new_folder
from schemas.manifest import Manifest
from scorers.detection.images import classes_of, labels_of, object_rows

_KEYS = ("train", "val", "test")


def write_yolo(manifest: Manifest, out: Path, split: str | None = None) -> dict[str, int]:
    """Write a detection manifest; see `write_labels`.

    Raises:
        UsageError: not a detection manifest.
        InputError: as `write_labels`.
    """
    table = object_rows(manifest, split)
    return write_labels(table, classes_of(manifest, labels_of(manifest, table)), out, str(manifest.path))


def write_labels(table: pa.Table, labels: Sequence[str], out: Path, file: str) -> dict[str, int]:
    """Write `labels/<split>/<image>.txt` (class x_center y_center width height, relative) and `data.yaml`.

    Crowds and ignored objects are left out, since YOLO labels cannot say so; classes count from 0. A box that sticks
    out of its image is clipped to it, and one that has no area inside is left out: of a number below 0 or above 1
    ultralytics drops the image with all its labels.

    Args:
        table: rows of `schemas.detection`.
        labels: names of the classes by number.
        out: the folder.
        file: what errors call the rows.

    Returns:
        How many images and labels there are, labels that were clipped, and objects left out.

    Raises:
        InputError: images without size, or whose names cannot be names of files.
    """
    stems = image_stems(table, file, sized=True, by_split=True)
    splits: list[str] = table["split"].to_pylist()
    image, lines, counts = _lines(table, labels)
    bounds = np.searchsorted(image, np.arange(len(table) + 1)).tolist()
    with new_folder(out) as draft:
        for name in dict.fromkeys(splits):
            (draft / "labels" / name).mkdir(parents=True)
        for row, (name, stem) in enumerate(zip(splits, stems, strict=True)):
            written = "".join(lines[bounds[row] : bounds[row + 1]])
            (draft / "labels" / name / f"{stem}.txt").write_text(written)
        (draft / "data.yaml").write_text(data_yaml(list(dict.fromkeys(splits)), labels), encoding="utf-8")
    return {"images": len(table), "labels": len(lines)} | counts


def _lines(table: pa.Table, labels: Sequence[str]) -> tuple[NDArray[np.int64], list[str], dict[str, int]]:
    """The row of the image and the line of each label, in file order; and what became of the others, counted."""
    lists = one_array(table["objects"])
    items = lists.flatten()
    image = integers(pc.list_parent_indices(lists))
    number = integers(pc.index_in(items.field("category"), value_set=pa.array(labels, pa.string())), null=-1)
    centres, sizes, clipped = [], [], np.zeros(len(image), dtype=np.bool_)
    for start, length in (("x", "width"), ("y", "height")):
        whole, low, side = floats(table[length])[image], floats(items.field(start)), floats(items.field(length))
        out = (low < 0) | (low + side > whole)
        clipped |= out
        first = np.where(out, np.clip(low, 0, whole), low)
        side = np.where(out, np.clip(low + side, 0, whole) - first, side)
        centres.append((first + side / 2) / whole)
        sizes.append(side / whole)
    counted = ~(booleans(items.field("crowd")) | booleans(items.field("ignored")))
    inside = (sizes[0] > 0) & (sizes[1] > 0)
    kept = np.flatnonzero(counted & inside)
    columns = [number, *centres, *sizes]
    lines = [
        f"{label} {x:.10g} {y:.10g} {width:.10g} {height:.10g}\n"
        for label, x, y, width, height in zip(*(column[kept].tolist() for column in columns), strict=True)
    ]
    counts = {
        "clipped to their image": np.count_nonzero(clipped[kept]),
        "boxes without area inside their image left out": np.count_nonzero(counted & ~inside),
        "crowds and ignored boxes left out": np.count_nonzero(~counted),
    }
    return image[kept], lines, {what: int(count) for what, count in counts.items()}


def data_yaml(splits: Sequence[str], labels: Sequence[str]) -> str:
    """The keys that ultralytics reads: without `path`, folders are relative to this file.

    A split is that of the keys which its name holds, else `val`, where nothing is trained on it. ultralytics wants
    `train` and `val` in any case; null is a split that is not there.
    """
    folders: dict[str, list[str]] = {key: [] for key in _KEYS}
    for name in splits:
        folders[next((key for key in _KEYS if key in name.casefold()), "val")].append(f"images/{name}")
    import yaml

    whole: dict[str, Any] = {key: _one_or_all(folders[key]) for key in _KEYS if folders[key] or key != "test"}
    written = yaml.safe_dump(whole | {"names": dict(enumerate(labels))}, sort_keys=False, width=10**6)
    return f"# Put the images into images/<split>, beside labels/<split>.\n{written}"


def _one_or_all(folders: Sequence[str]) -> str | list[str] | None:
    return (folders[0] if folders else None) if len(folders) < 2 else list(folders)
