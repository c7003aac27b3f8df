"""Tables written as files: Parquet, CSV or JSON, by the suffix."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from schemas.errors import UsageError
from schemas.exchange import new_file
from schemas.input.columns import is_text

# How a cell begins that a spreadsheet runs, in both widths of letters; and the mark that keeps it from that.
_FORMULA = "=+-@\uff1d\uff0b\uff0d\uff20\t\r'"


def refuse_suffix(path: Path | str) -> str:
    """The suffix of a table's file; `UsageError` for one that says nothing of its format."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".parquet", ".csv", ".json"):
        raise UsageError(f"{path}: expected a name that ends in .parquet, .csv or .json")
    return suffix


def inert(text: str) -> str:
    """A text that no spreadsheet runs: an apostrophe before one that begins like a formula, or with an apostrophe.

    >>> inert("=1+1"), inert("'=1+1"), inert("a=1")
    ("'=1+1", "''=1+1", 'a=1')
    """
    return f"'{text}" if text and text[0] in _FORMULA else text


def as_meant(text: str) -> str:
    """The text that `inert` made inert; one that it would not have made is taken as it is.

    >>> as_meant("'=1+1"), as_meant("'tis")
    ('=1+1', "'tis")
    """
    return text[1:] if text[:1] == "'" and text[1:2] and text[1] in _FORMULA else text


def inert_table(table: pa.Table) -> pa.Table:
    """A table whose texts no spreadsheet runs, for CSV that people open; see `inert`."""
    for place, field in enumerate(table.schema):
        if is_text(field.type):
            column = pc.replace_substring_regex(table.column(place), f"\\A([{re.escape(_FORMULA)}])", r"'\1")
            table = table.set_column(place, field, column)
    return table


def write_table(path: Path | str, table: pa.Table, *, for_people: bool = False) -> None:
    """Write a table in one step; null stays null.

    Args:
        path: the file.
        table: what to write.
        for_people: whether people open it, so that CSV has nothing that spreadsheets run.

    Raises:
        UsageError: another suffix, or a file that cannot be written.
    """
    suffix = refuse_suffix(path)
    table = inert_table(table) if for_people and suffix == ".csv" else table
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
