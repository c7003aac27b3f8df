"""Predicted groups: lists of members, or people with the group that each belongs to."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from schemas.errors import InputError, Problem
from scorers.activity.frames import Groups, Truth, no_groups
from scorers.activity.labels import RowLabels, row_labels, united_labels
from scorers.activity.lookup import repeated
from scorers.activity.placing import Elsewhere, frames_of, people_named, people_of
from scorers.activity.sets import Integers
from scorers.predictions.activities import Part
from scorers.predictions.columns import flat, listed, names_of, whole_numbers

_ALONE = -1


class FoundGroups(NamedTuple):
    """The groups of a table, whether labels came as scores, how many people are left out, and remarks."""

    groups: Groups
    scored: bool
    left_out: int
    warnings: list[str]


def groups_from(part: Part, truth: Truth, threshold: float, elsewhere: Elsewhere) -> FoundGroups:
    """The groups of a table of either shape.

    Raises:
        InputError: neither `members` nor `person` and `group`; what `predictions_from` says of groups.
    """
    if not len(part.table):
        return FoundGroups(no_groups(), False, 0, [])
    names = set(part.table.column_names)
    if "members" not in names and not names.issuperset(("person", "group")):
        columns = f"columns {', '.join(part.table.column_names)}"
        raise InputError(Problem(part.file, "", "", columns, "members, or person and group"))
    labels = row_labels(part.table, "social", part.file, threshold)
    frame = frames_of(part, truth, elsewhere)
    shape = _listed if "members" in names else _of_people
    return shape(part, labels, frame, truth, elsewhere)


def _listed(part: Part, labels: RowLabels, frame: Integers, truth: Truth, elsewhere: Elsewhere) -> FoundGroups:
    """One row a group."""
    if "group" in part.table.column_names:
        again = repeated(frame, names_of(part.table["group"], part.file, "group")[0])
        again = again[frame[again] >= 0]
        if len(again):
            place = f"row {again[0] + 1}"
            raise InputError(Problem(part.file, place, "group", "a group that was there already", "one row a group"))
    items, group = flat(listed(part.table["members"], part.file, "members"))
    identity = whole_numbers(items, part.file, "members", place="member")
    person = people_of(part.file, frame[group], identity, truth, elsewhere)
    known = person >= 0
    group, person = group[known], person[known]
    twice = person[repeated(group, person)]
    if len(twice):
        raise InputError(Problem(part.file, "", "members", f"{people_named(truth, twice)} twice in a group", "once"))
    warnings = _sharing(part, truth, np.unique(person[repeated(person)]))
    here = frame >= 0
    groups = Groups(frame[here], labels.sets[here], (np.cumsum(here) - 1)[group], person)
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
    identity = whole_numbers(part.table["person"], part.file, "person")
    person = people_of(part.file, frame, identity, truth, elsewhere)
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
