"""Wrong spans and texts of other videos, against plain loops over random rows."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from benchwright.instruction.draws import draw, pick, words_of
from benchwright.instruction.negatives import others, wrong_spans

times = st.floats(0, 20, allow_nan=False).map(lambda time: round(time, 2))
row = st.fixed_dictionaries(
    {
        "video": st.sampled_from("ab"),
        "text": st.sampled_from(["x", "y"]),
        "times": st.tuples(times, times).map(sorted),
        "duration_s": st.sampled_from([21.0, 21.0, None]),
    }
)


def frame_of(rows: list[dict[str, Any]]) -> pd.DataFrame:
    frame = pd.DataFrame(rows)
    frame["start_s"], frame["end_s"] = (frame["times"].map(lambda pair, at=at: pair[at]) for at in (0, 1))
    frame["duration_s"] = frame.groupby(["video", "text"])["duration_s"].transform("max").astype(float)
    return frame


def iou(one: tuple[float, float], other: tuple[float, float]) -> float:
    common = max(0.0, min(one[1], other[1]) - max(one[0], other[0]))
    union = one[1] - one[0] + other[1] - other[0] - common
    return common / union if union else 0.0


@given(st.lists(row, min_size=1, max_size=6), st.sampled_from([0.0, 0.1, 0.5]), st.integers(0, 99))
def test_wrong_spans_keep_to_the_limit_with_every_true_span(
    rows: list[dict[str, Any]], limit: float, seed: int
) -> None:
    frame = frame_of(rows)
    start, end = wrong_spans(frame, words_of(map(str, range(len(frame))), seed), limit)
    for place, (video, text) in enumerate(zip(frame["video"], frame["text"], strict=True)):
        alike = frame[(frame["video"] == video) & (frame["text"] == text)]
        true = list(zip(alike["start_s"], alike["end_s"], strict=True))
        if np.isnan(start[place]):
            free = [0.0, *sorted(time for pair in true for time in pair), 21.0]
            gaps = [b - a for a, b in pairwise(free) if not any(s < b and a < e for s, e in true)]
            length = frame["end_s"][place] - frame["start_s"][place]
            assert np.isnan(frame["duration_s"][place]) or max([0.0, *gaps]) < 0.11 or length < 0.11
            continue
        assert 0 <= start[place] < end[place] <= 21
        assert end[place] - start[place] <= frame["end_s"][place] - frame["start_s"][place] + 1e-9
        assert max(iou((start[place], end[place]), pair) for pair in true) <= limit + 1e-9


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["x", "y", "z", "w", ""])), min_size=1, max_size=9),
    st.integers(0, 99),
)
def test_other_texts_are_of_other_videos_and_all_different(rows: list[tuple[str, str]], seed: int) -> None:
    frame = pd.DataFrame(rows, columns=["video", "text"])
    frame["sample_id"] = [f"s{number}" for number in range(len(frame))]
    found, enough = others(frame, words_of(frame["sample_id"], seed), 2)
    for place, (video, text) in enumerate(rows):
        free = {other_text for other, other_text in rows if other != video and other_text not in ("", text)}
        assert enough[place] == (len(free) >= 2)
        if enough[place]:
            lent = [rows[other] for other in found[place]]
            assert all(other != video for other, _ in lent)
            assert len({text, *(each for _, each in lent)}) == 3
            assert "" not in {each for _, each in lent}


def test_texts_that_are_nearly_alike_are_one_event_and_no_choice() -> None:
    texts = ["a person opens the door", "the person opens a door", "a dog sleeps soundly"]
    frame = pd.DataFrame({"video": "a", "text": texts, "start_s": [2.0, 8.0, 4.0], "end_s": [4.0, 12.0, 20.0]})
    words = words_of("abc", 0)
    start, end = wrong_spans(frame.assign(duration_s=20.0), words, 0.0)
    for place in (0, 1):
        assert all(end[place] <= low or start[place] >= high for low, high in ((2.0, 4.0), (8.0, 12.0)))
    apart = frame.assign(video=["a", "b", "c"], sample_id=list("abc"))
    found, enough = others(apart, words, 1)
    assert found[:2, 0].tolist() == [2, 2]
    assert enough.all()


def test_draws_depend_on_seed_and_name_alone() -> None:
    names = [f"row {number}" for number in range(2000)]
    words = words_of(names, 7)
    assert np.array_equal(words[::-1], words_of(names[::-1], 7))
    assert not np.array_equal(words, words_of(names, 8))
    assert draw(words_of(["row 0"], 7), "question").tolist() == [draw(words, "question")[0]]
    assert abs(draw(words, "question").mean() - 0.5) < 0.03
    assert abs(np.corrcoef(draw(words, "question"), draw(words, "answer"))[0, 1]) < 0.06
    shares = np.bincount(pick(words, "template", [1, 3])) / len(words)
    assert abs(shares[1] - 0.75) < 0.04


def test_the_draw_of_a_name_is_the_same_on_every_machine() -> None:
    assert words_of(["a clip"], 0).tolist() == [8_681_600_524_300_803_077]
    assert draw(words_of(["a clip"], 0), "question").round(9).tolist() == [0.866646587]
