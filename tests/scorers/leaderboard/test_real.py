"""The runs of the paper on UAG-OOPS as a leaderboard: their printed values, and which of them the data tell apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from builders.engine.build import build
from builders.engine.registry import find_recipe
from scorers.leaderboard.ranking import leaderboard

# R@1 at IoU 0.3 in percent, as `reproduce` has it.
PRINTED = {
    "videollama": 40.7,
    "video_chatgpt": 25.5,
    "blip2_llama3": 19.1,
    "videochat2": 16.5,
    "videollama_finetuned": 3.0,
}


@pytest.mark.real_data
def test_the_runs_of_the_paper_are_ranked(real_data: Path, tmp_path: Path) -> None:
    manifest = build(find_recipe("uag-oops"), real_data / "oops", tmp_path)
    board = leaderboard(manifest, real_data / "systems" / "uag-oops")
    runs = [row for row in board.rows if row.kind == "run"]
    assert {row.name: round(row.metrics[board.primary].value or 0, 1) for row in runs} == PRINTED
    assert [row.name for row in runs] == list(PRINTED)
    assert [row.label for row in board.rows][:2] == ["predict-all (baseline)", "middle (baseline)"]
    groups = {row.label: row.group for row in board.rows}
    assert groups["videollama"] != groups["video_chatgpt"] != groups["blip2_llama3"]
    assert groups["blip2_llama3"] == groups["videochat2"]
    assert [(row.rank_low, row.rank_high) for row in runs] == [(1, 1), (2, 2), (3, 4), (3, 4), (5, 5)]
    assert groups["videochat2"] != groups["random (baseline)"] != groups["videollama_finetuned"]
