"""Tables of one's own: records of a JSON file, or rows of a CSV file, as typed pandas frames."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, get_args

import msgspec
import pandas as pd

from schemas.errors import MOST_PROBLEMS, InputError, Problem, shown
from schemas.input import csv
from schemas.input.columns import row_named
from schemas.input.documents import read_document
from schemas.input.json import read_lists, read_object
from schemas.input.problems import raise_any

Fields = Mapping[str, Any]
"""Name of a field -> `str`, `int`, `float`, `bool`, each `| None` where it may lack; `[...]` around a type for a list
of such, and a mapping of fields for a record."""

_DTYPES = {str: "object", int: "int64", float: "float64", bool: "bool"}
_NULLABLE = {str: "object", int: "Int64", float: "float64", bool: "boolean"}
_WORDS = {str: "text", int: "a whole number", float: "a finite number", bool: "true or false"}
_BOOLEANS = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}
_SCALARS = list(_DTYPES)
_LARGEST = 2**63
_WRONG = object()
# What JSON is decoded as: 1 and 0 are flags, as in CSV.
_TYPES = {
    int: Annotated[int, msgspec.Meta(ge=-_LARGEST, le=_LARGEST - 1)],
    bool: bool | Annotated[int, msgspec.Meta(ge=0, le=1)],
}
_WHOLE = re.compile(r"([+-]?[0-9]+)\.0*")


def read_records(path: Path, fields: Fields, *, key: str = "", under: str = "") -> pd.DataFrame:
    """The records of a JSON file: an array of records, one record a line (JSON Lines), or an object of records.

    Args:
        path: the file.
        fields: what is read of each record, and its types; other fields of the file are ignored.
        key: where the file is an object `{name: record, ...}`, the column that gets the names.
        under: where the file is an object of lists, such as COCO's, the name of the list.

    Returns:
        One row for each record in file order, a column for each field.

    Raises:
        InputError: the file cannot be read, is not JSON, repeats a name, or has records that do not fit: all of them
            are listed, each with its place, field, what was found and what was expected.

    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp(), "moments.json")
    >>> _ = path.write_text('[{"video": "v1", "span": [0, 2.5], "note": null}]')
    >>> read_records(path, {"video": str, "span": [float], "note": str | None}).to_dict("records")
    [{'video': 'v1', 'span': [0.0, 2.5], 'note': None}]
    """
    record = _record_type(fields)
    names: dict[str, Any] = {}
    if key:
        names = read_object(path, record, key)
        records = list(names.values())
    elif under:
        lists, problems = read_lists(path, {under: (under, record)})
        raise_any(problems)
        records = lists[under]
    else:
        document = read_document(path)
        if document.table is not None or document.keys is not None:
            found = "a table" if document.keys is None else "one JSON object"
            advice = "of an object of records, key= names the column for their names; under= names a list in it"
            raise InputError(Problem(str(path), "", "", found, "a list of records, or one record a line", advice))
        records = document.typed(record)
    columns = {
        name: _series([getattr(item, f"field_{place}") for item in records], kind)
        for place, (name, kind) in enumerate(fields.items())
    }
    return _of_file(path, ({key: _series(list(names), str)} if key else {}) | columns)


def read_csv(path: Path, fields: Mapping[str, Any]) -> pd.DataFrame:
    """The rows of a CSV file with a header line.

    Args:
        path: the file.
        fields: the columns that are read, and their types, no lists or records; others are ignored. An empty cell is
            null where the type is `| None`.

    Raises:
        InputError: the file cannot be read, lacks a column, or has cells that do not fit: all of them are listed with
            row, column, what was found and what was expected.

    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp(), "images.csv")
    >>> _ = path.write_text("image,width\\na.jpg,640\\n")
    >>> read_csv(path, {"image": str, "width": int}).to_dict("records")
    [{'image': 'a.jpg', 'width': 640}]
    """
    for kind in fields.values():
        if _optional(kind)[0] not in _SCALARS:
            raise TypeError(f"the type {kind!r}: expected str, int, float or bool, or one of them | None")
    table = csv.read_csv(path, list(fields))
    problems: list[Problem] = []
    columns: dict[str, pd.Series] = {}
    for name, kind in fields.items():
        cells = table[name].to_pylist()
        values = [_cell(cell, kind) for cell in cells]
        wrong = [row for row, value in enumerate(values) if value is _WRONG][:MOST_PROBLEMS]
        columns[name] = pd.Series(dtype=object) if wrong else _series(values, kind)
        for row in wrong:
            found = "nothing" if cells[row] is None else shown(cells[row])
            problems.append(Problem(str(path), row_named(row), name, found, _words(kind)))
    raise_any(problems)
    return _of_file(path, columns)


def _of_file(path: Path, columns: dict[str, pd.Series]) -> pd.DataFrame:
    """The table, whose attribute `file` tells errors that are found later where it comes from."""
    table = pd.DataFrame(columns)
    table.attrs["file"] = str(path)
    return table


def _record_type(fields: Fields) -> type:
    """A struct whose fields are called `field_0`, `field_1`, ... here, as names in a file may be anything."""
    definitions = [
        (f"field_{place}", _typed(kind), *([None] if _optional(kind)[1] else []))
        for place, kind in enumerate(fields.values())
    ]
    rename = {f"field_{place}": name for place, name in enumerate(fields)}
    return msgspec.defstruct("Record", definitions, kw_only=True, rename=rename)


def _typed(kind: Any) -> Any:
    if isinstance(kind, Mapping):
        return _record_type(kind)
    if isinstance(kind, list):
        return list[_typed(kind[0])]  # type: ignore[misc]
    inner, optional = _optional(kind)
    if inner not in _DTYPES:
        raise TypeError(f"the type {kind!r}: expected str, int, float, bool, a list or a mapping of these")
    inner = _TYPES.get(inner, inner)
    return inner | None if optional else inner


def _optional(kind: Any) -> tuple[Any, bool]:
    """A type without `| None`, and whether it had that."""
    if not isinstance(kind, UnionType):
        return kind, False
    inner = [each for each in get_args(kind) if each is not type(None)]
    return (inner[0] if len(inner) == 1 else kind), len(inner) < len(get_args(kind))


def _series(values: Sequence[Any], kind: Any) -> pd.Series:
    inner, optional = _optional(kind)
    if isinstance(kind, Mapping | list):
        return pd.Series([msgspec.to_builtins(value) for value in values], dtype="object")
    return pd.Series(values, dtype=(_NULLABLE if optional else _DTYPES)[inner])


def _cell(text: str | None, kind: Any) -> Any:
    """The value of a cell, `_WRONG` where it has none of its type."""
    inner, optional = _optional(kind)
    if text is None or not text.strip():
        return None if optional else _WRONG
    if inner is str:
        return text
    try:
        whole = _WHOLE.fullmatch(text.strip()) if inner is int else None
        value = _BOOLEANS[text.strip().lower()] if inner is bool else inner(whole[1] if whole else text)
    except (ValueError, KeyError):
        return _WRONG
    if inner is int:
        return value if -_LARGEST <= value < _LARGEST else _WRONG
    return value if math.isfinite(value) else _WRONG


def _words(kind: Any) -> str:
    inner, optional = _optional(kind)
    return _WORDS[inner] + (", or nothing" if optional else "")
