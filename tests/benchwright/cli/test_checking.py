"""The verbs `verify`, `why` and `validate`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import benchwright
from schemas.manifest_folder import split_file

SNOW3 = "Snow Day, No Way! - Winter Wobbles (January 2020) _ SlipCity3"


SNOW9 = "Snow Day, No Way! - Winter Wobbles (January 2020) _ SlipCity9"


def test_a_frame_shows_its_persons_and_those_left_out(run: Callable, sample_manifest) -> None:
    manifest = sample_manifest("jrdb-par")
    lines = run("why", manifest.path, "bytes-cafe-2019-02-07_0/000015").out.splitlines()
    assert any(line.split()[:4] == ["persons", "9", "dropped", "people"] for line in lines)
    assert "3 2900 60 200 410 4, 6 difficult 4, 28 1 False" in [" ".join(line.split()) for line in lines]


def test_the_command_prints_the_story_and_the_row(run: Callable, sample_manifest) -> None:
    ran = run("why", sample_manifest("uag-oops").path, SNOW9)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == f"clip {SNOW9}: dropped"
    assert any(line.startswith("3  agreement ") and " dropped " in line for line in lines)
    assert "the row" not in ran.out
    kept = run("why", sample_manifest("uag-oops").path, SNOW3)
    assert "the row" in kept.out
    assert "heldout_onset_s" in kept.out


def test_the_command_gives_stories_as_json(run: Callable, sample_manifest) -> None:
    (story,) = run("why", sample_manifest("uag-oops").path, SNOW9, "--json").json
    assert (story["key"], story["fate"], len(story["steps"])) == (SNOW9, "dropped", 9)
    assert story["steps"][2]["values"] == {"n_notfound": 2.0, "max_notfound": 0.0}


def test_a_lone_file_has_no_ledger(refused: Callable, sample_manifest) -> None:
    lone = sample_manifest("uag-oops").path / "data" / "test-00000-of-00001.parquet"
    assert "is one split; the ledger is in the folder that the build wrote" in refused("why", lone, SNOW9)


def test_the_command_lists_claims_and_fails_if_one_is_not_as_expected(run: Callable[..., Any], sample_manifest) -> None:
    ran = run("verify", sample_manifest("uag-oops").path)
    assert ran.code == 1
    assert ran.out.startswith("UAG-OOPS (UAL-Bench): claims\n")
    assert "differs" in ran.out
    assert "note: transition_times.json is not the published file" in ran.err


def test_the_command_gives_verdicts_as_json(run: Callable[..., Any], sample_manifest) -> None:
    ran = run("verify", sample_manifest("uag-ssbd").path, "--json")
    lines = {line["claim"]: line for line in ran.json}
    assert {"claim", "paper", "value", "verdict", "reason"} <= set(lines["videos"])
    assert (lines["videos"]["paper"], lines["videos"]["value"], lines["videos"]["verdict"]) == (75, 8, "differs")
    published = next(line for claim, line in lines.items() if claim.startswith("bytes of "))
    assert (len(published["paper"]), len(published["value"])) == (64, 64)
    assert ran.err == ""


@pytest.mark.real_data
def test_the_command_is_content_with_the_real_files(run: Callable[..., Any], real_manifest) -> None:
    for name in ("uag-oops", "uag-ssbd"):
        ran = run("verify", real_manifest(name).path)
        assert (ran.code, ran.err) == (0, "")


Run = Callable[..., Any]


def test_validate_is_silent_on_what_is_sound_and_fails_on_errors(
    run: Run, sample_manifest, samples: Path, tmp_path: Path
) -> None:
    manifest = sample_manifest("uag-oops")
    ran = run("validate", manifest.path)
    assert (ran.code, ran.err) == (0, "")
    assert f"nothing to report; content digest {manifest.identity.content_digest}" in ran.out
    assert run("validate", manifest.path, "--json").json == []
    warned = run("validate", sample_manifest("charades-sta").path, "--json")
    assert warned.code == 0
    assert {finding["severity"] for finding in warned.json} == {"warning"}
    assert run("build", "uag-ssbd", "--source", samples, "--out", tmp_path).code == 0
    (tmp_path / "uag-ssbd" / split_file("test")).unlink()
    failed = run("validate", tmp_path / "uag-ssbd")
    assert failed.code == 1
    assert "readable" in failed.out


def test_validate_checks_all_manifests_below_a_folder(run: Run, samples: Path, tmp_path: Path) -> None:
    for name, place in (("uag-ssbd", "a"), ("charades-sta", "a"), ("uag-oops", "b/c")):
        assert run("build", name, "--source", samples, "--out", tmp_path / place).code == 0
    sound = run("validate", tmp_path)
    assert sound.code == 0
    assert "3 manifests below" in sound.out
    assert "a/charades-sta" in sound.out
    assert "spans that end beyond their video" in sound.out
    (tmp_path / "a/uag-ssbd/ledger.parquet").unlink()
    (tmp_path / "b/c/uag-oops/manifest.json").write_text("{")
    ran = run("validate", tmp_path, "--json")
    assert ran.code == 1
    errors = {
        Path(each["manifest"]).name: [f["check"] for f in each["findings"] if f["severity"] == "error"]
        for each in ran.json
    }
    assert errors == {"charades-sta": [], "uag-ssbd": ["readable"], "uag-oops": ["readable"]}
    assert run("validate", tmp_path).code == 1
    places = [finding.place for finding in benchwright.validate(tmp_path) if finding.severity == "error"]
    assert places == [f"{tmp_path / 'a/uag-ssbd'}: ledger.parquet", f"{tmp_path / 'b/c/uag-oops'}: manifest.json"]


def test_why_with_sources_and_a_page(run, refused, samples: Path, sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("uag-oops").path
    clip = "Snow Day, No Way! - Winter Wobbles (January 2020) _ SlipCity3"
    page = tmp_path / "report.html"
    asked = ("why", manifest, clip, "--report", page)
    assert "report.html: no such page" in refused(*asked)
    page.write_text("<!doctype html>")
    ran = run(*asked, "--source", samples)
    for line in (
        "What another choice would have made of it: kept as it is",
        "onset.pick=latest",
        "start_s becomes 7.7531, is 6.25",
        "no difference to it: ",
        "not tried: end.of=probed: needs inventory",
        f"on the page: {page.as_uri()}#row=Snow%20Day%2C%20No%20Way!%20-%20",
    ):
        assert line in ran.out
    (told,) = run(*asked, "--source", samples, "--json").json
    assert {each["fate"] for each in told["alternatives"]} >= {"same", "changed", "not judged"}
    ledger = run("ledger", manifest, "--report", "https://example.org/r.html", "--json").json
    assert ledger[0]["page"].startswith("https://example.org/r.html#row=")
    ran = run("ledger", manifest, "--report", "https://example.org/r.html")
    assert "on the page, the first of them: https://example.org/r.html#row=" in ran.out
