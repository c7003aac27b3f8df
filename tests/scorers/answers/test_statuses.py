"""Statuses, ranked windows and notes for review. All answers are invented."""

from __future__ import annotations

from typing import Any

import pytest

from scorers.answers import needs_review, parse_answers


def read(text: str | None, duration: float | None = None) -> dict[str, Any]:
    """The parsed row of one answer."""
    row: dict[str, Any] = parse_answers([text], durations=[duration]).to_pylist()[0]
    return row


def reason(text: str) -> str | None:
    reasons: list[str | None] = needs_review(parse_answers([text])).to_pylist()
    return reasons[0]


REFUSALS = [
    "I cannot determine when this happens.",
    "I'm sorry, but I can’t help with that.",
    "As an AI language model, I don't have access to videos.",
    "Sorry, no idea.",
    "I was unable to identify the moment.",
    "The video does not contain enough information to answer.",
    "The start and end times are not provided in the video.",
    "Perhaps from 3 s to 7 s. Final answer: it cannot be determined.",
    "<think>Perhaps from 3 s to 7 s.</think> I cannot tell.",
    "No specific information about the times is given.",
    '{"start": null, "end": null}. It is not possible to determine the times.',
    "At 3s a door opens and at 9s it shuts, but I cannot provide a start and end time.",
]


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_has_its_own_status(text: str) -> None:
    row = read(text)
    assert (row["start_s"], row["end_s"], row["status"]) == (None, None, "refusal")


@pytest.mark.parametrize("text", [None, "", "   ", "The dog sleeps.", '{"start_time": null, "end_time": null}', "{}"])
def test_an_answer_without_times_is_none(text: str | None) -> None:
    assert read(text)["status"] == "none"


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("It happens at 5 seconds.", 5, None),
        ("5", 5, None),
        ("1:05", 65, None),
        ("Start time: 5s\nEnd time: not found", 5, None),
        ("The end time is 0:05.", None, 5),
        ('{"start": 5, "end": null}', 5, None),
        ("It starts at 5s and lasts for 4 seconds.", 5, None),
    ],
)
def test_one_time_is_single(text: str, start: float | None, end: float | None) -> None:
    row = read(text)
    assert (row["start_s"], row["end_s"], row["status"], row["windows"]) == (start, end, "single", [])


def test_a_start_given_as_a_range_is_no_span() -> None:
    assert read("The start time is around 0:02 - 0:08.")["status"] == "single"


@pytest.mark.parametrize("text", ["from 7 to 3 seconds", "start: 7, end: 3", '{"start": 7, "end": 3}', "0:07 - 0:03"])
def test_a_reversed_pair_is_never_swapped(text: str) -> None:
    row = read(text)
    assert (row["start_s"], row["end_s"], row["status"]) == (7, 3, "reversed")


def test_a_span_beyond_the_video_or_before_it_is_out_of_range() -> None:
    assert read("3 - 7 seconds", duration=6.9)["status"] == "out_of_range"
    assert read("3 - 7 seconds", duration=7.0)["status"] == "ok"
    assert read("3 - 7 seconds", duration=None)["status"] == "ok"
    assert read("start: -1, end: 7")["status"] == "out_of_range"
    assert read("from -1 to 7 seconds")["start_s"] == -1


def test_a_span_of_no_length_is_ok() -> None:
    assert read("Start: 5s, end: 5s")["status"] == "ok"


def test_windows_are_ranked_by_score_else_in_order() -> None:
    scored = read('{"pred_relevant_windows": [[11, 12, 0.2], [3, 7, 0.9]]}')
    assert [(w["start_s"], w["end_s"], w["score"]) for w in scored["windows"]] == [(3, 7, 0.9), (11, 12, 0.2)]
    assert (scored["start_s"], scored["note"]) == (3, None)
    plain = read("From 3 s to 7 s, and again from 11 s to 12 s.")
    assert [(w["start_s"], w["end_s"]) for w in plain["windows"]] == [(3, 7), (11, 12)]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("From 3 s to 7 s, and again from 11 s to 12 s.", "several spans"),
        ('First {"start": 3, "end": 7}, then {"start": 8, "end": 9}', "several spans"),
        ('{"start": 3, "end": 7} It happens from 8 s to 9 s.', "patterns disagree"),
        ("The start is around 0:02 - 0:05 and the end around 0:08 - 0:11.", "midpoints of ranges"),
        ("I would say 3 seconds and 7 seconds.", "two times without a relation"),
        ('In the form "From 0 to 10 seconds": From 31 to 44 seconds.', "patterns disagree"),
        ("A specific example is: 20.8 - 30.0 seconds", "stated as an example"),
        ("I look at the part 0-20s first. Final answer: 2.5s - 9.0s", "patterns disagree"),
        ("From 3 s to 7 s. Final answer: see above.", "nothing in the final answer, read before it"),
        ("The video starts at 0:00. The jump starts at 0:03 and ends at 0:07.", "further times"),
        ("0:03 to 7", "only one time has a unit"),
        ("From 3 to 7.", "numbers without a unit"),
        ("It starts around 4.0s and ends around 6", "only one time has a unit"),
        ("It starts at 0:03 and ends at 0:07. It ends again at 0:30.", "further times"),
        ('{"start": null, "end": null}', "the answer says null"),
        ("It happens 3 to 7 seconds before the end of the video.", "counted from another moment"),
        ("It starts 3 seconds after the door opens and ends at 7 s.", "counted from another moment"),
        ("It happens over a period of 3 to 7 seconds.", "may be how long it lasts"),
        ("The fall lasts from 3 to 7 seconds.", "may be how long it lasts"),
        ("The video starts at 0 seconds and ends at 10 seconds.", "may be the start and the end of the video"),
        ('{"start": 30, "end": 45, "unit": "frames"}', "the answer says null"),
        ("x" * 30_000 + " from 3 s to 7 s", "long answer, its middle is unread"),
        ("start: 9, end: 7", "the end lies before the start"),
        ("5 seconds", "only one time"),
        ("As an AI I cannot say.", "the answer declines"),
        ("Nothing.", "no span"),
        ("There is no fall. The man dances from 2 to 7 seconds.", "words that deny the event"),
        ("No such event: the video shows a dog from 0 to 20 seconds.", "words that deny the event"),
        ("The fall doesn't occur. He walks from 2 to 7 seconds.", "words that deny the event"),
    ],
)
def test_review_says_why(text: str, note: str) -> None:
    assert note in str(reason(text))


def test_reasons_behind_a_span_deny_nothing() -> None:
    assert reason("From 2 to 7 seconds: no such fall is earlier, and it does not happen again.") is None


@pytest.mark.parametrize(
    "text",
    [
        "It happens from 3 s to 7 s.",
        "It happens 3 to 7 seconds after the start of the video.",
        "From 3 to 7 seconds, before the man leaves.",
        "The funny moment in the video starts at 0:03 and ends at 0:07.",
        '{"start": 3, "end": 7}\nIt starts at 3.2 seconds and ends at 7.4 seconds.',
        "It starts at 0:03 and ends at 0:07, so from 0:03 to 0:07.",
        "The clip lasts 40 seconds; the jump starts at 0:03 and ends at 0:07.",
    ],
)
def test_a_plain_answer_needs_no_review(text: str) -> None:
    assert reason(text) is None


def test_exact_times_go_before_midpoints() -> None:
    row = read("The start is about 0:02 - 0:05, the end about 0:08 - 0:11. Exactly: start 0:04, end 0:09.")
    assert (row["start_s"], row["end_s"], row["pattern"]) == (4, 9, "labelled")
    assert row["note"] == "several spans"
