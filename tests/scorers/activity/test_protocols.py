"""The three protocols against plain evaluators that go group by group, on invented frames with every irregularity."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.activity import METRICS, differences, evaluate
from scorers.activity.evaluation import null_reasons

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


def scores(truth: set[int], given: set[int], both_empty: float) -> tuple[float, float, float]:
    if not truth and not given:
        return both_empty, both_empty, both_empty
    common = len(truth & given)
    return quotient(common, len(given), 0), quotient(common, len(truth), 0), 2 * common / (len(truth) + len(given))


def means(rows: list[tuple[float, float, float]], task: str) -> dict[str, float]:
    return {
        f"{name}_{task}": quotient(sum(row[n] for row in rows), len(rows), math.nan) for n, name in enumerate("PRF")
    }


Pair = tuple[Any, Any]


def half(true: set[int], given: set[int], tenths: int) -> bool:
    if len(true) == len(given) == 2:
        return true == given
    return 10 * len(true & given) > tenths * max(len(true), len(given))


def jaccard(true: set[int], given: set[int]) -> float:
    return len(true & given) / len(true | given)


def best_true(frame: Any) -> list[Pair]:
    """Each predicted group with its best true one, if that is close."""
    found = []
    for group in frame[1]:
        best = max(frame[0], key=lambda other: jaccard(other[0], group[0]), default=None)
        if best is not None and jaccard(best[0], group[0]) > 0.5:
            found.append((best, group))
    return found


def greedy(frame: Any) -> list[Pair]:
    """Close pairs, the closest first, nobody twice; of equals in the order of the true, then the predicted groups."""
    close = [
        (-jaccard(true[0], given[0]), a, b)
        for (a, true), (b, given) in product(enumerate(frame[0]), enumerate(frame[1]))
        if jaccard(true[0], given[0]) > 0.5
    ]
    taken: list[tuple[int, int]] = []
    for _, a, b in sorted(close):
        if all(a != other and b != another for other, another in taken):
            taken.append((a, b))
    return [(frame[0][a], frame[1][b]) for a, b in taken]


def links(groups: list[Any]) -> set[tuple[int, int]]:
    return {(a, b) for members, _ in groups for a, b in product(members, members) if a < b}


def plainly(case: list[Any], protocol: str) -> dict[str, float]:
    """Every metric as the protocols say it."""
    both_empty = float(protocol == "strict")
    persons = [scores(set(p["gt"]), set(p["pred"]), both_empty) for frame in case for p in frame["persons"]]
    everywhere = [scores(set(f["global"]["gt"]), set(f["global"]["pred"]), both_empty) for f in case]
    split = [
        tuple(
            [(set(g["members"]), set(g["labels"])) for g in frame[f"{side}_groups"] if len(g["members"]) > 1]
            for side in ("gt", "pred")
        )
        for frame in case
    ]
    true, predicted = (sum(len(frame[side]) for frame in split) for side in (0, 1))
    halves = {t: [pair for f in split for pair in product(*f) if half(pair[0][0], pair[1][0], t)] for t in TENTHS}
    nothing = float(protocol == "strict" and not true and not predicted)
    both = sum(len(links(frame[0]) & links(frame[1])) for frame in split)
    either = sum(len(links(frame[0]) | links(frame[1])) for frame in split)
    if protocol == "paper":
        matched, at = halves[5], {t: len(halves[t]) for t in TENTHS}
        rows = [scores(a[1], b[1], math.nan) for a, b in matched]
        # Of two empty sets P and R are 0, F1 is 0/0.
        precision, recall = (sum(0 if math.isnan(row[n]) else row[n] for row in rows) for n in (0, 1))
        social = [quotient(x, predicted, math.nan) for x in (precision, recall, sum(row[2] for row in rows))]
    else:
        matched = [pair for frame in split for pair in (best_true if protocol == "description" else greedy)(frame)]
        at = {t: len(halves[t]) for t in TENTHS}
        if protocol == "strict":
            at = {t: sum(jaccard(a[0], b[0]) > t / 10 for a, b in matched) for t in TENTHS[:-1]}
            at[10] = sum(a[0] == b[0] for a, b in matched)
            rows = [scores(a[1], b[1], 1.0) for a, b in matched]
        else:
            rows = [(float(a[1] == b[1]),) * 3 for a, b in matched]
        p = quotient(sum(row[0] for row in rows), predicted, nothing)
        r = quotient(sum(row[1] for row in rows), true, nothing)
        social = [p, r, quotient(2 * p * r, p + r, 0)]
    f1 = [quotient(2 * at[t], true + predicted, nothing) for t in TENTHS]
    values = means(persons, "i") | dict(zip(("P_p", "R_p", "F_p"), social, strict=True)) | means(everywhere, "g")
    return values | {
        "F_a": (values["F_i"] + values["F_p"] + values["F_g"]) / 3,
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
        assert list(evaluation.values) == list(METRICS)


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
def test_differences_name_the_metrics_on_which_the_protocols_disagree(
    read_case: Callable[..., Any], case: list[Any]
) -> None:
    found = {difference.metric: difference for difference in differences(evaluate(*read_case(case)))}
    plain = {protocol: plainly(case, protocol) for protocol in ("paper", "description", "strict")}
    for metric in METRICS:
        values = {protocol: numbers[metric] for protocol, numbers in plain.items()}
        if metric in found:
            assert found[metric].values == pytest.approx(values, rel=0, abs=1e-12, nan_ok=True)
            assert found[metric].reason
        else:
            assert values == pytest.approx(dict.fromkeys(values, values["paper"]), abs=1e-9, nan_ok=True)


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
