"""Charades-STA against the spans that five people gave later: `--truth any`, `--truth annotator:N`, and the humans."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from builders.engine.build import build
from builders.engine.registry import find_recipe
from schemas.errors import UsageError
from schemas.manifest import Manifest, open_manifest
from scorers.run import score, write_baseline
from scorers.temporal.expressions import DEFAULT_METRICS
from scorers.temporal.scorer import SCORER
from scorers.temporal.truth import TRUTHS, read_truth, reannotated_spans

Manifests = Callable[..., Manifest]

# Percent of the video that each of five people gave: Y6XHN lasts 32.5 s, D1VZR 11 s.
GIVEN = {
    ("Y6XHN", "person cooks something on the stove."): [(20, 80), (0, 100), (40, 60), (50, 100), (20, 80)],
    ("D1VZR", "a person turns the lamp off."): [(0, 50), (50, 100), (0, 100), (10, 20), (90, 100)],
}
ROWS = ["test/00004", "test/00006"]


@pytest.fixture
def reannotated(samples: Path, tmp_path: Path) -> Callable[..., Manifest]:
    """Build the sample with re-annotations, of each query by so many people."""

    def make(people: int = 5) -> Manifest:
        folder = tmp_path / "sources"
        shutil.copytree(samples / "charades_sta", folder)
        for part, ((video, query), spans) in enumerate(GIVEN.items()):
            lines = [f"{part}{n},{video}.mp4,{query},{start},{end}" for n, (start, end) in enumerate(spans[:people])]
            text = "\n".join(["HITId,video_id,description,start,end", *lines]) + "\n"
            (folder / f"mayu_reannotated_test_0{part}.csv").write_text(text)
        return open_manifest(build(find_recipe("charades-sta"), folder, tmp_path / "manifests").path)

    return make


@pytest.fixture
def predicted(tmp_path: Path) -> Path:
    """The truth of person 1 for both rows, and a prediction for a row that nobody was asked about."""
    spans = {"test/00004": (6.5, 26.0), "test/00006": (0.0, 5.5), "test/00001": (0.0, 8.3)}
    entries = [{"sample_id": name, "start_s": start, "end_s": end} for name, (start, end) in spans.items()]
    path = tmp_path / "predicted.json"
    path.write_text(json.dumps(entries))
    return path


def test_only_rows_that_were_annotated_again_are_scored(reannotated: Manifests) -> None:
    manifest = reannotated()
    assert len(read_truth(manifest)) == 8
    truth = read_truth(manifest, truth="any")
    assert (truth.names.to_pylist(), truth.videos.to_pylist()) == (ROWS, ["Y6XHN", "D1VZR"])
    assert truth.column("description").to_pylist() == [query for _, query in GIVEN]
    assert (truth.duration.tolist(), truth.clusters.tolist()) == ([32.5, 11.0], [0, 1])


def test_spans_are_shares_of_the_video(reannotated: Manifests) -> None:
    manifest = reannotated()
    truth = read_truth(manifest, truth="any")
    people = [truth.spans, *truth.spans.others]
    assert len(people) == 5
    for number, spans in enumerate(people):
        one = read_truth(manifest, truth=f"annotator:{number + 1}").spans
        given = [shares[number] for shares in GIVEN.values()]
        for share, (times, others) in enumerate([(spans.start, one.start), (spans.end, one.end)]):
            expected = [32.5 * given[0][share] / 100, 11 * given[1][share] / 100]
            assert times.tolist() == others.tolist() == pytest.approx(expected)
        assert one.others == ()


def test_predictions_stay_with_their_rows(reannotated: Manifests, predicted: Path) -> None:
    truth = read_truth(reannotated(), truth="any")
    predicted.write_text(json.dumps(json.loads(predicted.read_text())[::-1]))
    found = SCORER.read(predicted, truth, DEFAULT_METRICS, {})
    assert found.counts["unknown"] == 0
    assert found.warnings == ["1 prediction is of rows that nobody re-annotated ('test/00001') and is left out"]
    assert [times.tolist() for times in found.predictions] == [[6.5, 0.0], [26.0, 5.5]]


def test_any_is_the_best_of_the_five(reannotated: Manifests) -> None:
    manifest = reannotated()
    predictions = {"start_s": [0.0, 9.0], "end_s": [30.0, 11.0]}
    scores = {
        truth: score(manifest, predictions, {"truth": truth, "metrics": ["mIoU", "mTD"], "resamples": 0})
        for truth in TRUTHS
        if truth != "start"
    }
    value = {truth: found.metrics["mIoU"].value or 0 for truth, found in scores.items()}
    assert value.pop("any") >= max(value.values())
    # Person 2 gave all of Y6XHN, person 5 the last tenth of D1VZR: 30 of 32.5 s, and 1.1 of 2 s.
    assert scores["any"].metrics["mIoU"].value == pytest.approx((30 / 32.5 + 1.1 / 2) / 2)
    assert scores["any"].metrics["mTD"].value == pytest.approx((2.5 + 0.9) / 2)
    assert scores["any"].counts["rows"] == 2
    assert "truth:any" in scores["any"].signature
    assert "truth:annotator:3" in scores["annotator:3"].signature


@pytest.mark.parametrize("annotator", [1, 4])
def test_a_person_is_a_baseline_and_agrees_with_themself(
    reannotated: Manifests, tmp_path: Path, annotator: int
) -> None:
    manifest, out = reannotated(), tmp_path / "human.json"
    assert write_baseline(manifest, "human", out, {"split": "test", "annotator": annotator}) == 2
    entries = {entry["sample_id"]: entry for entry in json.loads(out.read_text())}
    start, end = GIVEN["Y6XHN", "person cooks something on the stove."][annotator - 1]
    assert entries["test/00004"]["start_s"] == pytest.approx(32.5 * start / 100)
    assert entries["test/00004"]["end_s"] == pytest.approx(32.5 * end / 100)
    themself = score(manifest, out, {"truth": f"annotator:{annotator}", "metrics": ["mIoU"], "resamples": 0})
    assert themself.metrics["mIoU"].value == 1


def test_annotators_are_five(reannotated: Manifests, predicted: Path) -> None:
    manifest = reannotated()
    for truth in ("annotator", "annotator:6"):
        with pytest.raises(UsageError, match=f"unknown truth '{truth}'"):
            score(manifest, predicted, {"truth": truth})
    with pytest.raises(UsageError, match="annotator"):
        write_baseline(manifest, "human", predicted.with_name("h.json"), {"annotator": 6})


@pytest.mark.parametrize("truth", ["any", "annotator:1"])
def test_without_re_annotations_there_is_no_other_truth(sample_manifest: Manifests, truth: str) -> None:
    with pytest.raises(UsageError, match=r"built without the spans of five re-annotators \(sources reannotations_0"):
        read_truth(sample_manifest("charades-sta"), truth=truth)


def test_fewer_people_than_five_are_refused(reannotated: Manifests) -> None:
    with pytest.raises(UsageError, match="built without the spans of five re-annotators"):
        read_truth(reannotated(people=4), truth="any")


def test_other_benchmarks_have_no_annotators(sample_manifest: Manifests) -> None:
    with pytest.raises(UsageError, match=r"annotator:1.*: uag-oops has no other annotations"):
        read_truth(sample_manifest("uag-oops"), truth="annotator:1")
    assert read_truth(sample_manifest("uag-oops"), truth="any").spans.others == ()


def test_rows_that_nobody_was_asked_about_are_unknown(reannotated: Manifests) -> None:
    lists = reannotated().table("test")["reannotated"].combine_chunks()
    spans = reannotated_spans(lists)
    assert [[start.tolist()[3], end.tolist()[3]] for start, end in spans][1] == [0.0, 32.5]
    assert all(start[0] != start[0] for start, _ in spans)
