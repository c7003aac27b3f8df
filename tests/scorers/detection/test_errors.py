"""TIDE's errors, against plain loops and by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.detection.boxes import Detections, Truth
from scorers.detection.error_reference import errors
from scorers.detection.errors import FATES, VERDICTS, costs, judge
from scorers.detection.metrics import Metric

Problem = tuple[Truth, Detections]
MAP50 = Metric("AP", iou=0.5)


@settings(max_examples=150)
@given(seed=st.integers(0, 2**32))
def test_verdicts_fates_and_costs_are_those_of_plain_loops(invented: Callable[[int], Problem], seed: int) -> None:
    truth, found = invented(seed)
    judged = judge(truth, found)
    verdicts, fates, losses = errors(truth, found)
    assert [VERDICTS[number] for number in judged.verdict] == verdicts
    assert [FATES[number] for number in judged.fate] == fates
    cost = costs(truth, found, judged)
    assert {kind: cost[kind].loss for kind in losses} == pytest.approx(losses, abs=1e-12, nan_ok=True)
    assert {kind: cost[kind].errors for kind in losses} == {kind: [*verdicts, *fates].count(kind) for kind in losses}


@given(seed=st.integers(0, 2**32))
def test_without_false_positives_and_missed_boxes_every_box_is_found(
    invented: Callable[[int], Problem], seed: int
) -> None:
    truth, found = invented(seed)
    judged = judge(truth, found)
    true = judged.verdict == VERDICTS.index("true")
    assert np.count_nonzero(true) == np.count_nonzero(judged.fate == FATES.index("found"))
    assert len(set(judged.box[true].tolist())) == np.count_nonzero(true)
    assert (judged.iou[true] >= 0.5).all()


def rows(*boxes: tuple[float, ...]) -> list[tuple[float, ...]]:
    return list(boxes)
