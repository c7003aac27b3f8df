"""The verb `diff`: what it prints, its exit codes, its file of rows, what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from schemas.manifest import Manifest


@pytest.fixture
def pair(sample_manifest: Callable[..., Manifest]) -> tuple[Path, Path]:
    """UAG-OOPS by default, and with later onsets and more scenes."""
    other = sample_manifest("uag-oops", onset__pick="latest", single_scene__by="skip")
    return sample_manifest("uag-oops").path, other.path


def test_it_tells_what_differs_and_why(run, samples: Path, pair: tuple[Path, Path]) -> None:
    ran = run("diff", *pair, "--source", samples)
    assert ran.code == 1, ran.err
    for line in (
        "parameter onset.pick       earliest ",
        "Rows (removed: only in A; added: only in B; changed: in both, with other values)",
        "added  clip   single_scene                  several scenes ",
        "start_s  s ",
        "Rows that differ, by cause",
        "unexplained: 0 rows",
    ):
        assert line in ran.out
    summary = run("diff", *pair, "--source", samples, "--json").json
    assert summary["differ"]
    assert set(summary["explained"]) == {"onset.pick", "single_scene.by"}


def test_rows_that_are_the_same_exit_with_0(run, pair: tuple[Path, Path], tmp_path: Path) -> None:
    ran = run("diff", pair[0], pair[0])
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "no row differs")
    file = tmp_path / "official.json"
    assert run("export", pair[0], "--to", "official", "--out", file).code == 0
    ran = run("diff", pair[0], file)
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "no row differs")
    assert "does not say how it was made" in ran.err
    assert run("diff", pair[1], file, "--json").json["unexplained"] > 0


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".json"])
def test_each_row_goes_to_a_file(run, pair: tuple[Path, Path], tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"rows{suffix}"
    summary = run("diff", *pair, "--rows", file, "--json").json
    rows = sum(each["removed"] + each["added"] + each["changed"] for each in summary["levels"])
    if suffix == ".parquet":
        read = pq.read_table(file).to_pylist()
        assert len(read) == rows
        assert {row["change"] for row in read} == {"added", "changed"}
    elif suffix == ".json":
        assert len(json.loads(file.read_text())) == rows
    else:
        assert len(file.read_text().splitlines()) == rows + 1


def test_it_refuses_what_it_cannot_compare(refused, samples: Path, pair: tuple[Path, Path], tmp_path: Path) -> None:
    assert "expected the folder of a manifest" in refused("diff", pair[0], tmp_path)
    assert "source folder" in refused("diff", *pair, "--source", tmp_path / "none")
    assert "source 'split_list' not found" in refused("diff", *pair, "--source", tmp_path)
    assert "expected a name that ends in" in refused("diff", *pair, "--rows", tmp_path / "rows.txt")
    (tmp_path / "picture.parquet").write_bytes(b"\x89PNG")
    assert "picture.parquet" in refused("diff", pair[0], tmp_path / "picture.parquet")
    (tmp_path / "cut.json").write_text('{"a": ')
    assert "cut.json" in refused("diff", pair[0], tmp_path / "cut.json")


def test_order_alone_is_told(run, sample_manifest, tmp_path: Path) -> None:
    from schemas.manifest import manifest_in_memory
    from schemas.manifest_folder import write_manifest

    manifest = sample_manifest("uag-ssbd")
    table = manifest.table()
    turned = {"test": table.take(list(range(table.num_rows))[::-1])}
    built = manifest_in_memory(manifest.identity, turned, manifest.ledger())
    write_manifest(tmp_path / "turned", built.identity, turned, manifest.ledger())
    ran = run("diff", manifest.path, tmp_path / "turned")
    assert (ran.code, ran.out.splitlines()[-1]) == (1, "no row differs, but their order does, or their columns")
