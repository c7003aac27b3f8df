"""The temporal metrics against a plain evaluator that goes row by row, and against the published tables."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scorers.temporal.expressions import DEFAULT_METRICS, Metric
from scorers.temporal.metrics import SpanEvaluation, evaluate, prediction_counts
from scorers.temporal.protocols import PROTOCOLS
from scorers.temporal.spans import Floats, TrueSpans

Times = list[float | None]


def array(times: Times) -> Floats:
    return np.array([math.nan if time is None else time for time in times], dtype=np.float64)


def both(truth: TrueSpans, start: Times, end: Times) -> list[SpanEvaluation]:
    return [evaluate(truth, array(start), array(end), protocol=protocol) for protocol in PROTOCOLS]


def values(run: SpanEvaluation) -> dict[str, float]:
    return {str(metric): ratio.value for metric, ratio in run.ratios.items()}


def differing(paper: SpanEvaluation, strict: SpanEvaluation) -> dict[str, tuple[float, float]]:
    """The values of the metrics on which two protocols differ."""
    pairs = {name: (value, values(strict)[name]) for name, value in values(paper).items()}
    return {name: (one, other) for name, (one, other) in pairs.items() if one != other}


# A plain evaluator: IoU, temporal distance, the same for the mean (None: left out), onset distance of one row.


def overlap(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    common = max(0, min(b, d) - max(a, c))
    return common, (b - a) + (d - c) - common


def paper_row(a: float, b: float, c: float | None, d: float | None) -> tuple[float, float, float | None, float]:
    if c is None or d is None:
        return 0.0, b, b, math.inf
    common, union = overlap(a, b, c, d)
    distance = abs(a - c) + abs(b - d)
    return common / union, distance, b if distance > 10_000 else distance, abs(a - c)


def strict_row(a: float, b: float, c: float | None, d: float | None) -> tuple[float, float, float | None, float]:
    if c is None or d is None or d < c:
        return 0.0, math.inf, None, math.inf
    common, union = overlap(a, b, c, d)
    iou = common / union if common > 0 else float(a == b == c == d)
    distance = abs(a - c) + abs(b - d)
    return iou, distance, distance, abs(a - c)


def row_by_row(protocol: str, samples: list[Any]) -> dict[str, float]:
    judge = {"paper": paper_row, "strict": strict_row}[protocol]
    ious, distances, in_mean, onsets = zip(*(judge(a, b, c, d) for (a, b), c, d in samples), strict=True)
    means = [distance for distance in in_mean if distance is not None]
    return {
        **{f"R1(iou>={m})": 100 * (sum(iou >= m for iou in ious) / len(samples)) for m in (0.3, 0.5, 0.7)},
        "mIoU": float(np.mean(ious)),
        **{f"R1(td<={p})": 100 * (sum(distance <= p for distance in distances) / len(samples)) for p in (0, 1, 3, 5)},
        "mTD": float(np.mean(means)) if means else math.nan,
        **{f"onset(<={t})": 100 * (sum(onset <= t for onset in onsets) / len(samples)) for t in (1, 0.25)},
    }


quarters = st.integers(0, 40).map(lambda n: n / 4)  # a grid, so that times coincide and unions vanish
times = st.one_of(quarters, st.floats(0, 100), st.sampled_from([9_999.0, 20_000.0]))
spans = st.tuples(times, times).map(sorted).map(tuple)
samples = st.lists(st.tuples(spans, st.none() | times, st.none() | times), min_size=1, max_size=30)
OF_IOU = {"R1(iou>=0.3)", "R1(iou>=0.5)", "R1(iou>=0.7)", "mIoU"}


@given(samples)
@example([((2.0, 4.0), 3.0, 1.0)])  # reversed, with a union of 0
@example([((5.0, 5.0), 5.0, 5.0), ((1.0, 2.0), None, 1.5)])
def test_metrics_agree_with_the_plain_evaluator(samples: list[Any]) -> None:
    truth_spans, start, end = zip(*samples, strict=True)
    paper, strict = map(values, both(TrueSpans(*np.array(truth_spans).T), list(start), list(end)))
    assert strict == pytest.approx(row_by_row("strict", samples), rel=1e-12, nan_ok=True)
    try:
        assert paper == row_by_row("paper", samples)  # to the last bit
    except ZeroDivisionError:
        assert {name for name, value in paper.items() if math.isnan(value)} == OF_IOU


@given(st.lists(st.tuples(spans, st.lists(spans, max_size=4)), min_size=1, max_size=20), st.integers(1, 6))
def test_rank_n_hits_where_any_of_the_first_n_predictions_hits(rows: list[Any], rank: int) -> None:
    ranked = np.full((2, len(rows), 4), np.nan)
    for row, (_, predictions) in enumerate(rows):
        for place, span in enumerate(predictions):
            ranked[:, row, place] = span
    metrics = [Metric("iou", 0.5, rank), Metric("td", 3, rank), Metric("iou")]
    truth = TrueSpans(*np.array([span for span, _ in rows]).T)
    run = evaluate(truth, ranked[0], ranked[1], metrics, "strict")
    judged = [[strict_row(*span, *prediction) for prediction in predictions] for span, predictions in rows]
    iou_hits = sum(any(row[0] >= 0.5 for row in best[:rank]) for best in judged)
    td_hits = sum(any(row[1] <= 3 for row in best[:rank]) for best in judged)
    mean = np.mean([best[0][0] if best else 0.0 for best in judged])
    assert list(values(run).values()) == [100 * (iou_hits / len(rows)), 100 * (td_hits / len(rows)), mean]


TRUTH = TrueSpans(np.array([2.0, 0.0, 4.0]), np.array([4.0, 1.0, 8.0]))


def test_paper_lets_a_missing_prediction_hit_the_temporal_distance_and_strict_does_not() -> None:
    paper, strict = map(values, both(TRUTH, [None, 0.0, 4.0], [None, None, 8.0]))
    assert (paper["R1(td<=1)"], paper["R1(td<=5)"], paper["mTD"]) == (100 * (2 / 3), 100.0, 5 / 3)
    assert (strict["R1(td<=1)"], strict["R1(td<=5)"], strict["mTD"]) == (100 * (1 / 3), 100 * (1 / 3), 0.0)


def test_a_far_prediction_is_replaced_in_the_mean_of_paper_alone() -> None:
    paper, strict = map(values, both(TRUTH, [2.0, 0.0, 9.0], [4.0, 20_000.0, 3.0]))
    assert (paper["R1(td<=1)"], paper["mTD"], strict["mTD"]) == (100 * (1 / 3), (0 + 1 + 10) / 3, (0 + 19_999) / 2)


def test_padding_at_later_ranks_is_not_a_missing_prediction_of_paper() -> None:
    start, end = np.array([[9.0, np.nan]] * 3), np.array([[9.5, np.nan]] * 3)
    assert set(values(evaluate(TRUTH, start, end, [Metric("td", 5, rank=2), Metric("td", 5)])).values()) == {0.0}


def test_an_onset_may_be_any_of_several() -> None:
    truth = TrueSpans(TRUTH.start, TRUTH.end, np.array([[2.0, 3.0], [0.0, np.nan], [4.0, 7.0]]))
    for run in map(values, both(truth, [3.0, 1.0, 5.5], [4.0, 2.0, 6.0])):
        assert (run["onset(<=0.25)"], run["onset(<=1)"]) == (100 * (1 / 3), 100 * (2 / 3))


def test_a_union_of_zero_is_null_in_paper_defined_in_strict_and_explained() -> None:
    paper, strict = both(TrueSpans(np.array([5.0, 1.0]), np.array([5.0, 2.0])), [5.0, 1.0], [5.0, 2.0])
    assert {name for name, value in values(paper).items() if math.isnan(value)} == OF_IOU
    assert {values(strict)[name] for name in OF_IOU} == {100.0, 1.0}
    assert set(differing(paper, strict)) == OF_IOU
    assert paper.warnings[0] == (
        "R1(iou>=0.3) has no value: the union with the truth is 0 (1 of 2 rows, first at position 0), "
        "where the reference evaluator stops with ZeroDivisionError"
    )
    assert (len(paper.warnings), strict.warnings) == (4, ())


def test_the_protocols_differ_on_missing_and_reversed_predictions_alone() -> None:
    found = differing(*both(TRUTH, [2.0, None, 9.0], [4.0, None, 4.0]))
    assert {name: strict - paper for name, (paper, strict) in found.items()} == pytest.approx(
        {"R1(td<=1)": -100 / 3, "R1(td<=3)": -100 / 3, "R1(td<=5)": -100 / 3, "mTD": -10 / 3}
    )
    assert differing(*both(TRUTH, [2.0, 0.0, 5.0], [4.0, 1.5, 8.0])) == {}


def test_nothing_to_score_is_null_with_a_reason() -> None:
    nothing = evaluate(TrueSpans(array([]), array([])), array([]), array([]))
    assert all(math.isnan(value) for value in values(nothing).values())
    assert nothing.warnings[0] == "R1(iou>=0.3) has no value: there are no rows"
    assert both(TRUTH, [None] * 3, [None] * 3)[1].warnings == ("mTD has no value: no row has a valid prediction",)


def test_predictions_are_counted_by_status() -> None:
    counts = prediction_counts(array([1.0, 2.0, None, 3.0]), array([1.0, 1.0, 2.0, None]))
    assert counts == {"ok": 1, "reversed": 1, "missing": 2}


def test_the_arguments_are_left_as_they_were() -> None:
    arguments = (TRUTH.start, TRUTH.end, array([9.0, None, 5.0]), array([3.0, 2.0, 6.0]))
    before = [times.copy() for times in arguments]
    for protocol in PROTOCOLS:
        evaluate(TRUTH, *arguments[2:], protocol=protocol)
    np.testing.assert_array_equal(before, arguments)


# Cells of Tables 2 and 3 of the UAL-Bench paper, in the order of the default metrics.
PRINTED = {
    "uag-oops/videochat2": "16.49 5.98 1.95 0.12 0.00 1.01 8.37 23.10 9.31 10.01 3.90",
    "uag-oops/videollama": "40.72 20.77 6.23 0.27 0.06 2.01 14.85 33.79 11.22 16.11 4.85",
    "uag-ssbd/videochat2": "2.88 0.96 0.00 0.02 0.00 0.00 1.92 2.88 139.63 6.73 0.00",
    "uag-ssbd/video_chatgpt": "4.81 2.88 0.00 0.03 0.00 0.00 0.96 2.88 93.99 7.69 0.00",
    "uag-ssbd/videollama": "15.38 8.65 1.92 0.11 0.00 0.00 3.85 6.73 96.55 15.38 2.88",
    "uag-ssbd/blip2_llama3": "1.92 1.92 1.92 0.03 0.00 0.00 0.96 1.92 68.05 4.81 0.00",
    "uag-funqa/videochat2": "12.79 4.65 3.49 0.08 0.00 2.33 23.84 44.77 7.48 50.00 31.98",
    "uag-funqa/blip2_llama3": "18.60 9.30 5.23 0.12 0.00 9.30 39.53 60.47 5.43 38.37 13.95",
}


def seconds(time: str | float | None) -> float:
    """Seconds of a clock string or a number, NaN of nothing."""
    if isinstance(time, str):
        return float(sum(int(part) * 60**place for place, part in enumerate(reversed(time.split(":")))))
    return math.nan if time is None else time


def published(folder: Path, run: str) -> tuple[TrueSpans, Floats, Floats]:
    """TrueSpans and predictions of a published run, in the order of the prediction file."""

    def load(name: str) -> Any:
        return json.loads((folder / name).read_text(encoding="utf-8"))

    clips, funny = load("official/oops_uag_paper_version.json"), load("official/uag_funqa_dataset.json")
    truth = {name: (clip["start_time"], clip["end_time"]) for name, clip in clips.items()}
    truth |= {row[key]: (row["start_time"], row["end_time"]) for row in funny for key in ("ID", "visual_input")}
    ssbd = {f"{video}_{row['id']}": row["time"] for video, row in load("official/ssbd_paper_version.json")}
    truth |= {key: (seconds(f"{t[:2]}:{t[2:4]}"), seconds(f"{t[5:7]}:{t[7:]}")) for key, t in ssbd.items()}
    rows = load(f"predictions/{run}.json")
    if isinstance(rows, list):  # UAG-SSBD of VideoChat2: rows in the order of the data set, without its keys
        rows = {
            key: dict(zip(("pred_start", "pred_end"), row["pred"], strict=True))
            for key, row in zip(ssbd, rows, strict=True)
        }
    start, end = (np.array([seconds(row[key]) for row in rows.values()]) for key in ("pred_start", "pred_end"))
    return TrueSpans(*np.array([truth[key] for key in rows]).T), start, end


@pytest.mark.real_data
@pytest.mark.parametrize("run", PRINTED)
def test_a_published_row_is_reproduced_to_the_printed_digit(real_data: Path, run: str) -> None:
    ratios = evaluate(*published(real_data, run)).ratios
    assert list(ratios) == list(DEFAULT_METRICS)
    assert [f"{ratio.value:.2f}" for ratio in ratios.values()] == PRINTED[run].split()


@pytest.mark.real_data
def test_strict_shows_what_paper_makes_of_misses_and_far_predictions(real_data: Path) -> None:
    arguments = published(real_data, "uag-oops/videochat2")
    found = differing(*(evaluate(*arguments, protocol=protocol) for protocol in PROTOCOLS))
    assert prediction_counts(*arguments[1:]) == {"ok": 1465, "reversed": 0, "missing": 124}
    cells = {name: (f"{paper:.2f}", f"{strict:.2f}") for name, (paper, strict) in found.items()}
    assert cells == {"R1(td<=5)": ("23.10", "21.08"), "mTD": ("9.31", "237.50")}
