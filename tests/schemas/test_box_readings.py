"""What numbers of boxes look like: every reading is found again, and none where the boxes are right."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from schemas.box_readings import (
    READINGS,
    XYWH,
    Reading,
    boxes_of,
    likely_reading,
    numbers_of,
    overlaps,
    readings_inside,
)

Floats = NDArray[np.float64]


def scene(count: int = 40, seed: int = 0) -> tuple[Floats, Floats]:
    """Boxes that lie in their images, and the sizes of these."""
    random = np.random.default_rng(seed)
    sizes = random.integers(200, 900, (2, count)).astype(float)
    extent = random.uniform(0.05, 0.6, (2, count)) * sizes
    return np.concatenate([random.uniform(0, 1, (2, count)) * (sizes - extent), extent]), sizes


@pytest.mark.parametrize("written", READINGS, ids=str)
@pytest.mark.parametrize("meant", [XYWH, Reading("xyxy"), Reading("cxcywh", "fractions")], ids=str)
def test_a_reading_is_recognised_by_what_the_boxes_should_be(written: Reading, meant: Reading) -> None:
    boxes, sizes = scene()
    jittered = boxes + np.random.default_rng(1).normal(0, 2, boxes.shape)
    found = likely_reading(numbers_of(jittered, sizes, written), sizes, lambda given: overlaps(given, boxes), meant)
    if written == meant:
        assert found is None
    else:
        assert found is not None
        assert (found.reading, found.overlap > 0.8, found.meant < 0.5) == (written, True, True)


@pytest.mark.parametrize("spread", [5.0, 40.0, 200.0])
def test_poor_boxes_are_not_taken_for_others(spread: float) -> None:
    for seed in range(20):
        boxes, sizes = scene(60, seed)
        poor = boxes + np.random.default_rng(seed).normal(0, spread, boxes.shape)
        poor[2:] = np.maximum(poor[2:], 1)
        assert likely_reading(poor, sizes, lambda given, boxes=boxes: overlaps(given, boxes)) is None


@given(arrays.arrays(np.float64, (4, 3), elements=st.floats(0, 1000)), st.sampled_from(READINGS))
def test_numbers_and_boxes_are_one_another(boxes: Floats, reading: Reading) -> None:
    sizes = np.array([[640.0, 20, 1], [480, 33, 1]])
    np.testing.assert_allclose(boxes_of(numbers_of(boxes, sizes, reading), sizes, reading), boxes, atol=1e-9)


def test_overlaps_are_those_of_a_plain_formula() -> None:
    one = np.array([[0.0, 0, 10, 10], [0, 0, 10, 10], [0, 0, 10, 10], [0, 0, 0, 5], [5, 5, -2, 3]]).T
    other = np.array([[0.0, 0, 10, 10], [5, 0, 10, 10], [20, 0, 5, 5], [0, 0, 0, 5], [0, 0, 10, 10]]).T
    assert overlaps(one, other).tolist() == [1, 1 / 3, 0, 0, 0]


def test_without_anything_to_compare_with_boxes_that_leave_their_image_are_tried_otherwise() -> None:
    boxes, sizes = scene()
    assert readings_inside(boxes, sizes) == []
    assert readings_inside(numbers_of(boxes, sizes, Reading("xyxy")), sizes)[0] == Reading("xyxy")
    assert Reading("cxcywh") in readings_inside(numbers_of(boxes, sizes, Reading("cxcywh")), sizes)
    fractions = readings_inside(numbers_of(boxes, sizes, Reading("xywh", "fractions")), sizes)
    assert {reading.scale for reading in fractions} == {"fractions"}
    assert readings_inside(numbers_of(boxes, sizes, Reading("xyxy")), sizes * np.nan) == []
