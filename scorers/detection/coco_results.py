"""COCO results: a JSON array of `{image_id, category_id, bbox, score}`, categories by number or by name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import attrgetter
from typing import Annotated, Any

import msgspec
import numpy as np
import pyarrow as pa

from schemas.arrays import array_of, texts_of
from schemas.errors import InputError, Problem
from schemas.input.files import Bytes
from schemas.input.json import array_in
from scorers.detection.images import ImageSet
from scorers.detection.table import Names, box_table

_Id = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)] | str


class _Result(msgspec.Struct, gc=False):
    image_id: _Id
    category_id: _Id
    bbox: tuple[float, float, float, float]
    score: float


def coco_results_in(file: str, content: Bytes, images: ImageSet) -> pa.Table:
    """The results in the content of a file.

    Raises:
        InputError: not JSON (names the byte), or results of other fields (names each, and the field).
    """
    return _table_of(array_in(file, content, _Result, _numbered), images)


def results_in_memory(results: Sequence[Any], images: ImageSet, file: str) -> pa.Table:
    """Results as a list of `{image_id, category_id, bbox, score}`, checked as a file of them is."""
    try:
        content = msgspec.json.encode(results, enc_hook=lambda value: value.tolist())  # of arrays and their numbers
    except (TypeError, AttributeError, ValueError) as failure:
        raise InputError(Problem(file, "", "", str(failure), "dictionaries of plain values")) from None
    return coco_results_in(file, content, images)


def _numbered(place: int) -> str:
    return f"result {place + 1}"


def _table_of(results: list[_Result], images: ImageSet) -> pa.Table:
    called: dict[int | str, str] = {label: label for label in images.labels}
    names = Names(called | dict(images.numbers.items()), "category_id {}")
    ids = [result.image_id for result in results]
    named = str in set(map(type, ids))
    keys = texts_of(list(map(str, ids))) if named else array_of(np.array(ids, np.int64))
    codes = map(names.__getitem__, map(attrgetter("category_id"), results))
    categories = np.fromiter(codes, np.int64, len(results))
    boxes = np.fromiter(chain.from_iterable(map(attrgetter("bbox"), results)), np.float64, 4 * len(results))
    scores = np.fromiter(map(attrgetter("score"), results), np.float64, len(results))
    key = "sample_id" if named else "image_id"
    return box_table(key, keys, categories, names.names, boxes.reshape(-1, 4), scores)
