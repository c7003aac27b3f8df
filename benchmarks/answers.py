"""Speed of reading free answers, on 100,000 invented ones: `python benchmarks/answers.py [ANSWERS]`.

Short answers state a span in one of many forms; long ones do so behind a few sentences of description, as models
write them. All differ, since equal ones are read once. Times are the best of three in a warm process; processor time
says more than that of the clock where the machine has other work.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from temporal import write_files

from benchwright.parsing import parse_file
from schemas.manifest import open_manifest
from scorers.answers import parse_answers
from scorers.temporal.truth import read_truth

ANSWERS = 100_000
FORMS = (
    "From {} to {} seconds.",
    "The event happens from {} s to {} s.",
    "{} - {}",
    "It starts at {} seconds and ends at {} seconds.",
    '{{"start_time": {}, "end_time": {}}}',
    "Start time: {}s\nEnd time: {}s",
    "I look at the part 0-20s first. Final answer: {}s - {}s",
    "[{}, {}]",
    "between {} and {} seconds",
    "I cannot tell when it begins.",
)
STORY = (
    "The video shows a person in room {n} who picks up a cup at {a:.1f} seconds and puts it on a table. ",
    "At first, 2 people are near the door; the query describes what happens after that. ",
    "Around {b:.1f} seconds the person laughs and leaves, which matches the description. ",
    "Based on these observations, the moment asked for can be localised as follows:\n\n",
)


def texts(count: int, story: bool) -> list[str]:
    """Answers in all forms in turn, with or without sentences before."""
    numbers = np.random.default_rng(0)
    spans = np.sort(numbers.uniform(0, 90, (count, 2)), axis=1).round(2).tolist()
    before = "".join(STORY) if story else ""
    return [
        before.format(n=n, a=start, b=end) + FORMS[n % len(FORMS)].format(start, end)
        for n, (start, end) in enumerate(spans)
    ]


def best(function: Callable[[], object]) -> str:
    """Seconds of the fastest of three calls, by the clock and of the processor."""
    seconds = []
    for _ in range(3):
        begun, used = time.perf_counter(), time.process_time()
        function()
        seconds.append((time.perf_counter() - begun, time.process_time() - used))
    clock, processor = map(min, zip(*seconds, strict=True))
    return f"{clock:6.2f} s ({processor:.2f} s of the processor)"


def main(folder: Path, count: int) -> None:
    """Print seconds for short and long answers, in memory and from a file of JSON Lines to predictions."""
    write_files(folder, count)
    truth = read_truth(open_manifest(folder / "manifest"))
    path, out = folder / "answers.jsonl", folder / "out.parquet"
    for kind in ("short", "long"):
        answers = texts(count, story=kind == "long")
        read, run = partial(parse_answers, answers), partial(parse_file, path, out, truth)
        characters = sum(map(len, answers)) / count
        print(f"{count:,} {kind} answers of {characters:.0f} characters")
        print(f"  parse_answers            {best(read)}")
        records = zip(truth.names.to_pylist(), answers, strict=True)
        path.write_text("\n".join(json.dumps({"sample_id": name, "answer": text}) for name, text in records))
        print(f"  file to predictions      {best(run)}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        main(Path(place), int(sys.argv[1]) if len(sys.argv) > 1 else ANSWERS)
