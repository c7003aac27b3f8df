"""Predictions of spans under names that differ from the manifest's in folder, extension, case or the like."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schemas.errors import InputError
from schemas.manifest import Manifest
from scorers.scorer import Aligned
from scorers.temporal.contents import Said, folded_contents, in_order
from scorers.temporal.expressions import Metric
from scorers.temporal.scorer import SCORER
from scorers.temporal.spans import Spans
from scorers.temporal.truth import read_truth

Read = Callable[..., Aligned[Spans]]


@pytest.fixture
def read(sample_manifest: Callable[..., Manifest], tmp_path: Path) -> Read:
    def call(benchmark: str, content: list[dict[str, Any]]) -> Aligned[Spans]:
        path = tmp_path / "p.jsonl"
        path.write_text("\n".join(map(json.dumps, content)), encoding="utf-8")
        return SCORER.read(path, read_truth(sample_manifest(benchmark)), [Metric("iou", 0.5)], {})

    return call


@pytest.fixture
def rows(sample_manifest: Callable[..., Manifest]) -> Callable[[str], list[dict[str, Any]]]:
    return lambda benchmark: sample_manifest(benchmark).table("test").to_pylist()


def windows(rows: list[dict[str, Any]], **changed: Callable[[str], str]) -> list[dict[str, Any]]:
    """Results as for QVHighlights, whose numbers are of another file; the n-th is n to n + 10."""
    said = [{"vid": row["video"], "query": row["description"]} for row in rows]
    said = [{name: changed.get(name, str)(value) for name, value in record.items()} for record in said]
    return [record | {"qid": n, "pred_relevant_windows": [[n, n + 10, 0.9]]} for n, record in enumerate(said)]


@pytest.mark.parametrize(
    "changed",
    [
        {"vid": "{}.mp4".format},
        {"vid": "./videos/{}.mp4".format, "query": lambda query: query.removesuffix(".")},
        {"vid": str.lower, "query": str.capitalize},
        {"query": lambda query: unicodedata.normalize("NFD", f" {query} ")},
        {"vid": "https://host.org/{}.mp4?key=1".format},
    ],
)
def test_videos_and_queries_are_folded_where_names_say_nothing(
    read: Read, rows: Callable[..., Any], changed: dict[str, Callable[[str], str]]
) -> None:
    truth = rows("charades-sta")
    found = read("charades-sta", windows(truth, **changed)[::-1])
    assert found.predictions.start.tolist() == [*range(len(truth))]
    assert (found.counts["similar_names"], found.counts["unknown"]) == (len(truth), 0)
    (warning,) = found.warnings
    assert warning.startswith(
        "8 predictions are matched by names that differ in folder, extension, case and the like ("
    )


def test_only_what_is_not_exact_is_folded_and_one_row_is_given_once(read: Read, rows: Callable[..., Any]) -> None:
    entries = windows(rows("charades-sta"))
    entries[0]["vid"] += ".MP4"
    found = read("charades-sta", [*entries, entries[0]])
    assert found.predictions.start.tolist() == [*range(8)]
    assert (found.counts["similar_names"], found.counts["unknown"]) == (1, 1)
    exact = windows(rows("charades-sta"))
    assert read("charades-sta", [*exact, exact[0] | {"vid": "x"}]).counts["unknown"] == 1


def test_names_with_a_folder_or_an_extension(read: Read, rows: Callable[..., Any]) -> None:
    names = [row["sample_id"] for row in rows("uag-oops")]
    entries = [
        {"sample_id": f"clips\\{name.upper()}.mp4", "start_s": n, "end_s": n + 1} for n, name in enumerate(names)
    ]
    found = read("uag-oops", entries)
    assert found.predictions.start.tolist() == [*range(len(names))]
    assert found.counts["similar_names"] == len(names)
    with pytest.raises(InputError, match="1 rows with several predictions"):
        read("uag-oops", [entries[0], entries[0] | {"sample_id": names[0]}])


def test_rows_that_the_build_dropped_or_another_split_has_are_told(
    read: Read, rows: Callable[..., Any], sample_manifest: Callable[..., Manifest]
) -> None:
    ledger = sample_manifest("uag-oops").ledger().to_pylist()
    dropped = next(entry for entry in ledger if entry["action"] == "dropped" and entry["child_key"] is None)
    names = [rows("uag-oops")[0]["sample_id"], dropped["key"], dropped["key"] + ".mp4", "nobody.mp4"]
    found = read("uag-oops", [{"sample_id": name, "start_s": 1, "end_s": 2} for name in names])
    assert (found.counts["left_out"], found.counts["unknown"], "similar_names" in found.counts) == (2, 1, False)
    reason = f"2 predictions are of rows dropped by rule {dropped['rule']} ("
    assert found.warnings[0].startswith(reason)
    assert found.warnings[1] == "1 prediction names no row of the manifest ('nobody.mp4') and is left out"
    entries = [{"sample_id": name, "start_s": 1, "end_s": 2} for name in ("test/00001", "train/00001", "train/00002")]
    found = read("charades-sta", entries)
    assert found.warnings[0].startswith("2 predictions are of rows of split train ('train/00001', 'train/00002')")
    with pytest.raises(InputError, match=r"0 of 8 ids match.*; 2 are of rows of split train, expected names such as"):
        read("charades-sta", entries[1:])


def test_errors_say_what_was_compared_with_what(read: Read, rows: Callable[..., Any]) -> None:
    entries = windows(rows("charades-sta"), vid="x{}".format)
    with pytest.raises(InputError) as failure:
        read("charades-sta", entries)
    (problem,) = failure.value.problems
    first = rows("charades-sta")[0]
    said = (first["video"], first["description"])
    assert problem.found.startswith(f"names such as '0' (0 of 8 ids match), video and query such as ('x{said[0]}', ")
    assert problem.expected == f"names such as 'test/00001', or video and query such as {said}"


def test_queries_that_differ_in_case_alone_are_told_apart_or_not_matched() -> None:
    said = Said([("v", "A cat"), ("v", "a cat"), ("w", "b"), ("w", "b")], [("v.mp4", "a CAT"), ("w.mp4", "B.")] * 2)
    np.testing.assert_array_equal(folded_contents(said, np.arange(4), np.arange(4)), [-2, 2, -2, 3])


def test_rows_told_apart_by_order_alone_are_told() -> None:
    said = Said([("a", "he waves"), ("a", "he waves"), ("b", "he sits")], [])
    assert in_order(said, np.array([2, -1])) == []
    (warning,) = in_order(said, np.array([0, 1, 2]))
    assert warning.startswith("2 predictions are of rows that share their video and query ('a', 'he waves'), taken in")


def test_numbers_without_their_split_fit_several(read: Read, rows: Callable[..., Any]) -> None:
    bare = [{"sample_id": row["sample_id"].split("/")[1], "start_s": 1, "end_s": 2} for row in rows("charades-sta")]
    with pytest.raises(InputError, match="fit several names"):
        read("charades-sta", bare)
