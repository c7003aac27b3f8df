"""`compare` and `baseline` through the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemas.manifest import Manifest
from scorers.temporal.expressions import DEFAULT_METRICS

Manifests = Callable[..., Manifest]
Refused = Callable[..., str]
Run = Callable[..., Any]
Write = Callable[..., Path]

VALUES = ["a", "b", "difference", "low", "high"]


@pytest.fixture
def ssbd(sample_manifest: Manifests) -> Manifest:
    return sample_manifest("uag-ssbd")


def test_the_json_of_a_comparison(ssbd: Manifest, write: Write, run: Run) -> None:
    a, b = write(ssbd, by=2, name="a.json"), write(ssbd, by=0.5, name="b.json", rows=7)
    arguments = ("compare", ssbd.path, a, b, "--resamples", 200, "--json")
    code, out, err = run(*arguments)
    assert code == 0
    assert err.splitlines() == [
        f"warning: {b}: 1 of 8 rows have no prediction ('v_Spinning_18_b_01')",
        "warning: the intervals rest on 5 videos: so few make them rough",
        "warning: so few videos allow no p-value below 0.69, corrected for 11 metrics",
    ]
    result = json.loads(out)
    assert (result["a"], result["b"], result["protocol"]) == (str(a), str(b), "paper")
    assert list(result["metrics"]) == [str(metric) for metric in DEFAULT_METRICS]
    line = result["metrics"]["onset(<=1)"]
    assert list(line) == [*VALUES, "p_value", "p_holm", "p_floor", "unit", "higher_is_better", "method"]
    assert (line["a"], line["b"], line["difference"], line["unit"]) == (0, 87.5, 87.5, "percent")
    assert (line["p_value"], line["p_holm"], line["p_floor"]) == (4 / 2**5, 1, 2 / 2**5)  # one video was missed by both
    assert run(*arguments).out == out


def test_a_comparison_for_people(ssbd: Manifest, write: Write, run: Run) -> None:
    a, b = write(ssbd, by=2, name="a.json"), write(ssbd, by=0.5, name="b.json")
    code, out, err = run("compare", ssbd.path, a, b, "--resamples", 200, "--metric", "mTD")
    assert code == 0
    assert err.splitlines() == [
        "warning: the intervals rest on 5 videos: so few make them rough",
        "warning: so few videos allow no p-value below 0.062",
    ]
    assert out.startswith("b minus a, protocol paper\n")
    assert " ".join(out.splitlines()[3].split()) == "mTD, s ↓ 4.00 1.00 -3.00 <= 0.0625"
    assert f"a = {a}\nb = {b}\n" in out
    assert "exact sign-flip test over 5 videos; 95% intervals: none; p-values are two-sided" in out


def test_a_baseline_scores_as_the_column_beside_a_score(ssbd: Manifest, run: Run, tmp_path: Path) -> None:
    for kind in ("random", "predict-all", "middle"):
        out = tmp_path / f"{kind}.csv"
        code, said, err = run("baseline", ssbd.path, kind, "--out", out)
        assert (code, err) == (0, "")
        assert said.startswith(f"{out}: 8 predictions of the baseline {kind}\n{kind} = ")
        result = run("score", ssbd.path, out, "--resamples", 0, "--json").json
        assert {name: value["value"] for name, value in result["metrics"].items()} == result["baselines"][kind]


def test_baselines_that_cannot_be_made_are_refused(ssbd: Manifest, refused: Refused, tmp_path: Path) -> None:
    assert "unknown baseline 'best'" in refused("baseline", ssbd.path, "best", "--out", tmp_path / "b.csv")
    assert "heldout_onset_s" in refused("baseline", ssbd.path, "human", "--out", tmp_path / "b.csv")
    assert "--metric: random-paper draws anew" in refused(
        "baseline", ssbd.path, "random-paper", "--out", tmp_path / "b.csv"
    )
    assert "expected a name that ends in" in refused("baseline", ssbd.path, "random", "--out", tmp_path / "b.txt")
    assert list(tmp_path.iterdir()) == []
