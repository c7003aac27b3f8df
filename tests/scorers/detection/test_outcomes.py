"""VOC's protocols on cases made by hand (`test_reference` holds them against the plain evaluation); best F1."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import UsageError
from scorers.detection.boxes import Detections, Truth
from scorers.detection.coco import AP50_ONLY, Setting, match
from scorers.detection.grid import grid
from scorers.detection.metrics import Metric
from scorers.detection.outcomes import Outcomes, best_f1, best_f1_of_samples, coco_outcomes, voc_outcomes
from scorers.detection.scorer import evaluate

Problem = tuple[Truth, Detections]
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
    run = voc_outcomes(truth, hits, Setting(0.5, "all", 100))
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


AT_50 = Setting(0.5, "all", 100)


def counted(run: Outcomes, category: int, least: float) -> tuple[int, int, int]:
    """True positives and all detections with at least this score, and boxes."""
    part = slice(run.starts[category], run.starts[category + 1])
    kept = run.score[part] >= least
    return int(run.true[part][kept].sum()), int(kept.sum()), int(np.count_nonzero(run.box_category == category))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_the_best_points_are_those_of_counting(invented: Callable[[int], Problem], seed: int) -> None:
    run = coco_outcomes(match(*invented(seed), AP50_ONLY), AT_50)
    points = best_f1(run)
    for category, (low, high) in enumerate(pairwise(run.starts.tolist())):
        f1, boxes = [], 0
        for score in run.score[low:high]:
            true, kept, boxes = counted(run, category, score)
            f1.append(2 * true / (kept + boxes))
        if not boxes:
            assert np.isnan(points.score[category])
            continue
        assert points.f1[category] == pytest.approx(max(f1), abs=1e-12)
        true, kept, boxes = counted(run, category, points.score[category])
        assert 2 * true / (kept + boxes) == pytest.approx(max(f1), abs=1e-12)
        assert [points.precision[category], points.recall[category]] == [true / kept, true / boxes]


def test_the_best_f1_by_hand(truth_of: Rows, found: Rows) -> None:
    truth = truth_of([(0, 0, 0, 10, 10), (0, 50, 50, 10, 10)])
    rows = [(0, 0, 0, 10, 10, 0.9), (0, 90, 90, 5, 5, 0.7), (0, 50, 50, 10, 10, 0.7), (0, 70, 70, 5, 5, 0.6)]
    run = match(truth, found(rows), AP50_ONLY)
    points = best_f1(coco_outcomes(run, AT_50))
    assert [points.score[0], points.f1[0], points.precision[0], points.recall[0]] == [0.7, 0.8, 2 / 3, 1.0]
    sampled = best_f1_of_samples(grid(run), 0)
    assert [sampled.score[0], sampled.recall[0]] == [0.7, 1.0]
    assert sampled.f1[0] == pytest.approx(0.8)


def test_the_samples_are_those_of_the_papers_code(invented: Callable[[int], Problem]) -> None:
    """Its lines for one category: F1 from 101 recalls, the first of equals."""
    recall = np.arange(0.0, 1.01, 0.01)
    for seed in range(40):
        whole = grid(match(*invented(seed)))
        points = best_f1_of_samples(whole, 1)
        for category in range(len(whole.categories)):
            precision = whole.precision[0, -1, 1, :, category]
            if not np.nanmax(precision, initial=0) > 0:
                continue
            f1 = 2 * precision * recall / (precision + recall)
            best = f1.tolist().index(max(f1.tolist()))
            assert points.f1[category] == pytest.approx(f1[best])
            assert points.score[category] == whole.scores[0, -1, 1, best, category]


def test_there_is_no_point_without_boxes_or_detections(truth_of: Rows, found: Rows) -> None:
    nothing = coco_outcomes(match(truth_of([(0, 0, 0, 1, 1)]), found([]), AP50_ONLY), AT_50)
    no_boxes = match(truth_of([]), found([(0, 0, 0, 1, 1, 0.5)]), AP50_ONLY)
    for points in (best_f1(nothing), best_f1(coco_outcomes(no_boxes, AT_50)), best_f1_of_samples(grid(no_boxes), 0)):
        assert np.isnan([points.score, points.f1, points.precision, points.recall]).all()
