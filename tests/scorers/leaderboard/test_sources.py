"""Which runs are meant by files, folders and NAME=PATH."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import UsageError
from scorers.leaderboard.sources import named_runs


def of_folders(*names: str) -> Any:
    return lambda folder: folder.name in names


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (
        "a.json",
        "b.csv",
        "b.review.csv",
        "README.md",
        ".hidden.json",
        "c/p.parquet",
        "d/one.json",
        "d/two.json",
    ):
        path = tmp_path / "runs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "runs" / "e").mkdir()
    return tmp_path / "runs"


def test_a_folder_of_runs_names_them_and_tells_what_it_leaves_out(folder: Path) -> None:
    runs, notes = named_runs([folder], of_folders())
    assert {name: path.relative_to(folder).as_posix() for name, path in runs.items()} == {
        "a": "a.json",
        "b": "b.csv",
        "c": "c/p.parquet",
        "d/one": "d/one.json",
        "d/two": "d/two.json",
    }
    assert notes == [f"{folder}: a folder of 5 runs; not read: README.md, b.review.csv, e"]


def test_a_folder_that_the_family_reads_is_one_run_and_so_may_those_in_it_be(folder: Path) -> None:
    assert named_runs([str(folder)], of_folders("runs")) == ({"runs": folder}, [f"{folder}: one run"])
    runs, _ = named_runs([folder], of_folders("d", "e"))
    assert [runs[name] for name in ("d", "e")] == [folder / "d", folder / "e"]


def test_a_name_before_a_path_makes_it_one_run_unless_a_file_is_called_so(folder: Path, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    assert named_runs(["mine=d", "lr=0.1=a.json"], of_folders())[0] == {"mine": Path("d"), "lr": Path("0.1=a.json")}
    Path("x=a.json").touch()
    assert named_runs(["x=a.json"], of_folders())[0] == {"x=a": Path("x=a.json")}


def test_home_is_filled_in(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    expected = {"p": tmp_path / "p.json", "n": tmp_path / "q.json", "m": tmp_path / "r.json"}
    assert (
        named_runs(["~/p.json", "n=~/q.json"], of_folders())[0] | named_runs({"m": "~/r.json"}, of_folders())[0]
        == expected
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "no runs are given"),
        ({}, "no runs are given"),
        ([""], "expected the path"),
        (["=a.json"], "'=a.json': expected NAME=PATH"),
        (["a="], "'a=': expected NAME=PATH"),
        ({" ": "a.json"}, "expected the name of a run"),
        ({1: "a.json"}, "1: expected the name of a run"),
        (3, "found a int, expected paths of runs, or runs by name"),
        ([{"start_s": [1]}], "found a dict, expected paths of runs, or runs by name"),
        (["x/p.json", "y/p.json"], "two runs are named p: x/p.json and y/p.json; name them NAME=PATH, as y=y/p.json"),
        (["p.json", "p=p.json"], "two runs are named p"),
    ],
)
def test_runs_without_a_name_of_their_own_are_refused(given: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        named_runs(given, of_folders())


def test_a_folder_without_runs_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"e: a folder without runs; expected files that end in .json, "):
        named_runs([folder / "e"], of_folders())


def test_names_of_runs_are_text(tmp_path: Path, refused) -> None:
    """They become text in JSON; POSIX allows any bytes in names of files."""
    (tmp_path / "a.json").write_text("[]")
    for name in (b"a\xff.txt", b"\xfe.json"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("[]")
    (problem,) = refused(named_runs, [tmp_path], lambda _: False)
    assert (problem.field, problem.found) == ("file name", r"b'\xfe.json'")
    Path(os.fsdecode(problem.file.encode().replace(rb"\xfe", b"\xfe"))).unlink()
    runs, (note,) = named_runs([tmp_path], lambda _: False)
    assert list(runs) == ["a"]
    assert note.endswith(r"not read: a\xff.txt")
