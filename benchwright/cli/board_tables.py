"""Leaderboards as people read them."""

from __future__ import annotations

from typing import Any

from benchwright.cli import console
from benchwright.cli.layout import Column, Name, numeric
from benchwright.cli.score_tables import explain_metrics, show_parts, show_signature
from scorers.leaderboard.board import Leaderboard, Neighbours, Row
from scorers.leaderboard.formats import rank_of, scale_of
from scorers.score import Value, digits, interval_methods
from scorers.scorer import Scorer

BEST = "*"


def show_board(title: str, board: Leaderboard, scorer: Scorer[Any, Any, Any]) -> None:
    """Who ranks where and what is told apart, every metric of every row, then warnings and the signature."""
    _show_ranks(title, board)
    console.say("")
    _show_values(board)
    _show_differences(board)
    for row in board.rows:
        show_parts(row.tables, board.best, scorer, row.name)
    words = _words(board)
    console.explain(words, words)
    explain_metrics(board.best, scorer)
    missing = f"missing:{scorer.missing(board.protocol)}"
    baselines = [row.name for row in board.rows if row.kind == "baseline"]
    protocols = [name for row in board.rows for each in row.differences for name in each.values]
    console.explain(scorer.words, [*baselines, *dict.fromkeys([board.protocol, *protocols]), missing])
    for note in board.notes:
        console.say(note)
    for row in board.rows:
        for note in row.notes:
            console.say(f"{row.name}: {note}")
    for warning in board.warnings:
        console.complain(warning, "warning")
    for row in board.rows:
        for warning in row.warnings:
            if warning not in board.warnings:
                console.complain(f"{row.name}: {warning}", "warning")
    show_signature(board.signature, scorer.clusters)


def _label(row: Row) -> str:
    return row.name if row.kind == "run" else f"({row.name})"


def _show_ranks(title: str, board: Leaderboard) -> None:
    """The order by the primary metric: rank and its interval, value, group, and how far above the next row."""
    pairs = {pair.better: pair for pair in board.neighbours}
    headings = ["rank", "run", "value", "95% interval"]
    rows = [[rank_of(row), Name(_label(row)), *_value(board, row, board.primary)] for row in board.rows]
    if pairs:
        headings += ["group", "above the next", "p (Holm)"]
        for row, cells in zip(board.rows, rows, strict=True):
            cells += [row.group or "", *_above(pairs.get(row.label), row.metrics[board.primary])]
    numbers = {2, 3, 5, 6}
    columns = [numeric(heading) if place in numbers else heading for place, heading in enumerate(headings)]
    console.table(f"{title}: ranked by {board.primary}, {scale_of(board, board.primary)}", columns, rows)


def _above(pair: Neighbours | None, value: Value) -> list[str]:
    if pair is None or pair.p_adjusted is None:
        return ["", ""]
    at_floor = pair.p_value is not None and pair.p_value <= pair.p_floor
    return [_number(pair.difference, value), f"{'<= ' if at_floor else ''}{pair.p_adjusted:.4f}"]


def _show_values(board: Leaderboard) -> None:
    """Every metric of every row with its interval, and how many rows of the manifest each run has a prediction for."""
    headings = [*(f"{name}, {scale_of(board, name)}" for name in board.best), "rows scored"]
    rows = [
        [Name(_label(row)), *(" ".join(_value(board, row, name)).rstrip() for name in board.best), _scored(row)]
        for row in board.rows
    ]
    console.table("all metrics", ["run", *map(numeric, headings)], rows)


def _show_differences(board: Leaderboard) -> None:
    """Each metric of a run whose values under the protocols differ, and why."""
    found = [(row, each) for row in board.rows for each in row.differences]
    if found:
        protocols = list(found[0][1].values)
        rows = [
            [
                *(Name(row.name), each.metric),
                *(_number(number, row.metrics[each.metric]) for number in each.values.values()),
                each.reason,
            ]
            for row, each in found
        ]
        console.say("")
        headings: list[str | Column] = ["run", "metric", *map(numeric, protocols), "why"]
        kept = len(headings) - (not any(each.reason for _, each in found))
        console.table("Where the protocols differ", headings[:kept], [row[:kept] for row in rows])


def _scored(row: Row) -> str:
    return f"{row.counts['scored']:,} of {row.counts['rows']:,}" if row.counts else ""


def _value(board: Leaderboard, row: Row, metric: str) -> list[str]:
    """The value, marked where it is the best, and its interval."""
    value = row.metrics[metric]
    mark = BEST if board.is_best(row, metric) else ""
    known = value.low is not None and value.high is not None
    bounds = f"[{_number(value.low, value)}, {_number(value.high, value)}]" if known else ""
    return [f"{mark}{_number(value.value, value)}", bounds]


def _number(number: float | None, value: Value) -> str:
    return console.number(number, digits(value.unit))


def _words(board: Leaderboard) -> dict[str, str]:
    """What the signs of the tables mean."""
    found = {}
    if any(board.best.values()):
        found[BEST] = "best run of the metric"
    if any(row.kind == "baseline" for row in board.rows):
        found["(name)"] = "trivial baseline, not ranked"
    if board.neighbours:
        found |= {
            "rank": f"by {board.primary}; in brackets the ranks that it may have, with 95% certainty",
            "[low, high]": f"95% interval: {interval_methods(board.values)}",
            "group": "rows of one letter follow one another, and none is told apart from the next",
            "above the next": "value less that of the next row",
            "p (Holm)": "of no difference to the next row, paired, two-sided, corrected, at most (<=) where none can "
            "be smaller; below 0.05 is told apart",
        }
    return found
