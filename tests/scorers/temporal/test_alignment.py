"""Files of predictions on the rows of a manifest: whose prediction each entry is, whatever the file calls it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.errors import BenchwrightError, InputError, UsageError
from schemas.manifest import Manifest
from scorers.scorer import Aligned
from scorers.temporal.expressions import Metric
from scorers.temporal.formats import read_predictions
from scorers.temporal.scorer import SCORER
from scorers.temporal.spans import Floats, Spans
from scorers.temporal.truth import Truth, read_truth

Manifests = Callable[..., Manifest]
Read = Callable[..., Aligned[Spans]]
NAN = float("nan")


def in_memory(start: Floats, end: Floats, truth: Truth) -> Aligned[Spans]:
    """Place arrays in the order of the rows."""
    return SCORER.read({"start_s": start, "end_s": end}, truth, [Metric("iou")], {})


@pytest.fixture
def read(sample_manifest: Manifests, tmp_path: Path) -> Read:
    """Place a file of the given content on a sample manifest."""

    def call(benchmark: str, content: Any, name: str = "p.json", ranks: int = 1) -> Aligned[Spans]:
        path = tmp_path / name
        if isinstance(content, pa.Table):
            pq.write_table(content, path)
        elif name.endswith(".jsonl"):
            path.write_text("\n".join(map(json.dumps, content)), encoding="utf-8")
        else:
            path.write_text(json.dumps(content), encoding="utf-8")
        truth = read_truth(sample_manifest(benchmark))
        return SCORER.read(path, truth, [Metric("iou", 0.5, rank=ranks)], {})

    return call


def ours(manifest: Manifest, split: str = "test") -> list[dict[str, Any]]:
    """A prediction of every row in our own format: the n-th is n to n + 10."""
    names = manifest.table(split, ["sample_id"])["sample_id"].to_pylist()
    return [{"sample_id": name, "start_s": n, "end_s": n + 10} for n, name in enumerate(names)]


def test_predictions_in_any_order_with_missing_and_unknown_ones(sample_manifest: Manifests, read: Read) -> None:
    entries = ours(sample_manifest("uag-ssbd"))
    found = read("uag-ssbd", entries)
    assert [times.tolist() for times in found.predictions] == [[*range(8)], [*range(10, 18)]]
    assert (found.warnings, found.counts["unknown"]) == ([], 0)
    found = read("uag-ssbd", [*entries[:2:-1], {"sample_id": "v_Spinning_99_b_01", "start_s": 1, "end_s": 2}])
    np.testing.assert_array_equal(found.predictions.start, [NAN, NAN, NAN, 3, 4, 5, 6, 7])
    np.testing.assert_array_equal(found.predictions.end, [NAN, NAN, NAN, 13, 14, 15, 16, 17])
    assert found.counts["unknown"] == 1
    assert found.warnings == [
        "1 prediction names no row of the manifest ('v_Spinning_99_b_01') and is left out",
        "3 of 8 rows have no prediction ('v_ArmFlapping_01_b_01', 'v_ArmFlapping_01_b_02', 'v_ArmFlapping_16_b_01')",
    ]


def test_ranked_windows_are_kept_as_far_as_the_metrics_look(sample_manifest: Manifests, read: Read) -> None:
    names = [entry["sample_id"] for entry in ours(sample_manifest("uag-ssbd"))]
    table = pa.table(
        {
            "sample_id": [names[1], names[0], names[1], names[1], "unknown", "unknown"],
            "start_s": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            "end_s": [11.0, 12.0, 13.0, 14.0, 15.0, 16.0],
            "score": [0.2, 0.1, 0.9, 0.3, 0.1, 0.2],
        }
    )
    found = read("uag-ssbd", table, "p.parquet", ranks=2)
    np.testing.assert_array_equal(found.predictions.start[:3], [[2, NAN], [3, 4], [NAN, NAN]])
    np.testing.assert_array_equal(found.predictions.end[:2], [[12, NAN], [13, 14]])
    found = read("uag-ssbd", table, "p.parquet", ranks=9)
    np.testing.assert_array_equal(found.predictions.start[1], [3, 4, 1])
    found = read("uag-ssbd", table, "p.parquet")
    np.testing.assert_array_equal(found.predictions.start[:3], [2, 3, NAN])
    assert found.counts["unknown"] == 1


def test_repeated_videos_of_the_official_template_are_distinguished_by_the_truth(
    sample_manifest: Manifests, read: Read
) -> None:
    table = sample_manifest("uag-ssbd").table("test")
    template = [
        {"video_id": video, "start_time": start, "end_time": end, "pred_start": n, "pred_end": n + 10}
        for n, (video, start, end) in enumerate(
            zip(*(table[name].to_pylist() for name in ("video", "start_s", "end_s")), strict=True)
        )
    ]
    found = read("uag-ssbd", template[::-1])
    assert (found.predictions.start.tolist(), found.warnings) == ([*range(8)], [])
    labelled = [
        {"label": row["video_id"], "gt": [row["start_time"], row["end_time"]], "pred": [row["pred_start"], 99]}
        for row in template
    ]
    found = read("uag-ssbd", labelled[1:])
    np.testing.assert_array_equal(found.predictions.start, [NAN, 1, 2, 3, 4, 5, 6, 7])
    template[0]["end_time"] += 1
    found = read("uag-ssbd", template)
    assert (found.counts["unknown"], np.flatnonzero(np.isnan(found.predictions.start)).tolist()) == (1, [0])


def test_names_go_before_a_quoted_truth_which_is_then_compared(sample_manifest: Manifests, read: Read) -> None:
    table = sample_manifest("uag-funqa").table("test").to_pylist()
    for key in ("sample_id", "video"):
        template = [
            {"video_id": row[key], "start_time": 0, "end_time": row["end_s"], "pred_start": n, "pred_end": 5}
            for n, row in enumerate(table)
        ]
        found = read("uag-funqa", template[::-1])
        assert found.predictions.start.tolist() == [0, 1, 2, 3, 4]
        assert found.warnings == ["3 predictions quote another ground truth than the manifest has"]


def test_a_repeated_name_is_refused_even_where_the_truth_is_quoted(sample_manifest: Manifests, read: Read) -> None:
    row = sample_manifest("uag-oops").table("test").to_pylist()[0]
    entry = {"video_id": row["sample_id"], "start_time": row["start_s"], "end_time": row["end_s"]}
    with pytest.raises(InputError, match="1 rows with several predictions"):
        read("uag-oops", [entry | {"pred_start": 0, "pred_end": 1}] * 2)


def test_funqa_goes_by_id_or_by_video(sample_manifest: Manifests, read: Read) -> None:
    table = sample_manifest("uag-funqa").table("test").to_pylist()
    for key in ("sample_id", "video"):
        published = {row[key]: {"pred_start": n, "pred_end": "0:05"} for n, row in enumerate(table)}
        found = read("uag-funqa", published)
        assert [times.tolist() for times in found.predictions] == [[0, 1, 2, 3, 4], [5] * 5]
        assert found.warnings == []


def test_moment_detr_goes_by_sample_id_or_by_video_and_query(sample_manifest: Manifests, read: Read) -> None:
    table = sample_manifest("charades-sta").table("test").to_pylist()
    by_query = [
        {"qid": 900 - n, "vid": row["video"], "query": row["description"], "pred_relevant_windows": [[n, 9], [n, 8]]}
        for n, row in enumerate(table)
    ]
    by_id = [{"qid": row["sample_id"], "pred_relevant_windows": [[n, 9], [n, 8]]} for n, row in enumerate(table)]
    for submitted in (by_query, by_id):
        found = read("charades-sta", submitted[::-1], "p.jsonl", ranks=5)
        assert found.predictions.start.tolist() == [[n, n] for n in range(8)]
        assert found.predictions.end.tolist() == [[9, 8]] * 8
    other = by_query[0] | {"query": "person does something else."}
    found = read("charades-sta", [other, *by_query[1:]], "p.jsonl")
    assert found.warnings[0] == "1 prediction names no row of the manifest ('900') and is left out"


def test_equal_queries_of_one_video_take_their_rows_in_order(sample_manifest: Manifests, read: Read) -> None:
    row = sample_manifest("uag-ssbd").table("test").to_pylist()[0]
    entry = {"vid": row["video"], "query": row["description"], "pred_relevant_windows": [[1, 2]]}
    found = read("uag-ssbd", [entry, entry], "p.jsonl")
    assert (found.counts["unknown"], found.predictions.start[0]) == (1, 1)


def test_answers_are_to_be_parsed_first(read: Read) -> None:
    with pytest.raises(UsageError, match="holds free answers: turn them into predictions with `benchwright parse`"):
        read("charades-sta", {"T4MQB>>>the person is reading.>>>[7.7, 19.2]": "from 7 to 19"})


@pytest.mark.parametrize(
    ("benchmark", "other", "guess"),
    [
        ("uag-oops", "uag-ssbd", "0 of 12 ids match; these look like uag-ssbd ids"),
        ("uag-oops", "uag-funqa", "0 of 12 ids match; these look like uag-funqa ids"),
        ("uag-ssbd", "charades-sta", "0 of 8 ids match; these look like charades-sta ids"),
        ("uag-ssbd", "uag-oops", "0 of 8 ids match)"),
    ],
)
def test_a_file_for_another_benchmark_is_known_as_one(
    sample_manifest: Manifests, read: Read, benchmark: str, other: str, guess: str
) -> None:
    with pytest.raises(InputError) as failure:
        read(benchmark, ours(sample_manifest(other)))
    assert guess in str(failure.value)


def test_a_file_whose_videos_fit_but_whose_truth_does_not_is_refused(read: Read) -> None:
    entry = {"video_id": "v_Spinning_07", "start_time": 1, "end_time": 2, "pred_start": 1, "pred_end": 2}
    with pytest.raises(InputError, match="0 of 8 ids match"):
        read("uag-ssbd", [entry])


def test_milliseconds_are_suspected_where_nearly_all_ends_are_late(sample_manifest: Manifests, read: Read) -> None:
    entries = ours(sample_manifest("uag-oops"))
    late = [entry | {"end_s": 5000} for entry in entries]
    for suspicious in (late, [*late[:11], entries[11] | {"end_s": None}]):
        *_, warning = read("uag-oops", suspicious).warnings
        assert "milliseconds" in warning
    assert read("uag-oops", [*late[:11], entries[11] | {"end_s": 1}]).warnings == []
    assert read("uag-oops", [entry | {"end_s": 3.5} for entry in entries]).warnings == []


def test_arrays_in_the_order_of_the_rows_need_no_names(sample_manifest: Manifests) -> None:
    truth = read_truth(sample_manifest("uag-ssbd"))
    start, end = truth.spans.start.copy(), truth.spans.end + 1
    start[1], end[2] = NAN, 0
    found = in_memory(start, end, truth)
    np.testing.assert_array_equal(found.predictions, [start, end])
    assert found.counts == {"rows": 8, "scored": 7, "ok": 6, "reversed": 1, "missing": 1, "unknown": 0}
    ranked = in_memory(np.stack([end, start], 1), np.stack([start, end], 1), truth)
    assert ranked.counts["reversed"] == 6
    half, warning = in_memory(start, end + 5000, truth).warnings
    assert half.startswith("1 of 8 rows have a start or an end alone, which counts as missing (")
    assert "milliseconds" in warning


@pytest.mark.parametrize(
    ("start", "end", "found"),
    [
        (np.zeros(7), np.ones(7), "found 7 rows without sample_id, expected a column sample_id, or the 8 rows"),
        (np.zeros(8), np.ones((8, 2)), "end_s: found a column of fixed_size_list"),
        (np.zeros((8, 1, 1)), np.ones((8, 1, 1)), "column 'start_s' cannot be read"),
        (np.full(8, -1.0), np.ones(8), "start: found -1, expected a finite time from 0"),
        (np.zeros(8), np.array([*range(7), np.inf]), "end: found inf"),
    ],
)
def test_arrays_that_cannot_be_predictions_are_refused(
    sample_manifest: Manifests, start: Floats, end: Floats, found: str
) -> None:
    with pytest.raises(BenchwrightError, match=found):
        in_memory(start, end, read_truth(sample_manifest("uag-ssbd")))


def test_rows_without_any_time_are_warned_of_as_absent_ones_are(sample_manifest: Manifests, read: Read) -> None:
    truth = read_truth(sample_manifest("uag-ssbd"))
    nothing = np.full(len(truth), NAN)
    (warning,) = in_memory(nothing, nothing, truth).warnings
    assert warning.startswith("8 of 8 rows have no prediction (")
    entries = [entry | {"start_s": None, "end_s": None} for entry in ours(sample_manifest("uag-ssbd"))[:5]]
    assert read("uag-ssbd", entries).warnings == [warning]


@pytest.mark.parametrize("source", [{}, {"sample_id": [], "start_s": [], "end_s": []}, {"start_s": [], "end_s": []}])
def test_no_records_in_memory_are_refused_as_those_of_a_file(source: Any) -> None:
    with pytest.raises(InputError, match="found no records, expected at least one"):
        read_predictions(source)
