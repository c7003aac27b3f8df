"""JRDB-PAR manifests as the three text files of its authors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.arrays import booleans, integers
from schemas.exchange import new_folder
from schemas.manifest import Manifest

NAME = "jrdb-par"


def write_label_files(manifest: Manifest, out: Path, split: str | None = None) -> dict[str, int]:
    """Write `gt_action.txt`, `gt_activity.txt` and `gt_group.txt`, by sequence and frame.

    They hold the persons of the manifest, so by default the lines that the authors' loader keeps, and with
    `people.keep=all` all lines, in the order of the sources. Format: `builders/raw/jrdb_par.py`.

    Args:
        manifest: of jrdb-par.
        out: the folder.
        split: one split, both when None.

    Returns:
        The number of lines in each file.

    Raises:
        UsageError: an unknown split.
    """
    table = manifest.table(split, ["sequence_index", "frame", "persons"])
    table = table.sort_by([("sequence_index", "ascending"), ("frame", "ascending")])
    lists = table["persons"].combine_chunks()
    frames, persons = integers(pc.list_parent_indices(lists)), lists.flatten()
    boxes = _boxes(persons)
    moments = np.stack([integers(table[name])[frames] for name in ("sequence_index", "frame")], axis=1)
    ids = integers(persons.field("person_id"))
    files = {
        "gt_action.txt": _labels(persons.field("actions")),
        "gt_activity.txt": _labels(persons.field("social")),
        "gt_group.txt": _groups(persons),
    }
    with new_folder(out) as draft:
        for name, (rows, values) in files.items():
            _write(np.hstack([moments[rows], boxes[rows], values, ids[rows, None]]), draft / name)
    return {f"lines in {name}": len(rows) for name, (rows, _) in files.items()}


Lines = tuple[NDArray[np.int64], NDArray[np.int64]]
"""The person of each line, and its group, label and difficulty: shapes (lines,) and (lines, 3)."""


def _boxes(persons: pa.StructArray) -> NDArray[np.int64]:
    """x1 y1 x2 y2."""
    x, y, width, height = (integers(persons.field(name)) for name in ("x", "y", "width", "height"))
    return np.stack([x, y, x + width, y + height], axis=1)


def _labels(lists: pa.ListArray) -> Lines:
    labels = lists.flatten()
    ids, difficult = integers(labels.field("id")), booleans(labels.field("difficult"))
    return integers(pc.list_parent_indices(lists)), np.stack([np.ones_like(ids), ids, difficult], axis=1)


def _groups(persons: pa.StructArray) -> Lines:
    rows = np.flatnonzero(booleans(persons.field("group_id").is_valid()))
    groups, difficult = integers(persons.field("group_id"))[rows], booleans(persons.field("group_difficult"))[rows]
    return rows, np.stack([groups, np.ones_like(groups), difficult], axis=1)


def _write(lines: NDArray[np.int64], path: Path) -> None:
    from pyarrow import csv

    table = pa.table({str(place): column for place, column in enumerate(lines.T)})
    csv.write_csv(table, path, csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none"))
