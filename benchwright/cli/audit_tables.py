"""An audit as people read it: one table of alternatives by metrics, a sentence for each that matters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from benchwright.auditing.result import Audit, Variant
from benchwright.cli import console, words
from benchwright.cli.audit_sentences import TELLING, choice_of, in_short, listed, number_of, scored_of, sentence
from benchwright.cli.layout import Name, named, numeric
from schemas.paper import as_printed

_MARKS = {"decides": "!!", "reorders": "!", "noise": ""}
_LEAST_SHARE = 0.05


def show(found: Audit) -> None:
    """Print an audit."""
    _show_table(found)
    _show_graded(found)
    _show_published(found)
    if found.factorial:
        tried, every = found.factorial.scored, found.factorial.combinations
        some = "" if tried == every else f" of at most two choices, of {every:,},"
        over = f"{tried:,} combinations{some} of {', '.join(found.factorial.choices)}"
        _say(f"Share of the variance of scores that a choice explains, over {over}", _explained(found))
    _say("What decides the size", _sizes(found))
    idle = [each.key for each in found.variants if not _matters(each)]
    if found.idle_rules:
        idle.append(f"and lifting {listed(found.idle_rules)}, which drop nothing")
    _say("Without effect on size and places", [", ".join(idle)] if idle else [])
    judged = sorted(found.not_judged, key=lambda each: each.reason)
    reasons = groupby(judged, key=lambda each: each.reason.partition("\n")[0])
    _say("Not judged", [f"{', '.join(each.key for each in several)}: {reason}" for reason, several in reasons])
    for warning in found.warnings:
        console.complain(warning, "warning")
    _say("In short", in_short(found))


def _say(title: str, lines: Iterable[str]) -> None:
    for number, line in enumerate(lines):
        if not number:
            console.say(title, "bold")
        console.say(line)


def _show_table(found: Audit) -> None:
    rows = [each for each in found.variants if _matters(each)]
    metrics = [name for name in found.metrics if any(_swaps(each, name) for each in rows)]
    drawn, several = found.clusters, len({level.level for each in found.variants for level in each.levels}) > 1
    systems = f"{len(found.systems)} system{'s' * (len(found.systems) != 1)}"
    over = f", {systems}, resampled over {drawn.count:,} {drawn.name}" if drawn else ""
    console.table(
        f"{found.benchmark}: {found.default.rows:,} rows{scored_of(found)}{over}",
        [named("alternative"), "rows", *(Name(name) for name in metrics)],
        [[Name(each.key), _rows(each, several), *(_cell(each, name) for name in metrics)] for each in rows],
    )
    console.say(f"+ gained, - lost, ~ changed rows{' of all splits' * bool(scored_of(found))}", "dim")
    if metrics:
        console.say(
            "of metrics: pairs of systems that change places; ! a lead is lost or gained; !! a lead turns round, or "
            "the first place changes and is led; ? not judged",
            "dim",
        )
    still = [name for name in found.metrics if name not in metrics]
    if still and len(found.systems) > 1:
        console.say(f"no systems change places by {', '.join(still)}", "dim")


def _show_graded(found: Audit) -> None:
    """What each alternative that matters does to the leaderboard, in a sentence, and what it chooses."""
    if not found.systems:
        console.say("What it does to the leaderboard", "bold")
        console.say("not looked at: --predictions names systems")
        return
    graded = [each for grade in TELLING for each in found.variants if each.grade == grade]
    if not graded:
        return
    console.table(
        "What it does to the leaderboard",
        ["alternative: grade (kind)", "what happens"],
        [[f"{each.key}: {each.grade} ({each.kind})", sentence(each, found)] for each in graded],
    )
    console.explain(words.GRADES, [str(each.grade) for each in graded])
    console.explain(words.KINDS, [each.kind for each in graded])
    about = {each.key if each.scoring else choice_of(each): each.about for each in graded if each.about}
    console.explain(about, about)


def _show_published(found: Audit) -> None:
    """The best that papers print of each metric, beside the best here."""
    printed = [each.published for each in found.published if each.published.kind == "system"]
    rows, above = [], []
    for metric, scale in found.metrics.items():
        sign = -1 if scale.higher_is_better is False else 1
        theirs = {each.system: each.scores[metric] for each in printed if metric in each.scores}
        effect = found.default.effects[metric]
        ours = {name: each.score for name, each in effect.systems.items() if each.score is not None}
        if theirs and ours:
            best, own = (max(scores, key=lambda name: sign * float(scores[name])) for scores in (theirs, ours))
            rows.append([Name(metric), theirs[best], Name(best), number_of(effect, own), Name(own)])
            least = as_printed(ours[own], theirs[best])
            above += [metric] if sign * float(least) > sign * float(theirs[best]) else []
    if not rows:
        return
    headings = [named("metric"), numeric("best published"), named("by"), numeric("best here"), named("by")]
    console.table("Beside published scores", headings, rows)
    console.say(
        f"the best here is above the best published by {listed(above)}" if above else "none here is above those"
    )
    equal = [f"{listed(each.equal)} as {each.published.system}" for each in found.published if each.equal]
    if equal:
        console.say(f"scores print as published: {', '.join(equal)}")
    console.say(f"source: {'; '.join(dict.fromkeys(each.where for each in printed))}", "dim")


def _matters(each: Variant) -> bool:
    """Whether rows are gained or lost, or a score moves that can be read."""
    return bool(each.gained or each.lost) or each.grade in TELLING or (each.grade is None and each.changed > 0)


def _rows(each: Variant, several: bool) -> str:
    """Rows gained, lost and changed; of several levels, such as images and objects, those of each."""
    if not several:
        return _signed(each.gained, each.lost, each.changed)
    counts = ((level.level, _signed(level.added, level.removed, level.changed)) for level in each.levels)
    return ", ".join(f"{level.removesuffix('s')}s {count}" for level, count in counts)


def _signed(*counts: int) -> str:
    return " ".join(f"{sign}{count:,}" for sign, count in zip("+-~", counts, strict=True) if count)


def _swaps(each: Variant, metric: str) -> bool:
    return metric in each.effects and each.effects[metric].grade in _MARKS


def _cell(each: Variant, metric: str) -> str:
    effect = each.effects.get(metric)
    if effect is None:
        return "?"
    return f"{len(effect.pairs)}{_MARKS[effect.grade]}" if effect.grade in _MARKS else ""


def _sizes(found: Audit) -> Iterator[str]:
    """Which rules decide the size, and which hide others."""
    total = sum(each.rows for each in found.overlaps)
    if total:
        passed = sum(each.rows for each in found.overlaps if not each.rules)
        fails = [f"{each.rows:,} fail {listed(each.rules)}" for each in found.overlaps if each.rules]
        yield "; ".join([f"of {total:,} candidates {passed:,} pass every rule", *fails])
    for by, alone in dict.fromkeys((each.by, each.alone) for each in found.masked):
        hidden = [f"{each.key} (+{each.together:,})" for each in found.masked if each.by == by]
        yield f"{by}, which gains {alone:,} alone, hides what gains nothing alone: {', '.join(hidden)}"


def _explained(found: Audit) -> Iterator[str]:
    """How much of the variance of each metric hangs on which choice; metrics of which the same is said in one line."""
    metrics: dict[str, list[str]] = {}
    for metric, shares in found.factorial.explained.items() if found.factorial else ():
        told = sorted(((share, name) for name, share in shares.items() if share >= _LEAST_SHARE), reverse=True)
        metrics.setdefault(", ".join(f"{name} {share:.0%}" for share, name in told), []).append(metric)
    for said, names in metrics.items():
        yield f"{', '.join(names)}: {said or 'choices together'}"
