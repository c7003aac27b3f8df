"""Speed of `benchwright audit`, and of what reads its result.

    python benchmarks/audit.py [oops DIR PREDICTIONS] [images N]

`oops` is UAG-OOPS from its raw files with all systems of a folder: its audit, the same by building each variant and
ranking the systems on it, its findings, and its report from the finished audit and findings. `images` is coco-person
from an invented file of N images with eight boxes each, and one system that finds nine of ten boxes. Each is the best
of three runs of the verb, of `images` one, from start to end, with the time that processors worked on it; memory is the
largest that any of the processes had.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import benchwright

BOXES = 8
METRICS = ["R1(iou>=0.3)", "R1(iou>=0.5)", "mIoU", "R1(td<=1)", "R1(td<=5)", "mTD", "onset(<=0.25)", "onset(<=1)"]


def invented(folder: Path, images: int) -> Path:
    """A file of COCO's annotations, and detections beside it."""
    numbers = np.random.default_rng(0)
    corners, sizes = numbers.uniform(0, 400, (images * BOXES, 2)), numbers.uniform(5, 200, (images * BOXES, 2))
    categories = numbers.choice([1, 18], images * BOXES).tolist()
    boxes = np.round(np.hstack([corners, sizes]), 2).tolist()
    content = {
        "images": [{"id": n, "width": 640, "height": 640, "file_name": f"{n:012d}.jpg"} for n in range(images)],
        "categories": [{"id": 1, "name": "person"}, {"id": 18, "name": "dog"}],
        "annotations": [
            {"id": n, "image_id": n // BOXES, "category_id": category, "bbox": box, "iscrowd": 0}
            | {"area": box[2] * box[3], "segmentation": [[0, 0, 1, 0, 1, 1]]}
            for n, (box, category) in enumerate(zip(boxes, categories, strict=True))
        ],
    }
    (folder / "instances_val2014.json").write_text(json.dumps(content))
    moved = np.round(np.array(boxes) + numbers.normal(0, 3, (len(boxes), 4)).clip(-4, 4), 2).tolist()
    scores = numbers.uniform(0, 1, len(boxes)).round(4).tolist()
    found = [
        {"image_id": n // BOXES, "category_id": category, "bbox": box, "score": score}
        for n, (box, category, score) in enumerate(zip(moved, categories, scores, strict=True))
        if n % 10
    ]
    path = folder / "system.json"
    path.write_text(json.dumps(found))
    return path


def timed(what: str, *arguments: object, runs: int = 3, out: Path | None = None) -> None:
    """Run a verb and print what it took."""
    seconds, worked = [], []
    for _ in range(runs):
        began, before = time.perf_counter(), _worked()
        with out.open("wb") if out else open(os.devnull, "wb") as printed:  # noqa: PTH123
            call = [sys.executable, "-m", "benchwright", *map(str, arguments)]
            done = subprocess.run(call, stdout=printed, stderr=subprocess.PIPE, check=False)
        seconds.append(time.perf_counter() - began)
        worked.append(_worked() - before)
        if done.returncode:
            raise SystemExit(done.stderr.decode())
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    print(f"{what}: {min(seconds):.2f} s, of processors {min(worked):.2f} s, {memory:.2f} GB")


def _worked() -> float:
    """Seconds that processors have worked on other processes that this one started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def naive(source: Path, predictions: Path, audited: Path) -> None:
    """Each variant of an audit built by itself, and the systems ranked on it."""
    began, worked = time.perf_counter(), time.process_time()
    for each in json.loads(audited.read_text())["variants"]:
        manifest = benchwright.variants("uag-oops", source).build(each["settings"])
        benchwright.leaderboard(manifest, predictions, metrics=METRICS, **each["scoring"])
    took, worked = time.perf_counter() - began, time.process_time() - worked
    print(f"the same, one by one: {took:.2f} s, of processors {worked:.2f} s")


def oops(source: Path, predictions: Path) -> None:
    """UAG-OOPS and the verbs that follow one another."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        audited, found, page = folder / "audit.json", folder / "findings.json", folder / "page.html"
        manifest = benchwright.build("uag-oops", source, folder).path
        systems = ("--predictions", predictions)
        timed("audit", "audit", "uag-oops", "--source", source, *systems, "--out", audited, "--force")
        naive(source, predictions, audited)
        timed("findings", "findings", manifest, *systems, "--json", out=found)
        from_them = ("--audit", audited, "--findings", found)
        timed("report", "report", manifest, *systems, *from_them, "--out", page, "--force")


def main(arguments: list[str]) -> None:
    """Time what is asked for."""
    if arguments[:1] == ["oops"]:
        oops(Path(arguments[1]), Path(arguments[2]))
        arguments = arguments[3:]
    if arguments[:1] == ["images"]:
        with tempfile.TemporaryDirectory() as folder:
            system = invented(Path(folder), int(arguments[1]))
            call = ("audit", "coco-person", "--source", folder, "--predictions", system)
            timed(f"audit of {int(arguments[1]):,} images", *call, runs=1)


if __name__ == "__main__":
    main(sys.argv[1:])
