"""Manifests on disk: what is written, what is read back, what is refused."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.digest import manifest_digest, split_digest
from schemas.errors import InputError, Problem, UsageError
from schemas.exchange import _previous
from schemas.identity import FOOTER_KEY, Identity
from schemas.manifest import open_manifest
from schemas.manifest_folder import split_file

Write = Callable[..., Path]
Rows = Callable[[str, int], pa.Table]
Entries = Callable[[Path], list[str]]

FILES = ["README.md", "croissant.json", "data/test-00000-of-00001.parquet", "ledger.parquet", "manifest.json"]


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_folder_holds_rows_ledger_identity_and_readme(write: Write, tmp_path: Path) -> None:
    assert list(tree(write(tmp_path / "invented", dropped=2))) == FILES


def test_rows_ledger_and_identity_come_back_as_written(write: Write, rows: Rows, tmp_path: Path) -> None:
    splits = {"train": rows("train", 3), "test": rows("test", 2)}
    manifest = open_manifest(write(tmp_path / "a", splits, dropped=2))
    assert manifest.splits == ["train", "test"]
    assert manifest.table("test").equals(splits["test"], check_metadata=True)
    assert manifest.table().equals(pa.concat_tables(splits.values()))
    assert manifest.ledger()["key"].to_pylist() == ["lost/0", "lost/1"]
    identity = manifest.identity
    assert open_manifest(tmp_path / "a" / "manifest.json").identity == identity
    assert {name: (split.rows, split.digest) for name, split in identity.splits.items()} == {
        name: (table.num_rows, split_digest(table)) for name, table in splits.items()
    }
    assert identity.content_digest == manifest_digest({n: split_digest(table) for n, table in splits.items()})


def test_every_parquet_file_carries_the_identity_of_manifest_json(write: Write, rows: Rows, tmp_path: Path) -> None:
    folder = write(tmp_path / "a", {"train": rows("train", 3), "test": rows("test", 2)}, dropped=1)
    identity = msgspec.json.decode((folder / "manifest.json").read_bytes(), type=Identity)
    files = [folder / split_file("train"), folder / split_file("test"), folder / "ledger.parquet"]
    for path in files:
        assert msgspec.json.decode(pq.read_schema(path).metadata[FOOTER_KEY], type=Identity) == identity
    assert {b"schema", b"schema_version"} <= set(pq.read_schema(files[0]).metadata)
    assert pq.read_schema(files[0]).field("start_s").metadata[b"unit"] == b"s"


def test_the_same_content_gives_the_same_bytes(write: Write, tmp_path: Path) -> None:
    first = tree(write(tmp_path / "a", dropped=1))
    assert tree(write(tmp_path / "a", dropped=1)) == tree(write(tmp_path / "b" / "c", dropped=1)) == first


def test_a_lone_file_says_what_it_is_whatever_its_name(write: Write, rows: Rows, tmp_path: Path) -> None:
    folder = write(tmp_path / "a", {"train": rows("train", 3), "test": rows("test", 2)})
    for name, place in (("test-00000-of-00001.parquet", "x"), ("my copy.parquet", "y"), ("train.parquet", "z")):
        (tmp_path / place).mkdir()
        lone = (folder / split_file("test")).rename(tmp_path / place / name)
        manifest = open_manifest(lone)
        assert (manifest.identity.name, manifest.splits) == ("invented", ["test"])
        assert manifest.table()["sample_id"].to_pylist() == ["test/0", "test/1"]
        with pytest.raises(UsageError, match="the ledger is in the folder"):
            manifest.ledger()
        lone.rename(folder / split_file("test"))


def test_a_lone_ledger_says_what_it_is_and_has_no_rows(write: Write, tmp_path: Path) -> None:
    manifest = open_manifest(write(tmp_path / "a") / "ledger.parquet")
    assert (manifest.identity.name, manifest.splits) == ("invented", [])
    with pytest.raises(InputError, match="found rows of no split"):
        manifest.table()


def test_an_unknown_split_is_a_usage_error_with_a_suggestion(write: Write, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"unknown split 'tset'; did you mean test\? \(known: test\)"):
        open_manifest(write(tmp_path / "a")).table("tset")


def test_each_file_is_opened_once_a_manifest(
    write: Write, rows: Rows, tmp_path: Path, opens: Callable[..., AbstractContextManager[Counter[Path]]]
) -> None:
    folder = write(tmp_path / "a", {"train": rows("train", 3), "test": rows("test", 2)}, dropped=1)
    with opens(folder) as opened:
        manifest = open_manifest(folder)
        for _ in range(2):
            assert manifest.column_names == manifest.table("test").column_names
            assert manifest.table(columns=["video", "none", "split"]).column_names == ["video", "split"]
            assert len(manifest.to_pandas("train")) == 3
            assert manifest.ledger().num_rows == 1
    files = ["manifest.json", "ledger.parquet", split_file("train"), split_file("test")]
    assert opened == dict.fromkeys([folder / name for name in files], 1)


def test_a_folder_with_files_of_others_is_refused_and_left_alone(write: Write, tmp_path: Path) -> None:
    folder = write(tmp_path / "a")
    (folder / "data" / "notes.txt").write_text("mine")
    before = tree(folder)
    with pytest.raises(UsageError, match=r"holds a file that no build wrote: data/notes.txt; choose another --out"):
        write(folder)
    assert tree(folder) == before


def test_a_folder_without_manifest_and_a_file_are_refused_an_empty_folder_is_used(write: Write, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years")
    with pytest.raises(UsageError, match=r"holds files but no manifest \(thesis.tex\)"):
        write(tmp_path / "mine")
    with pytest.raises(UsageError, match="is a file; expected a folder"):
        write(tmp_path / "mine" / "thesis.tex")
    (tmp_path / "empty" / "data").mkdir(parents=True)
    assert list(tree(write(tmp_path / "empty"))) == FILES


def test_splits_of_an_earlier_build_do_not_survive(write: Write, rows: Rows, tmp_path: Path) -> None:
    folder = write(tmp_path / "a", {"train": rows("train", 3), "test": rows("test", 2)})
    assert list(tree(write(folder))) == FILES


def test_a_link_to_a_manifest_stays_a_link(write: Write, tmp_path: Path) -> None:
    write(tmp_path / "real")
    (tmp_path / "link").symlink_to("real")
    write(tmp_path / "link", dropped=1)
    assert (tmp_path / "link").is_symlink()
    assert open_manifest(tmp_path / "link").ledger().num_rows == open_manifest(tmp_path / "real").ledger().num_rows == 1


@pytest.mark.parametrize("nth", [1, 2])
def test_a_full_disk_changes_nothing(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nth: int, entries: Entries
) -> None:
    folder = write(tmp_path / "a")
    before, write_table, calls = tree(folder), pq.ParquetWriter.write_table, []

    def until_full(writer: pq.ParquetWriter, table: pa.Table) -> None:
        calls.append(table)
        write_table(writer, table)
        if len(calls) == nth:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(pq.ParquetWriter, "write_table", until_full)
    with pytest.raises(UsageError, match="No space left on device; nothing was changed"):
        write(folder, dropped=1)
    assert tree(folder) == before
    assert entries(tmp_path) == ["a"]


KILLED_WRITE = """
import os, runpy, signal, sys
from pathlib import Path
import pyarrow.parquet as pq

write_table = pq.ParquetWriter.write_table

def killed(writer, table):
    write_table(writer, table)
    os.kill(os.getpid(), signal.SIGKILL)

pq.ParquetWriter.write_table = killed
parts = runpy.run_path(sys.argv[1])
splits = {"test": parts["rows_of"]("test", 9)}
ledger = parts["LEDGER"].empty_table()
parts["write_manifest"](Path(sys.argv[2]), parts["identity_of"](splits, 0), splits, ledger)
"""


def test_a_kill_in_the_middle_of_a_parquet_file_leaves_the_old_manifest(
    write: Write, tmp_path: Path, entries: Entries
) -> None:
    folder = write(tmp_path / "a")
    before = tree(folder)
    command = [sys.executable, "-c", KILLED_WRITE, str(Path(__file__).with_name("conftest.py")), str(folder)]
    run = subprocess.run(command, capture_output=True, cwd=Path(__file__).parents[2])
    assert run.returncode == -signal.SIGKILL, run.stderr.decode()
    assert len(entries(tmp_path)) == 2
    assert tree(folder) == before
    write(folder)
    assert entries(tmp_path) == ["a"]


def test_a_folder_between_two_renames_is_recovered_by_opening_it(
    write: Write, tmp_path: Path, entries: Entries
) -> None:
    folder = write(tmp_path / "a")
    folder.rename(_previous(folder))
    assert open_manifest(folder).table().num_rows == 3
    assert entries(tmp_path) == ["a"]


@pytest.mark.parametrize("target", ["file/below", "/proc/benchwright"])
def test_a_place_that_cannot_be_written_is_a_usage_error(write: Write, tmp_path: Path, target: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="cannot write"):
        write(tmp_path / target)


def test_no_folder_no_manifest_and_no_parquet_are_input_errors(write: Write, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.parquet").write_text("hello")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "foreign.parquet")
    for name, found in (
        ("none", "found nothing, expected the folder of a manifest"),
        ("empty", "found no manifest.json"),
        ("text.parquet", "expected a whole Parquet file"),
        ("foreign.parquet", "footer: benchwright: found nothing, expected the identity of a manifest"),
    ):
        with pytest.raises(InputError, match=found):
            open_manifest(tmp_path / name)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (b'"format": 2', b'"format": 99', "format: found 99, expected 2"),
        (b'"format": 2', b'"format": "2"', "expected the identity of a manifest"),
        (b'"name": "invented",', b"", "expected the identity of a manifest"),
        (b'"test": {', b'"../../etc": {', "expected names of letters, digits and underscores"),
        (b"}", b"", "expected the identity of a manifest"),
    ],
)
def test_a_damaged_identity_is_an_input_error(write: Write, tmp_path: Path, old: bytes, new: bytes, found: str) -> None:
    document = write(tmp_path / "a") / "manifest.json"
    assert old in document.read_bytes()
    document.write_bytes(document.read_bytes().replace(old, new))
    with pytest.raises(InputError, match=found):
        open_manifest(tmp_path / "a")


def test_missing_and_damaged_rows_are_input_errors(write: Write, tmp_path: Path) -> None:
    folder = write(tmp_path / "a")
    rows = folder / split_file("test")
    rows.write_bytes(rows.read_bytes()[:200])
    with pytest.raises(InputError, match="expected a whole Parquet file"):
        open_manifest(folder).table()
    rows.unlink()
    with pytest.raises(InputError, match="found no such file or directory"):
        open_manifest(folder).table()


def test_rows_and_ledgers_that_changed_after_the_build_are_refused(
    write: Write, rows: Rows, tmp_path: Path, refused: Callable[..., tuple[Problem, ...]]
) -> None:
    folder = write(tmp_path / "a", {"train": rows("train", 1), "test": rows("test", 2)}, dropped=1)
    pq.write_table(open_manifest(folder).table("test").slice(0, 1), folder / split_file("test"))
    pq.write_table(open_manifest(folder).ledger().slice(0, 0), folder / "ledger.parquet")
    manifest = open_manifest(folder)
    assert manifest.table("train").num_rows == 1
    for read, place in ((lambda: manifest.table("test"), "test"), (manifest.ledger, "ledger.parquet")):
        assert [(p.record, p.field) for p in refused(read)] == [(place, "content digest")]
    assert (manifest.stored_rows("test").num_rows, manifest.stored_ledger().num_rows) == (1, 0)


def test_rows_of_another_schema_are_refused(
    write: Write, tmp_path: Path, refused: Callable[..., tuple[Problem, ...]]
) -> None:
    folder = write(tmp_path / "a")
    pq.write_table(pa.table({"other": [1]}), folder / split_file("test"))
    problem = refused(open_manifest(folder).table)[0]
    assert (problem.record, problem.field, problem.found, problem.expected) == ("test", "schema", "none", "invented")


@pytest.mark.parametrize("name", ["../../outside", "/absolute", "test\ndownload: x", "train", ""])
def test_rows_of_another_split_are_refused(
    write: Write, rows: Rows, tmp_path: Path, refused: Callable[..., tuple[Problem, ...]], name: str
) -> None:
    folder = write(tmp_path / "a", {"test": rows(name, 2)})
    (problem,) = refused(open_manifest(folder).table)
    file = str(folder / split_file("test"))
    assert problem == Problem(file, "", "split", repr(name), "'test'", "no build writes such rows")


def test_splits_of_unlike_columns_are_an_input_error(write: Write, rows: Rows, tmp_path: Path) -> None:
    other = rows("test", 1).append_column("more", [[1]])
    folder = write(tmp_path / "a", {"train": rows("train", 1), "test": other})
    with pytest.raises(InputError, match="as in train"):
        open_manifest(folder).table()
