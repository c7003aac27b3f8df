"""What a manifest knows beside the split that is scored: its other splits, and whom its build dropped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from schemas.identity import Identity, Level
from schemas.manifest import open_manifest, write_manifest
from scorers.activity import elsewhere_of, evaluate, predictions_from, truth_from
from scorers.activity.formats import unnested

PERSON = {"gt": [1], "pred": [1]}
FRAME = {"n_persons": 1, "persons": [PERSON], "gt_groups": [], "pred_groups": [], "global": None}
IDENTITY = Identity(
    name="jrdb-par",
    schema="jrdb-par",
    schema_version=1,
    recipe_version=1,
    version_reason="first version",
    parameters={},
    changed_parameters=[],
    sources={},
    levels={"frame": Level(6, 4)},
    counts=[],
    findings={},
    aggregates={},
    splits={},
    content_digest="",
    tool_version="0",
)


@pytest.fixture
def folder(tmp_path: Path, rows: Callable[..., pa.Table]) -> Path:
    """A manifest of two key frames for training and two to test on; its build dropped a key frame and two persons."""
    table = rows([FRAME] * 4, sequences=2)
    entries = [
        {"level": "frame", "key": "place-1/000016", "child_key": None, "action": "dropped"},
        {"level": "persons", "key": "place-1/000015", "child_key": "7", "action": "dropped"},
        {"level": "persons", "key": "place-1/000030", "child_key": "8", "action": "dropped"},
        {"level": "persons", "key": "place-1/000030", "child_key": "9", "action": "changed"},
        {"level": "groups", "key": "place-1/000030", "child_key": "10", "action": "dropped"},
    ]
    ledger = pa.Table.from_pylist(
        [entry | {"rule": "", "order": 1, "reason": "", "values": [0.0]} for entry in entries]
    )
    splits = {"train": table.slice(0, 2), "test": table.slice(2)}
    write_manifest(tmp_path / "manifest", IDENTITY, splits, ledger, "Invented: a test", "none")
    return tmp_path / "manifest"


def test_other_splits_and_the_ledger_say_what_exists_elsewhere(folder: Path) -> None:
    found = elsewhere_of(open_manifest(folder), "test")
    assert found.frames == {"place-0/000015", "place-0/000030", "place-1/000016"}
    assert found.people == {("place-1/000015", 7), ("place-1/000030", 8)}
    assert found.sequences == {3: "place-0"}
    assert found.splits == {"place-0/000015": "train", "place-0/000030": "train"}


def test_a_lone_split_has_neither(folder: Path) -> None:
    found = elsewhere_of(open_manifest(folder / "data" / "test-00000-of-00001.parquet"), "test")
    assert (found.frames, found.people, found.sequences) == (frozenset(), frozenset(), {})


@pytest.mark.real_data
def test_predictions_for_everybody_are_scored_on_those_who_were_kept(real_data: Path, tmp_path: Path) -> None:
    from builders.engine.build import build
    from builders.engine.registry import find_recipe

    recipe = find_recipe("jrdb-par")
    kept = build(recipe, real_data, tmp_path / "kept")
    everybody = build(recipe, real_data, tmp_path / "all", settings={"people.keep": "all"})
    truth = truth_from(kept.table("test"))
    tables = unnested("everybody", everybody.table())
    predictions = predictions_from(tables, truth, elsewhere=elsewhere_of(kept, "test"))
    assert predictions.counts["scored"] == predictions.counts["rows"] == 411
    values = evaluate(truth, predictions)["strict"].values
    assert values == pytest.approx(dict.fromkeys(values, 1.0))
