"""Activities through the pipeline of scoring: percent, intervals, protocols side by side, nulls, signature."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pytest

from schemas.errors import UsageError
from schemas.identity import Identity, Level
from schemas.ledger import LEDGER
from schemas.manifest import Manifest, open_manifest
from schemas.manifest_folder import write_manifest
from scorers.activity.protocols import PROTOCOLS, evaluate
from scorers.activity.scorer import SCORER
from scorers.comparison import compare
from scorers.run import score
from scorers.score import Score

METRICS = [name for row in SCORER.layout.values() for name in row if name]
Case = list[dict[str, Any]]


def frame(**changes: Any) -> dict[str, Any]:
    """A key frame of four people with two true groups, of which one is found with half of its labels."""
    people = [{"gt": [1, 2], "pred": [1]}, {"gt": [1], "pred": [1]}, {"gt": [4], "pred": [3]}, {"gt": [2], "pred": [2]}]
    groups = [{"members": [0, 1], "labels": [2, 28]}, {"members": [2, 3], "labels": [4]}]
    found = {"pred_groups": [{"members": [0, 1], "labels": [2]}], "global": {"gt": [5], "pred": [5, 3]}}
    return {"n_persons": 4, "persons": people, "gt_groups": groups} | found | changes


CASE = [frame(), frame(), frame(pred_groups=[]), frame(pred_groups=[{"members": [2, 3], "labels": [4]}])]


@pytest.fixture
def built(identity: Callable[..., Identity]) -> Identity:
    """The identity of the manifests."""
    return identity("jrdb-par", parameters={"people.keep": "all"}, levels={"frame": Level(4, 4)})


@pytest.fixture
def manifest(rows: Callable[..., pa.Table], tmp_path: Path, built: Identity) -> Callable[..., Manifest]:
    """A manifest with the truth of a case as split `test`."""

    def made(case: Case, sequences: int = 2, **splits: Case) -> Manifest:
        tables = {name: rows(frames, "gt", sequences, name) for name, frames in splits.items()}
        write_manifest(
            tmp_path / "manifest",
            built,
            tables | {"test": rows(case, "gt", sequences)},
            LEDGER.empty_table(),
        )
        return open_manifest(tmp_path / "manifest")

    return made


@pytest.fixture
def scored(manifest: Callable[..., Manifest], rows: Callable[..., pa.Table]) -> Callable[..., Score]:
    """The score of a case's predictions on its truth, without intervals unless asked for."""

    def call(case: Case = CASE, sequences: int = 2, **options: Any) -> Score:
        return score(manifest(case, sequences), rows(case, "pred", sequences), {"resamples": 0} | options)

    return call


Scored = Callable[..., Score]


def test_values_are_percent(scored: Scored, read_case: Callable[..., Any]) -> None:
    found = scored()
    fractions = evaluate(*read_case(CASE))["paper"].values
    assert list(found.metrics) == METRICS
    for metric, value in found.metrics.items():
        assert (value.value, value.unit, value.low) == (100 * fractions[metric], "percent", None)
    assert (found.metrics["R_p"].value, found.metrics["F_g"].value) == (pytest.approx(200 / 3), pytest.approx(200 / 3))


def test_intervals_are_over_sequences_and_say_that_there_are_few(scored: Scored) -> None:
    found = scored(resamples=200, seed=7)
    precision, recall = found.metrics["P_p"], found.metrics["group_R"]
    assert (precision.value, precision.low, precision.method) == (100, None, "")  # the same in both sequences
    assert 0 < recall.low < 25 < 50 < recall.high < 100  # the metric of each sequence alone is 25 and 50
    assert any("rest on 2 sequences" in warning for warning in found.warnings)
    assert found.signature.startswith("F_a = ")
    assert "ci:korn-graubard(sequence)" in found.signature
    assert msgspec.json.encode(scored(resamples=200, seed=7)) == msgspec.json.encode(found)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_statistics_are_the_metrics_of_the_sequences_drawn(protocol: str, read_case: Callable[..., Any]) -> None:
    truth, predictions = read_case(CASE, sequences=4)
    drawn = [CASE[0], CASE[0], CASE[3], CASE[3], CASE[3]]
    expected = evaluate(*read_case(drawn))[protocol].values
    metrics = SCORER.metrics((), truth, protocol)
    weighted = SCORER.evaluate(truth, predictions, metrics, protocol).statistics()
    assert callable(weighted)
    found = dict(zip(map(str, metrics), weighted(np.array([2.0, 0, 0, 3])), strict=True))
    assert found == pytest.approx({metric: 100 * value for metric, value in expected.items()})


def test_two_runs_can_be_compared(manifest: Callable[..., Manifest], rows: Callable[..., pa.Table]) -> None:
    on = manifest(CASE, 4)
    runs = [rows(frames, "pred", 4) for frames in (CASE, [frame()] * 4)]
    pairs = compare(on, *runs, {"resamples": 100}).metrics
    values = [score(on, run, {"resamples": 0}).metrics for run in runs]
    for metric, pair in pairs.items():
        a, b = (each[metric].value for each in values)
        assert (pair.a, pair.b) == (a, b)
        assert pair.difference == pytest.approx(b - a)


def test_protocols_are_side_by_side_where_they_differ_with_the_reason(scored: Scored) -> None:
    found = {difference.metric: difference for difference in scored().differences}
    assert list(found) == ["P_p", "R_p", "F_p", "F_a"]
    assert found["R_p"].values == pytest.approx({"paper": 200 / 3, "description": 12.5, "strict": 25.0})
    assert "missed ones cost nothing" in found["R_p"].reason
    assert all(difference.reason for difference in found.values())


def test_groups_that_are_too_small_are_counted_apart(scored: Scored) -> None:
    lone = [{"members": [place], "labels": [1]} for place in (2, 3)]
    pair = [{"members": [0, 1], "labels": [2]}]
    counts = scored([frame(gt_groups=pair + lone, pred_groups=pair + lone[:1])]).counts
    assert {name: count for name, count in counts.items() if "groups" in name} == {
        "true_groups": 1,
        "true_groups_too_small": 2,
        "predicted_groups": 1,
        "predicted_groups_too_small": 1,
    }


def nulls(found: Score) -> set[str]:
    return {metric for metric, value in found.metrics.items() if value.value is None}


def test_a_null_names_its_cause_and_the_strict_value(scored: Scored) -> None:
    found = scored([frame(pred_groups=[])])
    assert nulls(found) == {"P_p", "R_p", "F_p", "F_a"}
    assert (
        "P_p, R_p, F_p have no value: no group of two or more people is predicted, where the reference evaluator stops "
        "with ZeroDivisionError; strict: P_p 0.00 %, R_p 0.00 %, F_p 0.00 %"
    ) in found.warnings
    assert any(warning.startswith("F_a has no value: it is the mean") for warning in found.warnings)
    assert "F_a = null" in found.signature
    unlabelled = [{"members": [0, 1], "labels": []}]
    found = scored([frame(gt_groups=unlabelled, pred_groups=unlabelled)])
    assert nulls(found) == {"F_p", "F_a"}
    assert any("0/0; strict: F_p 100.00 %" in warning for warning in found.warnings)


def test_tasks_that_were_not_tried_have_no_value(manifest: Callable[..., Manifest]) -> None:
    on = manifest(CASE)
    everywhere = {"sample_id": on.table("test")["sample_id"], "labels": [[5]] * 4}
    for protocol in PROTOCOLS:
        found = score(on, everywhere, {"resamples": 0, "protocol": protocol})
        assert nulls(found) == set(METRICS) - {"P_g", "R_g", "F_g"}
        assert "P_i, R_i, F_i have no value: no actions were predicted" in found.warnings
        assert "Mat.IoU has no value: no groups were predicted" in found.warnings


def test_a_manifest_without_a_card_has_the_classes_that_its_predictions_name(
    rows: Callable[..., pa.Table], tmp_path: Path, built: Identity
) -> None:
    own = msgspec.structs.replace(built, name="own")
    write_manifest(tmp_path / "own", own, {"test": rows(CASE)}, LEDGER.empty_table())
    on = open_manifest(tmp_path / "own")
    scores = np.tile(np.arange(9) == 4, (4, 1)).astype(float)
    found = score(on, {"sample_id": on.table("test")["sample_id"], "scores": scores}, {"resamples": 0})
    assert found.metrics["F_g"].value == 100
    assert not any("published" in warning for warning in found.warnings)


def test_baselines_are_beside_and_tell_the_scale(
    manifest: Callable[..., Manifest], rows: Callable[..., pa.Table]
) -> None:
    on = manifest(CASE, train=[frame(**{"global": {"gt": [7], "pred": []}})])
    found = score(on, rows(CASE, "pred"), {"resamples": 0, "split": "test"})
    assert list(found.baselines) == ["most-frequent", "alone", "nearest"]
    truth = SCORER.truth(on, "test", {})
    values = evaluate(truth, SCORER.baselines(truth)["most-frequent"])["paper"].values
    assert found.baselines["most-frequent"] == pytest.approx({metric: 100 * values[metric] for metric in METRICS})
    assert found.baselines["most-frequent"]["F_g"] == 0
    assert (found.baselines["alone"]["F_p"], found.baselines["alone"]["group_F"]) == (None, 0.0)
    same = f"the same labels for everybody give F_i {100 * values['F_i']:.1f} % and F_g 0.0 %"
    assert any(warning.startswith(same) for warning in found.warnings)


def test_the_signature_names_what_the_number_depends_on(manifest: Callable[..., Manifest]) -> None:
    on = manifest(CASE)
    labels = [[{"id": 5, "score": 0.3}]] * 4
    source = {"sample_id": on.table("test")["sample_id"], "labels": pa.array(labels)}
    options = {"protocol": "strict", "label_thresholds": {"global": 0.25}, "resamples": 0, "metrics": ["F_g"]}
    parts = score(on, source, options).signature.split(" | ")
    assert parts[0].endswith("n=4/4")
    assert parts[1:4] == [
        f"data:jrdb-par/test sha:{on.identity.content_digest[:12]}",
        "rules:default",
        "protocol:strict",
    ]
    assert parts[4:6] == ["thresholds:0.6/0.6/0.25", "missing:wrong(0)"]


def test_metrics_can_be_chosen_and_unknown_names_are_refused(scored: Scored) -> None:
    found = scored(metrics=["F_i", " mat.iou "])
    assert (list(found.metrics), found.differences) == (["F_i", "Mat.IoU"], [])
    with pytest.raises(UsageError, match="did you mean F_p or F_i or F_g"):
        scored(metrics=["F_j"])
    with pytest.raises(UsageError, match="did you mean paper"):
        scored(protocol="papre")


def test_an_unknown_protocol_is_refused(read_case: Callable[..., Any]) -> None:
    with pytest.raises(UsageError, match="unknown protocol"):
        evaluate(*read_case(CASE), protocols=["official"])


def test_nothing_to_score_is_null_with_reasons(read_case: Callable[..., Any]) -> None:
    truth, predictions = read_case([])
    metrics = SCORER.metrics((), truth, "paper")
    found = SCORER.evaluate(truth, predictions, metrics, "paper")
    assert np.isnan([found.values[metric] for metric in metrics[:3]]).all()
    assert "P_i, R_i, F_i have no value: there are no persons" in found.warnings


def test_some_sequences_alone_score_as_they_do_with_the_others_weighted_0(read_case) -> None:
    truth, predictions = read_case(CASE * 3, sequences=4)
    metrics = SCORER.metrics((), truth, "paper")
    for used in ([0], [1, 3], [0, 1, 2, 3]):
        alone = SCORER.evaluate(*SCORER.only(truth, predictions, np.isin(truth.sequence, used)), metrics, "strict")
        weights = np.isin(np.arange(4), used).astype(np.float64)
        weighted = SCORER.evaluate(truth, predictions, metrics, "strict").statistics()(weights)
        np.testing.assert_allclose(list(alone.values.values()), weighted, rtol=1e-12)


def test_key_frames_alone_score_as_a_split_of_them_does(read_case) -> None:
    truth, predictions = read_case([*CASE, frame(n_persons=4)], sequences=1)
    kept = np.array([True, False, True, True, False])
    metrics = SCORER.metrics((), truth, "paper")
    whole = read_case([case for case, here in zip([*CASE, frame()], kept, strict=True) if here], sequences=1)
    for protocol in PROTOCOLS:
        alone = SCORER.evaluate(*SCORER.only(truth, predictions, kept), metrics, protocol)
        expected = SCORER.evaluate(*whole, metrics, protocol)
        np.testing.assert_array_equal(list(alone.values.values()), list(expected.values.values()))


def test_a_key_frame_is_answered_where_nothing_is_missing(manifest, rows) -> None:
    table = rows([frame(), frame()], "pred", 1)
    few = table.set_column(table.column_names.index("global_activities"), "global_activities", pa.array([[5], None]))
    truth = SCORER.truth(manifest([frame(), frame()], 1), "test", {})
    for predictions, expected in ((table, [True, True]), (few, [True, False])):
        found = SCORER.read(predictions, truth, (), {})
        assert SCORER.answered(truth, found.predictions).tolist() == expected
        assert found.counts["scored"] == sum(expected)


def test_a_folder_of_tables_is_one_run_and_one_of_folders_are_runs(tmp_path: Path) -> None:
    (tmp_path / "runs" / "a").mkdir(parents=True)
    (tmp_path / "runs" / "a" / "groups.csv").touch()
    assert [SCORER.is_run(tmp_path / name, None) for name in ("runs", "runs/a")] == [False, True]
