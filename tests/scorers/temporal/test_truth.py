"""The truth of temporal manifests: spans, accepted onsets, videos, splits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from schemas.errors import UsageError
from schemas.manifest import Manifest
from scorers.temporal.truth import read_truth

Manifests = Callable[..., Manifest]


def test_rows_have_the_columns_of_the_manifest(sample_manifest: Manifests) -> None:
    manifest = sample_manifest("uag-oops")
    truth, table = read_truth(manifest), manifest.table("test")
    assert truth.names.to_pylist() == table["sample_id"].to_pylist()
    assert truth.videos.to_pylist() == table["video"].to_pylist()
    assert truth.column("description").to_pylist() == table["description"].to_pylist()
    for name, values in (("start_s", truth.spans.start), ("end_s", truth.spans.end), ("duration_s", truth.duration)):
        np.testing.assert_array_equal(values, table[name].to_numpy())
    assert (len(truth), truth.spans.onsets) == (12, None)
    with pytest.raises(UsageError, match="uag-oops has no column weight"):
        truth.column("weight")


def test_clusters_are_the_videos_in_order_of_appearance(sample_manifest: Manifests) -> None:
    assert read_truth(sample_manifest("uag-ssbd")).clusters.tolist() == [0, 0, 1, 2, 2, 3, 3, 4]


def test_any_annotated_onset_may_count(sample_manifest: Manifests) -> None:
    manifest = sample_manifest("uag-oops")
    onsets = read_truth(manifest, truth="any").spans.onsets
    assert onsets is not None
    assert onsets.tolist() == manifest.table("test")["onsets_s"].to_pylist()


def test_rows_with_fewer_onsets_are_filled_up(sample_manifest: Manifests) -> None:
    manifest = sample_manifest("uag-oops", agreement__max_notfound=2, single_scene__by="skip")
    expected = manifest.table("test")["onsets_s"].to_pylist()
    onsets = read_truth(manifest, truth="any").spans.onsets
    assert onsets is not None
    assert {len(row) for row in expected} == {2, 3}
    assert [[time for time in row if not np.isnan(time)] for row in onsets.tolist()] == expected


def test_the_split_is_the_only_one_or_test_or_the_one_named(sample_manifest: Manifests) -> None:
    assert sample_manifest("charades-sta").chosen_split(None) == "test"
    assert sample_manifest("charades-sta").chosen_split("train") == "train"
    assert sample_manifest("oops-uag-instruct").chosen_split(None) == "train"
    assert len(read_truth(sample_manifest("charades-sta"), "train")) == 12
    assert len(read_truth(sample_manifest("oops-uag-instruct"))) == 5
    with pytest.raises(UsageError, match="unknown split 'tset'; did you mean test"):
        read_truth(sample_manifest("charades-sta"), "tset")


def test_truth_that_is_not_there_is_refused(sample_manifest: Manifests) -> None:
    with pytest.raises(UsageError, match="unknown truth 'onset'"):
        read_truth(sample_manifest("uag-oops"), truth="onset")
    with pytest.raises(UsageError, match="uag-ssbd has no other annotations"):
        read_truth(sample_manifest("uag-ssbd"), truth="any")


def test_times_that_are_not_finite_are_refused(sample_manifest: Manifests, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = sample_manifest("uag-ssbd")
    table = manifest.table("test")
    endless = table.set_column(table.column_names.index("end_s"), "end_s", pa.array([np.inf] * 8))
    monkeypatch.setattr(Manifest, "table", lambda *_: endless)
    with pytest.raises(UsageError, match="missing or infinite"):
        read_truth(manifest)
