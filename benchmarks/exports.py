"""How fast instruction data become the files of trainers, in how much memory, and how fast media are looked at.

    python benchmarks/exports.py [--rows 100000] [--files 10000] [--repeats 3]

Rows are invented: a question and an answer with two numbers, a video each. Each format is written by its own process
from a manifest on the disk, which is opened and read within the time; printed are the least of the repeats, and first
what reading alone takes. Media are images of one pixel; the second look is at the cache.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
from invented import write

import benchwright
from benchwright.exporters.media_files import find_media
from benchwright.exporters.training import TRAINERS
from schemas.instruction import INSTRUCTION, INSTRUCTION_SCHEMA

TEXTS = tuple(name for name in TRAINERS if name != "webdataset")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        one(*given.one)
        return
    with tempfile.TemporaryDirectory() as work:
        manifest = Path(work) / "invented"
        invent(manifest, given.rows)
        print(f"{given.rows:,} rows: the least of {given.repeats}, with the most memory of the process")
        for to in ("read", *TEXTS):
            runs = [measured(manifest, to, Path(work) / f"{to}-{number}") for number in range(given.repeats)]
            seconds, of_cpu, memory, size = map(min, zip(*runs, strict=True))
            print(
                f"{to:<14} {seconds:5.2f} s, {of_cpu:5.2f} s of a CPU {memory:5.0f} MB {size / 1e6:7.1f} MB written",
                flush=True,
            )
        media = Path(work) / "media"
        media.mkdir()
        os.environ["XDG_CACHE_HOME"] = work
        names = [f"video {number}.png" for number in range(given.files)]
        pixel(media / names[0])
        for name in names[1:]:
            os.link(media / names[0], media / name)
        for what in ("opened", "cached"):
            started, of_cpu = time.perf_counter(), time.process_time()
            find_media(names, media)
            seconds, of_cpu = time.perf_counter() - started, time.process_time() - of_cpu
            print(f"media {what}: {given.files:,} files in {seconds:.2f} s, {of_cpu:.2f} s of a CPU")


def invent(folder: Path, size: int) -> None:
    """Write a manifest of conversations."""
    answers = [(round(place % 97 / 10, 1), round(place % 97 / 10 + 2.5, 1)) for place in range(size)]
    rows = [_row(place, start, end) for place, (start, end) in enumerate(answers)]
    write(folder, pa.Table.from_pylist(rows, INSTRUCTION_SCHEMA), INSTRUCTION, "train")


def _row(place: int, start: float, end: float) -> dict[str, object]:
    first, second = f"{start:.1f}", f"{end:.1f}"
    answer = f"The event happens from {first} to {second} seconds."
    numbers = [
        {"name": name, "value": value, "unit": "s", "begin": begin, "end": begin + len(said)}
        for name, value, said, begin in (
            ("start_s", start, first, answer.index(first)),
            ("end_s", end, second, answer.rindex(second)),
        )
    ]
    question = f"In which seconds of the video does somebody lose hold of the ladder number {place}?"
    turns = [{"role": "user", "text": question, "numbers": []}]
    turns.append({"role": "assistant", "text": answer, "numbers": numbers})
    names = {"sample_id": f"Fails {place}#localise", "source_id": f"Fails {place}", "group": "Fails"}
    texts = {"split": "train", "media": f"Fails of the Week {place}", "media_kind": "video", "task": "localise"}
    known = {"duration_s": 20.0, "span": {"start_s": start, "end_s": end}, "turns": turns, "negative": False}
    provenance = {"benchmark": "invented", "parameters": "", "digest": ""}
    return names | texts | known | {"template": "localise-1:q1:a1", "others": [], "provenance": provenance}


def pixel(file: Path) -> None:
    from PIL import Image

    Image.new("RGB", (1, 1)).save(file)


def measured(manifest: Path, to: str, out: Path) -> tuple[float, float, float, int]:
    """Seconds, those of a CPU, megabytes and bytes written, of a process of its own."""
    command = [sys.executable, __file__, "--one", manifest, to, out]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, of_cpu, memory, size = json.loads(ran.stdout)
    return seconds, of_cpu, memory, size


def one(manifest: str, to: str, out: str) -> None:
    """Print how long an export takes without the imports, the most memory with them, and how much was written."""
    opened = benchwright.open_manifest(manifest)
    started, of_cpu = time.perf_counter(), time.process_time()
    if to == "read":
        opened.table()
    else:
        benchwright.export(opened, to, out, missing="keep")
    seconds, of_cpu = time.perf_counter() - started, time.process_time() - of_cpu
    # Not ru_maxrss, which begins with that of the process that started this one.
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    memory = int(status["VmHWM"].split()[0]) / 1e3
    files = [Path(out)] if Path(out).is_file() else Path(out).glob("*")
    print(json.dumps([seconds, of_cpu, memory, sum(file.stat().st_size for file in files)]))


if __name__ == "__main__":
    main()
