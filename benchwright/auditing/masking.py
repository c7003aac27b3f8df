"""Which rules hide the effect of others: rows that a choice gains only together with another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchwright.auditing.alternatives import Alternative
from benchwright.auditing.result import Masked, Overlap
from builders.engine.rules import LIFT, READER
from builders.engine.variants import Settings, Variants
from schemas.errors import BenchwrightError
from scorers.task import Progress, silent

Kept = dict[str, pd.Index]


class Masking(NamedTuple):
    """What is masked, and which rules would drop which candidates."""

    masked: list[Masked]
    overlaps: list[Overlap]


def masking(
    variants: Variants,
    alternatives: Sequence[Alternative],
    droppers: Sequence[str],
    progress: Progress = silent,
) -> Masking:
    """Try all pairs of alternatives of which the first gains nothing alone.

    Args:
        variants: builds of the recipe.
        alternatives: of its settings, lifted rules last: they are told where no value of a parameter does the same.
        droppers: rules that drop rows by default.
        progress: of the runs of the rules.
    """
    default = variants.kept()

    def gained(*chosen: Alternative) -> int | None:
        settings = {key: value for each in chosen for key, value in each.settings.items()}
        return _gained(default, _kept(variants, settings))

    tried = [(each, gained(each)) for each in alternatives if each.rule != READER]
    alone = [(each, count) for each, count in tried if count is not None]
    # Rows are gained by a rule that drops some, so one of two choices has to be of such a rule.
    useful = {*droppers, *(each.rule for each, count in alone if count)}
    pairs = [
        (one, other)
        for one, other in permutations(alone, 2)
        if not one[1] and one[0].rule != other[0].rule and other[0].rule in useful
    ]
    found: list[tuple[Alternative, Alternative, int, int]] = []
    with progress("pairs of rules", len(pairs)) as step:
        for (a, _), (b, of_b) in pairs:
            step(f"{a.key} and {b.key}")
            more = (gained(a, b) or 0) - of_b
            if more > 0:
                found.append((a, b, of_b, more))
    return Masking(_told(found), overlaps(variants, droppers))


def _told(found: Sequence[tuple[Alternative, Alternative, int, int]]) -> list[Masked]:
    """What is masked, without lifted rules where a value of their parameters gains the same."""
    lifts = [a.lifts + b.lifts for a, b, *_ in found]
    fewest: dict[tuple[str, str, int, int], int] = {}
    for (a, b, *rows), count in zip(found, lifts, strict=True):
        key = (a.rule, b.rule, rows[0], rows[1])
        fewest[key] = min(count, fewest.get(key, count))
    return [
        Masked(a.key, b.key, *rows)
        for (a, b, *rows), count in zip(found, lifts, strict=True)
        if count == fewest[a.rule, b.rule, rows[0], rows[1]]
    ]


def overlaps(variants: Variants, rules: Sequence[str]) -> list[Overlap]:
    """How many samples each set of rules would drop if each rule were asked of all; none where one cannot be lifted."""
    lifted = {rule: {f"{other}.{LIFT.name}": True for other in rules if other != rule} for rule in rules}
    whole = _kept(variants, {f"{rule}.{LIFT.name}": True for rule in rules})
    kept = {rule: _kept(variants, settings) for rule, settings in lifted.items()}
    if whole is None or None in kept.values() or not rules:
        return []
    root = next(iter(whole))
    drops = np.array([~whole[root].isin(each[root]) for each in kept.values() if each is not None])
    counted = Counter(map(tuple, drops.T.tolist()))
    return [
        Overlap([rule for rule, dropped in zip(rules, pattern, strict=True) if dropped], count)
        for pattern, count in counted.most_common()
    ]


def _kept(variants: Variants, settings: Settings) -> Kept | None:
    """The candidates of each level that stay, None where it cannot be built."""
    try:
        return variants.kept(settings)
    except BenchwrightError:
        return None


def _gained(default: Kept, other: Kept | None) -> int | None:
    if other is None:
        return None
    return sum(int((~index.isin(default[level])).sum()) for level, index in other.items() if level in default)
