"""Rows that lmms-eval has judged one by one add up to what `score` says of all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import benchwright
from benchwright import lmms_eval
from benchwright.parsing import parse_file
from schemas.manifest import Manifest
from scorers.answers import parse_answers
from scorers.temporal.expressions import DEFAULT_METRICS
from scorers.temporal.truth import read_truth

Make = Callable[..., Manifest]
Doc = dict[str, Any]

ANSWERS = [
    "From 1.5 to 3.25 seconds.",
    "I cannot tell.",
    '{"start_time": 0.0, "end_time": 2.0}',
    "It is between 8 and 3 seconds.",
    "",
    "Start: 00:01, end: 00:04",
    "There are two: 1.0 - 2.0 s and 3.0 - 4.5 s.",
    "at 20000 s to 20001 s",
]


def docs_of(manifest: Manifest) -> list[Doc]:
    rows: list[Doc] = manifest.table(manifest.chosen_split()).to_pylist()
    return rows


def logged(docs: list[Doc], answers: list[Any], path: Path) -> list[Doc]:
    """What lmms-eval 0.7.3 writes of its samples, and the samples."""
    judged = [lmms_eval.process_results(doc, [answer]) for doc, answer in zip(docs, answers, strict=True)]
    lines = [
        {"doc_id": place, "target": lmms_eval.doc_to_target(doc), "filtered_resps": answer, "doc_hash": "0", **row}
        for place, (doc, answer, row) in enumerate(zip(docs, answers, judged, strict=True))
    ]
    path.write_text("".join(json.dumps(line, allow_nan=False) + "\n" for line in lines), encoding="utf-8")
    return judged


def aggregated(judged: list[Doc]) -> dict[str, float | None]:
    how = {str(metric): lmms_eval.share if metric.unit == "percent" else lmms_eval.mean for metric in DEFAULT_METRICS}
    return {name: aggregate([row[name] for row in judged]) for name, aggregate in how.items()}


@pytest.mark.parametrize("name", ["uag-oops", "uag-ssbd", "uag-funqa", "charades-sta"])
@pytest.mark.parametrize("shift", range(3))
def test_rows_add_up_to_what_score_says_of_the_log_and_of_the_parsed_log(
    sample_manifest: Make, tmp_path: Path, name: str, shift: int
) -> None:
    manifest = sample_manifest(name)
    docs = docs_of(manifest)
    answers: list[Any] = [ANSWERS[(place + shift) % len(ANSWERS)] for place in range(len(docs))]
    judged = logged(docs, answers, tmp_path / "log.jsonl")
    of_log = benchwright.score(manifest, tmp_path / "log.jsonl", resamples=0)
    parse_file(tmp_path / "log.jsonl", tmp_path / "parsed.parquet", read_truth(manifest))
    of_parsed = benchwright.score(manifest, tmp_path / "parsed.parquet", resamples=0)
    found = aggregated(judged)
    assert found == {metric: value.value for metric, value in of_log.metrics.items()}
    assert found == {metric: value.value for metric, value in of_parsed.metrics.items()}
    assert lmms_eval.count([row["scored"] for row in judged]) == of_log.counts["scored"] == of_parsed.counts["scored"]
    assert {row["mIoU"]["video"] for row in judged} == {doc["video"] for doc in docs}


def test_later_windows_of_a_log_count_for_later_ranks(sample_manifest: Make, tmp_path: Path) -> None:
    manifest = sample_manifest("uag-oops")
    docs = docs_of(manifest)
    answers = [f"1. 0.0 - 0.1 s\n2. {lmms_eval.doc_to_target(doc)}" for doc in docs]
    logged(docs, answers, tmp_path / "log.jsonl")
    found = benchwright.score(manifest, tmp_path / "log.jsonl", metrics=["R1(iou>=0.7)", "R2(iou>=0.7)"], resamples=0)
    assert [value.value for value in found.metrics.values()] == [0.0, 100.0]


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_the_target_is_parsed_back_to_the_last_digit(start: float, end: float) -> None:
    start, end = round(start, 9), round(end, 9)
    target = lmms_eval.doc_to_target({"start_s": start, "end_s": end})
    parsed = parse_answers([target]).to_pylist()[0]
    assert (parsed["start_s"], parsed["end_s"]) == (start, end)


DOC: Doc = {"sample_id": "a", "video": "v", "start_s": 1.0, "end_s": 2.0, "media": "v.mp4", "question": "When?"}


@pytest.mark.parametrize("results", [[], None, [None], [[]], [7], [{"text": "1 to 2 s"}], [b"1 to 2 s"]])
def test_what_is_no_answer_is_counted_and_scored_as_none(results: Any) -> None:
    nothing, found = lmms_eval.process_results(DOC, [""]), lmms_eval.process_results(DOC, results)
    metrics = [str(metric) for metric in DEFAULT_METRICS]
    assert {name: found[name] for name in metrics} == {name: nothing[name] for name in metrics}
    assert found["scored"]["count"] == 0
    assert found["failed"]["count"] == (0 if results == [None] else 1)
    assert (found["scored"]["status"] == "failed") == bool(found["failed"]["count"])


@pytest.mark.parametrize("doc", [{}, {**DOC, "start_s": None}, {**DOC, "end_s": "late"}, None])
def test_a_row_that_is_none_is_counted(doc: Any) -> None:
    assert lmms_eval.process_results(doc, ["1 to 2 s"]) == {"failed": {"count": 1}}


def test_a_union_of_nothing_leaves_the_mean_without_a_value() -> None:
    point = {**DOC, "start_s": 2.0}
    judged = [lmms_eval.process_results(point, ["2.0 - 2.0 s"]), lmms_eval.process_results(DOC, ["1.0 - 2.0 s"])]
    found = aggregated(judged)
    assert found["mIoU"] is None
    assert found["R1(iou>=0.5)"] is None
    assert found["mTD"] == 0.0
    assert "score" not in judged[0]["mIoU"]  # lmms-eval takes the error over those that have one


def test_a_video_is_looked_for_where_the_task_or_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "v[1].mp4").touch()
    doc = {**DOC, "media": "v[1].mp4"}
    given = {"media": str(tmp_path / "here")}
    assert lmms_eval.doc_to_visual(doc, given) == [str(tmp_path / "here" / "v[1].mp4")]
    assert lmms_eval.doc_to_visual({**DOC, "media": "v[1]"}, given) == [str(tmp_path / "here" / "v[1].mp4")]
    monkeypatch.setenv(lmms_eval.MEDIA, str(tmp_path / "there"))
    assert lmms_eval.doc_to_visual(doc, given) == [str(tmp_path / "there" / "v[1].mp4")]
    with pytest.raises(FileNotFoundError, match="BENCHWRIGHT_MEDIA"):
        lmms_eval.doc_to_visual({**DOC, "media": "w.mp4"}, given)


def test_a_question_is_asked_between_what_the_task_puts_around_it() -> None:
    assert lmms_eval.doc_to_text(DOC) == "When?"
    assert lmms_eval.doc_to_text(DOC, {"pre_prompt": "<", "post_prompt": ">"}) == "<When?>"
