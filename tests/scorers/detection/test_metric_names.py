"""Metric names print and parse back, and what is no metric is refused with a suggestion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import UsageError
from scorers.detection.metrics import DEFAULT_METRICS, Metric, parse_metric

names = st.one_of(st.none(), st.sampled_from(["person", "upper leg", "a (b)", "(", "AP50", "tür"]), st.text(min_size=1))
sizes = st.sampled_from(["small", "medium", "large"])
categories = names.filter(lambda name: name is None or (name == name.strip() and name != ""))
metrics = st.one_of(
    st.builds(lambda category, iou: Metric("AP", category, iou / 100), categories, st.integers(1, 99)),
    st.builds(
        lambda measure, category, size: Metric(measure, category, area=size),
        st.sampled_from(["AP", "AR"]),
        categories,
        sizes,
    ),
    st.builds(lambda category: Metric("AP", category), categories),
    st.builds(lambda category, most: Metric("AR", category, max_detections=most), categories, st.integers(1, 10**6)),
)


@given(metrics)
def test_a_metric_prints_and_parses_back(metric: Metric) -> None:
    assert parse_metric(str(metric)) == metric
    assert str(parse_metric(str(metric))) == str(metric)


def test_the_default_metrics_are_those_of_the_summary_of_coco() -> None:
    summary = "mAP50 AP AP75 APsmall APmedium APlarge AR1 AR10 AR100 ARsmall ARmedium ARlarge"
    assert " ".join(map(str, DEFAULT_METRICS)) == summary
    assert {metric.unit for metric in DEFAULT_METRICS} == {"fraction"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ap50(person)", "AP50(person)"),
        ("mAP50(person)", "AP50(person)"),
        ("AP50", "mAP50"),
        ("MAP75", "AP75"),
        (" AP ", "AP"),
        ("AP05", "AP05"),
        ("AP (Upper Leg )", "AP(Upper Leg)"),
        ("ar10", "AR10"),
        ("AR100(head)", "AR100(head)"),
        ("APLarge", "APlarge"),
    ],
)
def test_case_blanks_and_the_m_of_means_do_not_matter(text: str, name: str) -> None:
    assert str(parse_metric(text)) == name


@pytest.mark.parametrize(
    "text", ["", "AP5", "AP500", "AR", "mAR10", "AP50()", "AP50(person", "mAPsmall", "AP50 small", "precision"]
)
def test_what_is_no_metric_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"unknown metric .*a category may follow, as in AP50\(person\)"):
        parse_metric(text)


def test_the_nearest_name_is_suggested() -> None:
    with pytest.raises(UsageError, match="did you mean mAP50"):
        parse_metric("mAP_50")


def test_map_alone_is_ambiguous() -> None:
    for text in ("mAP", "map", "mAP(person)"):
        with pytest.raises(UsageError, match=r"mAP is ambiguous: say AP .* or mAP50"):
            parse_metric(text)


@pytest.mark.parametrize("text", ["AP00", "AR0"])
def test_a_number_out_of_range_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected"):
        parse_metric(text)
