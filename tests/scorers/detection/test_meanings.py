"""What the numbers of detections look like where several meanings fit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from schemas.box_readings import YOLO, boxes_of, numbers_of
from scorers.detection.boxes import Detections, Truth
from scorers.detection.doubts import Found, _other_reading, doubts_of


def test_the_meaning_that_fits_best_is_told_of_several(truth_of: Callable[..., Truth]) -> None:
    random = np.random.default_rng(0)
    count = 120
    image, size = np.arange(count) // 3, np.array([[640.0], [480.0]])
    extents = random.uniform(0.1, 0.5, (2, count)) * size
    sides = np.concatenate([random.uniform(0, 1, (2, count)) * (size - extents), extents])
    truth = truth_of([(number, *box) for number, box in zip(image, sides.T.tolist(), strict=True)], images=40)
    x, y, width, height = numbers_of(sides, np.repeat(size, count, axis=1), YOLO)
    score = np.full(count, 0.5)
    read = boxes_of(np.array([score, x, y, width]), np.repeat(size, count, axis=1), YOLO)
    found = Found(Detections(image, np.zeros_like(image), *read, height), ["person"], YOLO)
    images = pa.table({"width": [640] * 40, "height": [480] * 40})
    seen = np.arange(count)
    assert _other_reading(found, seen, truth, np.repeat(size, 40, axis=1)) is not None  # fits too, but less
    (said,) = doubts_of(found, truth, images)
    assert "look like `class confidence x_center y_center width height`" in said
    assert "the mean IoU of the 120 surest with true boxes is 1.00" in said
