"""Scores and reproduced tables as people read them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.cli import console as display
from scorers.score import Comparison, Score

if TYPE_CHECKING:
    from benchwright.reproduce import Cell


def show_score(title: str, result: Score) -> None:
    """The table of a score, its warnings, its line to quote."""
    names = list(result.baselines)
    cells = [
        [
            name,
            display.number(value.value, _digits(value.unit)),
            _between(value.low, value.high, value.unit),
            *(display.number(result.baselines[kind][name], _digits(value.unit)) for kind in names),
        ]
        for name, value in result.metrics.items()
    ]
    headings = ["metric", "value", "95% interval", *names]
    display.table(f"{title}, protocol {result.protocol}", headings, cells, right=range(1, len(headings)))
    for difference in result.differences:
        values = " and ".join(
            f"{display.number(value)} ({name})"
            for name, value in (("paper", difference.paper), ("strict", difference.strict))
        )
        display.say(f"{difference.metric} depends on the protocol: {values}")
    show_remarks(result)


def show_remarks(result: Score) -> None:
    """Counts and warnings of a score, and its line to quote."""
    display.say(", ".join(f"{count:,} {status}" for status, count in result.counts.items()))
    for warning in result.warnings:
        display.complain(warning, "warning")
    for note in result.notes:
        display.say(note)
    display.say(result.signature, "dim")


def show_comparison(run_a: Path, run_b: Path, found: Comparison) -> None:
    """The table of two runs."""
    cells = [
        [
            name,
            display.number(line.a, _digits(line.unit)),
            display.number(line.b, _digits(line.unit)),
            display.number(line.difference, _digits(line.unit)),
            _between(line.low, line.high, line.unit),
            "" if line.p_value is None else f"{line.p_value:.4f}",
        ]
        for name, line in found.metrics.items()
    ]
    names = [run_a.stem, run_b.stem] if run_a.stem != run_b.stem else [f"{run_a} (a)", f"{run_b} (b)"]
    headings = ["metric", *names, "difference", "95% interval", "p-value"]
    title = f"{run_b.name} minus {run_a.name}, protocol {found.protocol}"
    display.table(title, headings, cells, right=range(1, 6), whole=[0])
    display.say(f"{found.method}; p-values are two-sided", "dim")


def _digits(unit: str) -> int:
    return 4 if unit == "fraction" else 2


def _between(low: float | None, high: float | None, unit: str) -> str:
    return "" if low is None or high is None else f"{low:.{_digits(unit)}f} to {high:.{_digits(unit)}f}"


def show_tables(cells: list[Cell]) -> None:
    """The printed tables in their own layout, the remarks once under each."""
    for number in sorted({cell.table for cell in cells}):
        printed = [cell for cell in cells if cell.table == number]
        remarks: dict[str, int] = {}
        for benchmark in dict.fromkeys(_benchmark(cell) for cell in printed):
            _show_part(f"Table {number}, {benchmark}", [c for c in printed if _benchmark(c) == benchmark], remarks)
        verdicts = Counter(cell.verdict for cell in printed)
        display.say(", ".join(f"{count} {verdict}" for verdict, count in verdicts.items()), "bold")
        for remark, mark in remarks.items():
            display.say(f"[{mark}] {remark}")
        display.say("")
    display.say("16.49: ours prints the same; 16.49/16.50: ours differs; (16.49): nothing to compute it from", "dim")


def _show_part(title: str, cells: list[Cell], remarks: dict[str, int]) -> None:
    columns = list(dict.fromkeys(cell.column for cell in cells))
    lines = []
    for name in dict.fromkeys(cell.row for cell in cells):
        row = {cell.column: cell for cell in cells if cell.row == name}
        marks = [remarks.setdefault(remark, len(remarks) + 1) for remark in _remarks(list(row.values()))]
        shown = [_cell_text(row[column]) if column in row else "" for column in columns]
        lines.append([name.partition(": ")[2], *shown, "".join(f"[{mark}]" for mark in marks)])
    # Table 1 has long headings and one row a benchmark: it stands better on its side.
    if len(lines) == 1 and not lines[0][0]:
        table = [[column, text, row[column].reason] for column, text in zip(columns, shown, strict=True)]
        display.table(title, ["", "", "how to read it"], table, right=[1])
        remarks.clear()
        return
    display.table(title, ["", *map(_heading, columns), ""], lines, right=range(1, len(columns) + 1))


def _benchmark(cell: Cell) -> str:
    return cell.row.partition(": ")[0]


def _heading(column: str) -> str:
    return column[3:-1] if column.startswith("R1(") else column


def _cell_text(cell: Cell) -> str:
    if cell.verdict == "reproduced":
        return cell.paper
    if cell.value is None:
        return f"({cell.paper})"
    return f"{cell.paper}/{cell.value:.{len(cell.paper.partition('.')[2])}f}"


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
