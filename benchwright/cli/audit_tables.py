"""An audit as people read it: one table of alternatives by metrics, a sentence for each that matters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from benchwright.auditing.effect import GRADES, Effect, Pair
from benchwright.auditing.result import Audit, Variant
from benchwright.cli import console
from benchwright.cli.layout import Name, named, numeric
from schemas.paper import as_printed

_MARKS = {"decides": "!!", "reorders": "!", "noise": ""}
_TELLING = GRADES[:4]
_DOES = {"decides": "decides", "reorders": "reorders", "noise": "within sampling noise, reorders", "shifts": "shifts"}
_BECOMES = {
    "reversal": "{b} takes the lead from {a}",
    "loss": "{a} no longer leads {b}, which passes it",
    "gain": "{b} passes {a} and leads it",
    "within noise": "{b} passes {a}",
}
_MOST_SAID = 2
_LEAST_SHARE = 0.05


def show(found: Audit) -> None:
    """Print an audit."""
    _show_table(found)
    _say("What it does to the leaderboard", _verdict(found))
    _show_published(found)
    if found.factorial:
        tried, every = found.factorial.scored, found.factorial.combinations
        some = "" if tried == every else f" of at most two choices, of {every:,},"
        over = f"{tried:,} combinations{some} of {', '.join(found.factorial.choices)}"
        _say(f"Share of the variance of scores that a choice explains, over {over}", _explained(found))
    _say("What decides the size", _sizes(found))
    idle = [each.key for each in found.variants if not _matters(each)]
    if found.idle_rules:
        idle.append(f"and lifting {_and(found.idle_rules)}, which drop nothing")
    _say("Without effect on size and places", [", ".join(idle)] if idle else [])
    judged = sorted(found.not_judged, key=lambda each: each.reason)
    reasons = groupby(judged, key=lambda each: each.reason.partition("\n")[0])
    _say("Not judged", [f"{', '.join(each.key for each in several)}: {reason}" for reason, several in reasons])
    for warning in found.warnings:
        console.complain(warning, "warning")


def _say(title: str, lines: Iterable[str]) -> None:
    for number, line in enumerate(lines):
        if not number:
            console.say(title, "bold")
        console.say(line)


def _show_table(found: Audit) -> None:
    rows = [each for each in found.variants if _matters(each)]
    metrics = [name for name in found.metrics if any(_swaps(each, name) for each in rows)]
    drawn = found.clusters
    systems = f"{len(found.systems)} system{'s' * (len(found.systems) != 1)}"
    over = f", {systems}, resampled over {drawn.count:,} {drawn.name}" if drawn else ""
    console.table(
        f"{found.benchmark}: {found.default.rows:,} rows{over}",
        [named("alternative"), "rows", *(Name(name) for name in metrics)],
        [[Name(each.key), _rows(each), *(_cell(each, name) for name in metrics)] for each in rows],
    )
    console.say("+ gained, - lost, ~ changed rows", "dim")
    if metrics:
        console.say(
            "of metrics: pairs of systems that change places; ! a lead is lost or gained; !! a lead turns round, or "
            "the first place changes and is led; ? not judged",
            "dim",
        )
    still = [name for name in found.metrics if name not in metrics]
    if still and len(found.systems) > 1:
        console.say(f"no systems change places by {', '.join(still)}", "dim")


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
            rows.append([Name(metric), theirs[best], Name(best), _number(effect, own), Name(own)])
            least = as_printed(ours[own], theirs[best])
            above += [metric] if sign * float(least) > sign * float(theirs[best]) else []
    if not rows:
        return
    headings = [named("metric"), numeric("best published"), named("by"), numeric("best here"), named("by")]
    console.table("Beside published scores", headings, rows)
    console.say(f"the best here is above the best published by {_and(above)}" if above else "none here is above those")
    equal = [f"{_and(each.equal)} as {each.published.system}" for each in found.published if each.equal]
    if equal:
        console.say(f"scores print as published: {', '.join(equal)}")
    console.say(f"source: {'; '.join(dict.fromkeys(each.where for each in printed))}", "dim")


def _matters(each: Variant) -> bool:
    """Whether rows are gained or lost, or a score moves that can be read."""
    return bool(each.gained or each.lost) or each.grade in _TELLING or (each.grade is None and each.changed > 0)


def _rows(each: Variant) -> str:
    counts = (("+", each.gained), ("-", each.lost), ("~", each.changed))
    return " ".join(f"{sign}{count:,}" for sign, count in counts if count)


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
        fails = [f"{each.rows:,} fail {_and(each.rules)}" for each in found.overlaps if each.rules]
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


def _verdict(found: Audit) -> Iterator[str]:
    """The sentences on the leaderboard, those that matter most first."""
    if not found.systems:
        yield "not looked at: --predictions names systems"
        return
    if len(found.systems) > 1 and not any(each.grade == "decides" for each in found.variants):
        yield "no alternative that was judged changes a first place beyond sampling noise"
    for grade in _TELLING:
        for each in found.variants:
            if each.grade == grade:
                yield f"{each.key} ({each.kind}) {_sentence(each, found)}"


def _sentence(each: Variant, found: Audit) -> str:
    effects = {name: effect for name, effect in each.effects.items() if effect.grade == each.grade}
    metric, effect = max(effects.items(), key=lambda item: _weight(item[1]))
    default = found.default.effects[metric]
    by = f"by {metric} " if len(effects) > 1 else ""
    gravest = sorted(effect.pairs, key=lambda pair: list(_BECOMES).index(pair.state))
    said = [*_of_first(effect, default), *(_of_pair(pair, effect, default) for pair in gravest)]
    what = f"{_DOES[str(each.grade)]} {', '.join(effects)}: {by}"
    if not said:
        return what + _largest(effect, default)
    tau = effect.tau
    known = tau is not None and tau.value is not None and tau.floor is not None
    rest = f"; tau {tau.value:.2f}, by resampling alone down to {tau.floor:.2f}" if tau and known else ""
    more = len(said) - _MOST_SAID
    return what + ", ".join(said[:_MOST_SAID]) + (f", and {more:,} more" if more > 0 else "") + rest


def _of_first(effect: Effect, default: Effect) -> list[str]:
    """The first place, where it goes to another system."""
    if effect.first is None or default.first is None or set(effect.first.systems) & set(default.first.systems):
        return []
    return [f"the first place goes from {_and(default.first.systems)} to {_and(effect.first.systems)}"]


def _weight(effect: Effect) -> tuple[int, int]:
    """How much an effect says: leads first, then swaps."""
    return sum(pair.state != "within noise" for pair in effect.pairs), len(effect.pairs)


def _of_pair(pair: Pair, effect: Effect, default: Effect) -> str:
    before, after = (f"{_number(scores, pair.a)} and {_number(scores, pair.b)}" for scores in (default, effect))
    return f"{_BECOMES[pair.state].format(a=pair.a, b=pair.b)} ({before} become {after})"


def _largest(effect: Effect, default: Effect) -> str:
    """The system that moves most."""
    moved = {
        name: abs((each.score or 0.0) - (default.systems[name].score or 0.0)) for name, each in effect.systems.items()
    }
    name = max(moved, key=lambda system: moved[system])
    return f"{name} moves most, from {_number(default, name)} to {_number(effect, name)}"


def _number(effect: Effect, name: str) -> str:
    return console.number(effect.systems[name].score)


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
