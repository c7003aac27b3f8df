"""What a variant does to the leaderboard by one metric: scores, ranks, pairs, tau, the first place, and a grade."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

Grade = Literal["decides", "reorders", "noise", "shifts", "visible", "none"]
GRADES: tuple[Grade, ...] = ("decides", "reorders", "noise", "shifts", "visible", "none")
"""From what matters most to what matters least; `Effect` says when each is given."""

Lead = Literal["reversal", "loss", "gain", "within noise"]


class Interval(msgspec.Struct, frozen=True):
    """The bounds of a 95% interval; null where there is none."""

    low: float | None
    high: float | None


class Parts(msgspec.Struct, frozen=True):
    """How a score came to differ from the default's; the three add up to the whole difference.

    Attributes:
        lost: the score of the rows that both have, minus that of all default rows.
        changed: the score of the rows that both have with the variant's truth and scoring, minus that with the
            default's.
        gained: the score of all judged rows of the variant, minus that of the rows that both have.
    """

    lost: float | None
    changed: float | None
    gained: float | None


class Standing(msgspec.Struct, frozen=True):
    """One system by one metric.

    Attributes:
        score: null where the metric has no value.
        interval: of the score.
        rank: 1 is best, equal scores share their mean rank; null without a score or a direction.
        parts: of the difference to the default; null of the default itself.
    """

    score: float | None
    interval: Interval
    rank: float | None
    parts: Parts | None = None


class Pair(msgspec.Struct, frozen=True):
    """Two systems whose order, or whose lead, is another than by default.

    One leads where the interval of the difference excludes 0. Pairs that are not here are kept as they were, or as
    undecided as they were.

    Attributes:
        a, b: their names; a is the better one by default.
        state: `reversal`: the lead turns round; `loss`, `gain`: their order swaps, and a lead is gone, or new; `within
            noise`: their order swaps, without a lead before or after.
    """

    a: str
    b: str
    state: Lead


class Tau(msgspec.Struct, frozen=True):
    """Kendall's tau-b of the ranks by default and in the variant: 1 where they are the same, -1 where reversed.

    Attributes:
        value: null where all systems are tied.
        interval: over the draws; null below 40 clusters, which are not drawn.
        floor: the 2.5 % quantile of tau between the default and the default on other draws: what lies below it is more
            than another sample of the same clusters would do.
    """

    value: float | None
    interval: Interval
    floor: float | None


class First(msgspec.Struct, frozen=True):
    """The first place.

    Attributes:
        systems: who has it, several if tied.
        changed: share of draws in which it is another than the default's in the same draw; null below 40 clusters.
        by_resampling: share of draws in which the default's is another than on all rows.
    """

    systems: list[str]
    changed: float | None
    by_resampling: float | None


class Effect(msgspec.Struct, frozen=True):
    """What a variant does to the leaderboard by one metric.

    Attributes:
        systems: by name.
        pairs: those that are not kept.
        tau: from four systems on.
        first: from two systems on.
        grade: `decides`: a lead turns round, or the first place changes and the old or the new lead is significant;
            `reorders`: tau below its floor, or a lead lost or gained; `noise`: an order swaps otherwise; `shifts`: a
            score moves by more than half the width of its default interval; `visible`: a printed digit changes; `none`.
    """

    systems: dict[str, Standing]
    pairs: list[Pair]
    tau: Tau | None
    first: First | None
    grade: Grade


def gravest(effects: Iterable[Effect]) -> Grade | None:
    """The grade of the effect that matters most, None where there is none."""
    return min((effect.grade for effect in effects), key=GRADES.index, default=None)
