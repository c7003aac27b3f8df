"""The verb `export`: what it writes, counts and warns of."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.exporters.official import official
from schemas.cards import card_named

PUBLISHED = {
    "uag-oops": "a5e92a7cbffe0f45ce8b7241433c62d8fafea7cdb289b915e0f007b160a495b1",
    "uag-ssbd": "f3b413d286c2d63cfbaf6c3d0a1b639d7f3a867a1c74ddd3e1712d40083c3996",
    "uag-funqa": "6b7b647857fa8e676a38a12d5e7bd44c7fa713e813f7e7c6d482192510e10c59",
    "oops-uag-instruct": "3fa3bec99243677eec1eb0371c73a90e5aa86090f5f39c5f0e6a6b71d9bc2e69",
    "charades-sta": "bdd1eb709a53354bd00fd33da203ac2a242dd3a627a01acf1b8b9624c3ad0a22",
}


@pytest.mark.real_data
@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_file_byte_for_byte(run: Callable[..., Any], real_manifest, tmp_path: Path, name: str) -> None:
    ran = run("export", real_manifest(name).path, "--to", "official", "--out", tmp_path / "file.json", "--json")
    content = (tmp_path / "file.json").read_bytes()
    assert hashlib.sha256(content).hexdigest() == PUBLISHED[name] == card_named(name).results[0].sha256
    assert ran.json == {"file": str(tmp_path / "file.json"), "bytes": len(content), "sha256": PUBLISHED[name]}


def test_the_command_says_what_it_wrote(run: Callable[..., Any], sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("charades-sta")
    ran = run("export", manifest.path, "--to", "official", "--out", tmp_path / "a.json", "--split", "train")
    digest = hashlib.sha256(official(manifest, "train")).hexdigest()
    assert ran.code == 0
    assert ran.out.endswith(f" bytes, SHA-256 {digest}\n")


def test_the_verb_counts_what_it_wrote(run, refused, sample_manifest, tmp_path: Path) -> None:
    folder = sample_manifest("coco-person").path
    ran = run("export", folder, "--to", "coco", "--out", tmp_path / "a.json", "--category-base", 0, "--json")
    assert (ran.code, ran.json["images"], ran.json["annotations"], ran.json["renumbered"]) == (0, 6, 10, 1)
    assert "unknown format 'vok'" in refused("export", folder, "--to", "vok", "--out", tmp_path / "b")
    assert "expected width and height" in refused("export", folder, "--to", "yolo", "--out", tmp_path / "c")


def test_ignored_boxes_are_counted_as_other_tools_count_them(run, sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("coco-person", small_person__on_small="ignore")
    ran = run("export", manifest.path, "--to", "coco", "--out", tmp_path / "instances.json")
    assert (ran.code, "ignored" in ran.out) == (0, True)
    assert ran.err.startswith("warning: pycocotools counts ignored boxes")
    assert run("export", sample_manifest("coco-person").path, "--to", "coco", "--out", tmp_path / "a.json").err == ""


def test_numbers_that_are_not_those_of_the_source_are_noted(run, sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("coco-person", category__keep="all")
    ran = run("export", manifest.path, "--to", "coco", "--out", tmp_path / "instances.json")
    assert "score results of these numbers with --category-base 1" in ran.err
    assert run("export", sample_manifest("coco-person").path, "--to", "coco", "--out", tmp_path / "a.json").err == ""
