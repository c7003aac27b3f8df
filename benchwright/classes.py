"""The classes of a detection manifest."""

from __future__ import annotations

import pyarrow as pa

from schemas.cards import cards
from schemas.manifest import Manifest

# Persons are the first class of densepose-person; without them the parts count from the base, as their authors do.
_ASKED = {"person": slice(0, 1), "parts": slice(1, None)}


def labels_of(manifest: Manifest, table: pa.Table) -> list[str]:
    """Names of the classes in the order of their ids: the card's that the build asked for, then others, sorted."""
    card = cards().get(manifest.identity.name)
    asked = _ASKED.get(str(manifest.identity.parameters.get("classes.of")), slice(None))
    known = card.labels[asked] if card else []
    found = set(table["objects"].combine_chunks().flatten().field("category").unique().to_pylist())
    return [*known, *sorted(found - set(known))]
