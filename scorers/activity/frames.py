"""Key frames in flat columns: who is there, who is in a group with whom; labels of persons, groups and frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.arrays import integers, one_array, texts_of
from schemas.cards import Published
from schemas.errors import InputError, Problem
from schemas.input.columns import flat
from scorers.activity.arrays import MOST_LABELS, Flags, Integers, Sets, repeated, rows_of, single, united
from scorers.activity.groups import Groups

COLUMNS = ("sample_id", "sequence", "sequence_index", "frame", "persons", "groups", "global_activities")
"""The columns of a manifest that the truth is made of."""

TASKS = ("actions", "social", "global")
"""What is predicted: labels of persons, of groups, of key frames."""


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The key frames of a split, and what else exists: predictions on that are left out, not refused.

    Attributes:
        names: sample id of each key frame, those of the split first, then of other splits or dropped by the build.
        sequences: names of the sequences of the split.
        sequence: position in `sequences` of each key frame of the split, shape (frames,).
        frame: number of each key frame in its sequence, shape (frames,).
        persons: how many people are scored; they are the first of those below, in the order of the source.
        people: how many may be in groups; whom the build dropped comes after them, below.
        person_frame: row of the key frame of persons, then of other members of groups, then of people who were dropped.
        person_id: of the same, as in the label files, unique in a frame.
        actions: individual actions, shape (persons,).
        groups: the true groups, of any size.
        activities: global activities, shape (frames,).
        sequence_names: of all splits, by their number in the label files.
        elsewhere: why each of the other `names` is not scored: `of split NAME`, or `dropped by rule NAME`.
        gone: why people are not scored who stand on key frames of the split: `dropped by rule NAME`, each once.
        classes: how many labels each of `TASKS` has, where that is known.
        rows: of the manifest, for baselines that look at boxes.
        training: rows of the manifest whose labels baselines count; `rows` when None.
        published: what papers print of their systems.
    """

    names: pa.Array
    sequences: tuple[str, ...]
    sequence: Integers
    frame: Integers
    persons: int
    people: int
    person_frame: Integers
    person_id: Integers
    actions: Sets
    groups: Groups
    activities: Sets
    sequence_names: Mapping[int, str]
    elsewhere: Sequence[str] = ()
    gone: Sequence[str] = ()
    classes: Mapping[str, int] = field(default_factory=dict)
    rows: pa.Table | None = None
    training: pa.Table | None = None
    published: Sequence[Published] = ()

    @property
    def frames(self) -> int:
        return len(self.frame)


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """What was predicted on the key frames of a `Truth`; None for a task that was not tried.

    Attributes:
        actions: shape (persons,), empty sets where a person is missing.
        groups: any sizes; whoever is in none is alone.
        activities: shape (frames,), empty sets where a frame is missing.
        complete: the key frames of which nothing is missing, shape (frames,); all when None.
    """

    actions: Sets | None
    groups: Groups | None
    activities: Sets | None
    complete: Flags | None = None


def truth_from(rows: pa.Table, file: str = "manifest", classes: Mapping[str, int] | None = None) -> Truth:
    """The truth of a split of a manifest.

    Args:
        rows: the `COLUMNS` of a split.
        file: for messages.
        classes: how many labels each of `TASKS` has, where that is known; they are numbered from 1.

    Raises:
        InputError: a column is missing, a label out of range, a person twice in one frame or in two of its groups.
    """
    lacking = [name for name in COLUMNS if name not in rows.column_names]
    if lacking:
        found = f"columns {', '.join(rows.column_names)}"
        raise InputError(Problem(file, "", lacking[0], found, f"the columns {', '.join(COLUMNS)}"))
    known = classes or {}
    sequences = one_array(rows["sequence"]).dictionary_encode()
    sequence, names = integers(sequences.indices), sequences.dictionary.to_pylist()
    persons, frame = flat(rows["persons"])
    records, group_frame = flat(rows["groups"])
    members, group = flat(records.field("member_ids"))
    named = group_frame[group], integers(members)
    people = _people((frame, integers(persons.field("person_id"))), named)
    member = rows_of(people, named)
    truth = Truth(
        one_array(rows["sample_id"]),
        tuple(names),
        sequence,
        integers(rows["frame"]),
        len(persons),
        len(people[0]),
        *people,
        _sets(persons.field("actions"), "actions", file, known),
        Groups(group_frame, _sets(records.field("activities"), "social", file, known), group, member),
        _sets(rows["global_activities"], "global", file, known),
        sequence_names(rows),
        classes=known,
    )
    _refuse_repeated(truth, repeated(truth.person_frame, truth.person_id), "a person who is there once", file)
    _refuse_repeated(truth, member[repeated(member)], "a person in one group", file)
    return truth


def sequence_names(rows: pa.Table) -> dict[int, str]:
    """The names of sequences by their number."""
    return dict(zip(rows["sequence_index"].to_pylist(), rows["sequence"].to_pylist(), strict=True))


def with_others(truth: Truth, splits: Mapping[str, pa.Table], ledger: pa.Table | None = None) -> Truth:
    """The truth with what exists beside its split.

    Args:
        truth: of a split.
        splits: rows of the others, by their name.
        ledger: of the build, which says what it dropped.
    """
    names, reasons, numbers, gone = [truth.names], [], dict(truth.sequence_names), list[str]()
    for split, rows in splits.items():
        names.append(one_array(rows["sample_id"]))
        reasons += [f"of split {split}"] * len(rows)
        numbers |= sequence_names(rows)
    frame, identity = truth.person_frame, truth.person_id
    if ledger is not None:
        dropped = ledger.filter(pc.equal(ledger["action"], texts_of(["dropped"])[0]))
        frames = dropped.filter(pc.is_null(dropped["child_key"]))
        names.append(one_array(frames["key"]))
        reasons += [f"dropped by rule {rule}" for rule in frames["rule"].to_pylist()]
        people = dropped.filter(pc.equal(dropped["level"], texts_of(["persons"])[0]))
        row = integers(pc.index_in(people["key"], value_set=truth.names), null=-1)
        frame = np.append(frame, row[row >= 0])
        identity = np.append(identity, integers(people["child_key"].cast(pa.int64()))[row >= 0])
        gone = [f"dropped by rule {rule}" for rule in people["rule"].unique().to_pylist()]
    return replace(
        truth,
        names=pa.concat_arrays([array.cast(pa.string()) for array in names]),
        elsewhere=reasons,
        gone=gone,
        sequence_names=numbers,
        person_frame=frame,
        person_id=identity,
    )


def on_frames(truth: Truth, predictions: Predictions, kept: Flags) -> tuple[Truth, Predictions]:
    """The same of some key frames alone, a mask of shape (frames,); sequences without any are left out."""
    there = kept[truth.person_frame]
    frame, person = np.cumsum(kept) - 1, np.cumsum(there) - 1
    scored = there[: truth.persons]
    used, sequence = np.unique(truth.sequence[kept], return_inverse=True)

    def grouped(groups: Groups) -> Groups:
        whole = kept[groups.frame]
        member = whole[groups.group]
        number = (np.cumsum(whole) - 1)[groups.group[member]]
        return Groups(frame[groups.frame[whole]], groups.labels[whole], number, person[groups.person[member]])

    own = replace(
        truth,
        names=truth.names.slice(0, truth.frames).filter(pa.array(kept)),
        sequences=tuple(truth.sequences[place] for place in used.tolist()),
        sequence=sequence,
        frame=truth.frame[kept],
        persons=int(np.count_nonzero(scored)),
        people=int(np.count_nonzero(there[: truth.people])),
        person_frame=frame[truth.person_frame[there]],
        person_id=truth.person_id[there],
        actions=truth.actions[scored],
        groups=grouped(truth.groups),
        activities=truth.activities[kept],
        rows=None,
    )
    return own, Predictions(
        None if predictions.actions is None else predictions.actions[scored],
        None if predictions.groups is None else grouped(predictions.groups),
        None if predictions.activities is None else predictions.activities[kept],
    )


def _people(persons: tuple[Integers, Integers], members: tuple[Integers, Integers]) -> tuple[Integers, Integers]:
    """Frame and id of everybody: the persons, then the members of groups who are not among them."""
    others = np.flatnonzero(rows_of(persons, members) < 0)
    if not len(others):
        return persons
    frame, identity = np.unique(np.stack(members)[:, others], axis=1)
    return np.append(persons[0], frame), np.append(persons[1], identity)


def _sets(lists: pa.Array | pa.ChunkedArray, task: str, file: str, classes: Mapping[str, int]) -> Sets:
    """One set of labels per row, of ids or of records with an `id`."""
    items, row = flat(lists)
    labels = integers(items.field("id") if pa.types.is_struct(items.type) else items)
    most = min(classes.get(task, MOST_LABELS), MOST_LABELS)
    if len(labels) and not 1 <= labels.min() <= labels.max() <= most:
        raise InputError(Problem(file, "", task, f"labels {labels.min()} to {labels.max()}", f"labels 1 to {most}"))
    return united(single(labels), row, len(lists))


def _refuse_repeated(truth: Truth, people: Integers, expected: str, file: str) -> None:
    if len(people):
        frame = truth.names[int(truth.person_frame[people[0]])].as_py()
        found = f"person {truth.person_id[people[0]]} again"
        raise InputError(Problem(file, frame, "person_id", found, expected))
