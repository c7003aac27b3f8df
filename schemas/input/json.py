"""Untrusted JSON: typed decoding that names the byte of broken text and every invalid record among good ones.

A file is decoded in one go, as its type; fields that the type does not name are skipped without being built. Only where
that fails is the outer level cut into undecoded pieces (`msgspec.Raw`) and each decoded by itself, so that one invalid
record does not hide the next.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from schemas.errors import MOST_PROBLEMS, InputError, Problem
from schemas.input.files import MEBIBYTE, Bytes, check_utf8, map_bytes, refuse_byte_order_mark
from schemas.input.json_errors import Label, endless_nesting, first_invalid, invalid, invalid_record, malformed
from schemas.input.problems import raise_any, repeats

# The largest annotation files in use, those of the COCO training images, have about half a gigabyte.
JSON_LIMIT = 1024 * MEBIBYTE
# Up to here all invalid records are listed; of a larger file the first, since the pieces of garbage take gigabytes.
_LISTED_LIMIT = 16 * MEBIBYTE

Record = TypeVar("Record")


class Key:
    """A key of the outer object. Equal to nothing but itself, so a repeated name is not lost in the dictionary."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


def numbered(place: int) -> str:
    """`record 1`, `record 2`, ..."""
    return f"record {place + 1}"


def read_object(path: Path, record: type[Record], kind: str, limit: int = JSON_LIMIT) -> dict[str, Record]:
    """The records of a file that is one JSON object, name -> record, in file order.

    Args:
        record: the type of one record, usually a `msgspec.Struct`; fields of the file that it lacks are ignored.
        kind: what a name names (`clip`, `video`), for the errors.

    Raises:
        InputError: the file cannot be read, is not UTF-8 or not JSON (names the byte), repeats a name, or holds records
            that do not fit `record` (what is first wrong in each record, all records together).
    """
    return object_in(str(path), map_bytes(path, limit), record, kind)


def object_in(file: str, content: Bytes, record: type[Record], kind: str) -> dict[str, Record]:
    """As `read_object`, of content that was read."""
    try:
        outer: dict[Key, Any] = decode(file, content, dict[Key, record])  # type: ignore[valid-type]
        whole = True
    except msgspec.ValidationError as failure:
        outer, whole = _pieces(file, content, dict[Key, msgspec.Raw], failure, numbered), False
    names = [key.name for key in outer]
    raise_any(repeats(file, lambda place: f"entry {place + 1}", kind, names))
    records = list(outer.values())
    if not whole:
        records = each_as(file, record, lambda place: f'{kind} "{names[place]}"', records)
    return dict(zip(names, records, strict=True))


def read_array(path: Path, record: type[Record], limit: int = JSON_LIMIT, label: Label = numbered) -> list[Record]:
    """The records of a file that is one JSON list; errors as `read_object`."""
    return array_in(str(path), map_bytes(path, limit), record, label)


def array_in(file: str, content: Bytes, record: type[Record], label: Label = numbered) -> list[Record]:
    """As `read_array`, of content that was read."""
    try:
        return decode(file, content, list[record])  # type: ignore[no-any-return, valid-type]
    except msgspec.ValidationError as failure:
        return each_as(file, record, label, _pieces(file, content, list[msgspec.Raw], failure, label))


def read_lists(
    path: Path, lists: Mapping[str, tuple[str, type[Any]]], limit: int = JSON_LIMIT
) -> tuple[dict[str, list[Any]], list[Problem]]:
    """The records of a file that is one JSON object of lists, such as COCO's; its other keys are skipped.

    Args:
        lists: key of each list -> what one record of it is called in errors, and its type.

    Returns:
        Key -> the valid records, in file order; and the problems of the invalid ones, which are named by their `id`
        (`annotation 12`) or else by their place (`annotations[3]`).

    Raises:
        InputError: the file cannot be read, is not UTF-8 or JSON (names the byte), is another value, or lacks a list.
    """
    file, content = str(path), map_bytes(path, limit)
    try:
        outer = decode(file, content, _object_of({key: list[record] for key, (_, record) in lists.items()}))  # type: ignore[valid-type]
        return {key: getattr(outer, key) for key in lists}, []
    except msgspec.ValidationError as failure:
        outer = _pieces(file, content, _object_of(dict.fromkeys(lists, list[msgspec.Raw])), failure, numbered)
    valid: dict[str, list[Any]] = {}
    problems: list[Problem] = []
    for key, (kind, record) in lists.items():
        pieces: list[msgspec.Raw] = getattr(outer, key)
        valid[key], wrong = _split(file, record, _label_by_id(kind, key, pieces), pieces)
        problems += wrong
    return valid, problems


def decode(file: str, content: Bytes, shape: Any) -> Any:
    """Content as a value of the type `shape`; what does not fit it is msgspec's own `ValidationError`.

    Raises:
        InputError: not UTF-8, a byte order mark, or not JSON, with the byte.
    """
    refuse_byte_order_mark(file, content)
    try:
        with _no_collection():
            value = msgspec.json.decode(content, type=shape, dec_hook=lambda _, name: Key(name))
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError) as failure:
        check_utf8(file, content)
        raise InputError(malformed(file, content, str(failure))) from None
    except RecursionError:
        raise InputError(endless_nesting(file)) from None
    check_utf8(file, content)
    return value


def each_as(file: str, record: type[Record], label: Label, pieces: Sequence[msgspec.Raw]) -> list[Record]:
    """Every piece decoded as its own `record`; `InputError` lists the invalid ones."""
    records, problems = _split(file, record, label, pieces)
    raise_any(problems)
    return records


@contextmanager
def _no_collection() -> Iterator[None]:
    """Without the cycle collector, which would look through the lists of a large file again and again."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _object_of(fields: Mapping[str, Any]) -> Any:
    return msgspec.defstruct("_Outer", fields.items())


def _pieces(file: str, content: Bytes, shape: Any, failure: msgspec.ValidationError, label: Label) -> Any:
    """The records undecoded; `InputError` where the outer level is another, or the file is too large to cut up."""
    if len(content) > _LISTED_LIMIT:
        raise InputError(first_invalid(file, str(failure), label)) from None
    try:
        return decode(file, content, shape)
    except msgspec.ValidationError as outer:
        raise InputError(invalid(file, "", str(outer))) from None


def _split(
    file: str, record: type[Record], label: Label, pieces: Sequence[msgspec.Raw]
) -> tuple[list[Record], list[Problem]]:
    """The valid records, and the problems of the others."""
    decode_one = msgspec.json.Decoder(record).decode
    records: list[Record] = []
    problems: list[Problem] = []
    with _no_collection():
        for place, piece in enumerate(pieces):
            try:
                records.append(decode_one(piece))
            except (msgspec.DecodeError, RecursionError) as failure:
                problems.append(invalid_record(file, label(place), str(failure), piece))
                if len(problems) == MOST_PROBLEMS:
                    break
    return records, problems


class _Identified(msgspec.Struct):
    id: int | float | str


def _label_by_id(kind: str, key: str, pieces: Sequence[msgspec.Raw]) -> Label:
    def label(place: int) -> str:
        try:
            return f"{kind} {msgspec.json.decode(pieces[place], type=_Identified).id}"
        except (msgspec.DecodeError, RecursionError):
            return f"{key}[{place}]"

    return label
