"""Metrics as functions of weights, against data sets in which images really stand several times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.detection.boxes import Detections, Floats, Truth
from scorers.detection.grid import pycocotools_grid
from scorers.detection.metrics import DEFAULT_METRICS, Metric, settings_for, value
from scorers.detection.scorer import evaluate
from scorers.resampling import replicated
from scorers.uncertainty import comparisons, intervals

Problem = tuple[Truth, Detections]
METRICS = [
    *DEFAULT_METRICS,
    Metric("AP", "category 0", iou=0.5),
    Metric("AP", "category 0", area="small"),
    Metric("AR", "category 0", max_detections=2),
]


def written_out(truth: Truth, found: Detections, weights: Floats) -> Problem:
    """The data set in which image i stands weights[i] times, its copies side by side."""
    copies = weights.astype(int)
    first = np.cumsum(copies) - copies

    def again(image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows copy by copy, and the image of each."""
        rows, images = [], []
        for copy in range(copies.max(initial=0)):
            of_copy = np.flatnonzero(copies[image] > copy)
            rows.append(of_copy)
            images.append(first[image[of_copy]] + copy)
        return np.concatenate([*rows, []]).astype(int), np.concatenate([*images, []]).astype(int)

    rows, images = again(truth.image)
    columns = {
        name: getattr(truth, name)[rows]
        for name in ("category", "x", "y", "width", "height", "area", "crowd", "difficult", "ignored")
    }
    more = replace(truth, images=int(copies.sum()), image=images, **columns)
    rows, images = again(found.image)
    names = ("category", "x", "y", "width", "height", "score")
    return more, replace(found, image=images, **{name: getattr(found, name)[rows] for name in names})


def weights_of(seed: int, images: int) -> Floats:
    draw = np.random.default_rng(seed)
    drawn = np.bincount(draw.integers(0, images, images), minlength=images)
    return np.where(draw.random(images) < 0.1, 7, drawn).astype(np.float64)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_weighted_metric_is_that_of_the_data_set_written_out(invented: Callable[[int], Problem], seed: int) -> None:
    truth, found = invented(seed)
    weights = weights_of(seed, truth.images)
    theirs = pycocotools_grid(*written_out(truth, found, weights), settings_for(METRICS))
    expected = [value(metric, theirs) for metric in METRICS]
    weighted = evaluate(truth, found, METRICS).statistics()(weights)
    np.testing.assert_allclose(weighted, expected, rtol=1e-12, atol=1e-15)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), protocol=st.sampled_from(["coco", "voc2007", "voc2010"]))
def test_so_it_is_for_every_protocol(invented: Callable[[int], Problem], seed: int, protocol: str) -> None:
    truth, found = invented(seed)
    metrics = [Metric("AP", iou=0.5), Metric("AP", "category 0", iou=0.75)]
    weights = weights_of(seed, truth.images)
    expected = list(evaluate(*written_out(truth, found, weights), metrics, protocol).values.values())
    weighted = evaluate(truth, found, metrics, protocol).statistics()(weights)
    np.testing.assert_allclose(weighted, expected, rtol=1e-12)


def test_the_copies_of_tied_detections_alternate(invented: Callable[[int], Problem]) -> None:
    """A hit and a miss of one score: three copies are hit, miss, hit, miss, ..., not three hits and three misses."""
    truth, found = next(
        problem
        for problem in map(invented, range(1000))
        if len(problem[0].x) and len(np.unique(problem[1].score)) < len(problem[1].score) / 4
    )
    one_score = replace(found, score=np.full(len(found.score), 0.5))
    metric, weights = Metric("AP", iou=0.5), np.full(truth.images, 3.0)
    expected = evaluate(*written_out(truth, one_score, weights), [metric]).values[metric]
    np.testing.assert_allclose(evaluate(truth, one_score, [metric]).statistics()(weights), [expected], rtol=1e-12)


def test_intervals_and_comparisons_come_from_the_shared_bootstrap(invented: Callable[[int], Problem]) -> None:
    truth, found = next(p for p in map(invented, range(100)) if p[0].images == 6 and len(p[0].x) > 20)
    scores = evaluate(truth, found, [Metric("AP", iou=0.5), Metric("AR")])
    images = np.arange(truth.images)
    [run] = replicated([scores.statistics()], images)
    bounds = [metric.bounds for metric in scores.values]
    for (low, high, method), number in zip(intervals(run, bounds), scores.values.values(), strict=True):
        assert 0 <= low < number < high <= 1
        assert method == "korn-graubard"
    half = replace(found, score=np.where(np.arange(len(found.score)) % 2, found.score, -1e6))
    worse = evaluate(truth, half, [Metric("AP", iou=0.5), Metric("AR")])
    compared = comparisons(*replicated([worse.statistics(), scores.statistics()], images), bounds)[0]
    expected = scores.values[Metric("AP", iou=0.5)] - worse.values[Metric("AP", iou=0.5)]
    assert compared.difference == pytest.approx(expected)
    assert compared.p_value >= compared.floor == 2 / 2**6


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_some_images_alone_score_as_they_do_with_the_others_weighted_0(
    invented: Callable[[int], Problem], seed: int
) -> None:
    truth, found = invented(seed)
    kept = np.random.default_rng(seed).random(truth.images) < 0.6
    alone = evaluate(replace(truth.on_images(kept), images=int(kept.sum())), found.on_images(kept), METRICS)
    weighted = evaluate(truth, found, METRICS).statistics()(kept.astype(np.float64))
    np.testing.assert_allclose(list(alone.values.values()), weighted, rtol=1e-12)
