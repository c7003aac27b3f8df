"""The command line as people and machines use it: verbs, exit codes, JSON, tables."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

import benchwright
from builders.engine import registry
from builders.engine.registry import BUNDLED
from schemas.identity import Count
from schemas.manifest_folder import split_file

Run = Callable[..., Any]
UAL_BENCH = ["charades-sta", "oops-uag-instruct", "uag-funqa", "uag-oops", "uag-ssbd"]
VERBS = ["list", "show", "build", "verify", "why", "validate", "export"]


def test_list_names_every_benchmark(run: Run) -> None:
    ran = run("list")
    assert (ran.code, ran.err) == (0, "")
    assert all(name in ran.out for name in BUNDLED)
    assert " densepose_coco_2014_valminusminival.json " in ran.out
    rows = {row["name"]: row for row in run("list", "--json").json}
    assert set(BUNDLED) <= set(rows)
    assert (rows["uag-oops"]["rows"], rows["charades-sta"]["rows"]) == (1589, 16128)
    assert rows["charades-sta"]["splits"] == ["train", "test"]
    assert rows["uag-funqa"]["sources"] == ["funqa_test.json"]


@pytest.mark.parametrize("name", UAL_BENCH)
def test_show_tells_sources_rules_parameters_columns_and_claims(run: Run, name: str) -> None:
    ran = run("show", name)
    assert ran.code == 0
    for heading in ("Citation: ", "Licence: ", "Sources", "Rules, in order", "Parameters (--set", "Columns", "Claims"):
        assert f"\n{heading}" in ran.out
    shown = run("show", name, "--json").json
    recipe = registry.find_recipe(name)
    assert [rule["name"] for rule in shown["rules"]] == [rule.name for rule in recipe.rules]
    assert [column["name"] for column in shown["columns"]][: len(recipe.schema)][:2] == ["sample_id", "split"]
    assert {parameter["parameter"] for parameter in shown["parameters"]} == {
        f"{step.name}.{parameter.name}" for step in recipe.steps for parameter in step.parameters
    }
    assert shown["card"]["name"] == name


def test_show_tells_of_a_manifest_and_of_any_of_its_files(run: Run, sample_manifest) -> None:
    manifest = sample_manifest("uag-oops", onset__pick="latest")
    for path in (manifest.path, manifest.path / split_file("test"), manifest.path / "ledger.parquet"):
        ran = run("show", path)
        assert ran.code == 0
        assert "Benchmark: uag-oops, recipe version 1 (first version)" in ran.out
        assert "Parameters: onset.pick=latest" in ran.out
        assert run("show", path, "--json").json["content_digest"] == manifest.identity.content_digest


def test_build_prints_the_account_and_where_it_is(run: Run, samples: Path, tmp_path: Path) -> None:
    ran = run("build", "uag-ssbd", "--source", samples, "--out", tmp_path)
    assert (ran.code, ran.err) == (0, "")
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert "1 availability behaviour 13 5 0 0 8" in lines
    assert lines[-1] == f"uag-ssbd: 13 candidates, 8 test -> {tmp_path / 'uag-ssbd'}"
    assert "videos whose `count` differs from their behaviours: 1" in lines


def test_build_gives_counts_per_rule_as_json(run: Run, samples: Path, tmp_path: Path) -> None:
    ran = run("build", "uag-ssbd", "--source", samples, "--out", tmp_path, "--json")
    assert ran.json["path"] == str(tmp_path / "uag-ssbd")
    assert set(ran.json["counts"][0]) == set(Count.__struct_fields__)
    assert (ran.json["counts"][0]["rule"], ran.json["counts"][0]["dropped"]) == ("availability", 5)
    assert ran.err == ""


def test_build_writes_to_manifests_unless_told(
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
    assert "uag-oops built uag-oops: 24 candidates, 12 test" in lines
    run("build", "all", "--source", own_samples, "--out", tmp_path / "all")
    assert set(UAL_BENCH) <= {path.name for path in (tmp_path / "all").iterdir()}


def test_build_all_goes_on_after_a_failure_and_is_no_success(run: Run, own_samples: Path, tmp_path: Path) -> None:
    (own_samples / "funqa/funqa_test.json").write_text("[")
    ran = run("build", "all", "--source", own_samples, "--out", tmp_path / "out", "--json")
    status = {line["name"]: line["status"] for line in ran.json}
    assert ran.code == 2
    assert status.items() >= (dict.fromkeys(UAL_BENCH, "built") | {"uag-funqa": "failed"}).items()
    (failed,) = [line for line in ran.json if line["name"] == "uag-funqa"]
    assert "funqa_test.json: byte 1: found the end of the file" in failed["detail"]


def test_build_all_without_any_source_is_no_success(run: Run, tmp_path: Path) -> None:
    ran = run("build", "all", "--source", tmp_path, "--out", tmp_path / "out")
    assert ran.code == 2
    assert ran.out.count("lacks sources") == len(BUNDLED)


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


@pytest.mark.parametrize("verb", [[], *([verb] for verb in VERBS)])
def test_every_verb_has_help_and_an_example(run: Run, verb: list[str]) -> None:
    ran = run(*verb, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert run(*verb, "-h") == ran
    assert "Usage: " in ran.out
    assert "benchwright" in ran.out.partition("Usage: ")[2]


def test_the_version_is_that_of_the_package(run: Run) -> None:
    assert run("--version") == (0, f"benchwright {benchwright.__version__}\n", "")


def test_no_table_is_wider_than_a_hundred_columns(run: Run, sample_manifest, samples: Path, tmp_path: Path) -> None:
    manifest = sample_manifest("uag-oops").path
    free_text = ("Citation: ", "Licence: ", "Access: ", "Rows: ", "Note: ", "note: ", str(manifest))
    for arguments in (
        ["list"],
        ["show", "charades-sta"],
        ["show", manifest],
        ["verify", manifest],
        ["why", manifest, "Skate Park Surprises  (Ep. 4)20"],
        ["why", manifest, "Skate Park Surprises  (Ep. 4)0"],
        ["validate", sample_manifest("charades-sta").path],
        ["build", "all", "--source", samples, "--out", tmp_path],
    ):
        lines = [line for line in run(*arguments).out.splitlines() if not line.startswith(free_text)]
        assert max(map(len, lines)) <= 100, arguments


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["verify", "{manifest}"], 1), (["show", "{manifest}", "--json"], 0), (["verify", "nowhere"], 2)],
)
def test_exit_codes_of_the_program_itself(sample_manifest, arguments: list[str], code: int) -> None:
    """0 fine, 1 the answer is no, 2 bad input; and no traceback."""
    path = str(sample_manifest("uag-ssbd").path)
    command = [sys.executable, "-m", "benchwright", *(argument.format(manifest=path) for argument in arguments)]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == code
    assert "Traceback" not in ran.stderr
    assert ran.stdout.startswith(("UAG-SSBD", "{") if code < 2 else "")


def test_a_broken_package_does_not_take_the_others_along(
    run: Run, samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = EntryPoints([EntryPoint("theirs", "no_such_package:RECIPE", registry.GROUP)])
    monkeypatch.setattr(registry, "entry_points", lambda group: points.select(group=group))
    ran = run("list", "--json")
    assert len(ran.json) == len(BUNDLED)
    assert ran.err.startswith("note: entry point 'theirs' of benchwright.recipes: ModuleNotFoundError")
    built = run("build", "all", "--source", samples / "funqa", "--out", tmp_path, "--json")
    assert {line["name"]: line["status"] for line in built.json}["theirs"] == "failed"
    assert (tmp_path / "uag-funqa").is_dir()
