"""The columns of `metrics` against the row-by-row reference, on any spans that there can be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scorers.temporal.expressions import DEFAULT_METRICS, Metric
from scorers.temporal.metrics import evaluate
from scorers.temporal.protocols import PROTOCOLS
from scorers.temporal.reference import metric
from scorers.temporal.spans import TrueSpans

# Few different times, so that spans touch, coincide, reverse and cancel; and one beyond the farthest.
TIMES = st.sampled_from([0.0, 0.1, 0.25, 1.0, 2.0, 3.5, 5.0, 7.0, 20_000.0])
TRUE = st.tuples(TIMES, TIMES).map(lambda span: (min(span), max(span)))
ROWS = st.lists(st.tuples(TRUE, st.none() | st.tuples(TIMES, TIMES)), max_size=12)
METRICS = [*DEFAULT_METRICS, Metric("iou", 0.0), Metric("iou", 1.0), Metric("td", 20_000), Metric("onset", 0)]


@given(ROWS, st.sampled_from(sorted(PROTOCOLS)))
@example([((1.0, 2.0), (2.0, 1.0))], "paper")
@example([((1.0, 1.0), (1.0, 1.0))], "strict")
def test_columns_agree_with_rows(rows: list, protocol: str) -> None:
    truth, predicted = [row[0] for row in rows], [row[1] for row in rows]
    true = np.array(truth, np.float64).reshape(-1, 2).T
    start, end = np.array([p or (math.nan, math.nan) for p in predicted], np.float64).reshape(-1, 2).T
    found = evaluate(TrueSpans(*true), start, end, METRICS, protocol)
    for each, ratio in found.ratios.items():
        expected = metric(each.measure, each.threshold, truth, predicted, protocol)
        if each.threshold is None and expected is not None:
            assert ratio.value == pytest.approx(expected, rel=1e-14)
        else:
            np.testing.assert_equal(ratio.value, math.nan if expected is None else expected)
