"""Why the protocols differ: what is said has happened, and nothing else is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from scorers.activity.frames import Predictions, Truth
from scorers.activity.protocols import PROTOCOLS
from scorers.activity.scorer import SCORER

PAIR, OTHERS = {"members": [0, 1], "labels": [2]}, {"members": [2, 3, 4], "labels": [4]}
BY = "by shared members / larger size, pairs by identity, the others by Jaccard index"
JACCARD = f"paper matches groups {BY}: 1 match differs"
IN_PART = "description counts equal label sets alone: 1 match shares some labels"
AT_ONE = "at threshold 1 identical groups of any size count in strict, only pairs in the others: 1 group"
MEAN = "paper takes the mean F1 of the matches, the others the harmonic mean of P and R: 1 match shares some labels"


def frame(true: list[Any], predicted: list[Any], empty: int = 0) -> dict[str, Any]:
    """A key frame of eight people, of whom some have no action on either side, with groups."""
    people = [{"gt": [1], "pred": [1]}] * (8 - empty) + [{"gt": [], "pred": []}] * empty
    everywhere = {"gt": [5], "pred": [5]}
    return {"n_persons": 8, "persons": people, "gt_groups": true, "pred_groups": predicted, "global": everywhere}


def unlabelled(group: dict[str, Any]) -> dict[str, Any]:
    return group | {"labels": []}


def differences(truth: Truth, predictions: Predictions) -> dict[str, str]:
    """The reason of each metric on which the protocols differ."""
    metrics = SCORER.metrics((), truth, "paper")
    found = {name: SCORER.evaluate(truth, predictions, metrics, name) for name in PROTOCOLS}
    values = {metric: [evaluation.values[metric] for evaluation in found.values()] for metric in metrics}
    differing = [metric for metric, each in values.items() if not np.allclose(each, each[0], 0, 1e-10, equal_nan=True)]
    return {str(metric): SCORER.reason(metric, found, differing) for metric in differing}


@pytest.fixture
def reasons(read_case: Callable[..., Any]) -> Callable[..., dict[str, str]]:
    """The reason by metric for some key frames."""

    def call(*frames: Any) -> dict[str, str]:
        return differences(*read_case(list(frames)))

    return call


Reasons = Callable[..., dict[str, str]]


def test_labels_on_neither_side(reasons: Reasons) -> None:
    found = reasons(frame([PAIR, {"members": [2, 3], "labels": []}], [PAIR, {"members": [2, 3], "labels": []}]))
    wrong = "1 match has labels on neither side: wrong in paper, right in the others"
    assert found == {
        "P_p": wrong,
        "R_p": wrong,
        "F_p": "1 match has labels on neither side: no value in paper, right in the others",
        "F_a": "it is the mean of F_i, F_p and F_g, and F_p differs",
    }


def test_instances_without_labels(reasons: Reasons) -> None:
    told = "3 persons have labels on neither side: wrong in paper and description, right in strict"
    average = "it is the mean of F_i, F_p and F_g, and F_i differs"
    found = reasons(frame([PAIR], [PAIR], empty=3))
    assert found == {"P_i": told, "R_i": told, "F_i": told, "F_a": average}
    found = reasons(frame([PAIR], [PAIR]) | {"global": {"gt": [], "pred": []}})
    assert found["F_g"] == "1 key frame has labels on neither side: wrong in paper and description, right in strict"


def test_no_groups_at_all(reasons: Reasons) -> None:
    found = reasons(frame([], []))
    nothing = "there is no group on either side: 0 in paper and description, right in strict"
    assert {found[metric] for metric in ("group_P", "group_R", "group_F", "IOU@AUC")} == {nothing}
    social = "there is no group on either side: no value in paper, 0 in description, right in strict"
    assert {found[metric] for metric in ("P_p", "R_p", "F_p")} == {social}
    assert found["Mat.IoU"].startswith("nobody is together with anybody")


def test_no_predicted_group(reasons: Reasons) -> None:
    found = reasons(frame([PAIR], []))
    social = "no group is predicted: no value in paper, 0 in description, 0 in strict"
    assert {found.pop(metric) for metric in ("P_p", "R_p", "F_p")} == {social}
    assert set(found) == {"F_a"}


def test_missed_and_surplus_groups(reasons: Reasons) -> None:
    found = reasons(frame([PAIR, {"members": [2, 3], "labels": [1]}], [PAIR]))
    counts = "by the 2 true ones, so that missed ones cost nothing"
    assert found["R_p"] == f"paper divides R by the 1 predicted groups, the others {counts}"
    assert found["F_p"] == f"paper divides R and F by the 1 predicted groups, the others R {counts}"
    assert "P_p" not in found
    found = reasons(frame([PAIR], [PAIR, {"members": [2, 3], "labels": [1]}]))
    assert found["R_p"] == "paper divides R by the 2 predicted groups, the others by the 1 true ones"


def test_labels_in_part(reasons: Reasons) -> None:
    found = reasons(frame([PAIR | {"labels": [2, 28]}], [PAIR]))
    assert (found["P_p"], found["F_p"]) == (IN_PART, f"{IN_PART}; {MEAN}")


def test_the_rule_of_the_match(reasons: Reasons) -> None:
    # Of three people two are shared: more than half of the larger group, Jaccard index one half.
    found = reasons(frame([OTHERS], [OTHERS | {"members": [2, 3, 5]}]))
    assert {found[metric] for metric in ("group_P", "group_R", "group_F", "P_p", "R_p", "F_p")} == {JACCARD}
    assert found["IOU@AUC"].startswith("above the thresholds paper and description have")


def test_one_to_one(reasons: Reasons) -> None:
    true = {"members": [0, 1, 2, 3], "labels": [2]}
    found = reasons(frame([true], [true, true | {"members": [0, 1, 2]}]))
    assert found["group_R"] == "strict matches groups one to one: 1 match differs"
    assert JACCARD not in " ".join(found.values())


def test_identical_groups_at_threshold_1(reasons: Reasons) -> None:
    assert reasons(frame([OTHERS], [OTHERS])) == {"IOU@AUC": AT_ONE}


def test_the_mean_alone(read_case: Callable[..., Any]) -> None:
    truth, predictions = read_case([frame([PAIR], [PAIR], empty=3)])
    mean = SCORER.metrics(["F_a"], truth, "paper")
    found = {name: SCORER.evaluate(truth, predictions, mean, name) for name in PROTOCOLS}
    assert SCORER.reason(mean[0], found, mean) == "it is the mean of F_i, F_p and F_g, one of which differs"
