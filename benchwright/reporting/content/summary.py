"""What a reader should know first: facts, and three or four answers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchwright.auditing.result import Audit
from benchwright.checks.finding import SEVERITIES, Finding
from benchwright.reporting.blocks import Card, Cards, Code, Link, Section, Text, Tone
from benchwright.reporting.content.family import Material
from benchwright.reporting.content.guesses import guesses, named
from benchwright.reporting.content.rules import gains
from benchwright.reporting.content.scores import best, better
from benchwright.reporting.content.words import codes, listed, number, plural, share, telling_level, things
from schemas.claims import Judgement
from schemas.errors import counted
from schemas.identity import Identity, written

_TONES: dict[str, Tone] = {"high": "change", "medium": "limit", "low": "note"}
_MOST_CARDS = 4
_QUOTED, _MOST_NAMED = 12, 12
_BEGINS = re.compile(r"\d[\d,.]*( of \d[\d,.]*)?( %| s\b)?")
"""A number at the beginning of a title."""
_MEASURED = re.compile(r"\d[\d,]*\.\d+( %)?")


def facts(material: Material) -> tuple[tuple[str, Text], ...]:
    """What the benchmark is, and from what the report is made."""
    identity, audit = material.context.manifest.identity, material.audit
    card = material.context.manifest.card
    splits = ", ".join(f"{name} {split.rows:,}" for name, split in identity.splits.items())
    changed = ", ".join(f"{name}={written(identity.parameters[name])}" for name in identity.changed_parameters)
    built = f"benchwright {identity.tool_version}, recipe {identity.recipe_version}, {changed or 'default rules'}"
    sources: list[str | Code] = []
    for source in identity.sources.values():
        sources += ["\n" * bool(sources), f"{source.file} ", Code(source.sha256)]
    found: list[tuple[str, Text]] = [
        ("Rows", f"{sum(split.rows for split in identity.splits.values()):,} {things(identity)}: {splits}"),
        *((("Licence", card.licence),) if card is not None and card.licence else ()),
        ("Content digest", (Code(identity.content_digest),)),
        ("Built with", built),
        ("Sources", tuple(sources)),
    ]
    if audit is not None and audit.systems:
        found.append(("Systems scored", listed(audit.systems, _MOST_NAMED)))
    elif material.systems:
        found.append(("Systems", listed(material.systems, _MOST_NAMED)))
    split = f"/{audit.split}" if audit is not None and audit.split else ""
    protocol = f" protocol:{audit.protocol}" if audit is not None and audit.protocol else ""
    quoted = f"{identity.name}{split} sha:{identity.content_digest[:_QUOTED]} rules:{changed or 'default'}{protocol}"
    return (*found, ("Quote as", (Code(quoted),)))


def summary(material: Material, lines: Sequence[Judgement]) -> Section:
    """The section of the answer cards."""
    audit, found = material.audit, material.findings.findings
    cards = [_size(material.context.manifest.identity, audit)]
    if audit is not None and audit.systems:
        cards += [*_leaderboard(audit), *_guesses(material, audit)]
    # The card of guesses has told of theirs; what the build remarked of the sources is the least that there is to say.
    told = bool(material.systems) and any(card.text[-1] == Link("Scores", "scores") for card in cards)
    graver = sorted(
        found,
        key=lambda each: (
            told and each.kind == "baseline",
            SEVERITIES.index(each.severity),
            each.kind == "source",
        ),
    )
    cards += [_worst(each) for each in graver[: 1 if audit is not None and audit.systems else 2]]
    if lines:
        cards.append(_claims(lines))
    return Section("summary", "What you should know", "Summary", (Cards(tuple(cards[:_MOST_CARDS])),))


def _size(identity: Identity, audit: Audit | None) -> Card:
    """Which rule decides the size."""
    name = telling_level(identity)
    root, more = identity.levels[name], Link("Rules", "rules")
    stay = f"of {root.candidates:,} candidates stay as {plural(name)}"
    found = gains(audit, identity) if audit is not None else {}
    if all(count is None for count in found.values()):
        own = [count for count in identity.counts if count.level == name]
        count = max(own, key=lambda each: each.dropped, default=None)
        most = f"; {count.rule} drops most, {count.dropped:,}. " if count and count.dropped else ": no rule drops any. "
        return Card(share(root.kept, root.candidates), (f"{stay}{most}", more), "note")
    won = [f"{rule} (+{count:,})" for rule, count in found.items() if count]
    idle = [rule for rule, count in found.items() if count == 0]
    figure = f"{len(won):,} of {counted(len(found), 'rules')}" if len(found) > 1 else "1 rule"
    if not won:
        return Card(figure, (f"decide the size: lifting any of {listed(list(found))} wins none. ", more), "note")
    one = len(won) == 1
    said = f"{'decides' if one else 'decide'} which {root.kept:,} {stay}: {listed(won, 3)} "
    said += "without it" if one else "more without each"
    hidden = f"; lifting {listed(idle, 3)} alone wins none" if idle else ""
    return Card(figure, (f"{said}{hidden}. ", more), "limit" if idle else "note")


def _leaderboard(audit: Audit) -> list[Card]:
    """Whether a choice changes a first place."""
    graded = [each for each in audit.variants if each.grade is not None]
    if not graded:
        return []
    more = Link("Effects", "effects")
    decides = [each.key for each in graded if each.grade == "decides"]
    reorders = [each.key for each in graded if each.grade == "reorders"]
    if len(audit.systems) < 2:
        moved = [each.key for each in graded if each.grade != "none"]
        figure = f"{len(moved):,} of {len(graded):,}"
        return [Card(figure, ("alternatives to a published choice move the score of the only system. ", more), "note")]
    figure = f"{len(decides):,} of {len(graded):,}"
    if decides:
        said = ("alternatives change a first place or turn a lead round: ", *codes(decides, 2), ". ")
        return [Card(figure, (*said, more), "change")]
    said = ("alternatives to a published choice change a first place beyond sampling noise",)
    below = f"; {counted(len(reorders), 'others', 'reorder')} the places below it: "
    tail: tuple[str | Code, ...] = (
        (below, *codes(reorders, 3), ". ") if reorders else (", and none the places below it. ",)
    )
    return [Card(figure, (*said, *tail, more), "limit" if reorders else "good")]


def _guesses(material: Material, audit: Audit) -> list[Card]:
    """Whether a guess that sees nothing beats the systems."""
    blind = guesses(material)
    ranked = [name for name, scale in audit.metrics.items() if scale.higher_is_better is not None]
    pairs = {}
    for metric in ranked:
        guess = best(audit, metric, {name: by_metric[metric] for name, by_metric in blind.items()})
        leader = best(audit, metric, audit.default.effects[metric].systems)
        if guess is not None and leader is not None:
            pairs[metric] = (guess, blind[guess][metric], leader, audit.default.effects[metric].systems[leader])
    if not pairs:
        return []
    ahead = {m: pair for m, pair in pairs.items() if better(audit, m, pair[1].score, pair[3].score)}
    figure = f"{len(ahead):,} of {len(pairs):,}"
    more = Link("Scores", "scores")
    if not ahead:
        return [
            Card(
                figure,
                (f"metrics are led by a guess: {listed(list(blind))} stay below the best system. ", more),
                "good",
            )
        ]
    metric, (guess, reached, leader, standing) = next(iter(ahead.items()))
    unit = audit.metrics[metric].unit
    said = f"metrics are led by a guess that sees nothing: {named(material, guess)} reaches "
    said += f"{number(reached.score, unit)} at {metric}, "
    said += f"the best of {counted(len(audit.systems), 'systems')}, {leader}, {number(standing.score, unit)}. "
    return [Card(figure, (said, more), "change")]


def _worst(finding: Finding) -> Card:
    """The gravest finding."""
    count, whole = (finding.numbers.get(name) for name in ("count", "of"))
    told = _BEGINS.match(finding.title)
    if told is not None:
        figure, said = told[0], finding.title[told.end() :].strip(" ,")
        if isinstance(whole, int) and isinstance(count, int) and figure == f"{count:,}" and count < whole:
            figure = f"{count:,} of {whole:,}"
    elif isinstance(count, int) and isinstance(whole, int) and count < whole:
        figure, said = f"{count:,} of {whole:,}", finding.title
    else:
        measured = _MEASURED.search(finding.title)
        figure, said = measured[0] if measured else finding.severity.capitalize(), finding.title
    other: tuple[str | Code, ...] = ()
    if finding.parameter and finding.alternative is not None:
        other = ("; other choice: ", Code(f"{finding.parameter}={written(finding.alternative)}"))
    return Card(figure, (said, *other, ". ", Link("Evidence", "findings", finding.id)), _TONES[finding.severity])


def _claims(lines: Sequence[Judgement]) -> Card:
    """How many claims come out of a rebuild."""
    same = sum(line.verdict == "reproduced" for line in lines)
    other = sum(line.verdict == "differs" for line in lines)
    rest = len(lines) - same - other
    said = f"printed claims {'comes' if same == 1 else 'come'} out of a rebuild; "
    said += counted(other, "others", "differ") if other else "none differs"
    said += f", {rest:,} cannot be judged here. " if rest else ". "
    return Card(f"{same:,} of {len(lines):,}", (said, Link("Claims", "claims")), "change" if other else "good")
