"""Checks of activities: scenes, actions that flicker or are never asked, ids of groups."""

from __future__ import annotations

import pandas as pd

from benchwright.checks.boxes import lacking
from benchwright.checks.context import Context
from benchwright.checks.finding import Evidence, check, register, where


def _persons(context: Context) -> pd.DataFrame:
    """One row per person and frame, with `sequence`, `frame` and the set of its `labels`."""
    place = context.frame.set_index("sample_id")[["sequence", "frame"]]
    persons = context.boxes.join(place, on="sample_id")
    return persons.assign(labels=persons["actions"].map(lambda actions: frozenset(each["id"] for each in actions)))


@check(
    "constant-scenes",
    "sampling",
    "activities",
    "The scene never changes in {count:,} of {of:,} sequences",
    "In {count:,} of {of:,} sequences the global activities are the same in every frame that has any: "
    "{frames:,} frames hold {sets:,} different answers.",
)
def constant_scenes(context: Context) -> Evidence | None:
    """One set of global activities per sequence, frames without any left out."""
    scenes = pd.DataFrame(
        {"sequence": context.frame["sequence"], "set": [frozenset(each) for each in context.frame["global_activities"]]}
    )
    scenes = scenes[scenes["set"].map(len) > 0]
    different = scenes.groupby("sequence")["set"].nunique()
    same = different.index[different == 1].tolist()
    numbers = {"count": len(same), "of": len(different), "frames": len(scenes), "sets": int(scenes["set"].nunique())}
    return Evidence(numbers, same) if same else None


@check(
    "absent-actions",
    "split",
    "activities",
    "{count:,} of {of:,} actions are not in every split",
    "Actions that a split lacks, by id: {names}.",
)
def absent_actions(context: Context) -> Evidence | None:
    """Actions of one split that another has none of."""
    pairs = _persons(context)[["split", "labels"]].explode("labels").rename(columns={"labels": "label"})
    return lacking(context, pairs.dropna().drop_duplicates())


@check(
    "flicker",
    "truth",
    "activities",
    "Actions go there and back in {count:,} places",
    "{count:,} times a person has other actions in one frame than before and after it; from frame to frame actions "
    "change in {changed:,} of {of:,} cases.",
)
def flicker(context: Context) -> Evidence | None:
    """A, B, A of one person in three successive annotated frames, which are the least distance apart."""
    persons = _persons(context).sort_values(["sequence", "person_id", "frame"], kind="stable")
    steps = context.frame.sort_values("frame").groupby("sequence")["frame"].diff()
    step = steps[steps > 0].min()
    by_person = persons.groupby(["sequence", "person_id"], sort=False)
    labels, frames = persons["labels"], persons["frame"]
    before, after = by_person["labels"].shift(1), by_person["labels"].shift(-1)
    gap = frames - by_person["frame"].shift(1), by_person["frame"].shift(-1) - frames
    known, followed = (each == step for each in gap)
    changed = known & (labels != before)
    back = changed & followed & (before == after)
    rows = persons[back]
    names = [f"{sample}: person {person}" for sample, person in zip(rows["sample_id"], rows["person_id"], strict=True)]
    numbers = {"count": len(names), "of": int(known.sum()), "changed": int(changed.sum())}
    return Evidence(numbers, names) if names else None


@check(
    "person-id-reuse",
    "truth",
    "activities",
    "{count:,} persons are in a frame twice",
    "{count:,} of {of:,} boxes share the number of their person with another of the same frame.",
)
def person_id_reuse(context: Context) -> Evidence | None:
    """Same `person_id` within a frame."""
    return where(context.boxes, context.boxes.duplicated(["sample_id", "person_id"], keep=False))


@check(
    "group-changes",
    "truth",
    "activities",
    "{count:,} persons change their group",
    "{count:,} of {of:,} persons are in several groups of their sequence, one of them in {most:,}.",
)
def group_changes(context: Context) -> Evidence | None:
    """Several values of `group_id` of one person of a sequence."""
    groups = _persons(context).dropna(subset=["group_id"]).groupby(["sequence", "person_id"])["group_id"].nunique()
    names = [f"{sequence}: person {person}" for sequence, person in groups.index[groups > 1]]
    numbers = {"count": len(names), "of": len(groups), "most": int(groups.max()) if len(groups) else 0}
    return Evidence(numbers, names) if names else None


register(constant_scenes, absent_actions, flicker, person_id_reuse, group_changes)
