"""Checks of the labels of activities: scenes that never change, classes that are never asked, labels at odds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from benchwright.checks.context import Context
from benchwright.checks.finding import Check, Evidence, check
from benchwright.checks.images import RARE, lacking, scarce
from benchwright.checks.people import groupings, groups, items, label_names, members, moments, numbered, persons, sets

# What a body does; the others are done beside.
POSTURES = "walking, standing, sitting, lying, running, cycling, skating, scootering, bending"
POSTURES += ", going upstairs, going downstairs"
EXCLUSIVE = "walking, standing, sitting, running, lying"


@check(
    "constant-scenes",
    "sampling",
    "activities",
    "The scene never changes in {count:,} of {of:,} sequences",
    "In {count:,} of {of:,} sequences the global activities are the same in every frame that has any: {detail}.",
)
def constant_scenes(context: Context, *, share: float = 0.5) -> Evidence | None:
    """One set of global activities per sequence of several frames, in at least `share` of them."""
    labels = items(context, "global")
    scenes = context.frame[["split", "sequence"]].assign(set=sets(labels["owner"], labels["label"], len(context.frame)))
    scenes = scenes[scenes["set"] != ""]
    sequences = scenes.groupby("sequence")["set"].agg(["nunique", "size"])
    sequences = sequences[sequences["size"] > 1]
    same = sequences.index[sequences["nunique"] == 1].tolist()
    if not same or len(same) < share * len(sequences):
        return None
    by_split = {
        str(split): {"frames": len(each), "sequences": each["sequence"].nunique(), "sets": each["set"].nunique()}
        for split, each in scenes.groupby("split")
    }
    told = "{frames:,} frames of {split} are {sequences:,} sequences with {sets:,} different answers"
    detail = "; ".join(told.format(split=split, **counts) for split, counts in by_split.items())
    numbers = {"count": len(same), "of": len(sequences), "by_split": by_split, "detail": detail}
    return Evidence({**numbers, "frames": len(scenes), "sets": int(scenes["set"].nunique())}, same)


def _absent(name: str, task: str, noun: str) -> Check:
    @check(
        name,
        "split",
        "activities",
        f"{{count:,}} of {{of:,}} {noun} {{count:is|are}} not in every split",
        f"Of {{of:,}} {noun} {{names}}.",
    )
    def absent(context: Context) -> Evidence | None:
        """Labels of the card or of one split that another has none of."""
        names = label_names(context, task)
        pairs = _named(items(context, task)[["split", "label"]].drop_duplicates(), names)
        # Groups of two and more need not have all the labels that persons may.
        return lacking(context, pairs, [] if task == "social" else list(names.values()))

    return absent


@check("rare-classes", "split", "activities", *RARE)
def rare_classes(context: Context, *, fewest: int = 10, usual: int = 100) -> Evidence | None:
    """Actions that occur, but fewer than `fewest` times, in splits where `usual` is that of a class, on average."""
    return scarce(_named(items(context, "actions"), label_names(context, "actions")), fewest, usual)


def _named(labels: pd.DataFrame, names: Mapping[int, str]) -> pd.DataFrame:
    """The same with names in place of ids, which stay as texts where the card names none."""
    return labels.assign(label=labels["label"].map(lambda label: names.get(label, str(label))))


@check(
    "walking-groups",
    "truth",
    "activities",
    "{count:,} {count:group does what none of its members does|groups do what none of their members does}",
    "{count:,} of {of:,} groups {count:has|have} an activity that is also an action, and no member with it: {detail}.",
)
def walking_groups(context: Context, *, least: float = 0.001) -> Evidence | None:
    """Activities that have the name of an action which no member has; told from a share of `least` on."""
    wanted = items(context, "social")
    actions = {name: label for label, name in label_names(context, "actions").items()}
    wanted["name"] = wanted["label"].map(label_names(context, "social"))
    wanted["action"] = wanted["name"].map(actions)
    wanted = wanted.dropna(subset=["action"])
    done = members(context).merge(items(context, "actions"), left_on="person", right_on="owner")
    does = pd.MultiIndex.from_frame(done[["group", "label"]])
    unmet = wanted[~pd.MultiIndex.from_frame(wanted[["owner", "action"]].astype(np.int64)).isin(does)]
    by_label = unmet["name"].value_counts().to_dict()
    of = wanted["name"].value_counts().to_dict()
    if len(unmet) <= least * len(wanted):
        return None
    detail = ", ".join(f"{count:,} of {of[name]:,} {name}" for name, count in by_label.items())
    return _groups(context, unmet["owner"].unique(), int(wanted["owner"].nunique()), by_label=by_label, detail=detail)


def _groups(context: Context, places: Any, of: int, **numbers: object) -> Evidence:
    """Some groups, by their key frame and number."""
    names = groupings(groups(context).iloc[np.sort(places)])
    return Evidence({"count": len(names), "of": of, **numbers}, names)


@check(
    "contradictory-actions",
    "truth",
    "activities",
    "Persons with actions that exclude one another: {count:,}",
    "{count:,} of {of:,} persons {count:has|have} actions of which one excludes the other: {detail}.",
)
def contradictory_actions(context: Context, *, exclusive: str = EXCLUSIVE) -> Evidence | None:
    """Two of these names at once."""
    names = numbered(context, "actions", exclusive)
    labels = items(context, "actions").drop_duplicates(["owner", "label"])
    labels = labels[labels["label"].isin(names)]
    several = labels[labels.duplicated("owner", keep=False)].sort_values(["owner", "label"])
    pairs = several.groupby("owner")["label"].agg(lambda each: " and ".join(names[label] for label in each))
    rows = persons(context).iloc[pairs.index]
    detail = ", ".join(f"{text} ({count:,})" for text, count in pairs.value_counts().items())
    numbers = {"count": len(rows), "of": len(context.boxes), "detail": detail}
    return Evidence(numbers, moments(rows)) if len(rows) else None


@check(
    "no-posture",
    "truth",
    "activities",
    "Persons who neither stand, sit nor move: {count:,}",
    "{count:,} of {of:,} persons {count:has|have} none of the actions that say what a body does ({postures}); nearly "
    "all do.",
)
def no_posture(context: Context, *, postures: str = POSTURES, share: float = 0.9) -> Evidence | None:
    """None of these names, where at least `share` of the persons have one."""
    names = numbered(context, "actions", postures)
    labels = items(context, "actions")
    without = np.bincount(labels["owner"][labels["label"].isin(names)], minlength=len(context.boxes)) == 0
    if not without.any() or without.mean() > 1 - share:
        return None
    numbers = {"count": int(without.sum()), "of": len(without), "postures": ", ".join(names.values())}
    return Evidence(numbers, moments(persons(context)[without]))


absent_classes = _absent("absent-classes", "actions", "actions")
absent_social = _absent("absent-social", "social", "activities of groups")
absent_scenes = _absent("absent-scenes", "global", "global activities")
