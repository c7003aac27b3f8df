"""Activities from the command line: baselines, scores in both shapes, comparison, options."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from schemas.manifest import Manifest
from schemas.manifest_folder import split_file


@pytest.fixture
def manifest(sample_manifest) -> Manifest:
    return sample_manifest("jrdb-par")


@pytest.fixture
def guess(run, manifest: Manifest, tmp_path: Path) -> Path:
    """The baseline `nearest` as a folder of tables."""
    ran = run("baseline", manifest.path, "nearest", "--out", tmp_path / "nearest")
    assert (ran.code, ran.err) == (0, "")
    return tmp_path / "nearest"


def test_a_score_is_the_papers_table_with_baselines_and_protocols(run, manifest: Manifest, tmp_path: Path) -> None:
    guess = tmp_path / "guess"
    assert run("baseline", manifest.path, "nearest", "--split", "train", "--out", guess).code == 0
    ran = run("score", manifest.path, guess, "--split", "train")
    assert ran.code == 0
    for word in ("individual", "social", "global", "overall", "IOU@AUC", "Mat.IoU", "95% of F", "F of most-frequent"):
        assert word in ran.out
    assert "Where the protocols differ" in ran.out


def test_a_score_for_machines(run, manifest: Manifest, guess: Path) -> None:
    scored = run("score", manifest.path, guess, "--resamples", "20", "--json").json
    assert list(scored["metrics"])[:3] == ["P_i", "R_i", "F_i"]
    assert {value["unit"] for value in scored["metrics"].values()} == {"percent"}
    assert set(scored["baselines"]) == {"most-frequent", "alone", "nearest"}
    assert scored["metrics"]["F_a"]["value"] == scored["baselines"]["nearest"]["F_a"]
    assert scored["signature"].startswith("F_a = ")


def test_rows_of_the_manifest_itself_are_predictions_without_fault(run, manifest: Manifest) -> None:
    scored = run("score", manifest.path, manifest.path / split_file("test"), "--resamples", "0", "--json").json
    assert [scored["metrics"][name]["value"] for name in ("F_i", "F_p", "F_g", "F_a")] == [100] * 4


@pytest.mark.parametrize("protocol", ["description", "strict"])
def test_other_protocols_and_metrics_by_name(run, manifest: Manifest, guess: Path, protocol: str) -> None:
    options = ("--protocol", protocol, "--metric", "f_p", "--metric", "Mat.IoU", "--resamples", "0")
    assert list(run("score", manifest.path, guess, *options, "--json").json["metrics"]) == ["F_p", "Mat.IoU"]
    assert f"protocol {protocol}" in run("score", manifest.path, guess, *options).out


def test_a_run_against_itself_differs_by_nothing(run, manifest: Manifest, guess: Path) -> None:
    lines = run("compare", manifest.path, guess, guess, "--resamples", "20", "--json").json["metrics"]
    assert {line["difference"] for line in lines.values()} <= {0, None}
    assert lines["F_a"]["unit"] == "percent"
    assert "too few sequences for a test" in run("compare", manifest.path, guess, guess, "--resamples", "20").out


def test_scores_become_labels_above_a_threshold(run, manifest: Manifest, tmp_path: Path) -> None:
    rows = manifest.table("test").to_pylist()
    people = [
        {"sample_id": row["sample_id"], "person": person["person_id"], "label": action["id"], "score": 0.55}
        for row in rows
        for person in row["persons"]
        for action in person["actions"]
    ]
    folder = tmp_path / "scores"
    folder.mkdir()
    (folder / "individual.jsonl").write_text("".join(json.dumps(row) + "\n" for row in people))

    def individual(*options: str) -> float:
        scored = run("score", manifest.path, folder, "--metric", "F_i", "--resamples", "0", "--json", *options).json
        return scored["metrics"]["F_i"]["value"]

    assert individual() == individual("--label-threshold", "actions=0.55") == 0
    assert individual("--label-threshold", "actions=0.5") == 100


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--label-threshold", "action=0.5"], "unknown task 'action'; did you mean actions"),
        (["--metric", "F_x"], "unknown metric 'F_x'"),
        (["--protocol", "papr"], "unknown protocol 'papr'; did you mean paper"),
        (
            ["--engine", "pycocotools"],
            "--engine='pycocotools': there is no other implementation of scores of activities",
        ),
        (["--truth", "any"], "--truth: for spans; this manifest holds activities"),
        (["--input-format", "table"], "--input-format: for boxes and spans; this manifest holds activities"),
        (["--label-threshold", "actions=much"], "actions=much: expected a number"),
        (["--label-threshold", "actions"], "'actions': expected NAME=VALUE"),
        (["--label-threshold", "actions=1", "--label-threshold", "actions=2"], "actions is given twice: 1 and 2"),
    ],
)
def test_misused_options_say_what_exists(
    refused, manifest: Manifest, guess: Path, arguments: list[str], said: str
) -> None:
    assert said in refused("score", manifest.path, guess, *arguments)


def test_an_unknown_baseline_is_refused_and_nothing_is_written(refused, manifest: Manifest, tmp_path: Path) -> None:
    assert "unknown baseline 'nearst'; did you mean nearest" in refused(
        "baseline", manifest.path, "nearst", "--out", tmp_path / "out"
    )
    assert not (tmp_path / "out").exists()


def test_changed_rows_are_refused(refused, manifest: Manifest, guess: Path, tmp_path: Path) -> None:
    import shutil

    folder = Path(shutil.copytree(manifest.path, tmp_path / "changed"))
    file = folder / split_file("test")
    table = pq.read_table(file)
    pq.write_table(table.slice(1).replace_schema_metadata(table.schema.metadata), file)
    assert "changed after the build" in refused("score", folder, guess)


def test_thresholds_of_activities_are_refused_on_spans(refused, sample_manifest, write) -> None:
    manifest = sample_manifest("uag-oops")
    message = refused("score", manifest.path, write(manifest), "--label-threshold", "actions=0.5")
    assert message == "--label-threshold: for activities; this manifest holds spans"


def test_a_baseline_needs_a_folder_of_its_own(run, refused, manifest: Manifest, guess: Path, tmp_path: Path) -> None:
    before = {path.name: path.read_bytes() for path in guess.iterdir()}
    assert "expected a new or empty folder" in refused("baseline", manifest.path, "alone", "--out", guess)
    assert {path.name: path.read_bytes() for path in guess.iterdir()} == before
    assert f"inside the manifest {manifest.path}" in refused("baseline", manifest.path, "alone", "--out", manifest.path)
    assert run("validate", manifest.path).code == 0


@pytest.mark.parametrize("option", [["--metric", "F_i"], ["--annotator", "2"]])
def test_a_baseline_takes_no_options_of_spans(refused, manifest: Manifest, tmp_path: Path, option: list[str]) -> None:
    message = refused("baseline", manifest.path, "alone", "--out", tmp_path / "out", *option)
    assert message == f"{option[0]}: for spans; this manifest holds activities"
    assert not (tmp_path / "out").exists()


def test_a_comparison_says_why_there_is_no_value(run, manifest: Manifest, guess: Path, tmp_path: Path) -> None:
    assert run("baseline", manifest.path, "alone", "--out", tmp_path / "alone").code == 0
    ran = run("compare", manifest.path, tmp_path / "alone", guess, "--resamples", "20")
    assert f"{tmp_path / 'alone'}: P_p, R_p, F_p have no value: " in ran.err
    assert "1 sequences" in ran.err


def test_a_threshold_without_scores_is_warned_of(run, manifest: Manifest, guess: Path) -> None:
    ran = run("score", manifest.path, guess, "--label-threshold", "actions=0.1", "--resamples", "0")
    assert "no scores of actions: its threshold changes nothing" in ran.err
