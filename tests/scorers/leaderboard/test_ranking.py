"""Ranks, groups and what tells neighbours apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from schemas.errors import InputError, UsageError
from schemas.manifest import Manifest
from scorers import task as scorers_task
from scorers.comparison import compare
from scorers.leaderboard.ranking import leaderboard
from scorers.run import score

Spans = dict[str, Any]


@pytest.fixture
def oops(sample_manifest: Callable[..., Manifest]) -> Manifest:
    return sample_manifest("uag-oops")


def late(manifest: Manifest, by: float, rows: int | None = None) -> Spans:
    """The truth, some seconds later, of the first rows."""
    table = manifest.table("test")
    kept = np.where(np.arange(len(table)) < (len(table) if rows is None else rows), 0, math.nan)
    return {name: table[name].to_numpy() + by + kept for name in ("start_s", "end_s")}


def test_runs_are_ranked_the_best_first_and_each_scores_as_it_does_alone(oops: Manifest) -> None:
    runs = {"late": late(oops, 2), "exact": late(oops, 0), "later": late(oops, 9)}
    board = leaderboard(oops, runs, {"metrics": ["mIoU", "mTD"]})
    assert [row.name for row in board.rows if row.kind == "run"] == ["exact", "late", "later"]
    assert [row.rank for row in board.rows if row.kind == "run"] == [1, 2, 3]
    assert {row.name for row in board.rows if row.kind == "baseline"} == set(score(oops, runs["late"]).baselines)
    values = [row.metrics["mIoU"].value for row in board.rows]
    assert values == sorted(values, reverse=True)
    for row in board.rows:
        if row.kind == "run":
            alone = score(oops, runs[row.name], {"metrics": ["mIoU", "mTD"]})
            assert (row.metrics, row.signature, row.counts) == (alone.metrics, alone.signature, alone.counts)
    assert board.best == {"mIoU": ["exact"], "mTD": ["exact"]}
    assert board.signature.startswith("3 runs by mIoU n=12 | data:uag-oops/test sha:")


def test_where_lower_is_better_the_lowest_is_first(oops: Manifest) -> None:
    runs = {"late": late(oops, 2), "exact": late(oops, 0)}
    board = leaderboard(oops, runs, {"metrics": ["mTD"], "resamples": 50})
    assert [row.name for row in board.rows if row.kind == "run"] == ["exact", "late"]
    assert (board.neighbours[0].difference or 0) < 0


def test_equal_runs_share_a_rank_and_are_not_told_apart(oops: Manifest) -> None:
    runs = {"b": late(oops, 2), "a": late(oops, 2), "c": late(oops, 9)}
    board = leaderboard(oops, runs, {"metrics": ["mIoU"]})
    rows = {row.name: row for row in board.rows}
    assert [rows[name].rank for name in "bac"] == [1, 1, 3]
    assert [row.name for row in board.rows if row.name in "ab"] == ["b", "a"]
    assert rows["a"].group == rows["b"].group
    assert board.best["mIoU"] == ["b", "a"]
    pair = next(pair for pair in board.neighbours if pair.better == "b")
    assert (pair.worse, pair.difference, pair.p_value, pair.told_apart) == ("a", 0, 1, False)


def test_neighbours_are_told_apart_by_the_comparison_of_both(oops: Manifest) -> None:
    runs = {"late": late(oops, 0.5), "exact": late(oops, 0)}
    options: Any = {"metrics": ["mIoU"], "resamples": 500}
    board = leaderboard(oops, runs, options)
    pair = next(pair for pair in board.neighbours if (pair.better, pair.worse) == ("exact", "late"))
    found = compare(oops, runs["late"], runs["exact"], options).metrics["mIoU"]
    assert (pair.difference, pair.low, pair.high, pair.p_value) == (
        found.difference,
        found.low,
        found.high,
        found.p_value,
    )
    assert pair.told_apart
    letters = [row.group for row in board.rows if row.kind == "run"]
    assert letters == sorted(set(letters))


def test_null_values_come_last_without_a_rank(oops: Manifest) -> None:
    runs = {"nothing": late(oops, 0, rows=0), "late": late(oops, 2)}
    board = leaderboard(oops, runs, {"metrics": ["mTD"], "protocol": "strict", "resamples": 50})
    assert (board.rows[-1].name, board.rows[-1].rank, board.rows[-1].group) == ("nothing", None, None)
    assert board.best == {"mTD": ["late"]}


def test_without_resamples_there_are_ranks_alone(oops: Manifest) -> None:
    board = leaderboard(oops, {"late": late(oops, 2), "exact": late(oops, 0)}, {"metrics": ["mIoU"], "resamples": 0})
    assert board.neighbours == []
    assert {(row.group, row.rank_low) for row in board.rows} == {(None, None)}
    assert [row.rank for row in board.rows if row.kind == "run"] == [1, 2]


def test_the_number_of_workers_changes_nothing(oops: Manifest, monkeypatch) -> None:
    runs = {f"run {by}": late(oops, by) for by in range(6)}
    found = []
    for workers in (1, 2, 5):
        monkeypatch.setattr(scorers_task.os, "cpu_count", lambda workers=workers: workers)
        found.append(leaderboard(oops, runs, {"resamples": 100}))
    assert found[0] == found[1] == found[2]


def test_ranks_in_resamples_contain_the_rank_and_are_ranks(oops: Manifest) -> None:
    rng = np.random.default_rng(5)
    runs = {f"run {n}": late(oops, rng.uniform(0, 3, 12)) for n in range(4)}
    board = leaderboard(oops, runs, {"metrics": ["mIoU"], "resamples": 200})
    for row in board.rows:
        if row.kind == "run":
            assert 1 <= row.rank_low <= row.rank <= row.rank_high <= 4


def test_every_run_that_cannot_be_read_is_named(oops: Manifest, tmp_path, write) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    runs = {"good": write(oops), "broken": broken, "absent": tmp_path / "absent.json"}
    with pytest.raises(InputError) as failure:
        leaderboard(oops, runs)
    first, *others = str(failure.value).split("\n")
    assert first == "2 of 3 runs cannot be read"
    assert [line.partition(": ")[0] for line in others] == ["broken", "absent"]
    with pytest.raises(UsageError, match="1 of 2 runs cannot be read\nodd: found int"):
        leaderboard(oops, {"good": write(oops), "odd": 3})


def test_where_no_neighbours_can_be_told_apart_it_is_said(oops: Manifest, sample_manifest) -> None:
    ssbd = sample_manifest("uag-ssbd")
    board = leaderboard(ssbd, {f"run {by}": late(ssbd, by) for by in range(3)}, {"metrics": ["mIoU"]})
    assert "5 videos tell no neighbours apart: of 5 p-values none can be below 0.31" in board.warnings
    runs = {"exact": late(oops, 0), "late": late(oops, 2)}
    assert not [w for w in leaderboard(oops, runs, {"metrics": ["mIoU"]}).warnings if "neighbours" in w]
