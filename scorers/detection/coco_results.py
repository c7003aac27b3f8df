"""COCO results: a JSON array of `{image_id, category_id, bbox, score}`, categories by number or by name."""

from __future__ import annotations

from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
import pyarrow as pa

from schemas.arrays import array_of, texts_of
from schemas.input.files import NO_LIMIT
from schemas.input.json import read_array
from scorers.detection.flat import Known, Names, flat_table

_Id = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)] | str


class _Result(msgspec.Struct, gc=False):
    image_id: _Id
    category_id: _Id
    bbox: tuple[float, float, float, float]
    score: float


def read_coco_results(path: Path, known: Known) -> pa.Table:
    """Read a file of results.

    Raises:
        InputError: unreadable, not JSON (names the byte), or results of other fields (names each, and the field).
    """
    results = read_array(path, _Result, NO_LIMIT, lambda place: f"result {place + 1}")
    called: dict[int | str, str] = {label: label for label in known.labels}
    names = Names(called | dict(known.numbers.items()), "category_id {}")
    ids = [result.image_id for result in results]
    named = str in set(map(type, ids))
    images = texts_of(list(map(str, ids))) if named else array_of(np.array(ids, np.int64))
    codes = map(names.__getitem__, map(attrgetter("category_id"), results))
    categories = np.fromiter(codes, np.int64, len(results))
    boxes = np.fromiter(chain.from_iterable(map(attrgetter("bbox"), results)), np.float64, 4 * len(results))
    scores = np.fromiter(map(attrgetter("score"), results), np.float64, len(results))
    return flat_table(
        "sample_id" if named else "image_id", images, categories, names.names, boxes.reshape(-1, 4), scores
    )
