"""The baselines: the authors' draws, the rows of the paper that they make, and what they do without a duration."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from builders.engine.build import build
from builders.engine.registry import find_recipe
from schemas.cards import card_named
from schemas.errors import UsageError
from schemas.manifest import Manifest
from scorers.run import write_baseline
from scorers.temporal.baselines import (
    KINDS,
    Spans,
    baseline_spans,
    drawn_before,
    heldout_onsets,
    human,
    random_paper,
    random_spans,
)
from scorers.temporal.expressions import DEFAULT_METRICS, Metric
from scorers.temporal.metrics import evaluate
from scorers.temporal.scorer import SCORER
from scorers.temporal.spans import TrueSpans
from scorers.temporal.truth import Truth, read_truth

Manifests = Callable[..., Manifest]
NOTHING_BEFORE = {"iou": 0, "td": 0, "onset": 0}


def pairs(spans: Spans) -> list[tuple[float, float]]:
    return list(zip(spans.start.tolist(), spans.end.tolist(), strict=True))


def test_random_spans_start_as_the_authors_draws_do() -> None:
    assert pairs(random_spans(6)) == [(1, 15), (8, 34), (13, 32), (12, 14), (6, 22), (2, 34)]
    assert pairs(random_spans(2)) == pairs(random_spans(6))[:2]
    assert pairs(random_spans(0)) == []


def test_random_spans_are_whole_seconds_within_34_and_in_order() -> None:
    start, end = random_spans(3000)
    assert (start.min(), end.max()) == (0, 34)
    assert (start < end).all()
    np.testing.assert_array_equal([start, end], np.round([start, end]))


def test_random_paper_draws_anew_for_each_threshold_and_means_see_the_first_pass() -> None:
    stream, spans = pairs(random_spans(70)), random_paper(NOTHING_BEFORE, 10)
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
    ssbd, funqa = (
        random_paper(card_named(name).random_draws, rows) for name, rows in (("uag-ssbd", 104), ("uag-funqa", 172))
    )
    firsts = [(ssbd, "iou", 0), (ssbd, "td", 5 * 1589), (ssbd, "onset", 1589), (funqa, "td", 0), (funqa, "onset", 1693)]
    for spans, measure, first in firsts:
        metric = Metric("onset", 1) if measure == "onset" else Metric(measure)  # type: ignore[arg-type]
        assert pairs(spans[metric])[0] == stream[first]


def test_random_paper_refuses_what_the_authors_did_not_draw() -> None:
    for metric in (Metric("iou", 0.4), Metric("td", 2), Metric("iou", 0.5, rank=5)):
        with pytest.raises(UsageError, match="no draw for R"):
            random_paper(NOTHING_BEFORE, 3, [metric])


def test_the_human_who_saw_no_failure_says_minus_one_in_paper_and_nothing_in_strict() -> None:
    onset, end = np.array([2.0, -1.0, np.nan, 5.5]), np.full(4, 5.0)
    np.testing.assert_array_equal(human(onset, end), [[2.0, -1.0, np.nan, 5.5], [5.0, 5.0, np.nan, 5.5]])
    np.testing.assert_array_equal(human(onset, end, "strict").start, [2.0, np.nan, np.nan, 5.5])


def test_spans_of_a_manifest_come_from_its_columns(sample_manifest: Manifests) -> None:
    truth = read_truth(sample_manifest("uag-ssbd"))
    np.testing.assert_array_equal(baseline_spans("predict-all", truth), [np.zeros(8), truth.duration])
    np.testing.assert_array_equal(baseline_spans("middle", truth), [truth.duration / 4, truth.duration * 3 / 4])
    assert pairs(baseline_spans("random", truth)) == pairs(random_spans(8))


def test_the_held_out_annotator_saw_a_failure_or_none(sample_manifest: Manifests) -> None:
    manifest = sample_manifest("uag-oops")
    truth, table = read_truth(manifest), manifest.table("test")
    saw, onset = table["heldout_saw_failure"].to_pylist(), table["heldout_onset_s"].to_pylist()
    assert set(saw) == {True, False}
    expected = [time if seen else -1.0 for seen, time in zip(saw, onset, strict=True)]
    np.testing.assert_array_equal(heldout_onsets(truth), expected)
    np.testing.assert_array_equal(baseline_spans("human", truth, protocol="paper").start, expected)
    assert np.isnan(baseline_spans("human", truth).start).tolist() == [not seen for seen in saw]


def test_a_manifest_may_have_been_built_without_the_held_out_annotator(own_samples: Path, tmp_path: Path) -> None:
    (own_samples / "oops" / "heldout_transition_times.json").unlink()
    truth = read_truth(build(find_recipe("uag-oops"), own_samples, tmp_path / "out"))
    with pytest.raises(UsageError, match="needs held-out onsets, and the manifest was built without them"):
        baseline_spans("human", truth)


@pytest.mark.parametrize("kind", ["random", "predict-all", "middle", "human"])
@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".json"])
def test_a_baseline_is_written_and_read_back(
    sample_manifest: Manifests, tmp_path: Path, kind: str, suffix: str
) -> None:
    manifest = sample_manifest("uag-oops")
    truth, path = read_truth(manifest), tmp_path / f"baseline{suffix}"
    written = write_baseline(manifest, kind, path)
    found = SCORER.read(path, truth, DEFAULT_METRICS, {})
    np.testing.assert_array_equal(found.predictions, baseline_spans(kind, truth))
    assert written == found.counts["scored"]


def test_random_paper_draws_for_the_metric_that_is_named(sample_manifest: Manifests, tmp_path: Path) -> None:
    manifest = sample_manifest("uag-ssbd")
    truth, path, metric = read_truth(manifest), tmp_path / "random.csv", Metric("td", 3)
    assert write_baseline(manifest, "random-paper", path, {"metrics": ["R1(td<=3)"]}) == 8
    found = SCORER.read(path, truth, [metric], {})
    np.testing.assert_array_equal(found.predictions, random_paper(drawn_before(truth), 8, [metric])[metric])


def test_what_a_baseline_lacks_is_said(sample_manifest: Manifests, tmp_path: Path) -> None:
    oops, charades = sample_manifest("uag-oops"), sample_manifest("charades-sta")
    out = tmp_path / "out.csv"
    for manifest, kind, metric, message in (
        (oops, "randon", None, "unknown baseline 'randon'; did you mean random or random-paper"),
        (oops, "random-paper", None, r"metrics: .*, as R1\(iou"),
        (oops, "random-paper", "R1(iou>=0.4)", "no draw for R1"),
        (oops, "random-paper", "mean", "unknown metric"),
        (charades, "random-paper", "mIoU", "unknown benchmark of the random-paper baseline 'charades-sta'"),
        (sample_manifest("uag-ssbd"), "human", None, "heldout_onset_s"),
    ):
        with pytest.raises(UsageError, match=message):
            write_baseline(manifest, kind, out, {"metrics": [metric]} if metric else {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("random", {"annotator": 3}),
        ("human", {"annotator": 3}),
        ("random", {"metrics": ["mIoU"]}),
        ("middle", {"metrics": ["mIoU"]}),
    ],
)
def test_options_that_a_baseline_does_not_depend_on_are_refused(
    sample_manifest: Manifests, tmp_path: Path, kind: str, options: Any
) -> None:
    (name,) = options
    with pytest.raises(UsageError, match=f"^{name}.*: for the baseline "):
        write_baseline(sample_manifest("uag-oops"), kind, tmp_path / "out.csv", options)
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("kind", ["predict-all", "middle"])
def test_durations_that_no_row_has_are_missed_and_those_of_some_rows_are_not(
    sample_manifest: Manifests, kind: str
) -> None:
    truth = read_truth(sample_manifest("uag-oops"))

    def lasting(*seconds: float | None) -> Truth:
        place = truth.table.column_names.index("duration_s")
        return replace(truth, table=truth.table.set_column(place, "duration_s", pa.array(seconds, pa.float64())))

    with pytest.raises(UsageError, match=f"{kind} needs the durations of the videos"):
        baseline_spans(kind, lasting(*[None] * 12))
    spans = baseline_spans(kind, lasting(8.0, *[None] * 11))
    expected = (0, 8) if kind == "predict-all" else (2, 6)
    np.testing.assert_array_equal(spans, [[time, *[np.nan] * 11] for time in expected])


def test_every_trivial_baseline_can_be_written(sample_manifest: Manifests) -> None:
    truth = read_truth(sample_manifest("uag-ssbd"))
    assert set(SCORER.baselines(truth)) <= set(KINDS)
    for kind, spans in SCORER.baselines(truth).items():
        assert pairs(spans) == pairs(baseline_spans(kind, truth))


# Random rows of Tables 2 and 3 of the UAL-Bench paper, in the order of the default metrics.
PRINTED = {
    "uag-oops": "12.21 4.47 1.45 0.10 0.00 0.31 2.77 5.29 24.10 15.29 5.48",
    "uag-ssbd": "10.58 5.77 3.85 0.10 0.00 0.00 1.92 1.92 87.73 2.88 1.92",
    "uag-funqa": "5.81 1.74 0.58 0.05 0.00 0.00 1.74 4.65 27.27 8.72 3.49",
}


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def official(folder: Path, benchmark: str) -> TrueSpans:
    """The authors' truth in their order; UAG-OOPS with all three annotated onsets."""
    if benchmark == "uag-oops":
        clips = load(folder / "official/oops_uag_paper_version.json")
        times = load(folder / "oops/transition_times.json")
        start, end = np.array([(clip["start_time"], clip["end_time"]) for clip in clips.values()]).T
        return TrueSpans(start, end, np.array([times[name]["t"] for name in clips]))
    if benchmark == "uag-funqa":
        rows = load(folder / "official/uag_funqa_dataset.json")
        return TrueSpans(*np.array([(row["start_time"], row["end_time"]) for row in rows]).T)
    clocks = [row["time"] for _, row in load(folder / "official/ssbd_paper_version.json")]
    digits = np.array([[int(clock[place : place + 2]) for place in (0, 2, 5, 7)] for clock in clocks], dtype=float)
    return TrueSpans(digits[:, 0] * 60 + digits[:, 1], digits[:, 2] * 60 + digits[:, 3])


@pytest.mark.real_data
@pytest.mark.parametrize("benchmark", PRINTED)
def test_the_random_rows_of_the_paper_are_reproduced_to_the_printed_digit(real_data: Path, benchmark: str) -> None:
    truth = official(real_data, benchmark)
    spans = random_paper(card_named(benchmark).random_draws, len(truth.start))
    cells = [f"{evaluate(truth, *spans[metric], [metric]).ratios[metric].value:.2f}" for metric in DEFAULT_METRICS]
    assert cells == PRINTED[benchmark].split()


@pytest.mark.real_data
def test_the_human_row_is_reproduced_and_strict_takes_no_failure_for_a_miss(real_data: Path) -> None:
    oops = official(real_data, "uag-oops")
    held_out = load(real_data / "oops/heldout_transition_times.json")
    names = load(real_data / "official/oops_uag_paper_version.json")
    onset = np.array([held_out[name]["t"][0] for name in names])
    truth, metrics = TrueSpans(oops.start, oops.end), [Metric("onset", 1), Metric("onset", 0.25)]
    for protocol, printed in {"paper": ["72.50", "25.17"], "strict": ["71.99", "25.17"]}.items():
        run = evaluate(truth, *human(onset, truth.end, protocol), metrics, protocol)
        assert [f"{ratio.value:.2f}" for ratio in run.ratios.values()] == printed


@pytest.mark.real_data
def test_the_predict_all_row_of_uag_oops_is_reproduced(real_data: Path) -> None:
    truth = official(real_data, "uag-oops")
    run = evaluate(truth, 0 * truth.end, truth.end, DEFAULT_METRICS[:3])
    assert [f"{ratio.value:.2f}" for ratio in run.ratios.values()] == ["85.71", "64.88", "31.40"]


@pytest.mark.real_data
def test_the_coherent_random_baseline_shares_its_means_with_the_paper(real_data: Path) -> None:
    for benchmark, printed in {"uag-oops": ["0.10", "24.10"], "uag-funqa": ["0.05", "27.27"]}.items():
        truth = official(real_data, benchmark)
        run = evaluate(truth, *random_spans(len(truth.start)), [Metric("iou"), Metric("td")])
        assert [f"{ratio.value:.2f}" for ratio in run.ratios.values()] == printed
