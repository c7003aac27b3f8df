"""Two runs on the same rows: differences with their sign, intervals, p-values; the same every time."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
import pytest
from benchwright.scoring import compare_runs

from schemas.errors import UsageError
from schemas.manifest import Manifest
from scorers.score import Line
from scorers.temporal.alignment import Rows, Run, read_rows
from scorers.temporal.expressions import DEFAULT_METRICS, Metric

NAN = float("nan")


@pytest.fixture
def rows(sample_manifest: Callable[..., Manifest]) -> Rows:
    return read_rows(sample_manifest("uag-oops"))


def late(rows: Rows, seconds: float) -> Run:
    return Run(rows.truth.start + seconds, rows.truth.end + seconds, [])


def compared(rows: Rows, a: Run, b: Run, protocol: str = "paper", seed: int = 1) -> dict[str, Line]:
    return compare_runs(rows, a, b, DEFAULT_METRICS, protocol, 500, seed)


def test_the_difference_is_second_minus_first_and_a_clear_one_is_significant(rows: Rows) -> None:
    lines = compared(rows, late(rows, 2), late(rows, 0))
    assert list(lines) == [str(metric) for metric in DEFAULT_METRICS]
    line = lines["mTD"]
    assert (line.a, line.b, line.difference, line.unit) == (4, 0, -4, "s")
    assert (line.low, line.high) == (-4, -4)
    assert line.p_value == 1 / 501
    onset = lines["onset(<=1)"]
    assert (onset.a, onset.b, onset.difference, onset.unit) == (0, 100, 100, "percent")


def test_swapped_runs_swap_the_signs(rows: Rows) -> None:
    random = Run(rows.truth.start * 0.5, rows.truth.end * 0.9, [])
    for forth, back in zip(
        compared(rows, random, late(rows, 1)).values(), compared(rows, late(rows, 1), random).values(), strict=True
    ):
        assert (forth.a, forth.b) == (back.b, back.a)
        assert forth.difference == pytest.approx(-(back.difference or 0))
        assert (forth.low, forth.high) == pytest.approx((-(back.high or 0), -(back.low or 0)))
        assert forth.p_value == back.p_value


def test_equal_runs_do_not_differ(rows: Rows) -> None:
    for line in compared(rows, late(rows, 1), late(rows, 1)).values():
        assert (line.difference, line.low, line.high, line.p_value) == (0, 0, 0, 1)


def test_a_comparison_is_the_same_every_time_and_depends_on_the_seed(rows: Rows) -> None:
    a, b = Run(rows.truth.start * 0.5, rows.truth.end, []), Run(rows.truth.start, rows.truth.end * 0.7, [])
    assert compared(rows, a, b) == compared(rows, a, b)
    assert compared(rows, a, b) != compared(rows, a, b, seed=2)


def test_the_protocol_decides_what_is_compared(rows: Rows) -> None:
    nothing = Run(np.full(len(rows), NAN), np.full(len(rows), NAN), [])
    line = compared(rows, nothing, late(rows, 0), "strict")["mTD"]
    assert (line.a, line.b, line.difference, line.low, line.p_value) == (None, 0, None, None, None)
    assert compared(rows, nothing, late(rows, 0), "paper")["mTD"].a == pytest.approx(rows.truth.end.mean())


def test_a_comparison_can_be_encoded(rows: Rows) -> None:
    lines = compared(rows, Run(rows.truth.start * 0.5, rows.truth.end, []), late(rows, 0))
    assert msgspec.json.decode(msgspec.json.encode(lines), type=dict[str, Line]) == lines


def test_any_metric_may_be_compared(rows: Rows) -> None:
    lines = compare_runs(rows, late(rows, 1), late(rows, 0), [Metric("iou", 0.95)], "paper", 10, 1)
    assert {name: line.difference for name, line in lines.items()} == {"R1(iou>=0.95)": 100}


def test_an_unknown_protocol_is_refused(rows: Rows) -> None:
    with pytest.raises(UsageError, match="unknown protocol"):
        compared(rows, late(rows, 0), late(rows, 1), "loose")
