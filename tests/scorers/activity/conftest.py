"""Invented key frames as manifest rows and as predictions, from cases written like those of the reference answers.

A case is a list of key frames: `persons` with `gt` and `pred` labels, `gt_groups` and `pred_groups` of `members` (who
are places of persons) and `labels`, and `global` with `gt` and `pred`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from schemas.activity import activity_schema
from scorers.activity import Predictions, Truth, predictions_from, truth_from
from scorers.activity.formats import unnested

Case = list[dict[str, Any]]
SCHEMA = activity_schema("jrdb-par", 1)
FIRST_ID = 100


def rows_of(case: Case, side: str = "gt", sequences: int = 2) -> pa.Table:
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
        image = {"split": "test", "frame": at, "file_name": "", "width": 3760, "height": 480}
        rows.append(key | image | {"persons": persons, "groups": groups, "global_activities": everywhere})
    rows.sort(key=lambda row: (row["sequence"], row["frame"]))
    return pa.Table.from_pylist(rows, schema=SCHEMA)


@pytest.fixture(scope="session")
def rows() -> Callable[..., pa.Table]:
    """Manifest rows of a case: side `gt` or `pred`, and over how many sequences."""
    return rows_of


@pytest.fixture(scope="session")
def read_case() -> Callable[..., tuple[Truth, Predictions]]:
    """Truth and predictions of a case, read through manifest rows and nested predictions."""

    def read(case: Case, sequences: int = 2) -> tuple[Truth, Predictions]:
        truth = truth_from(rows_of(case, "gt", sequences))
        return truth, predictions_from(unnested("predictions", rows_of(case, "pred", sequences)), truth)

    return read
