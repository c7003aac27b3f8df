"""UAG-OOPS: where does an action in an OOPS! validation clip turn unintentional, and until when does it last."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from builders.engine.recipe import Candidates, Recipe
from builders.engine.rules import Outcome, rule
from builders.engine.sources import Sources
from builders.oops import rules as oops
from builders.raw.oops import read_heldout_times, read_name_list
from schemas.columns import column
from schemas.temporal import temporal_schema


def read(sources: Sources) -> Candidates:
    """The clips of `val_filtered.txt`, in its order; the held-out annotator's onset where that source is there."""
    candidates = oops.read_clips(sources, "test")
    clips = candidates.root.assign(heldout_s=np.nan)
    if "heldout_times" in sources:
        heldout = read_heldout_times(sources["heldout_times"]).set_index("name")["heldout_s"]
        clips["heldout_s"] = heldout.reindex(clips["sample_id"]).to_numpy()
    saw = (clips["heldout_s"] >= 0).astype("boolean").mask(clips["heldout_s"].isna())
    candidates.root = clips.assign(heldout_onset_s=clips["heldout_s"].where(saw.eq(True)), heldout_saw_failure=saw)
    return candidates


@rule(
    "single_scene",
    cites="paper, section 4.1; Hasnat79/uag : scripts/oops_data_builder.py (PySceneDetect, threshold 50, no cut found)",
    reasons=oops.SCENE_REASONS,
)
def single_scene(
    clips: pd.DataFrame,
    sources: Sources,
    *,
    by: Annotated[
        Literal["published", "inventory", "skip"],
        "the authors' list of names, `n_scenes` of an inventory, or no scene filter at all",
    ] = "published",
) -> Outcome:
    """Keep clips of a single scene."""
    if by == "skip":
        return Outcome()
    if by == "inventory":
        return oops.counted_scenes(clips, sources)
    # The authors looked only at clips on which all agreed and whose description they found.
    examined = (clips["n_notfound"] == 0) & clips["exact_key"]
    reason = np.where(examined, "several_scenes", "scene_count_unknown")
    return Outcome(keep=clips["video"].isin(sources.read("single_scene", read_name_list)), reason=reason)


RECIPE = Recipe(
    card="uag-oops",
    version=1,
    version_reason="first version",
    level="clip",
    read=read,
    rules=(
        oops.names,
        oops.labelled,
        oops.agreement,
        oops.described,
        single_scene,
        oops.description,
        oops.onset,
        oops.end,
        oops.valid_span,
    ),
    schema=temporal_schema(
        "uag-oops",
        1,
        [
            *oops.ANNOTATED_ONSETS,
            column("heldout_onset_s", pa.float64(), "onset of a fourth annotator, held out", unit="s", required=False),
            column("heldout_saw_failure", pa.bool_(), "whether the fourth annotator saw a failure", required=False),
        ],
    ),
)
