"""What a tool must see of a manifest: rows that its loader's are compared with, one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from schemas.manifest import Manifest

Rows = dict[str, list[list[Any]]]


def conversations(manifest: Manifest) -> Rows:
    """By split, the file of each row's media without its suffix, and what is said in turns."""
    return {
        split: [
            [Path(row["media"]).with_suffix("").as_posix() if row["media_kind"] == "image" else row["media"]]
            + [turn["text"] for turn in row["turns"]]
            for row in manifest.table(split, columns=["media", "media_kind", "turns"]).to_pylist()
        ]
        for split in manifest.splits
    }


def boxes(manifest: Manifest) -> Rows:
    """By split, each image's file, and its boxes: category, left, top, width and height in pixels."""
    return {
        split: sorted(
            [row["file_name"], sorted([item["category"], *_box(item)] for item in row["objects"])]
            for row in manifest.table(split).to_pylist()
        )
        for split in manifest.splits
    }


def rows(manifest: Manifest) -> Rows:
    """By split, the names of the rows."""
    return {split: [[name] for name in manifest.table(split)["sample_id"].to_pylist()] for split in manifest.splits}


def _box(item: dict[str, Any]) -> list[float]:
    return [item[side] for side in ("x", "y", "width", "height")]


def difference(wanted: Rows, seen: Rows, tolerance: float) -> str:
    """What differs first; empty if nothing does, numbers within the tolerance."""
    if wanted.keys() != seen.keys():
        return f"splits {', '.join(wanted)} became {', '.join(seen)}"
    for split, given in wanted.items():
        if len(given) != len(seen[split]):
            return f"{split}: {len(given)} rows became {len(seen[split])}"
        for place, (one, other) in enumerate(zip(given, seen[split], strict=True)):
            if not _same(one, other, tolerance):
                return f"{split}, row {place}: {one!r:.300} became {other!r:.300}"
    return ""


def _same(one: Any, other: Any, tolerance: float) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        pairs = len(one) == len(other)
        return pairs and all(_same(*pair, tolerance) for pair in zip(one, other, strict=True))
    if isinstance(one, float):
        return abs(one - other) <= tolerance
    return bool(one == other)
