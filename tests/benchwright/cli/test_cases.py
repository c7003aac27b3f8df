"""Files of predictions and answers as tools write them, through the command line: each gives its right outcome."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

Run = Callable[..., Any]
Refused = Callable[..., str]


@pytest.fixture
def sentences(run: Run, cases: Path, tmp_path: Path) -> Path:
    """The manifest of eight invented sentences of Charades-STA."""
    assert run("build", "charades-sta", "--source", cases / "sources", "--out", tmp_path).code == 0
    return tmp_path / "charades-sta"


@pytest.fixture
def parsed(run: Run, sentences: Path, tmp_path: Path) -> Callable[..., tuple[dict[str, int], pa.Table]]:
    """Statuses of a file of answers, and the predictions made of it."""

    def call(path: Path, *options: object) -> tuple[dict[str, int], pa.Table]:
        ran = run("parse", sentences, path, "--out", tmp_path / "p.parquet", "--json", *options)
        assert ran.code == 0, ran.err
        return ran.json["statuses"], pq.read_table(tmp_path / "p.parquet")

    return call


@pytest.mark.parametrize("name", ["submission.json", "samples_old.jsonl", "samples_new.jsonl"])
def test_every_dump_of_lmms_eval_is_placed_and_read(
    parsed: Callable[..., Any], run: Run, cases: Path, sentences: Path, tmp_path: Path, name: str
) -> None:
    statuses, table = parsed(cases / "lmms-eval-dump" / name)
    assert statuses == {"ok": 8}
    assert table["sample_id"].to_pylist() == [f"test/{n:05}" for n in range(1, 9)]
    score = run("score", sentences, tmp_path / "p.parquet", "--metric", "mIoU", "--resamples", 0, "--json").json
    assert score["metrics"]["mIoU"]["value"] == pytest.approx(0.869, abs=1e-3)


def test_names_with_an_extension_and_absent_fields(
    run: Run, refused: Refused, parsed: Callable[..., Any], cases: Path, sentences: Path, tmp_path: Path
) -> None:
    folder, out = cases / "names-and-absent-fields", tmp_path / "no.parquet"
    score = run("score", sentences, folder / "moment_detr_mp4.jsonl", "--resamples", 0, "--json").json
    assert (score["metrics"]["mIoU"]["value"], score["counts"]["similar_names"]) == (1, 8)
    assert "('QA1ZX.mp4' as 'QA1ZX', " in score["warnings"][0]
    assert parsed(folder / "timelens.json")[0] == {"ok": 8}
    score = run("score", sentences, folder / "timelens.json", "--metric", "mIoU", "--resamples", 0, "--json").json
    assert score["metrics"]["mIoU"]["value"] == pytest.approx(0.869, abs=1e-3)
    message = refused("parse", sentences, folder / "by_id_other_field.json", "--out", out)
    assert "fields model_output, query" in " ".join(message.split())
    message = " ".join(refused("parse", sentences, folder / "records_mixed.jsonl", "--out", out).split())
    assert "record 2: found fields sample_id, response" in message
    assert "record 3: found fields sample_id, answr" in message
    assert not out.exists()
    statuses, table = parsed(folder / "by_id_other_field.json", "--answer-field", "model_output")
    assert (statuses, table["start_s"].to_pylist(), table["end_s"].to_pylist()) == ({"ok": 2}, [2, 11], [9, 17])


@pytest.mark.parametrize(
    ("name", "statuses"),
    [
        ("out.jsonl", {"ok": 3, "none": 1, "refusal": 1, "failed": 1, "rate_limited": 1, "expired": 1}),
        ("responses_api.jsonl", {"ok": 1}),
        ("one1.jsonl", {"ok": 1}),
        ("one2.jsonl", {"ok": 1, "rate_limited": 1}),
        ("one3.jsonl", {"ok": 1, "expired": 1}),
    ],
)
def test_requests_of_a_batch_are_read_or_have_a_status(
    parsed: Callable[..., Any], cases: Path, name: str, statuses: dict[str, int]
) -> None:
    assert parsed(cases / "batch-statuses" / name)[0] == statuses


def test_windows_in_another_order_than_their_scores(run: Run, cases: Path, sentences: Path) -> None:
    score = run("score", sentences, cases / "window-order" / "unsorted.jsonl", "--resamples", 0, "--json").json
    assert score["metrics"]["mIoU"]["value"] == 1
    assert any("ranked by score" in warning for warning in score["warnings"])


def test_results_by_the_stem_of_the_image(run: Run, cases: Path, tmp_path: Path) -> None:
    source = ("--source", cases / "sources", "--set", "source.split=site", "--out", tmp_path)
    assert run("build", "coco-person", *source).code == 0
    found = [
        run("score", tmp_path / "coco-person", cases / "coco-results" / f"{name}.json", "--resamples", 0, "--json").json
        for name in ("base", "imgid-stem")
    ]
    assert found[0]["metrics"] == found[1]["metrics"]
    assert found[1]["counts"]["similar_names"] == found[1]["counts"]["detections"] == 11
    dropped = "1 detection is on images dropped by rule person_present"
    assert [sum(warning.startswith(dropped) for warning in score["warnings"]) for score in found] == [1, 1]
