"""Temporal manifests as QVHighlights annotates them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import benchwright
from benchwright.exporters import export
from schemas.errors import UsageError
from schemas.manifest import Manifest, manifest_in_memory

Make = Callable[..., Manifest]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", ["uag-oops", "uag-ssbd", "uag-funqa", "charades-sta"])
def test_every_row_is_a_window_of_its_query(sample_manifest: Make, tmp_path: Path, name: str) -> None:
    manifest = sample_manifest(name)
    counts = export(manifest, "moment-detr", tmp_path / "a.jsonl")
    found = lines(tmp_path / "a.jsonl")
    rows = {row["sample_id"]: row for row in manifest.table(manifest.chosen_split()).to_pylist()}
    assert counts["queries"] == len(found)
    assert counts["windows"] == len(rows)
    assert [line["qid"] for line in found] == list(range(len(found)))
    for line in found:
        for sample, window in zip(line["sample_ids"], line["relevant_windows"], strict=True):
            row = rows.pop(sample)
            assert (line["vid"], line["query"]) == (row["video"], row["description"])
            assert window == [row["start_s"], row["end_s"]]
            assert ("duration" in line) == (row["duration_s"] is not None)
        clips = line["relevant_clip_ids"]
        inside = [
            any(start < 2 * clip + 2 and 2 * clip < end for start, end in line["relevant_windows"]) for clip in clips
        ]
        assert all(inside)
    assert not rows


def test_rows_with_one_query_are_windows_of_one_line(sample_manifest: Make, tmp_path: Path) -> None:
    made = sample_manifest("uag-ssbd")
    split = made.chosen_split()
    table = made.table(split)
    same = table.set_column(3, table.schema.field(3), pa.array(["When?"] * len(table)))
    manifest = manifest_in_memory(made.identity, {split: same}, made.ledger())
    export(manifest, "moment-detr", tmp_path / "a.jsonl")
    found = lines(tmp_path / "a.jsonl")
    assert [line["vid"] for line in found] == list(dict.fromkeys(table["video"].to_pylist()))
    assert sum(len(line["relevant_windows"]) for line in found) == len(table) > len(found)


def test_its_windows_score_as_perfect(sample_manifest: Make, tmp_path: Path) -> None:
    manifest = sample_manifest("uag-oops")
    export(manifest, "moment-detr", tmp_path / "a.jsonl")
    predictions = [
        {**line, "qid": line["sample_ids"][0], "pred_relevant_windows": line["relevant_windows"]}
        for line in lines(tmp_path / "a.jsonl")
    ]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(each) + "\n" for each in predictions))
    assert benchwright.score(manifest, tmp_path / "p.jsonl", metrics=["mIoU"], resamples=0).to_pandas()[
        "value"
    ].tolist() == [1.0]


def test_boxes_are_refused(sample_manifest: Make, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="spans of videos"):
        export(sample_manifest("voc-person"), "moment-detr", tmp_path / "a.jsonl")
