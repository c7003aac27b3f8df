"""The problems of the detection benchmark, seeded, and the files in which each tool reads them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

Columns = dict[str, Any]

CATEGORIES = ("person", "torso", "hand", "foot", "upper leg", "lower leg", "upper arm", "lower arm", "head")
SIDES = ("x", "y", "width", "height")


def everyday(scale: int) -> tuple[Columns, Columns]:
    """5,000 images with 8.4 boxes and 43 detections each, of 9 categories; 1.5% crowds, scores of 3 decimals."""
    draw, images = np.random.default_rng(2247), 5000 * scale
    image = np.repeat(np.arange(images), draw.poisson(8.4, images))
    boxes = len(image)
    category = draw.choice(9, boxes, p=[0.25, *[0.75 / 8] * 8])
    truth: Columns = {"image": image, "category": category, "crowd": draw.random(boxes) < 0.015, **_spread(draw, boxes)}
    source = np.repeat(np.arange(boxes), draw.choice(4, boxes, p=[0.08, 0.47, 0.30, 0.15]))
    hits = _moved(draw, truth, source, draw.exponential(0.09, len(source)))
    misses = 30 * images
    noise = {
        "image": draw.integers(0, images, misses),
        "category": draw.integers(0, 9, misses),
        **_spread(draw, misses),
    }
    hits["score"], noise["score"] = draw.beta(4, 2, len(source)), draw.beta(1.2, 4, misses)
    return truth, _by_image({name: np.concatenate([hits[name], noise[name]]) for name in hits})


def crowded(scale: int) -> tuple[Columns, Columns]:
    """200 images with 60 boxes and 130 detections of one category, all over one another."""
    draw, images = np.random.default_rng(7), 200 * scale
    boxes, found = 60 * images, 130 * images
    size = draw.uniform(40, 120, (2, boxes)).round(2)
    truth: Columns = {"image": np.repeat(np.arange(images), 60), "category": np.zeros(boxes, dtype=np.int64)}
    truth |= {"crowd": np.zeros(boxes, dtype=np.bool_), "width": size[0], "height": size[1]}
    truth |= {"x": (draw.random(boxes) * 400).round(2), "y": (draw.random(boxes) * 300).round(2)}
    source = np.repeat(np.arange(images), 130) * 60 + draw.integers(0, 60, found)
    return truth, _by_image(_moved(draw, truth, source, np.full(found, 0.15)) | {"score": draw.random(found)})


SCENES: dict[str, Callable[[int], tuple[Columns, Columns]]] = {"everyday": everyday, "crowded": crowded}


def _spread(draw: np.random.Generator, boxes: int) -> Columns:
    """Boxes anywhere in 640 x 480 pixels, of about 67 pixels, log-normal."""
    size, ratio = np.exp(draw.normal(4.2, 0.9, boxes)).clip(4, 500), np.exp(draw.normal(0, 0.35, boxes))
    sides = {"width": (size * ratio).clip(2, 600), "height": (size / ratio).clip(2, 450)}
    sides |= {"x": draw.random(boxes) * (640 - sides["width"]), "y": draw.random(boxes) * (480 - sides["height"])}
    return {name: sides[name].round(2) for name in SIDES}


def _moved(draw: np.random.Generator, truth: Columns, source: Any, by: Any) -> Columns:
    """Boxes `source` of the truth, moved and resized by about the share `by` of their sides."""
    shift = by * draw.normal(0, 1, (4, len(source)))
    width, height = truth["width"][source], truth["height"][source]
    sides = {"x": truth["x"][source] + shift[0] * width, "y": truth["y"][source] + shift[1] * height}
    sides |= {"width": width * np.exp(shift[2]), "height": height * np.exp(shift[3])}
    found = {"image": truth["image"][source], "category": truth["category"][source]}
    return found | {name: sides[name].round(2) for name in SIDES}


def _by_image(detections: Columns) -> Columns:
    order = np.argsort(detections["image"], kind="stable")
    return {name: values[order] for name, values in detections.items()} | {"score": detections["score"][order].round(3)}


def write(truth: Columns, detections: Columns, folder: Path) -> None:
    """The problem as COCO JSON, as NumPy arrays and as Parquet; an area is 0.7 * width * height."""
    images = int(detections["image"].max()) + 1
    np.save(folder / "images.npy", np.arange(1, images + 1))
    truth["area"] = (truth["width"] * truth["height"] * 0.7).round(4)
    rows = {}
    for name, boxes in (("truth", truth), ("detections", detections)):
        sides = np.column_stack([boxes[side] for side in SIDES])
        rows[name] = zip(boxes["image"].tolist(), boxes["category"].tolist(), sides.tolist(), strict=True)
        last = ("area", "crowd") if name == "truth" else ("score",)
        columns = [boxes["image"] + 1, sides, *(boxes[field] for field in last), boxes["category"] + 1]
        np.save(folder / f"{name}.npy", np.column_stack(columns).astype(np.float64))
    annotations = [
        {"id": number, "image_id": image + 1, "category_id": category + 1, "bbox": box, "area": area, "iscrowd": crowd}
        for number, ((image, category, box), area, crowd) in enumerate(
            zip(rows["truth"], truth["area"].tolist(), truth["crowd"].astype(int).tolist(), strict=True), 1
        )
    ]
    results = [
        {"image_id": image + 1, "category_id": category + 1, "bbox": box, "score": score}
        for (image, category, box), score in zip(rows["detections"], detections["score"].tolist(), strict=True)
    ]
    named = [{"id": number, "name": name} for number, name in enumerate(CATEGORIES, 1)]
    sizes = [{"id": number + 1, "width": 640, "height": 480} for number in range(images)]
    instances = {"images": sizes, "categories": named, "annotations": annotations}
    (folder / "truth.json").write_text(json.dumps(instances))
    (folder / "detections.json").write_text(json.dumps(results))

    names = np.array(CATEGORIES)
    objects = {"category": names[truth["category"]]} | {name: truth[name] for name in (*SIDES, "area", "crowd")}
    objects |= {"annotation_id": np.arange(len(truth["x"])), "ignored": np.zeros(len(truth["x"]), dtype=np.bool_)}
    records = pa.StructArray.from_arrays([pa.array(values) for values in objects.values()], list(objects))
    offsets = pa.array(np.searchsorted(truth["image"], np.arange(images + 1)).astype(np.int32))
    number = np.arange(1, images + 1)
    manifest = {
        "sample_id": number.astype(str),
        "image_id": number,
        "objects": pa.ListArray.from_arrays(offsets, records),
    }
    found = {"image_id": detections["image"] + 1, "category": names[detections["category"]]}
    found |= {name: detections[name] for name in (*SIDES, "score")}
    pq.write_table(pa.table(manifest), folder / "manifest.parquet", compression="zstd")
    pq.write_table(pa.table(found), folder / "detections.parquet", compression="lz4")
