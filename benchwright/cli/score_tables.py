"""Scores and comparisons as people read them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchwright.cli import console, words
from benchwright.cli.layout import Column, Name, numeric
from schemas.errors import counted
from schemas.paths import real_path
from scorers.score import Comparison, Difference, Pair, Score, Table, Value, digits, interval_methods, p_value, scale
from scorers.scorer import Scorer

_SIGNATURE_PARTS = re.compile(r"\b(\w+)[:=]")
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
    show_counts(result.counts, scorer.words, [f"missing:{scorer.missing(result.protocol)}"])
    if any(value.method for value in result.metrics.values()):
        console.say(f"95% intervals: {interval_methods(result.metrics.values())}", "dim")
    for warning in result.warnings:
        console.complain(warning, "warning")
    for note in result.notes:
        console.say(note)
    show_signature(result.signature, scorer.clusters)


def show_counts(counts: Mapping[str, int], meanings: Mapping[str, str], more: Sequence[str] = ()) -> None:
    """The counts in a line, and what they and `more` words mean."""
    spelled = {word.replace("_", " "): meaning for word, meaning in meanings.items()}
    named = {status.replace("_", " "): count for status, count in counts.items()}
    console.say(", ".join(counted(count, status) for status, count in named.items()))
    console.explain(spelled | dict(meanings), [*named, *more])


def show_signature(signature: str, cluster: str) -> None:
    """A signature in one line, and above it what its parts mean."""
    parts = _SIGNATURE_PARTS.findall(signature)
    console.explain(words.SIGNATURE | {"ci": f"how intervals are made, each {cluster} a cluster"}, parts)
    console.quote(signature)


def explain_metrics(names: Iterable[str], scorer: Scorer[Any, Any, Any]) -> None:
    """What metrics mean of which the names, and `scale`, are in a table above."""
    console.say("↑ higher is better, ↓ lower is better; % = percent, fraction = from 0 to 1", "dim")
    # `mean td` says nothing where no other metric is of td.
    texts = [text for name in names for text in (name, scorer.words.get(name, ""))]
    console.explain(scorer.words, [part for text in texts for part in (text, *_NAME_PARTS.findall(text))])


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
    meanings = {word: meaning for word, meaning in scorer.words.items() if word not in metrics}
    for table in tables.values():
        if table.rows:
            _show_table(table, meanings, f"{run}: " if run else "")


def _show_table(table: Table, meanings: Mapping[str, str], before: str) -> None:
    rows = table.rows
    texts = [all(isinstance(row[key], str) for row in rows) for key in rows[0]]
    headings = [Column(key) if text else numeric(key) for key, text in zip(rows[0], texts, strict=True)]
    cells = [[console.number(value, digits("fraction")) for value in row.values()] for row in rows]
    console.table(before + table.title, headings, cells)
    console.explain(meanings, rows[0])


def show_comparison(run_a: Path, run_b: Path, found: Comparison, scorer: Scorer[Any, Any, Any]) -> None:
    """The table of two runs."""
    names = _names_of(run_a, run_b)
    cells = [
        [
            f"{metric}, {_scale(pair)}",
            *(_number(number, pair.unit) for number in (pair.a, pair.b)),
            f"{_number(pair.difference, pair.unit)} {_between(pair)}".rstrip(),
            "" if pair.p_value is None else p_value(pair),
        ]
        for metric, pair in found.metrics.items()
    ]
    numbers = map(numeric, (*map(Name, names), "difference [95% interval]", "p-value"))
    console.table(f"{names[1]} minus {names[0]}, protocol {found.protocol}", ["metric", *numbers], cells)
    for name, run in dict(zip(names, (run_a, run_b), strict=True)).items():
        if name != str(run):
            console.say(f"{name} = {run}", "dim")
    explain_metrics(found.metrics, scorer)
    console.explain(scorer.words, [found.protocol, f"missing:{scorer.missing(found.protocol)}"])
    corrected = f", Holm-corrected for {len(cells)} metrics" if len(cells) > 1 else ""
    least = ", at most (<=) where there can be none smaller" if any(row[-1].startswith("<=") for row in cells) else ""
    console.say(f"{found.method}; p-values are two-sided{corrected}{least}", "dim")


def _names_of(*runs: Path) -> list[str]:
    """Names of runs as a leaderboard has them; whole paths where these would be the same."""
    names = [real_path(run).name if run.is_dir() else run.stem for run in runs]
    return names if len(set(names)) == len(names) else list(map(str, runs))


def _scale(value: Value | Pair) -> str:
    return scale(value.unit, value.higher_is_better)


def _reached(result: Score, metric: str) -> list[str]:
    """What each baseline reaches."""
    unit = result.metrics[metric].unit
    return [_number(values[metric], unit) for values in result.baselines.values()]


def _number(value: float | None, unit: str) -> str:
    return console.number(value, digits(unit))


def _between(value: Value | Pair) -> str:
    bounds = [value.low, value.high]
    return "" if None in bounds else f"[{', '.join(_number(bound, value.unit) for bound in bounds)}]"
