"""VOC's protocols on cases made by hand; `test_reference` holds them against the plain evaluation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from schemas.errors import UsageError
from scorers.detection.boxes import Detections, Truth
from scorers.detection.metrics import Metric
from scorers.detection.outcomes import voc_outcomes
from scorers.detection.scorer import evaluate

Rows = Callable[..., Any]
AP50 = Metric("AP", iou=0.5)


def ap(truth: Truth, found: Detections, protocol: str = "voc2010") -> float:
    return evaluate(truth, found, [AP50], protocol).values[AP50]


def test_a_detection_is_judged_by_the_box_that_it_overlaps_most(truth_of: Rows, found: Rows) -> None:
    truth = truth_of([(0, 0, 0, 10, 10), (0, 0, 3, 10, 10)])
    both_nearest_to_the_first = found([(0, 0, 0, 10, 10, 0.9), (0, 0, 1, 10, 10, 0.8)])
    assert ap(truth, both_nearest_to_the_first) == 0.5
    assert ap(truth, both_nearest_to_the_first, "coco") == pytest.approx(1)


def test_what_hits_a_difficult_box_does_not_count(truth_of: Rows, found: Rows) -> None:
    rows = [(0, 0, 0, 10, 10), (0, 50, 50, 10, 10)]
    hits = found([(0, 50, 50, 10, 10, 0.9), (0, 50, 50, 10, 10, 0.8), (0, 0, 0, 10, 10, 0.7)])
    truth = truth_of(rows, difficult=[False, True])
    run = voc_outcomes(truth, hits, 0.5)
    assert (run.rank.tolist(), run.true.tolist()) == ([2], [True])
    assert ap(truth, hits) == 1.0
    assert ap(truth_of(rows), hits) == pytest.approx(0.5 * (1 + 2 / 3))


def test_an_iou_that_equals_the_threshold_hits(truth_of: Rows, found: Rows) -> None:
    assert ap(truth_of([(0, 0, 0, 10, 10)]), found([(0, 0, 0, 10, 5, 0.9)])) == 1.0


def test_the_two_protocols_by_name(truth_of: Rows, found: Rows) -> None:
    truth, hit = truth_of([(0, 0, 0, 10, 10), (0, 50, 50, 9, 9)]), found([(0, 0, 0, 10, 10, 0.9)])
    assert ap(truth, hit, "voc2010") == 0.5
    assert ap(truth, hit, "voc2007") == pytest.approx(6 / 11)
    with pytest.raises(UsageError, match=r"unknown protocol 'voc2012'.*did you mean voc2010"):
        ap(truth, hit, "voc2012")


def test_there_is_no_cap_on_detections(truth_of: Rows, found: Rows) -> None:
    truth = truth_of([(0, 0, 0, 10, 10)])
    last_hits = found([*((0, 50, 50, 9, 9, 0.9),) * 150, (0, 0, 0, 10, 10, 0.5)])
    assert ap(truth, last_hits) == pytest.approx(1 / 151)
    assert ap(truth, last_hits, "coco") == 0.0


def test_voc_has_neither_recall_nor_area_ranges(truth_of: Rows, found: Rows) -> None:
    for metric in (Metric("AR"), Metric("AP", area="small")):
        with pytest.raises(UsageError, match=f"{metric} is not defined by VOC"):
            evaluate(truth_of([]), found([]), [metric], "voc2007")
