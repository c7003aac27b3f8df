"""The functions that `import benchwright` gives: they do what the verbs do."""

from __future__ import annotations

from pathlib import Path

import pandas
import pyarrow.parquet as pq
import pytest

import benchwright
from schemas.errors import UsageError


def test_scores_and_comparisons_are_those_of_the_verbs(run, sample_manifest, write, tmp_path: Path) -> None:
    manifest = sample_manifest("uag-oops")
    predictions = write(manifest)
    printed = run("score", manifest.path, predictions, "--protocol", "strict", "--metric", "mIoU", "--json").json
    for given in (manifest, manifest.path, str(manifest.path)):
        found = benchwright.score(given, str(predictions), protocol="strict", metrics=["mIoU"])
        assert found.signature == printed["signature"]
        assert found.metrics["mIoU"].value == printed["metrics"]["mIoU"]["value"]
    same = benchwright.compare(manifest, predictions, predictions, metrics=["mIoU"], resamples=10)
    assert same.metrics["mIoU"].difference == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"metric": ["mIoU"]}, "unknown option 'metric'; did you mean metrics"),
        ({"metrics": "mIoU"}, "expected a list of names"),
        ({"resamples": -1}, "resamples=-1: expected a whole number from 0"),
        ({"threshold": 0.5}, "unknown option 'threshold'; did you mean label_thresholds"),
        ({"engine": "pycocotools"}, "--engine: for boxes; this manifest holds spans"),
    ],
)
def test_other_options_are_refused(sample_manifest, write, options: dict[str, object], said: str) -> None:
    manifest = sample_manifest("uag-oops")
    with pytest.raises(UsageError, match=said):
        benchwright.score(manifest, write(manifest), **options)


def test_predictions_in_memory_score_as_their_file_does(sample_manifest, write) -> None:
    manifest = sample_manifest("uag-oops")
    path = write(manifest, name="p.parquet")
    table = pq.ParquetFile(path).read()
    of_file = benchwright.score(manifest, path, resamples=10)
    columns = {name: table[name].to_pylist() for name in table.column_names}
    in_order = {name: table[name].to_numpy() for name in ("start_s", "end_s")}
    for source in (table, table.to_pandas(), columns, in_order):
        assert benchwright.score(manifest, source, resamples=10) == of_file


@pytest.mark.parametrize("suffix", ["parquet", "csv", "json"])
def test_results_of_each_row_are_written(sample_manifest, write, tmp_path: Path, suffix: str) -> None:
    manifest, out = sample_manifest("uag-ssbd"), tmp_path / f"rows.{suffix}"
    benchwright.score(manifest, write(manifest), rows=out, resamples=0)
    read = {"parquet": pandas.read_parquet, "csv": pandas.read_csv, "json": pandas.read_json}[suffix]
    frame = read(out)
    assert len(frame) == 8
    assert frame["td_s"].tolist() == [2] * 8


def test_rows_of_boxes_are_refused(sample_manifest, tmp_path: Path) -> None:
    found = tmp_path / "found.json"
    found.write_text("[]")
    with pytest.raises(UsageError, match="--rows: for spans; this manifest holds boxes"):
        benchwright.score(sample_manifest("coco-person"), found, rows=tmp_path / "rows.csv")


def test_every_name_of_the_package_is_there() -> None:
    assert all(getattr(benchwright, name) is not None for name in benchwright.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'scores'"):
        _ = benchwright.scores
