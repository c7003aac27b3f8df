"""How fast raw annotations become tables: COCO instances, DensePose part boxes, VOC folders.

    python benchmarks/conversion.py [--images 14000] [--persons 4000] [--files 12000] [--repeats 5]

Everything is invented from one seed. Each of our steps is timed beside the least that the job takes by other means in
the same run, the runs taking turns; medians, and their ratio.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from itertools import chain
from operator import attrgetter
from pathlib import Path
from statistics import median
from xml.etree import ElementTree

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from pycocotools import mask

from builders.detection.part_boxes import part_boxes
from builders.raw.coco import read_instances
from builders.raw.densepose import PartMasks
from builders.raw.run_lengths import decode_masks
from builders.raw.voc import read_devkit

SEED = 2247


class _Image(msgspec.Struct, gc=False):
    id: int
    file_name: str
    width: int
    height: int


class _Annotation(msgspec.Struct, gc=False):
    id: int
    image_id: int
    category_id: int
    bbox: tuple[float, float, float, float]
    area: float
    iscrowd: int


class _Category(msgspec.Struct, gc=False):
    id: int
    name: str


class _Instances(msgspec.Struct):
    images: list[_Image]
    annotations: list[_Annotation]
    categories: list[_Category]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for option, default in (("images", 14_000), ("persons", 4_000), ("files", 12_000), ("repeats", 5)):
        parser.add_argument(f"--{option}", type=int, default=default)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        coco_to_parquet(Path(folder), options.images, options.repeats)
        voc_to_tables(Path(folder), options.files, options.repeats)
    boxes_from_masks(options.persons, options.repeats)


def coco_to_parquet(folder: Path, n_images: int, repeats: int) -> None:
    """Instances JSON to Parquet, against typed decoding and the writing of the same columns without any check."""
    path, result = folder / "instances.json", folder / "objects.parquet"
    path.write_text(json.dumps(invented_instances(n_images)))

    def ours() -> None:
        tables = read_instances(path)
        for table in (tables.objects, tables.images):
            pq.write_table(pa.Table.from_pandas(table, preserve_index=False), result, compression="zstd")

    def least() -> None:
        document = msgspec.json.decode(path.read_bytes(), type=_Instances)
        for table in (object_columns(document.annotations), image_columns(document.images)):
            pq.write_table(pa.table(table), result, compression="zstd")

    seconds, other = taking_turns(ours, least, repeats)
    megabytes = path.stat().st_size / 1e6
    print(f"COCO JSON to Parquet, {megabytes:,.0f} MB: {seconds:.2f} s, {megabytes / seconds:,.0f} MB/s", end="; ")
    print(f"typed decoding and writing {other:.2f} s; ratio {seconds / other:.2f} (at most 1.5)")


def object_columns(annotations: list[_Annotation]) -> dict[str, npt.NDArray[np.generic]]:
    n = len(annotations)
    boxes = np.fromiter(chain.from_iterable(map(attrgetter("bbox"), annotations)), np.float64, 4 * n).reshape(n, 4)
    types: dict[str, type[np.generic]] = {
        "image_id": np.int64,
        "id": np.int64,
        "category_id": np.int64,
        "area": np.float64,
        "iscrowd": np.bool_,
    }
    columns: dict[str, npt.NDArray[np.generic]] = {
        name: np.fromiter(map(attrgetter(name), annotations), dtype, n) for name, dtype in types.items()
    }
    return columns | dict(zip(("x", "y", "width", "height"), boxes.T, strict=True))


def image_columns(images: list[_Image]) -> dict[str, list[int] | list[str]]:
    return {name: list(map(attrgetter(name), images)) for name in ("id", "file_name", "width", "height")}


def boxes_from_masks(n_persons: int, repeats: int) -> None:
    """Part boxes, against decoding the masks to bitmaps: what every way through pixels does first."""
    masks = [invented_parts(seed) for seed in range(200)] * (n_persons // 200)
    rng = np.random.default_rng(SEED)
    boxes = np.column_stack([rng.random((len(masks), 2)) * 100, rng.random((len(masks), 2)) * 300 + 20])
    sample = masks[:200]
    drawn = [(row, part, text) for row, parts in enumerate(masks) for part, text in enumerate(parts, 1) if text]
    row, part = np.array([each[:2] for each in drawn]).T

    def ours() -> None:
        runs, _ = decode_masks([text for *_, text in drawn], 256 * 256)
        part_boxes(PartMasks(row, part, runs), boxes)

    def decoded() -> None:
        for parts in sample:
            mask.decode([{"size": [256, 256], "counts": text} for text in parts if text])

    seconds, other = taking_turns(ours, decoded, repeats)
    rate, bitmaps = len(masks) / seconds, len(sample) / other
    print(f"DensePose part boxes: {rate:,.0f} persons/s (at least 3,000)", end="; ")
    print(f"decoding to bitmaps alone {bitmaps:,.0f} persons/s; ratio {rate / bitmaps:.1f}")


def voc_to_tables(folder: Path, n_files: int, repeats: int) -> None:
    """A folder of VOC files, against reading and parsing them with the standard library and doing nothing else."""
    annotations = folder / "Annotations"
    annotations.mkdir()
    for number in range(n_files):
        (annotations / f"2010_{number:06}.xml").write_text(invented_xml(number))
    paths = sorted(annotations.iterdir())

    def least() -> None:
        for path in paths:
            ElementTree.fromstring(path.read_bytes())

    seconds, other = taking_turns(lambda: read_devkit(folder, "all"), least, repeats)
    print(f"VOC: {n_files / seconds:,.0f} files/s (at least 10,000)", end="; ")
    print(f"parsing alone {n_files / other:,.0f} files/s; ratio {seconds / other:.2f}")


def taking_turns(first: Callable[[], object], second: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Median seconds of two jobs that run alternately, after one run of each to warm up."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats + 1):
        for job, taken in zip((first, second), times, strict=True):
            start = time.perf_counter()
            job()
            taken.append(time.perf_counter() - start)
    return median(times[0][1:]), median(times[1][1:])


def invented_instances(n_images: int) -> dict[str, list[dict[str, object]]]:
    """Images with 7 objects on average, with polygons of 5 to 45 points, one in a hundred a crowd with run lengths."""
    rng = np.random.default_rng(SEED)
    url = "http://images.example.org/train2017/"
    images: list[dict[str, object]] = [
        {
            "license": 4,
            "file_name": f"{n:012}.jpg",
            "coco_url": f"{url}{n:012}.jpg",
            "height": 480,
            "width": 640,
            "id": n,
        }
        for n in rng.permutation(n_images).tolist()
    ]
    annotations: list[dict[str, object]] = []
    for owner in rng.integers(0, n_images, 7 * n_images).tolist():
        points = np.round(rng.random((int(rng.integers(5, 46)), 2)) * [600, 440], 2)
        (left, top), (right, bottom) = points.min(0).tolist(), points.max(0).tolist()
        crowd = rng.random() < 0.01
        runs = {"counts": rng.integers(1, 3000, 200).tolist(), "size": [480, 640]}
        annotations.append(
            {
                "segmentation": runs if crowd else [points.ravel().tolist()],
                "area": (right - left) * (bottom - top) / 2,
                "iscrowd": int(crowd),
                "image_id": owner,
                "bbox": [left, top, round(right - left, 2), round(bottom - top, 2)],
                "category_id": int(rng.integers(1, 81)),
                "id": len(annotations) + 900_000_000_000 * crowd,
            }
        )
    categories: list[dict[str, object]] = [{"id": n, "name": f"name {n}"} for n in range(1, 81)]
    return {"images": images, "annotations": annotations, "categories": categories}


def invented_parts(seed: int) -> list[str | None]:
    """Masks of ten parts: ellipses that overlap each other."""
    rng = np.random.default_rng([SEED, seed])
    rows, columns = np.mgrid[:256, :256]
    parts: list[str | None] = [None] * 14
    for part in rng.choice(14, 10, replace=False).tolist():
        (x, y), (a, b), turn = rng.random(2) * 200 + 28, rng.random(2) * 35 + 8, rng.random() * np.pi
        along = (columns - x) * np.cos(turn) + (rows - y) * np.sin(turn)
        across = (rows - y) * np.cos(turn) - (columns - x) * np.sin(turn)
        ellipse = np.asfortranarray((along / a) ** 2 + (across / b) ** 2 <= 1, dtype=np.uint8)
        parts[part] = mask.encode(ellipse)["counts"].decode()
    return parts


def invented_xml(number: int) -> str:
    """A file of one to four objects, as large as the published ones."""
    rng = np.random.default_rng([SEED, number])
    objects = ""
    for _ in range(int(rng.integers(1, 5))):
        left, top, width, height = rng.integers(1, 180, 4).tolist()
        sides = {"xmin": left, "ymin": top, "xmax": left + width, "ymax": top + height}
        box = "\n\t\t\t".join(f"<{side}>{value}</{side}>" for side, value in sides.items())
        flags = "<pose>Unspecified</pose>\n\t\t<truncated>0</truncated>\n\t\t<difficult>0</difficult>"
        bndbox = f"<bndbox>\n\t\t\t{box}\n\t\t</bndbox>"
        objects += f"\t<object>\n\t\t<name>person</name>\n\t\t{flags}\n\t\t{bndbox}\n\t</object>\n"
    source = "\t<source>\n\t\t<database>invented</database>\n\t\t<image>none</image>\n\t</source>\n"
    size = "\t<size>\n\t\t<width>500</width>\n\t\t<height>375</height>\n\t\t<depth>3</depth>\n\t</size>\n"
    head = f"\t<folder>VOC2010</folder>\n\t<filename>2010_{number:06}.jpg</filename>\n"
    return f"<annotation>\n{head}{source}{size}\t<segmented>0</segmented>\n{objects}</annotation>\n"


if __name__ == "__main__":
    main()
