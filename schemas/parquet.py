"""Reading and writing one Parquet file. Python opens it, so every open is in one place and can be counted."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import InputError, Problem, shown


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read one Parquet file, or some columns of it, opening it once.

    Raises:
        InputError: it is missing, no Parquet file, or damaged.
    """
    try:
        with path.open("rb") as file:
            # Mapped: pages that are not asked for are not read.
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return _decoded(pa.py_buffer(content), columns)
    except FileNotFoundError:
        raise InputError(Problem(str(path), "", "", "nothing", "a Parquet file")) from None
    except (pa.ArrowException, OSError, ValueError) as failure:
        raise InputError(Problem(str(path), "", "", shown(str(failure)), "a whole Parquet file")) from None


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write one Parquet file, the same bytes for the same table."""
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        # `datasets` 5 fails on a row group without rows, which is what `write_table` makes of an empty table.
        if table.num_rows:
            writer.write_table(table)


def _decoded(content: pa.Buffer, columns: Sequence[str] | None) -> pa.Table:
    # ParquetFile, not read_table: that one imports the dataset layer, 50 ms in a fresh process.
    with pq.ParquetFile(pa.BufferReader(content), pre_buffer=False) as file:
        table = file.read(columns=None if columns is None else list(columns))
        table.validate(full=True)
    return table
