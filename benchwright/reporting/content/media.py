"""Thumbnails of rows, and what is said of them."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from benchwright.reporting.blocks import Paragraph
from benchwright.reporting.content.family import Material
from benchwright.reporting.frames.outlines import evenly
from benchwright.reporting.frames.thumbnails import MOST, Thumbnails, thumbnails

_NAMED = 5


def pictures(material: Material, table: pa.Table, first: Sequence[int], places: Sequence[int]) -> Thumbnails:
    """Thumbnails of the rows to look at first, then of an even sample of others; made once, none without media.

    Args:
        table: all rows.
        first, places: of rows in it.
    """
    if material.media is None:
        return Thumbnails()
    made, key = material.context.manifest.derived, ("thumbnails", material.media)
    if key not in made:
        wanted = table.take([*dict.fromkeys([*first, *(places[place] for place in evenly(len(places), MOST))])])
        files = zip(wanted["sample_id"].to_pylist(), wanted["file_name"].to_pylist(), strict=True)
        made[key] = thumbnails(material.media, files)
    found: Thumbnails = made[key]
    return found


def said_of(found: Thumbnails, rows: int) -> list[Paragraph]:
    """How many rows have a picture, and which images could not be shown; nothing where none was looked for."""
    if not found.urls and not found.problems:
        return []
    said = f"{len(found.urls):,} of {rows:,} rows have a small picture of their media in the table."
    if found.problems:
        named = "; ".join(found.problems[:_NAMED])
        rest = f"; and {len(found.problems) - _NAMED:,} more" if len(found.problems) > _NAMED else ""
        said += f" {len(found.problems):,} of those looked for cannot be shown: {named}{rest}."
    return [Paragraph(said)]
