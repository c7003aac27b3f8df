"""A report as an appendix in GitHub's Markdown, its figures SVG files; no text of others is markup.

Source: GitHub Flavored Markdown, version 0.29 (tables 4.10, code spans 6.3).
"""

from __future__ import annotations

import re
from functools import singledispatch

from benchwright.reporting.appendix import Figures, appendix, marked, severity_of, sign_of
from benchwright.reporting.blocks import (
    Block,
    Cards,
    Cell,
    Figure,
    FindingList,
    Key,
    Noted,
    Page,
    Paragraph,
    Subheading,
    Swaps,
    Table,
    Verdict,
)
from benchwright.reporting.svg import svg_file
from benchwright.reporting.texts import SIGNS, Code, Text
from schemas.errors import printable
from scorers.leaderboard.formats import escaped_markdown


def markdown(page: Page, folder: str) -> tuple[str, dict[str, bytes]]:
    """The report as Markdown, and by name the files of its figures, which it expects in `folder`."""
    figures = Figures(folder, ".svg", lambda drawing: svg_file(drawing).encode())
    parts = [f"# {escaped_markdown(page.name)}", _text(page.lead)]
    parts.append("\n".join(f"- {escaped_markdown(name)}: {_text(value)}" for name, value in page.facts))
    for section in appendix(page).sections:
        parts.append(f"## {escaped_markdown(section.heading)}")
        parts += [_block(block, figures) for block in section.blocks]
    if page.commands:
        parts += ["Computed by:", "\n".join(f"- {_code(command)}" for command in page.commands)]
    return "\n\n".join(part for part in parts if part) + "\n", figures.files


@singledispatch
def _block(block: Block, _: Figures) -> str:
    raise TypeError(block)


@_block.register
def _(block: Cards, _: Figures) -> str:
    return "\n".join(f"- **{escaped_markdown(card.figure)}** {_text(card.text)}" for card in block.cards)


@_block.register
def _(block: Paragraph, _: Figures) -> str:
    return _text(block.text)


@_block.register
def _(block: Subheading, _: Figures) -> str:
    return f"### {escaped_markdown(block.text)}"


@_block.register
def _(block: Table, _: Figures) -> str:
    lines = [[escaped_markdown(name) for name in block.columns]]
    lines.append(["---:" if place in block.numeric else ":---" for place in range(len(block.columns))])
    lines += [[_cell(cell).replace("\n", " ") for cell in row] for row in block.rows]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    return f"*{escaped_markdown(block.caption)}*\n\n{table}"


@_block.register
def _(block: Key, _: Figures) -> str:
    entries = (
        f"{escaped_markdown(sign_of(sign))} {escaped_markdown(meaning)}".strip() for sign, meaning in block.entries
    )
    return "; ".join(entries)


@_block.register
def _(block: Figure, figures: Figures) -> str:
    image = f"![{escaped_markdown(block.drawing.description)}](<{figures.add(block.drawing)}>)"
    return f"**{escaped_markdown(block.title)}**\n\n{image}\n\n{_text(block.caption)}"


@_block.register
def _(block: FindingList, _: Figures) -> str:
    lines = []
    for found in block.findings:
        others = [f"{_code(found.id)}, {severity_of(found.severity)}"]
        others += [f"concerns {escaped_markdown(found.claim or '')}"] * bool(found.claim)
        others += [f"other choice: {_code(found.other_choice or '')}"] * bool(found.other_choice)
        said = f"**{escaped_markdown(found.title)}** {escaped_markdown(found.statement)}"
        lines.append(f"- {said} ({'; '.join(others)})")
    return "\n".join(lines)


def _cell(cell: Cell) -> str:
    if isinstance(cell, Swaps):
        return escaped_markdown(marked(cell))
    if isinstance(cell, Verdict):
        return f"{SIGNS[cell.tone]} {escaped_markdown(cell.text)}"
    if isinstance(cell, Noted):
        return f"{_text(cell.text)}<br>{_text(cell.note)}"
    return _text(cell)


def _text(text: Text) -> str:
    """A link is its text: where it leads is in the same file."""
    parts = (text,) if isinstance(text, str) else text
    return "".join(
        _code(part.text) if isinstance(part, Code) else escaped_markdown(part if isinstance(part, str) else part.text)
        for part in parts
    )


def _code(text: str) -> str:
    """A code span, its fence longer than any in the text; a bar would end the cell of a table even there."""
    line = printable(text).replace("\n", " ")
    fence = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    space = " " if line[:1] in ("`", " ") or line[-1:] == "`" else ""
    return f"{fence}{space}{line}{space}{fence}".replace("|", "\\|")
