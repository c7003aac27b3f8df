"""Detection files in the shapes that people have, read into one flat table.

* `table`: Parquet or CSV with `image_id` or `sample_id`, `category`, `x`, `y`, `width`, `height`, `score`;
* `coco`: COCO results, a JSON array of `{image_id, category_id, bbox, score}`; categories by number or by
  name;
* `yolo`: a folder with a text file an image, lines of `class x_center y_center width height confidence`, relative;
* `voc`: a folder of `comp4_det_<split>_<class>.txt` files, or one of them, lines of `image score xmin ymin xmax ymax`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa

from schemas.arrays import booleans, floats
from schemas.errors import InputError, Problem, shown, unknown_name
from schemas.input.columns import decoded
from schemas.input.csv import read_csv
from schemas.input.parquet import read_parquet
from scorers.detection.coco_results import read_coco_results
from scorers.detection.flat import COLUMNS, Known
from scorers.detection.text_files import COMP4, read_voc, read_yolo, yolo_folder

_AS_TEXT = (".csv", ".tsv")
# Beyond it, areas of boxes overflow.
_FARTHEST = 1e100


def read_detections(path: Path, known: Known, form: str | None = None) -> pa.Table:
    """Read a file or folder of detections.

    Args:
        path: what to read.
        known: what the manifest says.
        form: one of `FORMS`; found out from the content when None.

    Returns:
        `image_id` or `sample_id`, both if a table has both, then `COLUMNS`, in file order. Categories that the manifest
        does not have keep the name or number that the file has for them.

    Raises:
        UsageError: unknown form, or none fits.
        InputError: unreadable or malformed content; the message names file, record and field.
    """
    if form is not None and form not in FORMS:
        raise unknown_name("detection format", form, list(FORMS))
    if not path.exists():
        raise InputError(Problem(str(path), "", "", "nothing", "a file or folder of detections"))
    reader = _READERS[form or _detected(path, known.split)]
    table = reader(path, known)
    _refuse_strange_boxes(table, str(path))
    return table


def _detected(path: Path, split: str) -> str:
    if path.is_dir():
        names = [child.name for child in path.glob("*.txt")]
        if not names and yolo_folder(path, split) is None:
            expected = f"a folder of .txt files, or one with such files in labels/{split}"
            raise InputError(Problem(str(path), "", "", "no .txt files", expected))
        return "voc" if names and all(COMP4.fullmatch(name) for name in names) else "yolo"
    if COMP4.fullmatch(path.name):
        return "voc"
    suffix = path.suffix.lower()
    with path.open("rb") as stream:
        if suffix in (*_AS_TEXT, ".parquet") or stream.read(4) == b"PAR1":
            return "table"
    if suffix == ".txt":
        expected = "comp4_det_<split>_<class>.txt, or a folder of YOLO's files"
        raise InputError(Problem(str(path), "", "file name", path.name, expected))
    return "coco"


def _read_table(path: Path, _: Known) -> pa.Table:
    as_text = path.suffix.lower() in _AS_TEXT
    table = read_csv(path) if as_text else read_parquet(path)
    names = table.column_names
    keys = [name for name in ("image_id", "sample_id") if name in names]
    if not keys or any(names.count(name) != 1 for name in (keys[0], *COLUMNS)):
        expected = f"columns image_id or sample_id, {', '.join(COLUMNS)}, once each"
        raise InputError(Problem(str(path), "", "", f"columns {', '.join(names)}", expected))
    columns = {name: decoded(table[name]) for name in (*keys, "category")}
    if not _is_text(columns["category"].type):
        raise InputError(Problem(str(path), "", "category", f"a column of {table['category'].type}", "names"))
    for key in keys:
        if not (_is_text(columns[key].type) or _is_number(columns[key].type)):
            raise InputError(Problem(str(path), "", key, f"a column of {table[key].type}", "numbers or names"))
    if columns["category"].null_count:
        row = np.flatnonzero(booleans(columns["category"].is_null()))[0] + 1
        raise InputError(Problem(str(path), f"row {row}", "category", "nothing", "the name of a class"))
    for name in COLUMNS[1:]:
        columns[name] = _from_text(table[name], name, str(path)) if as_text else table[name]
        if not _is_number(columns[name].type):
            raise InputError(Problem(str(path), "", name, f"a column of {table[name].type}", "numbers"))
    return pa.table(columns)


def _is_text(kind: pa.DataType) -> bool:
    return any(check(kind) for check in (pa.types.is_string, pa.types.is_large_string, pa.types.is_null))


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))


def _from_text(column: pa.ChunkedArray, name: str, file: str) -> pa.ChunkedArray:
    """A column of CSV as numbers, null where nothing stands."""
    try:
        return column.cast(pa.float64())
    except pa.ArrowInvalid:
        row, text = next((row, text) for row, text in enumerate(column.to_pylist(), 1) if not _is_written_number(text))
        raise InputError(Problem(file, f"row {row}", name, shown(text), "a number")) from None


def _is_written_number(text: str | None) -> bool:
    try:
        return pa.array([text], pa.string()).cast(pa.float64()) is not None
    except pa.ArrowInvalid:
        return False


def _refuse_strange_boxes(table: pa.Table, file: str) -> None:
    """Negative sides, and numbers whose products no float holds."""
    for name in COLUMNS[1:5]:
        values = floats(table[name])
        checks = [(np.abs(values) > _FARTHEST, f"a number of pixels, at most {_FARTHEST:g}")]
        checks += [(values < 0, "0 or more")] * (name in ("width", "height"))
        for wrong, expected in checks:
            rows = np.flatnonzero(wrong)
            if len(rows):
                found = f"{values[rows[0]]:g} ({len(rows):,} such boxes)"
                raise InputError(Problem(file, f"detection {rows[0] + 1}", name, found, expected))


_READERS: Mapping[str, Callable[[Path, Known], pa.Table]] = {
    "table": _read_table,
    "coco": read_coco_results,
    "yolo": read_yolo,
    "voc": read_voc,
}
FORMS = tuple(_READERS)
