"""What an audit found, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchwright.auditing.effect import GRADES, Effect, Pair
from benchwright.auditing.result import Audit, Variant
from benchwright.cli import console

TELLING = GRADES[:4]
"""Grades of what can be read from a table."""
_BECOMES = {
    "reversal": "{b} takes the lead from {a}",
    "loss": "{a} no longer leads {b}, which passes it",
    "gain": "{b} passes {a} and leads it",
    "within noise": "{b} passes {a}",
}
_MOST_SAID = 2
_MOST = 0.5


def in_short(found: Audit) -> Iterator[str]:
    """What somebody takes away who reads nothing else."""
    yield "size: " + _size(found)
    if not found.systems:
        return
    if len(found.systems) == 1:
        yield "places: one system has none to lose; --predictions may name several"
    else:
        yield "first places: " + _of_grade(found, "decides", "none changes beyond sampling noise")
        yield "other places: " + _of_grade(found, "reorders", "none changes beyond sampling noise")
    most: dict[str, list[str]] = {}
    for metric, shares in found.factorial.explained.items() if found.factorial else ():
        choice = max(shares, key=lambda name: shares[name])
        if shares[choice] >= _MOST:
            most.setdefault(choice, []).append(metric)
    if most:
        yield "scores: most of what choices do is " + "; ".join(f"{name} by {listed(by)}" for name, by in most.items())
    if found.not_judged:
        yield f"not judged: {listed([each.key for each in found.not_judged])}"


def scored_of(found: Audit) -> str:
    """Of which split the rows are that are scored, where there are others."""
    splits = [name for name in found.digests if not name.startswith("source ")]
    return f" of {found.split}" if found.split and len(splits) > 1 else ""


def _size(found: Audit) -> str:
    """Which choice changes it most: the rows, or the things in them."""
    rows = found.default.rows
    most = max(found.variants, key=lambda each: abs(each.rows - rows), default=None)
    if most is not None and most.rows != rows:
        return f"{most.key} changes it most: {rows:,} rows{scored_of(found)} become {most.rows:,}"
    within = max(found.variants, key=lambda each: each.gained + each.lost, default=None)
    if within is None or not within.gained + within.lost:
        return f"{rows:,} rows{scored_of(found)}, whatever is chosen"
    return (
        f"{rows:,} rows, whatever is chosen; within them {within.key} gains {within.gained:,} and loses {within.lost:,}"
    )


def _of_grade(found: Audit, grade: str, none: str) -> str:
    """The choices of a grade, and by which metrics."""
    metrics: dict[str, dict[str, None]] = {}
    for each in found.variants:
        by = [name for name, effect in each.effects.items() if effect.grade == grade]
        if by:
            metrics.setdefault(choice_of(each), {}).update(dict.fromkeys(by))
    return "; ".join(f"{choice} by {listed(list(by))}" for choice, by in metrics.items()) or none


def choice_of(each: Variant) -> str:
    """What a variant changes, whatever to."""
    return each.key.partition("=")[0]


def sentence(each: Variant, found: Audit) -> str:
    """What an alternative that has a grade does to the leaderboard."""
    effects = {name: effect for name, effect in each.effects.items() if effect.grade == each.grade}
    metric, effect = max(effects.items(), key=lambda item: _weight(item[1]))
    default = found.default.effects[metric]
    by = f"by {metric} " if len(effects) > 1 else ""
    gravest = sorted(effect.pairs, key=lambda pair: list(_BECOMES).index(pair.state))
    said = [*_of_first(effect, default), *(_of_pair(pair, effect, default) for pair in gravest)]
    what = f"{', '.join(effects)}: {by}"
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
    return [f"the first place goes from {listed(default.first.systems)} to {listed(effect.first.systems)}"]


def _weight(effect: Effect) -> tuple[int, int]:
    """How much an effect says: leads first, then swaps."""
    return sum(pair.state != "within noise" for pair in effect.pairs), len(effect.pairs)


def _of_pair(pair: Pair, effect: Effect, default: Effect) -> str:
    before, after = (f"{number_of(scores, pair.a)} and {number_of(scores, pair.b)}" for scores in (default, effect))
    return f"{_BECOMES[pair.state].format(a=pair.a, b=pair.b)} ({before} become {after})"


def _largest(effect: Effect, default: Effect) -> str:
    """The system that moves most."""
    moved = {
        name: abs((each.score or 0.0) - (default.systems[name].score or 0.0)) for name, each in effect.systems.items()
    }
    name = max(moved, key=lambda system: moved[system])
    return f"{name} moves most, from {number_of(default, name)} to {number_of(effect, name)}"


def number_of(effect: Effect, name: str) -> str:
    """The score of a system."""
    return console.number(effect.systems[name].score)


def listed(names: Sequence[str]) -> str:
    """Names with commas, and `and` before the last.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
