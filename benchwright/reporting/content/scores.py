"""Scores beside guesses: what systems reach, and what is reached without a look at the data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from benchwright.auditing.effect import Standing
from benchwright.auditing.result import Audit
from benchwright.reporting.blocks import Beside, Block, Cell, Figure, Key, Noted, Paragraph, Section, Table
from benchwright.reporting.charts.dots import Dot, dots
from benchwright.reporting.content.family import Material
from benchwright.reporting.content.guesses import PEOPLE, fitted, guesses, told
from benchwright.reporting.content.words import bare, listed, number
from schemas.errors import counted

Others = Mapping[str, Mapping[str, Standing]]
"""What is no system, by name and metric: guesses, and people."""

_MOST_CHARTS = 6


def scores(material: Material) -> list[Section]:
    """The section; none without systems."""
    audit = material.audit
    if audit is None or not audit.systems or not audit.metrics:
        return []
    blind = guesses(material)
    others = blind | {name: each for name, each in audit.baselines.items() if name == PEOPLE}
    blocks: list[Block] = [Paragraph(_said(material, audit, blind))]
    blocks.append(Beside(tuple(_chart(audit, metric, material.systems, others) for metric in charted(audit))))
    if len(material.systems) > 1:
        blocks.append(_key(material.systems, others))
    blocks.append(_table(audit, material.systems, others))
    blocks += [_printed(audit)] if audit.published else []
    heading = "Scores beside guesses" if others else "Scores"
    return [Section("scores", heading, "Scores", tuple(blocks))]


def _said(material: Material, audit: Audit, blind: Others) -> str:
    drawn = audit.clusters
    said = f"On the {audit.default.rows:,} rows of {audit.split}, by the protocol {audit.protocol}."
    if drawn is not None:
        said += f" Intervals (95 %) draw the {drawn.count:,} {drawn.name} {drawn.resamples:,} times, seed {drawn.seed}."
    if blind:
        said += f" Hollow marks are no systems: {listed(list(blind))} see no video or image"
        said += f", {PEOPLE} is a person who was asked." if PEOPLE in audit.baselines else "."
    return said + told(fitted(material, audit.protocol, audit.split))


def charted(audit: Audit) -> list[str]:
    """The metrics that have a chart: of several that differ in a number alone the last.

    >>> re.sub(r"[\\d.]+", "", "R1(iou>=0.5)")
    'R(iou>=)'
    """
    by_stem = {re.sub(r"[\d.]+", "", metric): metric for metric in audit.metrics}
    return list(by_stem.values())[:_MOST_CHARTS]


def better(audit: Audit, metric: str, one: float | None, other: float | None) -> bool:
    """Whether a score is better than another by this metric; false where either is unknown."""
    if one is None or other is None:
        return False
    return one < other if audit.metrics[metric].higher_is_better is False else one > other


def best(audit: Audit, metric: str, several: dict[str, Standing]) -> str | None:
    """The name of the best of several by a metric; none where none has a score."""
    known = {name: standing.score for name, standing in several.items() if standing.score is not None}
    sign = -1 if audit.metrics[metric].higher_is_better is False else 1
    return max(known, key=lambda name: sign * known[name], default=None)


def _chart(audit: Audit, metric: str, systems: Sequence[str], beside: Others) -> Figure:
    scale = audit.metrics[metric]
    standings = audit.default.effects[metric].systems
    rows = [(name, standings[name], place) for place, name in enumerate(systems) if name in standings]
    others = {name: by_metric[metric] for name, by_metric in beside.items()}
    entries: list[tuple[str, Standing, int | None]] = [*rows, *((name, each, None) for name, each in others.items())]
    sign = 1 if scale.higher_is_better is False else -1
    shown = [
        Dot(name, each.score, each.interval.low, each.interval.high, bare(each.score, scale.unit), place)
        for name, each, place in sorted(entries, key=lambda entry: sign * (entry[1].score or 0.0))
        if each.score is not None
    ]
    lacking = [name for name, each, _ in entries if each.score is None]
    title, above = _title(audit, metric, standings, others)
    direction = {True: "higher is better", False: "lower is better", None: "neither end is better"}
    caption = f"{metric}, {direction[scale.higher_is_better]}."
    caption += f" Above every system: {listed(above)}." if above else ""
    caption += f" Without a value: {listed(lacking)}." if lacking else ""
    told = "; ".join(f"{dot.name} {dot.text}" for dot in shown)
    unit = {"percent": "%", "s": "s"}.get(scale.unit, "")
    return Figure(title, dots(shown, f"{title}: {told}", unit), caption)


def _title(
    audit: Audit, metric: str, systems: dict[str, Standing], others: dict[str, Standing]
) -> tuple[str, list[str]]:
    """What the chart shows, and who is above every system."""
    leader = best(audit, metric, systems)
    if leader is None:
        return f"{metric}: no system has a value", []
    score, unit = systems[leader].score, audit.metrics[metric].unit
    sign = 1 if audit.metrics[metric].higher_is_better is False else -1
    order = sorted(others, key=lambda name: sign * (others[name].score or 0.0))
    above = [name for name in order if better(audit, metric, others[name].score, score)]
    blind = [name for name in above if name != PEOPLE]
    if blind:
        most = best(audit, metric, {name: others[name] for name in blind}) or ""
        reached = number(others[most].score, unit)
        return f"{metric}: the guess {most} reaches {reached}, the best system {number(score, unit)}", above
    lead = f"{metric}: {leader} reaches {number(score, unit)}"
    known = {name: each.score for name, each in others.items() if name != PEOPLE and each.score is not None}
    equal = [name for name, each in known.items() if score is not None and bare(each, unit) == bare(score, unit)]
    if equal:
        return f"{lead}, no more than the guess {listed(equal[:1])}", above
    return f"{lead}, above every guess" if known else lead, above


def _key(systems: Sequence[str], others: Others) -> Key:
    entries = [(f"system {place}", name) for place, name in enumerate(systems[:5])]
    entries += [("other", counted(len(systems) - 5, "further systems"))] * (len(systems) > 5)
    entries += [("guess", "no system")] * bool(others)
    return Key(tuple(entries))


def _table(audit: Audit, systems: Sequence[str], others: Others) -> Table:
    """All scores with their intervals."""
    metrics = list(audit.metrics)
    named = {name: {m: audit.default.effects[m].systems[name] for m in metrics} for name in systems}
    rows: list[tuple[Cell, ...]] = [
        (name, *(_cell(by_metric[metric], audit.metrics[metric].unit) for metric in metrics))
        for name, by_metric in (*named.items(), *others.items())
    ]
    return Table(
        caption=f"Scores of {counted(len(systems), 'systems')} with their 95 % intervals"
        + (f", and of {listed(list(others), len(others))}" if others else ""),
        columns=("", *metrics),
        rows=tuple(rows),
        numeric=frozenset(range(1, len(metrics) + 1)),
        folded=f"{'All ' * (len(metrics) > 1)}{counted(len(metrics), 'metrics')} as a table",
    )


def _cell(standing: Standing, unit: str) -> str:
    low, high = standing.interval.low, standing.interval.high
    spread = f" [{bare(low, unit)}, {bare(high, unit)}]" if low is not None and high is not None else ""
    return ("–" if standing.score is None else bare(standing.score, unit)) + spread


def _printed(audit: Audit) -> Table:
    """What papers print, and which audited system prints the same."""
    metrics = list(dict.fromkeys(metric for each in audit.published for metric in each.published.scores))
    rows: list[tuple[Cell, ...]] = []
    for each in audit.published:
        card = each.published
        name = Noted(card.system, "; ".join(filter(None, (card.where, card.note))))
        same = f"prints as {listed(each.equal)}" if each.equal else "" if card.kind == "system" else card.kind
        rows.append((name, *(card.scores.get(metric, "") for metric in metrics), same))
    return Table(
        caption="Scores as papers print them",
        columns=("In print", *metrics, "Here"),
        rows=tuple(rows),
        numeric=frozenset(range(1, len(metrics) + 1)),
        folded=f"What papers print: {counted(len(rows), 'rows')}",
    )
