"""Protocols as factors: each changes what it says, and nothing else."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from schemas.errors import UsageError
from scorers.temporal.expressions import DEFAULT_METRICS, Metric
from scorers.temporal.metrics import evaluate
from scorers.temporal.protocols import FACTORS, PROTOCOLS, Factors, factors_of, measures
from scorers.temporal.spans import TrueSpans

TRUTH = TrueSpans(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([4.0, 6.0, 8.0, 9.0, 5.0]))
# Close, missing, reversed, far, and the same single point as the truth.
START = np.array([1.0, np.nan, 9.0, 4.0, 5.0])
END = np.array([5.0, np.nan, 3.0, 20_000.0, 5.0])
ROWS = {"null": [1], "reversed": [2], "cap": [3], "union": [4]}


def of(protocol: str) -> np.ndarray:
    found = measures(TRUTH, START, END, factors_of(protocol))
    return np.array([found.iou, found.td, found.td_in_mean, found.onset])


@pytest.mark.parametrize("factor", ROWS)
def test_a_factor_changes_its_own_rows_alone(factor: str) -> None:
    paper, other = of("paper"), of(f"paper,{factor}={FACTORS[factor][1]}")
    differs = ((paper != other) & ~(np.isnan(paper) & np.isnan(other))).any(axis=0)
    assert np.flatnonzero(differs).tolist() == ROWS[factor]


def test_named_protocols_are_points_among_the_factors() -> None:
    changes = ",".join(f"{factor}={value}" for factor, value in PROTOCOLS["strict"]._asdict().items())
    assert np.array_equal(of(f"paper,{changes}"), of("strict"), equal_nan=True)
    assert factors_of("paper") == Factors(*(values[0] for values in FACTORS.values()))
    assert factors_of(" strict , null=truth_end ") == PROTOCOLS["strict"]._replace(null="truth_end")


def test_equal_values_meet_a_threshold_only_inclusively() -> None:
    metrics = [Metric("td", 1.0), Metric("onset", 0.0), Metric("iou", 0.75)]
    found = {
        compare: [
            ratio.value
            for ratio in evaluate(TRUTH, START, END, metrics, f"paper,union=defined,compare={compare}").ratios.values()
        ]
        for compare in FACTORS["compare"]
    }
    assert found["inclusive"] == pytest.approx([40, 60, 40])
    assert found["exclusive"] == pytest.approx([20, 0, 20])


def test_every_combination_has_values() -> None:
    for choice in product(*FACTORS.values()):
        changes = ",".join(f"{factor}={value}" for factor, value in zip(FACTORS, choice, strict=True))
        ratios = evaluate(TRUTH, START, END, DEFAULT_METRICS, f"paper,{changes}").ratios
        nulls = {metric.measure for metric, ratio in ratios.items() if np.isnan(ratio.value)}
        assert nulls == ({"iou"} if "union=undefined" in changes else set())


@pytest.mark.parametrize(
    ("protocol", "said"),
    [
        ("papr", "did you mean paper"),
        ("paper,nul=miss", "did you mean null"),
        ("paper,null=hit", "null=hit, expected truth_end or miss"),
        ("paper,", "factor of a protocol"),
    ],
)
def test_what_is_unknown_is_refused(protocol: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        factors_of(protocol)
