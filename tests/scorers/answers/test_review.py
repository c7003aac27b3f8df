"""The review table, and a person's edits on their way back."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

from schemas.errors import InputError, UsageError
from scorers.answers import ANSWER_SCHEMA, REVIEW_SCHEMA, apply_edits, needs_review, parse_answers, review_table

IDS = ["a", "b", "c", "d"]
TEXTS = ["from 3 s to 7 s", "at 5 seconds", "from 9 s to 4 s", None]


@pytest.fixture
def parsed() -> pa.Table:
    return parse_answers(TEXTS)


def test_the_review_table_holds_the_rows_in_doubt(parsed: pa.Table) -> None:
    table = review_table(IDS, TEXTS, parsed)
    assert table.schema == REVIEW_SCHEMA
    assert table["sample_id"].to_pylist() == ["b", "c", "d"]
    assert table["status"].to_pylist() == ["single", "reversed", "none"]
    assert table["reason"].to_pylist() == ["only one time", "the end lies before the start", "no span"]
    assert table["start"].to_pylist() == [5, 9, None]
    assert table["answer"].to_pylist() == TEXTS[1:]


def test_edits_replace_spans_and_set_the_status(parsed: pa.Table) -> None:
    edited = apply_edits(IDS, parsed, [("b", "0:05", "6.5"), ("c", 4, 9), ("d", "12:34.5", "1:00:00")])
    assert edited.schema == ANSWER_SCHEMA
    assert edited["start_s"].to_pylist() == [3, 5, 4, 754.5]
    assert edited["end_s"].to_pylist() == [7, 6.5, 9, 3600]
    assert edited["status"].to_pylist() == ["ok", "edited", "edited", "edited"]
    assert edited["windows"].to_pylist()[1] == [{"start_s": 5, "end_s": 6.5, "score": None}]
    assert needs_review(edited).to_pylist() == [None] * 4


def test_the_review_table_read_back_unchanged_changes_nothing(parsed: pa.Table) -> None:
    rows = review_table(IDS, TEXTS, parsed).select(["sample_id", "start", "end"]).to_pylist()
    untouched = [row for row in rows if row["sample_id"] != "b" and row["sample_id"] != "c"]
    again = apply_edits(IDS, parsed, [(row["sample_id"], row["start"], row["end"]) for row in untouched])
    assert again.equals(parsed)
    assert apply_edits(IDS, parsed, []).equals(parsed)


def test_rows_left_single_or_reversed_are_no_edits(parsed: pa.Table) -> None:
    rows = review_table(IDS, TEXTS, parsed).select(["sample_id", "start", "end"]).to_pylist()
    edits = [(row["sample_id"], row["start"], "" if row["end"] is None else str(row["end"])) for row in rows]
    assert apply_edits(IDS, parsed, edits).equals(parsed)


@pytest.mark.parametrize("empty", ["", "  ", None, math.nan])
def test_empty_cells_take_the_span_away(parsed: pa.Table, empty: object) -> None:
    edited = apply_edits(IDS, parsed, [("a", empty, empty)]).to_pylist()[0]
    assert (edited["start_s"], edited["end_s"], edited["status"], edited["windows"]) == (None, None, "edited", [])


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (("z", 1, 2), "row 1 'z': sample_id"),
        (("a", "soon", 2), "start: found 'soon'"),
        (("a", True, 2), "start: found True"),
        (("a", "0:75", 90), "start: found '0:75'"),
        (("a", math.inf, 2), "start: found inf"),
        (("a", -1, 2), "start: found -1"),
        (("a", 1, ""), "end: found nothing, expected both times"),
        (("a", "", 1), "start: found nothing, expected both times"),
        (("a", 5, 4), "end: found 4, expected no less than the start, 5"),
        (("a", 1, 11), "at most the duration of the video, 10 s"),
    ],
)
def test_a_wrong_edit_is_refused(parsed: pa.Table, edit: tuple[str, object, object], message: str) -> None:
    with pytest.raises(InputError) as error:
        apply_edits(IDS, parsed, [edit], durations=[10.0, None, 10.0, 10.0], file="review.csv")
    assert str(error.value).startswith("review.csv: row 1 ")
    assert message in str(error.value)


def test_all_wrong_edits_are_reported_together(parsed: pa.Table) -> None:
    with pytest.raises(InputError) as error:
        apply_edits(IDS, parsed, [("a", 1, 2), ("a", 1, 3), ("z", 1, 2), ("b", "x", "y")])
    assert len(error.value.problems) == 5


def test_other_lengths_are_usage_errors(parsed: pa.Table) -> None:
    with pytest.raises(UsageError):
        apply_edits(IDS[:3], parsed, [])
    with pytest.raises(UsageError):
        apply_edits(IDS, parsed, [], durations=[1.0])
