"""What scoring gives, whatever the metrics: values with intervals, counts, baselines, warnings, and a signature."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import pandas as pd

_DIGITS = {"fraction": 4, "count": 0}
_SIGNS = {"percent": " %", "s": " s"}


METHODS = {
    "percentile": "percentile bootstrap",
    "clopper-pearson": "Clopper-Pearson where all clusters agree",
    "korn-graubard": "Clopper-Pearson for the effective number of clusters (Korn-Graubard)",
    "jackknife-t": "Student's t over clusters (jackknife)",
}
"""How 95% intervals are made, by the names that signatures have."""


def interval_methods(values: Iterable[Value | Pair]) -> str:
    """How the intervals of these were made, in words."""
    used = {value.method for value in values}
    named = [words for method, words in METHODS.items() if method in used]
    lacking = ["none where no draw differs or one cluster decides"] if named and "" in used else []
    return ", or ".join([*named, *lacking]) or "none"


class Value(msgspec.Struct, frozen=True):
    """A metric's value on the scale of its unit, and the bounds of its 95% interval; null where not defined.

    `higher_is_better` is null where neither direction is better, or the metric does not say. `method` says how the
    interval was made, by a name in `METHODS`.
    """

    value: float | None
    low: float | None
    high: float | None
    unit: str
    higher_is_better: bool | None = None
    method: str = ""


class Difference(msgspec.Struct, frozen=True):
    """A metric that depends on the protocol: its value under each, and why."""

    metric: str
    values: dict[str, float | None]
    reason: str = ""


class Table(msgspec.Struct, frozen=True):
    """Rows of one shape, and in a line what they are; fractions are from 0 to 1, null where not defined."""

    title: str
    rows: list[dict[str, str | int | float | None]]


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """The result of scoring one run on one manifest.

    Attributes:
        metrics: by name.
        counts: predictions by status; `rows` and `scored` are the rows of the manifest and those with a prediction.
        protocol: how it was computed.
        baselines: value of each metric for each trivial baseline, by its name.
        differences: where the protocols differ on these predictions.
        warnings: what a reader must know before quoting a number.
        signature: the first metric and all that its number depends on, in one line.
        notes: checks that found everything in order.
        tables: what the score is made of, where that was asked for, by name.
    """

    metrics: dict[str, Value]
    counts: dict[str, int]
    protocol: str
    baselines: dict[str, dict[str, float | None]]
    differences: list[Difference]
    warnings: list[str]
    signature: str
    notes: list[str] = []
    tables: dict[str, Table] = {}

    def to_pandas(self) -> pd.DataFrame:
        """A row per metric: value, low, high, unit, higher_is_better, and the value of each baseline."""
        import pandas as pd

        values = {name: msgspec.structs.asdict(value) for name, value in self.metrics.items()}
        table = pd.DataFrame.from_dict(values, orient="index")
        for kind, reached in self.baselines.items():
            table[kind] = pd.Series(reached, dtype="float64")
        return table.rename_axis("metric")

    def __str__(self) -> str:
        lines = [f"{name}: {quoted(value)}" for name, value in self.metrics.items()]
        return "\n".join([*lines, *(f"warning: {warning}" for warning in self.warnings), self.signature])

    __repr__ = __str__


class Pair(msgspec.Struct, frozen=True):
    """One metric of two runs.

    Attributes:
        a, b, difference: the values, and b minus a.
        low, high, method: the 95% interval of the difference, and how it was made, as in `Value`.
        p_value: two-sided, of no difference.
        p_holm: the same corrected for all metrics of the comparison.
        p_floor: the least `p_value` that the clusters and resamples can give.
        unit: of the values.
    """

    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    p_holm: float | None
    p_floor: float
    unit: str
    higher_is_better: bool | None = None
    method: str = ""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs, metric by metric; `method` says how the intervals and p-values were made."""

    metrics: dict[str, Pair]
    warnings: list[str]
    protocol: str
    method: str

    def to_pandas(self) -> pd.DataFrame:
        """A row per metric: a, b, difference, low, high, p_value, p_holm, p_floor, unit, higher_is_better, method."""
        import pandas as pd

        pairs = {name: msgspec.structs.asdict(pair) for name, pair in self.metrics.items()}
        return pd.DataFrame.from_dict(pairs, orient="index").rename_axis("metric")

    def __str__(self) -> str:
        lines = [
            f"{name}: {quoted(Value(pair.difference, pair.low, pair.high, pair.unit))}, p {p_value(pair)}"
            for name, pair in self.metrics.items()
        ]
        return "\n".join(["b minus a", *lines, *(f"warning: {warning}" for warning in self.warnings), self.method])

    __repr__ = __str__


def p_value(pair: Pair) -> str:
    """The p-value of a table of several metrics, `<=` where the test can give no less; `null` where undefined."""
    if pair.p_value is None or pair.p_holm is None:
        return "null"
    return f"<= {pair.p_holm:.4f}" if pair.p_value <= pair.p_floor else f"{pair.p_holm:.4f}"


def value_or_null(number: float) -> float | None:
    """NaN as null, as JSON has no NaN; else a plain float, as msgspec encodes none of NumPy's."""
    return None if math.isnan(number) else float(number)


def digits(unit: str) -> int:
    """How many digits after the point values of a unit are printed with."""
    return _DIGITS.get(unit, 2)


def scale(unit: str, higher_is_better: bool | None = None) -> str:
    """A unit as tables name it, and an arrow for the better direction.

    >>> scale("percent", True), scale("s", False), scale("fraction")
    ('% ↑', 's ↓', 'fraction')
    """
    arrow = {True: " ↑", False: " ↓", None: ""}[higher_is_better]
    return f"{_SIGNS.get(unit, unit).strip()}{arrow}"


def quoted(value: Value) -> str:
    """`20.77 % [18.69, 22.72]`; `null` where undefined."""
    if value.value is None:
        return "null"
    places = digits(value.unit)
    bounds = "" if value.low is None or value.high is None else f" [{value.low:.{places}f}, {value.high:.{places}f}]"
    return f"{value.value:.{places}f}{_SIGNS.get(value.unit, '')}{bounds}"
