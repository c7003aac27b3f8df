"""Tables of detections, whatever they were read from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.arrays import array_of, booleans, texts_of
from schemas.errors import InputError, Problem
from schemas.input.columns import decoded, is_text, numbers, row_named
from scorers.detection.boxes import KEYS, SIDES, dictionary_of
from scorers.detection.images import ImageSet

COLUMNS = ("category", *SIDES, "score")
MODE = "bbox_mode"
_NUMBER = re.compile(r"\d{1,15}(\.0*)?")
_WHOLE_FLOAT = re.compile(r"(?<=\d)\.0*$")


def text_table(rows: Sequence[tuple[str, str, list[float], float]]) -> pa.Table:
    """A table of the boxes of text files, whose classes have names."""
    names, classes, boxes, scores = zip(*rows, strict=True) if rows else ((),) * 4
    known = {name: place for place, name in enumerate(dict.fromkeys(classes))}
    index = np.fromiter(map(known.__getitem__, classes), np.int64, len(classes))
    return table_of_boxes(names, categories_of(index, list(known)), boxes, scores)


def table_of_boxes(
    ids: Sequence[int | str], categories: pa.DictionaryArray, boxes: Sequence[Sequence[float]], scores: Sequence[float]
) -> pa.Table:
    """A table of detections; images are named by `image_id` where all ids are numbers."""
    if set(map(type, ids)) == {int}:
        columns = {"image_id": array_of(np.array(ids, np.int64))}
    else:
        columns = {"sample_id": texts_of([_WHOLE_FLOAT.sub("", str(one)) for one in ids])}
    sides = np.fromiter(chain.from_iterable(boxes), np.float64, 4 * len(boxes)).reshape(-1, 4)
    columns |= {"category": categories} | {name: array_of(side) for name, side in zip(SIDES, sides.T, strict=True)}
    return pa.table(columns | {"score": array_of(np.fromiter(scores, np.float64, len(scores)))})


def categories_of(index: NDArray[np.int64], names: Sequence[str]) -> pa.DictionaryArray:
    """The class of each detection, by its place among names that may be the same."""
    places = {name: place for place, name in enumerate(sorted(set(names)))}
    codes = np.array([places[name] for name in names], np.int64)[index]
    return pa.DictionaryArray.from_arrays(array_of(codes), texts_of(list(places)))


def class_name(given: int | str, images: ImageSet) -> str:
    """The name of a class by itself, or by its number, which may be text; one that says so for an unknown number."""
    if isinstance(given, str) and (given in images.labels or not _NUMBER.fullmatch(given)):
        return given
    number = int(float(given))
    return images.numbers.get(number, f"category_id {number}")


def with_box_columns(table: pa.Table, file: str, images: ImageSet) -> pa.Table:
    """The columns of a table that somebody else made; its numbers may be text, as in CSV.

    Raises:
        InputError: a column that is missing, repeated or of another kind; a class or a number that is missing.
    """
    names = table.column_names
    keys = [name for name in KEYS if name in names] or [name for name in ("file_name",) if name in names]
    if (names or len(table)) and (not keys or any(names.count(name) != 1 for name in (keys[0], *COLUMNS))):
        expected = f"columns image_id, sample_id or file_name, {', '.join(COLUMNS)}, once each"
        raise InputError(Problem(file, "", "", f"columns {', '.join(names)}", expected))
    if not len(table):  # nothing tells of what kind its columns are
        return text_table(())
    columns = {name: decoded(table[name]) for name in (*keys, *COLUMNS)}
    for name, column in columns.items():
        named = is_text(column.type) or pa.types.is_null(column.type)
        counted = pa.types.is_floating(column.type) or pa.types.is_integer(column.type)
        expected = "numbers or names" if name in keys or name == "category" else "numbers"
        if not named and not (counted and "numbers" in expected):
            raise InputError(Problem(file, "", name, f"a column of {table[name].type}", expected))
        columns[name] = column.cast(pa.string()) if named or name == "category" else column
        if name in KEYS and named:
            columns[name] = pc.replace_substring_regex(columns[name], r"^(\d+)\.0*$", r"\1")
    for name in (*keys, "category"):
        if columns[name].null_count:
            row = np.flatnonzero(booleans(columns[name].is_null()))[0]
            expected = "a class by name or number" if name == "category" else "the name or number of an image"
            raise InputError(Problem(file, row_named(row), name, "nothing", expected))
    classes = dictionary_of(columns["category"])
    names_of = [class_name(given, images) for given in classes.dictionary.to_pylist()]
    columns["category"] = texts_of(names_of).take(classes.indices)
    modes = {MODE: table[MODE].cast(pa.string())} if names.count(MODE) == 1 else {}
    return pa.table(columns | {name: array_of(numbers(columns[name], file, name)) for name in COLUMNS[1:]} | modes)
