"""Invented key frames as manifest rows and as predictions, in two ways.

A case is a list of key frames written like those of the reference answers: `persons` with `gt` and `pred` labels,
`gt_groups` and `pred_groups` of `members` (who are places of persons) and `labels`, and `global` with `gt` and `pred`.

Predictions of every format are about three key frames of two sequences, in which 7 and 12 are together.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.activity import activity_schema
from scorers.activity.alignment import align
from scorers.activity.frames import Predictions, Truth, truth_from
from scorers.scorer import Aligned

Case = list[dict[str, Any]]
SCHEMA = activity_schema("jrdb-par", 1)
CLASSES = {"actions": 27, "social": 32, "global": 7}
FIRST_ID = 100
A, B = "hall-2019-02-08_0", "yard-2019-03-16_1"
PEOPLE = {f"{A}/000015": [7, 3, 12], f"{A}/000030": [3, 12], f"{B}/000015": [3]}


def rows_of(case: Case, side: str = "gt", sequences: int = 2, split: str = "test") -> pa.Table:
    """The manifest rows of one side of a case; key frames lie in sequences in turn."""
    rows = []
    for number, frame in enumerate(case):
        place, at = number % sequences, 15 * (number // sequences + 1)
        people = frame["persons"] or [{"gt": [], "pred": []}] * frame["n_persons"]
        persons = [
            {
                "person_id": FIRST_ID + 7 * position,
                **dict(zip(("x", "y", "width", "height"), (40 * position, 100, 30, 90), strict=True)),
                "actions": [{"id": label, "difficult": False} for label in person[side]],
                "social": [],
            }
            for position, person in enumerate(people)
        ]
        groups = [
            {
                "group_id": number + 1,
                "member_ids": [FIRST_ID + 7 * member for member in group["members"]],
                "activities": group["labels"],
            }
            for number, group in enumerate(frame[f"{side}_groups"])
        ]
        everywhere = (frame["global"] or {"gt": [], "pred": []})[side]
        key = {"sample_id": f"place-{place}/{at:06d}", "sequence": f"place-{place}", "sequence_index": place + 3}
        image = {"split": split, "frame": at, "file_name": "", "width": 3760, "height": 480}
        rows.append(key | image | {"persons": persons, "groups": groups, "global_activities": everywhere})
    rows.sort(key=lambda row: (row["sequence"], row["frame"]))
    return pa.Table.from_pylist(rows, schema=SCHEMA)


@pytest.fixture(scope="session")
def rows() -> Callable[..., pa.Table]:
    """Manifest rows of a case: side `gt` or `pred`, over how many sequences, of which split."""
    return rows_of


@pytest.fixture(scope="session")
def read_case() -> Callable[..., tuple[Truth, Predictions]]:
    """Truth and predictions of a case, read through manifest rows and nested predictions."""

    def read(case: Case, sequences: int = 2) -> tuple[Truth, Predictions]:
        truth = truth_from(rows_of(case, "gt", sequences), classes=CLASSES)
        return truth, align(rows_of(case, "pred", sequences), truth).predictions

    return read


@pytest.fixture(scope="session")
def key_frames() -> pa.Table:
    """Three key frames; in the first 7 and 12 are together."""
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
    return pa.Table.from_pylist(rows, schema=SCHEMA)


@pytest.fixture(scope="session")
def truth(key_frames: pa.Table) -> Truth:
    """The truth that they hold."""
    return truth_from(key_frames, classes=CLASSES)


@pytest.fixture(scope="session")
def read(truth: Truth) -> Callable[..., Aligned[Predictions]]:
    """Read a path, several, or tables in memory as predictions on the truth."""

    def call(*sources: Any, thresholds: dict[str, float] | None = None, on: Truth = truth) -> Aligned[Predictions]:
        return align(sources[0] if len(sources) == 1 else sources, on, thresholds)

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
