"""The schema of the benchmarks of person and body-part detection: an image, and the objects in it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa

from schemas.columns import column, table_schema


def sample_ids_of_file(stem: str) -> list[str]:
    """Sample ids that an image's file may stand for: its stem, or the number at its end, as COCO names its files."""
    number = re.search(r"[0-9]+$", stem)
    return [stem, *([number[0].lstrip("0") or "0"] if number else [])]


def detection_schema(name: str, version: int, extra: Sequence[pa.Field] = ()) -> pa.Schema:
    """The shared columns, then a benchmark's own fields of objects."""
    record = [
        column("category", pa.string(), "what the object is"),
        column("x", pa.float64(), "left side of the box, from the image's left", unit="px"),
        column("y", pa.float64(), "top of the box, from the image's top", unit="px"),
        column("width", pa.float64(), "width of the box", unit="px"),
        column("height", pa.float64(), "height of the box", unit="px"),
        column("area", pa.float64(), "area of the object", unit="px2", required=False),
        column("area_source", pa.string(), "whose area: of the annotation, or of the box"),
        column("crowd", pa.bool_(), "whether the box holds a crowd"),
        column("difficult", bool, "whether the annotators call it difficult, null where not said", required=False),
        column("ignored", pa.bool_(), "whether scoring leaves it out: neither a match nor a miss counts"),
        column("category_id", pa.int64(), "id of the category in the source, null where it has none", required=False),
        column("annotation_id", pa.int64(), "id in the source, null where it has none", required=False),
        *extra,
    ]
    return table_schema(
        name,
        version,
        [
            column("sample_id", pa.string(), "name of the image, unique in the benchmark"),
            column("split", pa.string(), "split of the benchmark"),
            column("image_id", pa.int64(), "id of the image, to join results by"),
            column("file_name", pa.string(), "name of the image file as the source has it", required=False),
            column("width", pa.int64(), "width of the image", unit="px", required=False),
            column("height", pa.int64(), "height of the image", unit="px", required=False),
            column("objects", pa.list_(pa.struct(record)), "the objects in the image, in the order of the source"),
        ],
    )
