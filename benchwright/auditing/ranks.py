"""What another way of counting does to the order of systems: pairs, Kendall's tau, the first place, and the grade.

Source of tau-b: Kendall, Biometrika 33 (1945) 239-251.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from benchwright.auditing.effect import First, Grade, Interval, Lead, Pair, Tau
from scorers.resampling import Floats, Replicates
from scorers.score import value_or_null
from scorers.uncertainty import PairedDifference

FEWEST = 4
"""Systems from which on Kendall's tau is told: of fewer it takes too few values to say anything."""
_DIGITS = 2  # as scores are printed


@dataclass(frozen=True, eq=False)
class Order:
    """Several systems by one metric.

    Attributes:
        names: of the systems.
        scores: shape (systems,), higher is better, NaN for null.
        draws: the same on other draws of the clusters, shape (draws, systems); of no draws below 40 clusters.
        leads: of each pair 1 where the first leads, -1 where the second does, else 0.
    """

    names: Sequence[str]
    scores: Floats
    draws: Floats
    leads: dict[tuple[int, int], int]

    @property
    def first(self) -> NDArray[np.bool_]:
        """Who has the first place, shape (systems,)."""
        return _first(self.scores)


def order_of(
    names: Sequence[str],
    runs: Sequence[Replicates],
    differences: dict[tuple[int, int], PairedDifference],
    higher_is_better: bool,
) -> Order:
    """The order of systems.

    Args:
        names: of the systems.
        runs: of one metric, on the same draws.
        differences: second minus first of each pair.
        higher_is_better: else lower values are.
    """
    sign = 1.0 if higher_is_better else -1.0
    leads = {pair: int(-sign * _side(found)) for pair, found in differences.items()}
    draws = [run.draws[: 0 if run.few else None, 0] for run in runs]
    return Order(
        names,
        sign * np.array([run.values[0] for run in runs]),
        sign * np.stack(draws, axis=1) if draws else np.empty((0, 0)),
        leads,
    )


def ranks(scores: Floats) -> list[float | None]:
    """The rank of each score, the highest first; equal ones share the mean, null ones have none.

    >>> ranks(np.array([3.0, 7.0, 3.0, math.nan]))
    [2.5, 1.0, 2.5, None]
    """
    above = np.count_nonzero(scores > scores[:, None], axis=1)
    equal = np.count_nonzero(scores == scores[:, None], axis=1)
    mean = 1 + above + (equal - 1) / 2
    return [None if math.isnan(score) else rank for score, rank in zip(scores.tolist(), mean.tolist(), strict=True)]


def tau_b(one: Floats, other: Floats) -> Floats:
    """Kendall's tau-b of two sets of scores, shape (draws, systems) each; shape (draws,), NaN where one is all tied.

    >>> tau_b(np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([[1.0, 2.0, 4.0, 3.0]])).round(2).tolist()
    [0.67]
    """
    a, b = (np.triu_indices(one.shape[-1], 1)[side] for side in (0, 1))
    signs = [np.sign(scores[..., a] - scores[..., b]) for scores in (one, other)]
    untied = [np.count_nonzero(sign, axis=-1) for sign in signs]
    with np.errstate(invalid="ignore"):
        found: Floats = (signs[0] * signs[1]).sum(axis=-1) / np.sqrt(untied[0] * untied[1])
    return found


def pairs(default: Order, variant: Order) -> list[Pair]:
    """The pairs that are not kept, the better by default first."""
    found = []
    for one, other in combinations(range(len(default.names)), 2):
        before, after = (np.sign(order.scores[one] - order.scores[other]) for order in (default, variant))
        led, leads = default.leads[one, other], variant.leads[one, other]
        state: Lead
        if led * leads < 0:
            state = "reversal"
        elif before * after >= 0 or math.isnan(before * after):
            continue
        else:
            state = "loss" if led else "gain" if leads else "within noise"
        better, worse = (one, other) if before > 0 else (other, one)
        found.append(Pair(default.names[better], default.names[worse], state))
    return found


def tau(default: Order, variant: Order) -> Tau | None:
    """Kendall's tau between the two, None of fewer than `FEWEST` systems with scores."""
    known = ~(np.isnan(default.scores) | np.isnan(variant.scores))
    if np.count_nonzero(known) < FEWEST:
        return None
    one, other = default.scores[None, known], variant.scores[None, known]
    between = tau_b(default.draws[:, known], variant.draws[:, known])
    low, high = _quantiles(between, (0.025, 0.975))
    (floor,) = _quantiles(tau_b(one, default.draws[:, known]), (0.025,))
    return Tau(value_or_null(float(tau_b(one, other)[0])), Interval(low, high), floor)


def first_place(default: Order, variant: Order) -> First | None:
    """Who has the first place, and how surely it is another one; None of fewer than two systems."""
    if len(default.names) < 2:
        return None
    named = [name for name, first in zip(variant.names, variant.first.tolist(), strict=True) if first]
    if not len(default.draws):
        return First(named, None, None)
    drawn = _first(default.draws)
    return First(
        named,
        float((_first(variant.draws) != drawn).any(axis=1).mean()),
        float((drawn != default.first).any(axis=1).mean()),
    )


def grade(
    default: Order, variant: Order, found: Sequence[Pair], shift: Tau | None, widths: Sequence[float | None]
) -> Grade:
    """How much a variant matters; see `Effect.grade`.

    Args:
        default, variant: the order in each.
        found: as of `pairs`.
        shift: as of `tau`.
        widths: of the default interval of each system, None where it has none.
    """
    states = {pair.state for pair in found}
    if "reversal" in states or _dethroned(default, variant):
        return "decides"
    below = shift is not None and None not in (shift.value, shift.floor) and shift.value < shift.floor  # type: ignore[operator]
    if below or states & {"loss", "gain"}:
        return "reorders"
    if states:
        return "noise"
    moved = np.abs(variant.scores - default.scores)
    if any(width is not None and size > width / 2 for size, width in zip(moved.tolist(), widths, strict=True)):
        return "shifts"
    printed = [[f"{score:.{_DIGITS}f}" for score in order.scores.tolist()] for order in (default, variant)]
    return "visible" if printed[0] != printed[1] else "none"


def _dethroned(default: Order, variant: Order) -> bool:
    """Whether the first place changes, and its old holder led the new one, or the new one leads the old."""
    old, new = default.first, variant.first
    if (old & new).any():
        return False
    return any(
        order.leads[min(one, other), max(one, other)] != 0
        for one in np.flatnonzero(old).tolist()
        for other in np.flatnonzero(new).tolist()
        for order in (default, variant)
    )


def _side(found: PairedDifference) -> int:
    """Where 0 lies: 1 where the second is surely larger, -1 where it is surely smaller."""
    low, high, _ = found.interval
    return 1 if low > 0 else -1 if high < 0 else 0


def _first(scores: Floats) -> NDArray[np.bool_]:
    """Which scores are the highest of the last axis; NaN never is."""
    known = np.where(np.isnan(scores), -np.inf, scores)
    return np.asarray((known == known.max(axis=-1, keepdims=True)) & np.isfinite(known))


def _quantiles(values: Floats, shares: tuple[float, ...]) -> list[float | None]:
    known = values[~np.isnan(values)]
    return [float(value) for value in np.quantile(known, shares)] if len(known) else [None] * len(shares)
