"""Data anomalies in the labels of JRDB-PAR that change no row: counted, so that a build reports them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from builders.engine.lists import items_of
from builders.raw.jrdb_par import LabelTables
from schemas.notices import Counted

_GLOBAL = ("sheet_labels", "opening_labels")


def label_anomalies(
    labels: LabelTables, sheets: pd.DataFrame, frames: pd.DataFrame, children: Mapping[str, pd.DataFrame]
) -> dict[str, int]:
    """Counts of what the sheets lack, and of where members of a group or the two sources of social labels disagree.

    Args:
        labels: the label files.
        sheets: the rows of all workbooks.
        frames: one row per frame.
        children: `persons`, parallel to those of `labels`, and `groups`.
    """
    groups = children["groups"]
    owner, members = items_of(groups["member_rows"])
    sets = _label_sets(labels)[members]
    shared = pd.Series(sets[sets > 0], owner[sets > 0]).groupby(level=0).agg(["first", "nunique"])
    difficult = labels.persons["group_difficult"].iloc[members].astype(bool).groupby(owner).nunique()
    moments = frames[["sequence_index", "frame"]].loc[groups["parent"]].to_numpy().T
    own, opening = (frames[name].map(lambda labels: frozenset(labels or ())) for name in _GLOBAL)
    changing = own.astype(bool) & opening.astype(bool) & (own != opening)
    known = pd.Series(shared["first"].reindex(groups.index), dtype="Int64").set_axis([*moments, groups["group_id"]])
    rows = pd.MultiIndex.from_frame(sheets[["sequence", "frame", "group"]])
    every_frame = pd.MultiIndex.from_frame(frames[["sequence_index", "frame"]])
    given = sheets["social"].map(lambda ids: sum(1 << label for label in ids)).to_numpy(np.int64)
    found = known.reindex(rows).to_numpy(np.int64, na_value=0)

    def row(place: int) -> str:
        sequence, number, of = rows[place]
        return f"sequence {sequence} frame {number} group {of}"

    def frame(place: int) -> str:
        return str(frames["sample_id"].iloc[place])

    def group(owners: pd.Index) -> Callable[[int], str]:
        return lambda place: f"{groups['group_id'][owners[place]]} of {frame(groups['parent'][owners[place]])}"

    counts = {
        "sheet rows that do not name their sequence, which is that of their workbook": (~sheets["named"], row),
        "sheet rows without social labels": (given == 0, row),
        "sheet rows without global labels": (sheets["global_labels"].map(len) == 0, row),
        "sheet rows of frames that no label file has": (~rows.droplevel("group").isin(every_frame), row),
        "sheet rows of groups that gt_group does not have": (~rows.isin(known.index), row),
        "sheet rows whose social labels are not those of gt_activity": (
            (given > 0) & (found > 0) & (given != found),
            row,
        ),
        "frames without a sheet row": (frames["sheet_labels"].isna(), frame),
        "frames whose global labels are not those of frame 15": (changing, frame),
        "groups whose members have different social labels": (shared["nunique"] > 1, group(shared.index)),
        "groups that are difficult for some members only": (difficult > 1, group(difficult.index)),
    }
    return {text: count for text, (mask, name) in counts.items() if (count := Counted.where(mask, name))}


def _label_sets(labels: LabelTables) -> NDArray[np.int64]:
    """The social labels of each person as bits of a number."""
    sets = np.zeros(len(labels.persons), np.int64)
    np.bitwise_or.at(sets, labels.social["row"].to_numpy(), 1 << labels.social["label"].to_numpy())
    return sets
