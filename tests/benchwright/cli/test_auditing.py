"""The verb `audit`: what it prints, its file, what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from schemas.manifest import Manifest


@pytest.fixture
def runs(sample_manifest: Callable[..., Manifest], write: Callable[..., Path], tmp_path: Path) -> Path:
    """A folder of two systems."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for name, by in (("early", 0.2), ("late", 1.1)):
        write(sample_manifest("uag-oops"), by).rename(folder / f"{name}.json")
    return folder


def test_a_table_and_a_sentence_for_each_that_matters(run, samples: Path, runs: Path) -> None:
    ran = run("audit", "uag-oops", "--source", samples, "--predictions", runs)
    assert ran.code == 0, ran.err
    for line in (
        "uag-oops: 12 rows, 2 systems, resampled over ",
        "single_scene.by=skip         +3 ",
        "What it does to the leaderboard",
        "In short",
        "size: single_scene.by=skip changes it most: 12 rows become 15",
        "first places: none changes beyond sampling noise",
        "candidates 12 pass every rule; ",
        "single_scene.by=skip, which gains 3 alone, hides what gains nothing alone: names.repair=true (+2), ",
        "single_scene.by=inventory, end.of=probed: needs inventory",
    ):
        assert line in ran.out
    assert "warning: the intervals rest on " in ran.err
    assert "Beside published scores" not in ran.out  # the paper's scores are of other rows than these


def test_rows_alone(run, samples: Path) -> None:
    ran = run("audit", "uag-oops", "--source", samples)
    assert ran.code == 0, ran.err
    assert "not looked at: --predictions names systems" in ran.out
    assert "onset.pick=median            ~11" in ran.out


def test_the_whole_result_goes_to_a_file_once(run, refused, samples: Path, runs: Path, tmp_path: Path) -> None:
    out = tmp_path / "audit.json"
    call = ("audit", "uag-oops", "--source", samples, "--predictions", runs, "--out", out)
    printed = run(*call, "--json").json
    written = json.loads(out.read_text())
    assert written == printed
    assert set(printed["default"]["effects"]) == set(printed["metrics"])
    assert refused(*call) == f"{out} is there already; --force replaces it"
    assert run(*call, "--force").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["uag-oop"], "did you mean uag-oops"),
        (["uag-oops", "--grid", "onset.pick=first,latest"], "onset.pick=first: expected earliest | median"),
        (["uag-oops", "--grid", "onset.pic=latest"], "did you mean pick"),
        (["uag-oops", "--grid", "latest"], "expected NAME=VALUE"),
        (["uag-oops", "--predictions", "nowhere.json"], "nowhere.json"),
        (["uag-oops", "--predictions", "RUNS", "--on", "common"], "an audit scores all rows"),
        (["uag-oops", "--predictions", "RUNS", "--resamples", "0"], "resamples, 1 or more"),
        (["uag-oops", "--predictions", "RUNS", "--protocol", "paper,cap=1"], "cap=1, expected 10000 or none"),
    ],
)
def test_what_it_refuses(refused, samples: Path, runs: Path, arguments: list[str], said: str) -> None:
    given = [str(runs) if each == "RUNS" else each for each in arguments]
    assert said in refused("audit", *given, "--source", samples)


def test_a_source_that_is_missing(refused, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "source 'split_list' not found" in refused("audit", "uag-oops", "--source", tmp_path / "empty")


def test_a_grid_of_a_number(run, samples: Path) -> None:
    ran = run("audit", "coco-person", "--source", samples, "--grid", "small_person.min_area=100,1e9")
    assert ran.code == 0, ran.err
    assert "small_person.min_area=1000000000.0" in ran.out
    assert "4096" not in ran.out


@pytest.mark.parametrize("name", ["charades-sta", "uag-ssbd", "uag-funqa", "oops-uag-instruct", "densepose-person"])
def test_every_benchmark_can_be_audited(run, samples: Path, name: str) -> None:
    ran = run("audit", name, "--source", samples)
    assert ran.code == 0, ran.err
    assert ran.out.startswith(f"{name}: ")


def test_fifty_systems(run, samples: Path, sample_manifest, write, tmp_path: Path) -> None:
    folder = tmp_path / "fifty"
    folder.mkdir()
    for number in range(50):
        write(sample_manifest("uag-oops"), 0.05 * number).rename(folder / f"s{number:02}.json")
    ran = run(
        "audit",
        "uag-oops",
        "--source",
        samples,
        "--predictions",
        folder,
        "--metric",
        "onset(<=1)",
        "--json",
        "--resamples",
        "9",
    )
    assert ran.code == 0, ran.err
    assert len(ran.json["systems"]) == 50
    assert all(len(each["effects"]["onset(<=1)"]["systems"]) == 50 for each in ran.json["variants"] if each["effects"])


def test_other_settings_are_the_benchmark_as_it_is(run, refused, samples: Path, runs: Path) -> None:
    call = ("audit", "uag-oops", "--source", samples, "--predictions", runs, "--set", "onset.pick=latest")
    found = run(*call, "--json").json
    keys = [each["key"] for each in found["variants"]]
    assert "onset.pick=earliest" in keys
    assert "onset.pick=latest" not in keys
    assert (found["settings"], found["published"]) == ({"onset.pick": "latest"}, [])
    assert "onset.pick=last: expected earliest | median" in refused(*call[:-1], "onset.pick=last")
