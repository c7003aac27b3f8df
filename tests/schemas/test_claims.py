"""Claims: rebuilding a printed number from a table, and judging it."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.cards import Claim
from schemas.claims import judge, measured
from schemas.errors import BenchwrightError

TABLE = pa.table(
    {
        "sample_id": ["a", "b", "c", "d"],
        "split": ["train", "test", "test", "test"],
        "video": ["v_one", "v_two", "v_two", "w_one"],
        "description": ["né", "a  b", " c d e\n", None],
        "duration_s": [2.0, 4.0, 4.0, None],
        "image_id": [7, 8, 8, 70],
    }
)


def claim(aggregate: str = "rows", paper: float = 0, **fields: Any) -> Claim:
    return Claim(name="a claim", where="Table 1", paper=paper, aggregate=aggregate, **fields)


@pytest.mark.parametrize(
    ("aggregate", "fields", "value"),
    [
        ("rows", {}, 4),
        ("rows", {"split": "test"}, 3),
        ("rows", {"split": "val"}, 0),
        ("rows", {"only": {"video": "v_two"}}, 2),
        ("rows", {"only": {"video": "v_*"}}, 3),
        ("rows", {"only": {"video": "v_*", "split": "test"}}, 2),
        ("rows", {"only": {"image_id": "7"}}, 1),
        ("rows", {"only": {"image_id": "7*"}}, 2),
        ("distinct", {"column": "video"}, 3),
        ("distinct", {"column": "duration_s"}, 2),
        ("mean", {"column": "duration_s"}, 10 / 3),
        ("mean", {"column": "duration_s", "per": "video"}, 3),
        ("mean", {"column": "duration_s", "split": "test", "per": "video"}, 4),
        ("mean_characters", {"column": "description"}, (2 + 4 + 7) / 3),
        ("mean_words", {"column": "description"}, (1 + 2 + 3) / 3),
        ("mean", {"column": "duration_s", "only": {"video": "w_one"}}, None),
        ("mean_words", {"column": "description", "split": "val"}, None),
    ],
)
def test_measures_what_the_claim_describes(aggregate: str, fields: dict[str, Any], value: float | None) -> None:
    assert measured(claim(aggregate, **fields), TABLE) == value


NESTED = pa.table(
    {
        "split": ["train", "test", "test"],
        "persons": [[{"ids": [{"id": 1}, {"id": 3}]}, {"ids": []}], [], [{"ids": [{"id": 3}, {"id": 9}]}]],
        "labels": [[2, 2], [], [1]],
    }
)


@pytest.mark.parametrize(
    ("aggregate", "fields", "value"),
    [
        ("items", {"column": "persons"}, 3),
        ("items", {"column": "persons.ids"}, 4),
        ("items", {"column": "persons.ids.id", "split": "test"}, 2),
        ("distinct", {"column": "persons.ids.id"}, 3),
        ("distinct", {"column": "labels"}, 2),
        ("mean", {"column": "labels"}, 5 / 3),
        ("equal_counts", {"column": "labels", "counts": [1, 2, 0]}, 3),
        ("equal_counts", {"column": "labels", "counts": [1, 1, 0]}, 2),
        ("equal_counts", {"column": "labels", "counts": [0]}, 0),
        ("equal_counts", {"column": "persons.ids.id", "split": "test", "counts": [0, 0, 1]}, 3),
    ],
)
def test_a_path_leads_into_lists_and_records(aggregate: str, fields: dict[str, Any], value: float) -> None:
    assert measured(claim(aggregate, **fields), NESTED) == value
    chunked = pa.concat_tables([NESTED.slice(0, 1), NESTED.slice(1)])
    assert measured(claim(aggregate, **fields), chunked) == value


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_a_mean_does_not_depend_on_the_order_of_rows(values: list[float]) -> None:
    mean = claim("mean", column="a")
    assert measured(mean, pa.table({"a": values})) == measured(mean, pa.table({"a": values[::-1]}))
    assert measured(mean, pa.table({"a": values})) == math.fsum(values) / len(values)


@pytest.mark.parametrize(
    ("aggregate", "fields"),
    [
        ("mean", {"column": "widht"}),
        ("distinct", {"column": "text.id"}),
        ("mean", {"column": "text"}),
        ("rows", {"only": {"widht": "1"}}),
        ("rows", {"per": "widht"}),
    ],
)
def test_a_claim_that_cannot_be_measured_names_itself_and_the_columns(aggregate: str, fields: dict[str, Any]) -> None:
    table = pa.table({"sample_id": ["a"], "width": [1], "text": ["x"]})
    with pytest.raises(BenchwrightError, match=r"claim 'a claim': .* \(columns: sample_id, width, text\)"):
        measured(claim(aggregate, **fields), table)


def verdict(value: float | None, made: Claim, parameters: dict[str, str] | None = None, cause: str = "") -> tuple:
    judgement = judge(made, value, parameters=parameters or {}, cause=cause)
    assert (judgement.claim, judgement.where, judgement.paper) == (made.name, made.where, made.paper)
    assert judgement.value == value
    return judgement.verdict, judgement.reason, judgement.as_expected


def test_a_value_that_prints_like_the_paper_is_reproduced() -> None:
    assert verdict(1589.0, claim(paper=1589)) == ("reproduced", "", True)
    assert verdict(30.5893, claim(paper=30.59, digits=2)) == ("reproduced", "", True)
    assert verdict(33.05, claim(paper=33, reason="counted in characters")) == (
        "reproduced",
        "counted in characters",
        True,
    )


def test_a_value_cut_off_after_the_printed_digits_is_reproduced_and_says_so() -> None:
    made = claim(paper=93.52, digits=2, reason="counted in characters")
    assert verdict(93.5275, made) == ("reproduced", "cut off, not rounded; counted in characters", True)
    assert verdict(93.5299, made)[0] == "reproduced"
    assert verdict(93.5301, made)[0] == "differs"
    assert verdict(93.51, made)[0] == "differs"


def test_another_value_differs_and_gives_the_cause_of_this_build_or_the_cards_reason() -> None:
    made = claim(paper=1589, reason="the card knows")
    assert verdict(1590.0, made) == ("differs", "the card knows", False)
    assert verdict(1590.0, made, cause="built with onset.pick=latest") == (
        "differs",
        "built with onset.pick=latest",
        False,
    )


def test_a_claim_known_to_differ_is_as_expected_with_its_own_reason() -> None:
    made = claim(paper=104, expected="differs", reason="lower case in the published file")
    assert verdict(0.0, made, cause="built with x.y=z") == ("differs", "lower case in the published file", True)
    assert verdict(104.0, made)[::2] == ("reproduced", True)


def test_a_value_that_lacks_its_source_says_which() -> None:
    made = claim("mean", paper=30.59, digits=2, source="durations")
    assert verdict(None, made) == ("needs source", "built without the source 'durations'", True)


def test_a_value_that_this_build_does_not_have_is_not_applicable() -> None:
    assert verdict(None, claim("mean", paper=7)) == ("not applicable", "this build has no such values", True)


def test_a_number_from_the_videos_needs_media_and_shows_the_nearest_value() -> None:
    made = claim(
        "mean", paper=8.34, digits=2, media=True, settings={"end.of": "probed"}, expected="needs media", reason="why"
    )
    assert verdict(8.4, made, {"end.of": "annotated"}) == ("needs media", "why", True)
    assert verdict(8.34, made, {"end.of": "annotated"})[0] == "needs media"
    assert verdict(8.3401, made, {"end.of": "probed"})[0] == "reproduced"
    assert verdict(8.4, made, {"end.of": "probed"}) == ("differs", "why", False)


def test_a_number_that_no_annotation_gives_needs_media_whatever_the_parameters() -> None:
    made = claim("mean", paper=90, media=True, expected="needs media", reason="quoted")
    assert verdict(86.53, made, {"a.b": "c"}) == ("needs media", "quoted", True)
