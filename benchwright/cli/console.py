"""Tables and messages for people: 100 columns, nothing but data on standard output under `--json`."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Literal

import msgspec
from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from schemas.errors import printable
from schemas.identity import written

_NARROWEST, _WIDEST = 80, 100
# Least width of a column of text in a table.
_NARROWEST_TEXT = 12

COLOURS = {
    **dict.fromkeys(("reproduced", "kept", "passed", "built"), "green"),
    **dict.fromkeys(("differs", "dropped", "error", "failed"), "red"),
    **dict.fromkeys(("needs media", "needs source", "lacks sources", "noted", "warning"), "yellow"),
    "changed": "cyan",
}


class Lines(str):
    """A cell of several lines: its line breaks are meant, where those of untrusted text are shown as `\\n`."""


class _Quiet(Console):
    """A console whose reader may leave: `| head` is not a failure."""

    def on_broken_pipe(self) -> None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 (the interpreter flushes it at exit)


def console() -> Console:
    """Standard output in 80 to 100 columns, narrower ones would lose cells; a pipe gets the full width."""
    out = _Quiet(highlight=False)
    out.width = min(max(out.width, _NARROWEST), _WIDEST) if out.is_terminal else _WIDEST
    return out


def say(text: str, style: str = "") -> None:
    """A line for people. It may be untrusted: no markup, no control characters."""
    console().print(Text(printable(text), style), soft_wrap=True)


def complain(text: str, label: str = "error") -> None:
    """A message on standard error."""
    message = Text.assemble((f"{label}:", COLOURS.get(label, "yellow")), " ", printable(text))
    Console(stderr=True, highlight=False).print(message, soft_wrap=True)


def table(
    title: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[object]],
    right: Sequence[int] = (),
    whole: Sequence[int] = (),
) -> None:
    """A table. Wider than the terminal, which then breaks its lines, if it would lose cells otherwise.

    Args:
        title: the line above it.
        headings: of the columns.
        rows: the cells.
        right: positions of columns of numbers, whose lines are never broken.
        whole: positions of columns whose lines are only broken if the terminal is too narrow for the table.
    """
    out = console()
    texts = [[_cell(value) for value in row] for row in rows]
    columns = [[Text(heading), *(row[position] for row in texts)] for position, heading in enumerate(headings)]
    widths = [max(Measurement.get(out, out.options, text).maximum for text in column) for column in columns]
    unbroken = {*right, *whole} if _least_width(widths, {*right, *whole}) <= out.width else {*right}
    least = _least_width(widths, unbroken)
    shown = Table(header_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    shown.width = least if least > out.width else None
    for position, heading in enumerate(headings):
        justify: Literal["left", "right"] = "right" if position in right else "left"
        shown.add_column(heading, justify=justify, overflow="fold", no_wrap=position in unbroken)
    for row in texts:
        shown.add_row(*row)
    out.print(Text(printable(title), "bold"), soft_wrap=True)
    out.print(shown, crop=False)


def _least_width(widths: Sequence[int], unbroken: Collection[int]) -> int:
    """Width of a table whose texts are folded as far as they may be; between columns there are two blanks."""
    folded = (width if position in unbroken else min(width, _NARROWEST_TEXT) for position, width in enumerate(widths))
    return sum(folded) + 2 * len(widths) - 1


def as_json(value: Any) -> None:
    """One JSON value on standard output."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


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


def _cell(value: object) -> Text:
    if value is None:
        return Text("-")
    text = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    lines = [printable(line) for line in text.split("\n")] if isinstance(value, Lines) else [printable(text)]
    return Text("\n".join(lines), COLOURS.get(text, ""))
