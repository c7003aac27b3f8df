"""Trivial baselines of panoramic activity recognition: what predictors reach that look at no image.

All of them give the same labels to everybody: the two most frequent individual actions, the most frequent social and
the most frequent global activity of the training frames. They differ in the groups:

* `most-frequent` is given the true groups, and shows what the labels alone are worth;
* `alone` has no groups: everybody is alone;
* `nearest` pairs those who are each other's nearest neighbours.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from schemas.arrays import array_of, floats, texts_of
from schemas.exchange import new_folder, refuse_filled
from schemas.input.columns import flat
from scorers.activity.arrays import MOST_LABELS, Integers, Sets, single, sizes
from scorers.activity.frames import Predictions, Truth, truth_from
from scorers.activity.groups import LEAST_MEMBERS, Groups, no_groups
from scorers.table_files import fill

TRAINING = "train"
"""The split whose labels are counted, where the manifest has it; else those of the truth itself."""

HOW_MANY = {"actions": 2, "social": 1, "global": 1}
"""How many labels of each task everybody gets."""

_PAIRS_AT_ONCE = 1 << 20


def baselines(truth: Truth) -> dict[str, Predictions]:
    """The predictions of each baseline; `nearest` needs the boxes in `Truth.rows`."""
    labels = frequent_labels(truth if truth.training is None else truth_from(truth.training))
    kinds = {"most-frequent": truth.groups.of_at_least(LEAST_MEMBERS), "alone": no_groups()}
    if truth.rows is not None:
        pairs = nearest_pairs(truth.rows, truth)
        count = pairs.shape[1]
        group = np.repeat(np.arange(count), 2)
        kinds["nearest"] = Groups(truth.person_frame[pairs[0]], np.zeros(count, np.uint32), group, pairs.T.ravel())
    return {
        kind: Predictions(
            np.full(truth.persons, labels["actions"]),
            Groups(groups.frame, np.full(len(groups), labels["social"]), groups.group, groups.person),
            np.full(truth.frames, labels["global"]),
        )
        for kind, groups in kinds.items()
    }


def frequent_labels(truth: Truth) -> dict[str, np.uint32]:
    """The most frequent labels of each task, `HOW_MANY` of them, of equals the first; groups of two or more count."""
    tasks: dict[str, Sets] = {
        "actions": truth.actions,
        "social": truth.groups.of_at_least(LEAST_MEMBERS).labels,
        "global": truth.activities,
    }
    each = single(np.arange(1, MOST_LABELS + 1))
    frequent = {}
    for task, sets in tasks.items():
        counts = np.array([np.count_nonzero(sets & one) for one in each])
        frequent[task] = np.bitwise_or.reduce(each[np.argsort(-counts, kind="stable")[: HOW_MANY[task]]])
    return frequent


def nearest_pairs(rows: pa.Table, truth: Truth) -> Integers:
    """People who are each other's nearest neighbours in their key frame, shape (2, pairs).

    The distance is that of the middles of two boxes along the panorama, which closes on itself, and the difference of
    their heights, which tells how far away people are; as one length, in units of their mean height.
    """
    people, frame = flat(rows["persons"])
    x, width, height = (floats(people.field(name)) for name in ("x", "width", "height"))
    around = floats(rows["width"])[:, None, None]
    counts = np.bincount(frame, minlength=truth.frames)
    first, most = np.cumsum(counts) - counts, counts.max(initial=1)
    place = np.arange(len(frame)) - first[frame]
    boxes = np.full((2, truth.frames, most), np.nan)
    boxes[:, frame, place] = x + width / 2, height
    nearest = np.empty((truth.frames, most), np.int64)
    step = max(1, _PAIRS_AT_ONCE // most**2)
    for start in range(0, truth.frames, step):
        some = slice(start, start + step)
        middle, tall = boxes[:, some]
        along = np.abs(middle[:, :, None] - middle[:, None, :])
        along = np.minimum(along, around[some] - along)
        distance = np.hypot(along, tall[:, :, None] - tall[:, None, :]) / (tall[:, :, None] + tall[:, None, :])
        distance[np.isnan(distance) | np.eye(most, dtype=np.bool_)] = np.inf
        nearest[some] = distance.argmin(axis=2)
    neighbour = first[frame] + nearest[frame, place]
    everybody = np.arange(len(frame))
    mutual = (neighbour[neighbour] == everybody) & (everybody < neighbour)
    return np.stack([everybody[mutual], neighbour[mutual]])


def write(folder: Path, truth: Truth, predictions: Predictions) -> None:
    """Write the table of each task that was tried into a new folder.

    Raises:
        UsageError: the folder holds files, or cannot be written.
    """
    refuse_filled(folder)
    with new_folder(folder) as draft:
        for kind, table in tables_of(truth, predictions).items():
            fill(draft / f"{kind}.parquet", table, ".parquet")


def tables_of(truth: Truth, predictions: Predictions) -> dict[str, pa.Table]:
    """The tables of the tasks that were tried, by kind."""
    tables = {}
    if predictions.actions is not None:
        frame, person = truth.person_frame[: truth.persons], truth.person_id[: truth.persons]
        tables["individual"] = _table(truth, frame, {"person": array_of(person)}, predictions.actions)
    if predictions.groups is not None:
        tables["groups"] = _groups(truth, predictions.groups)
    if predictions.activities is not None:
        tables["global"] = _table(truth, np.arange(truth.frames), {}, predictions.activities)
    return tables


def _groups(truth: Truth, groups: Groups) -> pa.Table:
    order = np.argsort(groups.frame, kind="stable")
    member = np.argsort(np.argsort(order)[groups.group], kind="stable")
    frame = groups.frame[order]
    number = np.arange(len(order)) - np.searchsorted(frame, frame) + 1
    members = _lists(truth.person_id[groups.person[member]], groups.size[order])
    return _table(truth, frame, {"group": array_of(number), "members": members}, groups.labels[order])


def _table(truth: Truth, frame: Integers, columns: dict[str, pa.Array], sets: Sets) -> pa.Table:
    names = texts_of(truth.sequences).take(array_of(truth.sequence[frame]))
    bits = np.unpackbits(sets.astype("<u4").view(np.uint8).reshape(-1, 4), axis=1, bitorder="little")
    labels = _lists(np.nonzero(bits)[1] + 1, sizes(sets))
    return pa.table({"sequence": names, "frame": array_of(truth.frame[frame]), **columns, "labels": labels})


def _lists(values: Integers, counts: Integers) -> pa.Array:
    offsets = np.append(0, np.cumsum(counts)).astype(np.int32)
    return pa.ListArray.from_arrays(array_of(offsets), array_of(values))
