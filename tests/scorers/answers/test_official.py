"""The authors' patterns of UAL-Bench, on invented answers in each of their layouts."""

from __future__ import annotations

import pytest

from schemas.cards import card_named, cards
from scorers.answers import OFFICIAL, parse_answers

Times = tuple[float | None, float | None]
NOTHING: Times = (None, None)


def read(text: str, patterns: str) -> tuple[Times, str | None]:
    row = parse_answers([text], patterns=patterns).to_pylist()[0]
    return (row["start_s"], row["end_s"]), row["pattern"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It runs 0:04 until 1:10", (4, 70)),
        ("00:00:04 and 40:00:47", (4, 144_047)),
        ("0:75 and 0:99", (75, 99)),
        ("0:07 then 0:04", (7, 4)),
        ("at 0:00:06.7 and 0:00:08.9", (6, 8)),
        ("123:45 and 0:07", (1425, 7)),
        ("only 0:04", NOTHING),
        ("0:04, 0:05, 0:06", NOTHING),
        ("from 4 to 5 seconds", NOTHING),
    ],
)
def test_video_llms_need_exactly_two_clocks(text: str, expected: Times) -> None:
    assert read(text, "official:vid-llm")[0] == expected


def test_decimals_are_a_fallback() -> None:
    text = "start_time: 1.5, end_time: 2.25"
    assert read(text, "official:vid-llm") == (NOTHING, None)
    assert read(text, "official:vid-llm-decimals") == ((1.5, 2.25), "unquoted-decimals")
    assert read("start_time: 1, end_time: 2", "official:vid-llm-decimals")[0] == NOTHING
    assert read(f"0:03 0:04 {text}", "official:vid-llm-decimals")[1] == "two-clocks"


@pytest.mark.parametrize(
    ("text", "expected", "name"),
    [
        ('{"startTime": 1.5, \n"endTime": 2.5}', (1.5, 2.5), "json-camel-case"),
        ('{"startTime": 1.5,"endTime": 2.5}', NOTHING, None),
        ('{"startTime": 1, "endTime": 2}', NOTHING, None),
        ('{"start_time": 1,"end_time": 2.}', (1, 2), "json-snake-case"),
        ('{"start_time": 1.5, "end_time": 2.5s}', (1.5, 2.5), "json-snake-case"),
        ('{"start_time": 1.5s, "end_time": 2.5s}', NOTHING, None),
        ('{"start_time":1.5, "end_time":2.5}', NOTHING, None),
        ("Start time: 1s\n\nEnd time: 2.5s", (1, 2.5), "lines-start-time"),
        ("Start Time: 1s End Time: 2.5s", (1, 2.5), "lines-start-time-capital"),
        ("start time: 1s End time: 2.5s", NOTHING, None),
        ("* Start time: 1s\n* End time: 2.5s", NOTHING, None),
        ("start_time:1.5,end_time:2.5", (1.5, 2.5), "unquoted-decimals"),
        ('Start time: 9s End time: 9s {"start_time": 1.0, "end_time": 2.0}', (1, 2), "json-snake-case"),
    ],
)
def test_llama3_has_five_patterns_in_order(text: str, expected: Times, name: str | None) -> None:
    assert read(text, "official:llama3") == (expected, name)


def test_llama3_elsewhere_has_one_pattern() -> None:
    patterns = "official:llama3-decimals"
    assert read('"start_time": 1.5s, "end_time": 2.5s', patterns)[0] == (1.5, 2.5)
    assert read('"start_time": 1.5, "end_time": 2.5', patterns)[0] == (1.5, 2.5)
    assert read('"start_time": 1, "end_time": 2', patterns)[0] == NOTHING
    assert read("Start time: 1.5s\nEnd time: 2.5s", patterns)[0] == NOTHING


@pytest.mark.parametrize(
    ("layout", "name"),
    [
        ('"start": "00:00:04",\n"end": "00:01:10"', "hms-json-start"),
        ('"start_time": "00:00:04",\n"end_time": "00:01:10"', "hms-json-start-time"),
        ('"start_time": "00:00:04",\n  "end_time": "00:01:10"', "hms-json-indented"),
        ("Start Time: 00:00:04\nEnd Time: 00:01:10", "hms-start-time-capital"),
        ("Start time: 00:00:04\nEnd time: 00:01:10", "hms-start-time"),
        ("Start: 00:00:04\nEnd: 00:01:10", "hms-start"),
    ],
)
def test_the_second_pass_knows_six_layouts(layout: str, name: str) -> None:
    repeated = f"{layout}\nBoth are after 00:00:00."
    assert read(repeated, "official:vid-llm") == (NOTHING, None)
    assert read(repeated, "official:vid-llm-second-pass") == ((4, 70), name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0:02 - 0:05 and 0:08 - 0:11", (3, 9)),
        ("0:02-0:05 and 0:08-0:11", (3, 9)),
        ("0:50 - 1:10 and 2:00 - 3:01", (30, 120)),
        ("0:02 - 0:05 and 0:08-0:11", NOTHING),
        ("0:02 - 0:05, 0:08 - 0:11, 0:20 - 0:21", NOTHING),
        ("0:02 - 0:05, 0:08-0:11, 0:20-0:21", (9, 20)),
    ],
)
def test_videollama_ranges_give_midpoints(text: str, expected: Times) -> None:
    assert read(text, "official:videollama-second-pass")[0] == expected


def test_a_numeral_beyond_any_number_is_no_time() -> None:
    digits = "9" * 400
    assert read(f'"start_time": {digits}, "end_time": {digits}', "official:llama3") == (NOTHING, None)
    assert (
        read(f"{digits}:00 - {digits}:01 and {digits}:00 - {digits}:01", "official:videollama-second-pass")[0]
        == NOTHING
    )


def test_the_cards_say_which_set_reads_whose_answers() -> None:
    named = {name: card.answer_patterns for name, card in cards().items() if card.answer_patterns}
    assert set(named) == {"uag-oops", "uag-ssbd", "uag-funqa", "charades-sta"}
    assert {name for sets in named.values() for name in sets.values()} <= set(OFFICIAL)
    assert card_named("uag-ssbd").answer_patterns == {"llama3": "official:llama3", "others": "official:vid-llm"}
    assert card_named("uag-funqa").answer_patterns["others"] == "official:vid-llm-decimals"


def test_statuses_hold_for_the_official_sets() -> None:
    table = parse_answers(["0:07 0:04", "0:01 0:30", "I cannot say.", "Hm."], "official:vid-llm", durations=[9.0] * 4)
    assert table["status"].to_pylist() == ["reversed", "out_of_range", "refusal", "none"]
