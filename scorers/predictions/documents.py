"""Files of results as they come: Parquet, CSV, JSON (an object or an array), JSON Lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from schemas.errors import InputError, Problem, shown
from schemas.manifest import read_parquet


@dataclass(frozen=True)
class Document:
    """The content of a file: a table, or records; `keys` name the records of a JSON object."""

    file: str
    table: pa.Table | None = None
    records: list[Any] = field(default_factory=list)
    keys: list[str] | None = None


def read_document(path: Path) -> Document:
    """Read a file by its content, not by its name; only CSV and TSV are known by their suffix.

    Raises:
        InputError: no file, an empty one, one that is damaged, or JSON that breaks off, with the byte.
    """
    file = str(path)
    try:
        with path.open("rb") as stream:
            head = stream.read(64).lstrip()
            if not head:
                raise InputError(Problem(file, "", "", "an empty file", "predictions"))
            if head.startswith(b"PAR1"):
                return Document(file, table=read_parquet(path))
            if path.suffix.lower() in (".csv", ".tsv"):
                return Document(file, table=_read_csv(path))
            stream.seek(0)
            return _read_json(file, stream.read())
    except OSError as failure:
        raise InputError(Problem(file, "", "", failure.strerror or str(failure), "a readable file")) from None


def _read_csv(path: Path) -> pa.Table:
    from pyarrow import csv

    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    names = csv.ConvertOptions(strings_can_be_null=True, column_types={"sample_id": pa.string()}, null_values=[""])
    try:
        return csv.read_csv(path, parse_options=csv.ParseOptions(delimiter=delimiter), convert_options=names)
    except pa.ArrowException as failure:
        raise InputError(Problem(str(path), "", "", str(failure), "CSV with a header line")) from None


def _read_json(file: str, content: bytes) -> Document:
    try:
        value = msgspec.json.decode(content)
    except msgspec.DecodeError as failure:
        lines = _json_lines(file, content)
        if lines is None:
            raise InputError(Problem(file, "", "", str(failure), "JSON, or JSON Lines")) from None
        return Document(file, records=lines)
    if isinstance(value, dict) and not _is_record(value):
        return Document(file, records=list(value.values()), keys=list(value))
    records = value if isinstance(value, list) else [value]
    if not records:
        raise InputError(Problem(file, "", "", "no records", "predictions"))
    return Document(file, records=records)


def _is_record(value: dict[str, Any]) -> bool:
    """Whether a lone JSON object is the only line of a JSON Lines file: its values are no records of their own."""
    return (bool(value) and not any(isinstance(inner, dict | str) and inner for inner in value.values())) or (
        "qid" in value or "sample_id" in value
    )


def _json_lines(file: str, content: bytes) -> list[Any] | None:
    """The records of JSON Lines, None where already the first line is none; blank lines are passed over."""
    records: list[Any] = []
    offset = 0
    for number, line in enumerate(content.splitlines(keepends=True), 1):
        try:
            if line.strip():
                records.append(msgspec.json.decode(line))
        except msgspec.DecodeError as failure:
            if number == 1:
                return None
            place = f"line {number}, at byte {offset:,} of the file"
            raise InputError(Problem(file, place, "", str(failure), "one JSON value a line")) from None
        offset += len(line)
    return records


def records_of(document: Document, kind: type, expected: str) -> list[Any]:
    for number, record in enumerate(document.records, 1):
        if not isinstance(record, kind):
            place = f"record {number}" if document.keys is None else repr(document.keys[number - 1])
            raise InputError(Problem(document.file, place, "", shown(record), expected))
    return document.records
