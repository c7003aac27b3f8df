"""Boxes from Arrow columns, and what is wrong in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schemas.errors import InputError
from scorers.detection.boxes import detections_from, truth_from

NAMES = ("person", "head")
RECORD = {"category": "person", "x": 1.0, "y": 2.0, "width": 3.0, "height": 4.0, "area": 5.0, "crowd": False}


def manifest(*objects: list[dict[str, Any]], **columns: list[Any]) -> pa.Table:
    return pa.table({**columns, "objects": list(objects)})


def found(**columns: list[Any]) -> pa.Table:
    count = len(next(iter(columns.values())))
    box = {name: [1.0] * count for name in ("x", "y", "width", "height", "score")}
    return pa.table(box | {"category": ["person"] * count} | columns)


IMAGES = manifest([RECORD], [], image_id=[7, 3], sample_id=["seven", "three"])


def test_boxes_come_in_file_order_with_the_rank_of_their_image_id() -> None:
    head = RECORD | {"category": "head", "crowd": True}
    truth = truth_from(manifest([RECORD, head], [], [RECORD], image_id=[30, 20, 10]), NAMES)
    assert (truth.images, truth.categories) == (3, NAMES)
    assert truth.image.tolist() == [2, 2, 0]
    assert truth.category.tolist() == [0, 1, 0]
    assert truth.crowd.tolist() == [False, True, False]
    assert [truth.x[0], truth.y[0], truth.width[0], truth.height[0], truth.area[0]] == [1, 2, 3, 4, 5]
    assert not truth.difficult.any()
    assert not truth.ignored.any()


def test_boxes_of_other_categories_are_left_out() -> None:
    rows = manifest([RECORD, RECORD | {"category": "cat"}], [RECORD | {"category": "ant"}])
    assert truth_from(rows, ["cat"]).image.tolist() == [0]


def test_flags_are_read_where_there_are_any_and_null_is_no() -> None:
    flags = [{"difficult": True, "ignored": None}, {"difficult": None, "ignored": True}]
    truth = truth_from(manifest([RECORD | both for both in flags]), NAMES)
    assert truth.difficult.tolist() == [True, False]
    assert truth.ignored.tolist() == [False, True]


def test_a_null_area_is_that_of_the_box() -> None:
    assert truth_from(manifest([RECORD | {"area": None}, RECORD]), NAMES).area.tolist() == [12.0, 5.0]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())])
def test_names_are_read_from_any_kind_of_column(kind: pa.DataType) -> None:
    names = pa.chunked_array([pa.array(["head", "cat", None]).cast(kind), pa.array(["person", "head"]).cast(kind)])
    table = found(image_id=[3] * 5).set_column(5, "category", names)
    assert detections_from(table, IMAGES, NAMES, "").category.tolist() == [1, 0, 1]


def test_detections_are_joined_by_image_id_or_else_by_sample_id() -> None:
    for key in ({"image_id": [3, 7, 7, 3]}, {"sample_id": ["three", "seven", "seven", "three"]}):
        assert detections_from(found(**key), IMAGES, NAMES, "").image.tolist() == [0, 1, 1, 0]
    both = found(image_id=[7], sample_id=["seven"])
    assert detections_from(both, IMAGES, NAMES, "").image.tolist() == [1]
    with pytest.raises(InputError, match=r"detection 2: found image_id 7 and sample_id 'three', expected names of one"):
        detections_from(found(image_id=[3, 7], sample_id=["three", "three"]), IMAGES, NAMES, "")


def test_no_detections_are_detections() -> None:
    empty = found(image_id=[3]).slice(0, 0)
    assert len(detections_from(empty, IMAGES, NAMES, "").score) == 0


def test_an_unknown_image_is_an_error_that_names_it() -> None:
    with pytest.raises(
        InputError, match=r"^runs/a\.parquet: image_id: found 1 unknown image \(5\), expected images of"
    ):
        detections_from(found(image_id=[3, 5, 5]), IMAGES, NAMES, "runs/a.parquet")
    many = found(sample_id=[f"image {number}" for number in range(9)])
    with pytest.raises(InputError, match=r"9 unknown images \('image 0', .*'image 4', \.\.\.\).* such as 'seven'"):
        detections_from(many, IMAGES, NAMES, "")
    with pytest.raises(InputError, match=r"1 unknown image .* expected no detections"):
        detections_from(found(image_id=[3]), IMAGES.slice(0, 0), NAMES, "")


def test_a_null_image_is_unknown() -> None:
    with pytest.raises(InputError, match=r"1 unknown image \(None\)"):
        detections_from(found(image_id=[3, None]), IMAGES, NAMES, "")


def test_an_image_of_another_kind_is_an_error() -> None:
    with pytest.raises(InputError, match=r"f: image_id: found .*abc.*, expected int64 as in the manifest"):
        detections_from(found(image_id=["3", "abc"]), IMAGES, NAMES, "f")
    assert detections_from(found(image_id=["3", "7"]), IMAGES, NAMES, "f").image.tolist() == [0, 1]


def test_without_a_key_there_is_no_join() -> None:
    with pytest.raises(InputError, match=r"found the columns .*, expected a column image_id or sample_id"):
        detections_from(found(image=[3]), IMAGES, NAMES, "")


@pytest.mark.parametrize("name", ["x", "y", "width", "height"])
@pytest.mark.parametrize("value", [np.nan, np.inf, None])
def test_a_side_must_be_finite(name: str, value: float | None) -> None:
    with pytest.raises(InputError, match=f"truth: box 1: {name}: found (nan|inf), expected a finite number"):
        truth_from(manifest([RECORD | {name: value}]), NAMES, "truth")


def test_an_area_must_be_finite() -> None:
    with pytest.raises(InputError, match="area: found inf"):
        truth_from(manifest([RECORD | {"area": np.inf}]), NAMES)
