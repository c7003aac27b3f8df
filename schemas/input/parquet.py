"""Parquet files of unknown origin: columns that are not asked for are not decoded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import InputError, Problem, shown
from schemas.input.files import NO_LIMIT, read_bytes
from schemas.input.parquet_size import refuse_bomb

MAGIC = b"PAR1"
"""How every Parquet file begins."""


def read_parquet(
    path: Path | str, columns: Sequence[str] | None = None, limit: int = NO_LIMIT, content: bytes = b""
) -> pa.Table:
    """Read one Parquet file of at most `limit` bytes, or those of the `columns` that it has.

    Args:
        content: of the file, if it was read.

    Raises:
        InputError: it cannot be read, is not a Parquet file, is damaged, or stands for more memory than is plausible.
    """
    content = content or read_bytes(Path(path), limit)
    try:
        # ParquetFile, not read_table: that one imports the dataset layer, 50 ms in a fresh process.
        with pq.ParquetFile(pa.BufferReader(pa.py_buffer(content)), pre_buffer=False) as parquet:
            names = parquet.schema_arrow.names
            refuse_bomb(str(path), content, parquet, columns)
            table = parquet.read(columns=None if columns is None else [name for name in columns if name in names])
            table.validate(full=True)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as failure:
        raise InputError(Problem(str(path), "", "", shown(str(failure)), "a whole Parquet file")) from None
    return table
