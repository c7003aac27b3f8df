"""Three invented key frames to predict on, and prediction files of any suffix."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.activity import activity_schema
from scorers.activity import Predictions, Truth, predictions_from, truth_from
from scorers.activity.formats import read_activity_tables

A, B = "hall-2019-02-08_0", "yard-2019-03-16_1"
PEOPLE = {f"{A}/000015": [7, 3, 12], f"{A}/000030": [3, 12], f"{B}/000015": [3]}


def truth_rows() -> pa.Table:
    """Three key frames; in the first 7 and 12 stand together."""
    rows = []
    for name, ids in PEOPLE.items():
        sequence, frame = name.split("/")
        box = {"x": 10, "y": 20, "width": 30, "height": 40}
        actions = [{"id": 1, "difficult": False}]
        persons = [{"person_id": person, **box, "actions": actions, "social": []} for person in ids]
        groups = [{"group_id": 4, "member_ids": [7, 12], "activities": [2, 28]}] if 7 in ids else []
        key = {"sample_id": name, "split": "test", "sequence": sequence, "frame": int(frame), "file_name": ""}
        key |= {"sequence_index": 5 if sequence == A else 9, "width": 3760, "height": 480}
        rows.append(key | {"persons": persons, "groups": groups, "global_activities": [5]})
    return pa.Table.from_pylist(rows, schema=activity_schema("jrdb-par", 1))


@pytest.fixture(scope="session")
def rows() -> pa.Table:
    """The rows of the manifest."""
    return truth_rows()


@pytest.fixture(scope="session")
def truth(rows: pa.Table) -> Truth:
    """The truth that they hold."""
    return truth_from(rows)


@pytest.fixture(scope="session")
def read(truth: Truth) -> Callable[..., Predictions]:
    """Read one path or several as predictions on the truth."""

    def call(*paths: Path, **options: Any) -> Predictions:
        return predictions_from(read_activity_tables(paths[0] if len(paths) == 1 else paths), truth, **options)

    return call


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, Any], Path]:
    """Write columns or records to a file, in the format of its suffix; returns its path."""

    def call(name: str, content: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        if isinstance(content, str | bytes):
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        elif path.suffix == ".parquet":
            table = pa.Table.from_pylist(content) if isinstance(content, list) else pa.table(content)
            pq.write_table(table, path)
        elif path.suffix == ".jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in as_rows(content)))
        else:
            between = "\t" if path.suffix == ".tsv" else ","
            cells = [list(content), *([as_cell(value) for value in row.values()] for row in as_rows(content))]
            path.write_text("".join(between.join(map(str, row)) + "\n" for row in cells))
        return path

    return call


def as_rows(content: Any) -> Iterator[dict[str, Any]]:
    if isinstance(content, list):
        yield from content
    else:
        yield from (dict(zip(content, row, strict=True)) for row in zip(*content.values(), strict=True))


def as_cell(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
