"""Detections on the images of a detection manifest."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchwright.classes import labels_of
from schemas.arrays import integers, texts_of
from schemas.errors import UsageError
from schemas.manifest import Manifest, check_rows
from scorers.detection.boxes import Detections, Truth, detections_from, truth_from
from scorers.predictions.detections import read_detections

_NO_ID = -(2**63)
_COLUMNS = ("sample_id", "image_id", "file_name", "width", "height", "objects")


@dataclass(frozen=True)
class Task:
    """The images of a split and the boxes to be found in them."""

    manifest: Manifest
    split: str
    images: pa.Table
    truth: Truth

    @property
    def labels(self) -> tuple[str, ...]:
        return self.truth.categories


@dataclass(frozen=True)
class Found:
    """Detections on the images of a split: how many were read, lie on dropped images, and on how many images."""

    detections: Detections
    read: int
    elsewhere: int
    images: int

    @property
    def warnings(self) -> list[str]:
        strangers = self.read - len(self.detections.score)
        told = [
            (strangers, "detections are of classes that the truth does not have"),
            (self.elsewhere, "detections are on images that the build dropped, and are left out"),
        ]
        return [f"{count:,} {text}" for count, text in told if count]


def read_task(manifest: Manifest, split: str | None = None) -> Task:
    """The truth of a split; its only one, or `test`, when None.

    Raises:
        UsageError: there is no such split; the manifest holds no objects.
        InputError: the rows were changed after the build.
    """
    chosen = manifest.chosen_split(split)
    rows = check_rows(manifest, chosen)
    if "objects" not in rows.column_names:
        raise UsageError(f"{manifest.path}: not a detection manifest (no column objects)")
    images = rows.select([name for name in _COLUMNS if name in rows.column_names])
    return Task(manifest, chosen, images, truth_from(images, labels_of(manifest, images), str(manifest.path)))


def read_found(path: Path, task: Task, form: str | None = None, base: int | None = None) -> Found:
    """Detections from a file or folder; see `read_detections` and `detections_from` for what may be wrong with them.

    Raises:
        UsageError: images are named by an id that several of them share.
    """
    numbers = category_numbers(task, base)
    table = read_detections(path, task.images, task.labels, numbers, form, set(dropped_images(task).to_pylist()))
    kept, key = image_rows(table, task)
    if key == "image_id" and pc.count_distinct(task.images[key]).as_py() < len(task.images):
        raise UsageError(f"{path} names images by image_id, which images of the manifest share; use sample_id")
    detections = detections_from(kept, task.images, task.labels, str(path))
    return Found(detections, len(kept), len(table) - len(kept), int(pc.count_distinct(kept[key]).as_py()))


def image_rows(table: pa.Table, task: Task) -> tuple[pa.Table, str]:
    """The detections on images that the build kept or never saw, and the column that names the image.

    Results are made for a whole data set, manifests keep a part: images that the build dropped are no mistake.
    """
    key = "image_id" if "image_id" in table.column_names else "sample_id"
    dropped, names = dropped_images(task), table[key]
    if not len(dropped):
        return table, key
    if pa.types.is_floating(names.type):  # a column of ids with a gap comes from pandas as floats
        names = names.cast(pa.int64(), safe=False)
    gone = pc.is_in(names.cast(pa.string()), value_set=dropped)
    return table.filter(pc.invert(gone)), key


def dropped_images(task: Task) -> pa.Array:
    """Sample ids of the images that the build dropped."""
    ledger = task.manifest.ledger()
    dropped = pc.is_in(ledger["action"], value_set=texts_of(["dropped"]))
    at_root = pc.and_(pc.is_null(ledger["child_key"]), dropped)
    return ledger.filter(at_root)["key"].combine_chunks()


def category_numbers(task: Task, base: int | None) -> dict[int, str]:
    """The category of each number: as in the source if it has numbers and no `base` is given, else labels counted."""
    records = task.images["objects"].combine_chunks().flatten()
    named = records.field("category")
    found, firsts = np.unique(integers(records.field("category_id"), null=_NO_ID), return_index=True)
    numbers = {int(n): named[place].as_py() for n, place in zip(found, firsts.tolist(), strict=True) if n != _NO_ID}
    if base is None and numbers and set(numbers.values()) == set(named.unique().to_pylist()):
        return numbers
    first = 1 if base is None else base
    return {first + place: label for place, label in enumerate(task.labels)}
