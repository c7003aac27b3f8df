"""From candidates to rows: what each rule drops, which rules decide, and which hide others."""

from __future__ import annotations

from collections.abc import Mapping

from benchwright.auditing.result import Audit, Variant
from benchwright.reporting.blocks import Block, Code, Paragraph, Section, Subheading, Table
from benchwright.reporting.content.family import Material
from benchwright.reporting.content.losses import losses
from benchwright.reporting.content.words import listed, plural, share, telling_level, things
from schemas.errors import counted
from schemas.identity import Identity

_MOST_OVERLAPS = 12


def rules(material: Material) -> Section:
    """The section: a waterfall by level, then leave one out, overlaps and masking of the audit."""
    manifest, audit = material.context.manifest, material.audit
    name = telling_level(manifest.identity)
    level = manifest.identity.levels[name]
    heading = f"From {level.candidates:,} candidates to {level.kept:,} {plural(name)}"
    said = "Each rule is applied to what the one before it left."
    idle = _idle(manifest.identity)
    blocks: list[Block] = [Paragraph(f"{said} {idle}".strip())]
    if audit is not None and lifted(audit):
        identity = manifest.identity
        blocks += losses(manifest, _left_out(audit, identity))
        said = deciding(gains(audit, identity), plural(name))
        blocks += [Subheading("Which rules decide?"), Paragraph(said)]
        blocks += [*_overlaps(audit, things(identity)), *_masked(audit, len(identity.levels) > 1)]
    else:
        blocks += losses(manifest)
    return Section("rules", heading, "Rules", tuple(blocks))


def lifted(audit: Audit) -> dict[str, Variant | None]:
    """By rule that drops rows, the benchmark without it; null where it cannot be lifted."""
    found: dict[str, Variant | None] = {}
    for failure in audit.not_judged:
        if failure.key.startswith("lift "):
            found[failure.key.removeprefix("lift ")] = None
    for variant in audit.variants:
        if variant.key.startswith("lift "):
            found[variant.key.removeprefix("lift ")] = variant
    return found


def gains(audit: Audit, identity: Identity) -> dict[str, int | None]:
    """By rule that drops rows of the level that is told, or hides such: how many more stay without it.

    Those without which most stay come first, then those without which as many do; null where a rule cannot be lifted.
    """
    level = telling_level(identity)
    drops = {count.rule for count in identity.counts if count.level == level and count.dropped}
    found = {rule: None if one is None else _won(one, level) for rule, one in lifted(audit).items()}
    own = {rule: won for rule, won in found.items() if won or rule in drops}
    return dict(sorted(own.items(), key=lambda each: -(each[1] or 0)))


def _won(variant: Variant, level: str) -> int:
    """How many more rows of a level there are."""
    return sum(each.added for each in variant.levels if each.level == level) if variant.levels else variant.gained


def deciding(found: Mapping[str, int | None], what: str) -> str:
    """Which rules decide the size, in a sentence."""
    won = [f"{rule} (+{count:,})" for rule, count in found.items() if count]
    idle = [rule for rule, count in found.items() if count == 0]
    unknown = [rule for rule, count in found.items() if count is None]
    one = len(won) == 1
    if len(found) == 1 and won:
        return f"One rule drops {what} and decides the size: without it more stay, {listed(won)}."
    drop, decide = "drops" if len(found) == 1 else "drop", "decides" if one else "decide"
    said = [
        f"{len(won):,} of {counted(len(found), 'rules')} that {drop} {what} {decide} the size"
        + (f": without {'it' if one else 'each'} more stay, {listed(won)}." if won else ".")
    ]
    if idle:
        dropped = "it drops" if len(idle) == 1 else "they drop"
        said.append(f"Lifting {listed(idle)} alone wins none: what {dropped}, other rules drop, too.")
    if unknown:
        said.append(f"{listed(unknown)} cannot be lifted.")
    return " ".join(said)


def _idle(identity: Identity) -> str:
    """The rules that drop nothing at any level, with what they do instead."""
    does: dict[str, tuple[int, int]] = {}
    dropping = {count.rule for count in identity.counts if count.dropped}
    for count in identity.counts:
        if count.rule not in dropping:
            changed, noted = does.get(count.rule, (0, 0))
            does[count.rule] = (changed + count.changed, noted + count.noted)
    told = []
    for rule, (changed, noted) in does.items():
        what = [f"sets {changed:,}"] * bool(changed) + [f"notes {noted:,}"] * bool(noted)
        told.append(f"{rule} ({', '.join(what)})" if what else rule)
    verb = "drops" if len(told) == 1 else "drop"
    return f"{counted(len(told), 'rules')} {verb} nothing: {listed(told, 20)}." if told else ""


def _left_out(audit: Audit, identity: Identity) -> Table:
    """What each rule drops in its turn, and what there is more without it."""
    dropped: dict[str, list[str]] = {}
    for count in identity.counts:
        if count.dropped:
            of = f" {plural(count.level)}" * (len(identity.levels) > 1)
            dropped.setdefault(count.rule, []).append(f"{count.dropped:,}{of}")
    rows = []
    for rule, variant in lifted(audit).items():
        gained = "cannot be lifted" if variant is None else _gained(variant, len(identity.levels) > 1)
        rows.append(((Code(rule),), "; ".join(dropped.get(rule, ["0"])), gained))
    return Table(
        caption="Rules that drop rows, and the rows that there are more without each",
        columns=("Rule", "Drops in its turn", "Won without it"),
        numeric=frozenset({1, 2}),
        rows=tuple(rows),
    )


def _gained(variant: Variant, several: bool) -> str:
    """What there is more, by level where there are several."""
    if several and variant.gained:
        return "; ".join(f"+{each.added:,} {plural(each.level)}" for each in variant.levels if each.added)
    return f"+{variant.gained:,}" if variant.gained else "0"


def _overlaps(audit: Audit, what: str) -> list[Table]:
    """Which candidates exactly which rules would drop, each asked of all."""
    if len(audit.overlaps) < 3:
        return []
    total = sum(each.rows for each in audit.overlaps)
    shown = audit.overlaps[:_MOST_OVERLAPS]
    rest = sum(each.rows for each in audit.overlaps[_MOST_OVERLAPS:])
    rows = [
        (listed(each.rules) if each.rules else "none: they pass", f"{each.rows:,}", share(each.rows, total))
        for each in shown
    ]
    if rest:
        rows.append((f"{len(audit.overlaps) - len(shown):,} other sets of rules", f"{rest:,}", share(rest, total)))
    return [
        Table(
            caption=f"Sets of rules that would drop a candidate, each rule being asked of all {total:,}",
            columns=(f"Of {total:,} candidates, dropped by exactly", what.capitalize(), "Share"),
            numeric=frozenset({1, 2}),
            rows=tuple(rows),
        )
    ]


def _masked(audit: Audit, several: bool) -> list[Block]:
    """What gains nothing alone, but something together with another choice."""
    said: list[Block] = []
    what = "rows and things in rows" if several else "rows"
    for by, alone in dict.fromkeys((each.by, each.alone) for each in audit.masked):
        hidden = [each for each in audit.masked if each.by == by]
        parts: list[str | Code] = []
        for place, each in enumerate(hidden):
            parts += [", " if place else "", Code(each.key), f" (+{each.together:,})"]
        masks = f" wins {alone:,} {what} alone and masks what wins none alone, but more together with it: "
        said.append(Paragraph((Code(by), masks, *parts, ".")))
    return said
