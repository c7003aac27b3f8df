"""Files of results as they come, known by their content: Parquet, JSON (an object or a list), JSON Lines, CSV."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pyarrow as pa

from schemas.errors import MOST_PROBLEMS, InputError, Problem, shown
from schemas.input.columns import row_named
from schemas.input.csv import DELIMITERS, read_csv
from schemas.input.files import check_utf8, mark_length, read_bytes
from schemas.input.json import Key, decode, each_as, no_collection, numbered
from schemas.input.parquet import MAGIC, read_parquet
from schemas.input.problems import Place, raise_any

Record = TypeVar("Record")

_TEXT_AND_NUMBERS = ({str, int}, {str, float}, {str, int, float})
# A lone JSON object with one of these fields is the only line of a JSON Lines file, not an object of records.
_NAMING_FIELDS = {
    *("sample_id", "image_id", "video_id", "custom_id", "recordId", "doc_id", "id", "key", "qid", "vid", "label"),
    *("pred_relevant_windows", "messages", "conversations", "QA"),
}


@dataclass(frozen=True)
class Document:
    """The content of a file: a table, or records; `keys` name the records of a JSON object, repeated ones too."""

    file: str
    table: pa.Table | None = None
    pieces: Sequence[msgspec.Raw] = ()
    keys: list[str] | None = None

    @property
    def label(self) -> Place:
        """What errors call the record at a position."""
        keys = self.keys
        return numbered if keys is None else lambda place: repr(keys[place])

    @property
    def first(self) -> Any:
        """The first record, whatever it holds."""
        return each_as(self.file, object, self.label, self.pieces[:1])[0]

    @cached_property
    def records(self) -> list[Any]:
        """All records, whatever they hold."""
        return self.typed(object)

    def typed(self, record: type[Record]) -> list[Record]:
        """All records as values of one type; `InputError` lists the invalid ones."""
        return each_as(self.file, record, self.label, self.pieces)

    def as_table(self, whole: Collection[str] = ()) -> pa.Table:
        """The table, or one of the records, which must be objects; a lone object is one row.

        Args:
            whole: fields that no record may lack where the first has them; others are null where they are absent.

        Raises:
            InputError: a record that lacks one of `whole`; the first value of another kind than those above it.
        """
        if self.table is not None:
            return self.table
        lone = self.keys is not None
        rows = [dict(zip(self.keys or (), self.records, strict=True))] if lone else self.typed(dict[str, Any])
        raise_any(
            [
                Problem(self.file, row_named(place), "", f"fields {', '.join(row)}", f"the field {name}")
                for place, row in enumerate(rows)
                for name in rows[0]
                if name in whole and name not in row
            ][:MOST_PROBLEMS]
        )
        names = dict.fromkeys(name for row in rows for name in row)
        columns = {name: _array(_as_text([row.get(name) for row in rows])) for name in names}
        for name, column in columns.items():
            if column is None:
                _refuse_mixed(self.file, name, [(row_named(place), row.get(name)) for place, row in enumerate(rows)])
        return pa.table(columns)


def read_document(path: Path, *, may_be_empty: bool = False) -> Document:
    """Read a file by its content, not by its name; only CSV and TSV are known by their suffix.

    Raises:
        InputError: a file that cannot be read, has no records (unless it `may_be_empty`) or is damaged, or JSON that
            breaks off, with the byte.
    """
    file, content = str(path), read_bytes(path)
    if content[: len(MAGIC)] == MAGIC:
        document = Document(file, read_parquet(path, content=content))
    elif path.suffix.lower() in DELIMITERS:
        document = Document(file, read_csv(path, content=content))
    else:
        document = _json_document(file, content)
    if not may_be_empty and not (len(document.pieces) if document.table is None else document.table.num_rows):
        raise InputError(Problem(file, "", "", "no records", "at least one"))
    return document


def _json_document(file: str, content: bytes) -> Document:
    check_utf8(file, content)
    mark = mark_length(content)
    content = content[mark:] if mark else content
    try:
        with no_collection():
            outer = decode(file, content, list[msgspec.Raw] | dict[Key, msgspec.Raw], offset=mark)
    except (InputError, msgspec.ValidationError):
        lines = json_lines(file, content, mark)
        if lines is None:
            raise
        return Document(file, None, lines)
    if isinstance(outer, list):
        return Document(file, None, outer)
    keys = [key.name for key in outer]
    if _NAMING_FIELDS.isdisjoint(keys):
        return Document(file, None, list(outer.values()), keys)
    return Document(file, None, [msgspec.Raw(content)])


def json_lines(file: str, content: bytes, offset: int = 0) -> list[msgspec.Raw] | None:
    """The records of JSON Lines, None where already the first line is none; blank lines are passed over.

    Args:
        offset: the byte of the file at which the content begins.

    Raises:
        InputError: a later line that is not JSON.
    """
    pieces: list[msgspec.Raw] = []
    for number, line in enumerate(content.splitlines(keepends=True), 1):
        try:
            if line.strip():
                pieces.append(decode(file, line.rstrip(), msgspec.Raw, f"line {number}", offset))
        except InputError:
            if not pieces:
                return None
            raise
        offset += len(line)
    return pieces


def _array(values: Sequence[Any]) -> pa.Array | None:
    """The values as a column, None where none can hold them all."""
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError):
        return None


def _as_text(values: list[Any]) -> list[Any]:
    """The values, as text where numbers stand beside text, as CSV has them."""
    if set(map(type, values)) - {type(None)} not in _TEXT_AND_NUMBERS:
        return values
    return [value if value is None else str(value) for value in values]


def _refuse_mixed(file: str, field: str, cells: Sequence[tuple[str, Any]]) -> None:
    """Refuse the first value that no column can hold together with those above it, within lists and objects too.

    Args:
        cells: the place of each value, and the value.
    """
    cells = [(place, value) for place, value in cells if value is not None]
    values = [value for _, value in cells]
    first = bisect_left(range(len(cells)), True, key=lambda last: _array(values[: last + 1]) is None)
    if first == len(cells):
        return
    (place, value), known = cells[first], cells[: first + 1]
    alike = all(isinstance(other, type(value)) for other in values[:first])
    if alike and isinstance(value, list):
        items = [
            (f"{where}, record {number} of {field}" if isinstance(item, dict) else where, item)
            for where, held in known
            for number, item in enumerate(held, 1)
        ]
        _refuse_mixed(file, field, items)
    for name in value if alike and isinstance(value, dict) else ():
        _refuse_mixed(file, name, [(where, held.get(name)) for where, held in known])
    above = pa.array(values[:first]).type
    expected = "a number of at most 64 bits" if pa.types.is_null(above) else f"{above}, as in the rows above"
    raise InputError(Problem(file, place, field, shown(value), expected))
