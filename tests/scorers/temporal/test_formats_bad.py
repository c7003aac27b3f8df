"""Prediction files that cannot be read, each refused with its file, record, field and what was found."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.errors import BenchwrightError
from scorers.temporal.formats import read_predictions

GOOD = {"sample_id": "a", "start_s": 1.0, "end_s": 2.0}
Refused = Callable[[Any, str], str]


@pytest.fixture
def refused(tmp_path: Path) -> Refused:
    """The message about a file of the given content, without the path of its folder."""

    def call(content: Any, name: str = "p.json") -> str:
        path = tmp_path / name
        if isinstance(content, pa.Table):
            pq.write_table(content, path)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        with pytest.raises(BenchwrightError) as failure:
            read_predictions(path)
        return str(failure.value).replace(f"{tmp_path}/", "")

    return call


@pytest.mark.parametrize("time", ["nan", "NaN", "inf", "-inf", "Infinity", "soon", "12 s", "1_0", "0x10", "٣", "1,5"])
def test_text_that_is_not_a_time_is_refused_beside_numbers_and_clocks(refused: Refused, time: str) -> None:
    for other in (1, "0:01", None):
        message = refused([GOOD | {"start_s": other}, GOOD | {"start_s": time}], "p.json")
        assert message == f"p.json: record 2: start_s: found {time!r}, expected seconds or a clock string such as 1:05"


@pytest.mark.parametrize("time", ["1:2:3:4", "-0:30", "1:", ":30", "1:-5", "1:nan", "1:5e1", "1 :05", "1:05s", "--:--"])
def test_clocks_of_another_shape_are_refused(refused: Refused, time: str) -> None:
    assert f"row 1: end_s: found {time!r}" in refused(f"sample_id,start_s,end_s\na,1,{time}\n", "p.csv")


@pytest.mark.parametrize("time", [True, [1], {"a": 1}])
def test_values_that_are_not_times_are_refused(refused: Refused, time: object) -> None:
    assert f"record 1: start_s: found {time}, expected" in refused([GOOD | {"start_s": time}], "p.json")


@pytest.mark.parametrize(("time", "shown"), [(-3, "-3"), (-0.001, "-0.001"), ("1e999", "inf")])
def test_times_below_zero_or_without_end_are_refused(refused: Refused, time: object, shown: str) -> None:
    message = refused([GOOD, GOOD | {"sample_id": "b", "end_s": time}], "p.json")
    assert message == f"p.json: 'b': end: found {shown}, expected a finite time from 0"


def test_every_bad_time_is_named(refused: Refused) -> None:
    times = pa.table({"sample_id": ["a", "b", "c"], "start_s": [-1.0, 1.0, -2.0], "end_s": [1.0, float("inf"), 3.0]})
    lines = refused(times, "p.parquet").split("\n")
    assert [line.partition(": found ")[0] for line in lines] == [
        "p.parquet: 'a': start",
        "p.parquet: 'c': start",
        "p.parquet: 'b': end",
    ]


def test_nan_that_is_written_out_is_not_a_missing_value(refused: Refused) -> None:
    table = pa.table({"sample_id": ["a", "b"], "start_s": [float("nan"), None], "end_s": [1.0, None]})
    expected = "p.parquet: 1 rows: start_s: found NaN, expected a number (leave it null where there is no prediction)"
    assert refused(table, "p.parquet") == expected


def test_columns_of_another_type_are_refused(refused: Refused) -> None:
    for column in (pa.array([True]), pa.array([1], pa.timestamp("s")), pa.array([[1.0]])):
        table = pa.table({"sample_id": ["a"], "start_s": column, "end_s": [1.0]})
        assert f"start_s: found a column of {pq_type(column)}, expected numbers" in refused(table, "p.parquet")
    for column in (pa.array([["a"]]), pa.array([{"x": "a"}]), pa.array([b"\xff"])):
        table = pa.table({"sample_id": column, "start_s": [1.0], "end_s": [1.0]})
        message = refused(table, "p.parquet")
        assert message.startswith("p.parquet: sample_id: found a column of ")
        assert message.endswith("expected text")


def pq_type(column: pa.Array) -> str:
    """How Parquet gives the type back: it has no seconds, and names the items of lists `element`."""
    return {"timestamp[s]": "timestamp[ms]", "list<item: double>": "list<element: double>"}.get(
        str(column.type), str(column.type)
    )


def test_columns_that_lack_or_are_there_twice_are_named(refused: Refused) -> None:
    message = refused("id,start,end\n1,2,3\n", "p.csv")
    assert message == "p.csv: sample_id: found only the columns id, start, end, expected one column 'sample_id'"
    assert "end_s: found only the columns sample_id, start_s" in refused("sample_id,start_s\na,1\n", "p.csv")
    twice = "sample_id,start_s,end_s,start_s\na,1,2,3\n"
    assert refused(twice, "p.csv").endswith("expected one column 'start_s'")
    assert "expected one column 'score'" in refused("sample_id,start_s,end_s,score,score\na,1,2,3,4\n", "p.csv")


def test_a_field_that_some_record_lacks_is_not_a_missing_prediction(refused: Refused) -> None:
    for content, message in (
        ([GOOD, {"sample_id": "b", "start_s": 1, "ends": 2}], "record 2: end_s: found nothing"),
        ([GOOD | {"score": 1}, GOOD], "record 2: score: found nothing"),
        ({"a": {"pred_start": 1, "pred_end": 2}, "b": {"pred_start": 1}}, "'b': pred_end: found nothing"),
        ({"a": {"pred_start": 1, "pred_end": 2}, "b": None}, "'b': found null, expected an object"),
        (
            [{"label": "a", "gt": [1, 2], "pred": None}, {"label": "b", "gt": [1, 2]}],
            "record 2: pred: found nothing",
        ),
        ([{"gt": [1, 2], "pred": [1, 2]}], "record 1: label: found nothing"),
        ([{"video_id": "a", "pred_start": 1}], "record 1: pred_end: found nothing"),
        ([{"pred_relevant_windows": [[1, 2]]}], "record 1: vid: found nothing"),
        ([GOOD, 3], "record 2: found 3, expected an object"),
    ):
        assert message in refused(content, "p.json")


def test_spans_of_another_shape_are_refused(refused: Refused) -> None:
    for pair in ([1], [1, 2, 3], "1-2", {"start": 1}):
        assert "record 1: pred: found" in refused([{"label": "a", "gt": [1, 2], "pred": pair}], "p.json")
    for windows in (None, 5, [3], [[1]], ["1-2"]):
        message = refused([{"qid": 1, "pred_relevant_windows": windows}], "p.json")
        assert message.startswith("p.json: record 1: pred_relevant_windows")
        assert "expected a list" in message


def test_sample_ids_and_scores_must_be_there(refused: Refused) -> None:
    assert "p.csv: row 2: sample_id: found nothing, expected a sample id" in refused(
        "sample_id,start_s,end_s\na,1,2\n,1,2\n", "p.csv"
    )
    assert "row 2: score: found nothing, expected a number in every row" in refused(
        "sample_id,start_s,end_s,score\na,1,2,0.5\na,1,2,\n", "p.csv"
    )
    assert "row 2: score: found 'high', expected a number" in refused(
        "sample_id,start_s,end_s,score\na,1,2,0.5\na,1,2,high\n", "p.csv"
    )


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ({"a": "from 1 to 2", "b": "none"}, "'str'"),
        ({"a": {"llama3_pred": "from 1 to 2"}}, "'llama3_pred'"),
        ([1, 2], "'int'"),
        ([None], "'NoneType'"),
        ("null", "'NoneType'"),
        ([{"id": "a", "start": 1}], "'id, start'"),
        ({"v>>>q": 3}, "'int'"),
    ],
)
def test_an_unknown_format_is_named_with_the_known_ones(refused: Refused, content: Any, found: str) -> None:
    message = refused(content, "p.json")
    assert f"p.json: no known prediction format has records like {found}" in message
    assert "known: table, ual-bench, official, moment-detr, timelens, lmms-eval;" in message
    assert "`benchwright parse`" in message


def test_free_answers_are_to_be_parsed_first(refused: Refused) -> None:
    message = refused({"v>>>q>>>t": "text", "w": "text"}, "p.json")
    assert message.startswith("p.json holds free answers: ")
    assert "`benchwright parse`" in message
