"""The general patterns: every layout, and what must never become a span. All answers are invented."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.errors import UsageError
from scorers.answers import ANSWER_SCHEMA, GENERAL, PATTERNS, STATUSES, needs_review, parse_answers


def read(text: str | None, **options: Any) -> dict[str, Any]:
    """The parsed row of one answer."""
    row: dict[str, Any] = parse_answers([text], **options).to_pylist()[0]
    return row


def span(text: str, **options: Any) -> tuple[float | None, float | None]:
    row = read(text, **options)
    return row["start_s"], row["end_s"]


def reason(text: str, **options: Any) -> str | None:
    reasons: list[str | None] = needs_review(parse_answers([text], **options)).to_pylist()
    return reasons[0]


SPANS: dict[str, list[tuple[str, float, float]]] = {
    "json": [
        ('{"start": 3, "end": 7.5}', 3, 7.5),
        ('Here you are:\n```json\n{\n  "start_time": 3.0,\n  "end_time": 7.5\n}\n```\nHope that helps.', 3, 7.5),
        ('{"startTime": "00:03", "endTime": "0:00:07.5"}', 3, 7.5),
        ('{"begin": "3s", "finish": "7.5 seconds"}', 3, 7.5),
        ('{"result": {"label": "dive", "segment": {"from": "0:03", "to": "0:07"}}}', 3, 7),
        ('{"start_ms": 3000, "end_ms": 7500}', 3, 7.5),
        ('{"start": 3000, "end": 7500, "unit": "ms"}', 3, 7.5),
        ('{"moments": [[3, 7, 0.9]]}', 3, 7),
        ('{"spans": [[3, 7]]}', 3, 7),
        ('{"segments": [["0:03", "0:07"]]}', 3, 7),
        ('{"interval": [3, 7]}', 3, 7),
        ('[{"start": 1}, {"start": 3, "end": 7}]', 3, 7),
        ('{"prediction": [3, 7]}', 3, 7),
        ('{"start_s": 3, "end_s": 7}', 3, 7),
        ("The clip shows 0-20s. **Final Answer**: [3, 7]", 3, 7),
        ('You asked for {"start": 0, "end": 10}. {"start": 3, "end": 7}', 3, 7),
        ('Example: {"start": 0, "end": 10}\nAnswer: {"start": 3, "end": 7}', 3, 7),
        ("```json\n[[3, 7]]\n```", 3, 7),
        ('{"event_start": 3, "event_end": 7, "confidence": 0.4}', 3, 7),
        ('{"timestamps": "3 - 7.5 seconds"}', 3, 7.5),
        ('{"answer": "from 0:03 to 0:07"}', 3, 7),
        ('{"relevant_windows": [[3, 7], [11, 12]]}', 3, 7),
        ("[[3, 7], [11, 12]]", 3, 7),
        ('["0:03", "0:07"]', 3, 7),
        ('[{"start": 3, "end": 7}, {"start": 11, "end": 12}]', 3, 7),
    ],
    "labelled": [
        ("start: 3s ... end: 7s", 3, 7),
        ("**Start Time:** 3.25s\n\n**End Time:** 7s", 3.25, 7),
        ("It starts at 3 seconds and ends at 7 seconds.", 3, 7),
        ("It starts at 3 and ends at 7.", 3, 7),
        ("It starts at about 3 and ends at approximately 7.", 3, 7),
        ("The event commences at 3 s and concludes at 7 s.", 3, 7),
        ("Onset: 3 s, offset: 7 s", 3, 7),
        ("It began at 3.5 s and finished at 7 s.", 3.5, 7),
        ("Start: 3,5 s. End: 7,5 s.", 3.5, 7.5),
        ("The video starts at 0:00. The jump starts at 0:03 and ends at 0:07.", 3, 7),
        ('{"start_time": 3.0s, "end_time": 7.0s}', 3, 7),
        ("{'start': 3, 'end': 7}", 3, 7),
        ("start_time=3.2, end_time=5.8", 3.2, 5.8),
        ("<start>3</start><end>7</end>", 3, 7),
        ("Start Time (s): 3.2\nEnd Time (s): 5.4", 3.2, 5.4),
        ("| Start | 3.2s |\n| End | 5.4s |", 3.2, 5.4),
        ("The kettle begins to whistle at 0:03 and stops at 0:07.", 3, 7),
        ("He waves from the beginning (0:00) until about 0:07.", 0, 7),
        ("End: 7s. Start: 3s.", 3, 7),
        ("The clip ends at 0:40. The jump starts at 0:03 and ends at 0:07.", 3, 7),
        ('The start of the query "she went to town" is 0:03 and the end is 0:07', 3, 7),
        ("Start time: 0:03\\nEnd time: 0:07", 3, 7),
        ('The format is "start time: 0:10, end time: 0:20". Start time: 0:03, end time: 0:07.', 3, 7),
    ],
    "labelled-ranges": [
        ("The start is around 0:02 - 0:05 and the end around 0:08 - 0:11.", 3, 9),
        ("Start: 2s to 5s. End: 8s to 11s.", 3.5, 9.5),
        ("Start: 0:03, end: 0:08-0:11", 3, 9),
        ("Start: 0:50 - 1:10. End: 2:00 - 2:01.", 60, 120),
    ],
    "start-and-end": [
        ("The start and end times are 0:03 and 0:07.", 3, 7),
        ("Start/End: 0:03 - 0:07", 3, 7),
        ("start,end\n3.0,7.0", 3, 7),
    ],
    "from-to": [
        ("The event happens from 3 to 7 seconds.", 3, 7),
        ("It is shown from 00:03 to 00:07 in the clip.", 3, 7),
        ("From 3 to 7.", 3, 7),
        ("From 2.5 to 9.0 seconds of the video.", 2.5, 9),
        ("The fall lasts from 3 to 7 seconds.", 3, 7),
        ("<thinking>from 1 to 2 seconds</thinking> from 3 to 7 seconds", 3, 7),
        ("◁think▷from 1 to 2 seconds◁/think▷from 3 to 7 seconds", 3, 7),
        ("Rather than from 1 to 2 seconds, it is from 3 to 7 seconds.", 3, 7),
        ("from roughly 3 to 7 seconds", 3, 7),
        ("from second 3 to second 7", 3, 7),
        ('In the form "From 0 to 10 seconds": From 31 to 44 seconds.', 31, 44),
        ("from 3 to 5 minutes", 180, 300),
        ("from 1 minute 5 seconds to 1 minute 20.5 seconds", 65, 80.5),
        ("from the 3-second mark to the 7-second mark", 3, 7),
        ("The pour starts from 0:03 to 0:07.", 3, 7),
        ("from 0:03 until 0:07", 3, 7),
        ("Not from 3 s to 5 s but from 7 s to 9 s.", 7, 9),
        ("The clip shows 0-20s. The answer is: from 2.5 to 9.0 seconds", 2.5, 9),
        ("From 0 to 20 seconds? Answer (in seconds): from 2.5 to 9.0, as he leaves then.", 2.5, 9),
        ("USER: from 0 to 10 seconds?\nASSISTANT: It happens from 31 to 44 seconds.", 31, 44),
        ('You wanted "from 0 to 10 seconds". It is shown from 31 to 44 seconds.', 31, 44),
        ("For example, from 0 to 10 seconds. From 31 to 44 seconds.", 31, 44),
        ('As in "from 0 to 10 seconds", the event happens from 31 to 44 seconds.', 31, 44),
        ("An event, for example a jump, happens from 3 to 7 seconds. The video goes from 0 s to 20 s.", 3, 7),
        ("The event takes place from 3 to 7 seconds.", 3, 7),
        ("It takes 4 seconds, from 3 to 7 seconds.", 3, 7),
        ("From 3 s to 7 s. Final answer: see above.", 3, 7),
    ],
    "between-and": [
        ("It happens between 3 and 7 seconds.", 3, 7),
        ("somewhere between [00:03] and [00:07]", 3, 7),
    ],
    "range": [
        ("3s through 7s", 3, 7),
        ("3 - 7 seconds", 3, 7),
        ("3–7 s", 3, 7),
        ("3.5-7.25s", 3.5, 7.25),
        ("The jump occurs at 3 to 7 seconds.", 3, 7),
        ("12:34.56 to 12:40.00", 754.56, 760),
        ("1:02:03 - 1:02:10", 3723, 3730),
        ("00:00:01,500 --> 00:00:04,000", 1.5, 4),
        ("t=3.5s to t=7s", 3.5, 7),
        ("1m5s - 1m20s", 65, 80),
        ("5 s. to 8 s.", 5, 8),
        ("A) 3-7 s", 3, 7),
        ("3s ~ 7s", 3, 7),
        ("~3s to ~7s", 3, 7),
        ("First I thought of 1 s to 2 s. <answer>3 s to 7 s</answer>", 3, 7),
        ("0-5 seconds of the video.", 0, 5),
        ("3.2 sec → 7 sec", 3.2, 7),
        ("1 h 2 min 3 s - 1 hour, 2 minutes and 10 seconds", 3723, 3730),
        ('"0:03" to "0:07"', 3, 7),
        ("I look at the part 0-20s first. Final answer: 2.5s - 9.0s", 2.5, 9),
        ("In seconds: 3-7", 3, 7),
        ("<answer>3.0 to 7.0</answer>", 3, 7),
        ("<think>perhaps from 1 to 2 seconds?</think>3s to 7s", 3, 7),
        ("I see 0-20s. Final answer is 3s to 7s.", 3, 7),
        ("I see 0-20s.\n### Final Answer\n3s to 7s", 3, 7),
        ("I see 0-20s. **Final prediction:** 3s to 7s.", 3, 7),
        ("I see 0 to 20 seconds. Answer: 3 - 7", 3, 7),
        ("e.g. 20.8 - 30.0 seconds. The event happens in 3 - 7 seconds.", 3, 7),
        (
            "Format: 'start - end'. A specific example is: 20.8 - 30.0 seconds. 3.0 - 7.0 s",
            3,
            7,
        ),
        ("such as 0 to 10 seconds: it is 3 to 7 seconds", 3, 7),
    ],
    "brackets": [
        ("(3, 7)", 3, 7),
        ("3.0, 7.0", 3, 7),
        ("3.0 7.0", 3, 7),
        ("The segment is [3, 7] seconds.", 3, 7),
        ("\\boxed{[3.0, 7.0]}", 3, 7),
    ],
    "two-times": [("I would say 3 seconds and 7 seconds.", 3, 7), ("Times: 0:03, 0:07", 3, 7)],
}
CASES = [(name, text, start, end) for name, cases in SPANS.items() for text, start, end in cases]


@pytest.mark.parametrize(("name", "text", "start", "end"), CASES)
def test_a_span_is_read_by_the_pattern_made_for_it(name: str, text: str, start: float, end: float) -> None:
    row = read(text)
    assert (row["start_s"], row["end_s"]) == pytest.approx((start, end))
    assert (row["status"], row["pattern"]) == ("ok", name)
    assert row["matched"]


NO_SPANS = [
    "It lasts 3 to 7 seconds.",
    "It lasts between 3 and 7 seconds.",
    "It took between 3 and 7 seconds.",
    "All of it except 3 s to 7 s.",
    "The whole clip is 3 to 7 seconds long.",
    "It takes about 3 to 7 seconds.",
    "With a duration of 3 to 7 seconds.",
    "The duration is 3 to 7 seconds.",
    "A 5-second clip of 3 men",
    "during the first 5 seconds",
    "3 to 7 seconds later",
    ".5 to .9",
    "Start: .5 s, end: .9 s",
    "It starts at the 3rd step and ends at the 7th.",
    "The man is startled at 3 s and bends at 7 s.",
    "1:5 - 1:9",
    "00:00:03:15 - 00:00:07:10",
    "There are 3 to 7 people in the room.",
    "about 10 to 15 times",
    "Filmed from 2019 to 2021.",
    "On 2024-01-05 or 12/05/2020",
    "frame 3 to frame 7",
    "frames 3 - 7",
    "1. A man walks in\n2. A man walks out",
    "Step 3 to step 7",
    "lines 3 to 7 of the transcript",
    "video_3 to video_7",
    "ids 12345 - 12399",
    "clip-3 to clip-7",
    "50% to 60%",
    "$3 to $7",
    "The score is 3-1.",
    "version 1.2 to 1.4",
    "She counts from 1 to 10.",
    "The temperature rises from 20 to 30.",
    "Between 3 and 7 people fall.",
    "starts with 3 people and ends with 7",
    "The start of round 3 and the end of round 7.",
    "The ball moves from (3, 7) to (9, 11).",
    "The answer is 42.",
    "tomato3 stories7 to go",
    "Photo 3 moments 5",
    "0:75 - 0:80",
    "open from 8:00 pm to 9:00 pm",
    "The action does not occur from 3 to 7 seconds.",
    "0:03 to 0:05 to 0:07",
    "- 3s\n- 7s",
    '{"bbox": [10, 20, 30, 40]}',
    '{"bbox": [10, 20], "start": "left", "end": "right"}',
    '{"start_frame": 30, "end_frame": 60}',
    "<think>perhaps from 1 to 2 seconds",
    "At 3s a door, at 5s a dog, at 7s a man.",
    "9" * 400 + " - " + "9" * 401,
]


@pytest.mark.parametrize("text", NO_SPANS)
def test_what_is_no_span_stays_none(text: str) -> None:
    row = read(text)
    assert (row["start_s"], row["end_s"], row["status"], row["windows"]) == (None, None, "none", [])
    assert reason(text)


def test_patterns_are_tried_in_the_order_given() -> None:
    text = '{"start": 3, "end": 7} or from 8 s to 9 s'
    assert span(text, patterns=["from-to", "json"]) == (8, 9)
    assert span(text, patterns=["json", "from-to"]) == (3, 7)
    assert read(text, patterns=["brackets"])["status"] == "none"


def test_unknown_names_are_usage_errors() -> None:
    for patterns in ("generel", "official", ["json", "jsn"], []):
        with pytest.raises(UsageError):
            parse_answers(["3 - 7 s"], patterns=patterns)
    with pytest.raises(UsageError, match="must be text"):
        parse_answers([3.0])  # type: ignore[list-item]


def test_the_table_has_one_row_an_answer_and_the_stated_schema() -> None:
    table = parse_answers(["3 - 7 s", None, "3 - 7 s", "I cannot say."])
    assert table.schema == ANSWER_SCHEMA
    assert table["status"].to_pylist() == ["ok", "none", "ok", "refusal"]
    assert parse_answers([]).num_rows == 0
    assert set(table["status"].to_pylist()) <= set(STATUSES)


def test_every_general_pattern_has_its_name_once() -> None:
    names = [pattern.name for pattern in GENERAL]
    assert len(set(names)) == len(names)
    assert set(SPANS) | {"explicit-null", "single-time"} == set(names)
    assert all(PATTERNS[name].meaning for name in names)
