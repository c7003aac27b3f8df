"""Speed of `benchwright diff` on two invented manifests: `python benchmarks/diff.py [ROWS]`.

Of spans every second start is moved and every thousandth row dropped; the images hold ten boxes each, of which every
hundredth is moved. Times are the best of three, of the verb from its start to its end, and of the function in a warm
process.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
from invented import write

import benchwright
from schemas.detection import detection_schema
from schemas.temporal import temporal_schema

ROWS, BOXES = 100_000, 10


def spans(rows: int) -> tuple[pa.Table, pa.Table]:
    """Queries, and the same with other starts and without some."""
    numbers = np.random.default_rng(0)
    duration = numbers.uniform(3, 150, rows).round(3)
    start, end = (np.sort(numbers.uniform(0, 1, (2, rows)), axis=0) * duration).round(3)
    names = [f"video of a clip {row // 3:07d}, query {row:07d}" for row in range(rows)]
    columns = {
        "sample_id": names,
        "split": ["test"] * rows,
        "video": [f"video of a clip {row // 3:07d}" for row in range(rows)],
        "description": [f"a person wants to do thing {row} and falls over a chair" for row in range(rows)],
        "start_s": start,
        "end_s": end,
        "duration_s": duration,
    }
    moved = {**columns, "start_s": np.where(np.arange(rows) % 2, start / 2, start)}
    schema = temporal_schema("invented", 1)
    return pa.table(columns, schema), pa.table(moved, schema).filter(pa.array(np.arange(rows) % 1000 != 0))


def boxes(rows: int) -> tuple[pa.Table, pa.Table]:
    """Images, and the same with some boxes moved."""
    numbers = np.random.default_rng(1)
    images = rows // BOXES
    schema = detection_schema("invented", 1)
    sides = {name: numbers.uniform(1, 300, rows).round(2) for name in ("x", "y", "width", "height")}

    def table(x: np.ndarray) -> pa.Table:
        records = {
            **sides,
            "x": x,
            "category": pa.array(["person"] * rows),
            "area": sides["width"] * sides["height"],
            "area_source": pa.array(["box"] * rows),
            **dict.fromkeys(("crowd", "ignored"), np.zeros(rows, bool)),
            "difficult": pa.nulls(rows, pa.bool_()),
            "category_id": np.ones(rows, np.int64),
            "annotation_id": np.arange(rows),
        }
        record = schema.field("objects").type.value_type
        values = pa.StructArray.from_arrays([pa.array(records[f.name]) for f in record], fields=list(record))
        offsets = pa.array(np.arange(images + 1, dtype=np.int32) * BOXES)
        columns = {
            "sample_id": [str(image) for image in range(images)],
            "split": ["test"] * images,
            "image_id": np.arange(images),
            "file_name": [f"{image:012d}.jpg" for image in range(images)],
            "width": np.full(images, 640),
            "height": np.full(images, 480),
            "objects": pa.ListArray.from_arrays(offsets, values, type=schema.field("objects").type),
        }
        return pa.table(columns, schema)

    return table(sides["x"]), table(np.where(np.arange(rows) % 100, sides["x"], sides["x"] + 1))


def best(work: Callable[[], object]) -> float:
    """Seconds of the quickest of three runs."""
    seconds = []
    for _ in range(3):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def main() -> None:
    """Print a line for each kind of manifest."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with tempfile.TemporaryDirectory() as place:
        for kind, pair in (("spans", spans(rows)), ("boxes", boxes(rows))):
            a, b = (Path(place) / kind / side for side in "ab")
            for folder, table in zip((a, b), pair, strict=True):
                write(folder, table)
            verb = best(lambda a=a, b=b: subprocess.run([sys.executable, "-m", "benchwright", "diff", a, b], stdout=-3))
            warm = best(lambda a=a, b=b: benchwright.diff(a, b))
            changed = benchwright.diff(a, b).summary.levels[-1].changed
            print(f"{rows:,} {kind}, {changed:,} changed: verb {verb:.2f} s, function {warm:.2f} s")


if __name__ == "__main__":
    main()
