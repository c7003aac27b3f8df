"""Metric names print and parse back, and what is not a metric is refused with a suggestion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import UsageError
from scorers.temporal.expressions import DEFAULT_METRICS, Metric, parse_metric

fractions = st.floats(0, 1)
seconds = st.floats(0, allow_infinity=False)
ranks = st.integers(1, 100)
metrics = st.one_of(
    st.builds(Metric, st.just("iou"), fractions, ranks),
    st.builds(Metric, st.just("td"), seconds, ranks),
    st.builds(Metric, st.just("onset"), seconds),
    st.sampled_from([Metric("iou"), Metric("td")]),
)


@given(metrics)
def test_a_metric_prints_and_parses_back(metric: Metric) -> None:
    assert parse_metric(str(metric)) == metric
    assert str(parse_metric(str(metric))) == str(metric)


def test_the_default_metrics_are_the_columns_of_the_paper() -> None:
    table_2 = "R1(iou>=0.3) R1(iou>=0.5) R1(iou>=0.7) mIoU R1(td<=0) R1(td<=1) R1(td<=3) R1(td<=5) mTD"
    table_3 = "onset(<=1) onset(<=0.25)"
    assert " ".join(map(str, DEFAULT_METRICS)) == f"{table_2} {table_3}"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("r@1 (IoU >= .50)", "R1(iou>=0.5)"),
        ("R5(iou>=0.5)", "R5(iou>=0.5)"),
        ("R1(td<=3.0)", "R1(td<=3)"),
        ("R1(td<=1e1)", "R1(td<=10)"),
        ("onset(<=-0)", "onset(<=0)"),
        ("MIOU", "mIoU"),
        (" mtd ", "mTD"),
    ],
)
def test_blanks_case_and_other_spellings_of_a_number_do_not_matter(text: str, name: str) -> None:
    assert str(parse_metric(text)) == name


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("R1(iou>=0.5)", "percent"),
        ("R1(td<=0)", "percent"),
        ("onset(<=1)", "percent"),
        ("mIoU", "fraction"),
        ("mTD", "s"),
    ],
)
def test_the_unit_is_the_one_that_the_paper_prints(name: str, unit: str) -> None:
    assert parse_metric(name).unit == unit


@pytest.mark.parametrize(
    "text", ["R1(iou>0.5)", "R1(iou<=0.5)", "R1(td>=3)", "R1(iou>=nan)", "R1", "mAP", "", "R1(iou>=0.5) "[:-2]]
)
def test_what_is_not_a_metric_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="unknown metric"):
        parse_metric(text)


def test_the_nearest_name_is_suggested() -> None:
    with pytest.raises(UsageError, match=r"did you mean R1\(iou>=0\.5\)"):
        parse_metric("R1(iou>0.5)")


@pytest.mark.parametrize("text", ["R1(iou>=1.5)", "R1(iou>=-0.5)", "R1(td<=-1)", "onset(<=1e999)"])
def test_a_threshold_out_of_range_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="out of range"):
        parse_metric(text)


def test_a_rank_needs_a_share_of_spans() -> None:
    for arguments in [("iou", 0.5, 0), ("iou", None, 5), ("onset", 1.0, 5)]:
        with pytest.raises(UsageError, match="no rank"):
            Metric(*arguments)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="needs a threshold"):
        Metric("onset")
