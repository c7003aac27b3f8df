"""A score: metrics with intervals, counts, trivial baselines, differences of the protocols, and the rows behind it."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from benchwright.scoring import score, write_rows
from scorers.temporal.baseline_files import baseline_spans

from schemas.errors import UsageError
from schemas.manifest import Manifest
from scorers.score import Bootstrap, Score
from scorers.temporal.alignment import Rows, Run, read_rows
from scorers.temporal.expressions import DEFAULT_METRICS, Metric
from scorers.temporal.metrics import evaluate
from scorers.uncertainty import intervals

Manifests = Callable[..., Manifest]
NAN = float("nan")
BOOTSTRAP = Bootstrap("video", 200, 7)


@pytest.fixture
def ssbd(sample_manifest: Manifests) -> Manifest:
    return sample_manifest("uag-ssbd")


def run_of(rows: Rows) -> Run:
    """Ends two seconds late; one row without a prediction, one with a reversed one, one far away."""
    start, end = rows.truth.start.copy(), rows.truth.end + 2
    start[1], end[1] = NAN, NAN
    start[2], end[2] = end[2], start[2]
    end[3] = 20_000
    return Run(start, end, ["a warning"], unknown=3)


def scored(manifest: Manifest, **options: Any) -> Score:
    rows = read_rows(manifest)
    return score(rows, run_of(rows), **options)[0]


def test_metrics_are_those_of_the_evaluation_with_their_units(ssbd: Manifest) -> None:
    rows = read_rows(ssbd)
    run = run_of(rows)
    for protocol in ("paper", "strict"):
        result = scored(ssbd, protocol=protocol)
        evaluation = evaluate(rows.truth, run.start, run.end, DEFAULT_METRICS, protocol)
        assert {name: value.value for name, value in result.metrics.items()} == {
            str(metric): ratio.value for metric, ratio in evaluation.ratios.items()
        }
        assert [value.unit for value in result.metrics.values()] == [metric.unit for metric in DEFAULT_METRICS]
        assert {(value.low, value.high) for value in result.metrics.values()} == {(None, None)}
        assert result.protocol == protocol


def test_intervals_are_of_a_bootstrap_over_videos(ssbd: Manifest) -> None:
    rows = read_rows(ssbd)
    run = run_of(rows)
    statistics = list(evaluate(rows.truth, run.start, run.end).ratios.values())
    expected = intervals(statistics, np.array([0, 0, 1, 2, 2, 3, 3, 4]), resamples=200, seed=7)
    result = scored(ssbd, bootstrap=BOOTSTRAP)
    assert [(value.low, value.high) for value in result.metrics.values()] == expected
    assert result == scored(ssbd, bootstrap=BOOTSTRAP)
    assert result.metrics != scored(ssbd, bootstrap=Bootstrap("video", 200, 8)).metrics


def test_predictions_are_counted_by_status(ssbd: Manifest) -> None:
    expected = {"rows": 8, "scored": 7, "ok": 6, "reversed": 1, "missing": 1, "unknown": 3}
    assert scored(ssbd).counts == expected


def test_ranked_predictions_are_counted_by_the_best(ssbd: Manifest) -> None:
    rows = read_rows(ssbd)
    nothing = np.full(8, NAN)
    run = Run(np.stack([nothing, rows.truth.start], 1), np.stack([nothing, rows.truth.end], 1), [])
    result, _ = score(rows, run, metrics=[Metric("iou", 0.5, rank=2), Metric("iou", 0.5)])
    assert [value.value for value in result.metrics.values()] == [100, 0]
    assert result.counts["missing"] == 8


def test_protocols_are_compared_where_they_differ(ssbd: Manifest) -> None:
    rows = read_rows(ssbd)
    run = run_of(rows)
    values = {
        protocol: {
            str(metric): ratio.value
            for metric, ratio in evaluate(rows.truth, run.start, run.end, protocol=protocol).ratios.items()
        }
        for protocol in ("paper", "strict")
    }
    for protocol in values:
        found = {d.metric: (d.paper, d.strict) for d in scored(ssbd, protocol=protocol).differences}
        assert found == {
            name: (paper, values["strict"][name])
            for name, paper in values["paper"].items()
            if paper != values["strict"][name]
        }
        assert {"mTD", "onset(<=1)"} & set(found) == {"mTD"}


def test_a_null_value_has_a_warning_and_the_other_protocol_s_value(ssbd: Manifest) -> None:
    rows = read_rows(ssbd)
    run = run_of(rows)
    # A reversed prediction that touches the truth from behind has a length that cancels the truth's: union 0.
    run.start[4], run.end[4] = rows.truth.end[4], rows.truth.start[4]
    result, _ = score(rows, run, metrics=[Metric("iou"), Metric("td")], bootstrap=BOOTSTRAP)
    assert result.metrics["mIoU"].value is None
    assert (result.metrics["mIoU"].low, result.metrics["mIoU"].high) == (None, None)
    assert result.metrics["mTD"].value is not None
    assert [warning for warning in result.warnings if "the union with the truth is 0" in warning]
    difference = next(d for d in result.differences if d.metric == "mIoU")
    assert difference.paper is None
    assert difference.strict is not None
    assert result.signature.startswith("mIoU = null n=7/8 | ")


def test_trivial_baselines_stand_beside_the_score(ssbd: Manifest) -> None:
    rows = read_rows(ssbd)
    baselines = scored(ssbd, protocol="strict").baselines
    assert list(baselines) == ["random", "predict-all", "middle"]
    for kind, values in baselines.items():
        spans = baseline_spans(kind, rows)
        ratios = evaluate(rows.truth, *spans, protocol="strict").ratios
        assert values == {str(metric): ratio.value for metric, ratio in ratios.items()}


def test_without_durations_only_the_random_baseline_is_there(ssbd: Manifest) -> None:
    rows = read_rows(ssbd)
    duration = rows.duration.copy()
    duration[5] = NAN
    rows = Rows(ssbd, "test", rows.names, rows.truth, duration)
    assert list(score(rows, run_of(rows))[0].baselines) == ["random"]


def test_warnings_are_those_of_the_file_and_of_the_metrics(ssbd: Manifest) -> None:
    assert scored(ssbd).warnings == ["a warning"]


def test_the_signature_quotes_the_first_metric_and_the_manifest(sample_manifest: Manifests) -> None:
    manifest = sample_manifest("uag-ssbd", description__form="as_printed")
    result = scored(
        manifest,
        protocol="strict",
        metrics=[Metric("td", 3), Metric("iou")],
        bootstrap=BOOTSTRAP,
        options={"truth": "any"},
    )
    quoted, *parts = result.signature.split(" | ")
    value = result.metrics["R1(td<=3)"]
    assert quoted == f"R1(td<=3) = {value.value:.2f} % [{value.low:.4g}, {value.high:.4g}] n=7/8"
    assert parts == [
        f"data:uag-ssbd/test sha:{manifest.identity.content_digest[:12]}",
        "rules:description.form=as_printed",
        "protocol:strict",
        "truth:any",
        "missing:wrong(1)",
        "ci:cluster(video) bs:200 rs:7",
        f"v:{version('benchwright')}",
    ]


def test_an_unknown_protocol_is_refused(ssbd: Manifest) -> None:
    with pytest.raises(UsageError, match="unknown protocol 'papr'; did you mean paper"):
        scored(ssbd, protocol="papr")


def test_the_rows_behind_a_score_are_written(ssbd: Manifest, tmp_path: Path) -> None:
    rows = read_rows(ssbd)
    run = run_of(rows)
    _, evaluation = score(rows, run)
    path = tmp_path / "new" / "rows.parquet"
    write_rows(path, rows, run, evaluation)
    written = pq.ParquetFile(path).read()
    assert written.column_names == [
        *("sample_id", "video", "truth_start_s", "truth_end_s", "start_s", "end_s", "iou", "td_s", "onset_distance_s")
    ]
    assert written["sample_id"].to_pylist() == rows.names.to_pylist()
    assert written["start_s"].to_pylist()[:3] == [9, None, 21]
    assert written["iou"].to_pylist()[:3] == [0.75, 0, 0]
    assert written["td_s"].to_pylist()[:2] == [2, 30]
    assert written["onset_distance_s"].to_pylist()[:2] == [0, None]
    ranked = Run(np.stack([run.start] * 2, 1), np.stack([run.end] * 2, 1), [])
    write_rows(path, rows, ranked, evaluation)
    assert pq.ParquetFile(path).read().equals(written)
    assert pa.types.is_floating(written.schema.field("iou").type)
