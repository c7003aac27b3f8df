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

from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa

from schemas.arrays import floats
from schemas.box_readings import VOC, XYWH, YOLO, Reading
from schemas.errors import InputError, Problem, unknown_name
from schemas.input.csv import DELIMITERS, read_csv
from schemas.input.documents import json_lines
from schemas.input.files import mark_length, read_bytes
from schemas.input.json import each_as, read_array
from schemas.input.parquet import MAGIC, read_parquet
from schemas.input.tables import table_of
from scorers.detection.boxes import SIDES
from scorers.detection.images import ImageSet
from scorers.detection.tables import MODE, categories_of, class_name, table_of_boxes, text_table, with_box_columns
from scorers.detection.text_files import COMP4, read_voc, read_yolo, yolo_folder

_READINGS = {"yolo": YOLO, "voc": VOC}
FORMATS = ("table", "coco", "yolo", "voc")

_FARTHEST = 1e100  # beyond it, areas of boxes overflow
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


class Parsed(NamedTuple):
    """Detections that are read from their source, but not yet against the images of a manifest.

    Attributes:
        file: what messages call the source.
        reading: what the numbers of boxes are taken for.
        table: names images and classes as a manifest does; of a folder of text files it reads these each time, as the
            sizes of boxes are relative to images.
    """

    file: str
    reading: Reading
    table: Callable[[ImageSet], pa.Table]


def parsed(source: object, split: str, file_format: str | None = None) -> Parsed:
    """Parse detections of a file, or in memory; arguments and errors as of `read_detections`."""
    if file_format is not None and file_format not in FORMATS:
        raise unknown_name("detection format", file_format, list(FORMATS))
    if isinstance(source, Parsed):
        return source
    if isinstance(source, (str, Path)):
        path = Path(source)
        reading = _READINGS.get(file_format or _format_of_texts(path, split) or "", XYWH)
        return Parsed(str(source), reading, _opened(path, split, file_format))
    if isinstance(source, (list, tuple)):
        return Parsed(_IN_MEMORY, XYWH, _coco_results(_IN_MEMORY, _as_json(source)))
    table = table_of(source)
    return Parsed(_IN_MEMORY, XYWH, lambda images: with_box_columns(table, _IN_MEMORY, images))


def read_detections(source: object, images: ImageSet, file_format: str | None = None) -> Read:
    """Read detections from a file or folder, or take them from memory.

    Args:
        source: a path, what `parsed` gives, or see above.
        images: what they are read against.
        file_format: of a file, one of `FORMATS`; found by content when None.

    Returns:
        `image_id` or `sample_id`, both if a table has both, then `COLUMNS` and, if any box has one, `bbox_mode`, in
        file order. Categories that the manifest does not have keep the name or number that the source has for them.

    Raises:
        UsageError: unknown format, or nothing that holds detections.
        InputError: unreadable or malformed content; the message names file, record and field.
    """
    found = parsed(source, images.split, file_format)
    table = found.table(images)
    _refuse_impossible_boxes(table, found.file)
    return Read(table, found.file, found.reading)


def _opened(path: Path, split: str, file_format: str | None) -> Callable[[ImageSet], pa.Table]:
    if not path.exists():
        raise InputError(Problem(str(path), "", "", "nothing", "a file or folder of detections"))
    file_format = file_format or _format_of_texts(path, split)
    if file_format in ("yolo", "voc"):
        read = read_yolo if file_format == "yolo" else read_voc
        return lambda images: text_table(read(path, images))
    file, content, suffix = str(path), read_bytes(path), path.suffix.lower()
    is_parquet = content[: len(MAGIC)] == MAGIC
    if file_format == "table" or (file_format is None and (is_parquet or suffix in (*DELIMITERS, ".parquet"))):
        as_text = suffix in DELIMITERS and not is_parquet
        table = read_csv(path, content=content) if as_text else read_parquet(path, content=content)
        return lambda images: with_box_columns(table, file, images)
    if file_format is None and suffix == ".txt":
        expected = "comp4_det_<split>_<class>.txt, or a folder of YOLO's files"
        raise InputError(Problem(file, "", "file name", path.name, expected))
    return _coco_results(file, content)


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


def _coco_results(file: str, content: bytes) -> Callable[[ImageSet], pa.Table]:
    """Results of COCO, as a list or one a line; those of other fields are refused one by one."""
    mark = mark_length(content)
    is_object = content[mark : mark + _BEGINNING].lstrip()[:1] == b"{"
    lines = json_lines(file, content[mark:], mark) if is_object else None
    if lines is None or (len(lines) == 1 and "image_id" not in msgspec.json.decode(lines[0])):
        results = read_array(file, _Result, label=_numbered, content=content)
    else:
        results = each_as(file, _Result, _numbered, lines)
    ids, classes, boxes, scores, modes = (list(map(attrgetter(name), results)) for name in _Result.__struct_fields__)
    given = {one: place for place, one in enumerate(dict.fromkeys(classes))}
    index = np.fromiter(map(given.__getitem__, classes), np.int64, len(classes))
    plain = table_of_boxes(ids, categories_of(index, list(map(str, given))), boxes, scores)
    if any(mode is not None for mode in modes):
        plain = plain.append_column(MODE, pa.array(map(str, modes)))
    place = plain.schema.get_field_index("category")

    def named(images: ImageSet) -> pa.Table:
        return plain.set_column(place, "category", categories_of(index, [class_name(one, images) for one in given]))

    return named


def _numbered(place: int) -> str:
    return f"result {place + 1}"


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
