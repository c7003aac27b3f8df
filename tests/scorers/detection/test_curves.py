"""Curves from true positives alone, against whole curves."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scorers.detection.boxes import Floats, Integers
from scorers.detection.curves import (
    ELEVEN_RECALLS,
    RECALLS,
    Positives,
    all_point_average,
    coco_average,
    eleven_point_average,
    recall_cuts,
)

Hits = list[bool]
categories = st.lists(st.tuples(st.lists(st.booleans(), max_size=30), st.integers(0, 10)), min_size=1, max_size=4)


def given_as(parts: list[tuple[Hits, int]]) -> tuple[Positives, Integers]:
    """Arguments of the averages: hits and misses in order of scores, and boxes that nothing found, of each category."""
    positions = [np.flatnonzero(hits) + 1 for hits, _ in parts]
    counts = np.array([len(part) for part in positions])
    counted = np.concatenate(positions).astype(np.float64)
    positives = Positives(np.ones(len(counted)), counted, np.append(0, np.cumsum(counts)))
    return positives, counts + np.array([missed for _, missed in parts])


def whole_curve(hits: Hits, boxes: int) -> tuple[Floats, Floats]:
    """Recall at each detection, and the highest precision there or later."""
    true = np.cumsum(np.array(hits, dtype=bool))
    precision = true / np.arange(1, len(hits) + 1)
    return true / boxes, np.maximum.accumulate(precision[::-1])[::-1]


def sampled(hits: Hits, boxes: int, recalls: Floats) -> float:
    recall, precision = whole_curve(hits, boxes)
    at = [precision[recall >= wanted].max(initial=0) for wanted in recalls]
    return float(np.mean(at))


@given(categories)
def test_sampled_averages_are_those_of_whole_curves(parts: list[tuple[Hits, int]]) -> None:
    arguments = given_as(parts)
    for average, recalls in ((coco_average, RECALLS), (eleven_point_average, ELEVEN_RECALLS)):
        for value, (hits, _), boxes in zip(average(*arguments), parts, arguments[1], strict=True):
            expected = sampled(hits, boxes, recalls) if boxes else np.nan
            np.testing.assert_allclose(value, expected, rtol=1e-12)


@given(categories)
def test_the_exact_area_is_that_of_the_whole_curve(parts: list[tuple[Hits, int]]) -> None:
    arguments = given_as(parts)
    for value, (hits, _), boxes in zip(all_point_average(*arguments), parts, arguments[1], strict=True):
        if not boxes:
            assert np.isnan(value)
            continue
        recall, precision = whole_curve(hits, boxes)
        np.testing.assert_allclose(value, np.sum(np.diff(recall, prepend=0) * precision), rtol=1e-12)


def test_cuts_are_where_recall_first_reaches_a_point_as_floats_compare() -> None:
    boxes = np.arange(1, 400)
    for recalls in (RECALLS, ELEVEN_RECALLS):
        cuts = recall_cuts(boxes, recalls)
        for column, count in enumerate(boxes):
            recall = np.arange(1, count + 1) / count
            assert (cuts[:, column] == np.searchsorted(recall, recalls, side="left") + 1).all()


def test_eleven_points_by_hand() -> None:
    # 5 boxes, detections hit, hit, miss, hit: precision 1, 1, 2/3, 3/4 at recall .2, .4, .4, .6.
    positives = Positives(np.ones(3), np.array([1.0, 2.0, 4.0]), np.array([0, 3]))
    value = eleven_point_average(positives, np.array([5]))
    np.testing.assert_allclose(value, [(5 * 1 + 2 * 0.75) / 11])  # 3/5 reaches .6
    exact = all_point_average(positives, np.array([5]))
    np.testing.assert_allclose(exact, [0.2 * (1 + 1 + 0.75)])


def test_the_eleven_recalls_are_those_of_matlab() -> None:
    """`0:0.1:1` counts from both ends: 6 of 10 boxes reach .6, 7 of 10 reach .7, 3 of 10 not the fourth."""
    assert ELEVEN_RECALLS.tolist() == [0, 0.1, 0.2, 0.1 * 3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
    cuts = recall_cuts(np.array([10]), ELEVEN_RECALLS).ravel()
    assert cuts.tolist() == [1, 1, 2, 4, 4, 5, 6, 7, 8, 9, 10]
