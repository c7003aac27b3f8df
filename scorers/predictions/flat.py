"""The flat table of detections that every file is read into."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.arrays import array_of, texts_of

COLUMNS = ("category", "x", "y", "width", "height", "score")
UNKNOWN = -1


def flat_table(
    key: str,
    images: pa.Array,
    categories: NDArray[np.int64],
    labels: Sequence[str],
    boxes: NDArray[np.float64],
    scores: NDArray[np.float64],
) -> pa.Table:
    """A table of `key` and `COLUMNS`.

    Args:
        key: `image_id` or `sample_id`.
        images: the image of each detection.
        categories: positions in `labels`, or `UNKNOWN`, which becomes null; shape (detections,).
        labels: names of the categories.
        boxes: x, y, width, height in pixels; shape (detections, 4).
        scores: shape (detections,).
    """
    # Null is whatever lies beyond the labels: a dictionary of one null more needs no mask.
    names = pa.concat_arrays([texts_of(labels), pa.nulls(1, pa.string())])
    codes = np.where(categories == UNKNOWN, len(labels), categories)
    sides = {name: array_of(boxes[:, place]) for place, name in enumerate(COLUMNS[1:5])}
    named = pa.DictionaryArray.from_arrays(array_of(codes), names)
    return pa.table({key: images, "category": named, **sides, "score": array_of(scores)})
