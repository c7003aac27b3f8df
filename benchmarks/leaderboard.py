"""Speed of a leaderboard, of five invented runs on 1,600 rows: `python benchmarks/leaderboard.py [RUNS] [ROWS]`.

The whole command, from its start to the last line, is beside a plain script that reads the same files, computes the
same metrics row by row and resamples rows with NumPy, in one run, since machines and their moods differ.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from temporal import one_by_one, show, write_files

RUNS, ROWS, RESAMPLES = 5, 1_600, 2_000
COLUMNS = ["sample_id", "start_s", "end_s"]


def write_runs(folder: Path, runs: int) -> None:
    """Runs of spans that are off by some seconds, more from run to run, as objects by sample id."""
    rows = pq.ParquetFile(next((folder / "manifest" / "data").iterdir())).read(COLUMNS).to_pylist()
    numbers = np.random.default_rng(1)
    (folder / "runs").mkdir()
    for run in range(runs):
        shifts = np.abs(numbers.normal(0, 1 + run, (len(rows), 2))).round(2).tolist()
        spans = {
            row["sample_id"]: {"pred_start": row["start_s"] + before, "pred_end": row["end_s"] + after}
            for row, (before, after) in zip(rows, shifts, strict=True)
        }
        (folder / "runs" / f"run_{run}.json").write_text(json.dumps(spans))


def plain(folder: Path) -> dict[str, dict[str, list[float]]]:
    """What a script would do: values of all metrics and their intervals, run by run."""
    rows = pq.ParquetFile(next((folder / "manifest" / "data").iterdir())).read(COLUMNS).to_pylist()
    truth = [(row["start_s"], row["end_s"]) for row in rows]
    drawn = np.random.default_rng(0).integers(len(rows), size=(RESAMPLES, len(rows)))
    found = {}
    for path in sorted((folder / "runs").iterdir()):
        spans = json.loads(path.read_text())
        run = [(spans[row["sample_id"]]["pred_start"], spans[row["sample_id"]]["pred_end"]) for row in rows]
        by_row = [one_by_one([true], [predicted]) for true, predicted in zip(truth, run, strict=True)]
        metrics = {name: np.array([values[name] for values in by_row]) for name in by_row[0]}
        resampled = {name: [values[places].mean() for places in drawn] for name, values in metrics.items()}
        found[path.stem] = {
            name: [float(values.mean()), *np.quantile(resampled[name], [0.025, 0.975]).tolist()]
            for name, values in metrics.items()
        }
    return found


def command(*arguments: object) -> tuple[float, str]:
    """Seconds of the fastest of three calls of the command line, and what the last one printed."""
    seconds, environment = [], {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(3):
        begun = time.perf_counter()
        line = [sys.executable, "-m", "benchwright", *map(str, arguments)]
        said = subprocess.run(line, check=True, capture_output=True, text=True, env=environment).stdout
        seconds.append(time.perf_counter() - begun)
    return min(seconds), said


def compare(folder: Path, runs: int) -> None:
    """Measure both and print a line for each."""
    write_runs(folder, runs)
    one, _ = command("score", folder / "manifest", folder / "runs" / "run_0.json")
    all_of_them, said = command("score", folder / "manifest", folder / "runs", "--json")
    begun = time.perf_counter()
    expected = plain(folder)
    slow = time.perf_counter() - begun
    for row in json.loads(said)["rows"]:
        if row["kind"] == "run":
            values = {name: value["value"] for name, value in row["metrics"].items()}
            ours, theirs = zip(
                *((values[name], value[0]) for name, value in expected[row["name"]].items()), strict=True
            )
            np.testing.assert_allclose(ours, theirs, rtol=1e-9)
    show("the command for one run, with intervals and baselines", one, "s", "target 0.7")
    show(f"the command for {runs} runs, with groups and ranks", all_of_them, "s", "target 1.8")
    show("values and intervals of these runs alone by a plain script, without its imports", slow, "s", "")


if __name__ == "__main__":
    many, size = (
        int(sys.argv[place]) if len(sys.argv) > place else default for place, default in ((1, RUNS), (2, ROWS))
    )
    with tempfile.TemporaryDirectory() as place:
        write_files(Path(place), size)
        compare(Path(place), many)
