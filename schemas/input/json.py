"""JSON files that hold one object, or one list, of records: typed decoding that reports every bad record.

The outer level is cut into undecoded pieces (`msgspec.Raw`), then each piece is decoded as its own type, so one bad
record does not hide the next. Fields that the type does not name are skipped without being built.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from schemas.errors import MOST_PROBLEMS, InputError, Problem, shown
from schemas.input.files import MEBIBYTE, check_utf8, map_bytes, refuse_byte_order_mark
from schemas.input.problems import raise_any, repeats

# The largest annotation files in use, those of the COCO training images, have about half a gigabyte.
JSON_LIMIT = 1024 * MEBIBYTE
# Up to here all misfits of a file are listed; the published files of this kind are smaller.
_LISTED_LIMIT = 16 * MEBIBYTE

Record = TypeVar("Record")

_CONTEXT = 20
_PLACE = re.compile(r"(?P<reason>.*) \(byte (?P<byte>\d+)\)", re.DOTALL)
_PATH = re.compile(r"(?P<reason>.*) - at `\$\.?(?P<path>[^`]*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(?P<field>.*)`", re.DOTALL)
_EXPECTED = re.compile(r"Expected `(?P<types>[^`]*)`(?P<limits>.*?)(?:, got `(?P<got>[^`]*)`)?", re.DOTALL)
_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_WORDS = {
    "array": "a list",
    "object": "an object",
    "str": "text",
    "float": "a number",
    "int": "a whole number",
    "bool": "true or false",
}


class _Key:
    """A key of the outer object. Equal to nothing but itself, so a repeated name is not lost in the dictionary."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


def read_object(path: Path, record: type[Record], kind: str, limit: int = JSON_LIMIT) -> dict[str, Record]:
    """The records of a file that is one JSON object, name -> record, in file order.

    Args:
        record: the type of one record, usually a `msgspec.Struct`; fields of the file that it lacks are ignored.
        kind: what a name names (`clip`, `video`), for the errors.

    Raises:
        InputError: the file cannot be opened, is not UTF-8 or not JSON (names the byte), repeats a name, or holds
            records that do not fit `record` (the first misfit of each record, all records together).
    """
    _refuse_large_misfits(path, dict[str, record], limit)  # type: ignore[valid-type]
    outer: dict[_Key, msgspec.Raw] = _decode_outer(path, dict[_Key, msgspec.Raw], limit)
    names = [key.name for key in outer]
    raise_any(repeats(str(path), lambda place: f"entry {place + 1}", kind, names))
    records = _decode_each(path, record, lambda place: f'{kind} "{names[place]}"', list(outer.values()))
    return dict(zip(names, records, strict=True))


def read_array(path: Path, record: type[Record], limit: int = JSON_LIMIT) -> list[Record]:
    """The records of a file that is one JSON list; errors call them `record [0]`, `record [1]`, ...

    Raises:
        InputError: as `read_object`.
    """
    _refuse_large_misfits(path, list[record], limit)  # type: ignore[valid-type]
    outer: list[msgspec.Raw] = _decode_outer(path, list[msgspec.Raw], limit)
    return _decode_each(path, record, lambda place: f"record [{place}]", outer)


def read_lists(
    path: Path, lists: Mapping[str, tuple[str, type[Any]]], limit: int = JSON_LIMIT
) -> tuple[dict[str, list[Any]], list[Problem]]:
    """The records of a file that is one JSON object of lists, such as COCO's; its other keys are skipped.

    All lists are decoded in one go. Only where a record does not fit are they decoded record by record, to find the
    others that do not: several times slower, on files that are refused anyway.

    Args:
        lists: key of each list -> what one record of it is called in errors, and its type.

    Returns:
        Key -> the records that fit, in file order; and the problems of those that do not, which are named by their `id`
        (`annotation 12`) or else by their place (`annotations[3]`).

    Raises:
        InputError: the file cannot be opened, is not UTF-8 or not JSON (names the byte), is no object, or lacks a list.
    """
    data = map_bytes(path, limit)
    try:
        outer = _decode(path, data, _object_of({key: list[record] for key, (_, record) in lists.items()}))  # type: ignore[valid-type]
    except msgspec.ValidationError:
        pass
    else:
        return {key: getattr(outer, key) for key in lists}, []
    outer = _decode_outer(path, _object_of(dict.fromkeys(lists, list[msgspec.Raw])), limit)
    fitting: dict[str, list[Any]] = {}
    problems: list[Problem] = []
    for key, (kind, record) in lists.items():
        pieces: list[msgspec.Raw] = getattr(outer, key)
        fitting[key], misfits = _split_by_fit(path, record, _label_by_id(kind, key, pieces), pieces)
        problems += misfits
    return fitting, problems


def _object_of(fields: Mapping[str, Any]) -> Any:
    return msgspec.defstruct("_Outer", list(fields.items()))


def _refuse_large_misfits(path: Path, shape: Any, limit: int) -> None:
    """Refuse a large file at its first misfit: to list them all, each record would be held undecoded, in gigabytes."""
    if path.is_file() and path.stat().st_size > _LISTED_LIMIT:
        _decode_outer(path, shape, limit)


def _decode_outer(path: Path, shape: Any, limit: int) -> Any:
    try:
        return _decode(path, map_bytes(path, limit), shape)
    except msgspec.ValidationError as error:
        raise InputError(_misfit(str(path), "", str(error))) from None


def _decode(path: Path, data: mmap.mmap, shape: Any) -> Any:
    """`data` as a value of the type `shape`; a value of another type is msgspec's own error."""
    refuse_byte_order_mark(path, data[:3])
    try:
        outer = msgspec.json.decode(data, type=shape, dec_hook=lambda _, name: _Key(name))
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        if "UTF-8" in str(error).upper():
            check_utf8(path, data)
        raise InputError(_malformed(path, data, str(error))) from None
    except RecursionError:
        raise InputError(Problem(str(path), "", "", "endless nesting", "lists and objects a few levels deep")) from None
    check_utf8(path, data)
    return outer


def _decode_each(
    path: Path, record: type[Record], label: Callable[[int], str], pieces: Sequence[msgspec.Raw]
) -> list[Record]:
    records, problems = _split_by_fit(path, record, label, pieces)
    raise_any(problems)
    return records


def _split_by_fit(
    path: Path, record: type[Record], label: Callable[[int], str], pieces: Sequence[msgspec.Raw]
) -> tuple[list[Record], list[Problem]]:
    decode: Callable[[msgspec.Raw], Record] = msgspec.json.Decoder(record).decode
    records: list[Record] = []
    problems: list[Problem] = []
    for place, piece in enumerate(pieces):
        try:
            records.append(decode(piece))
        except (msgspec.DecodeError, RecursionError) as error:
            problems.append(misfit_in(str(path), label(place), str(error), piece))
            if len(problems) == MOST_PROBLEMS:
                break
    return records, problems


class _Identified(msgspec.Struct):
    id: int | float | str


def _label_by_id(kind: str, key: str, pieces: Sequence[msgspec.Raw]) -> Callable[[int], str]:
    def label(place: int) -> str:
        try:
            return f"{kind} {msgspec.json.decode(pieces[place], type=_Identified).id}"
        except (msgspec.DecodeError, RecursionError):
            return f"{key}[{place}]"

    return label


def _malformed(path: Path, data: Any, message: str) -> Problem:
    """The `Problem` of a file that is no JSON, from msgspec's message, which names a byte unless the file broke off."""
    place = _PLACE.fullmatch(message)
    reason = place["reason"].removeprefix("JSON is malformed: ") if place else ""
    # Where characters follow the end of the document, msgspec names the byte after the first of them.
    offset = int(place["byte"]) - (reason == "trailing characters") if place else len(data)
    if offset >= len(data):
        advice = "the file was cut short, or holds half of a \\ud83d\\ude00 pair"
        return Problem(str(path), f"byte {len(data)}", "", "the end of the file", "the rest of the JSON text", advice)
    context = data[offset : offset + _CONTEXT].decode("utf-8", "replace")
    return Problem(str(path), f"byte {offset}", "", shown(context), "valid JSON", reason)


def misfit_in(file: str, label: str, message: str, piece: msgspec.Raw) -> Problem:
    """The `Problem` of one record, showing the value that stands where msgspec's message points."""
    place = _PATH.fullmatch(message)
    try:
        value = msgspec.json.decode(piece)
        for index, name in _STEP.findall(place["path"] if place else ""):
            value = value[int(index)] if index else value[name]
    except (msgspec.DecodeError, RecursionError, LookupError, TypeError):
        return _misfit(file, label, message, shown(bytes(piece).decode("utf-8", "replace")))
    return _misfit(file, label, message, "null" if value is None else shown(value))


def _misfit(file: str, label: str, message: str, found: str = "") -> Problem:
    """msgspec's message in our words: "Expected `float`, got `str` - at `$.len`" is field `len`, "a number"."""
    place = _PATH.fullmatch(message)
    path, reason = (place["path"], place["reason"]) if place else ("", message)
    missing = _MISSING.fullmatch(reason)
    if missing:
        field = f"{path}.{missing['field']}" if path else missing["field"]
        return Problem(file, label, field, "nothing", "a value")
    expected = _EXPECTED.fullmatch(reason)
    if expected is None:
        return Problem(file, label, path, found or "another value", "a value that fits", reason)
    found = found or _words(expected["got"])
    return Problem(file, label, path, found, _words(expected["types"]) + expected["limits"])


def _words(types: str) -> str:
    return " or ".join(_WORDS.get(word, word) for word in types.split(" | "))
