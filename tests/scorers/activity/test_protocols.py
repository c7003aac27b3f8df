"""The three protocols against plain evaluators that go group by group, on invented frames with every irregularity."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.activity import reference
from scorers.activity.protocols import PROTOCOLS, evaluate
from scorers.activity.scorer import SCORER, null_reasons

METRICS = [str(metric) for metric in SCORER.metrics((), None, "paper")]
TENTHS = (5, 6, 7, 8, 9, 10)
labels = st.lists(st.integers(1, 4), max_size=3, unique=True)
sides = st.fixed_dictionaries({"gt": labels, "pred": labels})


@st.composite
def partitions(draw: st.DrawFn, people: int) -> list[dict[str, Any]]:
    """Groups that do not overlap, of any size from one."""
    owner = draw(st.lists(st.integers(0, people), min_size=people, max_size=people))
    members = [[person for person in range(people) if owner[person] == group] for group in range(people)]
    return [{"members": group, "labels": draw(labels)} for group in members if group]


@st.composite
def frames(draw: st.DrawFn) -> dict[str, Any]:
    people = draw(st.integers(0, 7))
    groups = st.fixed_dictionaries(
        {"members": st.lists(st.integers(0, people - 1), min_size=1, unique=True), "labels": labels}
    )
    anyhow = partitions(people) | st.lists(groups, max_size=4) if people else partitions(0)
    return {
        "n_persons": people,
        "persons": draw(st.lists(sides, min_size=people, max_size=people)),
        "gt_groups": draw(partitions(people)),
        "pred_groups": draw(anyhow),
        "global": draw(sides),
    }


cases = st.lists(frames(), max_size=6)


def quotient(above: float, below: float, nothing: float) -> float:
    return above / below if below else nothing


def jaccard(true: set[int], given: set[int]) -> float:
    return len(true & given) / len(true | given)


def links(groups: list[Any]) -> set[tuple[int, int]]:
    return {(a, b) for members, _ in groups for a, b in product(members, members) if a < b}


def frame_of(frame: dict[str, Any]) -> reference.Frame:
    """A key frame as the reference takes it."""
    persons = [(set(person["gt"]), set(person["pred"])) for person in frame["persons"]]
    true, predicted = (
        [(set(group["members"]), set(group["labels"])) for group in frame[f"{side}_groups"]] for side in ("gt", "pred")
    )
    return persons, (set(frame["global"]["gt"]), set(frame["global"]["pred"])), true, predicted


def plainly(case: list[Any], protocol: str) -> dict[str, float]:
    """Every metric as the protocols say it: those of labels by the reference, those of groups from its matches."""
    frames = [frame_of(frame) for frame in case]
    sides = [tuple([group for group in groups if len(group[0]) > 1] for groups in frame[2:]) for frame in frames]
    true, predicted = (sum(len(frame[side]) for frame in sides) for side in (0, 1))
    matched = [pair for frame in sides for pair in reference.matches(*frame, protocol)]
    at = {
        t: sum(reference.half(one[0], other[0], t / 10) for frame in sides for one, other in product(*frame))
        for t in TENTHS
    }
    if protocol == "strict":
        at = {t: sum(jaccard(one[0], other[0]) > t / 10 for one, other in matched) for t in TENTHS[:-1]}
        at[10] = sum(one[0] == other[0] for one, other in matched)
    nothing = float(protocol == "strict" and not true and not predicted)
    both = sum(len(links(frame[0]) & links(frame[1])) for frame in sides)
    either = sum(len(links(frame[0]) | links(frame[1])) for frame in sides)
    f1 = [quotient(2 * at[t], true + predicted, nothing) for t in TENTHS]
    return reference.activity_scores(frames, protocol) | {
        "group_P": quotient(len(matched), predicted, nothing),
        "group_R": quotient(len(matched), true, nothing),
        "group_F": quotient(2 * len(matched), true + predicted, nothing),
        "IOU@AUC": 2 * sum(0.1 * (a + b) / 2 for a, b in pairwise(f1)),
        "Mat.IoU": quotient(both, either, {"paper": math.nan, "description": 0, "strict": 1}[protocol]),
    }


@given(cases)
def test_the_protocols_agree_with_plain_evaluators(read_case: Callable[..., Any], case: list[Any]) -> None:
    for protocol, evaluation in evaluate(*read_case(case)).items():
        assert evaluation.values == pytest.approx(plainly(case, protocol), rel=0, abs=1e-12, nan_ok=True), protocol
        assert set(evaluation.values) == set(METRICS)


@settings(max_examples=40)
@given(cases)
def test_every_null_has_a_reason_and_strict_has_none_but_for_nothing_to_score(
    read_case: Callable[..., Any], case: list[Any]
) -> None:
    evaluations = evaluate(*read_case(case))
    for evaluation in evaluations.values():
        nulls = {metric for metric, value in evaluation.values.items() if math.isnan(value)}
        assert {metric for metrics, cause in null_reasons(evaluation) for metric in metrics if cause} == nulls
    empty = {"P_i", "R_i", "F_i", "F_a"} if not any(frame["persons"] for frame in case) else set()
    empty |= set() if case else {"P_g", "R_g", "F_g", "F_a"}
    assert {metric for metric, value in evaluations["strict"].values.items() if math.isnan(value)} == empty


@settings(max_examples=40)
@given(cases)
def test_metrics_on_which_the_protocols_disagree_have_a_reason(read_case: Callable[..., Any], case: list[Any]) -> None:
    truth, predictions = read_case(case)
    metrics = SCORER.metrics((), truth, "paper")
    found = {protocol: SCORER.evaluate(truth, predictions, metrics, protocol) for protocol in PROTOCOLS}
    plain = {protocol: plainly(case, protocol) for protocol in PROTOCOLS}
    differing = [
        metric
        for metric in metrics
        if any(
            values[str(metric)] != pytest.approx(plain["paper"][str(metric)], rel=0, abs=1e-9, nan_ok=True)
            for values in plain.values()
        )
    ]
    assert all(SCORER.reason(metric, found, differing) for metric in differing)


@settings(max_examples=40)
@given(cases, st.randoms(use_true_random=False))
def test_the_order_of_groups_and_members_does_not_matter(
    read_case: Callable[..., Any], case: list[Any], random: Any
) -> None:
    shuffled = []
    for frame in case:
        # Only without overlap: of equally close overlapping groups the first one counts.
        groups = [
            group | {"members": random.sample(group["members"], len(group["members"]))} for group in frame["gt_groups"]
        ]
        shuffled.append(frame | {"gt_groups": random.sample(groups, len(groups))})
    one, other = (evaluate(*read_case(frames)) for frames in (case, shuffled))
    for protocol in ("paper", "description"):
        assert one[protocol].values == pytest.approx(other[protocol].values, rel=0, abs=1e-12, nan_ok=True)


@settings(max_examples=40)
@given(cases)
def test_the_truth_scores_full_marks_in_strict(read_case: Callable[..., Any], case: list[Any]) -> None:
    perfect = [
        frame
        | {
            "persons": [{"gt": person["gt"], "pred": person["gt"]} for person in frame["persons"]],
            "pred_groups": frame["gt_groups"],
            "global": {"gt": frame["global"]["gt"], "pred": frame["global"]["gt"]},
        }
        for frame in case
    ]
    values = evaluate(*read_case(perfect))["strict"].values
    assert all(math.isnan(value) or value == pytest.approx(1.0) for value in values.values())
