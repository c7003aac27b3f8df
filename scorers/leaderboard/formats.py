"""A leaderboard as CSV and Markdown. Names are untrusted: nothing in them is formula or markup."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from schemas.errors import printable
from scorers.leaderboard.board import Leaderboard, Row
from scorers.score import Value, digits, interval_methods, scale
from scorers.table_files import inert

_MARKUP = r"\`*_{}[]<>#|~&!$@:"


def records(board: Leaderboard) -> Iterator[list[object]]:
    """The headings, then a row per run and baseline, numbers as they are."""
    own = ("kind", "rank", "rank_low", "rank_high", "group")
    yield ["run", *own, *(f"{name}{part}" for name in board.best for part in ("", " low", " high"))]
    for row in board.rows:
        values = [row.metrics[name] for name in board.best]
        numbers = (number for value in values for number in (value.value, value.low, value.high))
        yield [row.name, *(getattr(row, name) for name in own), *numbers]


def csv_text(board: Leaderboard) -> str:
    """Comma-separated values; null is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows(
        [inert(printable(cell)) if isinstance(cell, str) else cell for cell in row] for row in records(board)
    )
    return text.getvalue()


def markdown(board: Leaderboard) -> str:
    """A table with a row per run and baseline, then a line for what it means."""
    ranked, grouped = any(row.rank for row in board.rows), any(row.group for row in board.rows)
    headings = ["rank"] * ranked + ["run"] + ["group"] * grouped
    alignments = ["---:"] * ranked + [":---"] + [":---"] * grouped + ["---:"] * len(board.best)
    lines = [headings + [escaped_markdown(f"{name}, {scale_of(board, name)}") for name in board.best], alignments]
    for row in board.rows:
        name = escaped_markdown(row.label)
        cells = [rank_of(row)] * ranked + [name if row.kind == "run" else f"*{name}*"] + [row.group or ""] * grouped
        lines.append(cells + [_cell(row.metrics[name], board.is_best(row, name)) for name in board.best])
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    return "\n".join([table, "", *(f"{escaped_markdown(line)}  " for line in legend(board)), ""])


def _cell(value: Value, best: bool) -> str:
    number, bounds = number_of(value), bounds_of(value)
    return (f"**{number}**" if best else number) + (f" \\[{bounds}\\]" if bounds else "")


def escaped_markdown(text: str) -> str:
    """A text without markup.

    >>> print(escaped_markdown("model_a|b"))
    model\\_a\\|b
    """
    return "".join(f"\\{c}" if c in _MARKUP else c for c in printable(text).replace("\n", " "))


def scale_of(board: Leaderboard, metric: str) -> str:
    """Unit and direction of a metric."""
    value = board.rows[0].metrics[metric]
    return scale(value.unit, value.higher_is_better)


def rank_of(row: Row) -> str:
    """The rank, and the ranks that the run may have where they are several."""
    if row.rank is None:
        return ""
    alone = row.rank_low is None or row.rank_low == row.rank_high == row.rank
    return f"{row.rank}" if alone else f"{row.rank} ({row.rank_low}-{row.rank_high})"


def number_of(value: Value) -> str:
    """A value with the digits of its unit; a dash for null."""
    return "\u2013" if value.value is None else f"{value.value:,.{digits(value.unit)}f}"


def bounds_of(value: Value) -> str:
    """The bounds of its interval, `14.73, 18.31`; nothing where there is none."""
    places = digits(value.unit)
    return "" if value.low is None or value.high is None else f"{value.low:,.{places}f}, {value.high:,.{places}f}"


def legend(board: Leaderboard) -> list[str]:
    """What the table means, and the signature, a line each."""
    found = [f"{board.data}, {board.scored_rows:,} rows, protocol {board.protocol}. Ranked by {board.primary}."]
    if any(row.rank_low for row in board.rows):
        found.append("Round brackets: ranks that a run may have, with 95% certainty.")
    if any(value.method for value in board.values):
        found.append(f"Square brackets: 95% intervals ({interval_methods(board.values)}).")
    if board.neighbours:
        found.append("Rows of one group: none is told apart from the next (p < 0.05, Holm-corrected).")
    if any(board.best.values()):
        found.append("Bold: best run of each column.")
    return [" ".join(found), board.signature]
