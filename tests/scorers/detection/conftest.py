"""Invented problems of detection that hold every irregularity there is, many of them at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.errors import InputError
from schemas.manifest import Manifest
from scorers.detection.boxes import Detections, Floats, Truth
from scorers.detection.formats import read_detections
from scorers.detection.images import ImageSet
from scorers.run import score
from scorers.score import Score

Problem = tuple[Truth, Detections]

SIDES = ("x", "y", "width", "height")

File = Callable[[str, Any], Path]
Read = Callable[..., list[dict[str, Any]]]
ProblemOf = Callable[..., str]

# One detection as a result of COCO and as a row of a table, and what is read of it behind its image.
FOUND = {"image_id": 7, "category_id": 1, "bbox": [10.5, 20, 30, 40.25], "score": 0.5}
HEADER = "image_id,category,x,y,width,height,score\n"
BOX = ("person", 10.5, 20.0, 30.0, 40.25, 0.5)


def flat(**changes: Any) -> dict[str, Any]:
    """The columns of a table with one detection."""
    row = {"image_id": 7, "category": "person", "x": 10.5, "y": 20.0, "width": 30.0, "height": 40.25, "score": 0.5}
    return {name: [value] for name, value in row.items()} | changes


def boxes(read: Read, source: object) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in read(source)]


@pytest.fixture(scope="session")
def invented() -> Callable[[int], Problem]:
    """A problem from a seed: some of its images and categories stay empty, and detections are in no order of images."""
    return _problem


@pytest.fixture(scope="session")
def truth_of() -> Callable[..., Truth]:
    """Truth of one category from rows (image, x, y, width, height); areas are width * height unless given."""

    def build(rows: list[tuple[float, ...]], images: int = 1, **columns: object) -> Truth:
        image, x, y, width, height = np.array(rows, dtype=np.float64).reshape(-1, 5).T
        none = np.zeros(len(rows), dtype=np.bool_)
        flags = {name: np.array(columns.get(name, none), dtype=np.bool_) for name in ("crowd", "difficult", "ignored")}
        area = np.array(columns.get("area", width * height), dtype=np.float64)
        category = np.zeros(len(rows), dtype=np.int64)
        sides = (x, y, width, height)
        return Truth(image.astype(np.int64), category, *sides, area, **flags, categories=("person",), images=images)

    return build


@pytest.fixture(scope="session")
def found() -> Callable[[list[tuple[float, ...]]], Detections]:
    """Detections of one category from rows (image, x, y, width, height, score)."""

    def build(rows: list[tuple[float, ...]]) -> Detections:
        image, x, y, width, height, score = np.array(rows, dtype=np.float64).reshape(-1, 6).T
        return Detections(image.astype(np.int64), np.zeros(len(rows), dtype=np.int64), x, y, width, height, score)

    return build


@pytest.fixture(scope="session")
def results_of() -> Callable[..., list[dict[str, Any]]]:
    """COCO results that are the truth of a split, the last unless named; crowds need not be found."""

    def read(manifest: Manifest, split: str = "", *, crowds: bool = False) -> list[dict[str, Any]]:
        return [
            {"image_id": row["image_id"], "category_id": item["category"], "score": 0.9}
            | {"bbox": [item[side] for side in SIDES]}
            for row in manifest.table(split or manifest.splits[-1]).to_pylist()
            for item in row["objects"]
            if crowds or not item["crowd"]
        ]

    return read


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Write results as JSON."""

    def write(results: list[dict[str, Any]], name: str = "found.json") -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(results))
        return path

    return write


@pytest.fixture(scope="session")
def scored() -> Callable[..., Score]:
    """Score a file without intervals, options as keywords."""

    def call(manifest: Manifest, path: Path, **options: Any) -> Score:
        return score(manifest, path, {"resamples": 0, **options})  # type: ignore[typeddict-item]

    return call


@pytest.fixture(scope="session")
def as_tables() -> Callable[[Truth, Detections, np.random.Generator], tuple[pa.Table, pa.Table]]:
    """A problem as a manifest and a table of detections: ids with gaps, rows in no order, names beyond the list."""

    def build(truth: Truth, found: Detections, draw: np.random.Generator) -> tuple[pa.Table, pa.Table]:
        ids = draw.choice(10**12, truth.images, replace=False)
        by_id, names = np.sort(ids), np.array([*truth.categories, "of no list"])
        rows: dict[int, list[dict[str, Any]]] = {image: [] for image in ids.tolist()}
        for box, image in enumerate(by_id[truth.image].tolist()):
            row = {side: float(getattr(truth, side)[box]) for side in (*SIDES, "area")}
            rows[image].append(row | {"category": names[truth.category[box]], "crowd": bool(truth.crowd[box])})
        for image in ids[: draw.integers(0, truth.images + 1)].tolist():
            rows[image].append(dict.fromkeys((*SIDES, "area"), 5.0) | {"category": "of no list", "crowd": False})
        record = pa.struct(
            [*((side, pa.float64()) for side in (*SIDES, "area")), ("category", pa.string()), ("crowd", pa.bool_())]
        )
        manifest = pa.table({"image_id": ids, "objects": pa.array(list(rows.values()), pa.list_(record))})
        columns = {side: getattr(found, side) for side in (*SIDES, "score")}
        table = pa.table({"image_id": by_id[found.image], "category": names[found.category], **columns})
        stray = table.slice(0, 3).set_column(1, "category", pa.array(["of no list"] * min(3, len(table)), pa.string()))
        return manifest, pa.concat_tables([stray, table])

    return build


def _problem(seed: int) -> Problem:
    draw = np.random.default_rng(seed)
    images, categories = int(draw.integers(1, 7)), int(draw.integers(1, 4))
    boxes, few, many = (int(draw.integers(low, high)) for low, high in ((0, 40), (0, 80), (100, 500)))
    found = few if draw.random() < 0.9 else many
    kind = int(draw.integers(0, 4))
    sought, given = _sides(draw, kind, boxes), _sides(draw, kind, found)
    if boxes and found:  # some detections are exact
        exact, source = draw.random(found) < 0.3, draw.integers(0, boxes, found)
        given = np.where(exact, sought[:, source], given)
    odd_areas = draw.choice([0, 500, 32.0**2, 96.0**2, np.nextafter(32.0**2, 2000), 1e10, 2e10, -1], boxes)
    truth = Truth(
        draw.integers(0, images, boxes),
        draw.integers(0, categories, boxes),
        **dict(zip(SIDES, sought, strict=True)),
        area=np.where(draw.random(boxes) < 0.6, sought[2] * sought[3], odd_areas),
        crowd=draw.random(boxes) < draw.choice([0, 0.2, 0.6]),
        difficult=draw.random(boxes) < 0.3,
        ignored=np.zeros(boxes, dtype=np.bool_),
        categories=tuple(f"category {number}" for number in range(categories)),
        images=images,
    )
    sides = dict(zip(SIDES, given, strict=True))
    image, category = draw.integers(0, images, found), draw.integers(0, categories, found)
    return truth, Detections(image, category, **sides, score=_scores(draw, found))


def _sides(draw: np.random.Generator, kind: int, boxes: int) -> Floats:
    """x, y, width, height: small whole numbers, sizes at the ends of area ranges, any sizes, or one on another."""
    if kind == 0:
        return draw.integers([[0], [0], [0], [0]], [[12], [12], [10], [10]], (4, boxes)).astype(np.float64)
    if kind == 1:
        corners = draw.integers(0, 3, (2, boxes)) * 32.0
        return np.vstack([corners, draw.choice([16.0, 32.0, 33.0, 64.0, 96.0], (2, boxes))])
    if kind == 2:
        return draw.random((4, boxes)) * [[30], [30], [100], [100]]
    return draw.random((4, boxes)) * [[5], [5], [20], [20]] + [[0], [0], [20], [20]]


def _scores(draw: np.random.Generator, found: int) -> Floats:
    """Any, few different ones, extreme ones, or single precision."""
    kind = draw.integers(0, 4)
    if kind == 0:
        return draw.random(found)
    if kind == 1:
        return draw.integers(0, 4, found) / 4.0
    if kind == 2:
        return draw.choice([0.0, -0.0, -1.0, 2.0, 1e300, 1e-300, 0.5, -1e-300], found)
    return draw.random(found).astype(np.float32).astype(np.float64)


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str, Any], Path]:
    """Write a file by its name: Parquet from columns, JSON from anything else that is no text."""

    def write(name: str, content: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".parquet") and not isinstance(content, bytes):
            pq.write_table(content if isinstance(content, pa.Table) else pa.table(content), path)
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


@pytest.fixture(scope="session")
def read() -> Callable[..., list[dict[str, Any]]]:
    """Read detections beside three images, one without a size and one without a file name."""
    images = pa.table(
        {
            "sample_id": ["7", "2008_000001", "9"],
            "file_name": ["COCO_val2014_000000000007.jpg", None, "folder/photo.v2.png"],
            "width": [200, 500, None],
            "height": [100, 375, None],
        }
    )
    labels = ["person", "upper_leg", "leg"]
    known = ImageSet(images, labels, labels, {1: "person", 84: "leg"}, "val")

    def rows(source: object, file_format: str | None = None, **changes: Any) -> list[dict[str, Any]]:
        return read_detections(source, replace(known, **changes), file_format)[0].to_pylist()  # type: ignore[no-any-return]

    return rows


@pytest.fixture(scope="session")
def problem_of(read: Callable[..., object]) -> Callable[..., str]:
    """The message of an error, without the file that it begins with."""

    def message(path: Path, file_format: str | None = None) -> str:
        with pytest.raises(InputError) as failure:
            read(path, file_format)
        text = str(failure.value)
        assert text.startswith(str(path))
        return text.removeprefix(str(path)).lstrip(":/ ")

    return message
