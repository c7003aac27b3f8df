"""Protocol `paper` against the reference answers, which the authors' own code gave."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorers.activity.protocols import evaluate

CASES = json.loads((Path(__file__).parents[2] / "oracles" / "jrdb_par_cases.json").read_text())["cases"]
NAMES = {
    "individual": ("P_i", "R_i", "F_i"),
    "social": ("P_p", "R_p", "F_p"),
    "global": ("P_g", "R_g", "F_g"),
    "group_half": ("group_P", "group_R", "group_F"),
    "overall": ("F_a",),
    "iou_auc": ("IOU@AUC",),
    "mat_iou": ("Mat.IoU",),
}


def expected(case: dict[str, Any]) -> dict[str, float]:
    """The recorded numbers by metric; an error of the reference is NaN, what was not recorded is left out."""
    found: dict[str, float] = {}
    for key, metrics in NAMES.items():
        answer = case["expected"][key]
        if isinstance(answer, dict):
            found |= dict.fromkeys(metrics, math.nan)
        elif answer is not None:
            found |= dict(zip(metrics, answer if isinstance(answer, list) else [answer], strict=True))
    return found


@pytest.mark.parametrize("sequences", [1, 2])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_paper_gives_the_answers_of_the_reference(
    case: dict[str, Any], sequences: int, read_case: Callable[..., Any]
) -> None:
    values = evaluate(*read_case(case["frames"], sequences))["paper"].values
    wanted = expected(case)
    assert {metric: values[metric] for metric in wanted} == pytest.approx(wanted, rel=0, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_people_alone_count_where_groups_of_one_are_wanted(case: dict[str, Any], read_case: Callable[..., Any]) -> None:
    answer = case["expected"]["social_all_groups"]
    values = evaluate(*read_case(case["frames"]), least_members=1)["paper"].values
    if isinstance(answer, list):
        assert [values[metric] for metric in NAMES["social"]] == pytest.approx(answer, rel=0, abs=1e-12)
    else:
        assert math.isnan(values["P_p"]) or case["expected"]["social"] is None


def test_every_kind_of_answer_is_among_the_cases() -> None:
    recorded = {metric for case in CASES for metric in expected(case)}
    assert recorded == {metric for metrics in NAMES.values() for metric in metrics}
    assert any(math.isnan(value) for case in CASES for value in expected(case).values())
