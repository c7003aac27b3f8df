"""The fast average precision against the plain one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.detection.boxes import Detections, Truth
from scorers.detection.coco import AREAS, Settings, match
from scorers.detection.grid import grid
from scorers.detection.metrics import Metric
from scorers.detection.reference import average_precision
from scorers.detection.scorer import evaluate

Problem = tuple[Truth, Detections]


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    iou=st.sampled_from([0.3, 0.5, 0.75, 1.0]),
    area=st.sampled_from(list(AREAS)),
    cap=st.sampled_from([1, 3, 100]),
)
def test_every_setting_of_coco_has_the_bits_of_the_plain_loops(
    invented: Callable[[int], Problem], seed: int, iou: float, area: str, cap: int
) -> None:
    truth, found = invented(seed)
    precision = grid(match(truth, found, Settings((iou,), {area: AREAS[area]}, (cap,)))).precision[0, 0, 0]
    for category in range(len(truth.categories)):
        expected = average_precision(truth, found, category, iou, "coco", AREAS[area], cap)
        np.testing.assert_equal(precision[:, category].copy().mean(), expected)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), protocol=st.sampled_from(["voc2007", "voc2010"]), iou=st.sampled_from([30, 50, 75]))
def test_so_has_voc_but_for_the_order_of_sums(
    invented: Callable[[int], Problem], seed: int, protocol: str, iou: int
) -> None:
    truth, found = invented(seed)
    metrics = [Metric("AP", name, iou=iou / 100) for name in truth.categories]
    values = list(evaluate(truth, found, metrics, protocol).values.values())
    expected = [average_precision(truth, found, n, iou / 100, protocol) for n in range(len(truth.categories))]
    np.testing.assert_allclose(values, expected, rtol=1e-12)
