"""`reproduce` through the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemas.manifest import Manifest

Manifests = Callable[..., Manifest]
Refused = Callable[..., str]
Run = Callable[..., Any]


@pytest.fixture
def ssbd(sample_manifest: Manifests) -> Manifest:
    return sample_manifest("uag-ssbd")


def test_the_json_of_reproduced_tables(ssbd: Manifest, run: Run, tmp_path: Path) -> None:
    manifests = ssbd.path.parent
    arguments = ("reproduce", "ual-bench", "--manifests", manifests, "--predictions", tmp_path)
    code, out, err = run(*arguments, "--table", 6, "--json")
    assert (code, err) == (0, "")
    cells = json.loads(out)
    assert len(cells) == 3
    assert set(cells[0]) >= {"table", "row", "column", "paper", "value", "verdict", "reason"}
    assert (cells[0]["table"], cells[0]["row"], cells[0]["column"]) == (6, "UAG-OOPS: VideoLlaMA", "onset(<=1)")
    assert (cells[0]["paper"], cells[0]["value"], cells[0]["verdict"]) == ("16.11", None, "quoted")
    # The random row of the samples is not that of the paper, and nothing explains it: the answer is no.
    code, out, _ = run(*arguments, "--table", 2, "--json")
    assert code == 1
    assert {cell["verdict"] for cell in json.loads(out)} >= {"differs", "needs file", "needs manifest"}


def test_reproduced_tables_for_people(ssbd: Manifest, run: Run, tmp_path: Path) -> None:
    arguments = ("reproduce", "ual-bench", "--manifests", ssbd.path.parent, "--predictions", tmp_path)
    code, out, err = run(*arguments)
    assert (code, err) == (1, "")
    for number in range(1, 7):
        assert f"Table {number}, UAG-OOPS" in out
    assert "Table 2, UAG-SSBD" in out
    assert f"build uag-oops into {ssbd.path.parent}" in out
    assert "uag-ssbd/videochat2.json below" in out
    assert "R1(iou>=0.5): the paper took" in out or "the paper took the durations of the video files" in out
    assert "16.49: ours prints the same" in out


def test_other_papers_tables_and_folders_are_refused(refused: Refused, tmp_path: Path) -> None:
    assert "unknown paper 'ual'" in refused("reproduce", "ual", "--manifests", tmp_path, "--predictions", tmp_path)
    arguments = ("reproduce", "ual-bench", "--manifests", tmp_path, "--predictions")
    assert "no table 7 of results" in refused(*arguments, tmp_path, "--table", 7)
    assert "none is not a folder" in refused(*arguments, tmp_path / "none")


@pytest.mark.real_data
def test_the_published_tables_are_reproduced_with_one_command(
    real_data: Path, real_manifest: Manifests, run: Run, tmp_path: Path
) -> None:
    for name in ("uag-oops", "uag-ssbd", "uag-funqa", "oops-uag-instruct", "charades-sta"):
        (tmp_path / name).symlink_to(real_manifest(name).path)
    arguments = ("reproduce", "ual-bench", "--manifests", tmp_path, "--predictions", real_data / "predictions")
    code, out, err = run(*arguments, "--json")
    assert (code, err) == (0, "")
    cells = json.loads(out)
    assert {cell["verdict"] for cell in cells} == {"reproduced", "needs file", "needs media", "quoted"}
    assert sum(cell["verdict"] == "reproduced" for cell in cells) == 155
    assert all(cell["reason"] for cell in cells if cell["verdict"] != "reproduced")
    code, out, err = run(*arguments, "--table", 2)
    assert (code, err) == (0, "")
    assert "99 reproduced, 90 needs file" in out
