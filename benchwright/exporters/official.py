"""The authors' own file shapes: from a default manifest, the bytes that they published."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from schemas.errors import UsageError, unknown_name
from schemas.manifest import Manifest

Row = dict[str, Any]


def official(manifest: Manifest, split: str | None = None) -> bytes:
    """One split as the authors of the benchmark publish it, the only or the test split unless another is named.

    Sources: Hasnat79/UAL_Bench : data/*/ (four-blank indent, no final newline, keys in the authors' order).

    Raises:
        UsageError: the authors published no file for this benchmark, or there is no such split.
    """
    name = manifest.identity.name
    if name not in SHAPES:
        raise unknown_name("benchmark with an official shape", name, list(SHAPES))
    if split is None:
        split = manifest.splits[0] if len(manifest.splits) == 1 else "test"
    columns, shape = SHAPES[name]
    rows = manifest.table(split).select(columns).to_pylist()
    try:
        # Charades-STA alone ends with a newline.
        return (json.dumps(shape(rows), indent=4) + "\n" * (name == "charades-sta")).encode()
    except _NoClockTimeError as failure:
        raise UsageError(str(failure)) from None


class _NoClockTimeError(Exception):
    """A span that MMSS:MMSS cannot hold."""


def _oops(rows: list[Row]) -> dict[str, Row]:
    return {
        row["sample_id"]: {"start_time": row["start_s"], "end_time": row["end_s"], "description": row["description"]}
        for row in rows
    }


def _ssbd(rows: list[Row]) -> list[list[Any]]:
    return [[row["video"], _ssbd_behaviour(row)] for row in rows]


def _ssbd_behaviour(row: Row) -> Row:
    times = ":".join(_clock(row[side], row["sample_id"]) for side in ("start_s", "end_s"))
    kept = {name: row[name] for name in ("bodypart", "category", "intensity", "modality", "description")}
    return {"id": row["behaviour_id"], "time": times} | kept


def _clock(seconds: float, sample: str) -> str:
    """Seconds as MMSS; the XML files know whole seconds below 100 minutes only."""
    if seconds != int(seconds) or not 0 <= seconds < 6000:
        raise _NoClockTimeError(f"{sample}: {seconds:g} s cannot be written as MMSS")
    return f"{int(seconds) // 60:02d}{int(seconds) % 60:02d}"


def _funqa(rows: list[Row]) -> list[Row]:
    return [
        {
            "instruction": row["description"],
            "visual_input": row["video"],
            "output": row["output"],
            "task": row["task"],
            "ID": row["sample_id"],
            "start_time": row["start_s"],
            "end_time": row["end_s"],
        }
        for row in rows
    ]


def _instruct(rows: list[Row]) -> list[Row]:
    return [{"video": f"{row['video']}.mp4", "QA": [{"q": row["question"], "a": row["answer"]}]} for row in rows]


def _charades(rows: list[Row]) -> list[Row]:
    return [
        {
            "video_id": row["video"],
            "start_time": row["start_s"],
            "end_time": row["end_s"],
            "description": row["description"],
        }
        for row in rows
    ]


_SPAN = ["sample_id", "video", "description", "start_s", "end_s"]
# The columns read, and the shape made of their rows.
SHAPES: dict[str, tuple[list[str], Callable[[list[Row]], Any]]] = {
    "charades-sta": (_SPAN, _charades),
    "oops-uag-instruct": ([*_SPAN, "question", "answer"], _instruct),
    "uag-funqa": ([*_SPAN, "output", "task"], _funqa),
    "uag-oops": (_SPAN, _oops),
    "uag-ssbd": ([*_SPAN, "behaviour_id", "bodypart", "category", "intensity", "modality"], _ssbd),
}
