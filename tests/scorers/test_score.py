"""The score object: what can be quoted, and the JSON that every scorer gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pytest

from schemas.identity import Identity
from scorers.score import Comparison, Difference, Pair, Score, Value, quoted, value_or_null
from scorers.signature import Bootstrap, signature, tool_version

METRICS = {
    "R1(iou>=0.5)": Value(20.7677, 18.8123, 22.847, "percent", None, "percentile"),
    "mTD": Value(None, None, None, "s"),
}
COUNTS = {"rows": 1589, "scored": 1574, "unknown": 2}


@pytest.fixture
def built(identity: Callable[..., Identity]) -> Identity:
    """The identity of a manifest whose build had two parameters of its own."""
    return identity(
        "uag-oops",
        parameters={"onset.pick": "median", "end.of": "len", "names.exact": True},
        changed_parameters=["onset.pick", "names.exact"],
        content_digest="0123456789abcdef" * 4,
        tool_version="1.2.3",
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Value(20.7677, 18.8123, 22.847, "percent"), "20.77 % [18.81, 22.85]"),
        (Value(0.2691, 0.25888, 0.3, "fraction"), "0.2691 [0.2589, 0.3000]"),
        (Value(11.224, None, None, "s"), "11.22 s"),
        (Value(11.224, 10, None, "s"), "11.22 s"),
        (Value(0.0, 0.0, 0.0, "percent"), "0.00 % [0.00, 0.00]"),
        (Value(None, None, None, "percent"), "null"),
        (Value(None, 1.0, 2.0, "s"), "null"),
    ],
)
def test_values_as_they_are_quoted(value: Value, text: str) -> None:
    assert quoted(value) == text


def test_the_signature_says_all_that_the_number_depends_on(built: Identity) -> None:
    bootstrap = Bootstrap("video", 2000, 12345)
    (name, value), settings = next(iter(METRICS.items())), {"protocol": "paper", "truth": "any"}
    line = signature(name, value, COUNTS, built, "test", settings, "as the authors", bootstrap)
    assert line == (
        "R1(iou>=0.5) = 20.77 % [18.81, 22.85] n=1574/1589 | data:uag-oops/test sha:0123456789ab | "
        "rules:onset.pick=median,names.exact=True | protocol:paper | truth:any | missing:as the authors(15) | "
        f"ci:cluster(video) bs:2000 rs:12345 | v:{tool_version()}"
    )


def test_the_signature_names_the_method_of_an_interval_that_was_not_resampled(built: Identity) -> None:
    bootstrap, value = Bootstrap("video", 2000, 1), Value(0.0, 0.0, 3.49, "percent", None, "clopper-pearson")
    line = signature("R1(iou>=0.7)", value, {"rows": 104, "scored": 104}, built, "test", {}, "wrong", bootstrap)
    assert " | ci:clopper-pearson(video) | " in line


def test_the_signature_of_a_plain_score(built: Identity) -> None:
    plain = msgspec.structs.replace(built, changed_parameters=[])
    counts, bootstrap = {"rows": 3, "scored": 3}, Bootstrap("video", 0, 1)
    line = signature("mTD", METRICS["mTD"], counts, plain, "val", {"protocol": "strict"}, "wrong", bootstrap)
    expected = (
        "mTD = null n=3/3 | data:uag-oops/val sha:0123456789ab | rules:default | protocol:strict | missing:wrong(0)"
    )
    assert line == f"{expected} | ci:none | v:{tool_version()}"


def test_nan_is_null_and_numbers_are_plain() -> None:
    assert (value_or_null(float("nan")), value_or_null(0.0), value_or_null(2.5)) == (None, 0.0, 2.5)
    assert type(value_or_null(np.float64(2.5))) is float
    assert value_or_null(np.float64("nan")) is None


def test_a_score_is_one_json_object_and_back() -> None:
    score = Score(
        metrics=METRICS,
        counts=COUNTS,
        protocol="paper",
        baselines={"random": {"mTD": None}},
        differences=[Difference("mTD", {"paper": 1.0, "strict": None}, "why")],
        warnings=["!"],
        signature="line",
    )
    document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(score))
    assert document == {
        "metrics": {name: msgspec.structs.asdict(value) for name, value in METRICS.items()},
        "counts": COUNTS,
        "protocol": "paper",
        "baselines": {"random": {"mTD": None}},
        "differences": [{"metric": "mTD", "values": {"paper": 1.0, "strict": None}, "reason": "why"}],
        "warnings": ["!"],
        "signature": "line",
        "notes": [],
        "tables": {},
    }
    assert msgspec.json.decode(msgspec.json.encode(score), type=Score) == score


SCORE = Score(
    metrics=METRICS,
    counts=COUNTS,
    protocol="paper",
    baselines={"random": {"R1(iou>=0.5)": 4.5, "mTD": None}},
    differences=[],
    warnings=["so few"],
    signature="the signature",
)


def test_a_score_as_a_data_frame_has_a_row_per_metric_and_a_column_per_baseline() -> None:
    frame = SCORE.to_pandas()
    assert frame.index.name == "metric"
    assert list(frame.columns) == ["value", "low", "high", "unit", "higher_is_better", "method", "random"]
    assert frame.loc["R1(iou>=0.5)"].tolist() == [20.7677, 18.8123, 22.847, "percent", None, "percentile", 4.5]
    assert frame.loc["mTD", ["value", "low", "high", "random"]].isna().all()


def test_a_score_shows_values_warnings_and_signature() -> None:
    assert str(SCORE).splitlines() == [
        "R1(iou>=0.5): 20.77 % [18.81, 22.85]",
        "mTD: null",
        "warning: so few",
        "the signature",
    ]
    assert repr(SCORE) == str(SCORE)


def test_a_comparison_as_a_data_frame_and_as_text() -> None:
    pairs = {
        "mTD": Pair(4.0, 1.0, -3.0, -3.5, -2.5, 0.005, 0.01, 1 / 2001, "s", False, "percentile"),
        "mIoU": Pair(None, 1.0, None, None, None, None, None, 1 / 2001, "fraction"),
        "R1(iou>=0.5)": Pair(0.0, 50.0, 50.0, 40.0, 60.0, 1 / 2001, 2 / 2001, 1 / 2001, "percent", True, "percentile"),
    }
    comparison = Comparison(metrics=pairs, warnings=["b: rough"], protocol="paper", method="paired bootstrap")
    frame = comparison.to_pandas()
    assert list(frame.columns) == list(Pair.__struct_fields__)
    assert frame.loc["mTD"].tolist() == [4.0, 1.0, -3.0, -3.5, -2.5, 0.005, 0.01, 1 / 2001, "s", False, "percentile"]
    assert str(comparison).splitlines() == [
        "b minus a",
        "mTD: -3.00 s [-3.50, -2.50], p 0.0100",
        "mIoU: null, p null",
        "R1(iou>=0.5): 50.00 % [40.00, 60.00], p <= 0.0010",
        "warning: b: rough",
        "paired bootstrap",
    ]
