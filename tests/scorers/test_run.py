"""The pipeline: values with intervals, counts, baselines, protocols side by side, warnings, signature, comparison."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.errors import UsageError
from schemas.manifest import Manifest, open_manifest
from scorers.comparison import compare
from scorers.resampling import replicated
from scorers.run import score
from scorers.score import Comparison, Pair, Score
from scorers.temporal.expressions import DEFAULT_METRICS
from scorers.temporal.metrics import SpanEvaluation, evaluate
from scorers.temporal.scorer import SCORER
from scorers.temporal.truth import read_truth
from scorers.uncertainty import intervals

Manifests = Callable[..., Manifest]
NAN = float("nan")
PROTOCOLS = ("paper", "strict")
BOOTSTRAP = {"resamples": 200, "seed": 7}


@pytest.fixture
def ssbd(sample_manifest: Manifests) -> Manifest:
    """Eight rows of five videos, the first, fourth and sixth of which have two."""
    return sample_manifest("uag-ssbd")


def late(manifest: Manifest, seconds: float = 0.0, to: float = 1.0) -> dict[str, Any]:
    """The truth of every row some seconds later, its end scaled."""
    spans = read_truth(manifest).spans
    return {"start_s": spans.start + seconds, "end_s": (spans.end + seconds) * to}


def mixed(manifest: Manifest) -> dict[str, Any]:
    """Ends two seconds late; one row without a prediction, one with a reversed one, one far away."""
    found = late(manifest)
    start, end = found["start_s"], found["end_s"] + 2
    start[1], end[1] = NAN, NAN
    start[2], end[2] = end[2], start[2]
    end[3] = 20_000
    return {"start_s": start, "end_s": end}


def evaluated(manifest: Manifest, protocol: str) -> SpanEvaluation:
    return evaluate(read_truth(manifest).spans, *mixed(manifest).values(), DEFAULT_METRICS, protocol)


def scored_without_intervals(manifest: Manifest, source: object, **options: Any) -> Score:
    return score(manifest, source, {"resamples": 0, **options})  # type: ignore[typeddict-item]


def values(found: Score) -> dict[str, float | None]:
    return {name: value.value for name, value in found.metrics.items()}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_metrics_are_those_of_the_evaluation_with_their_units(ssbd: Manifest, protocol: str) -> None:
    found = scored_without_intervals(ssbd, mixed(ssbd), protocol=protocol)
    assert values(found) == {str(metric): ratio.value for metric, ratio in evaluated(ssbd, protocol).ratios.items()}
    assert [value.unit for value in found.metrics.values()] == [metric.unit for metric in DEFAULT_METRICS]
    assert {(value.low, value.high) for value in found.metrics.values()} == {(None, None)}
    assert found.protocol == protocol


def test_the_first_protocol_is_the_default(ssbd: Manifest) -> None:
    assert scored_without_intervals(ssbd, mixed(ssbd)).protocol == "paper"


def test_intervals_are_over_videos(ssbd: Manifest) -> None:
    statistics = list(evaluated(ssbd, "paper").ratios.values())
    [run] = replicated([statistics], np.array([0, 0, 1, 2, 2, 3, 3, 4]))
    expected = intervals(run, [metric.bounds for metric in DEFAULT_METRICS])
    found = score(ssbd, mixed(ssbd))
    assert [(value.low, value.high, value.method) for value in found.metrics.values()] == expected
    assert found == score(ssbd, mixed(ssbd))


def test_predictions_are_counted_by_status(ssbd: Manifest) -> None:
    names = read_truth(ssbd).names.to_pylist()
    columns = {name: [*times, 1, 1, 1] for name, times in mixed(ssbd).items()}
    found = scored_without_intervals(ssbd, {"sample_id": [*names, "x", "y", "z"], **columns})
    assert found.counts == {"rows": 8, "scored": 7, "ok": 6, "reversed": 1, "missing": 1, "unknown": 3}
    (warning,) = found.warnings
    assert "'x', 'y', 'z'" in warning


def test_ranked_predictions_are_counted_by_the_best(ssbd: Manifest) -> None:
    ranked = {name: np.stack([np.full(8, NAN), times], 1) for name, times in late(ssbd).items()}
    found = scored_without_intervals(ssbd, ranked, metrics=["R2(iou>=0.5)", "R1(iou>=0.5)"])
    assert list(values(found).values()) == [100, 0]
    assert found.counts["missing"] == 8
    assert found.warnings == []


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_protocols_are_side_by_side_where_they_differ(ssbd: Manifest, protocol: str) -> None:
    by_protocol = {
        name: {str(metric): ratio.value for metric, ratio in evaluated(ssbd, name).ratios.items()} for name in PROTOCOLS
    }
    found = {d.metric: d.values for d in scored_without_intervals(ssbd, mixed(ssbd), protocol=protocol).differences}
    assert found == {
        metric: {"paper": value, "strict": by_protocol["strict"][metric]}
        for metric, value in by_protocol["paper"].items()
        if value != by_protocol["strict"][metric]
    }
    assert {"mTD", "onset(<=1)"} & set(found) == {"mTD"}


def test_where_protocols_differ_the_rows_that_cause_it_are_counted(ssbd: Manifest) -> None:
    found = {d.metric: d.reason for d in scored_without_intervals(ssbd, mixed(ssbd)).differences}
    assert found["mTD"] == (
        "1 row without a prediction; 1 row with a prediction that ends before it starts; "
        "1 row with temporal distance above 10,000 s"
    )
    ranked = {side: np.stack([times, mixed(ssbd)[side]], 1) for side, times in late(ssbd, 500).items()}
    (second,) = scored_without_intervals(ssbd, ranked, metrics=["R2(td<=100)"]).differences
    assert second.reason == "1 row with such a prediction at a later rank"


def test_a_null_value_has_a_warning_and_the_other_protocol_s_value(ssbd: Manifest) -> None:
    predictions, truth = mixed(ssbd), read_truth(ssbd).spans
    # A reversed prediction that touches the truth from behind has a length that cancels the truth's: union 0.
    predictions["start_s"][4], predictions["end_s"][4] = truth.end[4], truth.start[4]
    found = score(ssbd, predictions, {"metrics": ["mIoU", "mTD"], **BOOTSTRAP})
    mean = found.metrics["mIoU"]
    assert (mean.value, mean.low, mean.high) == (None, None, None)
    assert found.metrics["mTD"].value is not None
    assert [warning for warning in found.warnings if warning.startswith("mIoU has no value: ")]
    difference = next(d for d in found.differences if d.metric == "mIoU")
    assert difference.values["paper"] is None
    assert difference.values["strict"] is not None
    assert found.signature.startswith("mIoU = null n=7/8 | ")


def test_trivial_baselines_are_beside_the_score(ssbd: Manifest) -> None:
    truth = read_truth(ssbd)
    baselines = scored_without_intervals(ssbd, mixed(ssbd), protocol="strict").baselines
    assert list(baselines) == ["random", "predict-all", "middle"]
    for kind, reached in baselines.items():
        ratios = evaluate(truth.spans, *SCORER.baselines(truth)[kind], protocol="strict").ratios
        assert reached == {str(metric): ratio.value for metric, ratio in ratios.items()}


def test_without_durations_only_the_random_baseline_is_there(ssbd: Manifest) -> None:
    truth = read_truth(ssbd)
    place = truth.table.column_names.index("duration_s")
    duration = pa.array([*truth.duration[:7], None], pa.float64())
    some = replace(truth, table=truth.table.set_column(place, "duration_s", duration))
    assert list(SCORER.baselines(some)) == ["random"]


def test_truth_and_baselines_of_an_opened_manifest_are_read_once(
    ssbd: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = open_manifest(ssbd.path)
    first = score(manifest, mixed(ssbd), BOOTSTRAP)
    monkeypatch.setattr(type(SCORER), "truth", None)
    monkeypatch.setattr(type(SCORER), "baselines", None)
    assert score(manifest, mixed(ssbd), BOOTSTRAP) == first


def test_the_signature_quotes_the_first_metric_and_the_manifest(sample_manifest: Manifests) -> None:
    manifest = sample_manifest("uag-oops", onset__pick="latest")
    predictions = {name: np.where(np.arange(12) == 3, NAN, times) for name, times in late(manifest).items()}
    options = {"protocol": "strict", "metrics": ["R1(td<=3)", "mIoU"], "truth": "any"}
    found = score(manifest, predictions, options | BOOTSTRAP)  # type: ignore[arg-type]
    quoted, *parts = found.signature.split(" | ")
    value = found.metrics["R1(td<=3)"]
    assert quoted == f"R1(td<=3) = {value.value:.2f} % [{value.low:.4g}, {value.high:.4g}] n=11/12"
    assert parts == [
        f"data:uag-oops/test sha:{manifest.identity.content_digest[:12]}",
        "rules:onset.pick=latest",
        "protocol:strict",
        "truth:any",
        "missing:wrong(1)",
        "ci:korn-graubard(video)",
        f"v:{version('benchwright')}",
    ]


def test_few_clusters_are_warned_of(ssbd: Manifest) -> None:
    (warning,) = score(ssbd, late(ssbd), BOOTSTRAP).warnings
    assert "5 videos" in warning
    assert scored_without_intervals(ssbd, late(ssbd)).warnings == []


@pytest.mark.parametrize("call", [score, lambda manifest, run, options: compare(manifest, run, run, options)])
@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"protocol": "papr"}, "unknown protocol 'papr'; did you mean paper"),
        ({"split": "tset"}, "unknown split 'tset'; did you mean test"),
        ({"metrics": ["mean"]}, "unknown metric 'mean'"),
        ({"truth": "all"}, "unknown truth 'all'"),
    ],
)
def test_unknown_names_are_refused(ssbd: Manifest, call: Any, options: dict[str, Any], found: str) -> None:
    with pytest.raises(UsageError, match=found):
        call(ssbd, late(ssbd), options)


def test_the_results_of_every_row_are_written_as_a_table(ssbd: Manifest, tmp_path: Path) -> None:
    truth, predictions, path = read_truth(ssbd), mixed(ssbd), tmp_path / "new" / "rows.parquet"
    score(ssbd, predictions, {"resamples": 0, "rows": path})
    table = pq.ParquetFile(path).read()
    assert table.column_names == [
        *("sample_id", "video", "truth_start_s", "truth_end_s", "start_s", "end_s", "iou", "td_s", "onset_distance_s")
    ]
    assert table["sample_id"].to_pylist() == truth.names.to_pylist()
    assert table["start_s"].to_pylist()[:3] == [9, None, 21]
    assert table["iou"].to_pylist()[:3] == [0.75, 0, 0]
    assert table["td_s"].to_pylist()[:2] == [2, 30]
    assert table["onset_distance_s"].to_pylist()[:2] == [0, None]
    ranked = {name: np.stack([times] * 2, 1) for name, times in predictions.items()}
    score(ssbd, ranked, {"resamples": 0, "rows": path})
    assert pq.ParquetFile(path).read() == table


def test_a_table_in_no_known_format_is_refused_before_anything_is_scored(ssbd: Manifest, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"rows.txt: expected a name that ends in .parquet, .csv or .json"):
        score(ssbd, "no such file", {"rows": tmp_path / "rows.txt"})


# Two runs on the same rows.


@pytest.fixture
def oops(sample_manifest: Manifests) -> Manifest:
    """Twelve rows, one per video."""
    return sample_manifest("uag-oops")


def compared(manifest: Manifest, a: object, b: object, **options: Any) -> dict[str, Pair]:
    return compare(manifest, a, b, {"resamples": 500, "seed": 1, **options}).metrics  # type: ignore[typeddict-item]


def test_the_difference_is_second_minus_first_and_a_clear_one_is_significant(oops: Manifest) -> None:
    pairs = compared(oops, late(oops, 2), late(oops, 0))
    assert list(pairs) == [str(metric) for metric in DEFAULT_METRICS]
    pair = pairs["mTD"]
    assert (pair.a, pair.b, pair.difference, pair.unit) == (4, 0, -4, "s")
    assert (pair.low, pair.high) == (None, None)  # seconds have no bound, and all rows agree
    assert (pair.p_value, pair.p_floor, pair.p_holm) == (2 / 2**12, 2 / 2**12, pytest.approx(11 * 2 / 2**12))
    onset = pairs["onset(<=1)"]
    assert (onset.a, onset.b, onset.difference, onset.unit) == (0, 100, 100, "percent")


def test_swapped_runs_swap_the_signs(oops: Manifest) -> None:
    a, b = late(oops, 0, to=0.9), late(oops, 1)
    for forth, back in zip(compared(oops, a, b).values(), compared(oops, b, a).values(), strict=True):
        assert (forth.a, forth.b) == (back.b, back.a)
        assert forth.difference == pytest.approx(-(back.difference or 0))
        assert (forth.low, forth.high) == pytest.approx((-(back.high or 0), -(back.low or 0)))
        assert forth.p_value == back.p_value


def test_equal_runs_do_not_differ(oops: Manifest) -> None:
    for pair in compared(oops, late(oops, 1), late(oops, 1)).values():
        assert (pair.difference, pair.p_value, pair.p_holm) == (0, 1, 1)


def test_a_comparison_is_the_same_every_time(oops: Manifest) -> None:
    a, b = late(oops, 0, to=0.9), late(oops, 0, to=0.7)
    assert compared(oops, a, b) == compared(oops, a, b)


def test_the_protocol_decides_what_is_compared(oops: Manifest) -> None:
    nothing = {"start_s": np.full(12, NAN), "end_s": np.full(12, NAN)}
    pair = compared(oops, nothing, late(oops), protocol="strict")["mTD"]
    assert (pair.a, pair.b, pair.difference, pair.low, pair.p_value) == (None, 0, None, None, None)
    assert compared(oops, nothing, late(oops))["mTD"].a == pytest.approx(read_truth(oops).spans.end.mean())


def test_any_metric_may_be_compared(oops: Manifest) -> None:
    pairs = compared(oops, late(oops, 1), late(oops), metrics=["R1(iou>=0.95)"])
    assert {name: pair.difference for name, pair in pairs.items()} == {"R1(iou>=0.95)": 100}


def test_a_comparison_says_how_it_was_made_and_which_run_its_warnings_are_of(
    oops: Manifest, write: Callable[..., Path]
) -> None:
    path = write(oops, by=0, rows=11)
    found = compare(oops, path, late(oops, 5000), {"resamples": 50, "seed": 3})
    methods = "Student's t over clusters (jackknife)"
    assert found.method == f"exact sign-flip test over 12 videos; 95% intervals: {methods}"
    assert found.protocol == "paper"
    missing, suspicious, few = found.warnings
    assert missing.startswith(f"{path}: 1 of 12 rows")
    assert suspicious.startswith("b: nearly all")
    assert "12 videos" in few
    assert msgspec.json.decode(msgspec.json.encode(found), type=Comparison) == found


def test_a_comparison_needs_resamples(oops: Manifest) -> None:
    with pytest.raises(UsageError, match="resamples, 1 or more"):
        compare(oops, late(oops), late(oops), {"resamples": 0})
