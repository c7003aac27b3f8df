"""Forest plots: written whole, the same for the same numbers, of any name."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from schemas.errors import UsageError
from scorers.leaderboard.board import Leaderboard

from .conftest import board_of

STARTS = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}


@pytest.mark.parametrize("suffix", STARTS)
def test_a_plot_is_written_and_the_same_again(tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("matplotlib")
    contents = []
    for name in ("a", "b"):
        board_of(["one", "two"]).plot(tmp_path / f"{name}.{suffix}")
        contents.append((tmp_path / f"{name}.{suffix}").read_bytes())
    assert contents[0].startswith(STARTS[suffix])
    assert contents[0] == contents[1]


def test_a_plot_has_every_name_and_metric(tmp_path: Path, strange: Leaderboard) -> None:
    pytest.importorskip("matplotlib")
    strange.plot(tmp_path / "plot.svg")
    texts = " ".join(ElementTree.parse(tmp_path / "plot.svg").getroot().itertext())
    assert "plain" in texts
    assert "<script>alert(1)</script>" in texts
    assert "$x$" in texts
    assert "R1(iou>=0.5)  (% \u2191)" in texts
    assert "middle (baseline)" in texts


def test_another_suffix_and_a_missing_library_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"expected a name that ends in .svg, .png, .pdf"):
        board_of(["a"]).plot(tmp_path / "plot.txt")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r"pip install 'benchwright\[plot\]'"):
        board_of(["a"]).plot(tmp_path / "plot.svg")
    assert not list(tmp_path.iterdir())
