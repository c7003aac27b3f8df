"""What holds for every answer: formats round-trip, no text breaks the parser or makes it slow."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.answers import OFFICIAL, STATUSES, needs_review, parse_answers

HUNDREDTHS = st.integers(0, 359_999)


def clock(hundredths: int) -> str:
    seconds, fraction = divmod(hundredths, 100)
    return f"{seconds // 60:02d}:{seconds % 60:02d}.{fraction:02d}"


def long_clock(hundredths: int) -> str:
    seconds, fraction = divmod(hundredths, 100)
    return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{fraction:02d}"


def decimal(hundredths: int) -> str:
    return f"{hundredths / 100:.2f}"


def words(hundredths: int) -> str:
    seconds, fraction = divmod(hundredths, 100)
    return f"{seconds // 60} minutes {seconds % 60}.{fraction:02d} seconds"


LAYOUTS = [
    "{} - {}",
    "{}-{}",
    "{} – {}",
    "{} to {}",
    "From {} to {}.",
    "The event happens from {} to {}.",
    "It occurs between {} and {}.",
    "start: {}, end: {}",
    "Start Time: {}\nEnd Time: {}",
    "It starts at {} and ends at {}.",
    "**Start:** {}\n**End:** {}",
    "The start and end times are {} and {}.",
    "[{}, {}]",
    "Answer: ({}, {})",
    '{{"start": "{}", "end": "{}"}}',
    '```json\n{{"windows": [["{}", "{}"]]}}\n```',
    "<answer>{} to {}</answer>",
]


@settings(deadline=None)
@given(st.sampled_from(LAYOUTS), st.sampled_from([clock, long_clock, decimal, words]), HUNDREDTHS, HUNDREDTHS)
def test_a_span_comes_back_from_every_layout(layout: str, shape: object, start: int, end: int) -> None:
    text = layout.format(shape(start), shape(end))  # type: ignore[operator]
    row = parse_answers([text]).to_pylist()[0]
    assert (row["start_s"], row["end_s"]) == pytest.approx((start / 100, end / 100), abs=1e-6)
    assert row["status"] == ("reversed" if end < start else "ok")


@settings(deadline=None)
@given(st.floats(0, 1e6), st.floats(0, 1e6), st.sampled_from(["start_time", "startTime", "begin", "pred_start"]))
def test_json_numbers_come_back_exactly(start: float, end: float, key: str) -> None:
    other = {"start_time": "end_time", "startTime": "endTime", "begin": "end", "pred_start": "pred_end"}[key]
    row = parse_answers([f"Sure! {json.dumps({key: start, other: end})} Anything else?"]).to_pylist()[0]
    assert (row["start_s"], row["end_s"], row["pattern"]) == (start, end, "json")


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 900), st.integers(0, 900)), min_size=1, max_size=8, unique=True))
def test_all_windows_come_back_in_order(windows: list[tuple[int, int]]) -> None:
    row = parse_answers([json.dumps({"relevant_windows": windows})]).to_pylist()[0]
    assert [(w["start_s"], w["end_s"]) for w in row["windows"]] == windows


@settings(deadline=None)
@given(
    st.integers(0, 5000),
    st.integers(0, 5000),
    st.sampled_from(["people", "dogs", "metres", "points", "frames", "percent", "times"]),
)
def test_counts_never_become_spans(low: int, high: int, noun: str) -> None:
    texts = [
        f"There are {low} to {high} {noun}.",
        f"It goes from {low} to {high} {noun}",
        f"between {low} and {high} {noun}",
    ]
    assert parse_answers(texts)["start_s"].null_count == 3


PIECES = (
    "0:03|7|3.5|99:99|s| seconds| to | - |from |between | and |start|end|ends at |time|frame |not |null|I cannot |the |"
    ':|\n|{|}|"|[|]|,|-|%|.|1. |</think>|<answer>'
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES.split("|")), max_size=30).map("".join))


@settings(deadline=None)
@given(TEXTS, st.sampled_from(["general", *OFFICIAL]))
def test_every_text_gives_a_consistent_row(text: str, patterns: str) -> None:
    table = parse_answers([text], patterns=patterns, durations=[60.0])
    row = table.to_pylist()[0]
    start, end, status = row["start_s"], row["end_s"], row["status"]
    assert status in STATUSES
    assert (start is None and end is None) == (status in ("none", "refusal"))
    assert ((start is None) != (end is None)) == (status == "single")
    assert (status == "reversed") == (start is not None and end is not None and end < start)
    assert bool(row["windows"]) == (status in ("ok", "reversed", "out_of_range"))
    assert (row["pattern"] is None) <= (status in ("none", "refusal"))
    assert (status == "ok") or needs_review(table)[0].as_py()
    assert parse_answers([text, text], patterns=patterns, durations=[60.0, 60.0]).slice(1).to_pylist() == [row]


MEGABYTE = 1_000_000
HOSTILE = {
    "digits": "9" * MEGABYTE,
    "clocks": "0:00 - " * 140_000,
    "opening brackets": "[" * MEGABYTE,
    "opening braces": "{" * MEGABYTE,
    "nested objects": '{"a":' * 200_000,
    "keys": '"start_time": ' * 70_000,
    "key and blanks": '"start_time": 1.0,' + " " * MEGABYTE,
    "label and blanks": "start" + " " * MEGABYTE,
    "labels": "start and end " * 70_000,
    "quotes": '"' * MEGABYTE,
    "times and blanks": ("1 s" + " " * 400 + "x ") * 2500,
    "quoted numbers": '"1" ' * 250_000,
    "nested lists": "[1," * 300_000,
    "small words": "start the about " * 60_000 + "1",
    "dots": "1." * 500_000,
    "colons": "1:" * 500_000,
    "dashes": "1-" * 500_000,
    "lines": "\n" * MEGABYTE,
    "think": "<think>" * 140_000,
    "answer": "<answer>1" * 110_000,
    "minutes": "1 m " * 250_000,
    "negations": "not " * 250_000,
    "full-width digits": "３" * MEGABYTE,
    "refusals": "i do not provide a " * 50_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("patterns", ["general", *OFFICIAL])
def test_a_megabyte_of_nonsense_is_read_in_linear_time(text: str, patterns: str) -> None:
    row = parse_answers([text], patterns=patterns).to_pylist()[0]
    assert row["status"] in STATUSES
    assert row["matched"] is None or len(row["matched"]) <= 200


def test_the_end_of_a_long_answer_is_read() -> None:
    text = "The dog sleeps. " * 60_000 + '{"start": 3, "end": 7}'
    row = parse_answers([text]).to_pylist()[0]
    assert (row["start_s"], row["end_s"], row["note"]) == (3, 7, "long answer, its middle is unread")
