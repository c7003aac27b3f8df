"""Several people's spans of the same rows: the one that a prediction meets best counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.temporal.expressions import DEFAULT_METRICS, Metric
from scorers.temporal.metrics import evaluate
from scorers.temporal.protocols import PROTOCOLS
from scorers.temporal.spans import TrueSpans

ROWS = 3
TIMES = st.floats(0, 60, allow_nan=False).map(lambda value: round(value, 2))
SPANS = st.lists(st.tuples(TIMES, TIMES).map(sorted), min_size=ROWS, max_size=ROWS)
MAYBE = st.one_of(TIMES, st.just(float("nan")))
PREDICTED = st.lists(st.tuples(MAYBE, MAYBE), min_size=ROWS, max_size=ROWS)


def truth_of(spans: list[list[float]]) -> TrueSpans:
    start, end = np.array(spans, np.float64).T
    return TrueSpans(start, end)


def test_the_best_met_of_several_counts() -> None:
    mine, yours = truth_of([[0, 10], [0, 10]]), truth_of([[20, 30], [0, 8]])
    start, end = np.array([20.0, 0.0]), np.array([30.0, 10.0])
    metrics = [Metric("iou"), Metric("td"), Metric("onset", 1.0)]
    alone = [evaluate(truth, start, end, metrics).ratios.values() for truth in (mine, yours)]
    both = evaluate(replace(mine, others=(yours,)), start, end, metrics)
    assert [[ratio.value for ratio in ratios] for ratios in alone] == [[0.5, 20.0, 50.0], [0.9, 1.0, 100.0]]
    assert [ratio.value for ratio in both.ratios.values()] == [1.0, 0.0, 100.0]
    assert (both.measures.iou.tolist(), both.measures.td.tolist()) == ([1.0, 1.0], [0.0, 0.0])


@pytest.mark.parametrize("protocol", PROTOCOLS)
@settings(deadline=None, max_examples=50)
@given(people=st.lists(SPANS, min_size=1, max_size=4), predicted=PREDICTED)
def test_iou_is_the_largest_and_distances_the_least(
    people: list[list[list[float]]], predicted: list[tuple[float, float]], protocol: str
) -> None:
    truths = [truth_of(spans) for spans in people]
    start, end = np.array(predicted, np.float64).T
    joint = evaluate(replace(truths[0], others=tuple(truths[1:])), start, end, protocol=protocol).measures
    alone = [evaluate(truth, start, end, protocol=protocol).measures for truth in truths]
    np.testing.assert_array_equal(joint.iou, np.fmax.reduce([rows.iou for rows in alone]))
    for name in ("td", "td_in_mean", "onset"):
        np.testing.assert_array_equal(getattr(joint, name), np.fmin.reduce([getattr(rows, name) for rows in alone]))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@settings(deadline=None, max_examples=50)
@given(people=st.lists(SPANS, min_size=2, max_size=4), predicted=PREDICTED)
def test_the_order_of_people_does_not_matter(
    people: list[list[list[float]]], predicted: list[tuple[float, float]], protocol: str
) -> None:
    truths = [truth_of(spans) for spans in people]
    start, end = np.array(predicted, np.float64).T
    orders = (truths, truths[::-1], [*truths, truths[0]])
    runs = [evaluate(replace(first, others=tuple(rest)), start, end, protocol=protocol) for first, *rest in orders]
    for run in runs[1:]:
        for name in ("iou", "td", "td_in_mean", "onset"):
            np.testing.assert_array_equal(getattr(run.measures, name), getattr(runs[0].measures, name))


@settings(deadline=None, max_examples=50)
@given(spans=SPANS, predicted=PREDICTED)
def test_nobody_else_changes_nothing(spans: list[list[float]], predicted: list[tuple[float, float]]) -> None:
    truth = truth_of(spans)
    start, end = np.array(predicted, np.float64).T
    one, two = (evaluate(given, start, end, protocol="strict") for given in (truth, replace(truth, others=(truth,))))
    for metric in DEFAULT_METRICS:
        np.testing.assert_array_equal(one.ratios[metric].value, two.ratios[metric].value)


def test_each_rank_may_meet_another_person() -> None:
    mine, yours = truth_of([[0, 10]]), truth_of([[20, 30]])
    start, end = np.array([[50.0, 20.0]]), np.array([[60.0, 30.0]])
    metrics = [Metric("iou", 0.5, rank=1), Metric("iou", 0.5, rank=2)]
    found = evaluate(replace(mine, others=(yours,)), start, end, metrics).ratios
    assert [found[metric].value for metric in metrics] == [0.0, 100.0]
    assert evaluate(mine, start, end, metrics).ratios[metrics[1]].value == 0.0


def test_what_nobody_can_be_met_by_stays_missed() -> None:
    truth = replace(truth_of([[0, 4]]), others=(truth_of([[2, 3]]),))
    none = np.array([np.nan])
    strict = evaluate(truth, none, none, protocol="strict").measures
    assert (strict.iou.tolist(), np.isnan(strict.td).all(), np.isnan(strict.onset).all()) == ([0.0], True, True)
    # The reference puts the end of the truth for a missing prediction: the nearest of the ends.
    assert evaluate(truth, none, none, protocol="paper").measures.td.tolist() == [3.0]
