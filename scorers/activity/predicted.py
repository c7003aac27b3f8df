"""Tables of predicted activities as arrays beside the truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.errors import UsageError, unknown_name
from schemas.input.columns import whole_numbers
from scorers.activity.alignment import Elsewhere, frames_named, people_named, people_of, placed, refuse_other_splits
from scorers.activity.formats import ActivityTables, Part
from scorers.activity.frames import Predictions, Truth
from scorers.activity.labels import THRESHOLDS, RowLabels, row_labels, united_labels
from scorers.activity.predicted_groups import FoundGroups, groups_from
from scorers.activity.sets import Integers, Sets


class _Found(NamedTuple):
    """The labels of people or of key frames: one set each, who has a row, and how many rows are about others."""

    sets: Sets
    present: NDArray[np.bool_]
    scored: bool
    left_out: int


def predictions_from(
    tables: ActivityTables,
    truth: Truth,
    thresholds: Mapping[str, float] = THRESHOLDS,
    elsewhere: Elsewhere | None = None,
) -> Predictions:
    """The predictions of a run; tasks without a table are not tried.

    Whoever is missing has no labels, and is counted and warned of. A person in several groups of one frame is refused
    in long tables; nested rows may say so, as the reference's lists can.

    Args:
        tables: see `scorers.activity.formats`.
        truth: the key frames.
        thresholds: for scores, by task: `actions`, `social`, `global`.
        elsewhere: what else exists.

    Raises:
        UsageError: a threshold of no task, or one that is no number; predictions of other splits alone.
        InputError: frames or people that do not exist, stand twice or contradict one another; unknown labels;
            NaN scores; a member twice.
    """
    for task, threshold in thresholds.items():
        if task not in THRESHOLDS:
            raise unknown_name("task", task, list(THRESHOLDS))
        if math.isnan(threshold):
            raise UsageError(f"threshold of {task}: expected a number, found NaN")
    above, beyond = {**THRESHOLDS, **thresholds}, elsewhere or Elsewhere()
    frames = {kind: placed(part, truth, beyond) for kind, part in tables.items() if len(part.table)}
    refuse_other_splits(list(frames.values()), beyond)
    rows = {kind: found.rows for kind, found in frames.items()}
    actions = groups = activities = None
    if "individual" in tables:
        actions = _individual(tables["individual"], rows.get("individual"), truth, above["actions"], beyond)
    if "groups" in tables:
        groups = groups_from(tables["groups"], rows.get("groups"), truth, above["social"], beyond)
    if "global" in tables:
        activities = _global(tables["global"], rows.get("global"), truth, above["global"])
    found = _together(truth, actions, groups, activities)
    return replace(found, warnings=(*(remark for part in tables.values() for remark in part.remarks), *found.warnings))


def _individual(part: Part, frame: Integers | None, truth: Truth, threshold: float, elsewhere: Elsewhere) -> _Found:
    if frame is None:
        return _nothing(truth.persons)
    labels = row_labels(part, "actions", threshold)
    identity = whole_numbers(part.table["person"], part.file, part.called("person"), place=part.place)
    person = people_of(part, "person", frame, identity, truth, elsewhere)
    known = (person >= 0) & (person < truth.persons)
    return _found(labels, person, known, truth.persons, part.file, partial(people_named, truth))


def _global(part: Part, frame: Integers | None, truth: Truth, threshold: float) -> _Found:
    if frame is None:
        return _nothing(truth.frames)
    labels = row_labels(part, "global", threshold)
    return _found(labels, frame, frame >= 0, truth.frames, part.file, partial(frames_named, truth))


def _found(
    labels: RowLabels,
    owner: Integers,
    known: NDArray[np.bool_],
    owners: int,
    file: str,
    quoted: Callable[[Integers], str],
) -> _Found:
    sets = united_labels(labels.of(known), owner[known], owners, file, quoted)
    present = np.bincount(owner[known & labels.given], minlength=owners) > 0
    return _Found(sets, present, labels.scored, int(np.count_nonzero(~known)))


def _nothing(owners: int) -> _Found:
    return _Found(np.zeros(owners, np.uint32), np.zeros(owners, np.bool_), False, 0)


def _together(
    truth: Truth, actions: _Found | None, groups: FoundGroups | None, activities: _Found | None
) -> Predictions:
    found = [part for part in (actions, groups, activities) if part is not None]
    complete = np.full(truth.frames, bool(found))
    counts = {"rows": truth.frames, "scored": 0, "persons": truth.persons}
    warnings = []
    if actions is not None:
        missing = np.flatnonzero(~actions.present)
        complete[truth.person_frame[missing]] = False
        counts["persons_missing"] = len(missing)
        if len(missing):
            told = f"{len(missing):,} of {truth.persons:,} persons have no prediction ({people_named(truth, missing)})"
            warnings.append(f"{told} and count as predicted without actions")
    if groups is not None:
        warnings += groups.warnings
    if activities is not None:
        missing = np.flatnonzero(~activities.present)
        complete[missing] = False
        counts["frames_missing"] = len(missing)
        if len(missing):
            told = (
                f"{len(missing):,} of {truth.frames:,} key frames have no prediction ({frames_named(truth, missing)})"
            )
            warnings.append(f"{told} and count as predicted without global activities")
    counts["scored"] = int(np.count_nonzero(complete))
    left_out = sum(part.left_out for part in found)
    if left_out:
        warnings.append(f"{left_out:,} predictions are on persons or key frames that are not scored, and are left out")
    return Predictions(
        None if actions is None else actions.sets,
        None if groups is None else groups.groups,
        None if activities is None else activities.sets,
        counts,
        tuple(warnings),
        frozenset(
            task
            for task, part in zip(THRESHOLDS, (actions, groups, activities), strict=True)
            if part is not None and part.scored
        ),
    )
