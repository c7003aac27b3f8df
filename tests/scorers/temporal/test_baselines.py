"""The baselines: the authors' draws, the rows of the paper that they make, and what they do without a duration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schemas.errors import UsageError
from scorers.temporal.baselines import Spans, human, middle, predict_all, random_paper, random_spans
from scorers.temporal.expressions import DEFAULT_METRICS, Metric
from scorers.temporal.metrics import Truth, evaluate


def pairs(spans: Spans) -> list[tuple[float, float]]:
    return list(zip(spans.start.tolist(), spans.end.tolist(), strict=True))


def test_random_spans_start_as_the_authors_draws_do() -> None:
    assert pairs(random_spans(6)) == [(1, 15), (8, 34), (13, 32), (12, 14), (6, 22), (2, 34)]
    assert pairs(random_spans(2)) == pairs(random_spans(6))[:2]
    assert pairs(random_spans(6, seed=43)) != pairs(random_spans(6))
    assert pairs(random_spans(0)) == []


def test_random_spans_are_whole_seconds_within_34_and_in_order() -> None:
    start, end = random_spans(3000)
    assert (start.min(), end.max()) == (0, 34)
    assert (start < end).all()
    np.testing.assert_array_equal([start, end], np.round([start, end]))


def test_random_paper_draws_anew_for_each_threshold_and_means_see_the_first_pass() -> None:
    stream, spans = pairs(random_spans(70)), random_paper("uag-oops", 10)
    assert list(spans) == list(DEFAULT_METRICS)
    for metric, first in {Metric("iou"): 0, Metric("iou", 0.3): 30, Metric("iou", 0.7): 50, Metric("td"): 0}.items():
        assert pairs(spans[metric]) == stream[first : first + 10]
    for metric, first in {
        Metric("td", 0): 0,
        Metric("td", 5): 30,
        Metric("onset", 1): 0,
        Metric("onset", 0.25): 0,
    }.items():
        assert pairs(spans[metric]) == stream[first : first + 10]


def test_random_paper_goes_on_in_the_stream_of_the_data_sets_before() -> None:
    stream = pairs(random_spans(10_000))
    ssbd, funqa = random_paper("uag-ssbd", 104), random_paper("uag-funqa", 172)
    firsts = [(ssbd, "iou", 0), (ssbd, "td", 5 * 1589), (ssbd, "onset", 1589), (funqa, "td", 0), (funqa, "onset", 1693)]
    for spans, measure, first in firsts:
        metric = Metric("onset", 1) if measure == "onset" else Metric(measure)  # type: ignore[arg-type]
        assert pairs(spans[metric])[0] == stream[first]


def test_random_paper_refuses_what_the_authors_did_not_draw() -> None:
    with pytest.raises(UsageError, match="did you mean uag-oops"):
        random_paper("uag-ooops", 3)
    for metric in (Metric("iou", 0.4), Metric("td", 2), Metric("iou", 0.5, rank=5)):
        with pytest.raises(UsageError, match="no draw for R"):
            random_paper("uag-oops", 3, [metric])


def test_spans_of_the_duration_are_missing_without_one() -> None:
    duration = np.array([8.0, np.nan])
    np.testing.assert_array_equal(predict_all(duration), [[0.0, np.nan], [8.0, np.nan]])
    np.testing.assert_array_equal(middle(duration), [[2.0, np.nan], [6.0, np.nan]])


def test_the_human_who_saw_no_failure_says_minus_one_in_paper_and_nothing_in_strict() -> None:
    onset, end = np.array([2.0, -1.0, np.nan, 5.5]), np.full(4, 5.0)
    np.testing.assert_array_equal(human(onset, end), [[2.0, -1.0, np.nan, 5.5], [5.0, 5.0, np.nan, 5.5]])
    np.testing.assert_array_equal(human(onset, end, "strict").start, [2.0, np.nan, np.nan, 5.5])


# Random rows of Tables 2 and 3 of the UAL-Bench paper, in the order of the default metrics.
PRINTED = {
    "uag-oops": "12.21 4.47 1.45 0.10 0.00 0.31 2.77 5.29 24.10 15.29 5.48",
    "uag-ssbd": "10.58 5.77 3.85 0.10 0.00 0.00 1.92 1.92 87.73 2.88 1.92",
    "uag-funqa": "5.81 1.74 0.58 0.05 0.00 0.00 1.74 4.65 27.27 8.72 3.49",
}


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def official(folder: Path, benchmark: str) -> Truth:
    """The authors' truth in their order; UAG-OOPS with all three annotated onsets."""
    if benchmark == "uag-oops":
        clips = load(folder / "official/oops_uag_paper_version.json")
        times = load(folder / "oops/transition_times.json")
        start, end = np.array([(clip["start_time"], clip["end_time"]) for clip in clips.values()]).T
        return Truth(start, end, np.array([times[name]["t"] for name in clips]))
    if benchmark == "uag-funqa":
        rows = load(folder / "official/uag_funqa_dataset.json")
        return Truth(*np.array([(row["start_time"], row["end_time"]) for row in rows]).T)
    clocks = [row["time"] for _, row in load(folder / "official/ssbd_paper_version.json")]
    digits = np.array([[int(clock[place : place + 2]) for place in (0, 2, 5, 7)] for clock in clocks], dtype=float)
    return Truth(digits[:, 0] * 60 + digits[:, 1], digits[:, 2] * 60 + digits[:, 3])


@pytest.mark.real_data
@pytest.mark.parametrize("benchmark", PRINTED)
def test_the_random_rows_of_the_paper_are_reproduced_to_the_printed_digit(real_data: Path, benchmark: str) -> None:
    truth = official(real_data, benchmark)
    spans = random_paper(benchmark, len(truth.start))
    cells = [f"{evaluate(truth, *spans[metric], [metric]).ratios[metric].value:.2f}" for metric in DEFAULT_METRICS]
    assert cells == PRINTED[benchmark].split()


@pytest.mark.real_data
def test_the_human_row_is_reproduced_and_strict_takes_no_failure_for_a_miss(real_data: Path) -> None:
    oops = official(real_data, "uag-oops")
    held_out = load(real_data / "oops/heldout_transition_times.json")
    names = load(real_data / "official/oops_uag_paper_version.json")
    onset = np.array([held_out[name]["t"][0] for name in names])
    truth, metrics = Truth(oops.start, oops.end), [Metric("onset", 1), Metric("onset", 0.25)]
    for protocol, printed in {"paper": ["72.50", "25.17"], "strict": ["71.99", "25.17"]}.items():
        run = evaluate(truth, *human(onset, truth.end, protocol), metrics, protocol)
        assert [f"{ratio.value:.2f}" for ratio in run.ratios.values()] == printed


@pytest.mark.real_data
def test_the_predict_all_row_of_uag_oops_is_reproduced(real_data: Path) -> None:
    truth = official(real_data, "uag-oops")
    run = evaluate(truth, *predict_all(truth.end), DEFAULT_METRICS[:3])
    assert [f"{ratio.value:.2f}" for ratio in run.ratios.values()] == ["85.71", "64.88", "31.40"]


@pytest.mark.real_data
def test_the_coherent_random_baseline_shares_its_means_with_the_paper(real_data: Path) -> None:
    for benchmark, printed in {"uag-oops": ["0.10", "24.10"], "uag-funqa": ["0.05", "27.27"]}.items():
        truth = official(real_data, benchmark)
        run = evaluate(truth, *random_spans(len(truth.start)), [Metric("iou"), Metric("td")])
        assert [f"{ratio.value:.2f}" for ratio in run.ratios.values()] == printed
