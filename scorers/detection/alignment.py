"""Detections on the images of a detection manifest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.arrays import integers, texts_of
from schemas.errors import UsageError, nearest
from schemas.manifest import Manifest
from scorers.detection.boxes import Detections, Truth, detections_from, truth_from
from scorers.detection.classes import classes_of, found_classes, labels_of, source_numbers
from scorers.detection.flat import Known
from scorers.detection.formats import read_detections
from scorers.detection.text_files import class_names

_EXAMPLES = 5
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

    @cached_property
    def dropped(self) -> pa.Array:
        """Sample ids of the images that the build dropped."""
        ledger = self.manifest.ledger()
        dropped = pc.is_in(ledger["action"], value_set=texts_of(["dropped"]))
        return ledger.filter(pc.and_(pc.is_null(ledger["child_key"]), dropped))["key"].combine_chunks()


@dataclass(frozen=True)
class Found:
    """Detections on the images of a split.

    Attributes:
        detections: those of known classes.
        read: how many were read on images of the split.
        elsewhere: how many more lie on images that the build dropped.
        images: on how many images.
        strangers: how many are of each class that the truth does not have.
        labels: the classes that it has.
    """

    detections: Detections
    read: int
    elsewhere: int
    images: int
    strangers: dict[str, int]
    labels: tuple[str, ...]

    @property
    def warnings(self) -> list[str]:
        told = []
        if self.strangers:
            told.append(f"{sum(self.strangers.values()):,} detections are {self.of_strangers}{self.advice}")
        if self.elsewhere:
            told.append(f"{self.elsewhere:,} detections are on images that the build dropped, and are left out")
        return told

    @property
    def advice(self) -> str:
        """How to number classes otherwise, where numbers were not known."""
        numbered = any(name.startswith(("category_id ", "class ")) for name in self.strangers)
        return "; --category-base and --classes say how classes are numbered" if numbered else ""

    @property
    def of_strangers(self) -> str:
        """Which classes the truth does not have, the most frequent first, and what may have been meant."""
        most = sorted(self.strangers.items(), key=lambda item: -item[1])
        named = [f"{name} ({count:,})" for name, count in most[:_EXAMPLES]] + ["..."] * (len(most) > _EXAMPLES)
        near = [other for name, _ in most[:_EXAMPLES] for other in nearest(name, self.labels)[:1]]
        guess = f"; did you mean {' or '.join(dict.fromkeys(near))}?" if near else ""
        return f"of classes that the truth does not have: {', '.join(named)}{guess}"


def read_task(manifest: Manifest, split: str | None = None) -> Task:
    """The truth of a split; its only one, or `test`, when None.

    Raises:
        UsageError: there is no such split; the manifest holds no objects.
        InputError: the rows were changed after the build.
    """
    chosen = manifest.chosen_split(split)
    rows = manifest.table(chosen)
    if "objects" not in rows.column_names:
        raise UsageError(f"{manifest.path}: not a detection manifest (no column objects)")
    images = rows.select([name for name in _COLUMNS if name in rows.column_names])
    return Task(manifest, chosen, images, truth_from(images, labels_of(manifest, images), str(manifest.path)))


def read_found(
    path: Path, task: Task, form: str | None = None, base: int | None = None, classes: Path | None = None
) -> Found:
    """Detections from a file or folder; see `read_detections` and `detections_from` for what may be wrong with them.

    Args:
        path: what to read.
        task: the images.
        form: its form, found out when None.
        base: number of the first class in COCO results; the ids of the source when None.
        classes: a file of the names of the classes in the order of their numbers.

    Raises:
        UsageError: images are named by an id that several of them share; no detection is of a class of the truth.
    """
    names = class_names(classes) if classes else classes_of(task.manifest, list(task.labels))
    known = Known(
        task.images,
        task.labels,
        category_numbers(task, names, base, counted=classes is not None),
        names,
        task.split,
        set(task.dropped.to_pylist()),
    )
    table = read_detections(path, known, form)
    kept, key = image_rows(table, task)
    if key == "image_id" and pc.count_distinct(task.images[key]).as_py() < len(task.images):
        raise UsageError(f"{path} names images by image_id, which images of the manifest share; use sample_id")
    detections = detections_from(kept, task.images, task.labels, str(path))
    images = int(pc.count_distinct(kept[key]).as_py())
    found = Found(detections, len(kept), len(table) - len(kept), images, _strangers(kept, task.labels), task.labels)
    if len(kept) and len(kept) == sum(found.strangers.values()):
        known_names = ", ".join(task.labels[:_EXAMPLES]) + ", ..." * (len(task.labels) > _EXAMPLES)
        raise UsageError(f"{path}: all detections are {found.of_strangers} (it has {known_names}){found.advice}")
    return found


def _strangers(table: pa.Table, labels: Sequence[str]) -> dict[str, int]:
    """How many detections there are of each class that is not among `labels`."""
    column = table["category"].combine_chunks()
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    names: list[str] = encoded.dictionary.to_pylist()
    counts = np.bincount(integers(encoded.indices), minlength=len(names)).tolist()
    known = set(labels)
    return {name: count for name, count in zip(names, counts, strict=True) if count and name not in known}


def image_rows(table: pa.Table, task: Task) -> tuple[pa.Table, str]:
    """The detections on images that the build kept or never saw, and the column that names the image.

    Results are made for a whole data set, manifests keep a part: images that the build dropped are no mistake.
    """
    key = "image_id" if "image_id" in table.column_names else "sample_id"
    names = table[key]
    if not len(task.dropped):
        return table, key
    if pa.types.is_floating(names.type):  # a column of ids with a gap comes from pandas as floats
        names = names.cast(pa.int64(), safe=False)
    gone = pc.is_in(names.cast(pa.string()), value_set=task.dropped)
    return table.filter(pc.invert(gone)), key


def category_numbers(task: Task, names: Sequence[str], base: int | None, counted: bool = False) -> dict[int, str]:
    """The category of each number: that of the source where it has numbers, else, or if `counted`, `names` counted."""
    numbers = source_numbers(task.images)
    if base is None and not counted and numbers and set(numbers.values()) >= set(found_classes(task.images)):
        return numbers
    return dict(enumerate(names, 1 if base is None else base))
