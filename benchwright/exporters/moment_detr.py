"""Temporal manifests as QVHighlights annotates them, which Moment-DETR and its successors train on and evaluate by."""

from __future__ import annotations

from math import ceil, isnan
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from schemas.errors import UsageError
from schemas.exchange import new_file
from schemas.manifest import Manifest

if TYPE_CHECKING:
    import pandas as pd

CLIP_S = 2.0


def write_moment_detr(manifest: Manifest, out: Path, split: str | None = None) -> dict[str, int]:
    """Write JSON Lines of `qid`, `query`, `vid`, `duration`, `relevant_windows` and `relevant_clip_ids`.

    Rows of one video with the same query are one line with several windows, as a system answers the query once.
    `relevant_clip_ids` are the clips of two seconds that a window covers in part, as QVHighlights cuts videos; saliency
    scores are judgements of people that no manifest has, and are left out. `qid` counts lines from 0, in the order of
    their first rows, whose names `sample_ids` gives.

    Source: jayleicn/moment_detr : data/README.md, standalone_eval/eval.py.

    Args:
        manifest: of spans.
        out: the file.
        split: one split; the only or the test split unless it is given.

    Returns:
        Lines, windows, and lines without a duration, which Moment-DETR needs for training.

    Raises:
        UsageError: rows that are no spans.
    """
    if not {"video", "description", "start_s", "end_s"} <= set(manifest.column_names):
        raise UsageError(f"{manifest.path} has {manifest.identity.schema} rows; moment-detr holds spans of videos")
    rows = manifest.to_pandas(manifest.chosen_split(split))
    queries = rows.groupby(["video", "description"], sort=False, dropna=False).indices.values()
    lines = _lines(rows, sorted(sorted(int(place) for place in places) for places in queries))
    with new_file(out) as draft:
        draft.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    unknown = sum("duration" not in line for line in lines)
    counts = {"queries": len(lines), "windows": len(rows)}
    return counts | ({"queries without duration": unknown} if unknown else {})


def _lines(rows: pd.DataFrame, queries: list[list[int]]) -> list[dict[str, object]]:
    """A line for the rows of each query."""
    names = ("sample_id", "video", "description", "start_s", "end_s", "duration_s")
    sample, video, query, start, end, duration = (rows[name].tolist() for name in names)
    lines = []
    for number, at in enumerate(queries):
        clips = {clip for i in at for clip in range(int(start[i] // CLIP_S), ceil(end[i] / CLIP_S))}
        first = at[0]
        lines.append(
            {
                "qid": number,
                "query": query[first],
                "vid": video[first],
                **({} if isnan(duration[first]) else {"duration": duration[first]}),
                "relevant_windows": [[start[i], end[i]] for i in at],
                "relevant_clip_ids": sorted(clips),
                "sample_ids": [sample[i] for i in at],
            }
        )
    return lines
