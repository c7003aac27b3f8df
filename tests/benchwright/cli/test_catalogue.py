"""The verbs `list` and `show`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from builders.engine import registry
from builders.engine.registry import BUNDLED
from schemas.manifest_folder import split_file

Run = Callable[..., Any]


UAL_BENCH = ["charades-sta", "oops-uag-instruct", "uag-funqa", "uag-oops", "uag-ssbd"]


def test_list_names_every_benchmark(run: Run) -> None:
    ran = run("list")
    assert (ran.code, ran.err) == (0, "")
    assert all(name in ran.out for name in BUNDLED)
    assert " densepose_coco_2014_train.json, densepose_coco_2014_valminusminival.json\n" in ran.out
    rows = {row["name"]: row for row in run("list", "--json").json}
    assert set(BUNDLED) <= set(rows)
    assert (rows["uag-oops"]["rows"], rows["charades-sta"]["rows"]) == (1589, 16128)
    assert rows["charades-sta"]["splits"] == ["train", "test"]
    assert rows["uag-funqa"]["sources"] == ["funqa_test.json"]


@pytest.mark.parametrize("name", UAL_BENCH)
def test_show_tells_sources_rules_parameters_columns_and_claims(run: Run, name: str) -> None:
    ran = run("show", name)
    assert ran.code == 0
    for heading in ("Citation: ", "Licence: ", "Sources", "Rules, in order", "Parameters (--set", "Columns", "Claims"):
        assert f"\n{heading}" in ran.out
    shown = run("show", name, "--json").json
    recipe = registry.find_recipe(name)
    assert [rule["name"] for rule in shown["rules"]] == [rule.name for rule in recipe.rules]
    assert [column["name"] for column in shown["columns"]][: len(recipe.schema)][:2] == ["sample_id", "split"]
    assert {parameter["parameter"] for parameter in shown["parameters"]} == {
        f"{step.name}.{parameter.name}" for step in recipe.steps for parameter in step.parameters
    }
    assert shown["card"]["name"] == name


def test_show_tells_of_a_manifest_and_of_any_of_its_files(run: Run, sample_manifest) -> None:
    manifest = sample_manifest("uag-oops", onset__pick="latest")
    for path in (manifest.path, manifest.path / split_file("test"), manifest.path / "ledger.parquet"):
        ran = run("show", path)
        assert ran.code == 0
        assert "Benchmark: uag-oops, recipe version 1 (first version)" in ran.out
        assert "Parameters: onset.pick=latest" in ran.out
        assert run("show", path, "--json").json["content_digest"] == manifest.identity.content_digest
