"""The monitor's evaluation against a plain one that goes box by box, and laws that hold for any boxes."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.monitoring import PROTOCOLS, Boxes, Detections, Evaluation, Setup, evaluate, matching
from scorers.monitoring import boxes as box_arrays

IMAGES = 4
SWEEP = (0.01, 0.25, 0.5, 0.75, 0.99)
Box = tuple[float, float, float, float]
Scene = dict[str, list[Any]]  # rows (image, box, score) of truth, persons and parts; the score of the truth is unused


# The plain evaluation: one image, one tolerance at a time, lists of boxes in file order.


def area(box: Box) -> float:
    return box[2] * box[3]


def common_area(a: Box, b: Box) -> float:
    across = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    down = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    return across * down if across > 0 and down > 0 else 0.0


def iou(a: Box, b: Box) -> float:
    common = common_area(a, b)
    return common / (area(a) + area(b) - common) if common else 0.0


def within(part: Box, person: Box, o: float, protocol: str, person_area: float | None = None) -> bool:
    smaller = min(area(part), area(person) if person_area is None else person_area)
    common = common_area(part, person)
    return common >= (1 - o) * smaller and (protocol == "paper" or common > 0)


def matched(truth: list[Box], persons: list[tuple[Box, float]], protocol: str) -> tuple[list[bool], set[int]]:
    """Whether each detection is a true positive, and which true persons are matched."""
    order = sorted(range(len(persons)), key=lambda row: -persons[row][1])
    correct, found = [False] * len(persons), set[int]()
    for row in order:
        candidates = [g for g in range(len(truth)) if protocol == "paper" or g not in found]
        best = max(candidates, key=lambda g: (iou(persons[row][0], truth[g]), g), default=None)
        if best is not None and iou(persons[row][0], truth[best]) >= 0.5:
            correct[row] = True
            found.add(best)
    return correct, found


def declared_in_image(persons: list[Box], parts: list[Box], o: float, protocol: str) -> tuple[bool, bool]:
    """Whether the image is declared to have a false positive, and a missed person."""
    false_positive, last = False, None
    for person in persons:
        last = area(person)
        if not any(within(part, person, o, protocol) for part in parts):
            false_positive = True
            break
    compared = last if protocol == "paper" else None
    return false_positive, any(
        not any(within(part, person, o, protocol, compared) for person in persons) for part in parts
    )


def plain(scene: Scene, o: float, protocol: str) -> dict[str, float]:
    """Every number at one tolerance."""
    sums = dict.fromkeys(["D_TP", "D_FP", "D_FN", "detected_FP", "rejected_TP", "detected_FN", "ghost_parts"], 0)
    tables = {error: {"TP": 0, "FP": 0, "FN": 0, "TN": 0} for error in ("FP", "FN")}
    for image in range(IMAGES):
        truth = [row[1] for row in scene["truth"] if row[0] == image]
        persons = [(row[1], row[2]) for row in scene["persons"] if row[0] == image]
        parts = [row[1] for row in scene["parts"] if row[0] == image]
        boxes = [person for person, _ in persons]
        correct, found = matched(truth, persons, protocol)
        rejected = [not any(within(part, person, o, protocol) for part in parts) for person in boxes]
        declaring = [part for part in parts if not any(within(part, person, o, protocol) for person in boxes)]
        missed = [person for g, person in enumerate(truth) if g not in found]
        sums["D_TP"] += sum(correct)
        sums["D_FP"] += len(boxes) - sum(correct)
        sums["D_FN"] += len(missed)
        sums["detected_FP"] += sum(no and not yes for no, yes in zip(rejected, correct, strict=True))
        sums["rejected_TP"] += sum(no and yes for no, yes in zip(rejected, correct, strict=True))
        sums["detected_FN"] += sum(any(within(part, person, o, protocol) for part in declaring) for person in missed)
        sums["ghost_parts"] += sum(not any(within(part, p, o, protocol) for p in truth + boxes) for part in declaring)
        verdicts = declared_in_image(boxes, parts, o, protocol)
        for error, says, there in zip(tables, verdicts, (not all(correct), bool(missed)), strict=True):
            tables[error][{(1, 1): "TP", (1, 0): "FP", (0, 1): "FN", (0, 0): "TN"}[says, there]] += 1
    numbers: dict[str, float] = {
        **sums,
        "balance(FP)": sums["detected_FP"] - sums["rejected_TP"],
        "balance(FN)": sums["detected_FN"] - sums["ghost_parts"],
    }
    return numbers | {name: number for error, table in tables.items() for name, number in rates(error, table, protocol)}


def rates(error: str, table: dict[str, int], protocol: str) -> list[tuple[str, float]]:
    tp, fp, fn, tn = table.values()

    def quotient(above: float, below: float, slack: float) -> float:
        if protocol == "paper":
            return above / (below + slack) if below + slack else 0.0
        return above / below if below else math.nan

    return [
        (f"images_with({error})", tp + fn),
        (f"image_TP({error})", tp),
        (f"image_FP({error})", fp),
        (f"precision({error})", quotient(tp, tp + fp, 1e-8)),
        (f"recall({error})", quotient(tp, tp + fn, 1e-8)),
        (f"MCC({error})", quotient(tp * tn - fp * fn, math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)), 0)),
    ]


# Scenes on a coarse grid, so that boxes and IoUs coincide, IoUs of just 0.5 occur, and some boxes have no area.

SCORES = (0.3, 0.5, 0.9)


def row(number: int) -> tuple[int, Box, float]:
    """Image, box and score out of one number, which Hypothesis draws faster than six."""
    number, picked = divmod(number, len(SCORES))
    number, image = divmod(number, IMAGES)
    x, y, width, height = (number // 7**place % 7 for place in range(4))
    return image, (float(x), float(y), float(width), float(height)), SCORES[picked]


rows = st.integers(0, 7**4 * IMAGES * len(SCORES) - 1).map(row)
scenes = st.fixed_dictionaries({key: st.lists(rows, max_size=14) for key in ("truth", "persons", "parts")})


def detections(rows: list[Any]) -> Detections:
    x, y, width, height = np.array([box for _, box, _ in rows], dtype=np.float64).reshape(len(rows), 4).T
    image, scores = np.array([row[0] for row in rows], dtype=np.int64), np.array([row[2] for row in rows])
    return Detections(image, x, y, width, height, scores, np.zeros_like(image))


def arrays(scene: Scene) -> tuple[Boxes, Setup]:
    truth, persons, parts = (detections(scene[key]) for key in ("truth", "persons", "parts"))
    return Boxes(truth.image, truth.x, truth.y, truth.width, truth.height), Setup("MultiDet", persons, parts)


def run(scene: Scene, protocol: str, sweep: tuple[float, ...] = SWEEP) -> Evaluation:
    return evaluate(*arrays(scene), IMAGES, protocol=protocol, tolerances=sweep)


def listed(evaluation: Evaluation) -> dict[str, Any]:
    return {name: values.tolist() for name, values in evaluation.metrics.items()}


@settings(max_examples=200)
@given(scenes, st.sampled_from(PROTOCOLS))
def test_every_number_agrees_with_the_plain_evaluation(scene: Scene, protocol: str) -> None:
    evaluation = run(scene, protocol)
    for position, o in enumerate(SWEEP):
        expected = plain(scene, o, protocol)
        assert set(evaluation.metrics) == set(expected)
        for name, values in evaluation.metrics.items():
            np.testing.assert_allclose(values[position] if values.ndim else values, expected[name], 1e-12, err_msg=name)


@settings(max_examples=40)
@given(scenes, st.sampled_from(PROTOCOLS), st.permutations(range(IMAGES)), st.randoms())
def test_the_order_of_images_does_not_matter(scene: Scene, protocol: str, places: list[int], random: Any) -> None:
    moved = {key: [(places[image], *rest) for image, *rest in rows] for key, rows in scene.items()}
    keys = [random.random() for _ in range(IMAGES)]
    shuffled = {key: sorted(rows, key=lambda row: keys[row[0]]) for key, rows in moved.items()}
    np.testing.assert_equal(listed(run(shuffled, protocol)), listed(run(scene, protocol)))


@settings(max_examples=40)
@given(scenes, st.sampled_from(PROTOCOLS), st.sampled_from([0.125, 3.0, 640.0]))
def test_the_scale_of_all_boxes_does_not_matter(scene: Scene, protocol: str, scale: float) -> None:
    grown = {
        key: [(image, tuple(scale * side for side in box), score) for image, box, score in rows]
        for key, rows in scene.items()
    }
    np.testing.assert_equal(listed(run(grown, protocol)), listed(run(scene, protocol)))


@settings(max_examples=40)
@given(scenes, st.sampled_from(PROTOCOLS))
def test_a_tolerance_alone_gives_what_it_gives_in_the_sweep(scene: Scene, protocol: str) -> None:
    swept = run(scene, protocol).metrics
    for position, o in enumerate(SWEEP):
        for name, values in run(scene, protocol, (o,)).metrics.items():
            np.testing.assert_equal(values.item(), swept[name].reshape(-1)[position if values.ndim else 0])


@settings(max_examples=40)
@given(scenes)
def test_one_to_one_matches_are_as_many_detections_as_persons(scene: Scene) -> None:
    truth, setup = arrays(scene)
    for threshold in (0.2, 0.5, 1.0):
        match = matching.strict_match(truth, setup.persons, threshold)
        assert match.correct.sum() == match.found.sum()
        assert not (match.correct & ~matching.paper_match(truth, setup.persons, threshold).correct).any()


def test_blocks_of_pairs_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(3)
    scene: Scene = {
        key: [row(int(number)) for number in generator.integers(0, 7**4 * IMAGES * len(SCORES), 60)]
        for key in ("truth", "persons", "parts")
    }
    whole = {protocol: listed(run(scene, protocol)) for protocol in PROTOCOLS}
    monkeypatch.setattr(box_arrays, "_PAIRS_AT_ONCE", 7)
    assert len(list(box_arrays.pairs(arrays(scene)[0].image, arrays(scene)[0].image))) > IMAGES
    for protocol, expected in whole.items():
        np.testing.assert_equal(listed(run(scene, protocol)), expected)


@settings(max_examples=40)
@given(scenes, st.sampled_from(PROTOCOLS))
def test_the_arguments_are_left_as_they_were(scene: Scene, protocol: str) -> None:
    truth, setup = arrays(scene)
    given_boxes = (truth, setup.persons, setup.parts)
    copies = [replace(boxes, **{f.name: getattr(boxes, f.name).copy() for f in fields(boxes)}) for boxes in given_boxes]
    evaluate(truth, setup, IMAGES, protocol=protocol)
    for boxes, copy in zip(given_boxes, copies, strict=True):
        for field in fields(boxes):
            np.testing.assert_array_equal(getattr(boxes, field.name), getattr(copy, field.name))
