"""From candidates to rows: what each rule drops, which rules decide, and which hide others."""

from __future__ import annotations

from benchwright.auditing.result import Audit, Variant
from benchwright.reporting.blocks import Block, Code, Paragraph, Section, Subheading, Table, Text
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
        what = things(manifest.identity)
        blocks += losses(manifest, _left_out(audit, manifest.identity))
        blocks += [Subheading("Which rules decide?"), Paragraph(deciding(audit, what))]
        blocks += [*_overlaps(audit, what), *_masked(audit)]
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


def deciders(audit: Audit) -> list[str]:
    """The rules without which there are more rows or things, the most first."""
    gained = {rule: variant.gained for rule, variant in lifted(audit).items() if variant is not None}
    return sorted((rule for rule, count in gained.items() if count), key=lambda rule: -gained[rule])


def deciding(audit: Audit, what: str) -> Text:
    """Which rules decide the size, in a sentence."""
    found, deciding = lifted(audit), deciders(audit)
    idle = [rule for rule, variant in found.items() if variant is not None and not variant.gained]
    unknown = [rule for rule, variant in found.items() if variant is None]
    gains = [f"{rule} (+{variant.gained:,})" for rule in deciding if (variant := found[rule]) is not None]
    one, drop = len(deciding) == 1, "drops" if len(found) == 1 else "drop"
    decide = "decides" if one else "decide"
    said = [
        f"{len(deciding):,} of {counted(len(found), 'rules')} that {drop} {what} {decide} the size"
        + (f": without {'it' if one else 'each'} more stay, {listed(gains)}." if gains else ".")
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


def _masked(audit: Audit) -> list[Block]:
    """What gains nothing alone, but something together with another choice."""
    said: list[Block] = []
    for by, alone in dict.fromkeys((each.by, each.alone) for each in audit.masked):
        hidden = [each for each in audit.masked if each.by == by]
        parts: list[str | Code] = []
        for place, each in enumerate(hidden):
            parts += [", " if place else "", Code(each.key), f" (+{each.together:,})"]
        masks = f" wins {alone:,} rows alone and masks what wins none alone, but more together with it: "
        said.append(Paragraph((Code(by), masks, *parts, ".")))
    return said
