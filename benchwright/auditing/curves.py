"""Scores under combinations of the choices that matter, and who is first under all combinations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from benchwright.auditing.result import Combination, Curve
from scorers.metric import Metric, direction
from scorers.resampling import Floats
from scorers.score import value_or_null

LEAST = 0.005
"""Share of the variance of the scores of a metric, below which a choice is not varied in its curve."""
MOST = 128
"""Combinations of a curve."""


def curve(
    metric: Metric,
    systems: Sequence[str],
    choices: Mapping[str, Sequence[str]],
    shares: Mapping[str, float],
    scores: Mapping[tuple[int, ...], Floats],
) -> Curve:
    """The curve of one metric.

    Args:
        metric: for its direction.
        systems: names.
        choices: the alternatives to the default of each.
        shares: of the variance that each choice explains.
        scores: of each system by combination: the level of each choice, 0 for the default.
    """
    names = list(choices)
    drawn: list[str] = []
    for name in sorted((name for name in names if shares[name] >= LEAST), key=lambda each: -shares[each]):
        if prod(1 + len(choices[each]) for each in (*drawn, name)) <= MOST:
            drawn.append(name)
    still = [place for place, name in enumerate(names) if name not in drawn]
    known = np.array(list(scores.values())) * (-1.0 if direction(metric) is False else 1.0)
    first = known == known.max(axis=1, keepdims=True)
    above = (known[:, None, :] > known[:, :, None]).sum(axis=2)
    return Curve(
        choices=drawn,
        combinations=[
            Combination(
                [choices[name][level - 1] for name, level in zip(names, point, strict=True) if level],
                [value_or_null(score) for score in found.tolist()],
            )
            for point, found in scores.items()
            if not any(point[place] for place in still)
        ],
        firsts={name: int(count) for name, count in zip(systems, first.sum(axis=0), strict=True) if count},
        orders=len(np.unique(above, axis=0)),
    )
