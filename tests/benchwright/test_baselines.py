"""Baselines as prediction files: what each writes, and what it needs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scorers.temporal.baseline_files import TRIVIAL, baseline_spans, heldout_onsets, write_baseline

from builders.engine.build import build
from builders.engine.registry import find_recipe
from schemas.errors import UsageError
from schemas.manifest import Manifest
from scorers.temporal.alignment import Rows, read_rows, read_run
from scorers.temporal.baselines import KINDS, random_paper
from scorers.temporal.expressions import parse_metric

Manifests = Callable[..., Manifest]


@pytest.mark.parametrize("kind", ["random", "predict-all", "middle", "human"])
@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".json"])
def test_a_baseline_is_written_and_read_back(
    sample_manifest: Manifests, tmp_path: Path, kind: str, suffix: str
) -> None:
    manifest = sample_manifest("uag-oops")
    rows, path = read_rows(manifest), tmp_path / f"baseline{suffix}"
    written = write_baseline(manifest, kind, path, None, None)
    run = read_run(path, rows)
    expected = baseline_spans(kind, rows, protocol="strict")
    np.testing.assert_array_equal((run.start, run.end), expected)
    assert written == np.count_nonzero(~np.isnan(run.start))


def test_spans_of_the_durations(sample_manifest: Manifests) -> None:
    rows = read_rows(sample_manifest("uag-ssbd"))
    assert baseline_spans("predict-all", rows).end.tolist() == rows.duration.tolist()
    assert baseline_spans("middle", rows).start.tolist() == (rows.duration / 4).tolist()
    assert set(TRIVIAL) <= set(KINDS)


def test_the_held_out_annotator_saw_a_failure_or_none(sample_manifest: Manifests) -> None:
    manifest = sample_manifest("uag-oops")
    rows, table = read_rows(manifest), manifest.table("test")
    saw, onset = table["heldout_saw_failure"].to_pylist(), table["heldout_onset_s"].to_pylist()
    assert set(saw) == {True, False}
    expected = [time if seen else -1.0 for seen, time in zip(saw, onset, strict=True)]
    np.testing.assert_array_equal(heldout_onsets(rows), expected)
    np.testing.assert_array_equal(baseline_spans("human", rows).start, expected)
    strict = baseline_spans("human", rows, protocol="strict").start
    assert np.isnan(strict).tolist() == [not seen for seen in saw]


def test_a_manifest_may_have_been_built_without_the_held_out_annotator(own_samples: Path, tmp_path: Path) -> None:
    (own_samples / "oops" / "heldout_transition_times.json").unlink()
    rows = read_rows(build(find_recipe("uag-oops"), own_samples, tmp_path / "out"))
    with pytest.raises(UsageError, match="needs held-out onsets, and the manifest was built without them"):
        baseline_spans("human", rows)


def test_random_paper_draws_for_the_metric_that_is_named(sample_manifest: Manifests, tmp_path: Path) -> None:
    manifest = sample_manifest("uag-ssbd")
    path, metric = tmp_path / "random.csv", parse_metric("R1(td<=3)")
    assert write_baseline(manifest, "random-paper", path, None, "R1(td<=3)") == 8
    run = read_run(path, read_rows(manifest))
    np.testing.assert_array_equal((run.start, run.end), random_paper("uag-ssbd", 8, [metric])[metric])


def test_what_a_baseline_lacks_is_told(sample_manifest: Manifests, tmp_path: Path) -> None:
    oops, charades = sample_manifest("uag-oops"), sample_manifest("charades-sta")
    out = tmp_path / "out.csv"
    for manifest, kind, metric, message in (
        (oops, "randon", None, "unknown baseline 'randon'; did you mean random or random-paper"),
        (oops, "random-paper", None, r"random-paper draws anew for each metric: name one with --metric, as R1\(iou"),
        (oops, "random-paper", "R1(iou>=0.4)", "no draw for R1"),
        (oops, "random-paper", "mean", "unknown metric"),
        (charades, "random-paper", "mIoU", "unknown benchmark of the random-paper baseline"),
        (sample_manifest("uag-ssbd"), "human", None, "needs held-out onsets, which only uag-oops has"),
    ):
        with pytest.raises(UsageError, match=message):
            write_baseline(manifest, kind, out, None, metric)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["predict-all", "middle"])
def test_durations_that_no_row_has_are_told(sample_manifest: Manifests, kind: str) -> None:
    manifest = sample_manifest("uag-oops")
    rows = read_rows(manifest)
    unknown = Rows(manifest, "test", rows.names, rows.truth, np.full(len(rows), np.nan))
    with pytest.raises(UsageError, match=f"{kind} needs the durations of the videos"):
        baseline_spans(kind, unknown)
    some = unknown.duration.copy()
    some[0] = 5.0
    spans = baseline_spans(kind, Rows(manifest, "test", pa.nulls(12), rows.truth, some))
    assert np.isnan(spans.end).tolist() == [False, *[True] * 11]
