"""Detections beside the images of a manifest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.arrays import integers
from schemas.box_readings import YOLO
from schemas.errors import UsageError, counted, first_few, nearest
from scorers.detection.boxes import Detections, detections_from, dictionary_of
from scorers.detection.doubts import NUMBERING, Found
from scorers.detection.formats import read_detections
from scorers.detection.images import ImageSet
from scorers.detection.matching import named_exactly
from scorers.scorer import Aligned

_EXAMPLES = 5


Doubts = Callable[[Found], Iterable[str]]


def no_doubts(_: Found) -> Iterable[str]:
    """Nothing to warn of."""
    return ()


def aligned(
    source: object, images: ImageSet, file_format: str | None = None, doubts: Doubts = no_doubts
) -> Aligned[Detections]:
    """Detections of the labels on the images; see `read_detections` and `detections_from` for what may be wrong.

    Args:
        source, images, file_format: as of `read_detections`.
        doubts: what else to warn of, as `doubts_of` has it.

    Returns:
        The detections, how many were `read` on images of the split, and the `images` that have any. Warnings tell
        detections of unknown classes, and those on images that the build dropped.

    Raises:
        UsageError: images are named by an id that several of them share; no detection is of a known class.
    """
    table, file, reading = read_detections(source, images, file_format)
    kept, counts, warnings = named_exactly(table, images, file)
    key = "image_id" if "image_id" in kept.column_names else "sample_id"
    if key == "image_id" and pc.count_distinct(images.images[key]).as_py() < len(images.images):
        raise UsageError(f"{file} names images by image_id, which images of the manifest share; use sample_id")
    unknown = _unknown_classes(kept, images.labels)
    names = [*images.labels, *unknown]
    found = detections_from(kept, images.images, names, file)
    if unknown:
        described, advice = _described(unknown, images.labels, numbered=reading == YOLO)
        if len(kept) == sum(unknown.values()):
            known = first_few(images.labels[:_EXAMPLES], len(images.labels))
            raise UsageError(f"{file}: all detections are {described} (known are {known}){advice}")
        warnings.append(f"{counted(sum(unknown.values()), 'detections', 'are')} {described}{advice}")
    modes = kept["bbox_mode"].to_pylist() if "bbox_mode" in kept.column_names else []
    doubtful = [*doubts(Found(found, names, reading, modes))]
    found = found.rows(found.category < len(images.labels)) if unknown else found
    scored = {"scored": int(pc.count_distinct(kept[key]).as_py()), "detections": len(kept)}
    counts = {"rows": len(images.images)} | scored | counts
    return Aligned(found, counts, [*warnings, *doubtful], doubts=doubtful)


def _unknown_classes(table: pa.Table, labels: Sequence[str]) -> dict[str, int]:
    """How many detections there are of each class that is not among `labels`."""
    encoded, known = dictionary_of(table["category"]), set(labels)
    names: list[str] = encoded.dictionary.to_pylist()
    counts = np.bincount(integers(encoded.indices), minlength=len(names)).tolist()
    return {name: count for name, count in zip(names, counts, strict=True) if count and name not in known}


def _described(unknown: dict[str, int], labels: Sequence[str], *, numbered: bool) -> tuple[str, str]:
    """Which classes are unknown, the most frequent first, and what may have been meant; how to number classes.

    `numbered` says whether the file has numbers for them all.
    """
    most = sorted(unknown.items(), key=lambda item: -item[1])
    named = first_few([f"{name} ({count:,})" for name, count in most[:_EXAMPLES]], len(most))
    near = [other for name, _ in most[:_EXAMPLES] for other in nearest(name, labels)[:1]]
    guess = f"; did you mean {' or '.join(dict.fromkeys(near))}?" if near else ""
    numbered |= any(name.startswith(("category_id ", "class ")) for name in unknown)
    advice = f"; {NUMBERING}" if numbered else ""
    return f"of unknown classes: {named}{guess}", advice
