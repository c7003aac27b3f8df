"""Reproduced tables of a paper as people read them."""

from __future__ import annotations

from collections import Counter

from benchwright.cli import console, words
from benchwright.cli.layout import named, numeric
from benchwright.cli.score_tables import explain_metrics
from benchwright.reproduce import Cell
from schemas.paper import as_printed
from scorers.score import scale
from scorers.temporal.scorer import SCORER


def show_tables(cells: list[Cell]) -> None:
    """The printed tables in their own layout, the remarks once under each."""
    for number in sorted({cell.table for cell in cells}):
        printed = [cell for cell in cells if cell.table == number]
        remarks: dict[str, int] = {}
        for benchmark in dict.fromkeys(_benchmark(cell) for cell in printed):
            _show_part(f"Table {number}, {benchmark}", [c for c in printed if _benchmark(c) == benchmark], remarks)
        verdicts = Counter(cell.verdict for cell in printed)
        console.say(", ".join(f"{count} {verdict}" for verdict, count in verdicts.items()), "bold")
        console.explain(words.VERDICTS, verdicts)
        for remark, mark in remarks.items():
            console.say(f"[{mark}] {remark}")
        console.say("")
    explain_metrics([cell.column for cell in cells if cell.table > 1], SCORER)
    console.say("16.49: ours prints the same; 16.49/16.50: ours differs; (16.49): nothing to compute it from", "dim")


def _show_part(title: str, cells: list[Cell], remarks: dict[str, int]) -> None:
    columns = list(dict.fromkeys(cell.column for cell in cells))
    lines = []
    for name in dict.fromkeys(cell.row for cell in cells):
        row = {cell.column: cell for cell in cells if cell.row == name}
        marks = [remarks.setdefault(remark, len(remarks) + 1) for remark in _remarks(list(row.values()))]
        shown = [_cell_text(row[column]) if column in row else "" for column in columns]
        lines.append([name.partition(": ")[2], *shown, "".join(f"[{mark}]" for mark in marks)])
    # Table 1 has long headings and one row per benchmark: it reads better on its side.
    if len(lines) == 1 and not lines[0][0]:
        table = [[column, text, row[column].reason] for column, text in zip(columns, shown, strict=True)]
        console.table(title, ["", numeric(""), "how to read it"], table)
        remarks.clear()
        return
    console.table(title, [named(""), *(numeric(_heading(column)) for column in columns), numeric("")], lines)


def _benchmark(cell: Cell) -> str:
    return cell.row.partition(": ")[0]


def _heading(column: str) -> str:
    """A metric without the `R1` that all have, its unit and direction."""
    from scorers.temporal.expressions import parse_metric

    metric = parse_metric(column)
    name = column[3:-1] if column.startswith("R1(") else column
    return f"{name}, {scale(metric.unit, metric.higher_is_better)}"


def _cell_text(cell: Cell) -> str:
    if cell.verdict == "reproduced":
        return cell.paper
    if cell.value is None:
        return f"({cell.paper})"
    return f"{cell.paper}/{as_printed(cell.value, cell.paper)}"


def _remarks(cells: list[Cell]) -> list[str]:
    """The reasons of a row, those of some cells only with their columns; then what protocol `strict` gives."""
    columns: dict[str, list[str]] = {}
    for cell in cells:
        if cell.reason:
            columns.setdefault(cell.reason, []).append(cell.column)
    remarks = [
        reason if len(named) == len(cells) else f"{', '.join(named)}: {reason}" for reason, named in columns.items()
    ]
    strict = [f"{cell.column} {cell.strict:.2f}" for cell in cells if cell.strict is not None]
    return [*remarks, f"by protocol strict: {', '.join(strict)}"] if strict else remarks
