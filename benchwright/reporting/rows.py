"""The row table of a report: rows to search, filter and open, with a picture of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from benchwright.reporting.texts import Text


@dataclass(frozen=True)
class Timeline:
    """A clip in seconds: the true span, marks such as annotators, the spans of systems (null: no answer)."""

    length: float
    span: tuple[float, float]
    marks: tuple[float, ...] = ()
    lanes: tuple[tuple[str, tuple[float, float] | None], ...] = ()


@dataclass(frozen=True)
class Outline:
    """An image in pixels: boxes as x, y, width, height, number of the group or class (-1: none), label.

    `grouped` boxes have a dashed frame with the number round those of one number.
    """

    width: float
    height: float
    boxes: tuple[tuple[float, float, float, float, int, str], ...]
    grouped: bool = False


@dataclass(frozen=True)
class Row:
    """A row of the row table, kept or dropped.

    Attributes:
        name: its id.
        fate: `kept`, or the rule that dropped it.
        cells: texts below the columns after the name; the search finds them.
        split: of the row.
        picture: what opening the row shows.
        notes: sentences below the picture.
        thumbnail: data URL of a JPEG of the media, where they are at hand.
    """

    name: str
    fate: str
    cells: tuple[str, ...]
    split: str = ""
    picture: Timeline | Outline | None = None
    notes: tuple[Text, ...] = ()
    thumbnail: str | None = None


@dataclass(frozen=True)
class RowTable:
    """Rows to search, filter and open; a page has one at most.

    Writers add what a row's fate, split and picture say to the columns.

    Attributes:
        thing: what a row is, in the plural: clips, key frames, images.
        columns: headings, the first above the names.
        numeric: which of them hold numbers, by position.
        rows: kept ones and dropped ones.
        evidence: by the id of a finding, the names of its rows.
        total: how many there are by fate; more than `rows` has where they are capped.
        systems: names, in the order of their colours.
    """

    thing: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    evidence: dict[str, tuple[str, ...]]
    total: dict[str, int]
    numeric: frozenset[int] = frozenset()
    systems: tuple[str, ...] = ()


def capped(table: RowTable) -> tuple[str, ...]:
    """Sentences on the rows that a table has fewer of than there are."""
    here = Counter(row.fate for row in table.rows)
    dropped, all_dropped = (sum(held.values()) - held.get("kept", 0) for held in (here, table.total))
    kept, all_kept = here["kept"], table.total.get("kept", here["kept"])
    return tuple(
        f"{shown:,} of {there:,} {what} {table.thing} are here, {how}; all are in {place}."
        for shown, there, what, how, place in (
            (kept, all_kept, "kept", "those of findings first, others evenly", "the Parquet files of the manifest"),
            (dropped, all_dropped, "dropped", "evenly by rule", "ledger.parquet"),
        )
        if shown < there
    )
