"""Boxes and images that cannot be meant so, and the right ones that look a little like them."""

from __future__ import annotations

import numpy as np
import pytest

from schemas.box_doubts import doubtful_boxes, doubtful_images, other_modes
from schemas.box_readings import VOC, Reading, boxes_of, numbers_of

SIZES = np.repeat([[640.0], [480.0]], 10, axis=1)


def boxes(x: float, y: float, width: float, height: float) -> np.ndarray:
    """Ten boxes that differ a little."""
    return np.array([[x], [y], [width], [height]]) + np.arange(10) * np.array([[3.0], [2.0], [1.0], [1.0]])


def told(sides: np.ndarray, sizes: np.ndarray = SIZES) -> str:
    return " ".join(f"{doubt.rows.sum()} {doubt.message}" for doubt in doubtful_boxes(sides, sizes))


@pytest.mark.parametrize(
    "sides",
    [
        boxes(100, 100, 200, 100),
        boxes(0, 0, 600, 400),  # close-ups: each would be a box as corners too
        np.concatenate([boxes(100, 100, 200, 100)[:, :8], [[600], [400], [90], [90]], [[0], [0], [0.5], [9]]], axis=1),
        boxes(0, 0, 641, 481)
        - np.arange(10)
        * np.array([[3.0], [2.0], [1.0], [1.0]]),  # counted from 1, so all pass the edge by a pixel or less
        boxes(100, 100, 200, 100)[:, :0],
        boxes(100, 100, 200, np.inf),
    ],
)
def test_right_boxes_raise_no_doubt(sides: np.ndarray) -> None:
    assert told(sides, SIZES[:, : sides.shape[1]]) == ""


def test_doubts_have_counts_and_say_what_the_boxes_look_like() -> None:
    assert "10 of 10 boxes reach beyond their image" in told(boxes(400, 300, 500, 440))
    assert "read as corners [x1, y1, x2, y2] nearly all would lie within" in told(boxes(400, 300, 500, 440))
    assert "in fractions of the image" in told(boxes(400, 300, 500, 440) / 1000)
    assert "width and height of the images are swapped" in told(boxes(10, 500, 50, 60))
    assert "the sizes are of other images" in told(boxes(900, 900, 50, 60))
    assert told(boxes(900, 900, 50, 60), SIZES * np.nan) == ""


def test_corners_of_voc_in_fractions_are_known_though_read_as_counted_from_one() -> None:
    fractions = numbers_of(boxes(100, 100, 200, 100), SIZES, Reading("xyxy", "fractions"))
    said = told(boxes_of(fractions, SIZES, VOC))
    assert "10 of 10 boxes look like corners [x1, y1, x2, y2] in fractions of the image, but are read as" in said
    assert "fractions" not in told(np.zeros((4, 10)))


def test_fewer_than_three_boxes_are_no_pattern() -> None:
    assert told(boxes(400, 300, 500, 440)[:, :2], SIZES[:, :2]) == ""


def doubts(names: list[str | None], counts: list[int], *, all_objects: bool = True) -> list[tuple[str, int]]:
    found = doubtful_images(names, np.array(counts, np.int64), all_objects=all_objects)
    return [(doubt.check, int(doubt.rows.sum())) for doubt in found]


def test_images_of_one_file_are_doubtful_and_single_boxes_where_there_are_many() -> None:
    apart: list[str | None] = [f"{number}.jpg" for number in range(9)]
    assert doubts(["a", "a", "b", "b", "c"], [1, 1, 1, 1, 1]) == [("names", 4)]
    assert doubts(["a", "a", "b"], [3, 1, 2]) == [("names", 2)]
    assert doubts(apart, [1] * 9) == [("single", 9)]
    assert doubts(apart, [1] * 8 + [2]) == []
    assert doubts(apart[:7], [1] * 7) == []
    assert doubts(apart, [1] * 9, all_objects=False) == []
    assert doubts([None, None, "", ""], [1, 2, 3, 4]) == []
    assert doubts(["train/1.jpg", "val/1.jpg"], [1, 2]) == []
    assert doubts([], []) == []


@pytest.mark.parametrize(
    ("mode", "name"),
    [
        (0, "XYXY_ABS"),
        (0.0, "XYXY_ABS"),
        ("0", "XYXY_ABS"),
        ("BoxMode.XYXY_ABS", "XYXY_ABS"),
        ("<BoxMode.XYXY_ABS: 0>", "XYXY_ABS"),
        ("xyxy", "XYXY_ABS"),
        (3, "XYWH_REL"),
        (4, "XYWHA_ABS"),
        (9, "9"),
        (1, ""),
        ("1", ""),
        ("XYWH_ABS", ""),
        ("xywh", ""),
        (None, ""),
    ],
)
def test_modes_of_detectron2_are_known_by_number_and_name(mode: object, name: str) -> None:
    assert {found: rows.tolist() for found, rows in other_modes([1, mode]).items()} == (
        {name: [False, True]} if name else {}
    )
