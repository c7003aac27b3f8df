"""Detection files in the shapes that people have, read into one flat table.

* `table`: Parquet or CSV with `image_id` or `sample_id`, `category`, `x`, `y`, `width`, `height`, `score`;
* `coco`: COCO results, a JSON array of `{image_id, category_id, bbox, score}`; categories by number or by
  name;
* `yolo`: a folder with a text file an image, lines of `class x_center y_center width height confidence`, relative;
* `voc`: a folder of `comp4_det_<split>_<class>.txt` files, or one of them, lines of `image score xmin ymin xmax ymax`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import InputError, Problem, UsageError, shown, unknown_name
from schemas.manifest import read_parquet
from scorers.predictions.documents import read_csv

FORMS = ("table", "coco", "yolo", "voc")
COLUMNS = ("category", "x", "y", "width", "height", "score")
_COMP4 = re.compile(r"comp\d_det_(?P<name>[^_]+_.+)\.txt")
_AS_TEXT = (".csv", ".tsv")
_NUMBER_AT_END = re.compile(r"[0-9]+$")

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
        table = _read_yolo(path, images, labels, dropped)
    else:
        table = _read_voc(path, labels) if form == "voc" else _read_table(path)
    _refuse_negative_sizes(table, str(path))
    return table


def _detected(path: Path) -> str:
    if path.is_dir():
        names = [child.name for child in path.iterdir() if child.suffix == ".txt"]
        if not names:
            raise UsageError(f"{path}: a folder without .txt files; known formats: {', '.join(FORMS)}")
        return "voc" if all(_COMP4.fullmatch(name) for name in names) else "yolo"
    if _COMP4.fullmatch(path.name):
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
        results = msgspec.json.decode(content, type=list[_Result])
    except (msgspec.DecodeError, RecursionError) as failure:
        expected = "a JSON array of {image_id, category_id, bbox, score}"
        place = f"byte {len(content):,}" if "truncated" in str(failure) else ""
        raise InputError(Problem(str(path), place, "", str(failure), expected)) from None
    ids = [result.image_id for result in results]
    texts = any(isinstance(image, str) for image in ids)
    images = pa.array([str(image) for image in ids]) if texts else pa.array(ids, pa.int64())
    boxes = np.fromiter(chain.from_iterable(map(attrgetter("bbox"), results)), np.float64, 4 * len(results))
    scores = np.fromiter(map(attrgetter("score"), results), np.float64, len(results))
    names: dict[int | str, str] = dict(numbers) | {label: label for label in labels}
    categories = [names.get(result.category_id) for result in results]
    return _table("sample_id" if texts else "image_id", images, categories, boxes.reshape(-1, 4), scores)


def _read_yolo(folder: Path, images: pa.Table, labels: Sequence[str], dropped: Container[str]) -> pa.Table:
    """Boxes relative to the image's size become pixels; files are named by sample id, or by the image file's stem."""
    if not folder.is_dir():
        raise InputError(Problem(str(folder), "", "", "a file", "a folder with a .txt file an image"))
    rows = images.select(["sample_id", "file_name", "width", "height"]).to_pylist()
    by_name = {Path(row["file_name"]).stem: row for row in rows if row["file_name"]} | {r["sample_id"]: r for r in rows}
    found: list[tuple[str, str | None, list[float], float]] = []
    problems = []
    for path in sorted(folder.glob("*.txt")):
        row = by_name.get(path.stem) or _dropped_image(path.stem, dropped)
        if row is None or not row["width"] or not row["height"]:
            what = "an image of the manifest" if row is None else "an image of known width and height"
            problems.append(Problem(str(path), "", "file name", shown(path.stem), what))
            continue
        for line_number, line in enumerate(_lines(path), 1):
            if not line.strip():
                continue
            place, layout = f"line {line_number}", "class x_center y_center width height confidence"
            values, problem = _numbers(str(path), place, line, 6, layout)
            if problem is not None:
                problems.append(problem)
                continue
            number, x, y, width, height, score = values
            if not number.is_integer() or max(abs(side) for side in values[1:5]) > 2:
                expected = "a whole class number, and a box relative to the image"
                problems.append(Problem(str(path), place, "", shown(values), expected))
                continue
            label = labels[int(number)] if 0 <= number < len(labels) else None
            box = [(x - width / 2) * row["width"], (y - height / 2) * row["height"]]
            found.append((row["sample_id"], label, [*box, width * row["width"], height * row["height"]], score))
    if problems:
        raise InputError(problems)
    return _from_rows(found)


def _dropped_image(stem: str, dropped: Container[str]) -> dict[str, Any] | None:
    """An image that the build dropped, by its sample id or, as COCO's files are named, by the number at the end."""
    number = _NUMBER_AT_END.search(stem)
    names = (stem, number[0].lstrip("0") or "0") if number else (stem,)
    return next(({"sample_id": name, "width": 1, "height": 1} for name in names if name in dropped), None)


def _read_voc(path: Path, labels: Sequence[str]) -> pa.Table:
    """Pixels counted from 1, both ends of the box included."""
    files = [path] if path.is_file() else sorted(path.glob("comp*_det_*.txt"))
    if not files:
        raise InputError(Problem(str(path), "", "", "no such file", "comp4_det_<split>_<class>.txt"))
    found: list[tuple[str, str | None, list[float], float]] = []
    problems = []
    for file in files:
        match = _COMP4.fullmatch(file.name)
        if match is None:
            problems.append(Problem(str(file), "", "file name", shown(file.name), "comp4_det_<split>_<class>.txt"))
            continue
        category = _category_of(match["name"], labels)
        for number, line in enumerate(_lines(file), 1):
            if not line.strip():
                continue
            image, *rest = line.split(maxsplit=1)
            values, problem = _numbers(str(file), f"line {number}", "".join(rest), 5, "image score xmin ymin xmax ymax")
            if problem is not None:
                problems.append(problem)
                continue
            score, xmin, ymin, xmax, ymax = values
            found.append((image, category, [xmin - 1, ymin - 1, xmax - xmin + 1, ymax - ymin + 1], score))
    if problems:
        raise InputError(problems)
    return _from_rows(found)


def _category_of(name: str, labels: Sequence[str]) -> str:
    """The class in `<split>_<class>`: both may have underscores, so the longest known class, else all behind one."""
    known = [label for label in labels if name.endswith(f"_{label}")]
    return max(known, key=len, default=name.partition("_")[2])


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as failure:
        raise InputError(Problem(str(path), "", "", str(failure), "a text file")) from None


def _numbers(file: str, place: str, text: str, count: int, layout: str) -> tuple[list[float], Problem | None]:
    try:
        values = [float(part) for part in text.split()]
    except ValueError:
        values = []
    if len(values) != count:
        return [], Problem(file, place, "", shown(text), layout)
    return values, None


def _from_rows(found: list[tuple[str, str | None, list[float], float]]) -> pa.Table:
    names, categories, boxes, scores = zip(*found, strict=True) if found else ((), (), (), ())
    corners = np.array(boxes, np.float64).reshape(-1, 4)
    return _table("sample_id", pa.array(names, pa.string()), list(categories), corners, np.array(scores, np.float64))


def _table(
    key: str,
    images: pa.Array,
    categories: Sequence[str | None],
    boxes: NDArray[np.float64],
    scores: NDArray[np.float64],
) -> pa.Table:
    sides = {name: pa.array(boxes[:, place]) for place, name in enumerate(COLUMNS[1:5])}
    labels = pa.array(categories, pa.string())
    return pa.table({key: images, "category": labels, **sides, "score": pa.array(scores)})


def _refuse_negative_sizes(table: pa.Table, file: str) -> None:
    for side in ("width", "height"):
        rows = np.flatnonzero(np.asarray(pc.fill_null(pc.less(table[side], 0), False)))
        if len(rows):
            found = f"{table[side][int(rows[0])].as_py():g} ({len(rows):,} such boxes)"
            raise InputError(Problem(file, f"detection {rows[0] + 1}", side, found, "0 or more"))
