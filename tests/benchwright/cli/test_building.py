"""The verb `build`, for people and machines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builders.engine.registry import BUNDLED
from schemas.identity import Count

Run = Callable[..., Any]


UAL_BENCH = ["charades-sta", "oops-uag-instruct", "uag-funqa", "uag-oops", "uag-ssbd"]


def test_build_prints_the_account_and_where_it_is(run: Run, samples: Path, tmp_path: Path) -> None:
    ran = run("build", "uag-ssbd", "--source", samples, "--out", tmp_path)
    assert (ran.code, ran.err) == (0, "")
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert "1 availability behaviour 13 5 0 0 8" in lines
    assert lines[-1] == f"uag-ssbd: 13 candidates, 8 test -> {tmp_path / 'uag-ssbd'}"
    assert "videos whose `count` differs from their behaviours: 1 (v_ArmFlapping_23)" in lines


def test_build_gives_counts_per_rule_as_json(run: Run, samples: Path, tmp_path: Path) -> None:
    ran = run("build", "uag-ssbd", "--source", samples, "--out", tmp_path, "--json")
    assert ran.json["path"] == str(tmp_path / "uag-ssbd")
    assert set(ran.json["counts"][0]) == set(Count.__struct_fields__)
    assert (ran.json["counts"][0]["rule"], ran.json["counts"][0]["dropped"]) == ("availability", 5)
    assert ran.err == ""


def test_build_writes_to_manifests_unless_another_folder_is_named(
    run: Run, samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("build", "uag-funqa", "--source", samples).code == 0
    assert (tmp_path / "manifests" / "uag-funqa" / "manifest.json").is_file()


def test_build_takes_parameters_and_single_sources(run: Run, own_samples: Path, tmp_path: Path) -> None:
    times = (own_samples / "oops/transition_times.json").rename(tmp_path / "my=times.json")
    settings = ["--set", "onset.pick=latest", "--set", "names.repair=true"]
    sources = ["--source", own_samples, "--source", f"transition_times={times}"]
    ran = run("build", "uag-oops", *sources, "--out", tmp_path, *settings, "--json")
    assert ran.json["changed_parameters"] == ["names.repair", "onset.pick"]
    assert ran.json["sources"]["transition_times"]["file"] == "my=times.json"


def test_build_all_builds_what_it_finds_and_says_what_the_rest_lacks(
    run: Run, own_samples: Path, tmp_path: Path
) -> None:
    ran = run("build", "all", "--source", own_samples / "oops", "--out", tmp_path / "two")
    assert ran.code == 0
    assert sorted(path.name for path in (tmp_path / "two").iterdir()) == ["oops-uag-instruct", "uag-oops"]
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert "uag-funqa lacks sources funqa_test.json" in lines
    assert "uag-oops built 24 candidates, 12 test" in lines
    every = run("build", "all", "--source", own_samples, "--out", tmp_path / "all")
    assert "uag-ssbd: videos whose `count` differs from their behaviours: 1 (v_ArmFlapping_23)" in every.out
    assert set(UAL_BENCH) <= {path.name for path in (tmp_path / "all").iterdir()}


def test_build_all_goes_on_after_a_failure_and_is_not_a_success(run: Run, own_samples: Path, tmp_path: Path) -> None:
    (own_samples / "funqa/funqa_test.json").write_text("[")
    ran = run("build", "all", "--source", own_samples, "--out", tmp_path / "out", "--json")
    status = {line["name"]: line["status"] for line in ran.json}
    assert ran.code == 2
    assert status.items() >= (dict.fromkeys(UAL_BENCH, "built") | {"uag-funqa": "failed"}).items()
    (failed,) = [line for line in ran.json if line["name"] == "uag-funqa"]
    assert "funqa_test.json: byte 1: found the end of the file" in failed["detail"]


def test_build_all_without_any_source_is_not_a_success(run: Run, tmp_path: Path) -> None:
    ran = run("build", "all", "--source", tmp_path, "--out", tmp_path / "out")
    assert ran.code == 2
    assert ran.out.count("  lacks sources  ") == len(BUNDLED)
