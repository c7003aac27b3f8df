"""Free answers of a manifest's rows to predictions, the rows to look at, and a person's edits on their way back."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.parsing import Parsed, parse_file, read_edits, windows_of, write_review
from schemas.errors import InputError, UsageError
from schemas.manifest import Manifest
from scorers.answers import REVIEW_SCHEMA
from scorers.temporal.expressions import Metric
from scorers.temporal.scorer import SCORER
from scorers.temporal.spans import Spans
from scorers.temporal.truth import Truth, read_truth

NAN = float("nan")
ANSWERS = {
    "v_ArmFlapping_01_b_01": "The person flaps from 0:09 to 0:15.",
    "v_ArmFlapping_01_b_02": 'Here it is:\n{"start_time": 22.5, "end_time": 30}',
    "v_ArmFlapping_16_b_01": "It starts at 12 seconds,\nand then goes on.",
    "v_HeadBanging_19_b_01": "I cannot see the video, sorry.",
    "v_HeadBanging_19_b_02": "from 128.0 s to 100.5 s",
    "v_Spinning_07_b_01": "between 3 and 900 seconds",
    "v_Spinning_07_b_02": "",
}
STATUSES = {"ok": 2, "reversed": 1, "single": 1, "out_of_range": 1, "none": 1, "refusal": 1}


@pytest.fixture
def truth(sample_manifest: Callable[..., Manifest]) -> Truth:
    return read_truth(sample_manifest("uag-ssbd"))


@pytest.fixture
def parse(truth: Truth, tmp_path: Path) -> Callable[..., Parsed]:
    """Parse answers into `out.parquet`."""

    def call(answers: Any, patterns: str = "general", scale: str = "seconds", edits: Path | None = None) -> Parsed:
        path = tmp_path / "answers.json"
        path.write_text(json.dumps(answers), encoding="utf-8")
        return parse_file(path, tmp_path / "out.parquet", truth, patterns, scale, edits)

    return call


Parse = Callable[..., Parsed]


def predicted(path: Path, truth: Truth, ranks: int = 1) -> Spans:
    return SCORER.read(path, truth, [Metric("iou", 0.5, rank=ranks)], {}).predictions


def times(tmp_path: Path, truth: Truth) -> list[tuple[float | None, float | None]]:
    spans = predicted(tmp_path / "out.parquet", truth)
    sides = ([None if np.isnan(t) else t for t in side.tolist()] for side in spans)
    return list(zip(*sides, strict=True))


def test_answers_become_predictions_with_a_status_each(parse: Parse, tmp_path: Path, truth: Truth) -> None:
    parsed = parse(ANSWERS)
    assert parsed.statuses == STATUSES
    assert parsed.warnings == ["1 of 8 rows have no prediction ('v_Spinning_18_b_01')"]
    assert sum(parsed.patterns.values()) == 5
    none = (None, None)
    assert times(tmp_path, truth) == [(9, 15), (22.5, 30), none, none, (128, 100.5), (3, 900), none, none]
    table = pq.ParquetFile(tmp_path / "out.parquet").read()
    assert table.column_names == ["sample_id", "start_s", "end_s", "status", "pattern"]
    assert table["status"].to_pylist()[:3] == ["ok", "ok", "single"]


def test_the_rows_in_doubt_are_written_and_read_back_unchanged(parse: Parse, tmp_path: Path) -> None:
    parsed, review = parse(ANSWERS), tmp_path / "review.csv"
    before = (tmp_path / "out.parquet").read_bytes()
    write_review(review, parsed.review, None)
    assert [name for name, _, _ in read_edits(review)] == list(ANSWERS)[2:]
    again = parse(ANSWERS, edits=review)
    assert again.statuses == STATUSES
    assert again.review.equals(parsed.review)
    assert (tmp_path / "out.parquet").read_bytes() == before


def test_edits_change_the_rows_that_they_change(parse: Parse, tmp_path: Path, truth: Truth) -> None:
    review = tmp_path / "review.csv"
    write_review(review, parse(ANSWERS).review, None)
    text = review.read_text(encoding="utf-8")
    for old, new in (
        ('"v_ArmFlapping_16_b_01",12,,', '"v_ArmFlapping_16_b_01",12,0:19,'),
        ('"v_HeadBanging_19_b_02",128,100.5,', '"v_HeadBanging_19_b_02",100.5,128,'),
        ('"v_Spinning_07_b_01",3,900,', '"v_Spinning_07_b_01",,,'),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    review.write_text(text, encoding="utf-8")
    edited = parse(ANSWERS, edits=review)
    assert edited.statuses == {"ok": 2, "none": 1, "refusal": 1, "edited": 3}
    none = (None, None)
    assert times(tmp_path, truth) == [(9, 15), (22.5, 30), (12, 19), none, (100.5, 128), none, none, none]
    assert edited.review["sample_id"].to_pylist() == ["v_HeadBanging_19_b_01", "v_Spinning_07_b_02"]


def test_a_file_of_edits_is_never_replaced(parse: Parse, tmp_path: Path) -> None:
    review = tmp_path / "review.csv"
    parsed = parse(ANSWERS)
    write_review(review, parsed.review, None)
    work = review.read_bytes()
    (tmp_path / "link.csv").symlink_to(review)
    write_review(review, parsed.review.slice(2), review)
    write_review(tmp_path / "link.csv", parsed.review.slice(2), review)
    assert review.read_bytes() == work
    write_review(tmp_path / "rest.csv", parsed.review.slice(2), review)
    assert len(read_edits(tmp_path / "rest.csv")) == 3
    with pytest.raises(UsageError, match="may have been edited"):
        write_review(review, parsed.review.slice(2))
    write_review(review, parsed.review)  # as it is there already
    assert review.read_bytes() == work
    write_review(review, parsed.review.slice(2), force=True)
    assert len(read_edits(review)) == 3


@given(st.lists(st.text("=+-@'\t\ra,\" \n", min_size=1), min_size=1, unique=True))
def test_names_that_a_spreadsheet_would_run_are_inert_and_read_back(names: list[str]) -> None:
    texts = {"status": "none", "reason": "no span", "pattern": "", "matched": "", "answer": "=HYPERLINK(1)"}
    table = pa.Table.from_pylist([texts | {"sample_id": name} for name in names], schema=REVIEW_SCHEMA)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "review.csv"
        write_review(path, table)
        assert [name for name, *_ in read_edits(path)] == names
        with path.open(newline="", encoding="utf-8") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells)


def test_a_review_without_rows_is_not_an_edit(parse: Parse, tmp_path: Path) -> None:
    review = tmp_path / "review.csv"
    answers = dict(list(ANSWERS.items())[:2])
    write_review(review, parse(answers).review, None)
    assert read_edits(review) == []
    assert parse(answers, edits=review).statuses == {"ok": 2}


ROW = "row 1 'v_Spinning_07_b_01'"


@pytest.mark.parametrize(
    ("text", "record", "field", "found"),
    [
        ("sample_id,start\na,1\n", "", "end", "only the columns sample_id, start"),
        ("sample_id,start,end,end\na,1,2,3\n", "", "end", "it twice among the columns sample_id, start, end, end"),
        ("", "", "", "an empty file"),
        (
            "sample_id,start,end\nv_Spinning_18_b_01,1,2\n",
            "row 1 'v_Spinning_18_b_01'",
            "sample_id",
            "'v_Spinning_18_b_01'",
        ),
        ("sample_id,start,end\nv_Spinning_07_b_01,1,\n", ROW, "end", "nothing"),
        ("sample_id,start,end\nv_Spinning_07_b_01,soon,2\n", ROW, "start", "'soon'"),
        ("sample_id,start,end\nv_Spinning_07_b_01,1,67\n", ROW, "end", "'67'"),
        ("sample_id,start,end\n" + "v_Spinning_07_b_01,1,2\n" * 2, ROW, "sample_id", "2 rows"),
    ],
)
def test_edits_that_cannot_be_meant_are_refused_and_nothing_is_written(
    parse: Parse, tmp_path: Path, text: str, record: str, field: str, found: str
) -> None:
    edits = tmp_path / "edits.csv"
    edits.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as failure:
        parse(ANSWERS, edits=edits)
    problem = failure.value.problems[0]
    assert (problem.file, problem.record, problem.field, problem.found) == (str(edits), record, field, found)
    assert not (tmp_path / "out.parquet").exists()


def test_windows_of_one_answer_are_ranked(parse: Parse, tmp_path: Path, truth: Truth) -> None:
    parse({"v_Spinning_18_b_01": '{"relevant_windows": [[5, 9], [1, 2], [7, 8]]}'})
    start, end = predicted(tmp_path / "out.parquet", truth, ranks=5)
    assert (start[7].tolist(), end[7].tolist()) == ([5, 1, 7], [9, 2, 8])


def test_bare_numbers_are_on_the_scale_that_is_said(parse: Parse, tmp_path: Path, truth: Truth) -> None:
    answer = {"v_Spinning_18_b_01": "from 25 to 50"}
    for scale, span in (
        ("seconds", (25, 50)),
        ("percent", (53, 106)),
        ("frames:100", (53, 106)),
        ("frames:5fps", (5, 10)),
    ):
        parse(answer, scale=scale)
        assert times(tmp_path, truth)[7] == span
    with pytest.raises(UsageError, match="unknown time scale 'hours'"):
        parse(answer, scale="hours")


def test_the_official_patterns_go_by_benchmark_and_model(parse: Parse) -> None:
    text = 'From 0:05 on:\n{"start_time": 1.5, "end_time": 3.0}\nuntil 0:09.'
    for field, expected in (("llama3_pred", "json-snake-case"), ("videochat2_pred", "two-clocks")):
        parsed = parse({"v_Spinning_18_b_01": {field: text, "output": "from 7 s to 8 s"}}, patterns="official")
        assert parsed.patterns == {expected: 1}
    with pytest.raises(UsageError, match="offical"):
        parse({"v_Spinning_18_b_01": text}, patterns="offical")


def test_windows_are_ranked_by_a_score() -> None:
    window = pa.struct([("start_s", pa.float64()), ("end_s", pa.float64()), ("score", pa.float64())])
    windows = [[{"start_s": 1, "end_s": 2, "score": 0.1}, {"start_s": 3, "end_s": 4, "score": 0.9}], []]
    parsed = pa.table(
        {"windows": pa.array(windows, pa.list_(window)), "status": ["ok", "none"], "pattern": ["json", None]}
    )
    table = windows_of(pa.array(["a", "b"]), parsed)
    spans = [table[name].to_pylist() for name in ("sample_id", "start_s", "end_s")]
    assert spans == [["a", "a", "b"], [1, 3, None], [2, 4, None]]
    assert table["status"].to_pylist() == ["ok", "ok", "none"]
    assert table["score"].to_pylist() == [1, 0.5, 1]
    assert "score" not in windows_of(pa.array(["b"]), parsed.slice(1)).column_names


def test_a_dump_of_lmms_eval_goes_by_video_and_query(sample_manifest: Callable[..., Manifest], tmp_path: Path) -> None:
    truth = read_truth(sample_manifest("charades-sta"))
    dump = {
        "T4MQB>>>the person is reading.>>>[7.7, 19.2]": "from 8 to 19",
        "T4MQB>>>person takes a book from the shelf.>>>[0.0, 8.3]": "from 0 to 8",
        "T4MQB>>>person sings.>>>[0.0, 8.3]": "from 1 to 2",
    }
    path, out = tmp_path / "dump.json", tmp_path / "out.json"
    path.write_text(json.dumps(dump), encoding="utf-8")
    parsed = parse_file(path, out, truth, "general", "seconds", None)
    assert parsed.warnings == [
        "1 prediction names no row of the manifest ('T4MQB>>>person sings.>>>[0.0, 8.3]') and is left out",
        "6 of 8 rows have no prediction ('test/00002', 'test/00004', 'test/00005', ...)",
    ]
    np.testing.assert_array_equal(predicted(out, truth).start, [0, NAN, 8, *[NAN] * 5])


def test_answers_of_unknown_rows_and_twice_are_refused(parse: Parse, tmp_path: Path) -> None:
    twice = [{"id": "v_Spinning_18_b_01", "answer": "from 1 to 2"}] * 2
    for answers, found in (({"test_0": "from 1 to 2"}, "uag-funqa"), (twice, "1 rows with several predictions")):
        with pytest.raises(InputError) as failure:
            parse(answers)
        (problem,) = failure.value.problems
        assert problem.file == str(tmp_path / "answers.json")
        assert found in problem.found
    assert not (tmp_path / "out.parquet").exists()


RAW = "predictions/raw"


@pytest.mark.real_data
@pytest.mark.parametrize("file", ["uag-oops_videollama.json", "uag-ssbd_blip2_llama3.json"])
@pytest.mark.parametrize("patterns", ["general", "official"])
def test_real_answers_and_their_review_make_a_round_trip(
    real_data: Path, real_manifest: Callable[..., Manifest], tmp_path: Path, file: str, patterns: str
) -> None:
    truth = read_truth(real_manifest(file.partition("_")[0]))
    out, review = tmp_path / "out.parquet", tmp_path / "review.csv"
    parsed = parse_file(real_data / RAW / file, out, truth, patterns, "seconds", None)
    assert sum(parsed.statuses.values()) == len(truth)
    before = out.read_bytes()
    write_review(review, parsed.review, None)
    assert parse_file(real_data / RAW / file, out, truth, patterns, "seconds", review).statuses == parsed.statuses
    assert out.read_bytes() == before


@pytest.mark.real_data
def test_official_patterns_on_real_answers_give_the_authors_spans(
    real_data: Path, real_manifest: Callable[..., Manifest], tmp_path: Path
) -> None:
    truth, raw = read_truth(real_manifest("uag-oops")), real_data / RAW / "uag-oops_videollama.json"
    parse_file(raw, tmp_path / "out.parquet", truth, "official", "seconds", None)
    ours, authors = predicted(tmp_path / "out.parquet", truth), predicted(raw, truth)
    np.testing.assert_array_equal(ours, authors)
    assert np.count_nonzero(np.isnan(ours.start)) == 430


def test_requests_without_a_reply_have_a_status_and_a_reason_and_stop_nothing(
    sample_manifest: Callable[..., Manifest], tmp_path: Path
) -> None:
    truth = read_truth(sample_manifest("charades-sta"))
    choice = {"finish_reason": "length", "message": {"content": "the event starts at 2 seconds and"}}
    responses: list[dict[str, Any]] = [
        {"response": {"status_code": 200, "body": {"choices": [{"message": {"content": "from 2 to 9 seconds"}}]}}},
        {"response": {"status_code": 429, "body": {"error": {"message": "Rate limit reached"}}}, "error": None},
        {"response": None, "error": {"code": "batch_expired", "message": "not executed"}},
        {"response": {"status_code": 200, "body": {"choices": [choice]}}},
        {"response": {"status_code": 200, "body": {"choices": []}}},
    ]
    path, out = tmp_path / "answers.jsonl", tmp_path / "out.parquet"
    lines = [json.dumps({"custom_id": f"test/{n:05}", **reply}) for n, reply in enumerate(responses, 1)]
    path.write_text("\n".join(lines), encoding="utf-8")
    parsed = parse_file(path, out, truth)
    assert parsed.statuses == {"ok": 1, "single": 1, "failed": 1, "rate_limited": 1, "expired": 1}
    assert parsed.warnings[0] == "3 requests failed without an answer ('test/00002': Rate limit reached)"
    assert parsed.review["reason"].to_pylist() == [
        "the request was over a rate limit; Rate limit reached",
        "the request expired; not executed",
        "only one time; the reply ended with length",
        "the request failed; no text in the reply",
    ]
    assert predicted(out, truth).start[0] == 2
    review = tmp_path / "review.csv"
    write_review(review, parsed.review, None)
    assert parse_file(path, out, truth, edits=review).statuses == parsed.statuses
