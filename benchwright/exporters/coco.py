"""Detection manifests as COCO instances JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from schemas.arrays import booleans, integers, one_array
from schemas.errors import UsageError
from schemas.exchange import new_file
from schemas.manifest import Manifest
from scorers.detection.images import classes_of, labels_of, object_rows, source_numbers


def write_coco(manifest: Manifest, out: Path, split: str | None = None, category_base: int = 1) -> dict[str, int]:
    """Write one split, or all, of a detection manifest; see `write_instances`.

    Raises:
        UsageError: not a detection manifest, or several images share an id.
    """
    table = object_rows(manifest, split)
    labels = classes_of(manifest, labels_of(manifest, table))
    info = {"description": manifest.identity.name, "version": manifest.identity.content_digest}
    return write_instances(table, labels, out, category_base, info)


def write_instances(
    table: pa.Table, labels: Sequence[str], out: Path, base: int = 1, info: Mapping[str, str] | None = None
) -> dict[str, int]:
    """Write an instances file that pycocotools and training frameworks read.

    Ignored boxes have `ignore`; where difficult or ignored is said, both are in `attributes`, as annotation tools have
    it. COCO's own evaluation reads neither.

    Annotation ids are those of the source; where it has none, or an id is repeated, new ones above the largest. The
    supercategory, which some readers ask for, is the category itself: a manifest has no groups of classes.

    Args:
        table: rows of `schemas.detection`; objects may have a `segmentation`, JSON as text.
        labels: names of the categories in the order of their ids.
        out: the file.
        base: id of the first category.
        info: what the file says of itself.

    Returns:
        How many images, annotations and renumbered annotations there are.

    Raises:
        UsageError: several images share an id.
    """
    images = table["image_id"].to_pylist()
    if len(set(images)) != len(images):
        raise UsageError(f"{len(images) - len(set(images)):,} images share an id with another; COCO needs one for each")
    numbers = {label: base + place for place, label in enumerate(labels)}
    ids, renumbered = _annotation_ids(table)
    annotations = list(_annotations(table, numbers, ids))
    document = {
        "info": info or {},
        "images": [
            {"id": row["image_id"]} | {name: row[name] for name in ("file_name", "width", "height")}
            for row in table.select(["image_id", "file_name", "width", "height"]).to_pylist()
        ],
        "annotations": annotations,
        "categories": [{"id": number, "name": label, "supercategory": label} for label, number in numbers.items()],
    }
    with new_file(out) as draft:
        draft.write_bytes(msgspec.json.encode(document))
    ignored = sum(annotation["ignore"] for annotation in annotations)
    counts = {"images": len(images), "annotations": len(annotations), "renumbered": renumbered}
    difficult = sum(annotation.get("attributes", {}).get("difficult") is True for annotation in annotations)
    told = {"ignored": ignored, "difficult": difficult}
    return counts | {what: count for what, count in told.items() if count}


def other_numbers(manifest: Manifest, split: str | None, base: int) -> bool:
    """Whether the ids of the categories that are written with a `base` are others than the source's."""
    table = object_rows(manifest, split)
    written = dict(enumerate(classes_of(manifest, labels_of(manifest, table)), base))
    return any(written.get(number) != name for number, name in source_numbers(table).items())


def _annotation_ids(table: pa.Table) -> tuple[list[int], int]:
    """An id for each object, and how many are new."""
    given = one_array(table["objects"]).flatten().field("annotation_id")
    ids = integers(given, null=-1).copy()
    _, firsts = np.unique(ids, return_index=True)
    fresh = np.ones(len(ids), bool)
    fresh[firsts] = False
    fresh |= ids < 1  # pycocotools takes an annotation with the id 0 for unmatched
    ids[fresh] = ids.max(initial=0) + 1 + np.arange(np.count_nonzero(fresh))
    return ids.tolist(), int(np.count_nonzero(fresh & booleans(given.is_valid())))


def _annotations(table: pa.Table, numbers: dict[str, int], ids: list[int]) -> Iterator[dict[str, Any]]:
    rows = table.select(["image_id", "objects"]).to_pylist()
    places = iter(ids)
    for row in rows:
        for item in row["objects"]:
            yield {
                "id": next(places),
                "image_id": row["image_id"],
                "category_id": numbers[item["category"]],
                "bbox": [item["x"], item["y"], item["width"], item["height"]],
                "area": item["area"] if item["area"] is not None else item["width"] * item["height"],
                "iscrowd": int(item["crowd"]),
                "ignore": int(item["ignored"]),
                **_attributes(item),
                **({"segmentation": msgspec.Raw(outline.encode())} if (outline := item.get("segmentation")) else {}),
            }


def _attributes(item: Mapping[str, Any]) -> dict[str, dict[str, bool]]:
    """What COCO has no field for, where it is said."""
    said = {name: item[name] for name in ("difficult", "ignored") if item.get(name) is not None}
    return {"attributes": said} if said.get("ignored") or "difficult" in said else {}
