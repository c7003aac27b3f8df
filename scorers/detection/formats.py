"""Detections in the formats that people have, read into one table.

* `table`: Parquet or CSV with `image_id` or `sample_id`, `category`, `x`, `y`, `width`, `height`, `score`;
* `coco`: COCO results, a JSON array of `{image_id, category_id, bbox, score}`; categories by number or by
  name;
* `yolo`: a folder with a text file per image, lines of `class x_center y_center width height confidence`, relative;
* `voc`: a folder of `comp4_det_<split>_<class>.txt` files, or one of them, lines of `image score xmin ymin xmax ymax`.

In memory: the columns of `table` in a data frame, an Arrow table or a mapping of arrays; or COCO results as a list.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import pyarrow as pa

from schemas.arrays import array_of, texts_of
from schemas.errors import InputError, Problem, unknown_name
from schemas.input.csv import DELIMITERS, read_csv
from schemas.input.files import Bytes, map_bytes
from schemas.input.json import read_array
from schemas.input.parquet import MAGIC, read_parquet
from schemas.input.tables import table_of
from scorers.detection.images import ImageSet
from scorers.detection.table import Names, box_table, refuse_impossible_boxes, with_box_columns
from scorers.detection.text_files import COMP4, read_voc, read_yolo, yolo_folder

FORMATS = ("table", "coco", "yolo", "voc")

_IN_MEMORY = "predictions in memory"
_Id = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)] | str


class _Result(msgspec.Struct, gc=False):
    image_id: _Id
    category_id: _Id
    bbox: tuple[float, float, float, float]
    score: float


def read_detections(source: object, images: ImageSet, file_format: str | None = None) -> tuple[pa.Table, str]:
    """Read detections from a file or folder, or take them from memory.

    Args:
        source: a path, or see above.
        images: what they are read against.
        file_format: of a file, one of `FORMATS`; found by content when None.

    Returns:
        `image_id` or `sample_id`, both if a table has both, then `table.COLUMNS`, in file order; and what messages call
        the source. Categories that the manifest does not have keep the name or number that the source has for them.

    Raises:
        UsageError: unknown format, or nothing that holds detections.
        InputError: unreadable or malformed content; the message names file, record and field.
    """
    if file_format is not None and file_format not in FORMATS:
        raise unknown_name("detection format", file_format, list(FORMATS))
    if isinstance(source, (str, Path)):
        file, table = str(source), _read_path(Path(source), images, file_format)
    elif isinstance(source, (list, tuple)):
        file, table = _IN_MEMORY, _coco_table(_IN_MEMORY, _as_json(source), images)
    else:
        file, table = _IN_MEMORY, with_box_columns(table_of(source), _IN_MEMORY)
    refuse_impossible_boxes(table, file)
    return table, file


def _read_path(path: Path, images: ImageSet, file_format: str | None) -> pa.Table:
    if not path.exists():
        raise InputError(Problem(str(path), "", "", "nothing", "a file or folder of detections"))
    file_format = file_format or _format_of_texts(path, images.split)
    if file_format == "yolo":
        return read_yolo(path, images)
    if file_format == "voc":
        return read_voc(path, images)
    file, content, suffix = str(path), map_bytes(path), path.suffix.lower()
    is_parquet = content[: len(MAGIC)] == MAGIC
    if file_format == "table" or (file_format is None and (is_parquet or suffix in (*DELIMITERS, ".parquet"))):
        as_text = suffix in DELIMITERS and not is_parquet
        table = read_csv(path, content=content) if as_text else read_parquet(path, content=content)
        return with_box_columns(table, file, as_text)
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
    """Results of COCO; those of other fields are refused one by one."""
    results = read_array(file, _Result, label=lambda place: f"result {place + 1}", content=content)
    called: dict[int | str, str] = {label: label for label in images.labels}
    names = Names(called | dict(images.numbers.items()), "category_id {}")
    ids = [result.image_id for result in results]
    named = str in set(map(type, ids))
    keys = texts_of(list(map(str, ids))) if named else array_of(np.array(ids, np.int64))
    codes = map(names.__getitem__, map(attrgetter("category_id"), results))
    categories = np.fromiter(codes, np.int64, len(results))
    boxes = np.fromiter(chain.from_iterable(map(attrgetter("bbox"), results)), np.float64, 4 * len(results))
    scores = np.fromiter(map(attrgetter("score"), results), np.float64, len(results))
    key = "sample_id" if named else "image_id"
    return box_table(key, keys, categories, names.names, boxes.reshape(-1, 4), scores)
