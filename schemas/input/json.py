"""Untrusted JSON: typed decoding that names the byte of broken text and every invalid record among good ones.

A file is decoded in one go, as its type; fields that the type does not name are skipped without being built. Where that
fails, numbers may be written otherwise: `640.0` or `"640"` stand for 640. Only where this fails too is the outer level
cut into undecoded pieces (`msgspec.Raw`) and each decoded by itself, so that one invalid record does not hide the next.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from schemas.errors import MOST_PROBLEMS, InputError, Problem
from schemas.input.files import MEBIBYTE, check_utf8, mark_length, read_bytes
from schemas.input.json_errors import first_invalid, invalid, invalid_record, malformed
from schemas.input.problems import Place, raise_any, repeats

# The largest annotation files in use, those of the COCO training images, have about half a gigabyte.
JSON_LIMIT = 1024 * MEBIBYTE
# Up to here all invalid records are listed; of a larger file the first, since the pieces of garbage take gigabytes.
_LISTED_LIMIT = 16 * MEBIBYTE

# Text that msgspec would take for a number where one is expected, and that JSON has no number for.
_NOT_FINITE = re.compile(rb'"[+-]?(nan|inf(inity)?)"', re.IGNORECASE)

Record = TypeVar("Record")


class Key:
    """A key of the outer object. Equal to nothing but itself, so a repeated name is not lost in the dictionary."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


def numbered(place: int) -> str:
    """`record 1`, `record 2`, ..."""
    return f"record {place + 1}"


def read_object(
    path: Path, record: type[Record], kind: str, limit: int = JSON_LIMIT, content: bytes = b""
) -> dict[str, Record]:
    """The records of a file that is one JSON object, name -> record, in file order.

    Args:
        record: the type of one record, usually a `msgspec.Struct`; fields of the file that it lacks are ignored.
        kind: what a name names (`clip`, `video`), for the errors.
        content: of the file, if it was read.

    Raises:
        InputError: the file cannot be read, is not UTF-8 or not JSON (names the byte), repeats a name, or holds records
            that do not fit `record` (what is first wrong in each record, all records together).
    """
    file, content = str(path), content or read_bytes(path, limit)
    outer, whole = _outer(file, content, dict[Key, record], dict[Key, msgspec.Raw])  # type: ignore[valid-type]
    names = [key.name for key in outer]
    raise_any(repeats(file, lambda place: f"entry {place + 1}", kind, names))
    records = list(outer.values())
    if not whole:
        records = each_as(file, record, lambda place: f'{kind} "{names[place]}"', records)
    return dict(zip(names, records, strict=True))


def read_array(
    path: Path | str, record: type[Record], limit: int = JSON_LIMIT, label: Place = numbered, content: bytes = b""
) -> list[Record]:
    """The records of a file that is one JSON list, which `label` names; arguments and errors as of `read_object`."""
    file, content = str(path), content or read_bytes(Path(path), limit)
    records, whole = _outer(file, content, list[record], list[msgspec.Raw], label)  # type: ignore[valid-type]
    return records if whole else each_as(file, record, label, records)


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
    file, content = str(path), read_bytes(path, limit)
    typed = msgspec.defstruct("_Lists", [(key, list[record]) for key, (_, record) in lists.items()])  # type: ignore[valid-type]
    pieces = msgspec.defstruct("_Lists", [(key, list[msgspec.Raw]) for key in lists])
    outer, whole = _outer(file, content, typed, pieces)
    valid: dict[str, list[Any]] = {key: getattr(outer, key) for key in lists}
    problems: list[Problem] = []
    for key, (kind, record) in lists.items() if not whole else ():
        valid[key], wrong = _split(file, record, _label_by_id(kind, key, valid[key]), valid[key])
        problems += wrong
    return valid, problems


def decode(file: str, content: bytes, shape: Any, record: str = "", offset: int = 0, *, strict: bool = True) -> Any:
    """Content in UTF-8 as a value of the type `shape`; what does not fit it is msgspec's own `ValidationError`.

    Args:
        record: what the content is, if it is only a part of the file; it begins at the byte `offset`.
        strict: whether numbers that are written as text, and whole ones as floats, do not fit.

    Raises:
        InputError: not JSON, with the byte.
    """
    try:
        return msgspec.json.decode(content, type=shape, strict=strict, dec_hook=lambda _, name: Key(name))
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError) as failure:
        raise InputError(malformed(file, content, str(failure), record, offset)) from None
    except RecursionError:
        expected = "lists and objects a few levels deep"
        raise InputError(Problem(file, record, "", "endless nesting", expected)) from None


def read_written(path: Path, shape: type[Record], expected: str) -> Record:
    """The one value of type `shape` in a file that this toolkit wrote, which `expected` says in errors.

    Raises:
        InputError: the file cannot be read, or is something else.
    """
    try:
        return msgspec.json.decode(read_bytes(path), type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError) as failure:
        raise InputError(Problem(str(path), "", "", str(failure), expected)) from None


def each_as(file: str, record: type[Record], label: Place, pieces: Sequence[msgspec.Raw]) -> list[Record]:
    """Every piece decoded as its own `record`; `InputError` lists the invalid ones."""
    records, problems = _split(file, record, label, pieces)
    raise_any(problems)
    return records


@contextmanager
def no_collection() -> Iterator[None]:
    """Without the cycle collector, which would look through the lists of a large file again and again."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _outer(file: str, content: bytes, typed: Any, pieces: Any, label: Place = numbered) -> tuple[Any, bool]:
    """Content as `typed`, and True; where records do not fit, as `pieces`, which has them undecoded, and False.

    Raises:
        InputError: as `decode`; not UTF-8; another outer level; a file too large to cut up, naming its first invalid
            record.
    """
    check_utf8(file, content)
    mark = mark_length(content)
    content = content[mark:] if mark else content
    with no_collection():
        try:
            return decode(file, content, typed, offset=mark), True
        except msgspec.ValidationError as failure:
            wrong = failure
        if not _NOT_FINITE.search(content):
            try:
                return decode(file, content, typed, strict=False), True
            except msgspec.ValidationError as failure:
                wrong = failure
        if len(content) > _LISTED_LIMIT:
            raise InputError(first_invalid(file, str(wrong), label))
        try:
            return decode(file, content, pieces), False
        except msgspec.ValidationError as failure:
            raise InputError(invalid(file, "", str(failure))) from None


def _split(
    file: str, record: type[Record], label: Place, pieces: Sequence[msgspec.Raw]
) -> tuple[list[Record], list[Problem]]:
    """The valid records, and the problems of the others."""
    exact, lenient = (msgspec.json.Decoder(record, strict=strict).decode for strict in (True, False))
    records: list[Record] = []
    problems: list[Problem] = []
    with no_collection():
        for place, piece in enumerate(pieces):
            try:
                try:
                    records.append(exact(piece))
                except msgspec.ValidationError:
                    if _NOT_FINITE.search(bytes(piece)):
                        raise
                    records.append(lenient(piece))
            except (msgspec.DecodeError, RecursionError) as failure:
                problems.append(invalid_record(file, label(place), str(failure), piece))
                if len(problems) == MOST_PROBLEMS:
                    break
    return records, problems


class _Identified(msgspec.Struct):
    id: int | float | str


def _label_by_id(kind: str, key: str, pieces: Sequence[msgspec.Raw]) -> Place:
    def label(place: int) -> str:
        try:
            return f"{kind} {msgspec.json.decode(pieces[place], type=_Identified).id}"
        except (msgspec.DecodeError, RecursionError):
            return f"{key}[{place}]"

    return label
