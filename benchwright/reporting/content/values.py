"""Scores where no audit has them: what each system reaches, as `score` gives it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan

from benchwright.reporting.blocks import Beside, Figure, Paragraph, Section, Table
from benchwright.reporting.charts.dots import Dot, dots
from benchwright.reporting.content.family import Material
from benchwright.reporting.content.guesses import fitted, told
from schemas.errors import counted
from scorers.run import draws, few_clusters, valued
from scorers.score import Value, digits, interval_methods, quoted, scale
from scorers.task import Task

_MOST_CHARTS = 6


def values(material: Material) -> list[Section]:
    """The section: a chart for each main metric, systems beside guesses, and all metrics as a table.

    None without predictions, or with an audit, which has more to say of them.
    """
    context, task = material.context, material.context.task
    if material.audit is not None or task is None or task.empty or not context.read:
        return []
    evaluations = [task.evaluate(context.read[name].predictions) for name in material.systems]
    drawn = draws(task, evaluations)
    found = {
        name: valued(task, evaluation, each)
        for name, evaluation, each in zip(material.systems, evaluations, drawn, strict=True)
    }
    guesses = {
        name: {str(metric): value for metric, value in evaluation.values.items()}
        for name, evaluation in task.baselines().items()
    }
    own = fitted(material, task.protocol, task.split)
    names = [str(metric) for metric in task.metrics]
    guesses |= {one: {name: each.values.get(name, nan) for name in names} for one, each in own.items()}
    charts = tuple(_chart(metric, found, guesses) for metric in _main(material, task))
    blocks = (Paragraph(_said(task, found) + told(own)), Beside(charts), _table(found, guesses))
    return [Section("scores", "Scores beside guesses" if guesses else "Scores", "Scores", blocks)]


def _said(task: Task, found: Mapping[str, Mapping[str, Value]]) -> str:
    bootstrap = task.bootstrap(task.scorer.resamples)
    method = interval_methods(value for each in found.values() for value in each.values())
    said = [f"Split {task.split}, protocol {task.protocol}."]
    if bootstrap.resamples:
        clusters = f"{task.cluster_count:,} {bootstrap.clusters}s"
        said.append(f"Intervals (95 %) draw {clusters} {bootstrap.resamples:,} times, seed {bootstrap.seed}: {method}.")
    return " ".join([*said, *(f"{warning}." for warning in few_clusters(task))])


def _main(material: Material, task: Task) -> Sequence[str]:
    """The metrics that have a chart: the main ones of the card, else the first."""
    names = [str(metric) for metric in task.metrics]
    card = material.context.manifest.card
    main = [name for name in (card.audit.metrics if card else ()) if name in names]
    return (main or names)[:_MOST_CHARTS]


def _chart(metric: str, found: Mapping[str, Mapping[str, Value]], guesses: Mapping[str, Mapping[str, float]]) -> Figure:
    reached = {name: each[metric] for name, each in found.items()}
    unit, better = (v := next(iter(reached.values()))).unit, v.higher_is_better
    entries = [
        Dot(name, each.value, each.low, each.high, quoted(each).partition(" [")[0], place)
        for place, (name, each) in enumerate(reached.items())
        if each.value is not None
    ]
    entries += [
        Dot(name, each[metric], None, None, _guessed(each[metric], unit), None)
        for name, each in guesses.items()
        if each[metric] == each[metric]
    ]
    entries.sort(key=lambda dot: dot.value if better is False else -dot.value)
    systems = [dot for dot in entries if dot.system is not None]
    title = f"{metric}: {systems[0].name} reaches {systems[0].text}" if systems else f"{metric}: no system has a value"
    above = [dot.name for dot in entries[: entries.index(systems[0])]] if systems else []
    lacking = [name for name, each in reached.items() if each.value is None]
    caption = f"{metric}, {scale(unit, better)}."
    caption += f" Above every system: {', '.join(above)}." if above else ""
    caption += f" Without a value: {', '.join(lacking)}." if lacking else ""
    told = "; ".join(f"{dot.name} {dot.text}" for dot in entries)
    return Figure(title, dots(entries, f"{title}. {told}"), caption)


def _table(found: Mapping[str, Mapping[str, Value]], guesses: Mapping[str, Mapping[str, float]]) -> Table:
    rows = []
    for name, value in next(iter(found.values())).items():
        reached = [quoted(each[name]) for each in found.values()]
        guessed = [_guessed(each[name], value.unit) for each in guesses.values()]
        rows.append((f"{name} ({scale(value.unit, value.higher_is_better)})", *reached, *guessed))
    columns = ("metric", *found, *guesses)
    folded = f"{'All ' * (len(rows) > 1)}{counted(len(rows), 'metrics')} as a table"
    return Table("Scores with their 95 % intervals", columns, tuple(rows), frozenset(range(1, len(columns))), folded)


def _guessed(value: float, unit: str) -> str:
    return f"{value:.{digits(unit)}f}" if value == value else "–"
