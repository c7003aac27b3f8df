"""Detections in the formats that people have, read into one table.

* `table`: Parquet or CSV with `image_id` or `sample_id`, `category` (by number or by name), `x`, `y`, `width`,
  `height`, `score`;
* `coco`: COCO results, a JSON array of `{image_id, category_id, bbox, score}`, or one of these a line; categories by
  number or by name;
* `yolo`: a folder with a text file per image, lines of `class x_center y_center width height confidence`, relative;
* `voc`: a folder of `comp4_det_<split>_<class>.txt` files, or one of them, lines of `image score xmin ymin xmax ymax`.

In memory: the columns of `table` in a data frame, an Arrow table or a mapping of arrays; or COCO results as a list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.arrays import array_of, booleans, floats, texts_of
from schemas.box_readings import VOC, XYWH, YOLO, Reading
from schemas.errors import InputError, Problem, unknown_name
from schemas.input.columns import decoded, is_text, numbers, row_named
from schemas.input.csv import DELIMITERS, read_csv
from schemas.input.documents import json_lines
from schemas.input.files import Bytes, map_bytes, mark_length
from schemas.input.json import each_as, read_array
from schemas.input.parquet import MAGIC, read_parquet
from schemas.input.tables import table_of
from scorers.detection.boxes import KEYS, SIDES, dictionary_of
from scorers.detection.images import ImageSet
from scorers.detection.text_files import COMP4, read_voc, read_yolo, yolo_folder

_READINGS = {"yolo": YOLO, "voc": VOC}
FORMATS = ("table", "coco", "yolo", "voc")
COLUMNS = ("category", *SIDES, "score")

_FARTHEST = 1e100  # beyond it, areas of boxes overflow
_NUMBER = re.compile(r"\d{1,15}(\.0*)?")
_WHOLE_FLOAT = re.compile(r"(?<=\d)\.0*$")
_MODE = "bbox_mode"
_BEGINNING = 1024
_IN_MEMORY = "predictions in memory"
_Id = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)] | str


class _Result(msgspec.Struct, gc=False):
    image_id: _Id
    category_id: _Id
    bbox: tuple[float, float, float, float]
    score: float
    bbox_mode: Any = None


class Read(NamedTuple):
    """Detections as a table, what messages call their source, and what the numbers of boxes were taken for."""

    table: pa.Table
    file: str
    reading: Reading


def read_detections(source: object, images: ImageSet, file_format: str | None = None) -> Read:
    """Read detections from a file or folder, or take them from memory.

    Args:
        source: a path, or see above.
        images: what they are read against.
        file_format: of a file, one of `FORMATS`; found by content when None.

    Returns:
        `image_id` or `sample_id`, both if a table has both, then `COLUMNS` and, if any box has one, `bbox_mode`, in
        file order. Categories that the manifest does not have keep the name or number that the source has for them.

    Raises:
        UsageError: unknown format, or nothing that holds detections.
        InputError: unreadable or malformed content; the message names file, record and field.
    """
    if file_format is not None and file_format not in FORMATS:
        raise unknown_name("detection format", file_format, list(FORMATS))
    reading = XYWH
    if isinstance(source, (str, Path)):
        file, table = str(source), _read_path(Path(source), images, file_format)
        reading = _READINGS.get(file_format or _format_of_texts(Path(source), images.split) or "", XYWH)
    elif isinstance(source, (list, tuple)):
        file, table = _IN_MEMORY, _coco_table(_IN_MEMORY, _as_json(source), images)
    else:
        file, table = _IN_MEMORY, _with_box_columns(table_of(source), _IN_MEMORY, images)
    _refuse_impossible_boxes(table, file)
    return Read(table, file, reading)


def _read_path(path: Path, images: ImageSet, file_format: str | None) -> pa.Table:
    if not path.exists():
        raise InputError(Problem(str(path), "", "", "nothing", "a file or folder of detections"))
    file_format = file_format or _format_of_texts(path, images.split)
    if file_format in ("yolo", "voc"):
        rows = read_yolo(path, images) if file_format == "yolo" else read_voc(path, images)
        return _table_of(*(zip(*rows, strict=True) if rows else ((), (), (), ())))
    file, content, suffix = str(path), map_bytes(path), path.suffix.lower()
    is_parquet = content[: len(MAGIC)] == MAGIC
    if file_format == "table" or (file_format is None and (is_parquet or suffix in (*DELIMITERS, ".parquet"))):
        as_text = suffix in DELIMITERS and not is_parquet
        table = read_csv(path, content=content) if as_text else read_parquet(path, content=content)
        return _with_box_columns(table, file, images)
    if file_format is None and suffix == ".txt":
        expected = "comp4_det_<split>_<class>.txt, or a folder of YOLO's files"
        raise InputError(Problem(file, "", "file name", path.name, expected))
    return _coco_table(file, content, images)


def _format_of_texts(path: Path, split: str) -> str | None:
    """`yolo` or `voc` if there are text files; None for a file of another kind."""
    if path.is_dir():
        names = [child.name for child in path.glob("*.txt")]
        if not names and yolo_folder(path, split) is None:
            expected = f"a folder of .txt files, or one with such files in labels/{split}"
            raise InputError(Problem(str(path), "", "", "no .txt files", expected))
        return "voc" if names and all(COMP4.fullmatch(name) for name in names) else "yolo"
    return "voc" if COMP4.fullmatch(path.name) else None


def _as_json(results: Sequence[Any]) -> bytes:
    """Results in memory as a file has them, so that they are checked as one is."""
    try:
        return msgspec.json.encode(results, enc_hook=lambda value: value.tolist())  # of arrays and their numbers
    except (TypeError, AttributeError, ValueError) as failure:
        raise InputError(Problem(_IN_MEMORY, "", "", str(failure), "dictionaries of plain values")) from None


def _coco_table(file: str, content: Bytes, images: ImageSet) -> pa.Table:
    """Results of COCO, as a list or one a line; those of other fields are refused one by one."""
    mark = mark_length(content)
    is_object = content[mark : mark + _BEGINNING].lstrip()[:1] == b"{"
    lines = json_lines(file, content[mark:], mark) if is_object else None
    if lines is None or (len(lines) == 1 and "image_id" not in msgspec.json.decode(lines[0])):
        results = read_array(file, _Result, label=_numbered, content=content)
    else:
        results = each_as(file, _Result, _numbered, lines)
    ids, classes, boxes, scores, modes = (list(map(attrgetter(name), results)) for name in _Result.__struct_fields__)
    table = _table_of(ids, classes, boxes, scores, images)
    given = any(mode is not None for mode in modes)
    return table.append_column(_MODE, pa.array(map(str, modes))) if given else table


def _numbered(place: int) -> str:
    return f"result {place + 1}"


def _table_of(
    ids: Sequence[int | str],
    classes: Sequence[int | str],
    boxes: Sequence[Sequence[float]],
    scores: Sequence[float],
    images: ImageSet | None = None,
) -> pa.Table:
    """A table from the image, the class by name or number, the box and the score of each detection.

    Images are named by `image_id` where all ids are numbers; a class of an unknown number gets a name that says so.
    """
    if set(map(type, ids)) == {int}:
        columns = {"image_id": array_of(np.array(ids, np.int64))}
    else:
        columns = {"sample_id": texts_of([_WHOLE_FLOAT.sub("", str(one)) for one in ids])}
    names = {one: _class_name(one, images) if images else str(one) for one in set(classes)}
    places = {name: place for place, name in enumerate(sorted(set(names.values())))}
    codes = {one: places[name] for one, name in names.items()}
    categories = np.fromiter(map(codes.__getitem__, classes), np.int64, len(classes))
    columns["category"] = pa.DictionaryArray.from_arrays(array_of(categories), texts_of(list(places)))
    sides = np.fromiter(chain.from_iterable(boxes), np.float64, 4 * len(boxes)).reshape(-1, 4)
    columns |= {name: array_of(side) for name, side in zip(SIDES, sides.T, strict=True)}
    return pa.table(columns | {"score": array_of(np.fromiter(scores, np.float64, len(scores)))})


def _class_name(given: int | str, images: ImageSet) -> str:
    """The name of a class by itself, or by its number, which may be written as text."""
    if isinstance(given, str) and (given in images.labels or not _NUMBER.fullmatch(given)):
        return given
    number = int(float(given))
    return images.numbers.get(number, f"category_id {number}")


def _with_box_columns(table: pa.Table, file: str, images: ImageSet) -> pa.Table:
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
        return _table_of((), (), (), ())
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
    if columns["category"].null_count:
        row = np.flatnonzero(booleans(columns["category"].is_null()))[0]
        raise InputError(Problem(file, row_named(row), "category", "nothing", "a class by name or number"))
    classes = dictionary_of(columns["category"])
    names_of = [_class_name(given, images) for given in classes.dictionary.to_pylist()]
    columns["category"] = texts_of(names_of).take(classes.indices)
    modes = {_MODE: table[_MODE].cast(pa.string())} if names.count(_MODE) == 1 else {}
    return pa.table(columns | {name: array_of(numbers(columns[name], file, name)) for name in COLUMNS[1:]} | modes)


def _refuse_impossible_boxes(table: pa.Table, file: str) -> None:
    """Refuse negative sides, and numbers whose products no float holds, as `InputError`."""
    for name in SIDES:
        values = floats(table[name])
        checks = [(np.abs(values) > _FARTHEST, f"a number of pixels, at most {_FARTHEST:g}")]
        checks += [(values < 0, "0 or more")] * (name in ("width", "height"))
        for wrong, expected in checks:
            rows = np.flatnonzero(wrong)
            if len(rows):
                found = f"{values[rows[0]]:g} ({len(rows):,} such boxes)"
                advice = f"boxes are {XYWH}; corners and centres want conversion" if (values < 0).any() else ""
                raise InputError(Problem(file, f"detection {rows[0] + 1}", name, found, expected, advice))
