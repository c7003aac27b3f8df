"""UAG-SSBD: when does a child flap arms, bang the head or spin; one row per behaviour."""

from __future__ import annotations

import re
from typing import Annotated, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from builders.engine.recipe import Candidates, Recipe
from builders.engine.rules import Outcome, rule
from builders.engine.sources import Sources
from builders.inventory import from_inventory
from builders.raw.ssbd import read_annotations
from schemas.columns import column
from schemas.notices import Counted
from schemas.temporal import temporal_schema

# Videos that could no longer be downloaded when the authors built UAG-SSBD.
MISSING_VIDEOS = frozenset(
    [f"v_ArmFlapping_{number}" for number in ("06", "07", "11", "17", "23")]
    + [f"v_HeadBanging_{number}" for number in ("08", "09", "11", "12", "23", "25")]
    + [f"v_Spinning_{number}" for number in ("03", "06", "13", "17", "20", "24")]
)
DESCRIPTIONS = {
    "as_published": "a person is {category} with {intensity} intensity",
    "as_printed": "A person is {category} with {intensity} intensity",
    "as_prompted": "A person is {category} with {intensity} intensity.",
}


def read(sources: Sources) -> Candidates:
    """One row per behaviour, by file name, then in document order."""
    behaviours = read_annotations(sources["annotations"])
    elements = behaviours.groupby("video")["video"].transform("size")
    miscounted = behaviours.loc[elements != behaviours["n_declared"], "video"].unique().tolist()
    return Candidates(
        behaviours.assign(sample_id=behaviours["video"] + "_" + behaviours["behaviour_id"], split="test"),
        findings={"videos whose `count` differs from their behaviours": Counted(len(miscounted), miscounted)},
    )


@rule(
    "availability",
    cites="paper, section 4.1: 58 of 75 videos accessible; Hasnat79/UAL_Bench : data/uag_ssbd",
    reasons={
        "missing_as_published": "the authors could no longer download its video",
        "not_available": "the inventory says that its video is not available",
        "not_in_inventory": "the inventory does not know its video",
    },
)
def availability(
    behaviours: pd.DataFrame,
    sources: Sources,
    *,
    by: Annotated[
        Literal["published", "inventory", "all"],
        "the 58 videos that the authors had, those `available` in an inventory, or all 75",
    ] = "published",
) -> Outcome:
    """Keep behaviours whose video can be had."""
    if by == "all":
        return Outcome()
    if by == "published":
        return Outcome(keep=~behaviours["video"].isin(MISSING_VIDEOS), reason="missing_as_published")
    available = from_inventory(sources, behaviours["video"], "available")
    return Outcome(keep=available == 1, reason=np.where(available == 0, "not_available", "not_in_inventory"))


@rule(
    "time",
    cites="SSBD XML files: MMSS:MMSS; the readme beside them says seconds",
    gives="start_s = {start_s:.10g}, end_s = {end_s:.10g}",
    reasons={"beyond_duration": "read so, its end at {end_s:g} s is beyond the video's {duration_s:g} s"},
)
def time(
    behaviours: pd.DataFrame,
    *,
    digits: Annotated[
        Literal["mmss", "seconds"], "what the digits of a time count: minutes and seconds, or seconds"
    ] = "mmss",
) -> Outcome:
    """Read the span of a behaviour."""
    spans = behaviours[["start_s", "end_s"]]
    if digits == "seconds":
        sides = [re.split("[:-]", text) for text in behaviours["time_text"]]
        spans = pd.DataFrame(sides, index=behaviours.index, columns=["start_s", "end_s"]).astype("float64")
    beyond = spans["end_s"] > behaviours["duration_s"]
    return Outcome(
        columns={"start_s": spans["start_s"], "end_s": spans["end_s"]},
        touched=beyond,
        reason="beyond_duration",
        values={"end_s": spans["end_s"], "duration_s": behaviours["duration_s"]},
    )


@rule(
    "description",
    cites="paper, section 4.1 (as printed); Hasnat79/UAL_Bench : data/uag_ssbd (as published)",
    gives='description = "{description}", from category {category} and intensity {intensity}',
)
def description(
    behaviours: pd.DataFrame,
    *,
    form: Annotated[
        Literal["as_published", "as_printed", "as_prompted"],
        "as in the published file (lower case), as in the paper (upper case), as sent to the models (with a full stop)",
    ] = "as_published",
) -> Outcome:
    """Describe the behaviour by its category and intensity."""
    pairs = zip(behaviours["category"], behaviours["intensity"], strict=True)
    return Outcome(columns={"description": [DESCRIPTIONS[form].format(category=c, intensity=i) for c, i in pairs]})


RECIPE = Recipe(
    card="uag-ssbd",
    version=1,
    version_reason="first version",
    level="behaviour",
    read=read,
    rules=(availability, time, description),
    schema=temporal_schema(
        "uag-ssbd",
        1,
        [
            column("behaviour_id", pa.string(), "name of the behaviour within its video"),
            column("bodypart", pa.string(), "part of the body that moves"),
            column("category", pa.string(), "armflapping, headbanging or spinning"),
            column("intensity", pa.string(), "high or low"),
            column("modality", pa.string(), "how the behaviour was observed"),
        ],
    ),
)
