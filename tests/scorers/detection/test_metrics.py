"""Values of metrics: the numbers that pycocotools summarises."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import UsageError
from scorers.detection.boxes import Detections, Truth
from scorers.detection.coco import AREAS, MAX_DETECTIONS, THRESHOLDS, Settings, match
from scorers.detection.grid import grid
from scorers.detection.metrics import DEFAULT_METRICS, Metric, parse_metric, settings_for, settings_of
from scorers.detection.scorer import evaluate

Problem = tuple[Truth, Detections]


def summarised(truth: Truth, found: Detections) -> dict[str, float]:
    """The twelve numbers from pycocotools' own summary of our grid, whose bits it shares."""
    from pycocotools.cocoeval import COCOeval

    whole = grid(match(truth, found))
    judge = COCOeval(iouType="bbox")
    arrays = {"precision": whole.precision, "recall": whole.recall}
    judge.eval = {name: np.nan_to_num(np.moveaxis(array, (0, 1), (-2, -1)), nan=-1.0) for name, array in arrays.items()}
    with contextlib.redirect_stdout(io.StringIO()):
        judge.summarize()
    names = [str(metric) for metric in DEFAULT_METRICS]
    names[:2] = ["AP", "mAP50"]  # COCO prints AP first
    return dict(zip(names, judge.stats.tolist(), strict=True))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_the_summary_has_the_bits_of_pycocotools(invented: Callable[[int], Problem], seed: int) -> None:
    problem = invented(seed)
    expected = summarised(*problem)
    for metric, number in evaluate(*problem).values.items():
        assert number == expected[str(metric)] or (np.isnan(number) and expected[str(metric)] == -1)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_metric_is_the_same_whatever_else_is_asked(invented: Callable[[int], Problem], seed: int) -> None:
    truth, found = invented(seed)
    wanted = [*DEFAULT_METRICS, *map(parse_metric, ("AP30", "AP90(category 0)", "AR2", "ARlarge(category 0)"))]
    together = evaluate(truth, found, wanted).values
    alone = [evaluate(truth, found, [metric]).values[metric] for metric in wanted]
    np.testing.assert_array_equal(list(together.values()), alone)


def test_only_what_is_asked_is_evaluated() -> None:
    assert settings_for([Metric("AP", "person", iou=0.5)]) == Settings((0.5,), {"all": AREAS["all"]}, (100,))
    assert settings_for(DEFAULT_METRICS) == Settings(THRESHOLDS, AREAS, MAX_DETECTIONS)
    assert settings_for([Metric("AP", iou=0.3), Metric("AP", iou=0.1)]).thresholds == (0.1, 0.3)


def test_hundredths_mean_the_thresholds_of_coco_where_it_has_them() -> None:
    of_coco = [settings_of(Metric("AP", iou=hundredths / 100))[0].threshold for hundredths in range(50, 100, 5)]
    assert tuple(of_coco) == THRESHOLDS
    assert settings_of(Metric("AP", iou=0.91))[0].threshold == 0.91


def test_an_unknown_category_is_refused(invented: Callable[[int], Problem]) -> None:
    problem = invented(1)
    for protocol in ("coco", "voc2007"):
        with pytest.raises(UsageError, match="unknown category 'category O'; did you mean category 1 or category 0"):
            evaluate(*problem, [Metric("AP", "category O", iou=0.5)], protocol)


def test_no_metric_is_no_question(invented: Callable[[int], Problem]) -> None:
    with pytest.raises(UsageError, match="no metric"):
        evaluate(*invented(1), [])
