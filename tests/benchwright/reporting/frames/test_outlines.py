"""Outlines have every box where it is, of its group or class; samples are even and within their limits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.reporting.frames import outlines
from benchwright.reporting.frames.outlines import (
    NONE,
    evenly,
    key_frame,
    key_images,
    object_outlines,
    person_outlines,
    shown,
)
from schemas.manifest import Manifest


def test_a_person_is_of_the_group_that_lists_it(sample_manifest: Callable[..., Manifest]) -> None:
    manifest = sample_manifest("jrdb-par")
    table = manifest.table()
    names = ["walking", "standing"]
    made = list(person_outlines(table, names))
    assert len(made) == table.num_rows
    for row, outline in zip(table.to_pylist(), made, strict=True):
        assert (outline.width, outline.height) == (row["width"], row["height"])
        groups = {person: group["group_id"] for group in row["groups"] for person in group["member_ids"]}
        assert [box[:5] for box in outline.boxes] == [
            (p["x"], p["y"], p["width"], p["height"], groups.get(p["person_id"], NONE)) for p in row["persons"]
        ]
        first = row["persons"][0]["actions"][0]["id"]
        assert outline.boxes[0][5].split(", ")[0] == (names[first - 1] if first <= 2 else f"class {first}")


def test_boxes_that_scoring_leaves_out_are_grey(sample_manifest: Callable[..., Manifest]) -> None:
    table = sample_manifest("coco-person").table()
    made = list(object_outlines(table, ["person"]))
    for row, outline in zip(table.to_pylist(), made, strict=True):
        for thing, box in zip(row["objects"], outline.boxes, strict=True):
            assert box[:4] == tuple(round(thing[side]) for side in ("x", "y", "width", "height"))
            assert box[4] == (NONE if thing["crowd"] or thing["ignored"] else 0)
            assert ("crowd" in box[5]) == thing["crowd"]
    assert {box[4] for outline in made for box in outline.boxes} == {NONE, 0}


def image(width: float | None, *boxes: tuple[float, float, float, float]) -> pa.Table:
    names = ("x", "y", "width", "height")
    flags = {"category": "person", "crowd": False, "ignored": False, "difficult": None}
    objects = [dict(zip(names, box, strict=True)) | flags for box in boxes]
    types = [pa.field(name, pa.float64()) for name in names]
    types += [pa.field("category", pa.string()), *(pa.field(n, pa.bool_()) for n in ("crowd", "ignored", "difficult"))]
    columns = {"width": pa.array([width], pa.float64()), "height": pa.array([width], pa.float64())}
    return pa.table(columns | {"objects": pa.array([objects], pa.list_(pa.struct(types)))})


def test_a_box_that_is_not_finite_is_not_drawn_and_an_image_without_a_size_holds_its_boxes() -> None:
    (outline,) = object_outlines(image(None, (1, 2, 3, 4), (float("nan"), 0, 1, 1), (5, 5, 6, 1)), ["person"])
    assert [box[:4] for box in outline.boxes] == [(1, 2, 3, 4), (5, 5, 6, 1)]
    assert (outline.width, outline.height) == (11.0, 6.0)
    (empty,) = object_outlines(image(None), ["person"])
    assert (empty.width, empty.height, empty.boxes) == (1.0, 1.0, ())


def test_the_key_frame_has_most_groups(sample_manifest: Callable[..., Manifest]) -> None:
    rows = sample_manifest("jrdb-par").table()
    place = key_frame(rows)
    assert place is not None
    ranks = [(len(r["groups"]), sum(len(g["member_ids"]) for g in r["groups"])) for r in rows.to_pylist()]
    assert ranks.index(max(ranks)) == place
    assert key_frame(rows.slice(0, 0)) is None


def test_key_images_are_what_they_are_called(sample_manifest: Callable[..., Manifest]) -> None:
    table = sample_manifest("voc-person").table()
    rows = table.to_pylist()
    found = key_images(table)
    counts = [len(row["objects"]) for row in rows]
    areas = [min((o["width"] * o["height"] for o in row["objects"]), default=np.inf) for row in rows]
    assert found["most boxes"] == counts.index(max(counts))
    assert found["smallest box"] == areas.index(min(areas))
    largest = [max((o["width"] * o["height"] for o in row["objects"]), default=0) for row in rows]
    assert found["largest box"] == largest.index(max(largest))
    assert counts[found["usual number of boxes"]] == sorted(n for n in counts if n)[(sum(map(bool, counts)) - 1) // 2]
    assert key_images(table.slice(0, 0)) == {}


@given(st.integers(0, 500), st.integers(0, 60))
def test_even_samples_are_even(count: int, most: int) -> None:
    places = evenly(count, most)
    assert len(places) == min(count, most)
    steps = np.diff(places)
    assert len(steps) == 0 or steps.max() - steps.min() <= 1
    assert all(0 <= place < count for place in places)


@given(st.lists(st.integers(0, 50), max_size=300), st.data())
def test_shown_rows_are_within_limits_and_wanted_ones_come_first(boxes: list[int], data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outlines, "MOST_ROWS", 40)
        patch.setattr(outlines, "MOST_BOXES", 400)
        wanted = data.draw(st.sets(st.integers(0, max(len(boxes) - 1, 0)), max_size=min(len(boxes), 5)))
        places = shown(np.array(boxes, np.int64), np.array(sorted(wanted), np.int64))
    assert len(places) == len(set(places.tolist())) <= 40
    assert places.tolist() == sorted(places.tolist())
    assert sum(boxes[place] for place in places) <= 400
    if len(boxes) <= 40 and sum(boxes) <= 400:
        assert len(places) == len(boxes)
    if sum(boxes[place] for place in wanted) <= 200:
        assert wanted <= set(places.tolist())
