"""Builds on disk: the same bytes from the same sources wherever they lie, and nothing touched by a build that fails."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from builders.engine.build import build
from builders.engine.registry import BUNDLED, find_recipe
from builders.engine.rules import ROOT
from schemas.errors import InputError, UsageError
from schemas.manifest import open_manifest
from schemas.validation import validate

FOLDERS = {
    "charades-sta": "charades_sta",
    "oops-uag-instruct": "oops",
    "uag-funqa": "funqa",
    "uag-oops": "oops",
    "uag-ssbd": "ssbd/Annotations",
}


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("name", FOLDERS)
def test_the_same_sources_give_the_same_bytes_wherever_they_are_looked_for(
    samples: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = find_recipe(name)
    whole = build(recipe, samples, tmp_path / "a")
    first = tree(whole.path)
    assert whole.path == tmp_path / "a" / name
    assert tree(build(recipe, samples, tmp_path / "a").path) == first
    assert tree(build(recipe, samples / FOLDERS[name], tmp_path / "b" / "c").path) == first
    monkeypatch.chdir(samples / FOLDERS[name])
    assert tree(build(recipe, Path(), tmp_path / "d").path) == first
    assert not any(str(place).encode() in content for content in first.values() for place in (samples, tmp_path))


@pytest.mark.parametrize("name", FOLDERS)
def test_what_is_built_is_valid(samples: Path, tmp_path: Path, name: str) -> None:
    manifest = build(find_recipe(name), samples, tmp_path)
    assert [finding for finding in validate(open_manifest(manifest.path)) if finding.severity == "error"] == []
    assert manifest == open_manifest(manifest.path)
    written, declared = manifest.table().schema, find_recipe(name).schema
    assert written.equals(declared)
    assert [field.metadata for field in written] == [field.metadata for field in declared]
    assert written.metadata == declared.metadata


def test_the_identity_tells_how_the_manifest_was_built(samples: Path, tmp_path: Path) -> None:
    settings = {"onset.pick": "latest", "names.repair": False}
    identity = build(find_recipe("uag-oops"), samples, tmp_path, settings=settings).identity
    assert (identity.name, identity.schema, identity.recipe_version) == ("uag-oops", "uag-oops", 1)
    assert identity.changed_parameters == ["onset.pick"]
    assert (identity.parameters["onset.pick"], identity.parameters["names.repair"]) == ("latest", False)
    assert {source.file for source in identity.sources.values()} == {
        "val_filtered.txt",
        "transition_times.json",
        "val.json",
        "heldout_transition_times.json",
        "single_scene_val.json",
    }
    assert identity.levels.keys() == {"clip"} != {ROOT}


def test_other_parameters_give_another_content(samples: Path, tmp_path: Path) -> None:
    recipe = find_recipe("uag-oops")
    default = build(recipe, samples, tmp_path / "a").identity
    same = build(recipe, samples, tmp_path / "b", settings={"valid_span.on_invalid": "clip"}).identity
    other = build(recipe, samples, tmp_path / "c", settings={"onset.pick": "latest"}).identity
    assert same.content_digest == default.content_digest != other.content_digest
    assert same != default


def test_a_single_source_may_lie_elsewhere(samples: Path, tmp_path: Path) -> None:
    inventory = tmp_path / "mine.parquet"
    pq.write_table(pa.table({"video": ["v_Spinning_07"], "available": [True]}), inventory)
    given, settings = {"inventory": inventory}, {"availability.by": "inventory"}
    manifest = build(find_recipe("uag-ssbd"), samples, tmp_path, settings=settings, given=given)
    assert manifest.identity.sources["inventory"].file == "mine.parquet"
    assert manifest.table()["sample_id"].to_pylist() == ["v_Spinning_07_b_01", "v_Spinning_07_b_02"]


def test_the_steps_are_told_as_they_begin(samples: Path, tmp_path: Path) -> None:
    steps: list[str] = []
    build(find_recipe("uag-ssbd"), samples, tmp_path, progress=steps.append)
    assert steps == ["reading sources", "availability", "time", "description", "nesting rows", "writing"]


def test_a_build_that_fails_leaves_the_previous_manifest(own_samples: Path, tmp_path: Path) -> None:
    recipe = find_recipe("uag-oops")
    folder = build(recipe, own_samples, tmp_path / "out").path
    before = tree(folder)
    with pytest.raises(UsageError, match="unknown rule"):
        build(recipe, own_samples, tmp_path / "out", settings={"on.set": "x"})
    (own_samples / "oops/transition_times.json").write_bytes(b'{"a": ')
    with pytest.raises(InputError, match=r"transition_times.json: byte 6: found the end of the file"):
        build(recipe, own_samples, tmp_path / "out")
    (own_samples / "oops/transition_times.json").unlink()
    with pytest.raises(UsageError, match="source 'transition_times' not found"):
        build(recipe, own_samples, tmp_path / "out")
    assert tree(folder) == before
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["uag-oops"]


def test_files_of_others_are_refused_before_any_source_is_read(tmp_path: Path) -> None:
    (tmp_path / "uag-oops").mkdir()
    (tmp_path / "uag-oops" / "thesis.tex").write_text("years")
    with pytest.raises(UsageError, match=r"holds files but no manifest \(thesis.tex\)"):
        build(find_recipe("uag-oops"), tmp_path / "no such folder", tmp_path)
    assert (tmp_path / "uag-oops" / "thesis.tex").read_text() == "years"


MASKS = {"small_person.area": "mask", "small_person.on_small": "ignore"}


@pytest.mark.parametrize(
    ("name", "settings"), [*((name, {}) for name in BUNDLED), ("coco-person", MASKS), ("densepose-person", MASKS)]
)
def test_every_source_is_opened_once(
    own_samples: Path, tmp_path: Path, opens, name: str, settings: dict[str, object]
) -> None:
    measured = own_samples / "inventory.parquet"
    pq.write_table(pa.table({"video": ["a"], "duration_s": [1.0], "n_scenes": [1], "available": [True]}), measured)
    with opens(own_samples) as opened:
        manifest = build(find_recipe(name), own_samples, tmp_path / "out", settings=settings)
    assert manifest.identity.sources
    assert set(opened.values()) == {1}, {path: count for path, count in opened.items() if count > 1}
