"""Detection manifests as YOLO label folders."""

from __future__ import annotations

from collections import Counter
from pathlib import Path, PurePosixPath

import msgspec

from schemas.errors import InputError, Problem, shown
from schemas.exchange import new_folder, refuse_filled
from schemas.manifest import Manifest
from scorers.detection.images import classes_of, labels_of, object_rows

_LONGEST_NAME = 250


def write_yolo(manifest: Manifest, out: Path, split: str | None = None) -> dict[str, int]:
    """Write `labels/<split>/<image>.txt` (class x_center y_center width height, relative) and `data.yaml`.

    Crowds and ignored objects are left out, since YOLO labels cannot say so; classes count from 0.

    Returns:
        How many images, labels, and objects left out there are.

    Raises:
        UsageError: not a detection manifest, or a folder that is not empty.
        InputError: images without size, or whose names cannot be names of files.
    """
    refuse_filled(out)
    table = object_rows(manifest, split)
    labels = classes_of(manifest, labels_of(manifest, table))
    numbers = {label: place for place, label in enumerate(labels)}
    rows = table.to_pylist()
    stems = {
        row["sample_id"]: PurePosixPath(row["file_name"]).stem if row["file_name"] else row["sample_id"] for row in rows
    }
    problems = [
        Problem(str(manifest.path), repr(row["sample_id"]), "width", "no size", "width and height of the image")
        for row in rows
        if not row["width"] or not row["height"]
    ]
    names = [(row["split"], stems[row["sample_id"]]) for row in rows]
    counts = Counter(names)
    problems += [
        Problem(str(manifest.path), repr(row["sample_id"]), "file_name", shown(row["file_name"]), expected)
        for row, name in zip(rows, names, strict=True)
        for wrong, expected in (
            (not _can_be_a_file(name[1]), "the name of a file"),
            (counts[name] > 1, "another name than that of other images"),
        )
        if wrong
    ]
    if problems:
        raise InputError(problems)
    written = left_out = 0
    with new_folder(out) as draft:
        for name in dict.fromkeys(row["split"] for row in rows):
            (draft / "labels" / name).mkdir(parents=True)
        for row in rows:
            counted = [item for item in row["objects"] if not (item["crowd"] or item["ignored"])]
            left_out += len(row["objects"]) - len(counted)
            written += len(counted)
            lines = [_line(item, numbers[item["category"]], row["width"], row["height"]) for item in counted]
            (draft / "labels" / row["split"] / f"{stems[row['sample_id']]}.txt").write_text("".join(lines))
        quoted = "".join(f"  {place}: {msgspec.json.encode(label).decode()}\n" for label, place in numbers.items())
        splits = "".join(f"{name}: images/{name}\n" for name in dict.fromkeys(row["split"] for row in rows))
        (draft / "data.yaml").write_text(f"path: .\n{splits}names:\n{quoted}", encoding="utf-8")
    return {"images": len(rows), "labels": written, "crowds and ignored boxes left out": left_out}


def _can_be_a_file(stem: str) -> bool:
    """Whether a name stays in its folder, on any system, and leaves room for an extension."""
    return stem not in ("", ".", "..") and not set(stem) & set("/\\\0") and len(stem.encode()) <= _LONGEST_NAME


def _line(item: dict[str, float], number: int, width: int, height: int) -> str:
    x, y = (item["x"] + item["width"] / 2) / width, (item["y"] + item["height"] / 2) / height
    return f"{number} {x:.10g} {y:.10g} {item['width'] / width:.10g} {item['height'] / height:.10g}\n"
