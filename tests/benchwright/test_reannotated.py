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
from scorers.temporal.alignment import TRUTHS, read_rows, read_run, reannotated_spans

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


def test_only_rows_that_were_annotated_again_are_scored(reannotated) -> None:
    manifest = reannotated()
    assert len(read_rows(manifest)) == 8
    rows = read_rows(manifest, truth="any")
    assert (rows.names.to_pylist(), rows.videos.to_pylist()) == (ROWS, ["Y6XHN", "D1VZR"])
    assert rows.column("description").to_pylist() == [query for _, query in GIVEN]
    assert (rows.duration.tolist(), rows.clusters.tolist()) == ([32.5, 11.0], [0, 1])


def test_spans_are_shares_of_the_video(reannotated) -> None:
    manifest = reannotated()
    rows = read_rows(manifest, truth="any")
    people = [rows.truth, *rows.truth.others]
    assert len(people) == 5
    for number, truth in enumerate(people):
        one = read_rows(manifest, truth=f"annotator:{number + 1}").truth
        spans = [given[number] for given in GIVEN.values()]
        for share, (times, others) in enumerate([(truth.start, one.start), (truth.end, one.end)]):
            expected = [32.5 * spans[0][share] / 100, 11 * spans[1][share] / 100]
            assert times.tolist() == others.tolist() == pytest.approx(expected)
        assert one.others == ()


def test_predictions_stay_with_their_rows(reannotated, predicted: Path) -> None:
    rows = read_rows(reannotated(), truth="any")
    predicted.write_text(json.dumps(json.loads(predicted.read_text())[::-1]))
    run = read_run(predicted, rows)
    assert run.unknown == 0
    assert run.warnings == ["only the 2 re-annotated rows are scored"]
    assert (run.start.tolist(), run.end.tolist()) == ([6.5, 0.0], [26.0, 5.5])


def test_any_is_the_best_of_the_five(run, reannotated, tmp_path: Path) -> None:
    manifest = reannotated()
    path = tmp_path / "p.json"
    spans = [("test/00004", 0.0, 30.0), ("test/00006", 9.0, 11.0)]
    path.write_text(json.dumps([{"sample_id": n, "start_s": s, "end_s": e} for n, s, e in spans]))
    options = ["--metric", "mIoU", "--metric", "mTD", "--resamples", 0, "--json"]
    scores = {
        truth: run("score", manifest.path, path, "--truth", truth, *options).json
        for truth in TRUTHS
        if truth != "start"
    }
    value = {truth: score["metrics"]["mIoU"]["value"] for truth, score in scores.items()}
    assert value.pop("any") >= max(value.values())
    # Person 2 gave all of Y6XHN, person 5 the last tenth of D1VZR: 30 of 32.5 s, and 1.1 of 2 s.
    assert scores["any"]["metrics"]["mIoU"]["value"] == pytest.approx((30 / 32.5 + 1.1 / 2) / 2)
    assert scores["any"]["metrics"]["mTD"]["value"] == pytest.approx((2.5 + 0.9) / 2)
    assert scores["any"]["counts"]["rows"] == 2
    assert "truth:any" in scores["any"]["signature"]
    assert "truth:annotator:3" in scores["annotator:3"]["signature"]


@pytest.mark.parametrize("annotator", [1, 4])
def test_a_person_is_a_baseline_and_agrees_with_themself(run, reannotated, tmp_path: Path, annotator: int) -> None:
    manifest, out = reannotated(), tmp_path / "human.json"
    ran = run("baseline", manifest.path, "human", "--split", "test", "--annotator", annotator, "--out", out)
    assert (ran.code, "2 predictions of the baseline human" in ran.out + ran.err) == (0, True)
    entries = {entry["sample_id"]: entry for entry in json.loads(out.read_text())}
    start, end = GIVEN["Y6XHN", "person cooks something on the stove."][annotator - 1]
    assert entries["test/00004"]["start_s"] == pytest.approx(32.5 * start / 100)
    assert entries["test/00004"]["end_s"] == pytest.approx(32.5 * end / 100)


def test_annotators_are_five(run, refused, reannotated, predicted: Path) -> None:
    manifest = reannotated()
    assert "unknown truth 'annotator:6'" in refused("score", manifest.path, predicted, "--truth", "annotator:6")
    assert "unknown truth 'annotator'" in refused("score", manifest.path, predicted, "--truth", "annotator")
    ran = run("baseline", manifest.path, "human", "--annotator", 6, "--out", predicted.with_name("h.json"))
    assert (ran.code, "1<=x<=5" in ran.err) == (2, True)


@pytest.mark.parametrize("truth", ["any", "annotator:1"])
def test_without_re_annotations_there_is_no_other_truth(sample_manifest, truth: str) -> None:
    with pytest.raises(UsageError, match=r"built without the spans of five re-annotators \(sources reannotations_0"):
        read_rows(sample_manifest("charades-sta"), truth=truth)


def test_fewer_people_than_five_are_refused(reannotated) -> None:
    with pytest.raises(UsageError, match="built without the spans of five re-annotators"):
        read_rows(reannotated(people=4), truth="any")


def test_other_benchmarks_have_no_annotators(sample_manifest) -> None:
    with pytest.raises(UsageError, match=r"uag-oops has no other annotations for --truth annotator:1"):
        read_rows(sample_manifest("uag-oops"), truth="annotator:1")
    assert read_rows(sample_manifest("uag-oops"), truth="any").truth.others == ()


def test_rows_that_nobody_was_asked_about_are_unknown(reannotated) -> None:
    lists = reannotated().table("test")["reannotated"].combine_chunks()
    spans = reannotated_spans(lists)
    assert [[start.tolist()[3], end.tolist()[3]] for start, end in spans][1] == [0.0, 32.5]
    assert all(start[0] != start[0] for start, _ in spans)
