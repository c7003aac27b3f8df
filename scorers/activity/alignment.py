"""Predictions of every format beside the truth: labels of its persons and key frames, groups of its people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.arrays import array_of, integers, texts_of
from schemas.errors import UsageError, counted, unknown_name
from schemas.input.columns import flat, listed, names_of, whole_numbers
from scorers.activity.arrays import Flags, Integers, grouped, repeated
from scorers.activity.formats import KINDS, long_tables
from scorers.activity.frames import TASKS, Predictions, Truth
from scorers.activity.groups import LEAST_MEMBERS, Groups, no_groups
from scorers.activity.join import (
    frames_of,
    named_frames,
    named_persons,
    persons_of,
    refuse_other_splits,
    warnings_of_others,
)
from scorers.activity.records import Labels, LongTable, labels_of, sets_of
from scorers.names import left_out
from scorers.scorer import Aligned

THRESHOLDS = {"actions": 0.6, "social": 0.6, "global": 0.5}
"""A label is predicted where its score is above, not at, its task's threshold.

Source: RuizeHan/PAR : train_stage2.py, utils.py (generate_labels). The scores there are logits, so 0.6 is a probability
of 0.646.
"""


class _Found(NamedTuple):
    """Label sets of all persons or key frames, or groups; on how many dropped persons; who is missing; warnings."""

    content: Any
    left_out: int = 0
    missing: Sequence[int] | Integers = ()
    warnings: Sequence[str] = ()


def align(source: object, truth: Truth, thresholds: Mapping[str, float] | None = None) -> Aligned[Predictions]:
    """The predictions of a run on the truth; tasks without a table are not tried.

    Whoever is missing has no labels, and is counted and warned of. A person in several groups of one frame is refused
    in long tables; nested rows may say so, as the reference's lists can.

    Args:
        source: see `scorers.activity.formats`.
        truth: the key frames.
        thresholds: for scores, by task; those of `THRESHOLDS` for the others.

    Raises:
        UsageError: a threshold of no task, or one that is not a number; predictions of other splits alone; no table.
        InputError: what cannot be read; frames or people that do not exist, are there twice or contradict one another;
            unknown labels; scores that are not numbers.
    """
    above = {**THRESHOLDS, **_checked(thresholds or {})}
    tables, warnings = long_tables(source)
    frames = {}
    for kind, table in tables.items():
        frames[kind], similar = frames_of(table, truth)
        warnings += similar
    refuse_other_splits(list(frames.values()), truth)
    found: dict[str, _Found] = {}
    scored = []
    for kind, task in zip(KINDS, TASKS, strict=True):
        if kind in tables:
            table, row = tables[kind], frames[kind]
            frame = row if table.row is None else row[table.row]
            labels = labels_of(table, truth.classes.get(task), above[task])
            scored += [task] if labels.predicted is not None else []
            if task == "social":
                found[task] = _groups(table, labels, frame, truth)
            else:
                found[task] = _label_sets(table, labels, frame, truth, of_persons=task == "actions")
    predictions = Predictions(*(found[task].content if task in found else None for task in TASKS))
    warnings += [warning for task in found.values() for warning in task.warnings]
    gone = sum(task.left_out for task in found.values())
    warnings += warnings_of_others(list(frames.values()), truth)
    if gone:
        reason = " or ".join(truth.gone) or "who are not scored"
        warnings.append(f"{counted(gone, 'predictions', 'are')} on persons {reason} and {left_out(gone)}")
    unused = [task for task in thresholds or {} if task not in scored]
    warnings += [f"the predictions have no scores of {task}: its threshold changes nothing" for task in unused]
    settings = {"thresholds": "/".join(f"{above[task]:g}" for task in TASKS)} if scored else {}
    missing = {task: np.asarray(each.missing, np.int64) for task, each in found.items()}
    complete = _complete(truth, missing)
    counts = _counts(truth, predictions, missing) | {"scored": int(np.count_nonzero(complete))}
    return Aligned(replace(predictions, complete=complete), counts, warnings, settings)


def _checked(thresholds: Mapping[str, float]) -> Mapping[str, float]:
    for task, threshold in thresholds.items():
        if task not in TASKS:
            raise unknown_name("task", task, list(TASKS))
        if not isinstance(threshold, int | float) or math.isnan(threshold):
            raise UsageError(f"threshold of {task}: expected a number, found {threshold}")
    return thresholds


def _complete(truth: Truth, missing: Mapping[str, Integers]) -> Flags:
    """The key frames of which nothing is missing."""
    complete = np.full(truth.frames, bool(missing))
    complete[truth.person_frame[missing.get("actions", [])]] = False
    complete[missing.get("global", [])] = False
    return complete


def _counts(truth: Truth, predictions: Predictions, missing: Mapping[str, Integers]) -> dict[str, int]:
    """Key frames, those of which nothing is missing, and what is; groups on both sides, and those too small."""
    counts = {"rows": truth.frames, "scored": 0, "persons": truth.persons}
    names = {"actions": "persons_missing", "global": "frames_missing"}
    counts |= {name: len(missing[task]) for task, name in names.items() if task in missing}
    for side, groups in (("true", truth.groups), ("predicted", predictions.groups)):
        if groups is not None:
            counts[f"{side}_groups"] = len(groups.of_at_least(LEAST_MEMBERS))
            small = len(groups) - counts[f"{side}_groups"]
            counts |= {f"{side}_groups_too_small": small} if small else {}
    return counts


def _label_sets(table: LongTable, labels: Labels, frame: Integers, truth: Truth, *, of_persons: bool) -> _Found:
    """The labels of all persons or key frames that are scored."""
    row = _persons(table, frame, truth) if of_persons else frame
    owners = truth.persons if of_persons else truth.frames
    owner = np.where(row < owners, row, -1)
    called = partial(named_persons if of_persons else named_frames, truth)
    sets = sets_of(table, labels, owner, owners, called)
    missing = np.flatnonzero(np.bincount(owner[(owner >= 0) & labels.given], minlength=owners) == 0)
    warnings = []
    if len(missing):
        who, what = ("persons", "actions") if of_persons else ("key frames", "global activities")
        without = f"{len(missing):,} of {owners:,} {who} have no prediction ({called(missing)})"
        warnings.append(f"{without} and count as predicted without {what}")
    return _Found(sets, int(np.count_nonzero((owner < 0) & (frame < truth.frames))), missing, warnings)


def _groups(table: LongTable, labels: Labels, frame: Integers, truth: Truth) -> _Found:
    """Groups of either shape, with the labels and the members that are not left out."""
    if not len(table):
        return _Found(no_groups())
    if ("members" in table.columns) == ("person" in table.columns):
        expected = "either members, one row per group, or person and group, one row per person"
        raise table.error("", f"columns {', '.join(table.columns)}", expected)
    return (_of_members if "members" in table.columns else _of_people)(table, labels, frame, truth)


def _of_members(table: LongTable, labels: Labels, frame: Integers, truth: Truth) -> _Found:
    """Groups of one record each, or of one for each label: those with the same name, or else the same members."""
    field = table.called("members")
    lists = listed(table.columns["members"], table.file, field)
    if lists.null_count:
        raise table.error("members", "nothing", "a list of persons", pc.index(pc.is_null(lists), True).as_py())
    items, record = flat(lists)
    identity = whole_numbers(items, table.file, field, place=lambda item: table.place(record[item]))
    first = owner = np.arange(len(table))
    name = names_of(table.columns["group"], table.file, "group")[0] if "group" in table.columns else owner * 0 - 1
    if not labels.complete:
        first, owner = grouped(frame, name, _numbered_lists(record, identity, len(table)))
        kept = first[owner[record]] == record
        record, identity = record[kept], identity[kept]
    named = first[name[first] >= 0]
    again = named[repeated(frame[named], name[named])]
    if len(again):
        other = "" if labels.complete else ", with other members"
        raise table.error("group", f"the group of an earlier row{other}", "one row per group", again[0])
    sets = sets_of(table, labels, owner, len(first), lambda _: "its group")
    person = persons_of(table, "members", frame[record], identity, record, truth)
    known = person >= 0
    gone = int(np.count_nonzero(~known & (frame[record] < truth.frames)))
    record, group, person = record[known], owner[record[known]], person[known]
    several, warnings = person[repeated(person)], []
    if len(several):
        again = repeated(group, person)
        if len(again):
            found = f"{named_persons(truth, person[again[:1]])} again"
            raise table.error("members", found, "every member once", record[again[0]])
        warnings = [_in_several(table, truth, np.unique(several))]
    here = frame[first] < truth.frames
    groups = Groups(frame[first][here], sets[here], (np.cumsum(here) - 1)[group], person)
    return _Found(groups, gone, warnings=warnings)


def _of_people(table: LongTable, labels: Labels, frame: Integers, truth: Truth) -> _Found:
    """Groups of one record per person, or per person and label; the labels of a group are those of its first member."""
    person = _persons(table, frame, truth)
    sets = sets_of(table, labels, person, len(truth.person_id), partial(named_persons, truth))
    known = person >= 0
    code = names_of(table.columns["group"], table.file, "group")[0][known]
    names = code.max(initial=-1) + 1
    member, code = np.divmod(np.unique(person[known] * (names + 1) + code + 1), names + 1)
    several = member[repeated(member)]
    if len(several):
        _in_several(table, truth, several)
    member, code = member[code > 0], code[code > 0] - 1
    _, first, group = np.unique(truth.person_frame[member] * names + code, return_index=True, return_inverse=True)
    shared = sets[member[first]]
    mixed = len(np.unique(group[sets[member] != shared[group]]))
    warning = f"{mixed:,} predicted groups have members with different labels; those of the first member count"
    order = np.argsort(group, kind="stable")
    groups = Groups(truth.person_frame[member[first]], shared, group[order], member[order])
    gone = int(np.count_nonzero(~known & (frame < truth.frames)))
    return _Found(groups, gone, warnings=[warning] if mixed else [])


def _persons(table: LongTable, frame: Integers, truth: Truth) -> Integers:
    """The person of each record, -1 for those who are not in the split."""
    if not len(table):
        return frame
    identity = whole_numbers(table.columns["person"], table.file, table.called("person"), place=table.place)
    return persons_of(table, "person", frame, identity, np.arange(len(frame)), truth)


def _in_several(table: LongTable, truth: Truth, people: Integers) -> str:
    """What to say of people in several groups of a frame; `InputError` for long tables, which may not have any."""
    who = named_persons(truth, people)
    if not table.nested:
        raise table.error("group", f"{who} in several groups", "everybody in one group of a key frame at most")
    several = f"{counted(len(people), 'persons', 'are')} in several predicted groups of a frame ({who})"
    return f"{several}: paper counts every match, strict matches one to one"


def _numbered_lists(record: Integers, identity: Integers, records: int) -> Integers:
    """A number for each different set of members, shape (records,)."""
    order = np.lexsort((identity, record))
    offsets = np.append(0, np.cumsum(np.bincount(record, minlength=records))).astype(np.int32)
    lists = pa.ListArray.from_arrays(array_of(offsets), array_of(identity[order]).cast(pa.string()))
    return integers(pc.binary_join(lists, texts_of([" "])[0]).dictionary_encode().indices)
