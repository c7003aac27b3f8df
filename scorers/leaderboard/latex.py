r"""A leaderboard as a LaTeX table with booktabs: plain ASCII, nothing in a name is a command.

Source of what TeX makes of characters: Knuth, The TeXbook (1986), chapters 7 and 8; of ligatures, its chapter 9.
"""

from __future__ import annotations

import re
import unicodedata

from schemas.errors import printable
from scorers.leaderboard.board import Leaderboard, Row
from scorers.leaderboard.formats import bounds_of, legend, number_of, rank_of, scale_of

# Braces keep apart what fonts join or languages make active: -- and '', " and ` of babel.
_SPECIAL = {
    **{c: f"\\{c}" for c in "{}$&#_%"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    "|": r"\ensuremath{|}",
    '"': r"\char34{}",
    "`": r"\char96{}",
    "'": "'{}",
    "-": "-{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "\u2013": "--",
    "\u2014": "---",
    "\u2026": r"\ldots{}",
    "\u00d7": r"\ensuremath{\times}",
    "\u00b1": r"\ensuremath{\pm}",
    "\u00b5": r"\ensuremath{\mu}",
    "\u00df": r"\ss{}",
    "\u2191": r"\ensuremath{\uparrow}",
    "\u2193": r"\ensuremath{\downarrow}",
    "\u2212": r"\ensuremath{-}",
    "\u00b7": r"\ensuremath{\cdot}",
    "\u00b0": r"\textdegree{}",
    "\u2020": r"\dag{}",
    "\u2021": r"\ddag{}",
    "\u2192": r"\ensuremath{\rightarrow}",
    "\u2605": r"\ensuremath{\star}",
    "\u2713": r"\ensuremath{\surd}",
    "\u25cb": r"\ensuremath{\circ}",
    "\u25cf": r"\ensuremath{\bullet}",
    "\u25a0": r"\rule{1ex}{1ex}",
    "\u25b2": r"\ensuremath{\triangle}",
    "\u25bc": r"\ensuremath{\nabla}",
    "\u25c6": r"\ensuremath{\diamond}",
    "\u2265": r"\ensuremath{\geq}",
    "\u2264": r"\ensuremath{\leq}",
    **{
        c: f"\\{name}{{}}"
        for c, name in zip(
            "\u00f8\u00d8\u00e6\u00c6\u0153\u0152\u0142\u0141",
            ("o", "O", "ae", "AE", "oe", "OE", "l", "L"),
            strict=True,
        )
    },
}
_MARKS = "\u0300\u0301\u0302\u0303\u0308\u030a\u030c\u0327\u0304\u0306\u0307\u030b"
_ACCENTS = dict(zip(_MARKS, "`'^~\"rvc=u.H", strict=True))
_GREEK = re.compile(r"GREEK SMALL LETTER (\w+)")
_NOT_GREEK = {"OMICRON", "LAMDA", "FINAL"}


def latex(board: Leaderboard) -> str:
    r"""A `table*` with its caption; intervals are below the values; shrunk only where it is wider than the page."""
    ranked, grouped = any(row.rank for row in board.rows), any(row.group for row in board.rows)
    before, metrics = ["r"] * ranked + ["l"] + ["l"] * grouped, list(board.best)
    heads = ["Rank"] * ranked + ["Run"] + ["Group"] * grouped
    under = [escaped(scale_of(board, name)) for name in metrics]
    lines = [[*heads, *map(_spoken, metrics)], [*[""] * len(before), *under]]
    body = [line for row in board.rows for line in _lines(board, row, ranked, grouped)]
    what, signature = legend(board)
    return "\n".join(
        [
            r"% needs \usepackage{booktabs,graphicx}",
            f"% {one_line(signature)}",
            r"\begin{table*}",
            r"  \centering",
            f"  \\caption{{{_spoken(what)}}}",
            f"  \\label{{tab:{re.sub('[^A-Za-z0-9]+', '-', board.data)}}}",
            r"  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
            f"  \\begin{{tabular}}{{{''.join([*before, *'r' * len(metrics)])}}}",
            r"    \toprule",
            *map(_line, lines),
            r"    \midrule",
            *map(_line, body),
            r"    \bottomrule",
            r"  \end{tabular}}",
            r"\end{table*}",
            "",
        ]
    )


def _lines(board: Leaderboard, row: Row, ranked: bool, grouped: bool) -> list[list[str]]:
    """The values of a row, and below them their intervals where there are any."""
    name = escaped(row.label) if row.kind == "run" else rf"\textit{{{escaped(row.label)}}}"
    values = [(row.metrics[metric], board.is_best(row, metric)) for metric in board.best]
    numbers = [rf"\textbf{{{number_of(value)}}}" if best else number_of(value) for value, best in values]
    lines = [[*[escaped(rank_of(row))] * ranked, name, *[row.group or ""] * grouped, *numbers]]
    bounds = [bounds_of(value) for value, _ in values]
    if any(bounds):
        small = [rf"{{\scriptsize [{text}]}}" if text else "" for text in bounds]
        lines.append([*[""] * (ranked + 1 + grouped), *small])
    return lines


def _line(cells: list[str]) -> str:
    return "    " + re.sub(" +", " ", " & ".join(cells)).strip() + r" \\"


def _spoken(text: str) -> str:
    """A text of ours, whose comparisons are single signs."""
    return escaped(text.replace(">=", "\u2265").replace("<=", "\u2264"))


def one_line(text: str) -> str:
    """For a comment, which ends with the line; ASCII alone."""
    return printable(text).replace("\n", " ").encode("ascii", "backslashreplace").decode()


def escaped(text: str) -> str:
    r"""A text as LaTeX prints it, in ASCII; a character that no LaTeX font is sure to have is `[U+4E2D]`.

    >>> print(escaped(r"50%_of \input{x} caf\u00e9"))
    50\%\_of \textbackslash{}input\{x\} caf\textbackslash{}u00e9
    >>> print(escaped("caf\u00e9 \u03b1 \u4e2d"))
    caf\'{e} \ensuremath{\alpha} {[}U+4E2D{]}
    """
    return "".join(map(_character, printable(unicodedata.normalize("NFC", text)).replace("\n", " ")))


def _character(c: str) -> str:
    if c in _SPECIAL:
        return _SPECIAL[c]
    if c.isascii():
        return c
    base, *marks = list(unicodedata.normalize("NFD", c))
    if len(marks) == 1 and marks[0] in _ACCENTS and base.isascii() and base.isalpha():
        return f"\\{_ACCENTS[marks[0]]}{{{base}}}"
    greek = _GREEK.fullmatch(unicodedata.name(c, ""))
    if greek and greek[1] not in _NOT_GREEK:
        return rf"\ensuremath{{\{greek[1].lower()}}}"
    return f"{{[}}U+{ord(c):04X}{{]}}"
