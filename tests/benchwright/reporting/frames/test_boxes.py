"""Areas, shapes and flags of boxes equal those of the rows; the line is the rule's own parameter."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from benchwright.reporting.frames.boxes import areas_of, flags, shapes
from schemas.manifest import Manifest


@pytest.mark.parametrize("least", [2247.0, 3500.0])
@pytest.mark.parametrize("on_small", ["drop_image", "drop_person", "off"])
def test_the_line_is_the_parameter_of_the_build(
    least: float, on_small: str, sample_manifest: Callable[..., Manifest]
) -> None:
    manifest = sample_manifest("coco-person", small_person__min_area=least, small_person__on_small=on_small)
    found = areas_of(manifest)
    plain = [thing["area"] for row in manifest.table().to_pylist() for thing in row["objects"]]
    assert found.kept.tolist() == plain
    assert (found.rule, found.label, found.on_small) == ("small_person", "person", on_small)
    assert found.least == (None if on_small == "off" else least)
    assert (len(found.gone) > 0) == (on_small != "off")
    assert (found.gone < least).all()
    assert found.touched == len(found.gone)


@pytest.mark.parametrize("crowds", [True, False])
def test_boxes_that_are_left_out_of_scoring_are_counted(crowds: bool, sample_manifest: Callable[..., Manifest]) -> None:
    manifest = sample_manifest("coco-person", small_person__on_small="ignore", small_person__count_crowds=crowds)
    things = [thing for row in manifest.table().to_pylist() for thing in row["objects"]]
    plain = sum(thing["ignored"] for thing in things)
    assert areas_of(manifest).touched == plain > 0


def test_the_area_of_the_box_is_shown_where_the_rule_looks_at_it(sample_manifest: Callable[..., Manifest]) -> None:
    manifest = sample_manifest("coco-person", small_person__area="box")
    things = [thing for row in manifest.table().to_pylist() for thing in row["objects"]]
    assert areas_of(manifest).kept.tolist() == [thing["width"] * thing["height"] for thing in things]


def test_only_boxes_that_the_rule_looks_at_are_among_the_areas(sample_manifest: Callable[..., Manifest]) -> None:
    manifest = sample_manifest("densepose-person")
    things = [thing for row in manifest.table().to_pylist() for thing in row["objects"]]
    assert areas_of(manifest).kept.tolist() == [thing["area"] for thing in things if thing["category"] == "person"]


@pytest.mark.parametrize("name", ["coco-person", "densepose-person", "voc-person"])
def test_shapes_and_flags_are_those_of_the_rows(name: str, sample_manifest: Callable[..., Manifest]) -> None:
    table = sample_manifest(name).table()
    things = [thing for row in table.to_pylist() for thing in row["objects"]]
    ratios = np.array([thing["width"] / thing["height"] for thing in things])
    found = shapes(table)
    assert found["1:1 to 2:1"] == ((ratios >= 1) & (ratios < 2)).sum()
    assert found["wide, from 4:1"] == (ratios >= 4).sum()
    assert sum(found.values()) == len(things)
    known = [thing["difficult"] for thing in things if thing["difficult"] is not None]
    assert flags(table) == {
        "crowd": (sum(thing["crowd"] for thing in things), len(things)),
        "ignored": (sum(thing["ignored"] for thing in things), len(things)),
        "difficult": (sum(known), len(known)),
    }
