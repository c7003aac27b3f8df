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
from schemas.input.csv import DELIMITERS, csv_table
from schemas.input.files import map_bytes
from schemas.input.parquet import MAGIC, parquet_table
from schemas.input.tables import table_of
from scorers.detection.coco_results import coco_results_in, results_in_memory
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
        file, table = str(path), _read(path, images, file_format or _detected_by_name(path, images.split))
    else:
        file = "predictions in memory"
        if isinstance(source, (list, tuple)):
            table = results_in_memory(source, images, file)
        else:
            table = with_box_columns(table_of(source), file)
    refuse_impossible_boxes(table, file)
    return table, file


def _detected_by_name(path: Path, split: str) -> str | None:
    """The format of a folder or a text file; None for a file whose content says what it is."""
    if path.is_dir():
        names = [child.name for child in path.glob("*.txt")]
        if not names and yolo_folder(path, split) is None:
            expected = f"a folder of .txt files, or one with such files in labels/{split}"
            raise InputError(Problem(str(path), "", "", "no .txt files", expected))
        return "voc" if names and all(COMP4.fullmatch(name) for name in names) else "yolo"
    return "voc" if COMP4.fullmatch(path.name) else None


def _read(path: Path, images: ImageSet, file_format: str | None) -> pa.Table:
    reader = _FOLDERS.get(file_format or "")
    if reader:
        return reader(path, images)
    file, suffix, content = str(path), path.suffix.lower(), map_bytes(path)
    is_parquet = content[: len(MAGIC)] == MAGIC
    if file_format is None and suffix == ".txt" and not is_parquet:
        expected = "comp4_det_<split>_<class>.txt, or a folder of YOLO's files"
        raise InputError(Problem(file, "", "file name", path.name, expected))
    if suffix in DELIMITERS and file_format != "coco" and not is_parquet:
        return with_box_columns(csv_table(file, content, DELIMITERS[suffix]), file, as_text=True)
    if file_format == "table" or is_parquet or suffix == ".parquet":
        return with_box_columns(parquet_table(file, content), file)
    return coco_results_in(file, content, images)


_FOLDERS: Mapping[str, Callable[[Path, ImageSet], pa.Table]] = {"yolo": read_yolo, "voc": read_voc}
FORMATS = ("table", "coco", *_FOLDERS)
