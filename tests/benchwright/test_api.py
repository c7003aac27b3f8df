"""The functions that `import benchwright` gives: they do what the verbs do."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchwright
from schemas.errors import UsageError


def test_scores_and_comparisons_are_those_of_the_verbs(run, sample_manifest, write, tmp_path: Path) -> None:
    manifest = sample_manifest("uag-oops")
    predictions = write(manifest)
    told = run("score", manifest.path, predictions, "--protocol", "strict", "--metric", "mIoU", "--json").json
    for given in (manifest, manifest.path, str(manifest.path)):
        found = benchwright.score(given, str(predictions), protocol="strict", metrics=["mIoU"])
        assert found.signature == told["signature"]
        assert found.metrics["mIoU"].value == told["metrics"]["mIoU"]["value"]
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
