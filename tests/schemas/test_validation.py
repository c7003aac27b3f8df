"""What `validate` finds in manifests that are odd, and in manifests that were tampered with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.manifest import open_manifest
from schemas.manifest_folder import split_file
from schemas.validation import validate

Write = Callable[..., Path]
Rows = Callable[[str, int], pa.Table]


def found(folder: Path) -> list[tuple[str, str, str]]:
    return [(finding.severity, finding.check, finding.place) for finding in validate(open_manifest(folder))]


def messages(folder: Path) -> str:
    return "\n".join(finding.message for finding in validate(open_manifest(folder)))


def changed(table: pa.Table, name: str, values: list[Any]) -> pa.Table:
    place = table.schema.get_field_index(name)
    return table.set_column(place, table.schema[place], pa.array(values, table.schema[place].type))


def rewrite(folder: Path, change: Callable[[pa.Table], pa.Table], name: str = split_file("test")) -> Path:
    """Change a Parquet file of a manifest, its footer left as it is."""
    pq.write_table(change(pq.ParquetFile(folder / name).read()), folder / name)
    return folder


def reidentify(folder: Path, **changes: Any) -> Path:
    document = json.loads((folder / "manifest.json").read_bytes())
    (folder / "manifest.json").write_text(json.dumps(document | changes))
    return folder


def test_a_manifest_as_written_has_no_findings(write: Write, rows: Rows, tmp_path: Path) -> None:
    folder = write(tmp_path / "a", {"train": rows("train", 3), "test": rows("test", 2)}, dropped=4)
    assert found(folder) == []
    assert found(folder / split_file("train")) == []


def test_reencoded_rows_are_the_same_rows(write: Write, tmp_path: Path) -> None:
    folder = write(tmp_path / "a")
    path = folder / split_file("test")
    pq.write_table(pq.ParquetFile(path).read(), path, compression="gzip", row_group_size=1)
    assert found(folder) == []


def test_changed_rows_break_the_digest_and_a_lost_row_the_count(write: Write, tmp_path: Path) -> None:
    folder = rewrite(write(tmp_path / "a"), lambda table: changed(table, "start_s", [0.0, 1.0, 2.25]))
    assert found(folder) == [("error", "digest", "test")]
    assert "the identity says" in messages(folder)
    assert found(rewrite(write(tmp_path / "b"), lambda table: table.slice(1))) == [
        ("error", "rows", "test"),
        ("error", "digest", "test"),
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.append_column("when", pa.array([0] * len(table), pa.timestamp("s"))),
        lambda table: table.drop(["sample_id"]),
        lambda table: table.set_column(0, "sample_id", pa.array([[1]] * len(table))),
        lambda table: table.set_column(4, "start_s", table["start_s"].cast(pa.string())),
    ],
)
def test_other_columns_are_a_finding_not_a_crash(write: Write, tmp_path: Path, change) -> None:
    assert found(rewrite(write(tmp_path / "a"), change)) == [("error", "digest", "test")]


def test_a_file_that_lost_its_identity_is_a_warning(write: Write, tmp_path: Path) -> None:
    folder = rewrite(write(tmp_path / "a"), lambda table: table.replace_schema_metadata(None))
    assert found(folder) == [("warning", "identity", "test")]


def test_a_file_of_another_build_is_an_error(write: Write, tmp_path: Path) -> None:
    folder, other = write(tmp_path / "a"), write(tmp_path / "b", dropped=1)
    (other / split_file("test")).replace(folder / split_file("test"))
    assert found(folder) == [("error", "identity", "test")]


def test_missing_and_damaged_files_are_errors(write: Write, rows: Rows, tmp_path: Path) -> None:
    folder = write(tmp_path / "a", {"train": rows("train", 3), "test": rows("test", 2)}, dropped=1)
    (folder / "README.md").unlink()
    assert found(folder) == [("warning", "readable", "README.md")]
    (folder / "README.md").touch()
    (folder / split_file("train")).unlink()
    (folder / "ledger.parquet").write_bytes(b"PAR1")
    assert found(folder) == [("error", "readable", "train"), ("error", "readable", "ledger.parquet")]
    pq.write_table(pa.table({"a": [1]}), folder / "ledger.parquet")
    assert "level: found no such column" in messages(folder)


def test_sample_ids_occur_once_in_all_splits_together(write: Write, rows: Rows, tmp_path: Path) -> None:
    twice = changed(rows("test", 3), "sample_id", ["a", "b", "a"])
    folder = write(tmp_path / "a", {"train": changed(rows("train", 2), "sample_id", ["b", "c"]), "test": twice})
    assert found(folder) == [("error", "unique", "test")]
    assert messages(folder) == "2 sample ids occur twice, such as 'a'"


def test_rows_belong_to_their_split(write: Write, rows: Rows, tmp_path: Path) -> None:
    folder = write(tmp_path / "a", {"test": changed(rows("test", 3), "split", ["test", "train", "test"])})
    assert found(folder) == [("error", "schema", "test")]
    assert "split: found 'train', expected 'test'" in messages(folder)


def test_tables_without_sample_id_or_split_are_errors(write: Write, rows: Rows, tmp_path: Path) -> None:
    for name in ("sample_id", "split"):
        folder = write(tmp_path / name, {"test": rows("test", 3).drop([name])})
        assert found(folder) == [("error", "schema", "test")]
        assert f"{name}: found no such column" in messages(folder)


def test_an_empty_split_is_a_warning(write: Write, rows: Rows, tmp_path: Path) -> None:
    assert found(write(tmp_path / "a", {"test": rows("test", 0)})) == [("warning", "empty", "test")]


@pytest.mark.parametrize(
    ("column", "value", "severity", "check"),
    [
        ("start_s", float("nan"), "error", "finite"),
        ("end_s", float("inf"), "error", "finite"),
        ("start_s", -0.5, "error", "negative"),
        ("start_s", 1.5, "warning", "span"),
        ("start_s", 9.0, "warning", "span"),
        ("duration_s", 1.25, "warning", "duration"),
        ("description", " \n", "warning", "described"),
    ],
)
def test_times_and_texts_that_make_no_sense(
    write: Write, rows: Rows, tmp_path: Path, column: str, value: Any, severity: str, check: str
) -> None:
    table = rows("test", 3)
    folder = write(tmp_path / "a", {"test": changed(table, column, [table[column][0], value, table[column][2]])})
    assert found(folder) == [(severity, check, "test")]
    assert [(f.count, f.example) for f in validate(open_manifest(folder))] == [(1, "test/1")]


def test_manifests_of_other_shapes_have_no_times_to_check(write: Write, tmp_path: Path) -> None:
    images = pa.table({"sample_id": ["a"], "split": ["test"], "objects": [[{"box": [0.0, 1.0]}]]})
    assert found(write(tmp_path / "a", {"test": images})) == []


def test_counts_that_do_not_add_up_are_errors(write: Write, tmp_path: Path) -> None:
    folder = reidentify(write(tmp_path / "a", dropped=2), levels={"clip": {"candidates": 6, "kept": 3}})
    assert ("error", "accounting", "clip") in found(folder)
    assert "6 candidates are not 3 kept and 2 dropped" in messages(folder)


def test_a_ledger_that_lacks_entries_is_an_error(write: Write, tmp_path: Path) -> None:
    folder = rewrite(write(tmp_path / "a", dropped=2), lambda table: table.slice(1), "ledger.parquet")
    assert found(folder) == [("error", "digest", "ledger.parquet"), ("error", "accounting", "ledger.parquet")]
    assert "rule 'enough' dropped 2 rows, the ledger has 1" in messages(folder)


def test_kept_rows_are_the_rows_of_the_splits_and_their_digest_is_the_manifests(write: Write, tmp_path: Path) -> None:
    folder = reidentify(
        write(tmp_path / "a", dropped=2),
        levels={"clip": {"candidates": 7, "kept": 5}},
        content_digest="0" * 64,
    )
    assert {("error", "accounting", "manifest.json"), ("error", "digest", "manifest.json")} <= set(found(folder))
    assert "5 rows were kept, the splits hold 3" in messages(folder)
