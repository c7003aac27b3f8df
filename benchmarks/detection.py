"""How long average precision takes, from files on disk to the result, beside the evaluators that people use.

    python benchmarks/detection.py                       5,000 images
    python benchmarks/detection.py --scale 10            50,000 images
    python benchmarks/detection.py --scene crowded       200 images of 60 overlapping boxes and 130 detections
    python benchmarks/detection.py --cpus 1              on one CPU

Every run is a fresh process, imports are not timed, and the tools take turns. Ours reads Parquet, or Parquet truth and
detections as COCO JSON; the others read COCO JSON, or take the detections as a NumPy array (hotcoco the truth as well).
All must find the same result. Peers:

    pip install pycocotools faster-coco-eval hotcoco ultrafast-pycocotools
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
WORK = ("AP50", "grid")


class Tool(NamedTuple):
    """A tool: what it does, the modules that it needs, and whether it is a compiled peer.

    `run` takes the folder of files and the work, and gives the time at which all was read, and the mean precision.
    """

    run: Callable[[Path, str], tuple[float, float]]
    modules: tuple[str, ...]
    compiled_peer: bool = False


def ours(folder: Path, work: str) -> tuple[float, float]:
    """Parquet alone."""
    return _score(folder, _parquet(folder / "detections.parquet", "category"), work)


def ours_from_json(folder: Path, work: str) -> tuple[float, float]:
    """Parquet truth, detections by typed decoding of COCO's results format."""
    msgspec, arrow, scenes = import_module("msgspec"), import_module("pyarrow"), import_module("detection_scenes")
    fields = {"image_id": int, "category_id": int, "bbox": tuple[float, float, float, float], "score": float}
    kind: Any = msgspec.defstruct("Row", fields.items(), gc=False)
    gc.disable()
    rows = msgspec.json.decode((folder / "detections.json").read_bytes(), type=list[kind])

    def values(name: str, dtype: type = np.float64) -> Any:
        return np.fromiter(map(attrgetter(name), rows), dtype, len(rows))

    def column(array: Any) -> Any:
        # From buffers: Arrow's conversions of arrays and lists import pandas.
        kind = arrow.from_numpy_dtype(array.dtype)
        return arrow.Array.from_buffers(kind, len(array), [None, arrow.py_buffer(np.ascontiguousarray(array))])

    boxes = np.fromiter(chain.from_iterable(map(attrgetter("bbox"), rows)), np.float64, 4 * len(rows)).reshape(-1, 4)
    ends = np.cumsum([0, *map(len, scenes.CATEGORIES)]).astype(np.int32)
    text = arrow.py_buffer("".join(scenes.CATEGORIES).encode())
    labels = arrow.StringArray.from_buffers(len(scenes.CATEGORIES), arrow.py_buffer(ends), text)
    names = arrow.DictionaryArray.from_arrays(column(values("category_id", np.int64) - 1), labels)
    table = {"image_id": column(values("image_id", np.int64)), "category": names, "score": column(values("score"))}
    table |= {side: column(box) for side, box in zip(scenes.SIDES, boxes.T, strict=True)}
    return _score(folder, arrow.table(table), work)


def _score(folder: Path, table: Any, work: str) -> tuple[float, float]:
    boxes, coco, grid = (import_module(f"scorers.detection.{name}") for name in ("boxes", "coco", "grid"))
    categories = import_module("detection_scenes").CATEGORIES
    fields = ("category", "x", "y", "width", "height", "area", "crowd", "ignored")
    columns = [f"objects.list.element.{field}" for field in fields]
    manifest = _parquet(folder / "manifest.parquet", columns[0], ["image_id", *columns])
    truth = boxes.truth_from(manifest, categories)
    detections = boxes.detections_from(table, manifest, categories, "detections")
    loaded = time.perf_counter()
    evaluation = coco.match(truth, detections, coco.AP50_ONLY if work == "AP50" else coco.Settings())
    return loaded, float(np.nanmean(grid.grid(evaluation).precision[0, -1]))


def _parquet(file: Path, category: str, columns: list[str] | None = None) -> Any:
    """Names of categories come as the dictionaries that Parquet has; `pre_buffer` would load the dataset layer."""
    parquet = import_module("pyarrow.parquet").ParquetFile(file, pre_buffer=False, read_dictionary=[category])
    return parquet.read(columns)


def peer(*modules: str, name: str = "COCOeval", truth_array: bool = False, array: bool = False) -> Tool:
    """A tool with the interface of pycocotools, whose evaluator is in the last module."""

    def run(folder: Path, work: str) -> tuple[float, float]:
        coco, evaluator = import_module(modules[0]).COCO, getattr(import_module(modules[-1]), name)
        truth = _from_array(coco, folder) if truth_array else coco(str(folder / "truth.json"))
        found = np.load(folder / "detections.npy") if array else str(folder / "detections.json")
        judge = evaluator(truth, truth.loadRes(found), "bbox")
        loaded = time.perf_counter()
        if work == "AP50":
            judge.params.iouThrs, judge.params.maxDets = np.array([0.5]), [100]
            judge.params.areaRng, judge.params.areaRngLbl = [[0, 1e10]], ["all"]
        judge.evaluate()
        judge.accumulate()
        precision = np.asarray(judge.eval["precision"])[:, :, :, 0, -1]
        return loaded, float(precision[precision > -1].mean())

    return Tool(run, modules, compiled_peer=modules[0] != "pycocotools.coco")


def _from_array(coco: Any, folder: Path) -> Any:
    rows, images = np.load(folder / "truth.npy"), np.load(folder / "images.npy")
    return coco.from_arrays(
        images=[{"id": image, "width": 640, "height": 480} for image in images.tolist()],
        categories=[{"id": number, "name": str(number)} for number in range(1, 10)],
        image_ids=rows[:, 0].astype(np.int64),
        category_ids=rows[:, 7].astype(np.int64),
        boxes=rows[:, 1:5],
        area=rows[:, 5],
        iscrowd=rows[:, 6].astype(np.int64),
    )


_OURS = ("pyarrow.parquet", "detection_scenes", "scorers.detection.grid")
TOOLS = {
    "ours": Tool(ours, _OURS),
    "ours, from json": Tool(ours_from_json, (*_OURS, "msgspec")),
    "ultrafast": peer("ultrafast_pycocotools"),
    "ultrafast, array": peer("ultrafast_pycocotools", array=True),
    "hotcoco": peer("hotcoco"),
    "hotcoco, arrays": peer("hotcoco", truth_array=True, array=True),
    "faster-coco-eval": peer("faster_coco_eval", name="COCOeval_faster"),
    "pycocotools": peer("pycocotools.coco", "pycocotools.cocoeval"),
}


def run_here(name: str, work: str, folder: Path) -> None:
    """One run, in a process of its own; prints what was measured as JSON."""
    for module in TOOLS[name].modules:
        import_module(module)
    with contextlib.redirect_stdout(io.StringIO()):
        start = time.perf_counter()
        loaded, value = TOOLS[name].run(folder, work)
        end = time.perf_counter()
    status = Path("/proc/self/status").read_text()
    peak = int(status.split("VmHWM:")[1].split()[0]) / 1024  # ru_maxrss would be the parent's where that is larger
    print(json.dumps({"total": end - start, "load": loaded - start, "value": value, "peak": peak}))


def measured(names: list[str], work: str, folder: Path, repeats: int) -> dict[str, dict[str, float]]:
    """Medians of all runs by tool, in seconds and megabytes, and the best total. Tools take turns, as noise does."""
    runs: dict[str, list[dict[str, float]]] = defaultdict(list)
    for _ in range(repeats):
        for name in names:
            command = [sys.executable, __file__, "--run", name, "--work", work, "--folder", str(folder)]
            runs[name].append(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))
    summary = {
        name: {field: statistics.median(run[field] for run in of) for field in of[0]}
        | {"best": min(run["total"] for run in of)}
        for name, of in runs.items()
    }
    values = [tool["value"] for tool in summary.values()]
    if max(values) - min(values) > 1e-9:
        sys.exit(f"the tools disagree: {summary}")
    return summary


def report(summary: dict[str, dict[str, float]], work: str) -> None:
    """A line for each tool: its times, and how they compare with the fastest compiled peer, median with median."""
    peers = [tool for name, tool in summary.items() if TOOLS[name].compiled_peer]
    median, best = (min((tool[field] for tool in peers), default=float("nan")) for field in ("total", "best"))
    print(f"\n{work} ({next(iter(summary.values()))['value']:.6f})")
    print(f"{'':20}median ms = load + rest   best ms   peak MB   to fastest peer: medians, bests")
    for name, tool in summary.items():
        total, load, least = (1e3 * tool[field] for field in ("total", "load", "best"))
        times = f"{total:9,.0f} = {load:5,.0f} + {total - load:5,.0f}{least:10,.0f}"
        print(f"  {name:17}{times}{tool['peak']:10,.0f}{tool['total'] / median:18.2f}{tool['best'] / best:8.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scene", default="everyday", help="everyday or crowded")
    parser.add_argument("--scale", type=int, default=1, help="this many times the images")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--cpus", type=int, help="how many CPUs the tools may use")
    parser.add_argument("--tools", nargs="*", help="some of the tools", choices=list(TOOLS))
    parser.add_argument("--work", choices=WORK)
    parser.add_argument("--run", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    sys.path[:0] = [str(HERE.parent), str(HERE)]
    if arguments.run:
        run_here(arguments.run, arguments.work, arguments.folder)
        return
    if arguments.cpus:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: arguments.cpus])
    names = arguments.tools or [name for name in TOOLS if name != "pycocotools" or arguments.scale == 1]
    for name in [name for name in names if find_spec(TOOLS[name].modules[0].split(".")[0]) is None]:
        print(f"{name} is not installed and is left out")
        names.remove(name)
    with tempfile.TemporaryDirectory() as folder:
        scenes = import_module("detection_scenes")
        truth, detections = scenes.SCENES[arguments.scene](arguments.scale)
        scenes.write(truth, detections, Path(folder))
        print(f"{len(truth['x']):,} boxes, {len(detections['x']):,} detections, {len(os.sched_getaffinity(0))} CPUs")
        for work in [arguments.work] if arguments.work else WORK:
            report(measured(names, work, Path(folder), arguments.repeats), work)


if __name__ == "__main__":
    main()
