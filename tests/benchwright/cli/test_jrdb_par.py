"""jrdb-par on the command line: what it shows, builds, verifies and refuses."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from schemas.input.parquet import read_parquet

NAME = "jrdb-par"


@pytest.fixture
def source(samples: Path, tmp_path: Path) -> Path:
    """A copy of the sample sources that a test may change."""
    return Path(shutil.copytree(samples / "jrdb_par", tmp_path / "source"))


def test_show_has_the_classes_with_both_names(run: Callable) -> None:
    ran = run("show", NAME)
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert "1 walking walking (walking together) commuting" in lines
    assert "7 looking at robot looking at robot (looking at camera) sitting" in lines
    assert "32 complicated" in lines
    assert any(line.startswith("persons.actions.id int64 id of the class") for line in lines)
    lists = run("show", NAME, "--json").json["card"]["label_lists"]
    assert [(given["name"], len(given["labels"])) for given in lists] == [
        ("actions", 27),
        ("social", 32),
        ("global", 7),
    ]


def test_a_build_is_valid_and_differs_from_the_published_data(run: Callable, source: Path, tmp_path: Path) -> None:
    assert run("build", NAME, "--source", source, "--out", tmp_path / "out").code == 0
    assert run("validate", tmp_path / "out" / NAME).code == 0
    ran = run("verify", tmp_path / "out" / NAME)
    assert ran.code == 1
    assert "gt_action.txt is not the published file" in ran.err


def test_rows_are_read_by_pandas_and_datasets(sample_manifest, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    manifest = sample_manifest(NAME)
    (path,) = (manifest.path / "data").glob("test-*.parquet")
    expected = read_parquet(path).to_pylist()
    loaded = datasets.load_dataset(str(manifest.path), split="test", cache_dir=str(tmp_path))
    assert list(loaded) == expected


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("action", " 6 1 3\n", " 6 1\n", "gt_action.txt: line 2: found 9 columns, expected 10"),
        ("group", " 1 1 0 3\n", " 1 1 0 3.0\n", "gt_group.txt: line 1: person: found '3.0'"),
        ("activity", " 28 0 3\n", " 33 0 3\n", "gt_activity.txt: line 2: label: found 33"),
        (
            "group",
            "0 15 0 160 80 330 2",
            "0 15 3110 70 3300 465 2",
            "gt_group.txt: line 3: box: found 3110 70 3300 465",
        ),
    ],
)
def test_bad_label_files(
    refused: Callable, source: Path, tmp_path: Path, file: str, old: str, new: str, said: str
) -> None:
    path = source / f"annotated_txt/gt_{file}.txt"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    assert said in refused("build", NAME, "--source", source, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_bad_workbook(refused: Callable, source: Path, tmp_path: Path) -> None:
    (source / "annotated_excel/seq_1_3.xlsx").write_text("no workbook")
    message = refused("build", NAME, "--source", source, "--out", tmp_path / "out")
    assert "seq_1_3.xlsx: found 'File is not a zip file'" in message


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("people.keep=some", "people.keep=some: expected action_and_activity | action | all"),
        ("split.test=30", "split.test: '30' is not a sequence; expected numbers from 0 to 26"),
        ("key_frames.step=0", "expected steps from 1"),
        ("group_size.minimum=two", "group_size.minimum=two: expected a finite int"),
    ],
)
def test_bad_settings(refused: Callable, source: Path, tmp_path: Path, setting: str, said: str) -> None:
    assert said in refused("build", NAME, "--source", source, "--out", tmp_path / "out", "--set", setting)


@pytest.mark.real_data
def test_the_published_files_verify(run: Callable, real_manifest) -> None:
    manifest = real_manifest(NAME)
    ran = run("verify", manifest.path, "--json")
    assert ran.code == 0
    assert ran.err == ""
    verdicts = {line["claim"]: line["verdict"] for line in ran.json}
    assert [claim for claim, verdict in verdicts.items() if verdict != "reproduced"] == ["social activity classes"]
    assert run("validate", manifest.path).code == 0
