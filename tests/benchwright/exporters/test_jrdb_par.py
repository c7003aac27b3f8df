"""`export --to official` of jrdb-par: the authors' three text files, line for line."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from benchwright.exporters import export
from builders.engine.build import build
from builders.engine.registry import find_recipe
from builders.raw.jrdb_par import read_labels
from schemas.cards import card_named
from schemas.errors import UsageError
from schemas.manifest import Manifest

NAME = "jrdb-par"
FILES = {"action": "gt_action.txt", "activity": "gt_activity.txt", "group": "gt_group.txt"}


def lines(folder: Path, name: str) -> list[str]:
    return (folder / FILES[name]).read_text().splitlines()


def kept_lines(folder: Path, name: str) -> list[str]:
    """The lines of persons with both kinds of label, found as the authors' loader does: by sequence, frame, person."""

    def who(line: str) -> tuple[str, ...]:
        words = line.split(" ")
        return words[0], words[1], words[9]

    both = {who(line) for line in lines(folder, "action")} & {who(line) for line in lines(folder, "activity")}
    return [line for line in lines(folder, name) if who(line) in both]


def test_the_lines_that_the_authors_loader_keeps(run: Callable, sample_manifest, samples: Path, tmp_path: Path) -> None:
    ran = run("export", sample_manifest(NAME).path, "--to", "official", "--out", tmp_path / "labels", "--json")
    source = samples / "jrdb_par/annotated_txt"
    for name in FILES:
        assert lines(tmp_path / "labels", name) == kept_lines(source, name)
    counts = {f"lines in {file}": len(kept_lines(source, name)) for name, file in FILES.items()}
    assert ran.json == {"file": str(tmp_path / "labels"), **counts}


def test_all_persons_give_the_sources_byte_for_byte(sample_manifest, samples: Path, tmp_path: Path) -> None:
    export(sample_manifest(NAME, people__keep="all"), "official", tmp_path / "labels")
    for file in FILES.values():
        written = (tmp_path / "labels" / file).read_bytes()
        assert written == (samples / "jrdb_par/annotated_txt" / file).read_bytes()


def test_one_split(sample_manifest, tmp_path: Path) -> None:
    export(sample_manifest(NAME), "official", tmp_path / "labels", split="test")
    assert {line.split()[0] for name in FILES for line in lines(tmp_path / "labels", name)} == {"2"}
    with pytest.raises(UsageError, match="unknown split 'val'"):
        export(sample_manifest(NAME), "official", tmp_path / "others", split="val")


def test_what_was_exported_builds_the_same_rows(sample_manifest, samples: Path, tmp_path: Path) -> None:
    manifest: Manifest = sample_manifest(NAME)
    export(manifest, "official", tmp_path / "source" / "annotated_txt")
    shutil.copytree(samples / "jrdb_par/annotated_excel", tmp_path / "source/annotated_excel")
    again = build(find_recipe(NAME), tmp_path / "source", tmp_path / "out")
    assert again.identity.content_digest == manifest.identity.content_digest
    assert sum(count.dropped for count in again.identity.counts if count.level == "persons") == 0


def test_a_place_that_is_taken(sample_manifest, tmp_path: Path) -> None:
    (tmp_path / "labels").mkdir()
    export(sample_manifest(NAME), "official", tmp_path / "labels")
    for taken in (tmp_path / "labels", tmp_path / "labels/gt_action.txt"):
        with pytest.raises(UsageError, match="is there already; --force replaces it"):
            export(sample_manifest(NAME), "official", taken)
    with pytest.raises(UsageError, match="is a file; expected the path of a folder"):
        export(sample_manifest(NAME), "official", tmp_path / "labels/gt_action.txt", force=True)
    export(sample_manifest(NAME), "official", tmp_path / "labels", force=True)


def test_other_formats_cannot_hold_it(sample_manifest, tmp_path: Path) -> None:
    for name in ("coco", "yolo"):
        with pytest.raises(UsageError, match="not a detection manifest"):
            export(sample_manifest(NAME), name, tmp_path / "out")


@pytest.mark.real_data
def test_the_published_files_byte_for_byte(real_manifest, tmp_path: Path) -> None:
    export(real_manifest(NAME, people__keep="all"), "official", tmp_path / "labels")
    published = {source.name: source.sha256 for source in card_named(NAME).sources}
    for name, file in FILES.items():
        assert hashlib.sha256((tmp_path / "labels" / file).read_bytes()).hexdigest() == published[name]


@pytest.mark.real_data
def test_the_published_lines_that_the_authors_loader_keeps(real_manifest, real_data: Path, tmp_path: Path) -> None:
    export(real_manifest(NAME), "official", tmp_path / "labels")
    for name in FILES:
        assert lines(tmp_path / "labels", name) == kept_lines(real_data / "jrdb_par/annotated_txt", name)
    tables = read_labels(*(tmp_path / "labels" / file for file in FILES.values()))
    assert len(tables.persons) == 36_554
