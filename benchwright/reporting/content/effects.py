"""Do the choices change the leaderboard: each alternative by each metric, then the details of what changes most."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright.auditing.effect import GRADES, Effect
from benchwright.auditing.result import Audit, Variant
from benchwright.reporting.blocks import Block, Cell, Code, Key, Noted, Paragraph, Section, Swaps, Table
from benchwright.reporting.content.combinations import combinations
from benchwright.reporting.content.family import Material
from benchwright.reporting.content.places import places
from benchwright.reporting.content.words import codes, listed, number, rows_of
from schemas.errors import counted

_STATES = {
    "reversal": "the lead turns round",
    "loss": "a lead is lost",
    "gain": "a lead is won",
    "within noise": "within noise",
}
_INSTEAD = "Instead of the published choice"
_MOST_PAIRS, _MOST_NAMED = 6, 30
_KEY = Key(
    (
        ("degree 1", "1, 2, …: pairs of systems that change places, all within sampling noise"),
        ("degree 2", "a significant lead is lost or won, or tau falls below its noise floor"),
        ("degree 3", "a lead turns round, or a first place changes that is led"),
        ("★", "another first place, or a tie for it"),
        ("·", "same order"),
        ("?", "not judged"),
    )
)


def effects(material: Material) -> list[Section]:
    """The section; none without an audit."""
    audit = material.audit
    if audit is None or not audit.variants:
        return []
    if len(audit.systems) > 1:
        heading, made = "Do the choices change the leaderboard?", _of_places(material, audit)
    elif audit.systems:
        heading, made = f"Do the choices change the score of {audit.systems[0]}?", _of_one_system(material, audit)
    else:
        heading, made = "Do the choices change the rows?", _of_rows(audit)
    blocks = [*made, *_not_judged(audit), *combinations(material, focus(audit))]
    return [Section("effects", heading, "Effects", tuple(blocks))]


def judged(audit: Audit) -> list[Variant]:
    """The alternatives that have scores, the gravest first."""
    known = [variant for variant in audit.variants if variant.grade is not None]
    return sorted(known, key=lambda variant: GRADES.index(variant.grade or "none"))


def _tried(audit: Audit) -> str:
    """How many alternatives there are, and how they are compared."""
    drawn, systems = audit.clusters, counted(len(audit.systems), "systems")
    said = f"{counted(len(audit.variants), 'alternatives')} to the published choices, each tried alone"
    if drawn is None:
        return f"{said}."
    over = f"{drawn.resamples:,} draws of the {drawn.count:,} {drawn.name}"
    return f"{said}, and the scores of {systems} compared on the same {over} (protocol {audit.protocol})."


def _of_places(material: Material, audit: Audit) -> list[Block]:
    identity = material.context.manifest.identity
    cells = {each.key: {metric: _swaps(each, metric, audit) for metric in audit.metrics} for each in audit.variants}
    still = [each.key for each in judged(audit) if not any(map(_moves, cells[each.key].values()))]
    changing = [each for each in audit.variants if each.key not in still]
    shown = sorted(changing, key=lambda each: each.grade is None)
    metrics = [metric for metric in audit.metrics if any(_moves(cells[each.key][metric]) for each in shown)]
    quiet = [metric for metric in audit.metrics if metric not in metrics]
    decided = [each.key for each in audit.variants if each.grade == "decides"]
    blocks: list[Block] = [Paragraph(_tried(audit))]
    if decided:
        blocks.append(
            Paragraph(("A first place that is led changes, or a lead turns round, with ", *codes(decided), "."))
        )
    else:
        blocks.append(Paragraph("No alternative that was judged changes a first place beyond sampling noise."))
    if shown and metrics:
        rows: list[tuple[Cell, ...]] = [
            (name, rows_of(each, identity), *(cells[each.key][metric] for metric in metrics))
            for each, name in zip(shown, _names(shown), strict=True)
        ]
        caption = "Pairs of systems that change places, by alternative and metric"
        blocks += [Table(caption, (_INSTEAD, "Rows", *metrics), tuple(rows)), _KEY]
    if still:
        start = f"No system changes places with {counted(len(still), 'alternatives')}: "
        blocks.append(Paragraph((start, *codes(still, _MOST_NAMED), ".")))
    if quiet and metrics:
        names = listed(quiet, _MOST_NAMED)
        blocks.append(Paragraph(f"By {counted(len(quiet), 'metrics')} none does with any: {names}."))
    metric = focus(audit)
    if metric is None:
        return blocks
    graded = judged(audit)
    return [*blocks, *places(audit, graded, material.systems, metric)]


def focus(audit: Audit) -> str | None:
    """The metric by which most pairs change places, those of significant leads before others; none where none does."""
    weight = {
        metric: sum(
            10 * (pair.state != "within noise") + 1
            for variant in audit.variants
            if metric in variant.effects
            for pair in variant.effects[metric].pairs
        )
        for metric in audit.metrics
    }
    best = max(weight, key=lambda metric: weight[metric], default=None)
    return best if best is not None and weight[best] else None


def _names(variants: Sequence[Variant]) -> list[Noted]:
    """Alternatives with their kind, and beside the first of each choice what is chosen."""
    seen: set[str] = set()
    named = []
    for each in variants:
        choice = each.key.partition("=")[0]
        about = "" if choice in seen and not each.scoring else each.about
        named.append(Noted((Code(each.key),), f"{each.kind}: {about}" if about else each.kind))
        seen.add(choice)
    return named


def _moves(cell: Swaps) -> bool:
    return cell.degree > 0


def _swaps(variant: Variant, metric: str, audit: Audit) -> Swaps:
    """What an alternative does to the order by a metric."""
    effect, default = variant.effects.get(metric), audit.default.effects[metric]
    if effect is None:
        reason = next((each.reason for each in audit.not_judged if each.key == variant.key), "no score")
        return Swaps("?", 0, f"not judged: {reason}")
    pairs, star = len(effect.pairs), _other_first(effect, default)
    said = [f"{pair.b} passes {pair.a} ({_STATES[pair.state]})" for pair in effect.pairs[:_MOST_PAIRS]]
    said += [f"{pairs - _MOST_PAIRS:,} more pairs"] * (pairs > _MOST_PAIRS)
    if star and effect.first and default.first:
        said.append(f"first place: {listed(default.first.systems)} as published, {listed(effect.first.systems)} here")
    if effect.tau is not None and effect.tau.value is not None:
        floor = "" if effect.tau.floor is None else f", noise floor {effect.tau.floor:.2f}"
        said.append(f"Kendall's tau {effect.tau.value:.2f}{floor}")
    text = " ".join(filter(None, ("★" * star, f"{pairs:,}" * bool(pairs)))) or "·"
    title = "; ".join(said or ["same order"])
    if effect.grade == "decides":
        return Swaps(text, 3, title)
    return Swaps(text, 2 if effect.grade == "reorders" else 1 if pairs or star else 0, title)


def _other_first(effect: Effect, default: Effect) -> bool:
    if effect.first is None or default.first is None:
        return False
    return set(effect.first.systems) != set(default.first.systems)


def _of_one_system(material: Material, audit: Audit) -> list[Block]:
    """The scores of the only system by alternative."""
    identity = material.context.manifest.identity
    (name,) = audit.systems
    metrics = list(audit.metrics)
    moved = [each for each in audit.variants if each.grade != "none"]
    scores = [[each.effects.get(metric) for metric in metrics] for each in (audit.default, *moved)]
    heads: list[tuple[Cell, Cell]] = [("as published", f"{audit.default.rows:,}")]
    heads += [(noted, rows_of(each, identity)) for each, noted in zip(moved, _names(moved), strict=True)]
    rows: list[tuple[Cell, ...]] = [
        (*head, *("?" if effect is None else number(effect.systems[name].score) for effect in by_metric))
        for head, by_metric in zip(heads, scores, strict=True)
    ]
    columns = (_INSTEAD, "Rows", *metrics)
    numeric = frozenset(range(2, len(columns)))
    table = Table(f"Scores of {name} by alternative and metric", columns, tuple(rows), numeric)
    said = Paragraph(f"{_tried(audit)} One system has no places to change.")
    return [said, table, Key((("?", "not judged"),)), *_without_effect(audit, moved)]


def _of_rows(audit: Audit) -> list[Block]:
    """What alternatives do to rows, where no system was scored."""
    moved = [each for each in audit.variants if each.gained or each.lost or each.changed]
    blocks: list[Block] = [Paragraph(f"{_tried(audit)} Without predictions no leaderboard is judged.")]
    if moved:
        rows: list[tuple[Cell, ...]] = [
            (name, f"{each.rows:,}", f"{each.gained:,}", f"{each.lost:,}", f"{each.changed:,}")
            for each, name in zip(moved, _names(moved), strict=True)
        ]
        columns = (_INSTEAD, "Rows", "Gained", "Lost", "Changed")
        blocks.append(Table("Rows by alternative", columns, tuple(rows), frozenset({1, 2, 3, 4})))
    return [*blocks, *_without_effect(audit, moved)]


def _without_effect(audit: Audit, moved: Sequence[Variant]) -> list[Block]:
    still = [each.key for each in audit.variants if each not in moved]
    start = f"{counted(len(still), 'alternatives')} without effect: "
    return [Paragraph((start, *codes(still, _MOST_NAMED), "."))] if still else []


def _not_judged(audit: Audit) -> list[Block]:
    """What has no scores, and why."""
    by_reason: dict[str, list[str]] = {}
    for each in audit.not_judged:
        by_reason.setdefault(each.reason.partition("\n")[0], []).append(each.key)
    return [Paragraph(("Not judged: ", *codes(keys), f": {reason}.")) for reason, keys in by_reason.items()]
