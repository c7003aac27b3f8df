"""All combinations of the choices that change a score alone, and how much of its variance each choice explains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import prod

import numpy as np

from benchwright.auditing.alternatives import Alternative
from benchwright.auditing.result import Factorial
from benchwright.auditing.scores import Judge
from builders.engine.variants import Variants
from scorers.resampling import Floats
from scorers.task import Progress, silent

MOST = 5_000
"""Combinations, above which none are tried."""
MOST_ROWS = 5_000_000
"""Candidates of all combinations together, likewise: boxes of a large data set take too long."""

Levels = Sequence[Alternative]


def factorial(
    variants: Variants, judge: Judge, changing: Iterable[Alternative], progress: Progress = silent
) -> Factorial | None:
    """Score all systems on every combination; None of fewer than two choices, or of too many combinations.

    Args:
        variants: builds of the recipe.
        judge: with the systems.
        changing: the alternatives that change a score alone; lifted rules and other benchmarks are left out, as are
            named protocols that combine what is varied one by one.
        progress: of the combinations.

    Raises:
        BenchwrightError: a combination cannot be built or scored.
    """
    choices = _choices(changing, judge.task.protocol)
    shape = [1 + len(levels) for levels in choices.values()]
    candidates = sum(level.candidates for level in judge.task.manifest.identity.levels.values())
    if len(choices) < 2 or prod(shape) > min(MOST, MOST_ROWS // max(candidates, 1)):
        return None
    metrics = judge.task.metrics
    values = np.empty((prod(shape), len(judge.sources), len(metrics)))
    # Settings come first, so that combinations of one build follow one another.
    combinations = list(product(*((None, *levels) for levels in choices.values())))
    manifest, built = judge.task.manifest, None
    with progress("combinations", len(combinations)) as step:
        for place, combination in enumerate(combinations):
            chosen = [each for each in combination if each is not None]
            step(", ".join(each.key for each in chosen))
            settings = {key: value for each in chosen for key, value in each.settings.items()}
            if settings != built:
                manifest, built = variants.build(settings), settings
            found = judge.values(manifest, _scoring(chosen, judge.task.protocol))
            values[place] = [[each[metric] for metric in metrics] for each in found]
    shares = explained(values.reshape(*shape, *values.shape[1:]))
    return Factorial(
        combinations=len(combinations),
        choices={name: [each.key for each in levels] for name, levels in choices.items()},
        explained={
            str(metric): dict(zip(choices, column, strict=True))
            for metric, column in zip(metrics, shares.T.tolist(), strict=True)
            if not np.isnan(column).any()
        },
    )


def explained(values: Floats) -> Floats:
    """The share of the variance of each metric that each factor explains by itself, the mean over systems.

    A share is the sum of squares of a factor's main effect over the whole sum of squares (eta squared of a balanced
    analysis of variance). Systems whose score never changes are left out.

    Args:
        values: shape (levels of each factor..., systems, metrics).

    Returns:
        Shape (factors, metrics), NaN for a metric that never changes, or has a null.
    """
    factors = tuple(range(values.ndim - 2))
    centred = values - values.mean(axis=factors, keepdims=True)
    squares = np.square(centred).sum(axis=factors)
    known = np.where(squares > 1e-18 * np.square(values).sum(axis=factors), squares, np.nan)
    shares = []
    for factor in factors:
        others = tuple(other for other in factors if other != factor)
        means = centred.mean(axis=others)
        weight = prod(values.shape[other] for other in others)
        shares.append(weight * np.square(means).sum(axis=0) / known)
    whole = np.array(shares)
    counted = np.count_nonzero(~np.isnan(whole), axis=1)
    nulls = np.isnan(values).any(axis=(*factors, -2))
    with np.errstate(invalid="ignore"):
        mean: Floats = np.where(nulls, np.nan, np.nansum(whole, axis=1) / counted)
    return mean


def _choices(changing: Iterable[Alternative], protocol: str) -> dict[str, list[Alternative]]:
    """The alternatives by what they change, those of settings first."""
    kept = [each for each in changing if not each.lifts and each.kind != "other benchmark"]
    single = any(each.scoring.get("protocol", "").startswith(f"{protocol},") for each in kept)
    choices: dict[str, list[Alternative]] = {}
    for each in sorted(kept, key=lambda alternative: not alternative.settings):
        if not (single and each.key.startswith("protocol=")):
            choices.setdefault(each.key.partition("=")[0], []).append(each)
    return choices


def _scoring(chosen: Levels, protocol: str) -> Mapping[str, str]:
    """The options of several alternatives at once; those of one protocol's factors are joined."""
    options: dict[str, str] = {}
    for each in chosen:
        for name, value in each.scoring.items():
            joined = name == "protocol" and value.startswith(f"{protocol},")
            options[name] = options.get(name, protocol) + value.removeprefix(protocol) if joined else value
    return options
