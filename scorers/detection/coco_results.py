"""COCO results: a JSON array of `{image_id, category_id, bbox, score}`, categories by number or by name."""

from __future__ import annotations

import gc
import re
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
import pyarrow as pa

from schemas.arrays import array_of, texts_of
from schemas.errors import InputError, Problem, shown
from schemas.input.documents import malformed, refuse_byte_order_mark, unreadable
from scorers.detection.flat import Known, Names, flat_table

_Id = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)] | str
_EXPECTED = {
    "image_id": "a whole number, or the name of an image",
    "category_id": "a whole number, or the name of a class",
    "bbox": "[x, y, width, height] in pixels",
    "score": "a number",
}
_ARRAY = "a JSON array of {image_id, category_id, bbox, score}"
_PLACE = re.compile(r"\$\[(?P<record>\d+)\](?:\.(?P<field>\w+))?")
_KIND = re.compile(r"got `(\w+)`")
_FIELD_BEFORE = re.compile(rb'"(\w+)"\s*:[\s\[\d.,eE+-]*$')
_NO_NUMBER = (b"NaN", b"Infinity")


class _Result(msgspec.Struct, gc=False):
    image_id: _Id
    category_id: _Id
    bbox: tuple[float, float, float, float]
    score: float


def read_coco_results(path: Path, known: Known) -> pa.Table:
    """Read a file of results.

    Raises:
        InputError: unreadable, not JSON (names the byte), or a result of other fields (names the first, and the field).
    """
    try:
        content = path.read_bytes()
    except OSError as failure:
        raise unreadable(path, failure) from None
    refuse_byte_order_mark(str(path), content)
    try:
        results = _decoded(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as failure:
        raise InputError(_problem(str(path), content, failure)) from None
    called: dict[int | str, str] = {label: label for label in known.labels}
    names = Names(called | dict(known.numbers.items()), "category_id {}")
    ids = [result.image_id for result in results]
    named = str in set(map(type, ids))
    images = texts_of(list(map(str, ids))) if named else array_of(np.array(ids, np.int64))
    codes = map(names.__getitem__, map(attrgetter("category_id"), results))
    categories = np.fromiter(codes, np.int64, len(results))
    boxes = np.fromiter(chain.from_iterable(map(attrgetter("bbox"), results)), np.float64, 4 * len(results))
    scores = np.fromiter(map(attrgetter("score"), results), np.float64, len(results))
    return flat_table(
        "sample_id" if named else "image_id", images, categories, names.names, boxes.reshape(-1, 4), scores
    )


def _decoded(content: bytes) -> list[_Result]:
    """Decode without the cycle collector, which would look through a tuple of each result again and again."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return msgspec.json.decode(content, type=list[_Result])
    finally:
        if collecting:
            gc.enable()


def _problem(file: str, content: bytes, failure: Exception) -> Problem:
    """What is wrong, with the record and the field."""
    if isinstance(failure, RecursionError):
        return Problem(file, "", "", "lists in lists, without end", _ARRAY)
    if not isinstance(failure, msgspec.ValidationError):
        problem = malformed(file, "", content, failure, 0, _ARRAY)
        byte = int(problem.record.removeprefix("byte ")) if problem.record else 0
        rest = content[byte:]
        token = next((token for token in _NO_NUMBER if rest.startswith(token)), None)
        if token is None:
            return problem
        field = _FIELD_BEFORE.search(content, max(0, byte - 200), byte)
        record = f"result {content.count(b'{', 0, byte)}, byte {byte}"
        return Problem(file, record, field[1].decode() if field else "", token.decode(), "a finite number")
    place = _PLACE.search(str(failure))
    if place is None:
        kind = _KIND.search(str(failure))
        return Problem(file, "", "", f"JSON of the kind {kind[1]}" if kind else str(failure), _ARRAY)
    number, field_name = int(place["record"]), place["field"] or ""
    record = f"result {number + 1}"
    try:
        raw = msgspec.json.decode(content, type=list[msgspec.Raw])[number]
    except (msgspec.DecodeError, RecursionError) as worse:
        return _problem(file, content, worse)
    try:
        result = msgspec.json.decode(raw)
    except msgspec.DecodeError:  # a number that no float holds
        quoted = shown(bytes(raw).decode("utf-8", "replace"))
        return Problem(
            file, record, field_name, quoted, _EXPECTED.get(field_name, "a result in UTF-8, without huge numbers")
        )
    if not isinstance(result, dict):
        return Problem(file, record, "", shown(result), "an object {image_id, category_id, bbox, score}")
    lacking = next((name for name in _EXPECTED if name not in result), "")
    if lacking:
        return Problem(file, record, lacking, "nothing", _EXPECTED[lacking])
    return Problem(file, record, field_name, shown(result.get(field_name, result)), _EXPECTED.get(field_name, _ARRAY))
