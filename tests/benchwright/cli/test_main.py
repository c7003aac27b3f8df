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
from benchwright.cli.main import app
from builders.engine import registry
from builders.engine.registry import BUNDLED

Run = Callable[..., Any]
VERBS = [command.name or command.callback.__name__ for command in app.registered_commands]


@pytest.mark.parametrize("verb", [[], *([verb] for verb in VERBS)])
def test_every_verb_has_help_and_an_example(run: Run, verb: list[str]) -> None:
    ran = run(*verb, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert run(*verb, "-h") == ran
    assert "Usage: " in ran.out
    assert "benchwright" in ran.out.partition("Usage: ")[2]


def test_the_version_is_that_of_the_package(run: Run) -> None:
    assert run("--version") == (0, f"benchwright {benchwright.__version__}\n", "")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("benchwright sco", ["score"]),
        ("benchwright score --prot", ["--protocol"]),
        ("benchwright show uag-", ["uag-funqa", "uag-oops", "uag-ssbd"]),
        ("benchwright build jr", ["jrdb-par"]),
    ],
)
def test_the_shell_completes_verbs_options_and_benchmarks(
    run: Run, monkeypatch: pytest.MonkeyPatch, typed: str, offered: list[str]
) -> None:
    monkeypatch.setenv("_BENCHWRIGHT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(typed.count(" ")))
    assert run().out.split() == offered


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full is Linux's")
@pytest.mark.parametrize("arguments", [["--version"], ["list", "--json"]])  # less and more than a buffer holds
def test_output_that_cannot_be_written_is_an_error(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "benchwright", *arguments]
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert ran.returncode == 2
    assert ran.stderr.startswith("error: ")
    assert ran.stderr.endswith("No space left on device\n")


def test_a_reader_may_leave() -> None:
    command = f"{sys.executable} -m benchwright list --json | head -c 1; echo ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("[0\n", "")


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
