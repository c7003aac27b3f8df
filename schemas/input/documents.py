"""Files of results as they come: Parquet, CSV, JSON (an object or an array), JSON Lines."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from schemas.errors import InputError, Problem, shown
from schemas.manifest import read_parquet

_MALFORMED = re.compile(r"(?:JSON is malformed: )?(?P<reason>.*) \(byte (?P<byte>\d+)\)", re.DOTALL)
_NO_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_CONTEXT = 20
# A lone JSON object with one of these fields is the only line of a JSON Lines file, not an object of records.
_NAMING_FIELDS = ("sample_id", "video_id", "custom_id", "qid", "vid", "label", "pred_relevant_windows")


@dataclass(frozen=True)
class Document:
    """The content of a file: a table, or records; `keys` name the records of a JSON object, repeated ones too."""

    file: str
    table: pa.Table | None = None
    records: list[Any] = field(default_factory=list)
    keys: list[str] | None = None


class _Key:
    """A key of a JSON object. Equal to nothing but itself, so a repeated name is not lost in the dictionary."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


def read_document(path: Path) -> Document:
    """Read a file by its content, not by its name; only CSV and TSV are known by their suffix.

    Raises:
        InputError: no file, one that is empty or has no records, one that is damaged, or JSON that breaks off, with
            the byte.
    """
    try:
        with path.open("rb") as stream:
            if stream.read(4) == b"PAR1":
                document = Document(str(path), table=read_parquet(path))
            elif path.suffix.lower() in (".csv", ".tsv"):
                document = Document(str(path), table=read_csv(path))
            else:
                stream.seek(0)
                document = _read_json(str(path), stream.read())
    except OSError as failure:
        raise unreadable(path, failure) from None
    if not (document.records if document.table is None else document.table.num_rows):
        raise InputError(Problem(str(path), "", "", "no records", "at least one"))
    return document


def read_csv(path: Path) -> pa.Table:
    """Read CSV, or TSV by its suffix, every column as text: guessing types, Arrow takes 0:01:05 for a time of day.

    Raises:
        InputError: an empty file, rows of different lengths, text that is no UTF-8.
    """
    from pyarrow import csv

    shape = csv.ParseOptions(delimiter="\t" if path.suffix.lower() == ".tsv" else ",", newlines_in_values=True)
    try:
        with csv.open_csv(path, parse_options=shape) as stream:
            text = dict.fromkeys(stream.schema.names, pa.string())
        types = csv.ConvertOptions(column_types=text, strings_can_be_null=True, null_values=[""])
        return csv.read_csv(path, parse_options=shape, convert_options=types)
    except (pa.ArrowException, UnicodeDecodeError) as failure:
        raise InputError(Problem(str(path), "", "", str(failure), "CSV in UTF-8 with a header line")) from None
    except OSError as failure:
        raise unreadable(path, failure) from None


def unreadable(path: Path, failure: OSError) -> InputError:
    """The error for a file that the system does not let us read."""
    return InputError(Problem(str(path), "", "", failure.strerror or str(failure), "a readable file"))


def records_of(document: Document, kind: type, expected: str) -> list[Any]:
    """The records, all of one kind.

    Raises:
        InputError: names the first record of another kind.
    """
    for number, record in enumerate(document.records, 1):
        if not isinstance(record, kind):
            place = f"record {number}" if document.keys is None else repr(document.keys[number - 1])
            raise InputError(Problem(document.file, place, "", shown(record), expected))
    return document.records


def _read_json(file: str, content: bytes) -> Document:
    if not content.strip():
        raise InputError(Problem(file, "", "", "an empty file", "records"))
    refuse_byte_order_mark(file, content)
    try:
        value = _decode(content)
    except _NO_JSON as failure:
        lines = _json_lines(file, content)
        if lines is None:
            raise InputError(malformed(file, "", content, failure, 0, "JSON, or JSON Lines")) from None
        return Document(file, records=lines)
    if not isinstance(value, dict):
        return Document(file, records=value if isinstance(value, list) else [value])
    keys = [key.name for key in value]
    if set(keys).intersection(_NAMING_FIELDS):
        return Document(file, records=[dict(zip(keys, value.values(), strict=True))])
    return Document(file, records=list(value.values()), keys=keys)


def refuse_byte_order_mark(file: str, content: bytes) -> None:
    """Refuse what begins as some editors of Windows do; `InputError`."""
    if content.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(Problem(file, "byte 0", "", "a byte order mark", "UTF-8 without one"))


def _decode(content: bytes) -> Any:
    """The value of a JSON text; the outermost object has `_Key`s."""
    kind = dict[_Key, Any] if content.lstrip()[:1] == b"{" else Any
    return msgspec.json.decode(content, type=kind, dec_hook=lambda _, name: _Key(name))


def _json_lines(file: str, content: bytes) -> list[Any] | None:
    """The records of JSON Lines, None where already the first line is none; blank lines are passed over."""
    records: list[Any] = []
    offset = 0
    for number, line in enumerate(content.splitlines(keepends=True), 1):
        try:
            if line.strip():
                records.append(msgspec.json.decode(line))
        except _NO_JSON as failure:
            if not records:
                return None
            problem = malformed(file, f"line {number}", line.rstrip(), failure, offset, "one JSON value a line")
            raise InputError(problem) from None
        offset += len(line)
    return records


def malformed(file: str, record: str, text: bytes, failure: Exception, offset: int, expected: str) -> Problem:
    """The problem of a text that is no JSON; msgspec names the byte unless the text breaks off."""
    place = _MALFORMED.fullmatch(str(failure))
    if place is None and "truncated" not in str(failure):
        return Problem(file, record, "", str(failure), expected)
    byte = min(int(place["byte"]), len(text)) if place else len(text)
    rest = text[byte : byte + _CONTEXT].decode("utf-8", "replace")
    found = shown(rest) if rest else f"the end of the {'line' if record else 'file'}"
    where = ", ".join(filter(None, (record, f"byte {offset + byte}")))
    return Problem(file, where, "", found, expected, place["reason"] if place else "it breaks off")
