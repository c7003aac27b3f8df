"""Parquet files, whole or some of their columns."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.input.parquet import read_parquet


def test_reads_a_table_or_those_of_the_columns_that_it_has(tmp_path: Path) -> None:
    table = pa.table({"a": [1, 2], "b": ["x", None]})
    pq.write_table(table, tmp_path / "a")
    assert read_parquet(tmp_path / "a").equals(table)
    assert read_parquet(tmp_path / "a", ["b", "none"]).equals(table.select(["b"]))


@pytest.mark.parametrize("content", [b"PAR1", b"PAR1" + b"\0" * 50, b"no such format", b"\0" * 3])
def test_what_is_not_a_whole_parquet_file_is_refused(tmp_path: Path, refused, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    (problem,) = refused(read_parquet, tmp_path / "a")
    assert (problem.file, problem.expected) == (str(tmp_path / "a"), "a whole Parquet file")


def test_a_file_cut_anywhere_is_refused(tmp_path: Path, refused) -> None:
    pq.write_table(pa.table({"a": list(range(100))}), tmp_path / "whole")
    content = (tmp_path / "whole").read_bytes()
    for cut in range(1, len(content), 7):
        (tmp_path / "cut").write_bytes(content[:cut])
        refused(read_parquet, tmp_path / "cut")


def test_a_limit_is_one_of_bytes_on_disk(tmp_path: Path, refused) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a")
    (problem,) = refused(read_parquet, tmp_path / "a", None, 10)
    assert problem.expected == "at most 10 for this format"


LONG = "x" * 5_000_000


def bombs() -> dict[str, pa.Table]:
    """Tables that take gigabytes, in files of less than a megabyte."""
    first = pa.DictionaryArray.from_arrays(pa.array([0] * 200, pa.int32()), pa.array([LONG]))
    later = pa.DictionaryArray.from_arrays(pa.array([0, None] + [1] * 200, pa.int32()), pa.array(["a", LONG]))
    numbers = pa.nulls(40_000_000, pa.float64())
    lists = pa.ListArray.from_arrays(pa.array([0, len(first)]), first)
    return {"text": pa.table({"a": first}), "later": pa.table({"a": later}), "numbers": pa.table({"a": numbers})} | {
        "in lists": pa.table({"a": lists}),
        "in records": pa.table({"a": pa.StructArray.from_arrays([first], ["b"])}),
    }


@pytest.mark.parametrize("kind", ["text", "later", "numbers", "in lists", "in records"])
def test_a_small_file_that_stands_for_gigabytes_is_refused_unread(tmp_path: Path, refused, kind: str) -> None:
    path = tmp_path / "bomb.parquet"
    pq.write_table(bombs()[kind], path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 1_000_000
    before = pa.total_allocated_bytes()
    (problem,) = refused(read_parquet, path)
    assert problem.found.startswith("columns that take ")
    assert pa.total_allocated_bytes() - before < 50_000_000
    if kind == "text":
        assert read_parquet(path, ["none"]).num_columns == 0


@pytest.mark.parametrize("first", ["same", None])
def test_large_tables_that_are_what_they_seem_are_read(tmp_path: Path, monkeypatch, first: str | None) -> None:
    monkeypatch.setattr("schemas.input.parquet_size._LEAST_LIMIT", 6_000_000)
    monkeypatch.setattr("schemas.input.parquet_size._TIMES", 0)
    table = pa.table({"a": [first] + [f"name_{number:07d}" for number in range(100_000)], "b": [["x", "y"]] * 100_001})
    pq.write_table(table, tmp_path / "a.parquet")
    assert read_parquet(tmp_path / "a.parquet").equals(table)


def test_a_footer_is_parsed_as_often_however_wide_the_table(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("schemas.input.parquet_size._LEAST_LIMIT", 1_000_000)
    monkeypatch.setattr("schemas.input.parquet_size._TIMES", 0)
    column = pa.array([f"name {number % 50} of many" for number in range(300)])
    pq.write_table(pa.table({f"c{number}": column for number in range(20)}), tmp_path / "a")
    opened, reader = [], pq.ParquetFile
    monkeypatch.setattr(
        pq, "ParquetFile", lambda *source, **options: opened.append(options) or reader(*source, **options)
    )
    assert read_parquet(tmp_path / "a").num_columns == 20
    assert len(opened) == 2
