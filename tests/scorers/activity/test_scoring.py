"""The score object of activities: percent, intervals, protocols side by side, warnings, the line to quote."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pytest

from schemas.errors import UsageError
from schemas.identity import Identity
from scorers.activity import METRICS, Predictions, baseline, evaluate, metric_named, score_activity, truth_from
from scorers.score import Bootstrap
from scorers.uncertainty import comparisons

IDENTITY = Identity(
    name="jrdb-par",
    schema="jrdb-par",
    schema_version=1,
    recipe_version=1,
    version_reason="first version",
    parameters={"people.keep": "all"},
    changed_parameters=[],
    sources={},
    levels={},
    counts=[],
    findings={},
    aggregates={},
    splits={},
    content_digest="0123456789abcdef" * 4,
    tool_version="0",
)


def frame(**changes: Any) -> dict[str, Any]:
    """A key frame of four people with two true groups, of which one is found with half of its labels."""
    people = [{"gt": [1, 2], "pred": [1]}, {"gt": [1], "pred": [1]}, {"gt": [4], "pred": [3]}, {"gt": [2], "pred": [2]}]
    groups = [{"members": [0, 1], "labels": [2, 28]}, {"members": [2, 3], "labels": [4]}]
    found = {"pred_groups": [{"members": [0, 1], "labels": [2]}], "global": {"gt": [5], "pred": [5, 3]}}
    return {"n_persons": 4, "persons": people, "gt_groups": groups} | found | changes


CASE = [frame(), frame(), frame(pred_groups=[]), frame(pred_groups=[{"members": [2, 3], "labels": [4]}])]


@pytest.fixture
def case(read_case: Callable[..., Any]) -> Any:
    return read_case(CASE, sequences=2)


def test_values_are_percent(case: Any) -> None:
    score = score_activity(*case, IDENTITY, "test")
    fractions = evaluate(*case)["paper"].values
    assert list(score.metrics) == list(METRICS)
    for metric, value in score.metrics.items():
        assert (value.value, value.unit, value.low) == (100 * fractions[metric], "percent", None)
    assert (score.metrics["R_p"].value, score.metrics["F_g"].value) == (pytest.approx(200 / 3), pytest.approx(200 / 3))


def test_intervals_resample_sequences_and_say_that_there_are_few(case: Any) -> None:
    score = score_activity(*case, IDENTITY, "test", bootstrap=Bootstrap("sequence", 200, 7))
    # The metrics of each sequence alone; with two sequences they are the ends of the interval.
    precision = score.metrics["P_p"]
    assert (precision.low, precision.high) == (pytest.approx(100), pytest.approx(100))
    assert score.metrics["group_R"].low == pytest.approx(25.0)
    assert score.metrics["group_R"].high == pytest.approx(50.0)
    assert "the intervals resample 2 sequences: so few make them wide and rough" in score.warnings
    assert score.signature.startswith("F_a = ")
    assert "ci:cluster(sequence) bs:200 rs:7" in score.signature
    again = score_activity(*case, IDENTITY, "test", bootstrap=Bootstrap("sequence", 200, 7))
    assert msgspec.json.encode(again) == msgspec.json.encode(score)


def test_statistics_are_the_metrics_of_the_sequences_drawn(read_case: Callable[..., Any]) -> None:
    truth, predictions = read_case(CASE, sequences=4)
    for protocol, evaluation in evaluate(truth, predictions).items():
        drawn = [CASE[0], CASE[0], CASE[3], CASE[3], CASE[3]]
        expected = evaluate(*read_case(drawn))[protocol].values
        found = [statistic(np.array([2.0, 0, 0, 3])) for statistic in evaluation.statistics(list(expected))]
        assert dict(zip(expected, found, strict=True)) == pytest.approx(expected)


def test_two_runs_can_be_compared(read_case: Callable[..., Any]) -> None:
    runs = [evaluate(*read_case(frames, sequences=4))["paper"] for frames in (CASE, [frame()] * 4)]
    lines = comparisons(*(run.statistics() for run in runs), np.arange(4), resamples=100)
    differences = {metric: runs[1].values[metric] - runs[0].values[metric] for metric in METRICS}
    assert {metric: line.difference for metric, line in zip(METRICS, lines, strict=True)} == pytest.approx(differences)


def test_protocols_stand_side_by_side_where_they_differ_with_the_reason(case: Any) -> None:
    score = score_activity(*case, IDENTITY)
    assert set(score.protocols) == set(score.reasons) == {"P_p", "R_p", "F_p", "F_a"}
    assert score.protocols["R_p"] == pytest.approx({"paper": 200 / 3, "description": 12.5, "strict": 25.0})
    assert "missed ones cost nothing" in score.reasons["R_p"]
    told = {difference.metric: (difference.paper, difference.strict) for difference in score.differences}
    assert told["R_p"] == pytest.approx((200 / 3, 25.0))
    assert "P_p" not in told  # differs in description alone


def test_groups_that_are_too_small_are_counted_apart(read_case: Callable[..., Any]) -> None:
    lone = [{"members": [place], "labels": [1]} for place in (2, 3)]
    pair = [{"members": [0, 1], "labels": [2]}]
    case = read_case([frame(gt_groups=pair + lone, pred_groups=pair + lone[:1])])
    groups = {name: count for name, count in score_activity(*case, IDENTITY).counts.items() if "groups" in name}
    expected = {"true_groups": 1, "true_groups_too_small": 2, "predicted_groups": 1, "predicted_groups_too_small": 1}
    assert groups == expected
    counts = score_activity(*case, IDENTITY, least_members=1).counts
    assert {name: count for name, count in counts.items() if "groups" in name} == {
        "true_groups": 3,
        "predicted_groups": 2,
    }


def test_a_null_names_its_cause_and_the_strict_value(read_case: Callable[..., Any]) -> None:
    score = score_activity(*read_case([frame(pred_groups=[])]), IDENTITY)
    assert {metric for metric, value in score.metrics.items() if value.value is None} == {"P_p", "R_p", "F_p", "F_a"}
    assert (
        "P_p, R_p, F_p have no value: no group of two or more people is predicted, where the reference evaluator stops "
        "with ZeroDivisionError; strict: P_p 0.00 %, R_p 0.00 %, F_p 0.00 %"
    ) in score.warnings
    assert any(warning.startswith("F_a has no value: it is the mean") for warning in score.warnings)
    assert "F_a = null" in score.signature
    unlabelled = [{"members": [0, 1], "labels": []}]
    score = score_activity(*read_case([frame(gt_groups=unlabelled, pred_groups=unlabelled)]), IDENTITY)
    assert {metric for metric, value in score.metrics.items() if value.value is None} == {"F_p", "F_a"}
    assert any("0/0; strict: F_p 100.00 %" in warning for warning in score.warnings)


def test_tasks_that_were_not_tried_have_no_value(case: Any) -> None:
    truth, predictions = case
    none = Predictions(None, None, None, {"rows": 4, "scored": 0})
    score = score_activity(truth, none, IDENTITY)
    assert all(value.value is None for value in score.metrics.values())
    assert "F_i have no value: no actions were predicted" in " ".join(score.warnings)
    assert "Mat.IoU has no value: no groups were predicted" in score.warnings
    alone = Predictions(predictions.actions, None, None, predictions.counts)
    for protocol in ("paper", "description", "strict"):
        values = evaluate(truth, alone)[protocol].values
        assert {metric for metric, value in values.items() if not np.isnan(value)} == {"P_i", "R_i", "F_i"}


def test_baselines_stand_beside_and_warn_of_the_scale(case: Any, rows: Callable[..., pa.Table]) -> None:
    truth, predictions = case
    guesses = {kind: baseline(kind, rows(CASE), truth) for kind in ("most-frequent", "alone")}
    score = score_activity(truth, predictions, IDENTITY, baselines=guesses)
    assert list(score.baselines) == ["most-frequent", "alone"]
    values = evaluate(truth, guesses["most-frequent"])["paper"].values
    assert score.baselines["most-frequent"] == pytest.approx({m: 100 * values[m] for m in METRICS})
    assert (score.baselines["alone"]["F_p"], score.baselines["alone"]["group_F"]) == (None, 0.0)
    told = f"the same labels for everybody give F_i {100 * values['F_i']:.1f} % and F_g {100 * values['F_g']:.1f} %"
    assert any(warning.startswith(told) for warning in score.warnings)


def test_the_line_to_quote_names_what_the_number_depends_on(case: Any) -> None:
    truth, predictions = case
    scored = Predictions(predictions.actions, predictions.groups, predictions.activities, predictions.counts, (), True)
    options: Any = {"protocol": "strict", "least_members": 3, "thresholds": {"social": 0.25}}
    line = score_activity(truth, scored, IDENTITY, "test", **options).signature
    parts = line.split(" | ")
    assert parts[0].endswith("n=4/4")
    assert parts[1:4] == ["data:jrdb-par/test sha:0123456789ab", "rules:default", "protocol:strict"]
    assert parts[4:7] == ["thresholds:0.6/0.25/0.5", "least_members:3", "missing:wrong(0)"]


def test_metrics_can_be_chosen_and_misspelt_names_are_refused(case: Any) -> None:
    score = score_activity(*case, IDENTITY, metrics=["F_i", "Mat.IoU"])
    assert (list(score.metrics), score.protocols) == (["F_i", "Mat.IoU"], {})
    assert score.signature.startswith("F_a = ")
    assert metric_named(" iou@auc ") == "IOU@AUC"
    with pytest.raises(UsageError, match="did you mean F_p or F_i or F_g"):
        metric_named("F_j")
    with pytest.raises(UsageError, match="unknown metric"):
        score_activity(*case, IDENTITY, metrics=["AP"])
    with pytest.raises(UsageError, match="did you mean paper"):
        score_activity(*case, IDENTITY, protocol="papre")
    with pytest.raises(UsageError, match="unknown protocol"):
        evaluate(*case, protocols=["official"])


def test_nothing_to_score_is_null_with_reasons(rows: Callable[..., pa.Table]) -> None:
    truth = truth_from(rows([]))
    empty = np.empty(0, np.uint32)
    score = score_activity(truth, Predictions(empty, truth.groups, empty, {"rows": 0, "scored": 0}), IDENTITY)
    assert score.metrics["F_i"].value is None
    assert "P_i, R_i, F_i have no value: there are no persons" in score.warnings
