"""What the tests of conversations share: invented manifests of spans, and files of templates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from schemas.cards import AuditCard
from schemas.identity import Level
from schemas.manifest import Manifest, manifest_in_memory
from schemas.temporal import temporal_schema

SCHEMA = temporal_schema("invented", 1)
VERBS = ("drops", "lifts", "paints", "washes", "hides", "throws", "cuts", "folds", "burns", "sells")
THINGS = ("an apple", "a ladder", "the door", "a shirt", "some paper", "a candle", "the sofa", "a radio")


def spans_of(size: int = 40, clips: int = 4) -> list[dict[str, Any]]:
    """Rows of `size` videos, `clips` a compilation, each with another text."""
    return [
        {
            "sample_id": f"Tape {row // clips} {row % clips}",
            "split": "train",
            "video": f"Tape {row // clips} {row % clips}",
            "description": f"{chr(65 + row % 26)}{row} {VERBS[row % 10]} {THINGS[row // 10 % 8]} and w{row} v{row}",
            "start_s": 1.25 + row % 5,
            "end_s": 3.5 + row % 7 + row % 5,
            "duration_s": 20.0,
        }
        for row in range(size)
    ]


@pytest.fixture
def spans() -> Callable[..., list[dict[str, Any]]]:
    """Invented rows, each of which a test may change."""
    return spans_of


@pytest.fixture
def manifest_of(identity: Callable[..., Any], card: Callable[..., Any]) -> Callable[..., Manifest]:
    """A manifest of rows of spans, in memory."""

    def call(rows: list[dict[str, Any]] | None = None, name: str = "invented", **audit: Any) -> Manifest:
        rows = spans_of() if rows is None else rows
        splits = {
            split: pa.Table.from_pylist([row for row in rows if row["split"] == split], schema=SCHEMA)
            for split in dict.fromkeys(row["split"] for row in rows)
        }
        levels = {"clip": Level(len(rows), len(rows))}
        made = identity(
            name, schema="invented", levels=levels, card=card(tuple(splits), name=name, audit=AuditCard(**audit))
        )
        return manifest_in_memory(made, splits, pa.table({"level": pa.array([], pa.string())}))

    return call


@pytest.fixture
def templates(tmp_path: Path) -> Callable[[str], Path]:
    """Write a file of templates."""

    def write(text: str) -> Path:
        path = tmp_path / "templates.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write
