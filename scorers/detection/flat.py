"""The flat table of detections that every file is read into, and what a file is read against."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.arrays import array_of, texts_of

COLUMNS = ("category", "x", "y", "width", "height", "score")


@dataclass(frozen=True)
class Known:
    """What a manifest says that a file of detections must be read with.

    Attributes:
        images: `sample_id`, `file_name`, `width`, `height`; relative coordinates need them.
        labels: names of the categories that are scored.
        numbers: the category of each number in COCO results.
        classes: names by number, from 0, in YOLO files.
        split: name of the split; files of other splits beside are not read.
        dropped: sample ids of further images, whose boxes nobody looks at: relative ones become empty boxes.
    """

    images: pa.Table
    labels: Sequence[str]
    numbers: Mapping[int, str] = field(default_factory=dict)
    classes: Sequence[str] = ()
    split: str = ""
    dropped: Container[str] = ()


class Names(dict[int | str, int]):
    """Positions of category names by how a file calls them; what is not known gets a name that says so.

    Attributes:
        names: all of them, by position.
    """

    def __init__(self, known: Mapping[int | str, str], unknown: str = "{}") -> None:
        self.names = list(dict.fromkeys(known.values()))
        places = {name: place for place, name in enumerate(self.names)}
        super().__init__({called: places[name] for called, name in known.items()})
        self._unknown = unknown

    def __missing__(self, called: int | str) -> int:
        self.names.append(called if isinstance(called, str) else self._unknown.format(called))
        self[called] = len(self.names) - 1
        return self[called]


def flat_table(
    key: str,
    images: pa.Array,
    categories: NDArray[np.int64],
    names: Sequence[str],
    boxes: NDArray[np.float64],
    scores: NDArray[np.float64],
) -> pa.Table:
    """A table of `key` and `COLUMNS`.

    Args:
        key: `image_id` or `sample_id`.
        images: the image of each detection.
        categories: positions in `names`; shape (detections,).
        names: of the categories.
        boxes: x, y, width, height in pixels; shape (detections, 4).
        scores: shape (detections,).
    """
    sides = {name: array_of(boxes[:, place]) for place, name in enumerate(COLUMNS[1:5])}
    named = pa.DictionaryArray.from_arrays(array_of(categories), texts_of(names))
    return pa.table({key: images, "category": named, **sides, "score": array_of(scores)})
