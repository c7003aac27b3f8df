"""What the two benchmarks cut from the OOPS! data set share: its candidates and its rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from builders.engine.recipe import Candidates
from builders.engine.rules import Outcome, rule
from builders.engine.sources import Sources
from builders.inventory import from_inventory
from builders.raw import oops
from schemas.columns import column

TIMES = ["t1", "t2", "t3"]
ONSET_STATISTICS: dict[str, Callable[..., Any]] = {
    "earliest": np.nanmin,
    "median": np.nanmedian,
    "mean": np.nanmean,
    "latest": np.nanmax,
}

ANNOTATED_ONSETS = [
    column("onsets_s", pa.list_(pa.float64()), "onsets of all annotators who saw a failure, ascending", unit="s"),
    column("n_notfound", pa.int64(), "annotators of three who saw no failure"),
]


def read_clips(sources: Sources, split: str) -> Candidates:
    """One row per name of the split list, with its times and descriptions where there are some."""
    clips = pd.DataFrame({"sample_id": oops.read_names(sources["split_list"])})
    times = oops.read_transition_times(sources["transition_times"])
    # A file without clips gives columns of no type.
    descriptions = oops.read_descriptions(sources["descriptions"]).astype("str")
    descriptions["misread_key"] = False
    misread = descriptions.assign(misread_key=True, name=descriptions["name"].map(oops.repaired_name))
    # A description is looked up under the clip's name first; the repaired names of misread keys only fill gaps.
    misread = misread[~misread["name"].isin(descriptions["name"])].drop_duplicates("name")
    known = pd.concat([descriptions, misread])
    clips = clips.merge(times, how="left", left_on="sample_id", right_on="name").drop(columns="name")
    clips = clips.merge(known, how="left", left_on="sample_id", right_on="name").drop(columns="name")
    clips = clips.assign(split=split, video=clips["sample_id"], duration_s=clips["length_s"])
    clips["exact_key"] = clips["misread_key"].eq(False)
    return Candidates(clips.assign(misread_key=clips["misread_key"].eq(True)))


@rule(
    "names",
    cites="Hasnat79/uag : data/oops_dataset/val_descriptions.json",
    reasons={
        "misread_key": "its description is under a key whose UTF-8 bytes were misread as cp1252",
        "repaired_key": "the misread key of its description was repaired",
    },
)
def names(
    clips: pd.DataFrame,
    *,
    repair: Annotated[bool, "decode keys of the description file that were misread as cp1252"] = False,
) -> Outcome:
    """Find, or repair, keys of the description file whose UTF-8 bytes were misread as cp1252."""
    misread = clips["misread_key"]
    if repair:
        return Outcome(columns={"misread_key": False}, touched=misread, reason="repaired_key")
    return Outcome(touched=misread, reason="misread_key")


@rule(
    "labelled",
    cites="Hasnat79/uag : scripts/oops_data_builder.py",
    reasons={"no_transition_times": "no annotator was asked for its time of failure"},
)
def labelled(clips: pd.DataFrame) -> Outcome:
    """Keep clips that have transition times."""
    return Outcome(keep=clips["n_notfound"].notna(), reason="no_transition_times")


@rule(
    "agreement",
    cites="Hasnat79/uag : scripts/oops_data_builder.py, n_notfound == 0",
    reasons={"no_failure_seen": "{n_notfound:g} of 3 annotators saw no failure, more than {max_notfound:g}"},
)
def agreement(
    clips: pd.DataFrame,
    *,
    max_notfound: Annotated[Literal[0, 1, 2], "annotators of three who may have seen no failure"] = 0,
) -> Outcome:
    """Keep clips in which enough annotators saw a failure."""
    seen = clips["n_notfound"]
    values = {"n_notfound": seen, "max_notfound": max_notfound}
    return Outcome(keep=seen <= max_notfound, reason="no_failure_seen", values=values)


@rule(
    "described",
    cites="Hasnat79/uag : scripts/oops_data_builder.py",
    reasons={
        "no_description": "nobody described it",
        "misread_key": "its description is under a misread key (names.repair=true finds it)",
    },
)
def described(clips: pd.DataFrame) -> Outcome:
    """Keep clips that have descriptions of the goal and of what went wrong."""
    misread = clips["misread_key"].to_numpy()
    reason = np.where(misread, "misread_key", "no_description")
    return Outcome(keep=clips["goal_1"].notna().to_numpy() & ~misread, reason=reason)


@rule(
    "description",
    cites="Hasnat79/uag : scripts/oops_data_builder.py and oops_training_data_builder.py",
    reasons={"dont_know": 'both annotators wrote "Don\'t know"'},
    gives='description = "{description}"',
)
def description(
    clips: pd.DataFrame,
    *,
    use: Annotated[
        Literal["first", "first_known", "both"],
        'the first annotation, the first without the answer "Don\'t know", or both one after the other',
    ] = "first",
) -> Outcome:
    """Make one text of goal and what went wrong."""
    first = clips["goal_1"] + " " + clips["wentwrong_1"]
    second = clips["goal_2"] + " " + clips["wentwrong_2"]
    if use == "first":
        return Outcome(columns={"description": first})
    if use == "both":
        return Outcome(columns={"description": first + " " + second})
    first_known, second_known = (
        ((clips[f"goal_{i}"] != "Don't know") & (clips[f"wentwrong_{i}"] != "Don't know")).to_numpy() for i in (1, 2)
    )
    return Outcome(
        keep=first_known | second_known,
        columns={"description": first.where(first_known, second)},
        reason="dont_know",
    )


SCENE_REASONS = {
    "several_scenes": "it has several scenes",
    "scene_count_unknown": "nobody counted its scenes",
}


def counted_scenes(clips: pd.DataFrame, sources: Sources) -> Outcome:
    """Keep clips that have one scene by the inventory."""
    scenes = from_inventory(sources, clips["video"], "n_scenes")
    reason = np.where(np.isnan(scenes), "scene_count_unknown", "several_scenes")
    return Outcome(keep=scenes == 1, reason=reason, values={"n_scenes": scenes})


@rule(
    "onset",
    cites="paper, section 4.1: earliest of three annotations; cvlab-columbia/oops : dataloader.py: median",
    gives="start_s = {start_s:.10g}, {pick} of {onsets_s:.10g}",
)
def onset(
    clips: pd.DataFrame,
    *,
    pick: Annotated[
        Literal["earliest", "median", "mean", "latest"],
        "which of the onsets starts the span; -1 (saw none) never counts",
    ] = "earliest",
) -> Outcome:
    """Start the span at an onset of failure."""
    times = clips[TIMES].to_numpy()
    times = np.where(times < 0, np.nan, times)
    statistic = ONSET_STATISTICS[pick]
    seen = ~np.isnan(times).all(axis=1)
    start = np.full(len(times), np.nan)
    if seen.any():
        start[seen] = statistic(times[seen], axis=1)
    onsets = [[time for time in row if time == time] for row in times.tolist()]
    return Outcome(columns={"start_s": start, "onsets_s": pd.Series(onsets, index=clips.index, dtype=object)})


@rule(
    "end",
    cites="paper, section 4.1: end = video duration; the authors' code takes `len`",
    gives="end_s = duration_s = {end_s:.10g}",
)
def end(
    clips: pd.DataFrame,
    sources: Sources,
    *,
    of: Annotated[
        Literal["annotated", "probed"], "the length in the annotations, or the duration probed from the video"
    ] = "annotated",
) -> Outcome:
    """End the span with the video."""
    length = clips["length_s"] if of == "annotated" else from_inventory(sources, clips["video"], "duration_s")
    return Outcome(columns={"end_s": length, "duration_s": length})


@rule(
    "valid_span",
    cites="none: the authors kept such spans",
    reasons={
        "starts_at_end": "the span starts at {start_s:g} s, not before its end at {end_s:g} s",
        "time_unknown": "its duration is not in the inventory",
    },
)
def valid_span(
    clips: pd.DataFrame,
    *,
    on_invalid: Annotated[
        Literal["keep", "drop", "clip"],
        "a span that starts at or after its end: keep as it is, drop, start it at its end",
    ] = "keep",
) -> Outcome:
    """Find spans that start at or after their end; clips without a known end are always dropped."""
    start, end_s = clips["start_s"].to_numpy(), clips["end_s"].to_numpy()
    known, invalid = np.isfinite(end_s), start >= end_s
    return Outcome(
        keep=known & ~invalid if on_invalid == "drop" else known,
        columns={"start_s": np.minimum(start, end_s)} if on_invalid == "clip" else {},
        touched=invalid,
        reason=np.where(known, "starts_at_end", "time_unknown"),
        values={"start_s": start, "end_s": end_s},
    )
