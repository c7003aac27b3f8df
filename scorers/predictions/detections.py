"""Detection files in the shapes that people have, read into one flat table.

* `table`: Parquet or CSV with `image_id` or `sample_id`, `category`, `x`, `y`, `width`, `height`, `score`;
* `coco`: COCO results, a JSON array of `{image_id, category_id, bbox, score}`; categories by number or by
  name;
* `yolo`: a folder with a text file an image, lines of `class x_center y_center width height confidence`, relative;
* `voc`: a folder of `comp4_det_<split>_<class>.txt` files, or one of them, lines of `image score xmin ymin xmax ymax`.
"""

from __future__ import annotations

import gc
from collections.abc import Container, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
import pyarrow as pa

from schemas.arrays import array_of, floats, texts_of
from schemas.errors import InputError, Problem, UsageError, unknown_name
from schemas.manifest import read_parquet
from scorers.predictions.detection_texts import COMP4, read_voc, read_yolo
from scorers.predictions.documents import read_csv
from scorers.predictions.flat import COLUMNS, UNKNOWN, flat_table

FORMS = ("table", "coco", "yolo", "voc")
_AS_TEXT = (".csv", ".tsv")

_Id = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)] | str


class _Result(msgspec.Struct, gc=False):
    image_id: _Id
    category_id: _Id
    bbox: tuple[float, float, float, float]
    score: float


def read_detections(
    path: Path,
    images: pa.Table,
    labels: Sequence[str],
    numbers: Mapping[int, str],
    form: str | None = None,
    dropped: Container[str] = (),
) -> pa.Table:
    """Read a file or folder of detections.

    Args:
        path: what to read.
        images: the manifest's `sample_id`, `file_name`, `width`, `height`; relative coordinates need them.
        labels: names of the categories in order; YOLO files count them from 0.
        numbers: the category of each number in COCO results.
        form: one of `FORMS`; found out from the content when None.
        dropped: sample ids of further images, whose boxes nobody looks at: relative ones become empty boxes.

    Returns:
        `image_id` or `sample_id`, then `COLUMNS`, in file order. An unknown number of a category gives the category
        null, which no truth has.

    Raises:
        UsageError: unknown form, or none fits.
        InputError: unreadable or malformed content; the message names file, record and field.
    """
    if form is not None and form not in FORMS:
        raise unknown_name("detection format", form, list(FORMS))
    if not path.exists():
        raise InputError(Problem(str(path), "", "", "nothing", "a file or folder of detections"))
    form = form or _detected(path)
    if form == "coco":
        table = _read_coco(path, labels, numbers)
    elif form == "yolo":
        table = read_yolo(path, images, labels, dropped)
    else:
        table = read_voc(path, labels) if form == "voc" else _read_table(path)
    _refuse_negative_sizes(table, str(path))
    return table


def _detected(path: Path) -> str:
    if path.is_dir():
        names = [child.name for child in path.iterdir() if child.suffix == ".txt"]
        if not names:
            raise UsageError(f"{path}: a folder without .txt files; known formats: {', '.join(FORMS)}")
        return "voc" if all(COMP4.fullmatch(name) for name in names) else "yolo"
    if COMP4.fullmatch(path.name):
        return "voc"
    with path.open("rb") as stream:
        return "table" if path.suffix.lower() in _AS_TEXT or stream.read(4) == b"PAR1" else "coco"


def _read_table(path: Path) -> pa.Table:
    as_text = path.suffix.lower() in _AS_TEXT
    table = read_csv(path) if as_text else read_parquet(path)
    names = table.column_names
    keys = [name for name in ("image_id", "sample_id") if name in names]
    if not keys or any(names.count(name) != 1 for name in (keys[0], *COLUMNS)):
        expected = f"columns image_id or sample_id, {', '.join(COLUMNS)}, once each"
        raise InputError(Problem(str(path), "", "", f"columns {', '.join(names)}", expected))
    columns = {keys[0]: table[keys[0]], "category": table["category"]}
    columns = {name: _decoded(column) for name, column in columns.items()}
    if not _is_text(columns["category"].type):
        raise InputError(Problem(str(path), "", "category", f"a column of {table['category'].type}", "names"))
    if not (_is_text(columns[keys[0]].type) or _is_number(columns[keys[0]].type)):
        raise InputError(Problem(str(path), "", keys[0], f"a column of {table[keys[0]].type}", "numbers or names"))
    for name in COLUMNS[1:]:
        columns[name] = _from_text(table[name], name, str(path)) if as_text else table[name]
        if not _is_number(columns[name].type):
            raise InputError(Problem(str(path), "", name, f"a column of {table[name].type}", "numbers"))
    return pa.table(columns)


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _is_text(kind: pa.DataType) -> bool:
    return any(check(kind) for check in (pa.types.is_string, pa.types.is_large_string, pa.types.is_null))


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))


def _from_text(column: pa.ChunkedArray, name: str, file: str) -> pa.ChunkedArray:
    """A column of CSV as numbers, null where nothing stands."""
    try:
        return column.cast(pa.float64())
    except pa.ArrowInvalid as failure:
        raise InputError(Problem(file, "", name, str(failure), "numbers")) from None


def _read_coco(path: Path, labels: Sequence[str], numbers: Mapping[int, str]) -> pa.Table:
    try:
        content = path.read_bytes()
    except OSError as failure:
        raise InputError(Problem(str(path), "", "", failure.strerror or str(failure), "a readable file")) from None
    try:
        results = _decoded_results(content)
    except (msgspec.DecodeError, RecursionError) as failure:
        expected = "a JSON array of {image_id, category_id, bbox, score}"
        place = f"byte {len(content):,}" if "truncated" in str(failure) else ""
        raise InputError(Problem(str(path), place, "", str(failure), expected)) from None
    places: dict[int | str, int] = {label: place for place, label in enumerate(labels)}
    places |= {number: places[label] for number, label in numbers.items() if label in places}
    codes = (places.get(result.category_id, UNKNOWN) for result in results)
    boxes = np.fromiter(chain.from_iterable(map(attrgetter("bbox"), results)), np.float64, 4 * len(results))
    scores = np.fromiter(map(attrgetter("score"), results), np.float64, len(results))
    categories = np.fromiter(codes, np.int64, len(results))
    ids = [result.image_id for result in results]
    named = str in set(map(type, ids))
    images = texts_of(list(map(str, ids))) if named else array_of(np.array(ids, np.int64))
    return flat_table("sample_id" if named else "image_id", images, categories, labels, boxes.reshape(-1, 4), scores)


def _decoded_results(content: bytes) -> list[_Result]:
    """Decode without the cycle collector, which would look through a tuple of each result again and again."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return msgspec.json.decode(content, type=list[_Result])
    finally:
        if collecting:
            gc.enable()


def _refuse_negative_sizes(table: pa.Table, file: str) -> None:
    for side in ("width", "height"):
        rows = np.flatnonzero(floats(table[side]) < 0)
        if len(rows):
            found = f"{table[side][int(rows[0])].as_py():g} ({len(rows):,} such boxes)"
            raise InputError(Problem(file, f"detection {rows[0] + 1}", side, found, "0 or more"))
