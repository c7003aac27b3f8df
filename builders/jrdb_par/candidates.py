"""Candidates of JRDB-PAR: the frames that any label file names, the persons in them, their groups of any size."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from builders.engine.lists import lengths_of, lists_of
from builders.engine.recipe import Candidates
from builders.jrdb_par.anomalies import label_anomalies
from builders.raw.jrdb_par import HEIGHT, WIDTH, LabelTables
from schemas.activity import IDS, LABELS
from schemas.errors import InputError, Problem

# JRDB's training sequences, in the order that gives them their numbers (RuizeHan/PAR sorts the folders of images;
# names: JRDB-dataset/jrdb_toolkit : Action&Social_grouping_eval).
SEQUENCES = (
    "bytes-cafe-2019-02-07_0",
    "clark-center-2019-02-28_0",
    "clark-center-2019-02-28_1",
    "clark-center-intersection-2019-02-28_0",
    "cubberly-auditorium-2019-04-22_0",
    "forbes-cafe-2019-01-22_0",
    "gates-159-group-meeting-2019-04-03_0",
    "gates-ai-lab-2019-02-08_0",
    "gates-basement-elevators-2019-01-17_1",
    "gates-to-clark-2019-02-28_1",
    "hewlett-packard-intersection-2019-01-24_0",
    "huang-2-2019-01-25_0",
    "huang-basement-2019-01-25_0",
    "huang-lane-2019-02-12_0",
    "jordan-hall-2019-04-22_0",
    "memorial-court-2019-03-16_0",
    "meyer-green-2019-03-16_0",
    "nvidia-aud-2019-04-18_0",
    "packard-poster-session-2019-03-20_0",
    "packard-poster-session-2019-03-20_1",
    "packard-poster-session-2019-03-20_2",
    "stlc-111-2019-04-19_0",
    "svl-meeting-gates-2-2019-04-08_0",
    "svl-meeting-gates-2-2019-04-08_1",
    "tressider-2019-03-16_0",
    "tressider-2019-03-16_1",
    "tressider-2019-04-26_2",
)
# The only frame whose global labels the official loader reads.
OPENING = 15
# JRDB itself has all these sequences in its training set.
_SPLIT = "train"


def frames_of_persons(labels: LabelTables, sheets: pd.DataFrame, folder: Path) -> Candidates:
    """Frames with `workbook`, `sheet_labels`, the global labels of their own sheet rows (None without a row), and
    `opening_labels`, those of their sequence's frame 15; children `persons` and `groups`, these with `member_rows`.

    Args:
        labels: the label files.
        sheets: the rows of all workbooks of `folder`.
        folder: named where a workbook is missing.

    Raises:
        InputError: there is no workbook of a sequence that the label files name.
    """
    frames, parent = _frames(labels.persons, sheets)
    lacking = sorted(set(frames["sequence_index"]) - set(sheets["sequence"]))
    if lacking:
        expected = "a workbook of each sequence in the label files"
        raise InputError([Problem(str(folder), "", "seq_id", f"none of sequence {name}", expected) for name in lacking])
    persons = _persons(labels, parent)
    groups = _groups(persons)
    children = {"persons": persons, "groups": groups}
    return Candidates(frames, children, label_anomalies(labels, sheets, frames, children))


def _frames(persons: pd.DataFrame, sheets: pd.DataFrame) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """One row per frame, and the row of each person's frame."""
    moments = persons[["sequence", "frame"]].drop_duplicates()
    parent = np.cumsum(~persons[["sequence", "frame"]].duplicated().to_numpy()) - 1
    index, frame = moments["sequence"].to_numpy(), moments["frame"].to_numpy()
    names = pd.Series(np.array(SEQUENCES, object)[index])
    own = _global_labels(sheets)
    workbooks = sheets.drop_duplicates("sequence").set_index("sequence")["file"]
    pairs = list(zip(index.tolist(), frame.tolist(), strict=True))
    samples = names + "/" + pd.Series(frame).astype(str).str.zfill(6)
    table = {
        "sample_id": samples,
        "split": _SPLIT,
        "sequence": names,
        "sequence_index": index,
        "frame": frame,
        "file_name": samples + ".jpg",
        "width": WIDTH,
        "height": HEIGHT,
        "sheet_labels": pd.Series([own.get(pair) for pair in pairs], dtype=object),
        "opening_labels": pd.Series([own.get((sequence, OPENING)) for sequence, _ in pairs], dtype=object),
        "workbook": workbooks.reindex(index).to_numpy(),
    }
    return pd.DataFrame(table), parent


def _global_labels(sheets: pd.DataFrame) -> dict[tuple[int, int], tuple[int, ...]]:
    """The global labels of each (sequence, frame) that has rows; they are the same in all that are not blank."""
    filled = sheets.iloc[np.argsort(sheets["global_labels"].map(len).to_numpy(), kind="stable")]
    return dict(zip(zip(filled["sequence"], filled["frame"], strict=True), filled["global_labels"], strict=True))


def _persons(labels: LabelTables, parent: NDArray[np.int64]) -> pd.DataFrame:
    persons = labels.persons
    actions, social = (
        lists_of(
            table["row"].to_numpy(), len(persons), [table[name].to_numpy() for name in ("label", "difficult")], LABELS
        )
        for table in (labels.actions, labels.social)
    )
    return pd.DataFrame(
        {
            "parent": parent,
            "key": persons["person"],
            "person_id": persons["person"],
            "x": persons["x1"],
            "y": persons["y1"],
            "width": persons["x2"] - persons["x1"],
            "height": persons["y2"] - persons["y1"],
            "group_id": persons["group"],
            "group_difficult": persons["group_difficult"],
            "actions": actions,
            "social": social,
            "in_action": lengths_of(actions) > 0,
            "in_activity": lengths_of(social) > 0,
            "in_group": persons["group"].notna().to_numpy(bool),
        }
    )


def _groups(persons: pd.DataFrame) -> pd.DataFrame:
    """Groups in the order of their first members, whoever of these will be kept."""
    members = persons[["parent", "group_id"]][persons["in_group"]].astype(np.int64)
    number = members.groupby(["parent", "group_id"], sort=False).ngroup().to_numpy()
    firsts = members.drop_duplicates().reset_index(drop=True)
    order = np.argsort(number, kind="stable")
    rows = members.index.to_numpy()[order]
    size = np.bincount(number, minlength=len(firsts))
    return firsts.assign(
        key=firsts["group_id"],
        member_rows=lists_of(number[order], len(firsts), [rows], IDS),
        member_ids=lists_of(number[order], len(firsts), [persons["person_id"].to_numpy()[rows]], IDS),
        size=size,
        several=size > 1,
    )
