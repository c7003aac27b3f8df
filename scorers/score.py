"""A score as every scorer gives it: values with intervals, counts, baselines, warnings, and a line to quote."""

from __future__ import annotations

import math
from typing import Literal

import msgspec

from schemas.identity import Identity
from scorers.uncertainty import Comparison as PairedComparison

_SHOWN_DIGEST = 12


class Value(msgspec.Struct, frozen=True):
    """A metric's value on the scale of its unit; null where it is not defined, without ends where not asked for."""

    value: float | None
    low: float | None
    high: float | None
    unit: str


class Difference(msgspec.Struct, frozen=True):
    """A metric whose value depends on the protocol."""

    metric: str
    paper: float | None
    strict: float | None


class Bootstrap(msgspec.Struct, frozen=True):
    """How the intervals were made."""

    clusters: str
    resamples: int
    seed: int


class Score(msgspec.Struct, frozen=True):
    """The result of scoring one prediction file on one manifest.

    Attributes:
        metrics: by name.
        counts: predictions by status; `rows` and `scored` are the rows of the manifest and those with a prediction.
        protocol: how it was computed.
        baselines: value of each metric for each trivial baseline, by its name.
        differences: where the protocols differ on these predictions.
        warnings: what a person should know before quoting a number.
        signature: the first metric and all that its number depends on, in one line.
        notes: what was found in order.
    """

    metrics: dict[str, Value]
    counts: dict[str, int]
    protocol: str
    baselines: dict[str, dict[str, float | None]]
    differences: list[Difference]
    warnings: list[str]
    signature: str
    notes: list[str] = []


class Line(msgspec.Struct, frozen=True):
    """One metric of two runs: b minus a, the ends of its 95% interval, the two-sided p-value of no difference."""

    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    unit: str


class Comparison(msgspec.Struct, frozen=True):
    """Two runs, metric by metric; `method` says how the intervals and p-values were made."""

    metrics: dict[str, Line]
    warnings: list[str]
    protocol: str
    method: str


def line_of(a: float, b: float, found: PairedComparison, unit: str, scale: int = 1) -> Line:
    """The line of a metric from its two values and their comparison, which are multiplied by `scale`."""
    return Line(
        value_or_null(scale * a),
        value_or_null(scale * b),
        value_or_null(scale * found.difference),
        value_or_null(scale * found.interval.low),
        value_or_null(scale * found.interval.high),
        value_or_null(found.p_value),
        unit,
    )


def value_or_null(number: float) -> float | None:
    """NaN as null, as JSON has no NaN; else a plain float, as msgspec encodes none of NumPy's."""
    return None if math.isnan(number) else float(number)


def signature(
    metrics: dict[str, Value],
    counts: dict[str, int],
    identity: Identity,
    split: str | None,
    protocol: str,
    missing: Literal["as the authors", "wrong"],
    bootstrap: Bootstrap | None,
    options: dict[str, str],
) -> str:
    """One line that makes a score quotable: the first metric, then everything that could change it, version last.

    Shape after sacrebleu: `name = value unit [low, high] n=scored/rows | key:value | ...`.
    """
    name, value = next(iter(metrics.items()))
    parts = [
        f"{name} = {quoted(value)} n={counts['scored']}/{counts['rows']}",
        f"data:{identity.name}{f'/{split}' if split else ''} sha:{identity.content_digest[:_SHOWN_DIGEST]}",
        "rules:" + (",".join(f"{p}={identity.parameters[p]}" for p in identity.changed_parameters) or "default"),
        f"protocol:{protocol}",
        *(f"{option}:{setting}" for option, setting in options.items()),
        f"missing:{missing}({counts['rows'] - counts['scored']})",
        "ci:none"
        if bootstrap is None
        else f"ci:cluster({bootstrap.clusters}) bs:{bootstrap.resamples} rs:{bootstrap.seed}",
        f"v:{identity.tool_version}",
    ]
    return " | ".join(parts)


def quoted(value: Value) -> str:
    """`20.77 % [18.8, 22.8]`; `null` where undefined."""
    unit = {"percent": " %", "fraction": "", "s": " s"}[value.unit]
    if value.value is None:
        return "null"
    ends = "" if value.low is None or value.high is None else f" [{value.low:.4g}, {value.high:.4g}]"
    return f"{value.value:.{4 if value.unit == 'fraction' else 2}f}{unit}{ends}"
