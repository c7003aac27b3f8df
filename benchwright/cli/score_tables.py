"""Scores and comparisons as people read them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchwright.cli import console
from benchwright.cli.layout import Column, Name, numeric
from scorers.score import Comparison, Difference, Pair, Score, Table, Value, digits, interval_methods, p_value, scale
from scorers.scorer import Scorer

_LONGEST_TABLE = 100
_NAME_PARTS = re.compile("[A-Za-z]+|_[a-z]")


def show_score(title: str, result: Score, scorer: Scorer[Any, Any, Any]) -> None:
    """The table of a score, where the protocols differ, its warnings, its signature, and what all of it means.

    Args:
        title: what was scored.
        result: the score.
        scorer: by which; its `layout` is used where all metrics of it are there.
    """
    title, layout = f"{title}, protocol {result.protocol}", scorer.layout
    if layout and {name for names in layout.values() for name in names if name} == set(result.metrics):
        explained = _show_layout(title, result, layout)
    else:
        explained = list(result.metrics)
        cells = [
            [name, _scale(value), _number(value.value, value.unit), _between(value), *_reached(result, name)]
            for name, value in result.metrics.items()
        ]
        numbers = map(numeric, ("unit", "value", "95% interval", *result.baselines))
        console.table(title, ["metric", *numbers], cells)
    explain_metrics([*explained, *(difference.metric for difference in result.differences)], scorer)
    console.explain(scorer.words, result.baselines)
    if result.differences:
        _show_differences(result.differences, result)
    console.explain(scorer.words, result.differences[0].values if result.differences else [result.protocol])
    show_parts(result.tables, result.metrics, scorer)
    console.say(", ".join(f"{count:,} {status.replace('_', ' ')}" for status, count in result.counts.items()))
    counted = [status for status, count in result.counts.items() if count]
    console.explain(scorer.words, [*counted, f"missing:{scorer.missing(result.protocol)}"])
    if any(value.method for value in result.metrics.values()):
        console.say(f"95% intervals: {interval_methods(result.metrics.values())}", "dim")
    for warning in result.warnings:
        console.complain(warning, "warning")
    for note in result.notes:
        console.say(note)
    console.say(result.signature, "dim")


def explain_metrics(names: Iterable[str], scorer: Scorer[Any, Any, Any]) -> None:
    """What metrics mean of which the names, and `scale`, are in a table above."""
    console.say("↑ higher is better, ↓ lower is better; % = percent, fraction = from 0 to 1", "dim")
    console.explain(scorer.words, [part for name in names for part in (name, *_NAME_PARTS.findall(name))])


def _show_layout(title: str, result: Score, layout: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The values of each row, the last of them with its interval and beside those of the baselines; what to explain."""
    rows = []
    for row, names in layout.items():
        values = [_number(result.metrics[name].value, result.metrics[name].unit) if name else "" for name in names]
        rows.append([row, *values, _between(result.metrics[names[-1]]), *_reached(result, names[-1])])
    columns = [name.partition("_")[0] for name in next(iter(layout.values()))]
    headings = [*columns, f"95% of {columns[-1]}", *(f"{columns[-1]} of {kind}" for kind in result.baselines)]
    console.table(title, [_scale(next(iter(result.metrics.values()))), *map(numeric, headings)], rows)
    return [*columns, *layout]


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


def show_parts(
    tables: Mapping[str, Table], metrics: Iterable[str], scorer: Scorer[Any, Any, Any], run: str = ""
) -> None:
    """The tables that a score is made of; `metrics` are explained elsewhere, `run` is named where there are several."""
    words = {word: meaning for word, meaning in scorer.words.items() if word not in metrics}
    for table in tables.values():
        if table.rows:
            _show_table(table, words, f"{run}: " if run else "")


def _show_table(table: Table, words: Mapping[str, str], before: str) -> None:
    """The first rows of a table; the rest of a long one is in the data for machines."""
    rows, more = table.rows[:_LONGEST_TABLE], len(table.rows) - _LONGEST_TABLE
    texts = [all(isinstance(row[key], str) for row in rows) for key in rows[0]]
    headings = [Column(key) if text else numeric(key) for key, text in zip(rows[0], texts, strict=True)]
    console.table(
        before + table.title, headings, [[console.number(v, digits("fraction")) for v in row.values()] for row in rows]
    )
    if more > 0:
        console.say(f"and {more:,} more rows, all of them in --json", "dim")
    console.explain(words, rows[0])


def show_comparison(run_a: Path, run_b: Path, found: Comparison, scorer: Scorer[Any, Any, Any]) -> None:
    """The table of two runs."""
    cells = [
        [
            name,
            _scale(pair),
            *(_number(number, pair.unit) for number in (pair.a, pair.b, pair.difference)),
            _between(Value(pair.difference, pair.low, pair.high, pair.unit)),
            "" if pair.p_value is None else p_value(pair),
        ]
        for name, pair in found.metrics.items()
    ]
    runs = [Name(run) for run in (run_a, run_b)]
    numbers = map(numeric, ("unit", *runs, "difference", "95% interval", "p-value"))
    title = f"{run_b} minus {run_a}, protocol {found.protocol}"
    console.table(title, ["metric", *numbers], cells)
    explain_metrics(found.metrics, scorer)
    console.explain(scorer.words, [found.protocol, f"missing:{scorer.missing(found.protocol)}"])
    corrected = f", Holm-corrected for {len(cells)} metrics" if len(cells) > 1 else ""
    console.say(f"{found.method}; p-values are two-sided{corrected}", "dim")


def _scale(value: Value | Pair) -> str:
    return scale(value.unit, value.higher_is_better)


def _reached(result: Score, metric: str) -> list[str]:
    """What each baseline reaches."""
    unit = result.metrics[metric].unit
    return [_number(values[metric], unit) for values in result.baselines.values()]


def _number(value: float | None, unit: str) -> str:
    return console.number(value, digits(unit))


def _between(value: Value) -> str:
    places = digits(value.unit)
    return "" if value.low is None or value.high is None else f"{value.low:.{places}f} to {value.high:.{places}f}"
