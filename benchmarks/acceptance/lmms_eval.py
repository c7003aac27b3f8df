"""Whether lmms-eval prints the numbers of `score`: its own command replays published answers on an exported task.

    python benchmarks/acceptance/lmms_eval.py --data ../shared/data [--envs DIR]

For each file of answers in systems/uag-oops: the task is loaded by --include_path, the model `from_log` gives the
answers, and every metric of its table must be, to the last bit, what `score` gives on the samples that it logs, and on
these parsed anew by `parse`. Printed are also both standard errors of the mean IoU. Exit 1 if a number differs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from environments import python_of
from stand_ins import videos

import benchwright
from benchwright.parsing import parse_file
from schemas.manifest import Manifest
from scorers.answers.files import read_answers
from scorers.temporal.matching import rows_of
from scorers.temporal.truth import read_truth

ROOT = Path(__file__).resolve().parents[2]
BENCHMARK, TASK = "uag-oops", "benchwright_uag_oops"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the raw annotations")
    parser.add_argument("--envs", type=Path, default=Path("build/acceptance"), help="folder of the environments")
    given = parser.parse_args()
    given.envs.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        manifest = benchwright.build(BENCHMARK, given.data, work)
        videos(manifest.table()["video"].unique().to_pylist(), work / "media")
        benchwright.export(manifest, "lmms-eval", work / "task", media=work / "media")
        files = sorted((given.data / "systems" / BENCHMARK).glob("*.json"))
        failed = sum(not same(manifest, file, work / file.stem, python_of("lmms-eval", given.envs)) for file in files)
    sys.exit(f"{failed} differ" if failed or not files else 0)


def same(manifest: Manifest, answers: Path, work: Path, python: Path) -> bool:
    """Whether the table of lmms-eval, the score of its log, and that of the log parsed anew are one."""
    work.mkdir()
    (work / "log.json").write_text(json.dumps(replay(manifest, answers)))
    model = ["--model", "from_log", "--model_args", f"logs={work}"]
    task = ["--include_path", str(work.parent / "task"), "--tasks", TASK]
    command = [python, "-m", "lmms_eval", *model, *task, "--log_samples", "--output_path", str(work / "out")]
    own = {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", "LMMS_EVAL_DATASETS_CACHE": str(work / "cache")}
    subprocess.run(command, check=True, cwd=work, env=os.environ | own, capture_output=True)
    table = json.loads(next((work / "out").rglob("*_results.json")).read_text())["results"][TASK]
    log = next((work / "out").rglob("*_samples_*.jsonl"))
    parse_file(log, work / "parsed.parquet", read_truth(manifest))
    scores = [benchwright.score(manifest, file) for file in (log, work / "parsed.parquet")]
    differing = [
        f"{name}: {table[f'{name},none']} in the table, {', '.join(str(score.metrics[name].value) for score in scores)}"
        for name in scores[0].metrics
        if any(score.metrics[name].value != table[f"{name},none"] for score in scores)
    ]
    interval = scores[0].metrics["mIoU"]
    ours = ((interval.high or 0) - (interval.low or 0)) / 3.92
    counts = f"{len(manifest.table()):,} rows, {table['scored,none']:,} scored, {table['failed,none']:,} failed"
    errors = f"error of mIoU {table['mIoU_stderr_clustered,none']:.5f}, by our interval {ours:.5f}"
    print(
        f"{answers.stem:<22}{counts}, {errors}  {'DIFFERS' if differing else 'same'}", *differing, sep="\n", flush=True
    )
    return not differing


def replay(manifest: Manifest, answers: Path) -> dict[str, Any]:
    """The answers as a log that the model `from_log` reads, by the place of each row; no answer is an empty one."""
    truth, read = read_truth(manifest), read_answers(answers)
    places = rows_of(truth, read.file, read.keys, read.queries, read.videos).row.tolist()
    texts = {place: reply.text or "" for place, reply in zip(places, read.replies, strict=True)}
    return {
        "args": {"model": answers.stem, "model_args": "", "limit": None},
        "model_configs": {"task": TASK},
        "logs": [{"doc_id": place, "resps": [[texts.get(place, "")]]} for place in range(len(truth))],
    }


if __name__ == "__main__":
    main()
