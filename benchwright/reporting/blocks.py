"""What a report holds, whatever it is written as: HTML, Markdown or LaTeX.

Texts are plain: each writer escapes them for its format. Numbers are already in words, as every writer prints the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from benchwright.reporting.drawing import Drawing
from benchwright.reporting.rows import Outline as Outline
from benchwright.reporting.rows import Row as Row
from benchwright.reporting.rows import RowTable as RowTable
from benchwright.reporting.rows import Timeline as Timeline
from benchwright.reporting.texts import Code as Code
from benchwright.reporting.texts import Link as Link
from benchwright.reporting.texts import Text as Text
from benchwright.reporting.texts import Tone as Tone


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


def row_table_of(page: Page) -> RowTable | None:
    """The row table of a page; null where it has none."""
    blocks = each_block(block for section in page.sections for block in section.blocks)
    return next((block for block in blocks if isinstance(block, RowTable)), None)
