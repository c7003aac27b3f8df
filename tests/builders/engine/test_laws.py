"""What a rule makes of spans and boxes that were right is counted under that rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.detection.candidates import box_candidates
from builders.engine.recipe import Candidates
from builders.engine.rules import Outcome, Rule, rule
from builders.engine.run import Build
from schemas.detection import detection_schema
from schemas.temporal import temporal_schema

RunRules = Callable[..., Build]
SPANS = temporal_schema("invented", 1)
BOXES = detection_schema("invented", 1)


def spans(*rows: tuple[float, float], duration: float | None = 10.0) -> Candidates:
    start, end = zip(*rows, strict=True)
    columns = {"start_s": start, "end_s": end, "duration_s": duration, "video": "v", "description": "d"}
    names = [f"s{number}" for number in range(len(rows))]
    return Candidates(pd.DataFrame({"sample_id": names, "split": "test", **columns}))


def setting(name: str, **columns: Any) -> Rule:
    """A rule that sets columns, and looks at nothing."""

    @rule(name, cites="none")
    def made(rows: pd.DataFrame) -> Outcome:
        return Outcome(columns={column: np.broadcast_to(value, len(rows)) for column, value in columns.items()})

    return made


def told(build: Build) -> list[tuple[str, str, int, str]]:
    return [(found.place, found.check, found.count, found.example) for found in build.identity.warnings]


def test_rows_that_a_rule_makes_invalid_are_counted_under_it(run_rules: RunRules) -> None:
    cut = setting("cut", end_s=3.5)
    build = run_rules(spans((0, 5), (4, 6), (9, 8)), [cut, setting("late", start_s=4.0)], SPANS)
    assert told(build) == [("rule cut", "span", 1, "s1"), ("rule late", "span", 1, "s0")]
    assert build.identity.warnings[0].message == (
        "1 spans that start at or after their end, but did not before this rule, such as 's1'"
    )


def test_rows_that_were_invalid_before_and_rules_that_only_drop_are_no_news(run_rules: RunRules) -> None:
    @rule("first", cites="none", reasons={"first": "it is the first"})
    def first(rows: pd.DataFrame) -> Outcome:
        return Outcome(keep=rows["sample_id"] != "s0", reason="first")

    assert told(run_rules(spans((0, 5), (4, 2), (0, 99)), [first], SPANS)) == []
    assert told(run_rules(spans((4, 2)), [setting("later", end_s=1.0)], SPANS)) == []


def test_columns_that_a_rule_makes_are_its_own(run_rules: RunRules) -> None:
    candidates = spans((0, 1), (0, 2))
    candidates.root = candidates.root.drop(columns=["end_s"])
    assert told(run_rules(candidates, [setting("end", end_s=[0.0, 11.0])], SPANS)) == [
        ("rule end", "span", 1, "s0"),
        ("rule end", "duration", 1, "s1"),
    ]


def test_boxes_are_looked_at_where_the_rule_moves_them_or_their_image(run_rules: RunRules) -> None:
    images = pd.DataFrame({"sample_id": ["a", "b"], "width": 100, "height": 50})
    box = {"category": "dog", "x": 10.0, "y": 10.0, "width": 20.0, "height": 20.0}
    objects = pd.DataFrame([box | {"sample_id": "a"}, box | {"sample_id": "b", "x": 90.0}])

    @rule("shift", level="objects", cites="none")
    def shift(objects: pd.DataFrame) -> Outcome:
        return Outcome(columns={"x": objects["x"] + 60, "width": objects["width"] * [1, 0]})

    found = run_rules(box_candidates(images, objects, "test"), [shift], BOXES)
    assert told(found) == [("rule shift", "area", 1, "b, 1")]
    found = run_rules(box_candidates(images, objects, "test"), [setting("crop", width=25)], BOXES)
    assert told(found) == [("rule crop", "image", 1, "a, 0")]


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 9), st.floats(0, 9)), min_size=1, max_size=6), st.floats(0, 9))
def test_exactly_the_spans_that_become_invalid_are_counted(
    run_rules: RunRules, rows: list[tuple[float, float]], end: float
) -> None:
    expected = sum(start < before and start >= end for start, before in rows)
    found = [count for _, check, count, _ in told(run_rules(spans(*rows), [setting("cut", end_s=end)], SPANS))]
    assert sum(found) == expected
