"""The images of a detection manifest and the boxes in them, and what files of detections call their classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from schemas.arrays import array_of, integers, one_array
from schemas.detection import sample_ids_of_file
from schemas.errors import UsageError
from schemas.manifest import Manifest
from scorers.detection.boxes import Truth, image_order, truth_from
from scorers.detection.class_lists import class_names
from scorers.left_out import dropped_by_rule
from scorers.names import NONE, FoldedNames, folded, places

_NO_ID = -(2**63)
_COLUMNS = ("sample_id", "image_id", "file_name", "width", "height", "objects")


@dataclass(frozen=True, eq=False)
class ImageSet:
    """The images of a split, and what else files of detections are read against.

    Attributes:
        images: `sample_id`, `image_id`, `file_name`, `width`, `height`; relative coordinates need the sizes.
        labels: names of the classes that are looked at.
        classes: names by number, from 0, as detectors count them.
        named: whether somebody named these classes, so that no list beside the files does.
        numbers: the name of each category id in COCO results.
        split: name of the split; files of other splits beside are not read.
        dropped: sample ids of images that the build dropped, each with the reason (`left_out.dropped_by_rule`). Results
            are made for a whole data set, of which a manifest keeps a part, so detections on the rest are no mistake.
    """

    images: pa.Table
    labels: Sequence[str]
    classes: Sequence[str] = ()
    numbers: Mapping[int, str] = field(default_factory=dict)
    split: str = ""
    dropped: Mapping[str, str] = field(default_factory=dict)
    named: bool = False

    @cached_property
    def samples(self) -> list[str]:
        """Sample ids of the images, and behind them those of the dropped ones."""
        return [*self.images["sample_id"].to_pylist(), *self.dropped]

    def exact_places(self, key: str) -> dict[str, int]:
        """The place in `samples` of each name that a column has, of dropped images, and of each file name."""
        return places(self._column("file_name")) | places(self.samples) | places(self._column(key))

    @cached_property
    def _folded_names(self) -> FoldedNames:
        """The places in `samples`, by folded names."""
        named = [self.samples, self._column("file_name")]
        return FoldedNames(named, [*named, map(str, self._column("image_id"))])

    def similar_place(self, name: str) -> int:
        """The place in `samples` of a name that is not exact, `NONE` or `SEVERAL`."""
        place = self._folded_names.row(name)
        # Of a dropped image nothing is known but its id, which may be the number of its file.
        return self._dropped_places.get(sample_ids_of_file(folded(name))[-1], NONE) if place == NONE else place

    @cached_property
    def _dropped_places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.dropped, len(self.images))}

    def _column(self, name: str) -> list[Any]:
        return self.images[name].to_pylist() if name in self.images.column_names else []

    def counted(self, base: int | None, names: Path | str | None = None) -> ImageSet:
        """The same with classes numbered as somebody says.

        Args:
            base: number of the first class in COCO results; 1 when None.
            names: a file of the names of the classes in the order of their numbers; `classes` when None.
        """
        classes = self.classes if names is None else class_names(Path(names))
        numbers = dict(enumerate(classes, 1 if base is None else base))
        return replace(self, classes=classes, numbers=numbers, named=names is not None)


class DetectionTruth(NamedTuple):
    """The images of a split.

    Attributes:
        images: with what files call them and their classes.
        boxes: to be found in them.
        names: sample id of each image, in the order in which boxes count them.
        persons_and_parts: names by number, from 0, of detectors of persons and their parts: a manifest of persons alone
            can be monitored by parts as well as one that has parts.
        doubts: what the build warned of.
    """

    images: ImageSet
    boxes: Truth
    names: pa.Array
    persons_and_parts: Sequence[str]
    doubts: Sequence[str] = ()


def detection_truth(manifest: Manifest, split: str) -> DetectionTruth:
    """The images of a split and the boxes in them, of the classes that the build asked for.

    Raises:
        UsageError: there is no such split; the manifest holds no objects.
        InputError: the rows were changed after the build.
    """
    rows = object_rows(manifest, split)
    images = rows.select([name for name in _COLUMNS if name in rows.column_names])
    labels = labels_of(manifest, images)
    classes = classes_of(manifest, labels)
    numbers = source_numbers(images)
    if not numbers or not set(_found_classes(images)) <= set(numbers.values()):
        numbers = dict(enumerate(classes, 1))
    known = ImageSet(images, labels, classes, numbers, split, dropped_by_rule(manifest))
    lists = _label_lists(manifest)
    both = list(dict.fromkeys([*lists[""], *lists["parts"]])) if lists[""] else labels
    boxes = truth_from(images, labels, str(manifest.path))
    names = one_array(images["sample_id"]).take(array_of(np.argsort(image_order(images))))
    doubts = [f"the build warned of the truth: {warning.message}" for warning in manifest.identity.warnings]
    return DetectionTruth(known, boxes, names, both, doubts)


def object_rows(manifest: Manifest, split: str | None) -> pa.Table:
    """The rows of a detection manifest; `UsageError` for another one, `InputError` where a column is lacking."""
    table = manifest.table(split)
    if "objects" not in table.column_names:
        raise UsageError(f"{manifest.path}: not a detection manifest (no column objects)")
    manifest.refuse_incomplete("boxes")
    return table


def labels_of(manifest: Manifest, table: pa.Table) -> list[str]:
    """Names of the classes that are scored: the card's that the build asked for, then others as the source has them.

    The source's order is that of its category ids; where it has none that of the card's list, else the alphabet's.
    """
    lists = _label_lists(manifest)
    # Where the classes depend on a parameter of a rule, the card has a list of the name PARAMETER=VALUE.
    settings = [f"{name}={value}" for name, value in manifest.identity.parameters.items()]
    own = next((lists[setting] for setting in settings if setting in lists), lists[""])
    found = _found_classes(table)
    if set(found) <= set(own):
        return own
    order = {name: place for place, name in enumerate(lists["source"])}
    numbers = {name: number for number, name in source_numbers(table).items()}
    return sorted(found, key=lambda name: (numbers.get(name, order.get(name, len(order))), name))


def classes_of(manifest: Manifest, labels: list[str]) -> list[str]:
    """Names by number, from 0, as detectors count them: all classes of the source where the build kept all of them.

    Detectors of COCO's 80 or VOC's 20 classes count those; a manifest of persons alone has them as class 0.
    """
    source = _label_lists(manifest)["source"]
    return source if len(labels) > 1 and set(labels) <= set(source) else labels


def source_numbers(table: pa.Table) -> dict[int, str]:
    """The name of each category id that the source has."""
    records = _objects(table)
    found, firsts = np.unique(integers(records.field("category_id"), null=_NO_ID), return_index=True)
    names = records.field("category")
    return {int(n): names[place].as_py() for n, place in zip(found, firsts.tolist(), strict=True) if n != _NO_ID}


def _objects(table: pa.Table) -> pa.StructArray:
    """The boxes of all images."""
    return one_array(table["objects"]).flatten()


def _label_lists(manifest: Manifest) -> dict[str, list[str]]:
    """The lists of labels of a manifest's card by name, its own labels without one; all are empty without a card."""
    card = manifest.card
    lists = {given.name: given.labels for given in card.label_lists} if card else {}
    return {"": card.labels if card else [], "source": [], "parts": []} | lists


def _found_classes(table: pa.Table) -> list[str]:
    """Names of the classes that occur."""
    found: list[str] = _objects(table).field("category").unique().to_pylist()
    return found
