"""By one metric: the places of the systems under several alternatives, and the parts of each difference."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright.auditing.result import Audit, Variant
from benchwright.reporting.blocks import Beside, Block, Cell, Code, Figure, Paragraph, Subheading, Table
from benchwright.reporting.charts.slope import slope
from benchwright.reporting.content.words import listed, number, plain, signed
from schemas.errors import counted

_SLOPES = 4
_UNITS = {"percent": "percent of the rows", "s": "seconds", "fraction": "fractions of 1", "count": "counts"}
_PARTS = ("Published", "Lost", "Truth", "Gained", "Then")


def places(audit: Audit, graded: Sequence[Variant], systems: Sequence[str], metric: str) -> list[Block]:
    """A slope chart beside the parts of the differences of the system whose place moves most; then, folded, of all."""
    said = "A score moves because rows are lost or gained, or because the same rows have another truth or another way "
    name, one, whole = _parts_of(audit, graded, metric)
    said += f"of scoring. The parts add up; of {name}, by {metric}, they are in {_UNITS[audit.metrics[metric].unit]}."
    figure = _slope(audit, graded, systems, metric)
    return [Subheading("Rows changed, or truth changed?"), Paragraph(said), Beside((figure, one)), whole]


def _slope(audit: Audit, graded: Sequence[Variant], systems: Sequence[str], metric: str) -> Figure:
    """The places of the systems as published and under the alternatives that change most of them."""
    moving = [variant for variant in graded if variant.effects[metric].pairs]
    shown = moving[:_SLOPES]
    columns = [audit.default, *shown]
    ranks = [[each.effects[metric].systems[name].rank for each in columns] for name in systems]
    traded = [own for own in ranks if len(set(own)) > 1]
    held = sorted({rank for own in traded for rank in own if rank is not None})
    title = f"{metric}: {counted(len(traded), 'systems')} trade places {held[0]:g} to {held[-1]:g}"
    caption = f"Places of the systems by {metric}, the best on top."
    less, none = len(moving) - len(shown), len(graded) - len(moving)
    rest = [counted(less, "alternatives") + " of less effect"] * bool(less) + [f"{none:,} without any"] * bool(none)
    caption += f" Not drawn: {listed(rest)}." if rest else ""
    names = ["as published", *(plain(variant.key) for variant in shown)]
    told = [f"{name}: {', '.join(_place(rank) for rank in own)}" for name, own in zip(systems, ranks, strict=True)]
    description = f"{title}. Places {', '.join(names)}: {'; '.join(told)}"
    return Figure(title, slope(names, systems, ranks, description), caption)


def _parts_of(audit: Audit, graded: Sequence[Variant], metric: str) -> tuple[str, Table, Table]:
    """The system whose place moves most by a metric, the parts of its differences, and those of all."""
    moved = [variant for variant in graded if any(_moved(audit, variant, metric, name) for name in audit.systems)]
    shown = [variant for variant in moved if variant.effects[metric].pairs][:_SLOPES]
    name = max(audit.systems, key=lambda each: sum(_moved(audit, variant, metric, each) for variant in shown))
    one = Table(
        caption=f"{metric} of {name}: the parts of each difference",
        columns=("Instead", *_PARTS),
        rows=tuple(((Code(variant.key),), *_parts(audit, variant, metric, name)) for variant in shown),
        numeric=frozenset(range(1, 6)),
    )
    rows: list[tuple[Cell, ...]] = [
        ((Code(variant.key),), each, *_parts(audit, variant, metric, each))
        for variant in moved
        for each in audit.systems
    ]
    whole = Table(
        caption=f"The parts of each difference by {metric}",
        columns=("Instead of the published choice", "System", *_PARTS),
        rows=tuple(rows),
        numeric=frozenset(range(2, 7)),
        folded=f"All {len(rows):,} differences by {metric}",
    )
    return name, one, whole


def _moved(audit: Audit, variant: Variant, metric: str, name: str) -> float:
    """How far the place of a system moves, then its score."""
    before, after = (each.effects[metric].systems[name] for each in (audit.default, variant))
    size = abs((after.score or 0.0) - (before.score or 0.0))
    return abs((after.rank or 0.0) - (before.rank or 0.0)) + size / (1e6 * (1 + size))


def _parts(audit: Audit, variant: Variant, metric: str, name: str) -> tuple[str, ...]:
    before, after = (each.effects[metric].systems[name] for each in (audit.default, variant))
    found = after.parts
    sizes = (None, None, None) if found is None else (found.lost, found.changed, found.gained)
    return number(before.score), *map(signed, sizes), number(after.score)


def _place(rank: float | None) -> str:
    return "none" if rank is None else f"{rank:g}"
