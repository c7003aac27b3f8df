"""Prediction files in every format: what is read out of each, and that the format is found out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.errors import InputError, UsageError
from scorers.table_files import write_table
from scorers.temporal.formats import FORMATS, read_predictions
from scorers.temporal.table import Predictions

Spans = list[tuple[str, float | None, float | None]]
NAN = float("nan")


def spans(predictions: Predictions) -> Spans:
    """(key, start, end) of every window in file order, None for no time."""
    keys = predictions.keys.take(pa.array(predictions.entry)).to_pylist()
    times = ([None if np.isnan(t) else t for t in side.tolist()] for side in (predictions.start, predictions.end))
    return list(zip(keys, *times, strict=True))


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Predictions]:
    """Read a file of the given content: text, lines of JSON, a table, or anything that is one JSON value."""

    def call(content: Any, name: str = "predictions.json", format: str | None = None) -> Predictions:
        path = tmp_path / name
        if isinstance(content, pa.Table):
            pq.write_table(content, path)
        elif name.endswith(".jsonl"):
            path.write_text("\n".join(map(json.dumps, content)), encoding="utf-8")
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return read_predictions(path, format)

    return call


Read = Callable[..., Predictions]

OURS: Spans = [("a", 1.5, 3.0), ("b", 5.0, 65.25), ("c", None, None)]
RECORDS = [dict(zip(("sample_id", "start_s", "end_s"), span, strict=True)) for span in OURS]
TABLE = pa.table({"end_s": [3, 65.25, None], "sample_id": ["a", "b", "c"], "start_s": [1.5, 5, None]})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.csv", "sample_id,start_s,end_s\na,1.5,3\nb,5,1:05.25\nc,,\n"),
        ("p.csv", 'end_s,other,start_s,sample_id\n"3",,1.50,a\n 65.25 ,x,0:00:05,b\n,y,"",c\n'),
        ("p.tsv", "sample_id\tstart_s\tend_s\na\t1.5\t3\nb\t5\t65.25\nc\t\t\n"),
        ("p.json", RECORDS),
        ("p.jsonl", RECORDS),
        ("p.parquet", TABLE),
    ],
    ids=["csv", "csv in another order", "tsv", "json", "jsonl", "parquet"],
)
def test_our_own_format_is_read_from_every_kind_of_file(read: Read, name: str, content: Any) -> None:
    predictions = read(content, name)
    assert spans(predictions) == OURS
    assert predictions.entry.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "kind", [pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int8(), pa.string())]
)
def test_sample_ids_of_any_text_type_are_read(read: Read, kind: pa.DataType) -> None:
    ids = pa.array(["a", "b", "c"]).cast(kind)
    assert spans(read(TABLE.set_column(1, "sample_id", ids), "p.parquet")) == OURS


@pytest.mark.parametrize("kind", [pa.int8(), pa.float32(), pa.decimal128(12, 2), pa.large_string(), pa.string_view()])
def test_times_of_any_type_that_holds_numbers_are_read(read: Read, kind: pa.DataType) -> None:
    starts = pa.array([1, 5, None], pa.int32()).cast(kind)
    found = spans(read(TABLE.set_column(2, "start_s", starts), "p.parquet"))
    assert found == [("a", 1.0, 3.0), ("b", 5.0, 65.25), ("c", None, None)]


def test_times_that_repeat_may_be_encoded_and_all_may_be_missing(read: Read) -> None:
    clocks = pa.array(["0:01", "0:01", None]).dictionary_encode()
    table = TABLE.set_column(2, "start_s", clocks).set_column(0, "end_s", pa.nulls(3))
    assert spans(read(table, "p.parquet")) == [("a", 1, None), ("b", 1, None), ("c", None, None)]


def test_numeric_sample_ids_are_names(read: Read) -> None:
    assert spans(read([{"sample_id": 7, "start_s": 1, "end_s": 2}])) == [("7", 1, 2)]
    table = pa.table({"sample_id": [7], "start_s": [1], "end_s": [2]})
    assert spans(read(table, "p.parquet")) == [("7", 1, 2)]


def test_a_score_ranks_the_windows_of_a_sample_and_equal_ones_keep_their_order(read: Read) -> None:
    text = "sample_id,start_s,end_s,score\nb,1,2,0.5\na,3,4,-1\nb,5,6,7e-1\nb,7,8,0.5\na,,,-0.5\n"
    predictions = read(text, "p.csv")
    assert spans(predictions) == [("b", 5, 6), ("b", 1, 2), ("b", 7, 8), ("a", None, None), ("a", 3, 4)]
    assert predictions.keys.to_pylist() == ["b", "a"]
    rows = [dict(zip(("sample_id", "start_s", "end_s", "score"), ("a", n, n, n), strict=True)) for n in range(3)]
    assert spans(read(rows, "p.jsonl")) == [("a", 2, 2), ("a", 1, 1), ("a", 0, 0)]


def test_the_published_objects(read: Read) -> None:
    published = {
        "clip 0": {"videochat2_pred": "from ...", "pred_start": "00:00:15", "pred_end": "40:00:47", "start_time": 3},
        "clip 1": {"pred_start": "1:05", "pred_end": "0:75"},
        "clip 2": {"pred_start": None, "pred_end": None},
        "clip 3": {"pred_start": 2.5, "pred_end": 7},
        "clip 4": {"pred_start": "3.0", "pred_end": None},
    }
    predictions = read(published)
    assert spans(predictions) == [
        ("clip 0", 15, 144_047),
        ("clip 1", 65, 75),
        ("clip 2", None, None),
        ("clip 3", 2.5, 7),
        ("clip 4", 3, None),
    ]
    assert (predictions.truth, predictions.queries) == (None, None)


def test_the_published_arrays_quote_the_truth(read: Read) -> None:
    published = [
        {"label": "v_1", "gt": ["00:18", "00:24"], "pred": ["00:00", "00:03"]},
        {"label": "v_1", "gt": [27, 32.5], "pred": [None, None]},
        {"label": "v_2", "gt": None, "pred": None},
    ]
    predictions = read(published)
    assert spans(predictions) == [("v_1", 0, 3), ("v_1", None, None), ("v_2", None, None)]
    assert predictions.truth is not None
    np.testing.assert_array_equal(predictions.truth, [[18, 27, NAN], [24, 32.5, NAN]])


def test_the_template_of_the_official_evaluator(read: Read) -> None:
    filled = [
        {"video_id": "v_1", "start_time": 18, "end_time": 24.0, "pred_start": 0, "pred_end": 3.5},
        {"video_id": "v_1", "start_time": 27, "end_time": 32, "pred_start": None, "pred_end": None},
    ]
    for name in ("p.json", "p.jsonl"):
        predictions = read(filled, name)
        assert spans(predictions) == [("v_1", 0, 3.5), ("v_1", None, None)]
        np.testing.assert_array_equal(predictions.truth, [[18, 27], [24, 32]])
    without = [{"video_id": 5, "pred_start": 1, "pred_end": 2}]
    assert spans(read(without)) == [("5", 1, 2)]


def test_ranked_windows_of_moment_detr(read: Read) -> None:
    submitted = [
        {"qid": 9, "vid": "v", "query": "q", "pred_relevant_windows": [[5, 6, 0.9], [1, 2.5, 0.4], ["0:01", "1:00"]]},
        {"qid": 3, "vid": "w", "query": "r", "pred_relevant_windows": [], "pred_saliency_scores": [0.1]},
        {"qid": 4, "vid": "v", "query": "s", "pred_relevant_windows": [[7.5, 8, 1]]},
    ]
    predictions = read(submitted, "p.jsonl")
    assert spans(predictions) == [("9", 5, 6), ("9", 1, 2.5), ("9", 1, 60), ("3", None, None), ("4", 7.5, 8)]
    assert predictions.queries == ["q", "r", "s"]
    assert predictions.videos is not None
    assert predictions.videos.to_pylist() == ["v", "w", "v"]


def test_moment_detr_files_without_a_query_or_a_number_go_by_what_they_have(read: Read) -> None:
    predictions = read([{"qid": "a", "pred_relevant_windows": [[1, 2]]}], "p.jsonl")
    assert predictions.warnings == ()
    assert (spans(predictions), predictions.queries, predictions.videos) == ([("a", 1, 2)], None, None)
    predictions = read([{"vid": "v", "query": "q", "pred_relevant_windows": [[1, 2]]}], "p.jsonl")
    assert (spans(predictions), predictions.queries) == ([("v", 1, 2)], ["q"])


def test_the_format_may_be_named_and_must_then_fit(read: Read) -> None:
    record = {"sample_id": "a", "start_s": 1, "end_s": 2, "video_id": "v", "pred_start": 3, "pred_end": 4}
    assert spans(read([record], format="table")) == [("a", 1, 2)]
    assert spans(read([record], format="official")) == [("v", 3, 4)]
    with pytest.raises(InputError, match="record 1: pred_relevant_windows: found nothing"):
        read([record], format="moment-detr")
    with pytest.raises(UsageError, match="unknown prediction format 'oficial'; did you mean official"):
        read([record], format="oficial")
    assert set(FORMATS) == {"table", "ual-bench", "official", "moment-detr", "timelens", "lmms-eval"}


TIMES = st.lists(st.tuples(st.text("abc 'é\n\"", min_size=1), *[st.none() | st.floats(0, 1e9)] * 2), min_size=1)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TIMES, st.sampled_from(["p.parquet", "p.csv", "p.json", "p.CSV"]))
def test_what_is_written_is_read_back(tmp_path: Path, rows: Spans, name: str) -> None:
    keys, *times = zip(*rows, strict=True)
    start, end = (pa.array(side, pa.float64()) for side in times)
    write_table(tmp_path / name, pa.table({"sample_id": keys, "start_s": start, "end_s": end}))
    assert spans(read_predictions(tmp_path / name)) == rows


def test_windows_with_scores_in_another_order_are_ranked_by_score_and_told(read: Read) -> None:
    windows = {
        "a": [[5, 12, 0.2], [2, 9, 0.9], [3, 4, 0.2]],
        "b": [[1, 2, 0.9], [3, 4, 0.9], [5, 6, 0.1]],
        "c": [[1, 2], [3, 4, 0.9]],
        "d": [[1, 2, 0], [3, 4, 1]],
    }
    predictions = read([{"qid": name, "pred_relevant_windows": ranked} for name, ranked in windows.items()], "p.jsonl")
    starts = [start for _, start, _ in spans(predictions)]
    assert starts == [2, 5, 3, 1, 3, 5, 1, 3, 3, 1]
    told = "2 of 4 predictions list windows in another order than that of their scores, and are ranked by score"
    assert predictions.warnings == (told,)


def test_timestamps_by_video_query_and_truth(read: Read) -> None:
    answer = {"timestamps": [[2.5, "0:09"], [1, 2]], "answers": "The event happens in 2.5 - 9.0 seconds."}
    predictions = read({"v.mp4>>>a query>>>[2.0, 9.5]": answer, "w>>>b>>>[1, 2]": {"timestamps": None, "duration": 3}})
    assert [times[1:] for times in spans(predictions)] == [(2.5, 9), (1, 2), (None, None)]
    assert predictions.videos is not None
    assert (predictions.videos.to_pylist(), predictions.queries) == (["v.mp4", "w"], ["a query", "b"])
    assert read({"test/00001": answer}).videos is None
