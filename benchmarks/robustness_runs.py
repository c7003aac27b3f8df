"""Runs of the command as processes of their own, measured and ended, and what they are given; for robustness.py."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import NamedTuple

from benchwright.__main__ import run
from schemas.manifest import open_manifest

SAMPLES = Path(__file__).resolve().parents[1] / "tests" / "samples"
BENCHMARKS = ("uag-oops", "charades-sta", "densepose-person", "jrdb-par")
SECONDS = 20.0


class Ended(NamedTuple):
    """How a run ended: exit code (negative for a signal), seconds, most memory in bytes, what it printed."""

    code: int
    seconds: float
    memory: int
    said: str


def started(arguments: list[str], output: Path) -> int:
    """Run the command in a process of its own; its id."""
    child = os.fork()
    if child:
        return child
    stream = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for number in (1, 2):
        os.dup2(stream, number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdout, sys.stderr = (io.TextIOWrapper(io.FileIO(number, "w"), write_through=True) for number in (1, 2))
    sys.argv = ["benchwright", *arguments]
    run()
    os._exit(99)


def finished(child: int, output: Path, seconds: float, ending: int, writing: Path | None) -> Ended:
    """Wait for a run, which a signal ends after so many seconds (of those, with `writing`, while a draft is in it)."""
    begun = since = time.monotonic()
    while (ended := os.wait4(child, os.WNOHANG))[0] == 0:
        if writing is not None and not any(".draft-" in path.name for path in writing.iterdir()):
            since = time.monotonic()
        elif time.monotonic() - since > seconds:
            os.kill(child, ending)
            ended = os.wait4(child, 0)
            break
        time.sleep(0.002 if writing is None else 0.0001)
    _, status, usage = ended
    said = output.read_text(errors="replace")
    return Ended(os.waitstatus_to_exitcode(status), time.monotonic() - begun, usage.ru_maxrss * 1024, said)


def call(
    arguments: list[object],
    place: Path,
    seconds: float = SECONDS,
    ending: int = signal.SIGKILL,
    writing: Path | None = None,
) -> Ended:
    output = place / "printed"
    return finished(started(list(map(str, arguments)), output), output, seconds, ending, writing)


def prepared(place: Path) -> dict[str, Path]:
    """Manifests of the samples, and predictions and answers beside them."""
    for name in BENCHMARKS:
        ended = call(["build", name, "--source", SAMPLES, "--out", place / "m"], place, 300)
        assert ended.code == 0, ended.said
    inputs = {name: place / "m" / name for name in BENCHMARKS}
    rows = open_manifest(inputs["uag-oops"]).table("test").select(["sample_id", "start_s", "end_s"])
    spans = place / "spans.json"
    spans.write_text(json.dumps(rows.to_pylist()))
    answers = place / "llama3.json"
    answers.write_text(
        json.dumps([{"sample_id": n, "llama3_pred": "1 s to 2 s"} for n in rows["sample_id"].to_pylist()])
    )
    boxes = [
        {"image_id": row["sample_id"], "bbox": [box[side] for side in ("x", "y", "width", "height")], "score": 0.5}
        | {"category_id": "person"}
        for row in open_manifest(inputs["densepose-person"]).table("train").to_pylist()
        for box in row["objects"]
    ]
    (place / "boxes.json").write_text(json.dumps(boxes))
    for suffix in (".csv", ".parquet"):
        assert call(["convert", spans, "--to", "table", "--out", place / f"spans{suffix}"], place).code < 3
    found = {path.name: path for path in place.iterdir() if path.suffix in (".json", ".csv", ".parquet")}
    return inputs | found
