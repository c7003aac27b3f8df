"""What appendices in Markdown and LaTeX share: signs in place of colours, counts in place of rows, figures as files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from benchwright.reporting.blocks import Beside, Block, FindingList, Page, Paragraph, Subheading, Swaps, Table, Tabs
from benchwright.reporting.drawing import Drawing
from benchwright.reporting.palette import LIGHT, SAME
from benchwright.reporting.rows import RowTable
from benchwright.reporting.texts import SEVERITIES, SIGNS

DEGREES = ("", "", "†", "‡")
"""After a cell of the table of effects, by its degree."""
_LOOKS = {
    **{f"system {number}": sign for number, sign in enumerate("●■▲◆▼")},
    **{f"degree {number}": DEGREES[number] for number in (1, 2, 3)},
    "guess": "○",
    "kept": "blue:",
    "bar": "blue:",
    "gone": "orange:",
    "other": "grey:",
    "ghost": "grey:",
    "now": "yellow:",
}


@dataclass
class Figures:
    """The files of the drawings, in reading order, each by its path from where the text is."""

    folder: str
    suffix: str
    draw: Callable[[Drawing], bytes]
    files: dict[str, bytes] = field(default_factory=dict)

    def add(self, drawing: Drawing) -> str:
        """The path of a drawing."""
        name = f"figure-{len(self.files) + 1}{self.suffix}"
        self.files[name] = self.draw(drawing)
        return str(PurePosixPath(self.folder, name))


def appendix(page: Page) -> Page:
    """The report as blocks one below another: nothing to click, no rows."""
    return replace(page, sections=tuple(replace(each, blocks=tuple(_flat(each.blocks))) for each in page.sections))


def marked(cell: Swaps) -> str:
    """A cell of the table of effects with the sign of its degree."""
    return cell.text + DEGREES[cell.degree]


def sign_of(entry: str) -> str:
    """What an entry of a key looks like where its figure is a file: a shape, or a colour in words."""
    if entry in LIGHT or entry in SAME:
        return _LOOKS.get(entry, "")
    return entry


def severity_of(severity: str) -> str:
    """A severity with its sign in words."""
    tone, words = SEVERITIES[severity]
    return f"{SIGNS[tone]} {words}"


def _flat(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        if isinstance(block, Beside):
            yield from _flat(block.blocks)
        elif isinstance(block, Tabs):
            for name, held in block.tabs:
                yield Subheading(name)
                yield from _flat(held)
        elif isinstance(block, RowTable):
            yield from _counts(block)
        elif not (isinstance(block, FindingList) and not block.findings):
            yield block


def _counts(table: RowTable) -> Iterator[Block]:
    rows = tuple(
        ("kept" if fate == "kept" else f"dropped by {fate}", f"{number:,}") for fate, number in table.total.items()
    )
    yield Table(f"{table.thing} by what became of them", ("", table.thing), rows, frozenset({1}))
    yield Paragraph(
        f"The {table.thing} themselves are on the HTML page, in the Parquet files of the manifest and in its ledger."
    )
