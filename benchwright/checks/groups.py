"""Checks of groups, and of persons from frame to frame: ids used twice, actions that flicker, boxes that jump."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from benchwright.checks.boxes import odd_shapes, outside_image, twin_pairs
from benchwright.checks.context import Context
from benchwright.checks.finding import Evidence, check, where
from benchwright.checks.people import groupings, groups, members, moments, persons, tracks

_PANORAMA = 4  # times as wide as high; such an image closes on itself


def _followed(context: Context) -> tuple[pd.DataFrame, pd.Series[bool], int]:
    """Persons by track and frame; which of them the row before shows a step earlier; the step in frames.

    The step is the least distance of two annotated frames of a sequence.
    """
    rows = persons(context).sort_values(["sequence", "person_id", "frame"], kind="stable", ignore_index=True)
    steps = context.frame.sort_values("frame").groupby("sequence")["frame"].diff()
    step = steps[steps > 0].min()
    return rows, rows.groupby(["sequence", "person_id"], sort=False)["frame"].diff() == step, step


@check(
    "flicker",
    "truth",
    "activities",
    "Actions go there and back in {count:,} {count:place|places}",
    "{count:,} {count:time|times} a person has other actions in one frame than before and after it; from frame to "
    "frame actions change in {changed:,} of {of:,} cases.",
)
def flicker(context: Context) -> Evidence | None:
    """A, B, A of one person in three successive annotated frames, which are the least distance apart."""
    rows, known, _ = _followed(context)
    actions = rows["actions"]
    changed = known & (actions != actions.shift(1))
    back = changed & known.shift(-1, fill_value=False) & (actions.shift(1) == actions.shift(-1))
    names = moments(rows[back])
    numbers = {"count": len(names), "of": int(known.sum()), "changed": int(changed.sum())}
    return Evidence(numbers, names) if names else None


@check(
    "jumps",
    "truth",
    "activities",
    "{count:,} {count:box jumps|boxes jump} by more than {pixels} px in a second",
    "{count:,} of {of:,} persons who are in two successive frames {count:moves|move} by more than {pixels} px a "
    "second along the image, at most by {most:,.0f}.",
)
def jumps(context: Context, *, pixels: float = 800, frames_per_second: float = 15) -> Evidence | None:
    """Distance of the middles of the boxes along the image; a panorama closes on itself."""
    rows, known, step = _followed(context)
    middle, width = rows["x"] + rows["width"] / 2, rows["image_width"].astype(float)
    along = middle.diff().abs()
    closed = width >= _PANORAMA * rows["image_height"]
    along = along.where(~closed, np.minimum(along, width - along))
    speed = (along * frames_per_second / step)[known]
    names = moments(rows.loc[speed.index[speed > pixels]])
    numbers = {"count": len(names), "of": len(speed), "pixels": pixels, "most": speed.max()}
    return Evidence(numbers, names) if names else None


@check(
    "twin-persons",
    "truth",
    "activities",
    "{count:,} {count:pair of persons has|pairs of persons have} nearly one box",
    "{count:,} {count:pair|pairs} of boxes of one frame {count:overlaps|overlap} by more than {least} of their union "
    "({of:,} boxes); they are of {tracks:,} {tracks:pair|pairs} of tracks, perhaps of one person each.",
)
def twin_persons(context: Context, *, least: float = 0.9) -> Evidence | None:
    """IoU above `least`."""
    rows = persons(context)
    one, other = (rows.iloc[each] for each in twin_pairs(rows, least))
    ids = np.sort([one["person_id"], other["person_id"]], axis=0)
    named = moments(one.assign(person_id=ids[0]))
    names = [f"{name} and {person}" for name, person in zip(named, ids[1].tolist(), strict=True)]
    pairs = len(pd.DataFrame({"sequence": one["sequence"].to_numpy(), "a": ids[0], "b": ids[1]}).drop_duplicates())
    numbers = {"count": len(names), "of": len(rows), "least": least, "tracks": pairs}
    return Evidence(numbers, names) if names else None


@check(
    "person-id-reuse",
    "truth",
    "activities",
    "{count:,} {count:box is|boxes are} of a person who is in a frame twice",
    "{count:,} of {of:,} boxes {count:shares|share} the number of their person with another of the same frame.",
)
def person_id_reuse(context: Context) -> Evidence | None:
    """Same `person_id` within a frame."""
    return where(context.boxes, context.boxes.duplicated(["sample_id", "person_id"], keep=False))


@check(
    "group-changes",
    "truth",
    "activities",
    "{count:,} {count:person changes the|persons change their} group",
    "{count:,} of {of:,} persons {count:is|are} in several groups of their sequence, one of them in {most:,}.",
)
def group_changes(context: Context) -> Evidence | None:
    """Several values of `group_id` of one person of a sequence."""
    grouped = persons(context).dropna(subset=["group_id"]).groupby(["sequence", "person_id"])["group_id"].nunique()
    names = tracks(grouped.index[grouped > 1].to_frame())
    numbers = {"count": len(names), "of": len(grouped), "most": int(grouped.max()) if len(grouped) else 0}
    return Evidence(numbers, names) if names else None


@check(
    "group-id-reuse",
    "truth",
    "activities",
    "Numbers of groups that another group has had before: {count:,}",
    "{count:,} of {of:,} groups {count:has|have} no member in common with the frame before that has their number: "
    "{detail}.",
)
def group_id_reuse(context: Context) -> Evidence | None:
    """Two successive frames with a group of this number, and nobody in both."""
    rows = groups(context).sort_values(["sequence", "group_id", "frame"], kind="stable")
    before = rows.groupby(["sequence", "group_id"])["frame"].shift(1)
    there = members(context).join(rows[["sequence", "group_id", "frame"]].assign(before=before), on="group")
    keys = ["sequence", "group_id", "person_id"]
    stays = there.merge(there[[*keys, "frame"]], left_on=[*keys, "before"], right_on=[*keys, "frame"])
    again = rows[before.notna() & ~rows.index.isin(stays["group"])]
    last = before[again.index].astype(int)
    detail = [
        f"group {group} of {sequence} in frames {earlier} and {frame}"
        for group, sequence, earlier, frame in zip(
            again["group_id"], again["sequence"], last, again["frame"], strict=True
        )
    ]
    names = groupings(again)
    numbers = {"count": len(names), "of": len(rows), "detail": "; ".join(detail[:3])}
    return Evidence(numbers, names) if names else None


@check(
    "lecture-groups",
    "split",
    "activities",
    "{count:,} {count:group is|groups are} larger than any of split {split}",
    "{count:,} of {of:,} groups {count:has|have} {least:,} to {most:,} members, in {sequences}; in {split} no group "
    "has more than {largest:,}.",
)
def lecture_groups(context: Context, *, times: float = 2) -> Evidence | None:
    """More members than in another split, where the largest of one is at least `times` the largest of the other."""
    rows = groups(context)
    largest = rows.groupby("split")["members"].max().sort_values()
    if len(largest) < 2 or largest.iloc[-1] < times * largest.iloc[0]:
        return None
    large = rows[rows["members"] > largest.iloc[0]]
    sequences = ", ".join(large["sequence"].unique())
    names = groupings(large)
    numbers = {"count": len(names), "of": len(rows), "split": largest.index[0], "largest": int(largest.iloc[0])}
    sizes = {"least": int(large["members"].min()), "most": int(large["members"].max()), "sequences": sequences}
    return Evidence({**numbers, **sizes}, names)


person_shapes = replace(odd_shapes, id="odd-persons", of="activities")
persons_outside = replace(outside_image, id="persons-outside", of="activities")
