"""Persons, groups and labels of activities as flat columns, for the checks of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from benchwright.checks.context import Context
from schemas.arrays import array_of, integers
from schemas.input.columns import flat

TASKS = {"actions": "persons", "social": "groups", "global": ""}
"""What has labels of each task: persons, groups, or the key frame itself."""
FIELDS = {"actions": "actions", "social": "activities", "global": "global_activities"}


def persons(context: Context) -> pd.DataFrame:
    """One row per person and key frame: its box, with `sequence`, `frame` and the text of its set of `actions`."""
    given = context.boxes
    labels = items(context, "actions")
    place = context.frame[["sequence", "frame"]].iloc[given["row"]].reset_index(drop=True)
    return given.assign(**place, actions=sets(labels["owner"], labels["label"], len(given)))


def groups(context: Context) -> pd.DataFrame:
    """One row per group and key frame: `sample_id`, `split`, `sequence`, `frame`, `group_id`, number of `members`."""
    records, row = flat(context.table["groups"])
    found = context.frame[["sample_id", "split", "sequence", "frame"]].iloc[row].reset_index(drop=True)
    members = integers(pc.list_value_length(records.field("member_ids")))
    return found.assign(group_id=integers(records.field("group_id")), members=members)


def members(context: Context) -> pd.DataFrame:
    """One row per member of a group: `group`, its place among `groups`, and `person`, its place among `persons`.

    Members whom the frame has no box of are left out.
    """
    records, row = flat(context.table["groups"])
    identity, group = flat(records.field("member_ids"))
    named = pd.DataFrame({"group": group, "row": row[group], "person_id": integers(identity)})
    known = context.boxes[["row", "person_id"]].drop_duplicates().assign(person=lambda boxes: boxes.index)
    return named.merge(known, on=["row", "person_id"])


def items(context: Context, task: str) -> pd.DataFrame:
    """One row per label of a task: its `owner` (the place among persons, groups or key frames), `label`, `split`."""
    lists, owner = context.table, np.arange(len(context.table))
    if TASKS[task]:
        lists, owner = flat(lists[TASKS[task]])
    column = lists.field(FIELDS[task]) if TASKS[task] else lists[FIELDS[task]]
    labels, place = flat(column)
    numbers = labels.field("id") if pa.types.is_struct(labels.type) else labels
    split = context.frame["split"].to_numpy()[owner[place]]
    return pd.DataFrame({"owner": place, "label": integers(numbers), "split": split})


def label_names(context: Context, task: str) -> dict[int, str]:
    """The names of the labels of a task by id, where the card has them."""
    card = context.manifest.card
    lists = {each.name: each.labels for each in card.label_lists} if card else {}
    return dict(enumerate(lists.get(task, []), 1))


def numbered(context: Context, task: str, names: str) -> dict[int, str]:
    """Those of `label_names` that are among some names, which commas part."""
    wanted = [name.strip() for name in names.split(",")]
    return {label: name for label, name in label_names(context, task).items() if name in wanted}


def sets(owner: Any, label: Any, owners: int) -> NDArray[np.object_]:
    """The labels of each owner in ascending order as a text, empty for one without any; shape (owners,).

    >>> sets([1, 0, 1], [7, 3, 5], 3).tolist()
    ['3', '5 7', '']
    """
    owner, label = np.asarray(owner, np.int64), np.asarray(label, np.int64)
    order = np.lexsort((label, owner))
    offsets = np.append(0, np.cumsum(np.bincount(owner, minlength=owners))).astype(np.int32)
    lists = pa.ListArray.from_arrays(array_of(offsets), array_of(label[order]).cast(pa.string()))
    found: NDArray[np.object_] = pc.binary_join(lists, " ").to_numpy(zero_copy_only=False)
    return found


def tracks(rows: pd.DataFrame) -> list[str]:
    """Persons of a sequence, in words."""
    return [f"{name}: person {person}" for name, person in zip(rows["sequence"], rows["person_id"], strict=True)]


def groupings(rows: pd.DataFrame) -> list[str]:
    """Groups of a key frame, in words."""
    return [f"{name}: group {group}" for name, group in zip(rows["sample_id"], rows["group_id"], strict=True)]


def moments(rows: pd.DataFrame) -> list[str]:
    """Persons of a key frame, in words."""
    return [f"{name}: person {person}" for name, person in zip(rows["sample_id"], rows["person_id"], strict=True)]
