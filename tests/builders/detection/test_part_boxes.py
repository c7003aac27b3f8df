from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools import mask

from builders.detection import part_boxes as module
from builders.detection.part_boxes import HIDDEN, SAMPLED_AWAY, TOO_THIN
from builders.raw.densepose import PartMasks
from builders.raw.run_lengths import decode_masks

Bitmap = npt.NDArray[np.bool_]
NOTHING: list[str | None] = [None] * 14


def part_boxes(people: Sequence[Sequence[str | None]], boxes: npt.NDArray[np.float64]) -> pd.DataFrame:
    """The boxes of persons whose fourteen masks are texts."""
    drawn = [(row, part, text) for row, parts in enumerate(people) for part, text in enumerate(parts, 1) if text]
    rows, parts = np.array([each[:2] for each in drawn], np.int64).reshape(-1, 2).T
    runs, faults = decode_masks([text for *_, text in drawn], 256 * 256)
    assert not faults
    return module.part_boxes(PartMasks(rows, parts, runs), boxes)


def rectangle(left: int, top: int, width: int, height: int) -> Bitmap:
    bitmap = np.zeros((256, 256), bool)
    bitmap[top : top + height, left : left + width] = True
    return bitmap


def text_of(bitmap: Bitmap) -> str:
    text: str = mask.encode(np.asfortranarray(bitmap, dtype=np.uint8))["counts"].decode()
    return text


def person(parts: dict[int, Bitmap]) -> list[str | None]:
    return [text_of(parts[part]) if part in parts else None for part in range(1, 15)]


def boxes_of(parts: dict[int, Bitmap], box: Sequence[float]) -> dict[int, tuple[float, ...]]:
    table = part_boxes([person(parts)], np.array([box], float))
    return {row.part: (row.x, row.y, row.width, row.height) for row in table[table["vanished"].isna()].itertuples()}


def sampled(size: int) -> npt.NDArray[np.int64]:
    """The source column of every column of a canvas of 256 that is resized to `size` by nearest neighbour."""
    return np.minimum(np.floor(np.arange(size) * (1 / (max(size, 1) / 256))).astype(int), 255)


def painted_boxes(parts: dict[int, Bitmap], box: Sequence[float]) -> dict[int, tuple[float, ...] | str]:
    """Box of every part, or why it has none, by painting the canvas and resizing it."""
    x, y, width, height = (int(number) for number in box)
    canvas = np.zeros((256, 256), int)
    for part in sorted(parts):
        canvas[parts[part]] = part
    results: dict[int, tuple[float, ...] | str] = {}
    for part in sorted(parts):
        rows, columns = np.nonzero(canvas == part)
        if not len(rows):
            results[part] = HIDDEN
            continue
        filled = np.zeros((256, 256), bool)
        filled[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1] = True
        rows, columns = np.nonzero(filled[np.ix_(sampled(height), sampled(width))])
        if not len(rows):
            results[part] = SAMPLED_AWAY
            continue
        size = (float(columns.max() - columns.min()), float(rows.max() - rows.min()))
        results[part] = (columns.min() + x, rows.min() + y, *size) if min(size) > 0 else TOO_THIN
    return results


@st.composite
def bitmaps(draw: st.DrawFn) -> Bitmap:
    """Rectangles, possibly thin, alone or together, with and without holes of noise; also empty and full canvases."""
    corner, side = st.integers(0, 255), st.integers(1, 4) | st.integers(1, 256)
    bitmap = np.zeros((256, 256), bool)
    for _ in range(draw(st.integers(0, 3))):
        bitmap |= rectangle(draw(corner), draw(corner), draw(side), draw(side))
    if draw(st.booleans()):
        bitmap &= np.random.default_rng(draw(st.integers(0, 2**32 - 1))).random((256, 256)) < 0.7
    return bitmap


persons = st.tuples(
    st.dictionaries(st.integers(1, 14), bitmaps(), max_size=14),
    st.tuples(*[st.floats(-60, 700)] * 2, *[st.floats(0, 4) | st.floats(0, 700)] * 2),
)


@settings(max_examples=50, deadline=None)
@given(st.lists(persons, max_size=4))
def test_equal_to_painting_filling_and_resizing(people: list[tuple[dict[int, Bitmap], tuple[float, ...]]]) -> None:
    boxes = np.array([box for _, box in people], float).reshape(-1, 4)
    result = part_boxes([person(parts) for parts, _ in people], boxes)
    found: dict[tuple[int, int], tuple[float, ...] | str] = {}
    for row in result.itertuples(index=False):
        box = (row.x, row.y, row.width, row.height)
        found[row.row, row.part] = row.vanished if isinstance(row.vanished, str) else box
    expected = {
        (n, part): box for n, (parts, at) in enumerate(people) for part, box in painted_boxes(parts, at).items()
    }
    assert found == expected
    assert len(result) == len(expected)


@pytest.mark.parametrize(
    "size", [1, 2, 3, 28, 49, 98, 103, 107, 161, 196, 255, 256, 257, 511, 512, 513, 640, 699, 4000]
)
def test_every_column_is_resized_as_by_painting(size: int) -> None:
    columns = [
        person({1: rectangle(left, 0, 256 - left, 256), 2: rectangle(0, 0, left, 256)}) for left in range(1, 256)
    ]
    table = part_boxes(columns, np.tile([0.0, 0.0, size, 300.0], (255, 1)))
    source = sampled(size)
    begins = {left: int(np.searchsorted(source, left)) for left in range(1, 256)}
    expected = {(left - 1, 1): (b, size - 1 - b) for left, b in begins.items() if size - 1 > b}
    expected |= {(left - 1, 2): (0, b - 1) for left, b in begins.items() if b > 1}
    drawn = table[table["vanished"].isna()]
    assert {(row.row, row.part): (row.x, row.width) for row in drawn.itertuples()} == expected


def test_width_and_height_are_a_pixel_less_than_the_part_covers() -> None:
    assert boxes_of({1: rectangle(10, 20, 30, 40)}, [100, 200, 256, 256]) == {1: (110, 220, 29, 39)}


def test_the_persons_box_is_truncated_towards_zero() -> None:
    whole = {1: rectangle(0, 0, 256, 256)}
    assert boxes_of(whole, [10.9, -3.9, 50.9, 60.1]) == {1: (10, -3, 49, 59)}


def test_left_and_right_keep_boxes_of_their_own() -> None:
    hands = {2: rectangle(0, 0, 20, 20), 3: rectangle(200, 200, 20, 20)}
    assert boxes_of(hands, [0, 0, 256, 256]) == {2: (0, 0, 19, 19), 3: (200, 200, 19, 19)}


def test_later_parts_overwrite_earlier_ones() -> None:
    torso, head = rectangle(50, 50, 100, 100), rectangle(50, 0, 100, 80)
    assert boxes_of({1: torso, 14: head}, [0, 0, 256, 256])[1] == (50, 80, 99, 69)
    assert boxes_of({14: torso, 1: head}, [0, 0, 256, 256])[1] == (50, 0, 99, 49)


@pytest.mark.parametrize(
    ("parts", "box", "reason"),
    [
        ({1: rectangle(50, 50, 10, 10), 2: rectangle(40, 40, 60, 60)}, [0, 0, 256, 256], HIDDEN),
        ({1: rectangle(0, 0, 0, 0)}, [0, 0, 256, 256], HIDDEN),
        ({1: rectangle(101, 0, 1, 256)}, [0, 0, 128, 256], SAMPLED_AWAY),
        ({1: rectangle(0, 0, 256, 256)}, [0, 0, 0.9, 256], SAMPLED_AWAY),
        ({1: rectangle(100, 0, 1, 256)}, [0, 0, 256, 256], TOO_THIN),
        ({1: rectangle(0, 100, 256, 1)}, [0, 0, 256, 256], TOO_THIN),
    ],
)
def test_parts_that_vanish_say_why(parts: dict[int, Bitmap], box: list[float], reason: str) -> None:
    first = part_boxes([NOTHING, person(parts)], np.array([box, box])).iloc[0]
    assert (first["row"], first["part"], first["vanished"]) == (1, 1, reason)
    assert first[["x", "y", "width", "height"]].isna().all()


def test_persons_without_parts() -> None:
    for people in ([], [NOTHING], [NOTHING] * 3):
        result = part_boxes(people, np.ones((len(people), 4)))
        assert len(result) == 0
        assert result.dtypes.astype(str).tolist()[:6] == ["int64"] * 2 + ["float64"] * 4


def test_many_persons_keep_their_rows() -> None:
    people = [person({part: rectangle(part, part, 50, 50)}) for part in range(1, 15)] * 20
    boxes = np.column_stack([np.arange(280.0)] * 2 + [np.full(280, 256.0)] * 2)
    table = part_boxes(people, boxes)
    assert table["row"].tolist() == list(range(280))
    assert (table["x"] == table["row"] + table["part"]).all()
