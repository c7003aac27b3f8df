"""Scores and comparisons as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from benchwright.cli import console
from benchwright.cli.layout import Name, numeric
from scorers.score import Comparison, Difference, Score, Value, digits


def show_score(title: str, result: Score, layout: Mapping[str, tuple[str, ...]]) -> None:
    """The table of a score, where the protocols differ, its warnings, its signature.

    Args:
        title: what was scored.
        result: the score.
        layout: rows of metric names by the title of the row, see `Scorer.layout`; used where all of them are there.
    """
    title = f"{title}, protocol {result.protocol}"
    if layout and {name for names in layout.values() for name in names if name} == set(result.metrics):
        _show_layout(title, result, layout)
    else:
        cells = [
            [name, _number(value.value, value.unit), _between(value), *_reached(result, name)]
            for name, value in result.metrics.items()
        ]
        numbers = map(numeric, ("value", "95% interval", *result.baselines))
        console.table(title, ["metric", *numbers], cells)
    if result.differences:
        _show_differences(result.differences, result)
    console.say(", ".join(f"{count:,} {status}" for status, count in result.counts.items()))
    for warning in result.warnings:
        console.complain(warning, "warning")
    for note in result.notes:
        console.say(note)
    console.say(result.signature, "dim")


def _show_layout(title: str, result: Score, layout: Mapping[str, tuple[str, ...]]) -> None:
    """The values of each row, the last of them with its interval and beside those of the baselines."""
    rows = []
    for row, names in layout.items():
        values = [_number(result.metrics[name].value, result.metrics[name].unit) if name else "" for name in names]
        rows.append([row, *values, _between(result.metrics[names[-1]]), *_reached(result, names[-1])])
    columns = [name.partition("_")[0] for name in next(iter(layout.values()))]
    unit = next(iter(result.metrics.values())).unit
    headings = [*columns, f"95% of {columns[-1]}", *(f"{columns[-1]} of {kind}" for kind in result.baselines)]
    console.table(title, [unit, *map(numeric, headings)], rows)


def _show_differences(differences: list[Difference], result: Score) -> None:
    """A row per metric; a reason that the row above has too is not repeated."""
    protocols = list(differences[0].values)
    cells, before = [], ""
    for difference in differences:
        unit = result.metrics[difference.metric].unit
        reason = "the same" if difference.reason and difference.reason == before else difference.reason
        cells.append([difference.metric, *(_number(difference.values[name], unit) for name in protocols), reason])
        before = difference.reason
    explained = any(row[-1] for row in cells)
    rows = cells if explained else [row[:-1] for row in cells]
    console.table("Where the protocols differ", ["metric", *map(numeric, protocols), *["why"] * explained], rows)


def show_comparison(run_a: Path, run_b: Path, found: Comparison) -> None:
    """The table of two runs."""
    cells = [
        [
            name,
            *(_number(number, pair.unit) for number in (pair.a, pair.b, pair.difference)),
            _between(Value(pair.difference, pair.low, pair.high, pair.unit)),
            "" if pair.p_value is None else f"{pair.p_value:.4f}",
        ]
        for name, pair in found.metrics.items()
    ]
    runs = [Name(run) for run in (run_a, run_b)]
    numbers = map(numeric, (*runs, "difference", "95% interval", "p-value"))
    title = f"{run_b} minus {run_a}, protocol {found.protocol}"
    console.table(title, ["metric", *numbers], cells)
    console.say(f"{found.method}; p-values are two-sided", "dim")


def _reached(result: Score, metric: str) -> list[str]:
    """What each baseline reaches."""
    unit = result.metrics[metric].unit
    return [_number(values[metric], unit) for values in result.baselines.values()]


def _number(value: float | None, unit: str) -> str:
    return console.number(value, digits(unit))


def _between(value: Value) -> str:
    places = digits(value.unit)
    return "" if value.low is None or value.high is None else f"{value.low:.{places}f} to {value.high:.{places}f}"
