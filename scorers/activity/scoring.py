"""The score of predicted activities: values in percent with intervals, protocols side by side, a line to quote."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib.metadata import version

import msgspec
import numpy as np

from schemas.errors import unknown_name
from schemas.identity import Identity
from scorers.activity.baselines import PUBLISHED
from scorers.activity.evaluation import METRICS, PRIMARY, Evaluation, differences, evaluate, null_reasons
from scorers.activity.evaluation import Difference as ProtocolDifference
from scorers.activity.frames import Predictions, Truth
from scorers.activity.labels import THRESHOLDS
from scorers.activity.protocols import LEAST_MEMBERS, PROTOCOLS
from scorers.score import Bootstrap, Difference, Score, Value, signature, value_or_null
from scorers.uncertainty import RESAMPLES, SEED, Interval, intervals

__all__ = ["RESAMPLES", "SEED", "ActivityScore", "score_activity"]

FEW_CLUSTERS = 30


class ActivityScore(Score, frozen=True, kw_only=True):
    """A score in percent.

    Attributes:
        protocols: every metric on which the protocols disagree, its value under each.
        reasons: why they do, by metric.
    """

    protocols: dict[str, dict[str, float | None]]
    reasons: dict[str, str]


def score_activity(
    truth: Truth,
    predictions: Predictions,
    identity: Identity,
    split: str | None = None,
    *,
    protocol: str = "paper",
    metrics: Sequence[str] = METRICS,
    bootstrap: Bootstrap | None = None,
    baselines: Mapping[str, Predictions] | None = None,
    thresholds: Mapping[str, float] = THRESHOLDS,
    least_members: int = LEAST_MEMBERS,
) -> ActivityScore:
    """Score one run.

    Args:
        truth, predictions: of the same key frames.
        identity: of the manifest.
        split: what the line to quote calls the rows.
        protocol: `paper`, `description` or `strict`.
        metrics: those wanted, see `evaluation.METRICS`.
        bootstrap: how to make 95% intervals, by resampling sequences; none when None.
        baselines: trivial predictions of the same key frames, by name.
        thresholds: that made scores into labels, for the line to quote.
        least_members: smaller groups are dropped on both sides.

    Raises:
        UsageError: unknown protocol or metric.
    """
    if protocol not in PROTOCOLS:
        raise unknown_name("protocol", protocol, list(PROTOCOLS))
    for metric in metrics:
        if metric not in METRICS:
            raise unknown_name("metric", metric, METRICS)
    evaluations = evaluate(truth, predictions, least_members=least_members)
    shown = [PRIMARY, *(metric for metric in metrics if metric != PRIMARY)]
    values = _values(evaluations[protocol], shown, len(truth.sequences), bootstrap)
    trivial = {
        name: _percents(evaluate(truth, guess, [protocol], least_members)[protocol].values)
        for name, guess in (baselines or {}).items()
    }
    differing = [difference for difference in differences(evaluations) if difference.metric in metrics]
    warnings = [
        *predictions.warnings,
        *_null_warnings(evaluations, protocol, metrics),
        *_cluster_warning(truth, bootstrap),
        *_scale_warning(trivial),
    ]
    counts = {**predictions.counts, **_group_counts(truth, predictions, least_members)}
    options = _options(bool(predictions.scored), thresholds, least_members)
    own = msgspec.structs.replace(identity, tool_version=version("benchwright"))
    return ActivityScore(
        {metric: values[metric] for metric in metrics},
        counts,
        protocol,
        {name: {metric: found[metric] for metric in metrics} for name, found in trivial.items()},
        _against_strict(differing),
        warnings,
        signature(values, counts, own, split, protocol, "wrong", bootstrap, options),
        protocols={difference.metric: _percents(difference.values) for difference in differing},
        reasons={difference.metric: difference.reason for difference in differing},
    )


def _group_counts(truth: Truth, predictions: Predictions, least_members: int) -> dict[str, int]:
    """How many groups are scored on each side, and how many are too small for that."""
    counts = {}
    for side, groups in (("true", truth.groups), ("predicted", predictions.groups)):
        if groups is not None:
            scored = len(groups.of_at_least(least_members))
            counts[f"{side}_groups"] = scored
            if scored < len(groups):
                counts[f"{side}_groups_too_small"] = len(groups) - scored
    return counts


def _values(
    evaluation: Evaluation, metrics: Sequence[str], sequences: int, bootstrap: Bootstrap | None
) -> dict[str, Value]:
    ends = [Interval(math.nan, math.nan)] * len(metrics)
    if bootstrap is not None:
        statistics = evaluation.statistics(metrics)
        ends = intervals(statistics, np.arange(sequences), resamples=bootstrap.resamples, seed=bootstrap.seed)
    return {
        metric: Value(_percent(evaluation.values[metric]), _percent(low), _percent(high), "percent")
        for metric, (low, high) in zip(metrics, ends, strict=True)
    }


def _options(scored: bool, thresholds: Mapping[str, float], least_members: int) -> dict[str, str]:
    """What else the numbers depend on."""
    options = {}
    if scored:
        options["thresholds"] = "/".join(f"{thresholds.get(task, default):g}" for task, default in THRESHOLDS.items())
    if least_members != LEAST_MEMBERS:
        options["least_members"] = str(least_members)
    return options


def _percent(value: float) -> float | None:
    return value_or_null(100 * value)


def _percents(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: _percent(value) for name, value in values.items()}


def _against_strict(differing: Sequence[ProtocolDifference]) -> list[Difference]:
    """What the house's scores say of differences: paper and strict alone."""
    pairs = [(each.metric, _percent(each.values["paper"]), _percent(each.values["strict"])) for each in differing]
    return [Difference(*pair) for pair in pairs if pair[1] != pair[2]]


def _null_warnings(evaluations: Mapping[str, Evaluation], protocol: str, metrics: Sequence[str]) -> list[str]:
    """Which metrics have no value and why, and the value that `strict` has for them."""
    warnings = []
    for without, cause in null_reasons(evaluations[protocol]):
        wanted = [metric for metric in without if metric in metrics]
        if wanted:
            strict = [(metric, evaluations["strict"].values[metric]) for metric in wanted]
            instead = ", ".join(f"{metric} {100 * value:.2f} %" for metric, value in strict if not math.isnan(value))
            verb = "have" if len(wanted) > 1 else "has"
            told = f"{', '.join(wanted)} {verb} no value: {cause}"
            warnings.append(told + (f"; strict: {instead}" if instead else ""))
    return warnings


def _cluster_warning(truth: Truth, bootstrap: Bootstrap | None) -> list[str]:
    count = len(truth.sequences)
    if bootstrap is None or count >= FEW_CLUSTERS:
        return []
    return [f"the intervals resample {count} sequences: so few make them wide and rough"]


def _scale_warning(trivial: Mapping[str, Mapping[str, float | None]]) -> list[str]:
    """How far the same labels for everybody get."""
    reached = [(values["F_i"], values["F_g"]) for values in trivial.values()]
    if not reached or None in reached[0]:
        return []
    individual, everywhere = reached[0]
    told = f"the same labels for everybody give F_i {individual:.1f} % and F_g {everywhere:.1f} %"
    published = f"F_i {PUBLISHED['F_i']} and F_g {PUBLISHED['F_g']}"
    return [f"{told}; published on the test split are {published}: read both beside the baselines"]
