"""Scores without an audit are those of `score`, for every family."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchwright import baseline, score
from benchwright.checks.run import context_of, findings_in
from benchwright.reporting.blocks import Beside, Figure, Table
from benchwright.reporting.content.family import Material
from benchwright.reporting.content.guesses import fitted
from benchwright.reporting.content.values import values
from schemas.manifest import Manifest
from scorers.score import quoted


def material_of(manifest: Manifest, runs: dict[str, Path] | None) -> Material:
    context = context_of(manifest, runs)
    return Material(context, None, findings_in(context), tuple(context.runs))


@pytest.mark.parametrize(("name", "guess"), [("uag-oops", "random"), ("jrdb-par", "nearest")])
def test_values_and_intervals_are_those_of_score(
    name: str, guess: str, sample_manifest: Callable[..., Manifest], tmp_path: Path
) -> None:
    manifest = sample_manifest(name)
    run = tmp_path / ("run" if name == "jrdb-par" else "run.json")
    baseline(manifest, guess, run)
    (section,) = values(material_of(manifest, {"run": run}))
    (table,) = (block for block in section.blocks if isinstance(block, Table))
    wanted = score(manifest, run)
    found = {str(row[0]).partition(" (")[0]: row[1] for row in table.rows}
    assert found == {metric: quoted(wanted.metrics[metric]) for metric in found}
    assert len(found) > 2
    assert table.columns[: 2 + len(wanted.baselines)] == ("metric", "run", *wanted.baselines)
    (charts,) = (block for block in section.blocks if isinstance(block, Beside))
    metric = next(each for each in charts.blocks if isinstance(each, Figure)).title.partition(":")[0]
    assert quoted(wanted.metrics[metric]).partition(" [")[0] in str(charts)


def test_nothing_is_said_without_predictions(sample_manifest: Callable[..., Manifest]) -> None:
    assert values(material_of(sample_manifest("uag-oops"), None)) == []


def test_guesses_of_findings_stand_beside_those_of_the_scorer(
    sample_manifest: Callable[..., Manifest], tmp_path: Path
) -> None:
    manifest = sample_manifest("uag-oops")
    baseline(manifest, "random", tmp_path / "run.json")
    material = material_of(manifest, {"run": tmp_path / "run.json"})
    found = {each.id: each.numbers for each in material.findings.findings if each.id.startswith("blind")}
    assert found
    (section,) = values(material)
    (table,) = (block for block in section.blocks if isinstance(block, Table))
    reached = {str(row[0]).partition(" (")[0]: row for row in table.rows}
    for name, numbers in found.items():
        cell = str(reached[str(numbers["metric"])][table.columns.index(name)])
        assert cell == f"{numbers['value']:.{len(cell.partition('.')[2])}f}"
        assert f"{name} answers each row with {numbers['guess']}" in str(section.blocks[0])
    assert fitted(material, "strict", "test") == {}
    assert fitted(material, "paper", "train") == {}
