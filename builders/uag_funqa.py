"""UAG-FunQA: when is the funny moment of a HumorQA test video."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from builders.engine.recipe import Candidates, Recipe
from builders.engine.rules import Outcome, rule
from builders.engine.sources import Sources
from builders.inventory import from_inventory
from builders.raw.funqa import frames_in_name, parse_frames, read_records
from schemas.columns import column
from schemas.errors import UsageError
from schemas.temporal import temporal_schema

LOCALISATION = "H1"


def read(sources: Sources) -> Candidates:
    """All records of the test file, of every task, in its order."""
    path = sources["annotations"]
    # A file without records gives columns of no type.
    records = read_records(path).astype("str").rename(columns={"id": "sample_id", "visual_input": "video"})
    return Candidates(records.assign(split="test", description=records["instruction"], file=str(path)))


@rule(
    "first_record",
    cites="Hasnat79/UAL_Bench : src/data_loaders/fun_qa_loader.py",
    reasons={"later_record": "its video already has record {first_record:g}; this is record {record:g}"},
)
def first_record(
    records: pd.DataFrame,
    *,
    among: Annotated[
        Literal["all_tasks", "task"], "the first record of a video whatever its task, or the first of its task"
    ] = "all_tasks",
) -> Outcome:
    """Keep the first record of each video."""
    groups = records.groupby(["video"] if among == "all_tasks" else ["video", "task"], sort=False)
    number = pd.Series(np.arange(1, len(records) + 1), index=records.index)
    first = number.groupby(groups.ngroup()).transform("min")
    values = {"first_record": first, "record": number}
    return Outcome(keep=number == first, reason="later_record", values=values)


@rule(
    "task",
    cites="Jingkang50/FunQA : H1 = localisation of the humorous moment",
    reasons={"other_task": "its task is not H1, the localisation of a funny moment"},
)
def task(records: pd.DataFrame) -> Outcome:
    """Keep records that ask for the funny moment."""
    return Outcome(keep=records["task"] == LOCALISATION, reason="other_task")


@rule(
    "frames",
    cites="Nicous20/FunQA, issue 15: H1 numbers are frames of the clip",
    gives='start_frame = {start_frame}, end_frame = {end_frame}, from "{output}"',
)
def frames(records: pd.DataFrame) -> Outcome:
    """Read the first and last frame of the moment from the answer."""
    file = records["file"].iloc[0] if len(records) else ""
    start, end = parse_frames(records["output"].tolist(), records["sample_id"].tolist(), file)
    return Outcome(columns={"start_frame": start, "end_frame": end})


@rule(
    "frame_rate",
    gives="frame_rate = {frame_rate:.10g}",
    cites="Hasnat79/UAL_Bench : src/data_loaders/fun_qa_loader.py: 30; Nicous20/FunQA, issue 15",
    reasons={
        "rate_unknown": "the inventory has no frame rate of its video; {nominal:g} frames per second were assumed"
    },
)
def frame_rate(
    records: pd.DataFrame,
    sources: Sources,
    *,
    of: Annotated[Literal["nominal", "inventory"], "one rate for all, or `frame_rate` of an inventory"] = "nominal",
    nominal: Annotated[float, "frames per second where no other rate is used"] = 30.0,
) -> Outcome:
    """Set the frame rate of each video."""
    if not 0.01 <= nominal <= 10_000:
        raise UsageError(f"frame_rate.nominal={nominal:g}: expected frames per second, 0.01 to 10000")
    if of == "nominal":
        return Outcome(columns={"frame_rate": np.full(len(records), nominal)})
    rates = from_inventory(sources, records["video"], "frame_rate")
    unknown = np.isnan(rates)
    return Outcome(
        columns={"frame_rate": np.where(unknown, nominal, rates)},
        touched=unknown,
        reason="rate_unknown",
        values={"nominal": nominal},
    )


@rule(
    "times",
    cites="Hasnat79/UAL_Bench : src/data_loaders/fun_qa_loader.py: round(frame / 30, 2)",
    gives="start_s = {start_s:.10g} = {start_frame} / {frame_rate:.10g}, end_s = {end_s:.10g} = {end_frame} /"
    " {frame_rate:.10g}",
)
def times(
    records: pd.DataFrame, *, decimals: Annotated[Literal[0, 1, 2, 3, 6], "digits after the point"] = 2
) -> Outcome:
    """Turn frames into seconds."""
    # Python rounds to the nearest double of that many digits; numpy's round differs in the last place.
    return Outcome(
        columns={
            f"{side}_s": [
                round(seconds, decimals) for seconds in (records[f"{side}_frame"] / records["frame_rate"]).tolist()
            ]
            for side in ("start", "end")
        }
    )


@rule(
    "duration",
    cites="none: the published file has no durations",
    gives="duration_s = {duration_s:.10g}",
)
def duration(
    records: pd.DataFrame,
    sources: Sources,
    *,
    of: Annotated[
        Literal["name", "inventory"], "the frames in the file's name, or `duration_s` of an inventory"
    ] = "name",
) -> Outcome:
    """Set the length of each video."""
    if of == "inventory":
        return Outcome(columns={"duration_s": from_inventory(sources, records["video"], "duration_s")})
    first, last = frames_in_name(records["video"])
    return Outcome(columns={"duration_s": (last - first) / records["frame_rate"]})


RECIPE = Recipe(
    card="uag-funqa",
    version=1,
    version_reason="first version",
    level="record",
    read=read,
    rules=(first_record, task, frames, frame_rate, times, duration),
    schema=temporal_schema(
        "uag-funqa",
        1,
        [
            column("task", pa.string(), "task of FunQA; H1 asks for the funny moment"),
            column("output", pa.string(), "the answer as the annotations have it"),
            column("start_frame", pa.int64(), "first frame of the moment", unit="frames"),
            column("end_frame", pa.int64(), "last frame of the moment", unit="frames"),
            column("frame_rate", pa.float64(), "frames per second that turned frames into times", unit="1/s"),
        ],
    ),
)
