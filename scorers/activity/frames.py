"""Key frames in flat columns: who is there, who stands with whom, and the labels of persons, groups and frames."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from schemas.arrays import integers
from schemas.errors import InputError, Problem
from schemas.input.columns import flat
from scorers.activity.lookup import repeated, rows_of
from scorers.activity.sets import CLASSES, Integers, Sets, single, united

COLUMNS = ("sample_id", "sequence", "sequence_index", "frame", "persons", "groups", "global_activities")
"""The columns of a manifest that the truth is made of."""


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Groups of people; one person may stand in several predicted groups of a frame.

    Attributes:
        frame: row of the key frame, shape (groups,).
        labels: social activities, shape (groups,).
        group: group of each member, shape (members,), ascending.
        person: the member as a row of `Truth.person_frame`, shape (members,).
    """

    frame: Integers
    labels: Sets
    group: Integers
    person: Integers

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def size(self) -> Integers:
        """How many members each group has, shape (groups,)."""
        return np.bincount(self.group, minlength=len(self))

    def of_at_least(self, least: int) -> Groups:
        """The groups of `least` members or more."""
        large = self.size >= least
        if large.all():
            return self
        kept = large[self.group]
        number = np.cumsum(large) - 1
        return Groups(self.frame[large], self.labels[large], number[self.group[kept]], self.person[kept])


def no_groups() -> Groups:
    """Everybody stands alone."""
    nobody = np.empty(0, np.int64)
    return Groups(nobody, np.empty(0, np.uint32), nobody, nobody)


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The key frames of a split.

    Attributes:
        names: sample id of each key frame.
        sequences: names of the sequences.
        sequence_index: number of each sequence in the label files, shape (sequences,).
        sequence: position in `sequences` of each key frame, shape (frames,).
        frame: number of each key frame in its sequence, shape (frames,).
        persons: how many people are scored; they are the first of those below, in the order of the source.
        person_frame: row of the key frame, shape (people,); people who are only members of a group come last.
        person_id: as in the label files, shape (people,), unique in a frame.
        actions: individual actions, shape (persons,).
        groups: the true groups, of any size.
        activities: global activities, shape (frames,).
    """

    names: pa.Array
    sequences: tuple[str, ...]
    sequence_index: Integers
    sequence: Integers
    frame: Integers
    persons: int
    person_frame: Integers
    person_id: Integers
    actions: Sets
    groups: Groups
    activities: Sets

    @property
    def frames(self) -> int:
        return len(self.frame)


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """What was predicted on the key frames of a `Truth`; None for a task that was not tried.

    Attributes:
        actions: shape (persons,), empty sets where a person is missing.
        groups: any sizes; whoever is in none stands alone.
        activities: shape (frames,), empty sets where a frame is missing.
        counts: by status; `rows` are the key frames, `scored` those of which nothing is missing.
        warnings: what a person should know.
        scored: tasks whose labels came as scores, so that their thresholds matter.
    """

    actions: Sets | None
    groups: Groups | None
    activities: Sets | None
    counts: dict[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    scored: frozenset[str] = frozenset()


def truth_from(rows: pa.Table, file: str = "manifest") -> Truth:
    """The truth of a split of a manifest.

    Args:
        rows: the `COLUMNS` of a split.
        file: for messages.

    Raises:
        InputError: a column is missing, a label out of range, a person twice in one frame or in two of its groups.
    """
    lacking = [name for name in COLUMNS if name not in rows.column_names]
    if lacking:
        found = f"columns {', '.join(rows.column_names)}"
        raise InputError(Problem(file, "", lacking[0], found, "the columns of jrdb-par"))
    sequences = rows["sequence"].combine_chunks().dictionary_encode()
    sequence, names = integers(sequences.indices), sequences.dictionary.to_pylist()
    index = np.zeros(len(names), np.int64)
    index[sequence] = integers(rows["sequence_index"])
    persons, frame = flat(rows["persons"])
    records, group_frame = flat(rows["groups"])
    members, group = flat(records.field("member_ids"))
    people, member = _people(frame, integers(persons.field("person_id")), group_frame[group], integers(members))
    truth = Truth(
        rows["sample_id"].combine_chunks(),
        tuple(names),
        index,
        sequence,
        integers(rows["frame"]),
        len(persons),
        *people,
        _sets(persons.field("actions"), "actions", file),
        Groups(group_frame, _sets(records.field("activities"), "social", file), group, member),
        _sets(rows["global_activities"], "global", file),
    )
    _refuse_repeated(truth, repeated(truth.person_frame, truth.person_id), "a person who is there once", file)
    _refuse_repeated(truth, member[repeated(member)], "a person in one group", file)
    return truth


def _people(
    frame: Integers, identity: Integers, member_frame: Integers, member_id: Integers
) -> tuple[tuple[Integers, Integers], Integers]:
    """Frame and id of everybody, the persons first; and who each member is."""
    member = rows_of((frame, identity), (member_frame, member_id))
    others = np.flatnonzero(member < 0)
    if len(others):
        keys = np.unique(np.stack([member_frame[others], member_id[others]]), axis=1)
        frame, identity = np.append(frame, keys[0]), np.append(identity, keys[1])
        member = rows_of((frame, identity), (member_frame, member_id))
    return (frame, identity), member


def _sets(lists: pa.Array | pa.ChunkedArray, task: str, file: str) -> Sets:
    """One set of labels a row, of ids or of records with an `id`."""
    items, row = flat(lists)
    labels = integers(items.field("id") if pa.types.is_struct(items.type) else items)
    if len(labels) and not 1 <= labels.min() <= labels.max() <= CLASSES[task]:
        found = f"{labels.min()} to {labels.max()}"
        raise InputError(Problem(file, "", task, f"labels {found}", f"labels 1 to {CLASSES[task]}"))
    return united(single(labels), row, len(lists))


def _refuse_repeated(truth: Truth, people: Integers, expected: str, file: str) -> None:
    if len(people):
        frame = truth.names[int(truth.person_frame[people[0]])].as_py()
        found = f"person {truth.person_id[people[0]]} again"
        raise InputError(Problem(file, frame, "person_id", found, expected))
