"""Which image of a manifest each detection means, and which of them the build dropped.

Results are made for a whole data set, of which a manifest keeps a part, so detections on dropped images are no mistake.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.arrays import array_of, integers, one_array
from schemas.errors import InputError, Problem
from schemas.input.columns import decoded
from scorers.detection.boxes import KEYS, quoted, refuse_differing, unknown_images
from scorers.detection.images import ImageSet
from scorers.left_out import by_reason
from scorers.names import NONE, SEVERAL, Rows, told


class Named(NamedTuple):
    """Detections under the exact names of their images.

    Attributes:
        table: without those on images that the build dropped.
        counts: `similar_names`, detections whose image is matched by a folded name, where there are any.
        warnings: of both.
    """

    table: pa.Table
    counts: dict[str, int]
    warnings: list[str]


def named_exactly(table: pa.Table, images: ImageSet, file: str) -> Named:
    """Detections by the ids of their images, whatever the table calls these.

    Args:
        table: as of `formats.read_detections`, with `image_id`, `sample_id` or both, or else `file_name`.
        images: those of the split, and what the build dropped.
        file: the detections, for messages.

    Raises:
        InputError: images that the manifest lacks, names that fit several images or, of one detection, different ones.
    """
    keys = [key for key in KEYS if key in table.column_names] or ["file_name"]
    if all(_all_exact(table, key, images) for key in keys):
        return Named(table, {}, [])
    (place, similar, pairs), *others = (_places(table, key, images, file) for key in keys)
    for other, *_ in others:
        refuse_differing(table, place, other, keys, file)
    samples, here = images.samples, place < len(images.images)
    warnings = told("detections", similar, pairs)
    gone = place[~here] - len(images.images)
    warnings += by_reason("detections", "on images", gone, list(images.dropped), list(images.dropped.values()))
    names = pa.array(samples, pa.string()).take(array_of(place[here]))
    exact = table.filter(pa.array(here)).drop_columns(keys).add_column(0, "sample_id", names)
    return Named(exact, {"similar_names": similar} if similar else {}, warnings)


def _all_exact(table: pa.Table, key: str, images: ImageSet) -> bool:
    """Whether all names are those that the manifest has for this key."""
    if key not in KEYS or key not in images.images.column_names:
        return False
    ours, theirs = images.images[key], table[key].unique()
    try:
        return all(pc.is_in(theirs.cast(ours.type), value_set=one_array(ours)).to_pylist())
    except pa.ArrowInvalid:
        return False


def _places(table: pa.Table, key: str, images: ImageSet, file: str) -> tuple[Rows, int, list[tuple[str, str]]]:
    """The place of each detection's image in `images.samples`; how many go by folded names, and pairs of these."""
    column = decoded(one_array(table[key]))
    if pa.types.is_floating(column.type):  # a column of ids with a gap comes from pandas as floats
        column = column.cast(pa.int64(), safe=False)
    encoded = column.dictionary_encode()
    names, exact = encoded.dictionary.to_pylist(), images.exact_places(key)
    index = integers(encoded.indices, null=len(names))
    found = np.array([exact.get(str(name), NONE) for name in names] + [NONE], np.int64)
    left = np.flatnonzero(found[:-1] == NONE)
    found[left] = [images.similar_place(str(names[number])) for number in left.tolist()]
    unclear = [names[number] for number in np.flatnonzero(found == SEVERAL).tolist()]
    if unclear:
        several = f"{len(unclear):,} names that fit several images ({quoted(unclear)})"
        raise InputError(Problem(file, "", key, several, "names of one image each, such as sample ids"))
    unknown = np.unique(index[found[index] == NONE]).tolist()
    if unknown:
        raise unknown_images([[*names, None][number] for number in unknown], images.images, key, file)
    here = left[found[left] < len(images.images)]
    pairs = [(str(names[number]), images.samples[found[number]]) for number in here.tolist()]
    return found[index], int(np.isin(index, here).sum()), pairs
