"""Speed of scoring predictions of spans, on a million invented rows: `python benchmarks/temporal.py [ROWS]`.

Everything is made, measured and compared in one run, since machines and their moods differ. Times are the best of
three in a warm process, but where a line says otherwise; memory is the peak of a process of its own.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from invented import write

from schemas.manifest import open_manifest
from schemas.temporal import temporal_schema
from scorers.resampling import replicated
from scorers.temporal.expressions import DEFAULT_METRICS
from scorers.temporal.formats import read_predictions
from scorers.temporal.metrics import evaluate
from scorers.temporal.scorer import SCORER
from scorers.temporal.spans import TrueSpans
from scorers.temporal.truth import read_truth
from scorers.uncertainty import intervals

ROWS = 1_000_000
ROWS_OF_ONE_BY_ONE = 100_000
ROWS_OF_BOOTSTRAP, RESAMPLES = 100_000, 10_000
IN_ORDER, SHUFFLED = "in_order.parquet", "shuffled.parquet"


def write_files(folder: Path, rows: int) -> None:
    """A manifest of about three queries per video, and predictions for it in manifest order and shuffled."""
    numbers = np.random.default_rng(0)
    duration = numbers.uniform(3, 150, rows).round(3)
    start, end = (np.sort(numbers.uniform(0, 1, (2, rows)), axis=0) * duration).round(3)
    names = pa.array([f"video of a clip {row // 3:07d}, query {row:07d}" for row in range(rows)])
    columns = {
        "sample_id": names,
        "split": pa.array(["test"] * rows),
        "video": pa.array([f"video of a clip {row // 3:07d}" for row in range(rows)]),
        "description": pa.array([f"a person wants to do thing {row} and falls over a chair" for row in range(rows)]),
        "start_s": start,
        "end_s": end,
        "duration_s": duration,
    }
    table = pa.table(columns, schema=temporal_schema("invented", 1))
    write(folder / "manifest", table)
    predicted = np.sort(numbers.uniform(0, 1, (2, rows)), axis=0) * duration
    predictions = pa.table({"sample_id": names, "start_s": predicted[0], "end_s": predicted[1]})
    pq.write_table(predictions, folder / IN_ORDER)
    pq.write_table(predictions.take(pa.array(numbers.permutation(rows))), folder / SHUFFLED)


def files_to_metrics(folder: Path, predictions: str) -> dict[str, float]:
    """All default metrics, from the manifest and a prediction file."""
    truth = read_truth(open_manifest(folder / "manifest"))
    run = SCORER.read(folder / predictions, truth, DEFAULT_METRICS, {}).predictions
    evaluation = evaluate(truth.spans, run.start, run.end)
    return {str(metric): ratio.value for metric, ratio in evaluation.ratios.items()}


def one_by_one(truth: list[tuple[float, float]], predictions: list[tuple[float, float]]) -> dict[str, float]:
    """The same metrics as anyone would write them down: row by row, in plain Python."""
    ious, distances, onsets = [], [], []
    for (start, end), (from_, to) in zip(truth, predictions, strict=True):
        intersection = max(0.0, min(end, to) - max(start, from_))
        ious.append(intersection / ((end - start) + (to - from_) - intersection))
        distances.append(abs(start - from_) + abs(end - to))
        onsets.append(abs(start - from_))
    share = 100 / len(truth)
    values = [share * sum(iou >= threshold for iou in ious) for threshold in (0.3, 0.5, 0.7)]
    values.append(sum(ious) / len(ious))
    values += [share * sum(distance <= threshold for distance in distances) for threshold in (0, 1, 3, 5)]
    values.append(sum(distances) / len(distances))
    values += [share * sum(onset <= threshold for onset in onsets) for threshold in (1, 0.25)]
    return dict(zip(map(str, DEFAULT_METRICS), values, strict=True))


def best_of_three(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the fastest of three calls, and what the last one gave."""
    seconds = []
    for _ in range(3):
        begun = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - begun)
    return min(seconds), result


def in_own_process(folder: Path, predictions: str) -> tuple[float, float]:
    """Seconds of `files_to_metrics` in a fresh process with its modules imported, and its peak memory in MB."""
    command = [sys.executable, __file__, "--once", str(folder), predictions]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(said[0]), float(said[1])


def once(folder: Path, predictions: str) -> None:
    begun = time.perf_counter()
    files_to_metrics(folder, predictions)
    seconds = time.perf_counter() - begun
    # Linux counts in kilobytes, macOS in bytes.
    unit = 1e6 if sys.platform == "darwin" else 1e3
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit)


def show(what: str, value: float, unit: str, target: str) -> None:
    print(f"{what:<74} {value:>8.2f} {unit:<2} {f'({target})' if target else ''}")


def compare(folder: Path, rows: int) -> None:
    """Measure everything and print a line for each."""
    print(f"{rows:,} rows: manifest and predictions in Parquet")
    values = {}
    for predictions, target in ((IN_ORDER, "target 0.5"), (SHUFFLED, "target 1.5")):
        name = predictions.removesuffix(".parquet").replace("_", " ")
        seconds, values[predictions] = best_of_three(partial(files_to_metrics, folder, predictions))
        fresh, peak = in_own_process(folder, predictions)
        show(f"two files to all {len(DEFAULT_METRICS)} metrics, predictions {name}", seconds, "s", target)
        show("  the first time in a fresh process", fresh, "s", "")
        show("  peak memory of that process", peak, "MB", "target 700")
    assert values[IN_ORDER] == values[SHUFFLED]

    seconds, _ = best_of_three(lambda: read_predictions(folder / IN_ORDER))
    show("predictions alone, from Parquet", seconds, "s", "target 1")

    whole = read_truth(open_manifest(folder / "manifest"))
    run = SCORER.read(folder / IN_ORDER, whole, DEFAULT_METRICS, {}).predictions
    seconds, _ = best_of_three(lambda: evaluate(whole.spans, run.start, run.end))
    show("metrics alone, arrays in, numbers out", seconds, "s", "")

    few = slice(0, min(rows, ROWS_OF_ONE_BY_ONE))
    truth = TrueSpans(whole.spans.start[few], whole.spans.end[few])
    pairs = [
        list(zip(start.tolist(), end.tolist(), strict=True))
        for start, end in ((truth.start, truth.end), (run.start[few], run.end[few]))
    ]
    slow, expected = best_of_three(lambda: one_by_one(*pairs))
    slow *= rows / len(pairs[0])
    show(f"the same row by row in plain Python, from {len(pairs[0]):,} rows", slow, "s", "")
    show("  times faster", slow / seconds, "x", "target 20")
    found = evaluate(truth, run.start[few], run.end[few]).ratios
    np.testing.assert_allclose([ratio.value for ratio in found.values()], list(expected.values()), rtol=1e-12)

    few = slice(0, min(rows, ROWS_OF_BOOTSTRAP))
    statistics = list(
        evaluate(TrueSpans(whole.spans.start[few], whole.spans.end[few]), run.start[few], run.end[few]).ratios.values()
    )
    print(f"bootstrap, {RESAMPLES:,} resamples of {len(range(rows)[few]):,} rows, intervals of all metrics")
    for what, clusters in (
        (f"{whole.clusters[few].max() + 1:,} videos", whole.clusters[few]),
        ("every row a cluster", np.arange(len(whole.clusters[few]))),
    ):
        begun = time.perf_counter()
        intervals(*replicated([statistics], clusters, resamples=RESAMPLES))
        show(what, time.perf_counter() - begun, "s", "within seconds")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--once"]:
        once(Path(sys.argv[2]), sys.argv[3])
    else:
        size = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
        with tempfile.TemporaryDirectory() as place:
            write_files(Path(place), size)
            compare(Path(place), size)
