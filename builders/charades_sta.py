"""Charades-STA: sentences and the spans of indoor videos that they describe."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from builders.engine.recipe import Candidates, Recipe
from builders.engine.rules import Outcome, Outcomes, rule
from builders.engine.sources import Sources
from builders.raw.charades_sta import read_durations, read_queries, read_reannotations
from schemas.columns import column
from schemas.errors import UsageError
from schemas.identity import written
from schemas.notices import Counted
from schemas.temporal import temporal_schema

SPLITS = ("train", "test")
# Durations of all videos in one file, or of each split in the CSV files of Charades itself.
DURATIONS = ("durations", "durations_train", "durations_test")
REANNOTATIONS = ("reannotations_0", "reannotations_1", "reannotations_2")


def read(sources: Sources) -> Candidates:
    """The lines of both splits; durations of the videos where that source is there."""
    parts = [read_queries(sources[split]).assign(split=split) for split in SPLITS]
    queries = pd.concat(parts, ignore_index=True).rename(columns={"sentence": "description"})
    queries["duration_s"] = np.nan
    known = [read_durations(sources[name]) for name in DURATIONS if name in sources]
    if known:
        durations = pd.concat(known).drop_duplicates("video").set_index("video")["duration_s"]
        queries["duration_s"] = durations.reindex(queries["video"]).to_numpy()
    spans, unplaced = _reannotated(sources, queries)
    queries["reannotated"] = pd.Series(spans, index=queries.index, dtype=object)
    findings: dict[str, int] = (
        {"re-annotations of no query, or of a video of unknown duration": unplaced} if unplaced else {}
    )
    names = queries["split"] + "/" + queries["line"].astype(str).str.zfill(5)
    return Candidates(queries.assign(sample_id=names), findings=findings)


def _reannotated(sources: Sources, queries: pd.DataFrame) -> tuple[list[list[dict[str, float]] | None], Counted]:
    """Five people's spans of each re-annotated test query, in seconds; how many re-annotations found no query."""
    spans: list[list[dict[str, float]] | None] = [None] * len(queries)
    parts = [read_reannotations(sources[name]) for name in REANNOTATIONS if name in sources]
    if not parts:
        return spans, Counted(0)
    test = queries.loc[queries["split"] == "test", ["video", "description", "duration_s"]].reset_index(names="row")
    given = pd.concat(parts)
    placed = given.merge(test.dropna(), on=["video", "description"])
    known = pd.MultiIndex.from_frame(placed[["video", "description"]])
    lost = ~pd.MultiIndex.from_frame(given[["video", "description"]]).isin(known)
    unplaced = Counted.where(lost, lambda row: f"{given['video'].iloc[row]}: {given['description'].iloc[row]}")
    starts, ends = (placed[f"{side}_percent"] / 100 * placed["duration_s"] for side in ("start", "end"))
    for row, start, end in zip(placed["row"].tolist(), starts.tolist(), ends.tolist(), strict=True):
        spans[row] = [*(spans[row] or []), {"start_s": start, "end_s": end}]
    return spans, unplaced


@rule(
    "end",
    cites="none: the authors kept such ends; mayu-ot/hidden-challenges-MR, issue 5",
    reasons={
        "beyond_duration": "the span ended at {end_s:g} s, beyond the video's {duration_s:g} s",
        "after_video": "the span, to {end_s:g} s, began no earlier than the video's end at {duration_s:g} s",
    },
)
def end(
    queries: pd.DataFrame,
    *,
    clip_to_duration: Annotated[
        Literal[False, True, "drop"],
        "end spans no later than their video; one that begins after its end is kept as it is (true) or dropped (drop)",
    ] = False,
) -> Outcomes:
    """Find, or cut, spans that end beyond their video."""
    end_s, duration = queries["end_s"], queries["duration_s"]
    unknown = queries.loc[duration.isna(), "video"]
    if clip_to_duration and len(unknown):
        raise UsageError(
            f"end.clip_to_duration={written(clip_to_duration)}: the durations of {unknown.nunique():,} videos are not"
            f" known, such as {unknown.iloc[0]}; expected in a source of {', '.join(DURATIONS)}"
        )
    beyond, values = (end_s > duration).to_numpy(), {"end_s": end_s, "duration_s": duration}
    if not clip_to_duration:
        return Outcome(touched=beyond, reason="beyond_duration", values=values)
    after = (queries["start_s"] >= duration).to_numpy()
    cut = beyond & ~after
    clipped = {"end_s": end_s.where(~cut, duration)}
    if clip_to_duration == "drop":
        reason = np.where(after, "after_video", "beyond_duration")
        return Outcome(keep=~after, columns=clipped, touched=cut, reason=reason, values=values)
    kept = Outcome(touched=after, reason="after_video", values=values)
    return [kept, Outcome(columns=clipped, touched=cut, reason="beyond_duration", values=values)]


RECIPE = Recipe(
    card="charades-sta",
    version=1,
    version_reason="first version",
    level="query",
    read=read,
    rules=(end,),
    schema=temporal_schema(
        "charades-sta",
        1,
        [
            column(
                "reannotated",
                pa.list_(
                    pa.struct(
                        [
                            column("start_s", pa.float64(), "start of the span", unit="s"),
                            column("end_s", pa.float64(), "end of the span", unit="s"),
                        ]
                    )
                ),
                "spans that five other people gave, null where nobody was asked",
                required=False,
            )
        ],
    ),
)
