"""COCO's protocol: every precision, recall and score has the bits that pycocotools gives."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import UsageError
from scorers.detection.boxes import Detections, Truth, detections_from, truth_from
from scorers.detection.coco import AREAS, Setting, Settings, match, match_table
from scorers.detection.grid import Grid, grid, pycocotools_grid
from scorers.detection.metrics import DEFAULT_METRICS, Metric, value
from scorers.detection.outcomes import coco_outcomes
from scorers.detection.overlaps import Pairs
from scorers.detection.ranking import Ranking
from scorers.detection.scorer import evaluate

Problem = tuple[Truth, Detections]
Rows = Callable[..., Any]


def assert_same_bits(ours: Grid, theirs: Grid) -> None:
    for name in ("precision", "recall", "scores"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_the_whole_grid_has_the_bits_of_pycocotools(invented: Callable[[int], Problem], seed: int) -> None:
    problem = invented(seed)
    assert_same_bits(grid(match(*problem)), pycocotools_grid(*problem))


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    thresholds=st.sets(st.sampled_from([0.01, 0.3, 0.5, 0.55, 0.7, 0.9, 1.0]), min_size=1),
    areas=st.sets(st.sampled_from(list(AREAS)), min_size=1),
    caps=st.sets(st.sampled_from([1, 2, 3, 20, 300]), min_size=1),
)
def test_so_have_other_thresholds_areas_and_caps(
    invented: Callable[[int], Problem], seed: int, thresholds: set[float], areas: set[str], caps: set[int]
) -> None:
    chosen = Settings(tuple(sorted(thresholds)), {name: AREAS[name] for name in sorted(areas)}, tuple(sorted(caps)))
    problem = invented(seed)
    assert_same_bits(grid(match(*problem, chosen)), pycocotools_grid(*problem, chosen))


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_the_outcomes_at_each_setting_say_the_same_as_the_grid(invented: Callable[[int], Problem], seed: int) -> None:
    run = match(*invented(seed))
    recall = grid(run).recall
    for (area, cap, threshold, category), of_grid in np.ndenumerate(recall):
        chosen = run.settings
        setting = Setting(chosen.thresholds[threshold], list(chosen.areas)[area], chosen.max_detections[cap])
        found = coco_outcomes(run, setting)
        true = found.true[found.starts[category] : found.starts[category + 1]].sum()
        boxes = np.count_nonzero(found.box_category == category)
        assert np.array_equal(of_grid, true / boxes if boxes else np.nan, equal_nan=True)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_ids_and_order_of_files_play_no_part(
    invented: Callable[[int], Problem], as_tables: Callable[..., tuple[pa.Table, pa.Table]], seed: int
) -> None:
    truth, found = invented(seed)
    manifest, table = as_tables(truth, found, np.random.default_rng(seed))
    ours = truth_from(manifest, truth.categories), detections_from(table, manifest, truth.categories, "")
    assert_same_bits(grid(match(*ours)), grid(match(truth, found)))


# The public example of the COCO tools, whose expected output is printed to three digits.


@pytest.fixture
def example(real_data: Path) -> Problem:
    instances = json.loads((real_data / "coco/instances_val2014_100.json").read_text())
    results = json.loads((real_data / "coco/instances_val2014_fakebbox100_results.json").read_text())
    names = {category["id"]: category["name"] for category in instances["categories"]}
    objects: dict[int, list[dict[str, Any]]] = {image["id"]: [] for image in instances["images"]}
    for row in instances["annotations"]:
        sides = dict(zip(("x", "y", "width", "height"), map(float, row["bbox"]), strict=True))
        kind = {"category": names[row["category_id"]], "crowd": bool(row["iscrowd"]), "area": float(row["area"])}
        objects[row["image_id"]].append(sides | kind)
    manifest = pa.table({"image_id": list(objects), "objects": list(objects.values())})
    boxes = np.array([row["bbox"] for row in results], dtype=np.float64).T
    table = pa.table(
        {
            "image_id": [row["image_id"] for row in results],
            "category": [names[row["category_id"]] for row in results],
            "score": [row["score"] for row in results],
        }
        | dict(zip(("x", "y", "width", "height"), boxes, strict=True))
    )
    categories = [names[number] for number in sorted(names)]
    return truth_from(manifest, categories), detections_from(table, manifest, categories, "results")


@pytest.mark.real_data
def test_the_public_example_has_the_bits_of_pycocotools(example: Problem) -> None:
    assert_same_bits(grid(match(*example)), pycocotools_grid(*example))


@pytest.mark.real_data
def test_the_public_example_has_its_published_numbers(example: Problem, real_data: Path) -> None:
    lines = (real_data / "coco/val2014_fake_eval_res.txt").read_text().split("type=bbox")[1].splitlines()
    published = [float(line.rpartition("=")[2]) for line in lines if "@[" in line][:12]
    coco_order = (
        "AP",
        "mAP50",
        "AP75",
        "APsmall",
        "APmedium",
        "APlarge",
        "AR1",
        "AR10",
        "AR100",
        "ARsmall",
        "ARmedium",
    )
    values = {str(metric): value for metric, value in evaluate(*example).values.items()}
    assert [round(values[name], 3) for name in (*coco_order, "ARlarge")] == published
    assert values["AP"] == 0.5045806987249628
    exact = {"mAP50": 0.6970, "AP75": 0.5730, "AR100": 0.5954}
    assert {name: round(values[name], 4) for name in exact} == exact
    theirs = pycocotools_grid(*example)
    assert {metric: value(metric, theirs) for metric in DEFAULT_METRICS} == evaluate(*example).values
    person = evaluate(*example, [Metric("AP", "person", iou=0.5), Metric("AP", "person")]).values
    assert [round(value, 4) for value in person.values()] == [0.7883, 0.5326]


# What is left to us where pycocotools stops, warns or is silent.


def test_a_run_without_detections_scores_0(truth_of: Rows, found: Rows) -> None:
    values = evaluate(truth_of([(0, 0, 0, 10, 10)]), found([]), [Metric("AP", iou=0.5), Metric("AR")]).values
    assert list(values.values()) == [0.0, 0.0]


def test_without_images_or_boxes_there_is_no_value(truth_of: Rows, found: Rows) -> None:
    for truth, detections in ((truth_of([], 0), found([])), (truth_of([], 2), found([(1, 0, 0, 5, 5, 0.5)]))):
        scores = evaluate(truth, detections)
        assert np.isnan(list(scores.values.values())).all()
        assert scores.warnings[0] == "mAP50 has no value: the truth has no box that counts for it"


def test_a_category_without_boxes_is_left_out_of_the_mean(truth_of: Rows, found: Rows) -> None:
    truth = replace(truth_of([(0, 0, 0, 10, 10)]), categories=("person", "head"))
    detections = replace(found([(0, 0, 0, 10, 10, 0.9), (0, 0, 0, 10, 10, 0.9)]), category=np.array([0, 1]))
    person, head, mean = (Metric("AP", name, iou=0.5) for name in ("person", "head", None))
    values = evaluate(truth, detections, [person, head, mean]).values
    assert values[person] == values[mean] == pytest.approx(1)
    assert np.isnan(values[head])


def test_only_crowds_are_no_boxes_that_count(truth_of: Rows, found: Rows) -> None:
    scores = evaluate(truth_of([(0, 0, 0, 10, 10)], crowd=[True]), found([(0, 0, 0, 10, 10, 0.9)]))
    assert np.isnan(scores.values[Metric("AP", iou=0.5)])


def test_ties_of_score_go_by_file_order_within_an_image_and_by_image_id_across(truth_of: Rows, found: Rows) -> None:
    truth = truth_of([(0, 0, 0, 10, 10)], images=2)
    hit, miss, elsewhere = (0, 0, 0, 10, 10, 0.5), (0, 50, 50, 9, 9, 0.5), (1, 0, 0, 10, 10, 0.5)
    for rows, precision in (([hit, miss], 1), ([miss, hit], 0.5), ([elsewhere, hit], 1), ([hit, elsewhere], 1)):
        assert evaluate(truth, found(rows), [Metric("AP", iou=0.5)]).values.popitem()[1] == pytest.approx(precision)


def test_a_threshold_of_1_forgives_rounding(truth_of: Rows, found: Rows) -> None:
    sides = (0, 0.7, 0.7, 0.1, 0.1)  # from 0.7 to 0.7999999999999999
    truth, same = truth_of([sides]), found([(*sides, 0.9)])
    assert grid(match(truth, same, Settings((1.0,)))).recall[0, -1, 0, 0] == 1


def test_a_detection_beyond_the_cap_is_neither_true_nor_false(truth_of: Rows, found: Rows) -> None:
    misses = [(0, 50, 50, 9, 9, 0.9)] * 100
    truth, run = truth_of([(0, 0, 0, 10, 10)]), found([*misses, (0, 0, 0, 10, 10, 0.5)])
    assert evaluate(truth, run, [Metric("AP", iou=0.5)]).values.popitem()[1] == 0
    assert evaluate(truth, run, [Metric("AR", max_detections=101)]).values.popitem()[1] == 1
    assert len(coco_outcomes(match(truth, run), Setting(0.5, "all", 100)).true) == 100


def test_an_ignored_box_costs_nothing_and_its_hit_is_not_counted(truth_of: Rows, found: Rows) -> None:
    rows = [(0, 0, 0, 10, 10), (0, 50, 50, 10, 10)]
    small = found([(0, 50, 50, 10, 10, 0.9), (0, 0, 0, 10, 10, 0.8)])
    for flags, precision in (([False, False], 1.0), ([False, True], 1.0)):
        values = evaluate(truth_of(rows, ignored=flags), small, [Metric("AP", iou=0.5)]).values
        assert values.popitem()[1] == pytest.approx(precision)
    once = evaluate(truth_of(rows, ignored=[False, True]), found([(0, 0, 0, 10, 10, 0.8)]), [Metric("AR")]).values
    assert once.popitem()[1] == 1.0
    twice = found([(0, 50, 50, 10, 10, 0.9), (0, 50, 50, 10, 10, 0.85), (0, 0, 0, 10, 10, 0.8)])
    assert evaluate(truth_of(rows, ignored=[False, True]), twice, [Metric("AP", iou=0.5)]).values.popitem()[1] == (
        pytest.approx(0.5)  # unlike a crowd, it takes one
    )


def test_the_reference_refuses_what_it_cannot_say(truth_of: Rows, found: Rows) -> None:
    with pytest.raises(UsageError, match="crowds alone"):
        pycocotools_grid(truth_of([(0, 0, 0, 1, 1)], ignored=[True]), found([]))


def test_the_table_says_who_took_what_at_which_threshold() -> None:
    # The second detection prefers box 0 at all thresholds, but the first is before it; at .8 nobody else wants box 1.
    pairs = Pairs(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([0.7, 0.9, 0.6]))
    ranking = Ranking(np.arange(2), np.array([0.9, 0.8]), np.array([0, 2]))
    none = np.zeros(2, dtype=np.bool_)
    rank, box, matched = match_table(pairs, ranking, none, none[np.newaxis], np.array([0.5, 0.65, 0.8]))
    taken = [[(int(rank[n]), int(box[n])) for n in np.flatnonzero(at)] for at in matched[0]]
    assert taken == [[(0, 0), (1, 1)], [(0, 0)], [(1, 0)]]


def test_a_box_that_counts_is_preferred_to_an_ignored_one_of_higher_iou_and_the_later_of_equals() -> None:
    pairs = Pairs(np.zeros(3, dtype=np.int64), np.arange(3), np.array([0.6, 0.6, 0.9]))
    ranking = Ranking(np.arange(1), np.array([0.9]), np.array([0, 1]))
    ignored = np.array([[False, False, True], [False, False, False], [True, True, True], [False, True, True]])
    *_, matched = match_table(pairs, ranking, np.zeros(3, dtype=np.bool_), ignored, np.array([0.5]))
    assert [np.flatnonzero(of_area[0]).tolist() for of_area in matched] == [[1], [2], [2], [0]]
