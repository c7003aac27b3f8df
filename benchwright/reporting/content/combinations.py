"""Every combination of choices: specification curves by metric, and what moves each."""

from __future__ import annotations

from statistics import median

from benchwright.auditing.curves import LEAST
from benchwright.auditing.result import Audit, Curve, Factorial
from benchwright.reporting.blocks import Beside, Block, Figure, Key, Paragraph, Subheading, Tabs
from benchwright.reporting.charts.axis import round_step
from benchwright.reporting.charts.bars import Bar, bars
from benchwright.reporting.charts.curve import Point, specification_curve
from benchwright.reporting.content.family import Material
from benchwright.reporting.content.words import listed, number
from schemas.errors import counted
from schemas.identity import Value, written

_FAR = 4
"""Values so many times the highest published one are drawn at the edge."""


def combinations(material: Material, first: str | None = None) -> list[Block]:
    """The curves, that of one metric first; none where fewer than two choices change a score."""
    audit = material.audit
    if audit is None or audit.factorial is None or not audit.factorial.curves:
        return []
    found, systems = audit.factorial, material.systems
    every = f"{found.combinations:,} combinations of {listed(list(found.choices), 12)}"
    known = found.scored == found.combinations
    scored = "are scored" if known else f"are too many: {found.scored:,} of at most two choices are scored"
    said = f"{every} {scored}. Each column below is one way to build and score the benchmark, and the dots say which; "
    said += "lines that cross are systems that change places. " if len(systems) > 1 else ""
    said += "Repairs and equivalent choices alone are combined: other "
    said += "benchmarks are not."
    entries = tuple((f"system {place}", name) for place, name in enumerate(systems[:5]))
    others = (("other", counted(len(systems) - 5, "further systems")),) if len(systems) > 5 else ()
    parameters = material.context.manifest.identity.parameters
    tabs = tuple(
        (metric, (Beside((_curve(metric, curve, audit, systems, parameters), _shares(metric, found))),))
        for metric, curve in sorted(found.curves.items(), key=lambda item: (item[0] != first, -item[1].orders))
        if curve.choices
    )
    if not tabs:
        return []
    return [Subheading("Every combination of choices"), Paragraph(said), Key((*entries, *others)), Tabs(tabs)]


def _curve(metric: str, curve: Curve, audit: Audit, systems: tuple[str, ...], parameters: dict[str, Value]) -> Figure:
    assert audit.factorial is not None
    order = [audit.systems.index(name) for name in systems]
    keys = {choice: audit.factorial.choices[choice] for choice in curve.choices}
    points = [
        Point(
            tuple(next((n for n, key in enumerate(several, 1) if key in each.changed), 0) for several in keys.values()),
            tuple(each.scores[place] for place in order),
        )
        for each in curve.combinations
    ]
    first = audit.default.effects[metric].first
    leader = systems.index(first.systems[0]) if first and first.systems else 0
    points.sort(key=lambda point: (point.scores[leader] is None, point.scores[leader] or 0.0))
    levels = [
        (_published(choice, parameters), *(key.partition("=")[2] or key for key in several))
        for choice, several in keys.items()
    ]
    most = _edge(points)
    title = _title(metric, curve, audit, systems)
    caption = f"{metric} in {audit.metrics[metric].unit}; {counted(len(points), 'combinations')}, "
    caption += f"sorted by {systems[leader]}; the shaded one is published. "
    caption += f"Choices that explain less than {100 * LEAST:g} % of the variance are not varied."
    if most is not None:
        caption += f" Values above {most:g} are drawn there."
    told = f"{metric} of {counted(len(systems), 'systems')} under {counted(len(points), 'combinations')}: {title}"
    return Figure(title, specification_curve(points, systems, levels, told, most), caption)


def _published(choice: str, parameters: dict[str, Value]) -> str:
    """The published level of a choice: the value of a parameter; what a factor of scoring is otherwise, is not told."""
    return f"{choice}={written(parameters[choice])}" if choice in parameters else f"{choice}: published"


def _edge(points: list[Point]) -> float | None:
    """Where to cut values off that would hide all others; null where none does."""
    published = [score for point in points if not any(point.levels) for score in point.scores if score is not None]
    highest = max((score for point in points for score in point.scores if score is not None), default=0.0)
    usual = max(published, default=highest)
    return round_step(2 * usual) if highest > _FAR * usual > 0 and median(published) > 0 else None


def _title(metric: str, curve: Curve, audit: Audit, systems: tuple[str, ...]) -> str:
    """Who is first, how often, and how many orders there are; of one system from where to where it goes."""
    assert audit.factorial is not None
    top = max(curve.firsts, key=lambda name: curve.firsts[name], default="")
    count, every = curve.firsts.get(top, 0), audit.factorial.scored
    if len(systems) < 2:
        scores = [score for each in curve.combinations for score in each.scores if score is not None]
        under = f"under {counted(len(curve.combinations), 'combinations')}"
        if not scores:
            return f"{metric} has no value {under}"
        unit = audit.metrics[metric].unit
        return f"{metric} is {number(min(scores), unit)} to {number(max(scores), unit)} {under}"
    title = f"{top} is first under {'all' if count == every else f'{count:,} of'} {every:,} combinations"
    if curve.orders == 1:
        return f"{title}, and all other places hold"
    return f"{title}; the systems have {curve.orders:,} orders"


def _shares(metric: str, found: Factorial) -> Figure:
    """What moves a metric."""
    told = sorted(found.explained[metric].items(), key=lambda item: -item[1])
    shown = [Bar(name, value, f"{value:.0%}") for name, value in told if value >= LEAST]
    title = f"What moves {metric}"
    if shown:
        title = f"{shown[0].name} explains {shown[0].text.replace('%', ' %')} of how {metric} varies"
    caption = f"Share of the variance over {found.scored:,} combinations that each choice explains by itself, the mean "
    caption += "over systems; what is lacking to 100 %, choices do together."
    description = f"{title}: " + ", ".join(f"{bar.name} {bar.text}" for bar in shown)
    return Figure(title, bars(shown, description), caption)
