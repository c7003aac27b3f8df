"""Task folders for lmms-eval, as its own reader of YAML sees them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from benchwright.exporters import export
from schemas.errors import InputError, UsageError
from schemas.manifest import Manifest
from scorers.temporal.expressions import DEFAULT_METRICS
from tests.benchwright.exporters.training.conftest import video

Make = Callable[..., Manifest]


class Loader(yaml.SafeLoader):
    """With the tag of lmms-eval: a function of an installed module."""


def function(loader: Loader, node: yaml.ScalarNode) -> Any:
    module, _, name = loader.construct_scalar(node).rpartition(".")
    return getattr(import_module(module), name)


Loader.add_constructor("!function", function)


def task_in(folder: Path) -> dict[str, Any]:
    (path,) = folder.glob("*.yaml")
    task: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader)
    assert path.stem == task["task"]
    return task


def videos(manifest: Manifest, folder: Path) -> list[str]:
    """A folder with the videos of a manifest, one second each; their names."""
    names = sorted(set(manifest.table(manifest.chosen_split())["video"].to_pylist()))
    folder.mkdir()
    for name in names:
        video(folder / f"{name.removesuffix('.mp4')}.mp4")
    return names


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.parametrize("name", ["uag-oops", "uag-ssbd", "uag-funqa", "charades-sta"])
def test_a_folder_names_rows_videos_and_functions_of_the_package(
    sample_manifest: Make, tmp_path: Path, name: str
) -> None:
    manifest = sample_manifest(name)
    media = tmp_path / "the media"
    names = videos(manifest, media)
    counts = export(manifest, "lmms-eval", tmp_path / "out", media=media)
    split = manifest.chosen_split()
    assert counts == {"rows": manifest.identity.splits[split].rows, "videos": len(names)}
    task = task_in(tmp_path / "out")
    assert task["task"] == f"benchwright_{name.replace('-', '_')}"
    assert not list((tmp_path / "out").rglob("*.py"))
    ((key, file),) = task["dataset_kwargs"]["data_files"].items()
    assert key == task["test_split"] == split
    assert task["generation_kwargs"]["until"] == []
    docs = pq.read_table(tmp_path / "out" / file).to_pylist()
    for doc, row in zip(docs, manifest.table(split).to_pylist(), strict=True):
        assert all(row[column] == doc[column] for column in ("sample_id", "video", "start_s", "end_s"))
        (path,) = task["doc_to_visual"](doc, task["lmms_eval_specific_kwargs"]["default"])
        assert Path(path).is_file()
        asked = task["doc_to_text"](doc, task["lmms_eval_specific_kwargs"]["default"])
        assert asked.startswith("Find the start time and end time")
        judged = task["process_results"](doc, [task["doc_to_target"](doc)])
        assert judged["R1(iou>=0.7)"] == {task["cluster_key"]: row["video"], task["score_key"]: 100.0}
    metrics = {each["metric"]: each for each in task["metric_list"]}
    assert list(metrics) == [*map(str, DEFAULT_METRICS), "scored", "failed"]
    assert metrics["mTD"]["higher_is_better"] is False
    judged = task["process_results"](docs[0], ["I cannot tell."])
    assert all(each["aggregation"]([judged[name]]) is not None for name, each in metrics.items())
    assert task["metadata"]["content_digest"] == manifest.identity.content_digest
    assert f"sha:{manifest.identity.content_digest[:12]}" in task["metadata"]["signature"]
    readme = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "all found and opened" in readme
    assert "--to lmms-eval" in readme


def test_media_are_refused_dropped_or_kept(sample_manifest: Make, tmp_path: Path) -> None:
    manifest = sample_manifest("uag-oops")
    names = videos(manifest, tmp_path / "media")
    (tmp_path / "media" / f"{names[0].removesuffix('.mp4')}.mp4").unlink()
    rows = len(manifest.table("test"))
    with pytest.raises(InputError, match="no such file"):
        export(manifest, "lmms-eval", tmp_path / "refused", media=tmp_path / "media")
    assert not (tmp_path / "refused").exists()
    counts = export(manifest, "lmms-eval", tmp_path / "dropped", media=tmp_path / "media", missing="drop")
    assert counts["rows"] + counts["rows left out for media missing or broken"] == rows
    assert task_in(tmp_path / "dropped")["metadata"]["rows_of_split"] == rows
    readme = (tmp_path / "dropped" / "README.md").read_text(encoding="utf-8")
    assert "--missing drop" in readme
    assert "counts the other 1 as missing" in readme
    assert export(manifest, "lmms-eval", tmp_path / "kept", media=tmp_path / "media", missing="keep")["rows"] == rows
    with pytest.raises(UsageError, match="--media names the folder"):
        export(manifest, "lmms-eval", tmp_path / "unseen")
    assert export(manifest, "lmms-eval", tmp_path / "unseen", missing="keep")["rows"] == rows


@pytest.mark.parametrize("name", ["jrdb-par", "coco-person"])
def test_other_kinds_are_refused(sample_manifest: Make, tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="not a benchmark of temporal localisation"):
        export(sample_manifest(name), "lmms-eval", tmp_path / "out", missing="keep")


def test_a_split_that_is_not_the_usual_one_is_in_the_name(sample_manifest: Make, tmp_path: Path) -> None:
    manifest = sample_manifest("charades-sta")
    export(manifest, "lmms-eval", tmp_path / "out", split="train", missing="keep")
    assert task_in(tmp_path / "out")["task"] == "benchwright_charades_sta_train"
