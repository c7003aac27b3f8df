"""What a protocol makes of truth and predictions, row by row: `paper`, `strict`, or one with other factors.

`paper` is what the reference evaluator does (Hasnat79/UAL_Bench : src/eval/eval_your_results.py), `strict` what a
careful reader would expect. `paper,null=miss` is `paper` but for one factor, so that the effect of each can be seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from schemas.errors import UsageError, unknown_name
from scorers.temporal.spans import Floats, SpanMeasures, TrueSpans, onset_distance, span_iou, temporal_distance

FARTHEST_IN_MEAN = 10_000.0
"""Seconds: the reference puts the ground-truth end in place of any temporal distance above it, in mTD alone."""

FACTORS: Mapping[str, tuple[str, str]] = {
    "null": ("truth_end", "miss"),
    "cap": ("10000", "none"),
    "reversed": ("as_is", "miss"),
    "union": ("undefined", "defined"),
    "compare": ("inclusive", "exclusive"),
}
"""The values of each factor, that of `paper` first; see `Factors`."""


class Factors(NamedTuple):
    """A protocol, choice by choice.

    Attributes:
        null: the temporal distance where either predicted value is missing: `truth_end`, which hits TD <= p wherever
            that end is <= p; or `miss`: none, and the row is left out of mTD. IoU is 0 and the onset missed in both.
        cap: `10000`: a temporal distance above 10,000 s becomes the ground-truth end in mTD, not in the shares.
        reversed: a prediction that ends before it starts is computed `as_is`, or is a `miss` everywhere (never swapped)
            and left out of mTD.
        union: where the union of truth and prediction is 0, IoU is `undefined`, NaN, as the reference stops with
            ZeroDivisionError (it then prints no TD and no onset accuracy either; those are given here as its functions
            have them); or `defined`: 1 where both are one same point, else 0.
        compare: thresholds are met by equal values, `inclusive`, or not.
    """

    null: str = "truth_end"
    cap: str = "10000"
    reversed: str = "as_is"
    union: str = "undefined"
    compare: str = "inclusive"


PROTOCOLS: Mapping[str, Factors] = {
    "paper": Factors(),
    "strict": Factors(null="miss", cap="none", reversed="miss", union="defined"),
}


@cache
def factors_of(protocol: str) -> Factors:
    """The factors of a protocol: a name in `PROTOCOLS`, and those that differ from it.

    Raises:
        UsageError: an unknown protocol, factor or value.

    >>> factors_of("strict,null=truth_end").null
    'truth_end'
    """
    name, *changes = (part.strip() for part in protocol.split(","))
    if name not in PROTOCOLS:
        raise unknown_name("protocol", name, list(PROTOCOLS))
    factors = PROTOCOLS[name]
    for change in changes:
        factor, _, value = change.partition("=")
        if factor not in FACTORS:
            raise unknown_name("factor of a protocol", factor, list(FACTORS))
        if value not in FACTORS[factor]:
            raise UsageError(f"protocol {protocol!r}: {factor}={value}, expected {' or '.join(FACTORS[factor])}")
        factors = factors._replace(**{factor: value})
    return factors


def measures(truth: TrueSpans, start: Floats, end: Floats, factors: Factors) -> SpanMeasures:
    """What the factors make of predictions: shape (rows,), finite, or NaN where missing."""
    missing = np.isnan(start) | np.isnan(end)
    lost = missing | (start > end) if factors.reversed == "miss" else missing
    iou = span_iou(truth.start, truth.end, start, end)
    iou[lost] = 0.0
    td = temporal_distance(truth.start, truth.end, start, end)
    td[lost] = np.nan
    if factors.union == "defined":
        np.copyto(iou, (truth.start == truth.end) & (td == 0), where=~(iou > 0))
    if factors.null == "truth_end":
        np.copyto(td, truth.end, where=missing)
    onset = onset_distance(truth.accepted_onsets, start)
    onset[lost] = np.nan
    far = td > FARTHEST_IN_MEAN
    capped = factors.cap == "10000" and far.any()
    return SpanMeasures(iou, td, np.where(far, truth.end, td) if capped else td, onset)
