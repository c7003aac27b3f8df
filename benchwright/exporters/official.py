"""The authors' own file formats: from a default manifest, the bytes that they published."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchwright.exporters import jrdb_par
from schemas.errors import UsageError, unknown_name
from schemas.exchange import new_file
from schemas.instruction import INSTRUCTION
from schemas.manifest import Manifest

Row = dict[str, Any]


def write_official(manifest: Manifest, out: Path, split: str | None = None) -> dict[str, int]:
    """Write the authors' own file, or for jrdb-par its three text files; how many bytes or lines; errors as below."""
    if manifest.identity.name == jrdb_par.NAME:
        return jrdb_par.write_label_files(manifest, out, split)
    content = official(manifest, split)
    with new_file(out) as draft:
        draft.write_bytes(content)
    return {"bytes": len(content)}


def official(manifest: Manifest, split: str | None = None) -> bytes:
    """One split as the authors of the benchmark publish it, the only or the test split unless another is named.

    Sources: Hasnat79/UAL_Bench : data/*/ (four-blank indent, no final newline, keys in the authors' order).

    Raises:
        UsageError: the authors published no file for this benchmark, the split is unknown, or MMSS cannot hold a time.
    """
    name, rows = manifest.identity.name, _as_they_are
    if manifest.identity.schema == INSTRUCTION:
        name, rows = name.removesuffix("-conversations"), _single_turns
        if FORMATS.get(name) is not _instruct:
            raise UsageError(f"{manifest.path}: the authors of {name} published no conversations")
    if name not in FORMATS:
        raise unknown_name("benchmark with an official format", name, list(FORMATS))
    split = manifest.chosen_split(split)
    content = json.dumps(FORMATS[name](rows(manifest.table(split).to_pylist())), indent=4)
    # Charades-STA alone ends with a newline.
    return (content + "\n" * (name == "charades-sta")).encode()


def _as_they_are(rows: list[Row]) -> list[Row]:
    return rows


def _single_turns(rows: list[Row]) -> list[Row]:
    """The question and the answer of conversations."""
    return [
        {"video": row["media"], "question": row["turns"][0]["text"], "answer": row["turns"][1]["text"]} for row in rows
    ]


def _renamed(row: Row, names: Mapping[str, str]) -> Row:
    """The values of a row under the authors' keys."""
    return {key: row[column] for key, column in names.items()}


_SPAN = {"start_time": "start_s", "end_time": "end_s"}
OOPS = {**_SPAN, "description": "description"}
CHARADES = {"video_id": "video", **OOPS}
FUNQA = {
    "instruction": "description",
    "visual_input": "video",
    "output": "output",
    "task": "task",
    "ID": "sample_id",
    **_SPAN,
}


def _oops(rows: list[Row]) -> dict[str, Row]:
    return {row["sample_id"]: _renamed(row, OOPS) for row in rows}


def _ssbd(rows: list[Row]) -> list[list[Any]]:
    return [[row["video"], _ssbd_behaviour(row)] for row in rows]


def _ssbd_behaviour(row: Row) -> Row:
    times = ":".join(_clock(row[side], row["sample_id"]) for side in ("start_s", "end_s"))
    kept = {name: row[name] for name in ("bodypart", "category", "intensity", "modality", "description")}
    return {"id": row["behaviour_id"], "time": times} | kept


def _clock(seconds: float, sample: str) -> str:
    """Seconds as MMSS; the XML files know whole seconds below 100 minutes only."""
    if seconds != int(seconds) or not 0 <= seconds < 6000:
        raise UsageError(f"{sample}: {seconds:g} s cannot be written as MMSS")
    return f"{int(seconds) // 60:02d}{int(seconds) % 60:02d}"


def _instruct(rows: list[Row]) -> list[Row]:
    return [{"video": f"{row['video']}.mp4", "QA": [{"q": row["question"], "a": row["answer"]}]} for row in rows]


FORMATS: dict[str, Callable[[list[Row]], Any]] = {
    "charades-sta": lambda rows: [_renamed(row, CHARADES) for row in rows],
    "oops-uag-instruct": _instruct,
    "uag-funqa": lambda rows: [_renamed(row, FUNQA) for row in rows],
    "uag-oops": _oops,
    "uag-ssbd": _ssbd,
}
"""By benchmark, from the rows of a split to what the authors' JSON file holds."""
