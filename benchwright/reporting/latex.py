r"""A report as an appendix in LaTeX: a fragment to \input, its figures PDF files; nothing in a text is a command."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
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
from benchwright.reporting.pdf import pdf
from benchwright.reporting.texts import SIGNS, Code, Text, plain
from scorers.leaderboard.latex import escaped, one_line

_DIGEST = re.compile("[0-9a-f]{40,}")
_BREAKS = re.compile(r"\\_|[.=/:,<>-](?=\w)")
"""Signs within code, escaped, after which a line may end."""
_LONGEST = 25
"""Rows of a table that stays on one page."""
_SHORT = (20, 12, 8)
"""Characters of cells that are not broken into lines; the fewer, the less room there is."""
_LEAST = 0.15
"""Width of a column of broken lines, as a share of a line."""
_CHARACTER, _GAP, _BOLD = 0.0135, 0.035, 1.2
"""Width of a character and of the space between columns, as shares of a line of a one-column paper; bold is wider."""


def latex(page: Page, folder: str) -> tuple[str, dict[str, bytes]]:
    """The report as LaTeX, and by name the files of its figures, which it expects in `folder`."""
    figures = Figures(folder, ".pdf", pdf)
    lines = [
        r"% needs \usepackage{array,booktabs,graphicx,longtable}",
        rf"% figures are in {one_line(folder)}; for another place, \graphicspath{{{{FOLDER/}}}}",
        r"\begingroup\sloppy",
        rf"\section{{{escaped(page.name)}}}",
        _text(page.lead),
        *_items(rf"{escaped(name)}: {_text(value)}" for name, value in page.facts),
    ]
    for section in appendix(page).sections:
        lines.append(rf"\subsection{{{escaped(section.heading)}}}")
        lines += [_block(block, figures) for block in section.blocks]
    if page.commands:
        lines += ["Computed by:", *_items(_code(command) for command in page.commands)]
    lines.append(r"\endgroup")
    return "\n\n".join(line for line in lines if line) + "\n", figures.files


@singledispatch
def _block(block: Block, _: Figures) -> str:
    raise TypeError(block)


@_block.register
def _(block: Cards, _: Figures) -> str:
    return "".join(_items(rf"\textbf{{{escaped(card.figure)}}} {_text(card.text)}" for card in block.cards))


@_block.register
def _(block: Paragraph, _: Figures) -> str:
    return _text(block.text)


@_block.register
def _(block: Subheading, _: Figures) -> str:
    return rf"\subsubsection*{{{escaped(block.text)}}}"


@_block.register
def _(block: Key, _: Figures) -> str:
    entries = (f"{escaped(sign_of(sign))} {escaped(meaning)}".strip() for sign, meaning in block.entries)
    return rf"{{\small {'; '.join(entries)}}}"


@_block.register
def _(block: Figure, figures: Figures) -> str:
    return "\n".join(
        [
            r"\begin{figure}[!htbp]",
            r"  \centering",
            rf"  \includegraphics[width=\linewidth]{{{figures.add(block.drawing)}}}",
            rf"  \caption{{\textbf{{{escaped(block.title)}.}} {_text(block.caption)}}}",
            r"\end{figure}",
        ]
    )


@_block.register
def _(block: FindingList, _: Figures) -> str:
    items = []
    for found in block.findings:
        others = [f"{_code(found.id)}, {escaped(severity_of(found.severity))}"]
        others += [f"concerns {escaped(found.claim or '')}"] * bool(found.claim)
        others += [f"other choice: {_code(found.other_choice or '')}"] * bool(found.other_choice)
        items.append(rf"\textbf{{{escaped(found.title)}.}} {escaped(found.statement)} ({'; '.join(others)})")
    return "".join(_items(items))


@_block.register
def _(block: Table, _: Figures) -> str:
    """One that fits on a page floats, and is shrunk if it is wider than a line; a longer one is broken into pages."""
    head = [_line([rf"\textbf{{{escaped(name)}}}" for name in block.columns]), r"\midrule"]
    body = [_line([_cell(cell) for cell in row]) for row in block.rows]
    caption, columns = rf"\caption{{{escaped(block.caption)}}}", _columns(block)
    if len(block.rows) > _LONGEST:
        begun = [r"{\small", rf"\begin{{longtable}}{{{columns}}}", caption + r" \\", r"\toprule"]
        return "\n".join([*begun, *head, r"\endhead", *body, r"\bottomrule", r"\end{longtable}}"])
    shrunk = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{\small"
    begun = [r"\begin{table}[!htbp]", r"\centering", caption, shrunk, rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    return "\n".join([*begun, *head, *body, r"\bottomrule", r"\end{tabular}}", r"\end{table}"])


def _columns(table: Table) -> str:
    """Columns of short texts are as wide as these; the others share what is left of the line."""
    rows = [tuple(map(_words, row)) for row in table.rows]
    longest = [
        max([math.ceil(_BOLD * len(name)), *(len(row[place]) for row in rows)])
        for place, name in enumerate(table.columns)
    ]
    for short in _SHORT:
        broken = [length > short and place not in table.numeric for place, length in enumerate(longest)]
        taken = sum(_GAP + (0 if wide else _CHARACTER * length) for length, wide in zip(longest, broken, strict=True))
        if taken + _LEAST * sum(broken) <= 1:
            break
    total = sum(length for length, wide in zip(longest, broken, strict=True) if wide)
    kinds = []
    for place, (length, wide) in enumerate(zip(longest, broken, strict=True)):
        share = max(_LEAST, min((1 - taken) * length / total, _CHARACTER * length)) if wide else 0
        text = rf">{{\raggedright\arraybackslash}}p{{{share:.2f}\linewidth}}" if wide else "l"
        kinds.append("r" if place in table.numeric else text)
    return "".join(kinds)


def _words(cell: Cell) -> str:
    """The longest line of a cell."""
    if isinstance(cell, Noted):
        return max(plain(cell.text), plain(cell.note), key=len)
    return f"  {cell.text}" if isinstance(cell, (Swaps, Verdict)) else plain(cell)


def _cell(cell: Cell) -> str:
    if isinstance(cell, Swaps):
        return escaped(marked(cell))
    if isinstance(cell, Verdict):
        return f"{escaped(SIGNS[cell.tone])} {escaped(cell.text)}"
    if isinstance(cell, Noted):
        return rf"{_text(cell.text)} {{\footnotesize {_text(cell.note)}}}"
    return _text(cell)


def _text(text: Text) -> str:
    """A link is its text: where it leads is in the same document."""
    parts = (text,) if isinstance(text, str) else text
    joined = "".join(
        _code(part.text) if isinstance(part, Code) else _prose(part if isinstance(part, str) else part.text)
        for part in parts
    )
    return _DIGEST.sub(lambda found: r"\allowbreak{}".join(re.findall(".{1,8}", found[0])), joined)


def _prose(text: str) -> str:
    """A text whose names with underscores may break after these."""
    return escaped(text).replace(r"\_", r"\_\allowbreak{}")


def _code(text: str) -> str:
    """Code, which may break after the signs between its words, as it has no spaces to break at."""
    return rf"\texttt{{{_BREAKS.sub(_break, escaped(text))}}}"


def _break(sign: re.Match[str]) -> str:
    return rf"{sign[0]}\allowbreak{{}}"


def _line(cells: list[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _items(texts: Iterable[str]) -> list[str]:
    items = "\n".join(rf"  \item {text}" for text in texts)
    return ["\\begin{itemize}\n" + items + "\n\\end{itemize}"] if items else []
