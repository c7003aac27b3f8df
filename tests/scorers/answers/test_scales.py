"""Time scales: what a number without a unit means."""

from __future__ import annotations

import math

import pytest

from schemas.errors import InputError, UsageError
from scorers.answers import parse_answers, time_scale


@pytest.mark.parametrize(
    ("text", "scale", "duration", "start", "end"),
    [
        ("0.25 - 0.5", "normalised", 40.0, 10, 20),
        ("[0.25, 0.5]", "normalised", 40.0, 10, 20),
        ("It happens from 0.25 to 0.5.", "normalised", 40.0, 10, 20),
        ("25% to 50%", "normalised", 40.0, 10, 20),
        ("25% to 50%", "percent", 40.0, 10, 20),
        ("25 - 50%", "percent", 40.0, 10, 20),
        ("From 25 to 50.", "percent", 40.0, 10, 20),
        ('{"start": 25, "end": 50}', "percent", 40.0, 10, 20),
        ("From 25 to 50.", "frames:100", 40.0, 10, 20),
        ("The jump happens from 25 to 50.", "frames:100", 40.0, 10, 20),
        ("From 2 to 4.", "frames:8", 40.0, 10, 20),
        ("frame 300 to frame 600", "frames:30fps", None, 10, 20),
        ("from frame 300 to 600", "frames:30fps", None, 10, 20),
        ("frames 250-500", "frames:25fps", None, 10, 20),
        ('{"start_frame": 300, "end_frame": 600}', "frames:30fps", None, 10, 20),
        ('{"start": 2997, "end": 5994}', "frames:299.7fps", None, 10, 20),
        ("3000 ms - 7000 ms", "seconds", None, 3, 7),
    ],
)
def test_numbers_are_read_on_the_scale(text: str, scale: str, duration: float | None, start: float, end: float) -> None:
    row = parse_answers([text], scale=scale, durations=[duration]).to_pylist()[0]
    assert (row["start_s"], row["end_s"]) == pytest.approx((start, end))
    assert row["status"] == "ok"


@pytest.mark.parametrize("scale", ["seconds", "normalised", "percent", "frames:100", "frames:30fps"])
def test_clocks_and_units_are_times_on_every_scale(scale: str) -> None:
    texts = ["0:03 - 0:07", "3 s to 7 s", "starts at 3 seconds and ends at 7 seconds"]
    table = parse_answers(texts, scale=scale)
    assert table["start_s"].to_pylist() == [3, 3, 3]
    assert table["end_s"].to_pylist() == [7, 7, 7]


def test_the_whole_duration_is_in_range() -> None:
    durations = [9.83, 33.3, 147.875, 0.1]
    for scale, text in (("normalised", "0.0 - 1.0"), ("percent", "0 - 100"), ("frames:100", "0 - 100")):
        table = parse_answers([text] * 4, scale=scale, durations=durations)
        assert table["end_s"].to_pylist() == durations
        assert set(table["status"].to_pylist()) == {"ok"}


def test_a_share_beyond_the_whole_is_out_of_range() -> None:
    assert parse_answers(["0.2 - 1.2"], scale="normalised", durations=[10.0])["status"].to_pylist() == ["out_of_range"]


def test_a_relative_answer_without_a_duration_is_an_error() -> None:
    with pytest.raises(UsageError, match="need the durations"):
        parse_answers(["0.2 - 0.4"], scale="normalised")
    with pytest.raises(InputError, match="row 1: duration"):
        parse_answers(["0.2 - 0.4", "0.2 - 0.4", "0:01 - 0:02"], scale="normalised", durations=[9.0, None, math.nan])


@pytest.mark.parametrize("duration", [0.0, -3.0, math.inf])
def test_a_duration_that_is_none_is_an_error(duration: float) -> None:
    with pytest.raises(InputError, match="positive number"):
        parse_answers(["0:01 - 0:02"], durations=[duration])


def test_durations_of_another_length_are_an_error() -> None:
    with pytest.raises(UsageError, match="found 2 durations for 1 answers"):
        parse_answers(["0:01 - 0:02"], durations=[3.0, 4.0])


@pytest.mark.parametrize(
    "name", ["", "second", "frames", "frames:", "frames:0", "frames:2.5", "frames:-1", "frames:fps", "milliseconds"]
)
def test_an_unknown_scale_is_a_usage_error(name: str) -> None:
    with pytest.raises(UsageError, match="unknown time scale"):
        time_scale(name)
