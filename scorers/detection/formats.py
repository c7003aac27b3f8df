"""Detections in the formats that people have, read into one table.

* `table`: Parquet or CSV with `image_id` or `sample_id`, `category`, `x`, `y`, `width`, `height`, `score`;
* `coco`: COCO results, a JSON array of `{image_id, category_id, bbox, score}`; categories by number or by
  name;
* `yolo`: a folder with a text file per image, lines of `class x_center y_center width height confidence`, relative;
* `voc`: a folder of `comp4_det_<split>_<class>.txt` files, or one of them, lines of `image score xmin ymin xmax ymax`.

In memory: the columns of `table` in a data frame, an Arrow table or a mapping of arrays; or COCO results as a list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa

from schemas.errors import InputError, Problem, unknown_name
from schemas.input.csv import DELIMITERS, read_csv
from schemas.input.parquet import MAGIC, read_parquet
from schemas.input.tables import table_of
from scorers.detection.coco_results import read_coco_results, results_in_memory
from scorers.detection.images import ImageSet
from scorers.detection.table import refuse_impossible_boxes, with_box_columns
from scorers.detection.text_files import COMP4, read_voc, read_yolo, yolo_folder


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
        path = Path(source)
        if not path.exists():
            raise InputError(Problem(str(path), "", "", "nothing", "a file or folder of detections"))
        file, table = str(path), _READERS[file_format or _detected(path, images.split)](path, images)
    else:
        file = "predictions in memory"
        if isinstance(source, (list, tuple)):
            table = results_in_memory(source, images, file)
        else:
            table = with_box_columns(table_of(source), file)
    refuse_impossible_boxes(table, file)
    return table, file


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
        if suffix in (*DELIMITERS, ".parquet") or stream.read(4) == MAGIC:
            return "table"
    if suffix == ".txt":
        expected = "comp4_det_<split>_<class>.txt, or a folder of YOLO's files"
        raise InputError(Problem(str(path), "", "file name", path.name, expected))
    return "coco"


def _read_table(path: Path, _: ImageSet) -> pa.Table:
    as_text = path.suffix.lower() in DELIMITERS
    return with_box_columns(read_csv(path) if as_text else read_parquet(path), str(path), as_text)


_READERS: Mapping[str, Callable[[Path, ImageSet], pa.Table]] = {
    "table": _read_table,
    "coco": read_coco_results,
    "yolo": read_yolo,
    "voc": read_voc,
}
FORMATS = tuple(_READERS)
