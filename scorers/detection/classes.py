"""The classes of a detection manifest: their names, their order, their numbers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from schemas.arrays import integers
from schemas.cards import Card
from schemas.manifest import Manifest

# Persons are the first class of densepose-person; without them the parts count from the base, as their authors do.
_ASKED = {"person": slice(0, 1), "parts": slice(1, None)}
_NO_ID = -(2**63)
_SOURCE = "source"


def labels_of(manifest: Manifest, table: pa.Table) -> list[str]:
    """Names of the classes that are scored: the card's that the build asked for, then others as the source has them.

    The source's order is that of its category ids; where it has none that of the card's list, else the alphabet's.
    """
    card = manifest.card
    asked = _ASKED.get(str(manifest.identity.parameters.get("classes.of")), slice(None))
    own = card.labels[asked] if card else []
    found = found_classes(table)
    if not set(found) - set(own):
        return own
    order = {name: place for place, name in enumerate(_source_list(card))}
    numbers = {name: number for number, name in source_numbers(table).items()}
    first = {name: (numbers.get(name, order.get(name, len(order))), name) for name in found}
    return sorted(found, key=first.__getitem__)


def classes_of(manifest: Manifest, labels: list[str]) -> list[str]:
    """Names by number, from 0, as detectors count them: all classes of the source where the build kept all of them.

    Detectors of COCO's 80 or VOC's 20 classes count those; a manifest of persons alone has them as class 0.
    """
    source = _source_list(manifest.card)
    return source if len(labels) > 1 and set(labels) <= set(source) else labels


def source_numbers(table: pa.Table) -> dict[int, str]:
    """The name of each category id that the source has."""
    records = table["objects"].combine_chunks().flatten()
    found, firsts = np.unique(integers(records.field("category_id"), null=_NO_ID), return_index=True)
    names = records.field("category")
    return {int(n): names[place].as_py() for n, place in zip(found, firsts.tolist(), strict=True) if n != _NO_ID}


def found_classes(table: pa.Table) -> list[str]:
    """Names of the classes that occur."""
    found: list[str] = table["objects"].combine_chunks().flatten().field("category").unique().to_pylist()
    return found


def _source_list(card: Card | None) -> list[str]:
    return next((names.labels for names in card.label_lists if names.name == _SOURCE), []) if card else []
