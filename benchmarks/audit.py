"""Speed of `benchwright audit`: `python benchmarks/audit.py [oops DIR PREDICTIONS] [images N]`.

`oops` is UAG-OOPS from its raw files with all systems of a folder; `images` is coco-person from an invented file of N
images with eight boxes each, and one system that finds nine of ten boxes. Each is one run of the verb, from its start
to its end; memory is the largest that the process had.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

BOXES = 8


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


def timed(name: str, source: Path, predictions: Path) -> None:
    """Run the verb and print what it took."""
    call = [sys.executable, "-m", "benchwright", "audit", name]
    began = time.perf_counter()
    subprocess.run([*call, "--source", source, "--predictions", predictions], check=True, stdout=subprocess.DEVNULL)
    took, memory = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    print(f"{name}: {took:.2f} s, {memory:.2f} GB")


def main(arguments: list[str]) -> None:
    """Time what is asked for."""
    if arguments[:1] == ["oops"]:
        timed("uag-oops", Path(arguments[1]), Path(arguments[2]))
        arguments = arguments[3:]
    if arguments[:1] == ["images"]:
        with tempfile.TemporaryDirectory() as folder:
            timed("coco-person", Path(folder), invented(Path(folder), int(arguments[1])))


if __name__ == "__main__":
    main(sys.argv[1:])
