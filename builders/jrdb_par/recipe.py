"""JRDB-PAR: key frames of panoramic videos, and what each person, each group and the whole scene does."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import pandas as pd

from builders.engine.lists import filtered, items_of, lengths_of, lists_of
from builders.engine.recipe import Candidates, Recipe
from builders.engine.rules import Outcome, rule
from builders.engine.sources import Sources
from builders.jrdb_par.candidates import OPENING, SEQUENCES, frames_of_persons
from builders.jrdb_par.label_spaces import in_label_space
from builders.raw.jrdb_par import MOST_FRAMES, read_labels
from builders.raw.jrdb_par_sheets import SOCIAL_IDS, read_sheets
from schemas.activity import IDS, activity_schema
from schemas.errors import Problem, UsageError, shown
from schemas.input.problems import raise_any

# RuizeHan/PAR at 224af50, below PAR-main/PanoAct_source-code-12_23/.
LOADER, CONFIGURATION = "RuizeHan/PAR : jrdb.py", "RuizeHan/PAR : config.py"


def read(sources: Sources) -> Candidates:
    """All frames and persons of the three label files, and the global labels of the spreadsheets."""
    labels = read_labels(sources["action"], sources["activity"], sources["group"])
    return frames_of_persons(labels, read_sheets(sources["sheets"]), sources["sheets"])


@rule(
    "key_frames", cites=LOADER, reasons={"between": "frame {frame:.0f} is not {first}, or a multiple of {step} later"}
)
def key_frames(
    frames: pd.DataFrame,
    *,
    step: Annotated[int, "frames from one key frame to the next"] = 15,
    first: Annotated[int, "the first key frame of each sequence"] = 15,
) -> Outcome:
    """Keep the key frames."""
    if not (1 <= step < MOST_FRAMES and 0 <= first < MOST_FRAMES):
        raise UsageError(f"key_frames: step={step}, first={first}; expected steps from 1, frames below {MOST_FRAMES:,}")
    after = frames["frame"] - first
    return Outcome(keep=(after >= 0) & (after % step == 0), reason="between", values={"frame": frames["frame"]})


@rule("split", cites=CONFIGURATION, reasons={"test": "sequence {sequence:.0f} is one of the test sequences"})
def split(
    frames: pd.DataFrame, *, test: Annotated[str, "numbers of the test sequences, from 0"] = "2 7 11 16 17 25 26"
) -> Outcome:
    """Divide the sequences into train and test."""
    words = test.replace(",", " ").split()
    unknown = [word for word in words if word not in map(str, range(len(SEQUENCES)))]
    if unknown:
        raise UsageError(f"split.test: {shown(unknown[0])} is not a sequence; expected numbers from 0 to 26")
    sequence = frames["sequence_index"]
    chosen = sequence.isin(map(int, words)).to_numpy()
    names = np.where(chosen, "test", "train")
    return Outcome(columns={"split": names}, touched=chosen, reason="test", values={"sequence": sequence})


@rule(
    "people",
    level="persons",
    cites=LOADER,
    reasons={
        "no_activity": "it has no social activity, only individual actions ({actions:.0f})",
        "no_action": "it has no individual action, only social activities ({social:.0f})",
        "group_only": "it has a group, but neither an individual action nor a social activity",
    },
)
def people(
    persons: pd.DataFrame,
    *,
    keep: Annotated[
        Literal["action_and_activity", "action", "all"],
        "persons with both kinds of label, with individual actions, or all that any file names",
    ] = "action_and_activity",
) -> Outcome:
    """Keep the persons who are trained on and scored."""
    acts, shares = persons["in_action"], persons["in_activity"]
    return Outcome(
        keep={"action_and_activity": acts & shares, "action": acts, "all": acts | True}[keep],
        reason=np.select([acts, shares], ["no_activity", "no_action"], "group_only"),
        values={"actions": lengths_of(persons["actions"]), "social": lengths_of(persons["social"])},
    )


@rule(
    "members",
    level="groups",
    cites=LOADER,
    gives="members {member_ids}; shared activities {activities}",
    reasons={
        "nobody_left": "none of its {annotated:.0f} members is kept",
        "single_left_out": "its only member is not kept",
        "thinned": "{left:.0f} of its {annotated:.0f} members are kept",
    },
)
def members(
    groups: pd.DataFrame,
    persons: pd.DataFrame,
    *,
    of: Annotated[Literal["kept", "annotated"], "only persons who are kept, or all that the files name"] = "kept",
) -> Outcome:
    """Say who belongs to a group and what its members share: the labels of the first kept one that has some.

    Groups of a frame are in the order of their first members who belong, as the authors' scorer lists them.
    """
    members = pd.DataFrame(dict(zip(("group", "row"), items_of(groups["member_rows"]), strict=True)))
    belongs = (members["row"].isin(persons.index) | (of == "annotated")).to_numpy()
    left, size = np.bincount(members["group"][belongs], minlength=len(groups)), groups["size"].to_numpy()
    place, label = items_of(persons["social"], "id")
    labels = pd.DataFrame({"row": persons.index[place], "label": label})
    shared = members[members["row"].isin(labels["row"])].drop_duplicates("group").merge(labels, on="row")
    activities = lists_of(shared["group"].to_numpy(), len(groups), [shared["label"].to_numpy()], IDS)
    now = groups.assign(
        member_ids=filtered(groups["member_ids"], belongs), activities=activities.set_axis(groups.index), left=left
    )
    firsts = members[belongs].drop_duplicates("group")
    order = np.arange(len(groups))
    order[firsts["group"]] = firsts.sort_values("row")["group"]
    return Outcome(
        keep=left > 0,
        columns={**now.iloc[order].set_axis(groups.index)},
        touched=left < size,
        reason=np.select([left > 0, size > 1], ["thinned", "nobody_left"], "single_left_out"),
        values={"annotated": size, "left": left},
    )


@rule(
    "group_size",
    level="groups",
    cites="RuizeHan/PAR : my_utils/group_detection_PRF.py",
    reasons={
        "alone": "a person alone, fewer than {minimum}",
        "too_small": "{left:.0f} of its {annotated:.0f} members are kept, fewer than {minimum}",
    },
)
def group_size(groups: pd.DataFrame, *, minimum: Annotated[int, "the least number of members"] = 2) -> Outcome:
    """Keep the groups that are large enough."""
    values = {"annotated": groups["size"], "left": groups["left"]}
    reason = np.where(groups["size"] > 1, "too_small", "alone")
    return Outcome(keep=groups["left"] >= minimum, reason=reason, values=values)


@rule(
    "social_labels",
    level="groups",
    cites="Han et al., ECCV 2022 (11 classes, not named); RuizeHan/PAR : group.pbtxt (32)",
    reasons={"outside": "{left:.0f} of its {labels:.0f} social labels are in the label space"},
)
def social_labels(
    groups: pd.DataFrame,
    persons: pd.DataFrame,
    frame: pd.DataFrame,
    *,
    space: Annotated[
        Literal["all32", "observed12", "split"],
        "all classes, the twelve that groups of two or more have, or those that the groups of the same split have",
    ] = "all32",
) -> Outcome | list[Outcome]:
    """Keep the social labels that count."""
    if space == "all32":
        return Outcome()
    return in_label_space(groups, persons, frame["split"], SOCIAL_IDS if space == "observed12" else None)


@rule(
    "global_labels",
    cites=LOADER,
    gives="global_activities = {global_activities}",
    reasons={
        "no_row": "the sheet has no row for the frame",
        "blank": "the sheet's rows for the frame leave the global labels blank",
    },
)
def global_labels(
    frames: pd.DataFrame,
    *,
    of: Annotated[
        Literal["frame_15_of_sequence", "own_frame"], "those of the sequence's frame 15, or of the frame itself"
    ] = "frame_15_of_sequence",
) -> Outcome:
    """Give each frame the global labels of the spreadsheets.

    A sequence whose frame 15 has none is an error, if that is where its frames take them from: the authors' loader
    fails there, too.
    """
    if of == "frame_15_of_sequence":
        raise_any(_without_opening(frames))
        return Outcome(columns={"global_activities": frames["opening_labels"]})
    labels = frames["sheet_labels"]
    no_row = labels.isna().to_numpy()
    filled = labels.where(~no_row, pd.Series([()] * len(labels), labels.index))
    empty = (filled.map(len) == 0).to_numpy()
    return Outcome(
        columns={"global_activities": filled},
        touched=empty if empty.any() else None,
        reason=np.where(no_row, "no_row", "blank"),
    )


def _without_opening(frames: pd.DataFrame) -> list[Problem]:
    """A problem for each sequence whose frame 15 has no global labels; blank cells and no row at all are the same."""
    lacking = frames[~frames["opening_labels"].astype(bool)]
    counts = lacking["sequence"].value_counts()
    firsts = lacking.drop_duplicates("sequence")
    expected = "labels there, which are those of the whole sequence"
    advice = "mend the workbook, or set global_labels.of=own_frame"
    return [
        Problem(
            workbook,
            f"sequence {number} ({name})",
            "global_labels",
            f"none for frame {OPENING}: {counts[name]:,} frames without",
            expected,
            advice,
        )
        for workbook, number, name in zip(firsts["workbook"], firsts["sequence_index"], firsts["sequence"], strict=True)
    ]


RECIPE = Recipe(
    card="jrdb-par",
    version=1,
    version_reason="first version",
    level="frame",
    read=read,
    rules=(key_frames, split, people, members, group_size, social_labels, global_labels),
    schema=activity_schema("jrdb-par", 1),
)
