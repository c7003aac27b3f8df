"""Combinations of the choices that change a score alone, and how much of its variance each choice explains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product
from math import prod

import numpy as np

from benchwright.auditing.alternatives import Alternative
from benchwright.auditing.curves import curve
from benchwright.auditing.result import Factorial
from benchwright.auditing.scores import Judge
from builders.engine.variants import Variants
from schemas.errors import BenchwrightError
from scorers.resampling import Floats
from scorers.task import Progress, silent

MOST = 5_000
"""Combinations, above which only those of one or two choices are tried."""
MOST_ROWS = 5_000_000
"""Candidates of all combinations together, likewise: boxes of a large data set take too long."""

Levels = Sequence[Alternative]
Point = tuple[int, ...]
"""The level of each choice, 0 for the default."""


class TooManyError(BenchwrightError):
    """Even combinations of two choices are too many."""


def factorial(
    variants: Variants, judge: Judge, changing: Iterable[Alternative], progress: Progress = silent
) -> Factorial | None:
    """Score all systems on every combination, where these are too many on those of two choices; None of fewer choices.

    Args:
        variants: builds of the recipe.
        judge: with the systems.
        changing: the alternatives that change a score alone; lifted rules and other benchmarks are left out, as are
            named protocols that combine what is varied one by one.
        progress: of the combinations.

    Raises:
        BenchwrightError: a combination cannot be built or scored; there are too many.
    """
    choices = _choices(changing, judge.task.protocol)
    if len(choices) < 2:
        return None
    shape = [1 + len(levels) for levels in choices.values()]
    candidates = sum(level.candidates for level in judge.task.manifest.identity.levels.values())
    points, whole = _points(shape, candidates)
    # Settings come first, so that combinations of one build follow one another.
    values = _scored(variants, judge, [(None, *levels) for levels in choices.values()], points, progress)
    shares = (
        explained(np.array(values).reshape(*shape, *values[0].shape))
        if whole
        else explained_by_pairs(shape, dict(zip(points, values, strict=True)))
    )
    keys = {name: [each.key for each in levels] for name, levels in choices.items()}
    explaining = {
        place: dict(zip(choices, column, strict=True))
        for place, column in enumerate(shares.T.tolist())
        if not np.isnan(column).any()
    }
    metrics, systems = judge.task.metrics, list(judge.sources)
    return Factorial(
        combinations=prod(shape),
        scored=len(points),
        choices=keys,
        explained={str(metrics[place]): by_choice for place, by_choice in explaining.items()},
        curves={
            str(metrics[place]): curve(
                metrics[place],
                systems,
                keys,
                by_choice,
                {point: each[:, place] for point, each in zip(points, values, strict=True)},
            )
            for place, by_choice in explaining.items()
        },
    )


def _points(shape: Sequence[int], candidates: int) -> tuple[list[Point], bool]:
    """The combinations to try, and whether they are all."""
    most = min(MOST, MOST_ROWS // max(candidates, 1))
    if prod(shape) <= most:
        return list(product(*map(range, shape))), True
    found: set[Point] = set()
    for one, other in combinations(range(len(shape)), 2):
        found.update(
            tuple({one: a, other: b}.get(factor, 0) for factor in range(len(shape)))
            for a, b in product(range(shape[one]), range(shape[other]))
        )
    if len(found) > most:
        raise TooManyError(
            f"{prod(shape):,} combinations, {len(found):,} of at most two choices, of {candidates:,} candidates each: "
            f"at most {MOST:,} of {MOST_ROWS:,} candidates in all are tried"
        )
    return sorted(found), False


def _scored(
    variants: Variants,
    judge: Judge,
    levels: Sequence[Sequence[Alternative | None]],
    points: Sequence[Point],
    progress: Progress,
) -> list[Floats]:
    """The metrics of each combination, shape (systems, metrics) each."""
    manifest, built, values = judge.task.manifest, None, []
    with progress("combinations", len(points)) as step:
        for point in points:
            chosen = [each for of, level in zip(levels, point, strict=True) if (each := of[level]) is not None]
            step(", ".join(each.key for each in chosen))
            settings = {key: value for each in chosen for key, value in each.settings.items()}
            if settings != built:
                manifest, built = variants.build(settings), settings
            found = judge.values(manifest, _scoring(chosen, judge.task.protocol))
            values.append(np.array([[each[metric] for metric in judge.task.metrics] for each in found]))
    return values


def explained(values: Floats) -> Floats:
    """The share of the variance of each metric that each factor explains by itself, the mean over systems.

    A share is the variance of a factor's main effect over the whole variance (eta squared of a balanced analysis of
    variance). Systems whose score never changes are left out.

    Args:
        values: shape (levels of each factor..., systems, metrics).

    Returns:
        Shape (factors, metrics), NaN for a metric that never changes, or has a null.
    """
    factors = tuple(range(values.ndim - 2))
    centred = values - values.mean(axis=factors, keepdims=True)
    mains = [np.square(centred.mean(axis=tuple(o for o in factors if o != f))).mean(axis=0) for f in factors]
    return _shares(np.array(mains), np.square(centred).mean(axis=factors), np.square(values).mean(axis=factors))


def explained_by_pairs(shape: Sequence[int], values: Mapping[Point, Floats]) -> Floats:
    """The same from combinations of at most two choices, as if three did nothing that two of them do not.

    A score is the default's, plus what each choice adds, plus what each two add beyond that (an anchored
    decomposition); the variances of the sum over all combinations are known from its terms. Source: Kuo, Sloan,
    Wasilkowski and Wozniakowski, Mathematics of Computation 79 (2010) 953-966.

    Args:
        shape: levels of each factor.
        values: by combination, shape (systems, metrics).

    Returns:
        As of `explained`.
    """
    factors = range(len(shape))
    default = values[(0,) * len(shape)]

    def at(levels: Mapping[int, int]) -> Floats:
        return values[tuple(levels.get(factor, 0) for factor in factors)] - default

    alone = [np.array([at({f: level}) for level in range(shape[f])]) for f in factors]
    mains, variance = [each.copy() for each in alone], np.zeros(default.shape)
    for f, g in combinations(factors, 2):
        both = np.array([[at({f: a, g: b}) for b in range(shape[g])] for a in range(shape[f])])
        more = both - alone[f][:, None] - alone[g]
        mains[f] += more.mean(axis=1)
        mains[g] += more.mean(axis=0)
        centred = more - more.mean(axis=1, keepdims=True) - more.mean(axis=0) + more.mean(axis=(0, 1))
        variance += np.square(centred).mean(axis=(0, 1))
    single = np.array([np.square(each - each.mean(axis=0)).mean(axis=0) for each in mains])
    return _shares(single, variance + single.sum(axis=0), np.square(np.array(list(values.values()))).mean(axis=0))


def _shares(mains: Floats, variance: Floats, squares: Floats) -> Floats:
    """Variances of main effects, shape (factors, systems, metrics), over the whole, the mean over systems that vary."""
    shares = mains / np.where(variance > 1e-18 * squares, variance, np.nan)
    counted = np.count_nonzero(~np.isnan(shares), axis=1)
    with np.errstate(invalid="ignore"):
        mean: Floats = np.where(np.isnan(variance).any(axis=0), np.nan, np.nansum(shares, axis=1) / counted)
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
