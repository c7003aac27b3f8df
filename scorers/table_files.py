"""Tables written as files: Parquet, CSV or JSON, by the suffix."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import UsageError
from schemas.exchange import new_file


def refuse_suffix(path: Path | str) -> str:
    """The suffix of a table's file; `UsageError` for one that says nothing of its format."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".parquet", ".csv", ".json"):
        raise UsageError(f"{path}: expected a name that ends in .parquet, .csv or .json")
    return suffix


def write_table(path: Path | str, table: pa.Table) -> None:
    """Write a table in one step; null stays null.

    Raises:
        UsageError: another suffix, or a file that cannot be written.
    """
    suffix = refuse_suffix(path)
    with new_file(Path(path)) as draft:
        fill(draft, table, suffix)


def fill(draft: Path, table: pa.Table, suffix: str) -> None:
    """Write a table into a file that is a draft yet, in the format of a suffix."""
    if suffix == ".parquet":
        pq.write_table(table, draft, compression="zstd")
    elif suffix == ".csv":
        from pyarrow import csv

        csv.write_csv(table, draft)
    else:
        draft.write_bytes(msgspec.json.format(msgspec.json.encode(table.to_pylist()), indent=1))
