"""All metrics of one run under each protocol, why some have no value, and where and why the protocols differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from schemas.errors import unknown_name
from scorers.activity.frames import Predictions, Truth
from scorers.activity.protocols import LEAST_MEMBERS, PROTOCOLS, Sums, compare
from scorers.activity.reasons import reason
from scorers.activity.samples import Floats

METRICS = (
    *("P_i", "R_i", "F_i", "P_p", "R_p", "F_p", "P_g", "R_g", "F_g", "F_a"),
    *("group_P", "group_R", "group_F", "IOU@AUC", "Mat.IoU"),
)
PRIMARY = "F_a"

# Sums over sequences round differently from one to another protocol; equal results must not differ by the last bit.
_SLACK = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """One run under one protocol.

    Attributes:
        protocol: a name in `PROTOCOLS`.
        values: from 0 to 1 by metric, NaN where there is none; recalls may exceed 1 if predicted groups overlap.
        sums: what the values are made of, over each sequence.
    """

    protocol: str
    values: dict[str, float]
    sums: Sums

    def totals(self) -> dict[str, float]:
        """The sums over all sequences."""
        return {name: float(values.sum()) for name, values in self.sums.items()}

    def statistics(self, metrics: Sequence[str] = METRICS) -> list[Callable[[Floats], float]]:
        """The metrics as functions of weights of the sequences, shape (sequences,), for `scorers.uncertainty`."""
        names, columns = list(self.sums), np.stack(list(self.sums.values()), axis=1)
        known: dict[bytes, dict[str, float]] = {}

        def value(metric: str, weights: Floats) -> float:
            key = weights.tobytes()
            if key not in known:
                totals = dict(zip(names, (weights @ columns).tolist(), strict=True))
                known[key] = PROTOCOLS[self.protocol].values(totals)
            return known[key][metric]

        return [partial(value, metric) for metric in metrics]


class Difference(NamedTuple):
    """A metric whose value depends on the protocol, its value under each (NaN is null), and why."""

    metric: str
    values: dict[str, float]
    reason: str


def evaluate(
    truth: Truth,
    predictions: Predictions,
    protocols: Iterable[str] = tuple(PROTOCOLS),
    least_members: int = LEAST_MEMBERS,
) -> dict[str, Evaluation]:
    """Every metric under some protocols, all when not said.

    Args:
        truth, predictions: of the same key frames.
        protocols: names in `PROTOCOLS`.
        least_members: smaller groups are dropped on both sides; 1 scores everybody who stands alone, too.

    Raises:
        UsageError: unknown protocol.

    >>> from scorers.activity.frames import Groups
    >>> import pyarrow as pa
    >>> one, nobody = np.zeros(1, int), np.empty(0, int)
    >>> labels = np.array([1, 2], np.uint32)
    >>> pair = Groups(one, labels[:1], np.zeros(2, int), np.arange(2))
    >>> people = (2, np.zeros(2, int), np.arange(2))
    >>> truth = Truth(pa.array(["a/000015"]), ("a",), one, one, one + 15, *people, labels, pair, labels[:1])
    >>> evaluate(truth, Predictions(labels, pair, labels[1:]))["paper"].values["F_a"]
    0.6666666666666666
    """
    compared = compare(truth, predictions, least_members)
    evaluations = {}
    for name in protocols:
        if name not in PROTOCOLS:
            raise unknown_name("protocol", name, list(PROTOCOLS))
        sums = PROTOCOLS[name].sums(compared)
        totals = {part: float(values.sum()) for part, values in sums.items()}
        evaluations[name] = Evaluation(name, PROTOCOLS[name].values(totals), sums)
    return evaluations


def differences(evaluations: Mapping[str, Evaluation]) -> list[Difference]:
    """The metrics on which the protocols disagree, in print order; `evaluations` are of all protocols."""
    found: list[tuple[str, dict[str, float]]] = []
    for metric in METRICS:
        values = {name: evaluation.values[metric] for name, evaluation in evaluations.items()}
        numbers = np.array(list(values.values()))
        if not np.allclose(numbers, numbers[0], rtol=0, atol=_SLACK, equal_nan=True):
            found.append((metric, values))
    totals = {name: evaluation.totals() for name, evaluation in evaluations.items()}
    metrics = [metric for metric, _ in found]
    return [Difference(metric, values, reason(metric, totals, metrics)) for metric, values in found]


def null_reasons(evaluation: Evaluation) -> list[tuple[tuple[str, ...], str]]:
    """Which metrics have no value, and why."""
    totals = evaluation.totals()
    causes = (
        (("P_i", "R_i", "F_i"), _cause(totals["instances_i"], "no actions were predicted", "there are no persons")),
        (("P_p", "R_p", "F_p"), _cause(totals["predicted"], "no groups were predicted", _NO_GROUP)),
        (("F_p",), _NO_LABELS),
        (("P_g", "R_g", "F_g"), _cause(totals["instances_g"], _NO_GLOBAL, "there are no key frames")),
        (("F_a",), "it is the mean of F_i, F_p and F_g"),
        (("group_P", "group_R", "group_F", "IOU@AUC"), "no groups were predicted"),
        (("Mat.IoU",), _cause(totals["linked_either"], "no groups were predicted", _NO_LINK)),
    )
    left = {metric for metric, value in evaluation.values.items() if math.isnan(value)}
    found: list[tuple[tuple[str, ...], str]] = []
    for metrics, cause in causes:
        if cause and left.issuperset(metrics):
            found.append((metrics, cause))
            left.difference_update(metrics)
    return found


_NO_GROUP = "no group of two or more people is predicted, where the reference evaluator stops with ZeroDivisionError"
_NO_LABELS = "a match has no label on either side, where the reference evaluator gets 0/0"
_NO_GLOBAL = "no global activities were predicted"
_NO_LINK = "nobody is together with anybody on either side, where the reference evaluator stops with ZeroDivisionError"


def _cause(total: float, untried: str, empty: str) -> str:
    """Why a quotient over `total` has no value, empty if that has another reason."""
    return untried if math.isnan(total) else "" if total else empty


def metric_named(text: str) -> str:
    """The metric that `text` names.

    Raises:
        UsageError: there is none; the nearest are suggested.
    """
    for metric in METRICS:
        if metric.casefold() == text.strip().casefold():
            return metric
    raise unknown_name("metric", text, METRICS)
