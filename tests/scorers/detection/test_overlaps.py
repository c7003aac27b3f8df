"""Pairs, against all pairs one by one and the IoU of pycocotools."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools import mask

from scorers.detection import overlaps
from scorers.detection.boxes import Detections, Truth
from scorers.detection.overlaps import Pairs, group_table, groups_of, overlapping_pairs

Problem = tuple[Truth, Detections]
Found = dict[tuple[int, int], float]


def one_by_one(truth: Truth, found: Detections, least: float) -> Found:
    sides = [np.stack([boxes.x, boxes.y, boxes.width, boxes.height], axis=1) for boxes in (found, truth)]
    if not len(truth.x) or not len(found.x):
        return {}
    iou = mask.iou(*sides, truth.crowd.astype(np.uint8))
    return {
        (one, other): iou[one, other]
        for one, other in np.argwhere(iou >= least).tolist()
        if (found.image[one], found.category[one]) == (truth.image[other], truth.category[other])
    }


def all_pairs(truth: Truth, found: Detections, least: float) -> Pairs:
    return overlapping_pairs(truth, found, groups_of(found, truth.images), least)


def as_found(result: Pairs) -> Found:
    keys = list(zip(result.detection.tolist(), result.box.tolist(), strict=True))
    assert len(set(keys)) == len(keys)
    assert (np.diff(result.detection) >= 0).all()
    return dict(zip(keys, result.iou.tolist(), strict=True))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), least=st.sampled_from([1e-9, 0.3, 0.5, 1.0]))
def test_all_pairs_are_found_with_the_bits_of_pycocotools(
    invented: Callable[[int], Problem], seed: int, least: float
) -> None:
    truth, found = invented(seed)
    assert as_found(all_pairs(truth, found, least)) == one_by_one(truth, found, least)


@pytest.mark.parametrize("at_once", [1, 2, 7, 100])
def test_blocks_of_any_size_give_the_same(
    invented: Callable[[int], Problem], monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    for seed in range(20):
        whole = as_found(all_pairs(*invented(seed), 0.3))
        with monkeypatch.context() as patch:
            patch.setattr(overlaps, "_PAIRS_AT_ONCE", at_once)
            assert as_found(all_pairs(*invented(seed), 0.3)) == whole


def test_the_group_table_holds_each_box_once_in_file_order(invented: Callable[[int], Problem]) -> None:
    truth, _ = invented(11)
    table = group_table(groups_of(truth, truth.images), len(truth.categories) * truth.images)
    assert len(table.size) == len(truth.categories) * truth.images
    for group, (start, size) in enumerate(zip(table.start, table.size, strict=True)):
        category, image = divmod(group, truth.images)
        members = np.flatnonzero((truth.category == category) & (truth.image == image))
        assert table.member[start : start + size].tolist() == members.tolist()
