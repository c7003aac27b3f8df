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
