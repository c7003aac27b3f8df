"""Predicted groups: lists of members, or people with the group that each belongs to."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc

from schemas.errors import InputError, Problem
from schemas.input.columns import flat, listed, names_of, whole_numbers
from scorers.activity.alignment import Elsewhere, people_named, people_of
from scorers.activity.formats import Part
from scorers.activity.frames import Groups, Truth, no_groups
from scorers.activity.labels import RowLabels, row_labels, united_labels
from scorers.activity.lookup import repeated
from scorers.activity.merging import one_row_a_group
from scorers.activity.sets import Integers

_ALONE = -1


class FoundGroups(NamedTuple):
    """The groups of a table, whether labels came as scores, how many people are left out, and remarks."""

    groups: Groups
    scored: bool
    left_out: int
    warnings: list[str]


def groups_from(
    part: Part, frame: Integers | None, truth: Truth, threshold: float, elsewhere: Elsewhere
) -> FoundGroups:
    """The groups of a table of either shape; `frame` is the row of each row's key frame, None without rows.

    Raises:
        InputError: not either `members` or `person` and `group`; what `predictions_from` says of groups.
    """
    if frame is None:
        return FoundGroups(no_groups(), False, 0, [])
    names = set(part.table.column_names)
    if ("members" in names) == ("person" in names):
        columns = f"columns {', '.join(part.table.column_names)}"
        expected = "either members, one row a group, or person and group, one row a person"
        raise InputError(Problem(part.file, "", "", columns, expected))
    labels = row_labels(part, "social", threshold)
    shape = _listed if "members" in names else _of_people
    return shape(part, labels, frame, truth, elsewhere)


def _listed(part: Part, labels: RowLabels, frame: Integers, truth: Truth, elsewhere: Elsewhere) -> FoundGroups:
    """One row a group, or one a group and label."""
    field = part.called("members")
    lists = listed(part.table["members"], part.file, field)
    if lists.null_count:
        place = part.place(pc.index(pc.is_null(lists), True).as_py())
        raise InputError(Problem(part.file, place, field, "nothing", "a list of persons"))
    items, group = flat(lists)
    identity = whole_numbers(items, part.file, field, place=lambda item: part.place(int(group[item])))
    first, sets = one_row_a_group(part, labels, frame, group, identity)
    if len(first) < len(frame):
        kept = np.isin(group, first)
        frame, group, identity = frame[first], np.searchsorted(first, group[kept]), identity[kept]
    person = people_of(part, "members", frame[group], identity, truth, elsewhere)
    known = person >= 0
    group, person = group[known], person[known]
    twice = person[repeated(group, person)]
    if len(twice):
        raise InputError(Problem(part.file, "", field, f"{people_named(truth, twice)} twice in a group", "once"))
    warnings = _sharing(part, truth, np.unique(person[repeated(person)]))
    here = frame >= 0
    groups = Groups(frame[here], sets[here], (np.cumsum(here) - 1)[group], person)
    return FoundGroups(groups, labels.scored, int(np.count_nonzero(~known)), warnings)


def _sharing(part: Part, truth: Truth, people: Integers) -> list[str]:
    """What to say of people in several groups of a frame; long tables may not have any."""
    if not len(people):
        return []
    if not part.nested:
        raise _in_two_groups(part.file, truth, people)
    told = f"{len(people):,} persons stand in several predicted groups of a frame ({people_named(truth, people)})"
    return [f"{told}: paper counts every match, strict matches one to one"]


def _of_people(part: Part, labels: RowLabels, frame: Integers, truth: Truth, elsewhere: Elsewhere) -> FoundGroups:
    """One row a person, or one a person and label; the labels of a group are those of its first member."""
    identity = whole_numbers(part.table["person"], part.file, "person", place=part.place)
    person = people_of(part, "person", frame, identity, truth, elsewhere)
    known = person >= 0
    owner = person[known]
    sets = united_labels(labels.of(known), owner, len(truth.person_id), part.file, partial(people_named, truth))
    codes = names_of(part.table["group"], part.file, "group")[0][known]
    names = codes.max(initial=_ALONE) + 1
    stand = np.unique(owner * (names + 1) + codes + 1)
    person, code = np.divmod(stand, names + 1)
    twice = person[repeated(person)]
    if len(twice):
        raise _in_two_groups(part.file, truth, twice)
    member, code = person[code > 0], code[code > 0] - 1
    _, first, group = np.unique(truth.person_frame[member] * names + code, return_index=True, return_inverse=True)
    shared = sets[member[first]]
    mixed = np.unique(group[sets[member] != shared[group]])
    told = f"{len(mixed):,} predicted groups have members with different labels; those of the first member count"
    order = np.argsort(group, kind="stable")
    groups = Groups(truth.person_frame[member[first]], shared, group[order], member[order])
    return FoundGroups(groups, labels.scored, int(np.count_nonzero(~known)), [told] if len(mixed) else [])


def _in_two_groups(file: str, truth: Truth, people: Integers) -> InputError:
    found = f"{people_named(truth, people)} in several groups"
    return InputError(Problem(file, "", "group", found, "everybody in one group of a key frame at most"))
