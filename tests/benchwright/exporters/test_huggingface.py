"""Folders for the Hub: the same manifest, and media that rows find."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import benchwright
from benchwright.exporters import export
from benchwright.publishing import planned
from schemas.errors import InputError, UsageError
from schemas.manifest import Manifest, open_manifest
from schemas.manifest_folder import split_file, write_manifest
from tests.benchwright.exporters.training.conftest import video

Make = Callable[..., Manifest]


@pytest.fixture(autouse=True)
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
        monkeypatch.setenv(name, "1")


def with_media(manifest: Manifest, folder: Path) -> Path:
    """A folder with the media that the rows name, in a folder further below."""
    column = "video" if "video" in manifest.column_names else "file_name"
    for name in manifest.table()[column].unique().to_pylist():
        path = folder / "below" / (name if Path(name).suffix in (".mp4", ".jpg") else f"{name}.mp4")
        path.parent.mkdir(parents=True, exist_ok=True)
        if column == "video":
            video(path)
        else:
            Image.new("RGB", (8, 8)).save(path)
    return folder


def loaded(folder: Path, config: str, split: str, tmp_path: Path) -> list[dict[str, Any]]:
    import datasets

    datasets.disable_progress_bars()
    rows: list[dict[str, Any]] = datasets.load_dataset(
        str(folder), config, split=split, cache_dir=str(tmp_path / "datasets")
    ).to_list()
    return rows


@pytest.mark.parametrize(
    ("name", "kind"), [("uag-oops", "video"), ("densepose-person", "image"), ("jrdb-par", "image")]
)
def test_rows_stay_what_they_are_and_find_their_media(
    sample_manifest: Make, tmp_path: Path, name: str, kind: str
) -> None:
    manifest = sample_manifest(name)
    out = tmp_path / "out"
    counts = export(manifest, "huggingface", out, media=with_media(manifest, tmp_path / "files"))
    again = open_manifest(out)
    assert again.identity == manifest.identity
    assert again.table().equals(manifest.table())
    assert counts["rows"] == len(manifest.table())
    for split in (split for split in manifest.splits if len(manifest.table(split))):
        rows, paths = (loaded(out, config, split, tmp_path) for config in ("default", "media"))
        assert [row["sample_id"] for row in rows] == [row["sample_id"] for row in paths]
        column = "video" if kind == "video" else "file_name"
        for row, path in zip(rows, paths, strict=True):
            assert (out / path[kind]).is_file()
            assert path[kind].removesuffix(".mp4") == f"media/below/{row[column].removesuffix('.mp4')}"
    held = {path.relative_to(out).as_posix() for path in (out / "media").rglob("*") if path.is_file()}
    assert held <= set(planned(again, "somebody/name").files)


def test_without_media_the_folder_is_what_a_build_writes(sample_manifest: Make, tmp_path: Path) -> None:
    manifest = sample_manifest("uag-ssbd")
    export(manifest, "huggingface", tmp_path / "out")
    files = sorted(path.relative_to(manifest.path) for path in manifest.path.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(tmp_path / "out") for path in (tmp_path / "out").rglob("*.*"))
    for file in ("manifest.json", split_file(manifest.splits[0])):
        assert (tmp_path / "out" / file).read_bytes() == (manifest.path / file).read_bytes()
    assert open_manifest(tmp_path / "out").ledger().equals(manifest.ledger())


def test_missing_media_are_refused_or_have_no_path(sample_manifest: Make, tmp_path: Path) -> None:
    manifest = sample_manifest("uag-oops")
    media = with_media(manifest, tmp_path / "files")
    next(media.rglob("*.mp4")).unlink()
    with pytest.raises(InputError, match="no such file"):
        export(manifest, "huggingface", tmp_path / "out", media=media)
    with pytest.raises(UsageError, match="all rows"):
        export(manifest, "huggingface", tmp_path / "out", media=media, missing="drop")
    assert not (tmp_path / "out").exists()
    assert export(manifest, "huggingface", tmp_path / "out", media=media, missing="keep")["media missing"] == 1
    rows = loaded(tmp_path / "out", "media", "test", tmp_path)
    assert len(rows) == len(manifest.table("test"))
    assert sum(row["video"] is None for row in rows) == 1


def test_conversations_and_splits_without_rows(sample_manifest: Make, tmp_path: Path) -> None:
    spans = sample_manifest("uag-oops")
    made = benchwright.instruct(spans)
    tables = {split: made.table(split) for split in made.splits}
    tables["validation"] = tables["test"].slice(0, 0)
    write_manifest(tmp_path / "manifest", made.identity, tables, made.ledger())
    media = with_media(spans, tmp_path / "files")
    export(open_manifest(tmp_path / "manifest"), "huggingface", tmp_path / "out", media=media)
    paths = loaded(tmp_path / "out", "media", "test", tmp_path)
    assert all((tmp_path / "out" / row["video"]).is_file() for row in paths)
    matter = (tmp_path / "out" / "README.md").read_text(encoding="utf-8").split("---\n")[1]
    assert "split: test" in matter
    assert "split: validation" not in matter


def test_an_earlier_export_is_replaced_where_asked_and_others_files_never(
    sample_manifest: Make, tmp_path: Path
) -> None:
    manifest = sample_manifest("uag-oops")
    media, out = with_media(manifest, tmp_path / "files"), tmp_path / "out"
    export(manifest, "huggingface", out, media=media)
    with pytest.raises(UsageError, match="--force"):
        export(manifest, "huggingface", out)
    export(manifest, "huggingface", out, media=out, force=True)  # its own files
    assert len(loaded(out, "media", "test", tmp_path)) == len(manifest.table("test"))
    (out / "media" / "own.mp4").touch()
    with pytest.raises(UsageError, match=r"media/own\.mp4"):
        export(manifest, "huggingface", out, force=True)
    (out / "media" / "own.mp4").unlink()
    export(manifest, "huggingface", out, force=True)
    assert not (out / "media").exists()
    with pytest.raises(UsageError, match="the manifest itself"):
        export(open_manifest(out), "huggingface", out, force=True)
