"""Tables and messages for people, as wide as the terminal; nothing but data on standard output under `--json`.

In a pipe each row of a table is one line, as long as it needs to be: nothing is folded or
shortened for `grep` and `sort`.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from benchwright.cli.layout import Column, Grid, Name, folded, lay_out
from schemas.errors import clipped, printable
from schemas.identity import written

# Narrower terminals break lines of this width.
_NARROWEST = 40
_AT_ONCE = 100
# Characters of a line of a message.
_LONGEST = 4000
# DEL, C1, and what turns the direction of text or ends a line: JSON allows them, and escapes only C0.
_STEERING = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

COLOURS = {
    **dict.fromkeys(("reproduced", "kept", "passed", "built"), "green"),
    **dict.fromkeys(("differs", "dropped", "error", "failed"), "red"),
    **dict.fromkeys(("needs media", "needs source", "lacks sources", "noted", "warning"), "yellow"),
    "changed": "cyan",
}
_COLOURED = {"verdict", "severity", "status", "action", "what it did", "what became of it"}


class _Quiet(Console):
    """A console whose reader may leave: `| head` is not a failure."""

    def on_broken_pipe(self) -> None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 (the interpreter flushes it at exit)


def page_width(out: Console) -> int | None:
    """Columns that lines for people may have; None where nobody looks, as in a pipe."""
    return max(out.width, _NARROWEST) if out.is_terminal else None


def say(text: str, style: str = "") -> None:
    """A message for people, broken at words. It may be untrusted: no markup, no control characters."""
    _print(_Quiet(highlight=False), Text(printable(text), style))


def quote(text: str) -> None:
    """A line that people copy: one line whatever its length, which only the terminal wraps."""
    _Quiet(highlight=False).print(Text(printable(text), "dim"), soft_wrap=True)


def complain(text: str, label: str = "error") -> None:
    """A message on standard error."""
    text = "\n".join(clipped(line, _LONGEST) for line in text.split("\n"))
    message = Text.assemble((f"{label}:", COLOURS.get(label, "yellow")), " ", printable(text))
    _print(Console(stderr=True, highlight=False), message)


def table(title: str, headings: Sequence[str | Column], rows: Sequence[Sequence[object]]) -> None:
    """A table, whose columns are of text unless they say otherwise; see `layout` for how it fits the terminal.

    Args:
        title: the line above it.
        headings: of the columns.
        rows: the cells.
    """
    out = _Quiet(highlight=False)
    columns = [heading if isinstance(heading, Column) else Column(heading) for heading in headings]
    columns = [column._replace(heading=_text(column.heading)) for column in columns]
    page = lay_out(columns, [[_text(value) for value in row] for row in rows], page_width(out))
    say(title, "bold")
    lines = _lines(page.grids, "-" if out.options.ascii_only else "─")
    while many := list(islice(lines, _AT_ONCE)):  # one by one long tables take four times as long
        out.print(Text("\n").join(many), soft_wrap=True)
    for short, whole in dict.fromkeys(page.legend):
        say(f"{short} = {whole}", "dim")


def explain(words: Mapping[str, str], shown: Iterable[str]) -> None:
    """What those of the words that are shown above mean."""
    meant = [f"{word} = {words[word]}" for word in dict.fromkeys(shown) if word in words]
    if meant:
        say("; ".join(meant), "dim")


def _print(out: Console, message: Text) -> None:
    """Print a message, broken at words on a terminal; a word that is longer is left whole."""
    if width := page_width(out):
        # As long as before: a line break stands for a blank, so that styles stay where they are.
        lines = [line for whole in message.plain.split("\n") for line in folded(whole, width)]
        message.plain = "\n".join(lines)
    out.print(message, soft_wrap=True)


def _lines(grids: Iterable[Grid], rule: str) -> Iterator[Text]:
    """The lines of tables, a blank one between two: headings, a rule, the rows."""
    for place, grid in enumerate(grids):
        if place:
            yield Text()
        for number, row in enumerate(grid.rows):
            headed = grid.headed and not number
            headings = grid.rows[0] if grid.headed else [row[0]] * len(row)
            styles = map(_style, headings, row)
            yield from _lines_of(row, grid, ["bold"] * len(row) if headed else list(styles))
            if headed:
                yield Text(rule * grid.width)


def _style(heading: Sequence[str], cell: Sequence[str]) -> str:
    """The colour of a verdict or the like, both in their lines; values that are called alike have none."""
    return COLOURS.get(" ".join(cell), "") if " ".join(heading) in _COLOURED else ""


def _lines_of(row: Sequence[Sequence[str]], grid: Grid, styles: Sequence[str]) -> Iterator[Text]:
    """The lines of a row, whose cells have lines of their own."""
    for line in range(max(map(len, row))):
        shown = Text()
        for cell, width, right, style in zip(row, grid.widths, grid.right, styles, strict=True):
            text = cell[line] if line < len(cell) else ""
            blank = " " * (width - cell_len(text))
            shown.append(blank + text if right else text + blank, style).append("  ")
        shown.rstrip()
        yield shown


def as_json(value: Any) -> None:
    """One JSON value on standard output, without characters that steer terminals: names may hold them."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    sys.stdout.write(_STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


@contextlib.contextmanager
def progress(title: str, steps: int, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """A progress bar on standard error, only on a terminal; gives the function to call at the start of each step."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import Progress  # the slowest part of rich

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=steps)

        def step(name: str) -> None:
            bar.update(task, description=f"{title}: {name}", advance=1)

        yield step


def number(value: object, digits: int = 2) -> str:
    """A number as a table shows it: thousands apart, no needless digits."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() and digits == 0 else f"{value:,.{digits}f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def plain(value: object) -> str:
    """A parameter's value as a person writes it: `true`, not `True`; line breaks as `\\n`."""
    return written(value).replace("\n", "\\n")


def _text(value: object) -> str:
    """A cell or heading on one line; names stay names."""
    if value is None:
        return "-"
    text = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    shown = printable(text).replace("\n", "\\n")
    return Name(shown) if isinstance(value, Name) else shown
