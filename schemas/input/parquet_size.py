"""How much memory a Parquet file will take, before it does: half a megabyte may stand for gigabytes.

Only the dictionaries hide that: one long text that a million rows name by number. All else is in the footer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from schemas.errors import InputError, Problem
from schemas.input.files import MEBIBYTE

# The ledger of JRDB-PAR, most of whose cells are alike, takes 80 times the bytes of its file.
_LEAST_LIMIT, _TIMES = 256 * MEBIBYTE, 100
# Bytes of a value in memory; of a text those of its place.
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 8, "FLOAT": 4, "DOUBLE": 8, "BYTE_ARRAY": 4}


def refuse_bomb(file: str, content: bytes, parquet: pq.ParquetFile, names: Sequence[str] | None) -> None:
    """Refuse a file whose columns, those of `names` or all, take over 256 MiB and over 100 times its own size.

    Raises:
        InputError: says how many bytes they take at least.
    """
    limit = max(_LEAST_LIMIT, _TIMES * len(content))
    metadata = parquet.metadata
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    total, doubtful = 0, {}
    for place in range(metadata.num_columns):
        column = metadata.schema.column(place)
        if names is not None and not any(f"{column.path}.".startswith(f"{name}.") for name in names):
            continue
        chunks = [group.column(place) for group in groups]
        total += sum(chunk.num_values for chunk in chunks) * _width(column)
        if column.physical_type == "BYTE_ARRAY":
            total += sum(chunk.total_uncompressed_size for chunk in chunks)
            if any(chunk.has_dictionary_page for chunk in chunks):
                doubtful[column.path] = chunks
        _refuse_over(limit, total, file)
    most = sum(chunk.num_values * chunk.total_uncompressed_size for chunks in doubtful.values() for chunk in chunks)
    if total + most <= limit:
        return
    # One reader for all columns: to open it is to parse the footer, which is as long as the file is wide.
    with pq.ParquetFile(pa.BufferReader(content), read_dictionary=list(doubtful), pre_buffer=False) as coded:
        for path, chunks in doubtful.items():
            total += _in_dictionaries(coded, path, chunks, limit // (2 * len(doubtful)))
            _refuse_over(limit, total, file)


def _refuse_over(limit: int, total: int, file: str) -> None:
    if total > limit:
        found = f"columns that take {total:,} bytes or more in memory"
        advice = "no manifest or prediction is packed so densely"
        raise InputError(Problem(file, "", "", found, f"at most {limit:,}, of a file of this size", advice))


def _width(column: Any) -> int:
    return max(int(column.length), 1) if column.physical_type.startswith("FIXED") else _WIDTHS[column.physical_type]


def _in_dictionaries(coded: pq.ParquetFile, path: str, chunks: Sequence[Any], enough: int) -> int:
    """Bytes of the texts that a column takes from dictionaries: at most, by the longest, or else counted."""
    most = 0
    for number, chunk in enumerate(chunks):
        batch = next(coded.iter_batches(1, [number], columns=[path]), None)
        words = None if batch is None else _texts(batch.column(0))
        if words is None or len(words.dictionary) < 2:  # not seen yet, or one text: as plain values would look
            return _counted(coded, path)
        most += chunk.num_values * pc.max(pc.binary_length(words.dictionary)).as_py()
    return most if most <= enough else _counted(coded, path)


def _counted(coded: pq.ParquetFile, path: str) -> int:
    total = 0
    for batch in coded.iter_batches(1 << 20, columns=[path]):
        words = _texts(batch.column(0))
        if words is not None:
            total += pc.sum(pc.binary_length(words.dictionary).take(words.indices)).as_py() or 0
    return total


def _texts(array: pa.Array) -> pa.DictionaryArray | None:
    """The texts of a column, in whatever lists and records; None where they are of another type."""
    while pa.types.is_nested(array.type):
        parts = array.flatten()
        array = parts[0] if isinstance(parts, list) else parts
    return array if pa.types.is_dictionary(array.type) else None
