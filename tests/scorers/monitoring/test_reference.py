"""The monitor's evaluation against the plain reference, and laws that hold for any boxes."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.detection import overlaps
from scorers.detection.boxes import Boxes, Detections
from scorers.monitoring import reference
from scorers.monitoring.evaluation import Setup, evaluate
from scorers.monitoring.judgement import match
from scorers.monitoring.metrics import Metric, parse_metrics
from scorers.monitoring.reference import Box
from scorers.monitoring.scorer import PROTOCOLS

IMAGES = 4
SWEEP = (0.01, 0.25, 0.5, 0.75, 0.99)
Scene = dict[str, list[Any]]  # rows (image, box, score) of truth, persons and parts; the score of the truth is unused


# Scenes on a coarse grid, so that boxes and IoUs coincide, IoUs of just 0.5 occur, and some boxes have no area.

SCORES = (0.3, 0.5, 0.9)


def row(number: int) -> tuple[int, Box, float]:
    """Image, box and score out of one number, which Hypothesis draws faster than six."""
    number, picked = divmod(number, len(SCORES))
    number, image = divmod(number, IMAGES)
    x, y, width, height = (number // 7**place % 7 for place in range(4))
    return image, (float(x), float(y), float(width), float(height)), SCORES[picked]


rows = st.integers(0, 7**4 * IMAGES * len(SCORES) - 1).map(row)
KEYS = ("truth", "persons", "parts")
scenes = st.fixed_dictionaries({key: st.lists(rows, max_size=14) for key in KEYS})


def scaled(scene: Scene, scale: float) -> Scene:
    """The same with all boxes grown."""
    return {
        key: [(image, tuple(scale * side for side in box), score) for image, box, score in rows]
        for key, rows in scene.items()
    }


def detections(rows: list[Any]) -> Detections:
    x, y, width, height = np.array([box for _, box, _ in rows], dtype=np.float64).reshape(len(rows), 4).T
    image, scores = np.array([row[0] for row in rows], dtype=np.int64), np.array([row[2] for row in rows])
    return Detections(image, np.zeros_like(image), x, y, width, height, scores)


def arrays(scene: Scene) -> tuple[Boxes, Setup]:
    truth, persons, parts = (detections(scene[key]) for key in ("truth", "persons", "parts"))
    return truth, Setup("person", persons, parts)


def metrics(sweep: tuple[float, ...] = SWEEP) -> list[Metric]:
    """Every metric, at these tolerances where it depends on one."""
    names = [(metric.name, metric.tolerance is None) for metric in parse_metrics([])]
    return list(dict.fromkeys(Metric(name, None if fixed else o) for name, fixed in names for o in sweep))


def run(scene: Scene, protocol: str, sweep: tuple[float, ...] = SWEEP) -> dict[Metric, float]:
    return dict(evaluate(*arrays(scene), IMAGES, metrics(sweep), protocol).values)


@settings(max_examples=200)
@given(scenes, st.sampled_from(PROTOCOLS), st.sampled_from([1.0, 0.1, 1 / 3]))
def test_every_number_has_the_bits_of_the_plain_evaluation(scene: Scene, protocol: str, scale: float) -> None:
    scene = scaled(scene, scale)
    images = [
        tuple([row[1:] if key == "persons" else row[1] for row in scene[key] if row[0] == image] for key in KEYS)
        for image in range(IMAGES)
    ]
    expected = {o: reference.monitor(images, o, protocol) for o in SWEEP}
    for metric, value in run(scene, protocol).items():
        np.testing.assert_equal(value, expected[metric.tolerance or SWEEP[0]][metric.name], err_msg=str(metric))


@settings(max_examples=40)
@given(scenes, st.sampled_from(PROTOCOLS), st.permutations(range(IMAGES)), st.randoms())
def test_the_order_of_images_does_not_matter(scene: Scene, protocol: str, places: list[int], random: Any) -> None:
    moved = {key: [(places[image], *rest) for image, *rest in rows] for key, rows in scene.items()}
    keys = [random.random() for _ in range(IMAGES)]
    shuffled = {key: sorted(rows, key=lambda row: keys[row[0]]) for key, rows in moved.items()}
    np.testing.assert_equal(run(shuffled, protocol), run(scene, protocol))


@settings(max_examples=40)
@given(scenes, st.sampled_from(PROTOCOLS), st.sampled_from([0.125, 3.0, 640.0]))
def test_the_scale_of_all_boxes_does_not_matter(scene: Scene, protocol: str, scale: float) -> None:
    np.testing.assert_equal(run(scaled(scene, scale), protocol), run(scene, protocol))


@settings(max_examples=40)
@given(scenes, st.sampled_from(PROTOCOLS))
def test_a_tolerance_alone_gives_what_it_gives_in_the_sweep(scene: Scene, protocol: str) -> None:
    swept = run(scene, protocol)
    for o in SWEEP:
        alone = run(scene, protocol, (o,))
        np.testing.assert_equal(alone, {metric: swept[metric] for metric in alone})


@settings(max_examples=40)
@given(scenes)
def test_one_to_one_matches_are_as_many_detections_as_persons(scene: Scene) -> None:
    truth, setup = arrays(scene)
    paper, strict = (match(truth, setup.persons, IMAGES, protocol) for protocol in ("paper", "strict"))
    assert strict[0].sum() == strict[1].sum()
    assert not (strict[0] & ~paper[0]).any()


def test_blocks_of_pairs_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(3)
    scene: Scene = {
        key: [row(int(number)) for number in generator.integers(0, 7**4 * IMAGES * len(SCORES), 60)]
        for key in ("truth", "persons", "parts")
    }
    whole = {protocol: run(scene, protocol) for protocol in PROTOCOLS}
    monkeypatch.setattr(overlaps, "_PAIRS_AT_ONCE", 7)
    for protocol, expected in whole.items():
        np.testing.assert_equal(run(scene, protocol), expected)


@settings(max_examples=40)
@given(scenes, st.sampled_from(PROTOCOLS))
def test_the_arguments_are_left_as_they_were(scene: Scene, protocol: str) -> None:
    truth, setup = arrays(scene)
    given_boxes = (truth, setup.persons, setup.parts)
    copies = [replace(boxes, **{f.name: getattr(boxes, f.name).copy() for f in fields(boxes)}) for boxes in given_boxes]
    evaluate(truth, setup, IMAGES, metrics(), protocol)
    for boxes, copy in zip(given_boxes, copies, strict=True):
        for field in fields(boxes):
            np.testing.assert_array_equal(getattr(boxes, field.name), getattr(copy, field.name))
