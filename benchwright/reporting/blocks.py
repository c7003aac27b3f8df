"""What a report holds, whatever it is written as: HTML, Markdown or LaTeX.

Texts are plain: each writer escapes them for its format. Numbers are already in words, as every writer prints the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from benchwright.reporting.drawing import Drawing

Tone = Literal["good", "note", "limit", "change"]
"""How much something matters: holds, good to know, limits what can be claimed, changes a conclusion."""
SIGNS: dict[Tone, str] = {"good": "✓", "note": "○", "limit": "●", "change": "▲"}
SEVERITIES: dict[str, tuple[Tone, str]] = {
    "high": ("change", "changes conclusions"),
    "medium": ("limit", "limits what can be claimed"),
    "low": ("note", "good to know"),
}


@dataclass(frozen=True)
class Code:
    """Text to be typed or quoted as it is: a command, a parameter, the id of a finding."""

    text: str


@dataclass(frozen=True)
class Link:
    """Text that leads to a section, or to the rows that a finding is of.

    Attributes:
        text: to click.
        section: id of the section.
        finding: id of the finding whose rows the table shows.
    """

    text: str
    section: str
    finding: str | None = None


Text = str | tuple[str | Code | Link, ...]


@dataclass(frozen=True)
class Card:
    """An answer: the figure in large type, and what it says."""

    figure: str
    text: Text
    tone: Tone


@dataclass(frozen=True)
class Cards:
    """The answers at the top."""

    cards: tuple[Card, ...]


@dataclass(frozen=True)
class Paragraph:
    """A few sentences."""

    text: Text


@dataclass(frozen=True)
class Subheading:
    """A heading within a section."""

    text: str


@dataclass(frozen=True)
class Verdict:
    """A cell with words, before which writers put the sign of the tone, such as the verdict on a claim."""

    text: str
    tone: Tone


@dataclass(frozen=True)
class Swaps:
    """A cell of the table of effects.

    Attributes:
        text: pairs of systems whose order changes, `·` for none, `?` for not judged; with `★` for another first place.
        degree: 0 none, 1 within sampling noise, 2 a significant lead lost or won, 3 one that turns round.
        title: the cell in a sentence.
    """

    text: str
    degree: Literal[0, 1, 2, 3]
    title: str


@dataclass(frozen=True)
class Noted:
    """A cell with a small second line."""

    text: Text
    note: Text


Cell = Text | Verdict | Swaps | Noted


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        caption: what it holds, also for screen readers.
        columns: headings.
        numeric: which columns hold numbers, by position.
        rows: of cells; the first heads its row.
        folded: the words under which a long table is folded away; null for one that is always open.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    numeric: frozenset[int] = frozenset()
    folded: str | None = None


@dataclass(frozen=True)
class Key:
    """What colours, shapes and signs mean.

    Attributes:
        entries: colour (see `drawing`; `degree 1` to `degree 3` of `Swaps`) or the sign itself, and its meaning.
    """

    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Figure:
    """A drawing: its title states the result, its caption what is drawn and what is not."""

    title: str
    drawing: Drawing
    caption: Text


@dataclass(frozen=True)
class Beside:
    """Blocks two in a row where there is room."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Tabs:
    """Blocks of which one is seen at a time, by name; on paper all of them."""

    tabs: tuple[tuple[str, tuple[Block, ...]], ...]


@dataclass(frozen=True)
class FindingNote:
    """A finding: see `benchwright.checks.finding.Finding`; `rows` is how many rows of the row table it is of."""

    id: str
    severity: Literal["high", "medium", "low"]
    title: str
    statement: str
    claim: str | None = None
    other_choice: str | None = None
    rows: int = 0


@dataclass(frozen=True)
class FindingList:
    """Findings, the gravest first."""

    findings: tuple[FindingNote, ...]


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


Block = Cards | Paragraph | Subheading | Table | Key | Figure | Beside | Tabs | FindingList | RowTable


@dataclass(frozen=True)
class Section:
    """A part of the report; `short` names it in the navigation."""

    id: str
    heading: str
    short: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Page:
    """The whole report.

    Attributes:
        name: of the benchmark.
        lead: what it is, in a sentence.
        facts: rows, source, digest, tool: name and value; digests are shortened where the whole is at hand.
        sections: in reading order.
        commands: which compute what the report shows.
    """

    name: str
    lead: str
    facts: tuple[tuple[str, Text], ...]
    sections: tuple[Section, ...]
    commands: tuple[str, ...]


def each_block(blocks: Iterable[Block]) -> Iterator[Block]:
    """Blocks in reading order, those that hold others before these."""
    for block in blocks:
        yield block
        if isinstance(block, Beside):
            yield from each_block(block.blocks)
        elif isinstance(block, Tabs):
            for _, held in block.tabs:
                yield from each_block(held)


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


def row_table_of(page: Page) -> RowTable | None:
    """The row table of a page; null where it has none."""
    blocks = each_block(block for section in page.sections for block in section.blocks)
    return next((block for block in blocks if isinstance(block, RowTable)), None)


def plain(text: Text) -> str:
    """A text without what is to be quoted or clicked.

    >>> plain(("see ", Code("why"), " of ", Link("all", "rows")))
    'see why of all'
    """
    return text if isinstance(text, str) else "".join(part if isinstance(part, str) else part.text for part in text)
