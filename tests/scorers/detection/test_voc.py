"""VOC's definitions, against a plain evaluation that goes detection by detection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import UsageError
from scorers.detection import Detections, Metric, Truth, score
from scorers.detection.voc import Voc, outcomes

Problem = tuple[Truth, Detections]
Rows = Callable[..., Any]
AP50 = Metric("AP", iou=0.5)
definitions = st.builds(Voc, st.sampled_from(["eleven", "all"]), st.booleans(), st.booleans())


def plain_iou(a: list[float], b: list[float], pixel: float) -> float:
    across = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0]) + pixel
    down = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1]) + pixel
    if across <= 0 or down <= 0:
        return 0.0
    both = (a[2] + pixel) * (a[3] + pixel) + (b[2] + pixel) * (b[3] + pixel)
    return across * down / (both - across * down)


def plain_average(truth: Truth, found: Detections, category: int, threshold: float, voc: Voc) -> float:
    """AP of one category, following the devkit line by line."""
    sides = [np.stack([boxes.x, boxes.y, boxes.width, boxes.height], axis=1).tolist() for boxes in (truth, found)]
    positives = np.count_nonzero((truth.category == category) & ~truth.difficult)
    order = [n for n in range(len(found.score)) if found.category[n] == category]
    order.sort(key=lambda n: (-found.score[n], found.image[n], n))
    taken: set[int] = set()
    verdicts = []
    for one in order:
        best, at = 0.0, -1
        for other in range(len(truth.x)):
            if (truth.image[other], truth.category[other]) == (found.image[one], category):
                iou = plain_iou(sides[1][one], sides[0][other], float(voc.inclusive))
                if iou > best:
                    best, at = iou, other
        if at < 0 or not (best > threshold if voc.above else best >= threshold):
            verdicts.append(False)
        elif not truth.difficult[at]:
            verdicts.append(at not in taken)
            taken.add(at)
    if not positives:
        return np.nan
    true = np.cumsum(np.array(verdicts, dtype=bool))
    recall, precision = true / positives, true / np.arange(1, len(true) + 1)
    if voc.points == "eleven":
        return float(np.mean([precision[recall >= 0.1 * point].max(initial=0) for point in range(11)]))
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    return float(np.sum(np.diff(recall, prepend=0) * envelope))


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 2**32), voc=definitions, hundredths=st.sampled_from([30, 50, 75]))
def test_average_precision_is_that_of_the_devkit(
    invented: Callable[[int], Problem], seed: int, voc: Voc, hundredths: int
) -> None:
    truth, found = invented(seed)
    metrics = [Metric("AP", name, iou=hundredths / 100) for name in truth.categories]
    values = list(score(truth, found, metrics, voc).values.values())
    expected = [plain_average(truth, found, n, hundredths / 100, voc) for n in range(len(truth.categories))]
    np.testing.assert_allclose(values, expected, rtol=1e-12)


def ap(truth: Truth, found: Detections, definition: str | Voc = "voc2010") -> float:
    return score(truth, found, [AP50], definition).values[AP50]


def test_a_detection_stands_or_falls_with_the_box_that_it_overlaps_most(truth_of: Rows, found: Rows) -> None:
    truth = truth_of([(0, 0, 0, 10, 10), (0, 0, 3, 10, 10)])
    both_nearest_to_the_first = found([(0, 0, 0, 10, 10, 0.9), (0, 0, 1, 10, 10, 0.8)])
    assert ap(truth, both_nearest_to_the_first) == 0.5
    assert score(truth, both_nearest_to_the_first, [AP50], "coco").values[AP50] == pytest.approx(1)


def test_what_hits_a_difficult_box_does_not_count(truth_of: Rows, found: Rows) -> None:
    rows = [(0, 0, 0, 10, 10), (0, 50, 50, 10, 10)]
    hits = found([(0, 50, 50, 10, 10, 0.9), (0, 50, 50, 10, 10, 0.8), (0, 0, 0, 10, 10, 0.7)])
    truth = truth_of(rows, difficult=[False, True])
    run = outcomes(truth, hits)
    assert (run.detection.tolist(), run.true.tolist()) == ([2], [True])
    assert ap(truth, hits) == 1.0
    assert ap(truth_of(rows), hits) == pytest.approx(0.5 * (1 + 2 / 3))


def test_an_iou_that_equals_the_threshold_hits_in_the_devkit_and_misses_in_the_port(
    truth_of: Rows, found: Rows
) -> None:
    truth, half = truth_of([(0, 0, 0, 10, 10)]), found([(0, 0, 0, 10, 5, 0.9)])
    assert ap(truth, half) == 1.0
    assert ap(truth, half, Voc(above=True)) == 0.0


def test_boxes_written_as_differences_of_inclusive_corners_get_a_pixel_more(truth_of: Rows, found: Rows) -> None:
    # Pixels 0 to 9 and 0 to 4 of one row: 5 of 10 in common, but 4 of 9 by differences.
    truth, half = truth_of([(0, 0, 0, 9, 0)]), found([(0, 0, 0, 4, 0, 0.9)])
    assert ap(truth, half) == 0.0
    assert ap(truth, half, Voc(inclusive=True)) == 1.0


def test_the_two_definitions_by_name(truth_of: Rows, found: Rows) -> None:
    truth, hit = truth_of([(0, 0, 0, 10, 10), (0, 50, 50, 9, 9)]), found([(0, 0, 0, 10, 10, 0.9)])
    assert ap(truth, hit, "voc2010") == 0.5
    assert ap(truth, hit, "voc2007") == pytest.approx(6 / 11)
    with pytest.raises(UsageError, match=r"unknown definition 'voc2012'.*did you mean voc2010"):
        ap(truth, hit, "voc2012")


def test_there_is_no_cap_on_detections(truth_of: Rows, found: Rows) -> None:
    truth = truth_of([(0, 0, 0, 10, 10)])
    last_hits = found([*((0, 50, 50, 9, 9, 0.9),) * 150, (0, 0, 0, 10, 10, 0.5)])
    assert ap(truth, last_hits) == pytest.approx(1 / 151)
    assert score(truth, last_hits, [AP50], "coco").values[AP50] == 0.0


def test_voc_has_neither_recall_nor_area_ranges(truth_of: Rows, found: Rows) -> None:
    for metric in (Metric("AR"), Metric("AP", area="small")):
        with pytest.raises(UsageError, match=f"{metric} is not defined by VOC"):
            score(truth_of([]), found([]), [metric], "voc2007")


@pytest.mark.parametrize("threshold", [0.0, 1.5])
def test_a_threshold_out_of_range_is_refused(truth_of: Rows, found: Rows, threshold: float) -> None:
    with pytest.raises(UsageError, match="threshold"):
        outcomes(truth_of([]), found([]), threshold)
