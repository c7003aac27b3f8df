"""Rules that answer for two levels at once, and for a level other than their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from builders.engine.recipe import Candidates
from builders.engine.rules import Outcome, rule
from builders.engine.run import Build
from schemas.columns import table_schema
from schemas.errors import BenchwrightError

RunRules = Callable[..., Build]
SCHEMA = table_schema(
    "images",
    1,
    [
        pa.field("sample_id", pa.string(), nullable=False),
        pa.field("split", pa.string(), nullable=False),
        pa.field("dots", pa.list_(pa.struct([pa.field("key", pa.int64()), pa.field("size", pa.float64())]))),
    ],
)


def candidates() -> Candidates:
    """Images a (dots 1 and 2), b (dot 3) and c (none)."""
    images = pd.DataFrame({"sample_id": ["a", "b", "c"], "split": "test"})
    dots = pd.DataFrame({"parent": [0, 0, 1], "key": [1, 2, 3], "size": [5.0, 1.0, 2.0]})
    return Candidates(images, {"dots": dots})


@rule("small", cites="none", reasons={"small": "{size} px", "none_left": "no dot is left"})
def small(images: pd.DataFrame, dots: pd.DataFrame) -> list[Outcome]:
    """Drop small dots, then images without any."""
    large = (dots["size"] >= 3).to_numpy()
    left = images.index.isin(dots["parent"][large])
    return [
        Outcome(level="dots", keep=large, reason="small", values={"size": dots["size"].to_numpy()}),
        Outcome(keep=left, reason="none_left"),
    ]


def told(build: Build) -> list[tuple[str, str, str | None, str, str]]:
    names = ("level", "key", "child_key", "action", "reason")
    return [tuple(entry[name] for name in names) for entry in build.ledger.to_pylist()]


def rows_of(build: Build) -> dict[str, list[Any]]:
    return {row["sample_id"]: [dot["key"] for dot in row["dots"]] for row in build.splits["test"].to_pylist()}


def test_children_go_first_and_their_parents_are_judged_by_the_tables_as_they_were(run_rules: RunRules) -> None:
    build = run_rules(candidates(), [small], SCHEMA)
    assert rows_of(build) == {"a": [1]}
    assert told(build) == [
        ("dots", "a", "2", "dropped", "small"),
        ("dots", "b", "3", "dropped", "small"),
        ("image", "b", None, "dropped", "none_left"),
        ("image", "c", None, "dropped", "none_left"),
    ]


def test_every_row_is_accounted_for_once(run_rules: RunRules) -> None:
    build = run_rules(candidates(), [small], SCHEMA)
    for name, level in build.identity.levels.items():
        assert level.candidates - level.kept == sum(
            count.dropped for count in build.identity.counts if count.level == name
        )
        assert level.candidates - level.kept == build.ledger["level"].to_pylist().count(name)


def test_children_that_are_left_fall_with_their_parent(run_rules: RunRules) -> None:
    @rule("two", cites="none", reasons={"two": "it is dot 2", "a": "it is a"})
    def two(images: pd.DataFrame, dots: pd.DataFrame) -> list[Outcome]:
        return [
            Outcome(level="dots", keep=(dots["key"] != 2).to_numpy(), reason="two"),
            Outcome(keep=(images["sample_id"] != "a").to_numpy(), reason="a"),
        ]

    build = run_rules(candidates(), [two], SCHEMA)
    assert told(build) == [
        ("dots", "a", "2", "dropped", "two"),
        ("image", "a", None, "dropped", "a"),
        ("dots", "a", "1", "dropped", "via=parent"),
    ]
    assert [(c.level, c.dropped, c.with_parent) for c in build.identity.counts] == [("dots", 2, 1), ("image", 1, 0)]


def test_a_rule_may_change_rows_of_another_level(run_rules: RunRules) -> None:
    @rule("shrink", cites="none", reasons={"half": "it was {size}"})
    def shrink(images: pd.DataFrame, dots: pd.DataFrame) -> Outcome:
        large = (dots["size"] > 4).to_numpy()
        halved = dots["size"].where(~large, dots["size"] / 2)
        values = {"size": dots["size"].to_numpy()}
        return Outcome(level="dots", columns={"size": halved}, touched=large, reason="half", values=values)

    build = run_rules(candidates(), [shrink], SCHEMA)
    assert [dot["size"] for row in build.splits["test"].to_pylist() for dot in row["dots"]] == [2.5, 1.0, 2.0]
    (entry,) = build.ledger.to_pylist()
    assert (entry["child_key"], entry["action"], entry["reason"]) == ("1", "changed", "half")
    assert entry["values"] == [{"name": "size", "value": 5.0}]


@pytest.mark.parametrize("order", [(0, 0), (1, 0)], ids=["a level twice", "the parent first"])
def test_outcomes_that_cannot_be_carried_out_are_the_rule_s_error(run_rules: RunRules, order: tuple[int, int]) -> None:
    @rule("confused", cites="none", reasons={"why": "for once"})
    def confused(images: pd.DataFrame, dots: pd.DataFrame) -> list[Outcome]:
        given = [
            Outcome(level="dots", keep=(dots["key"] > 1).to_numpy(), reason="why"),
            Outcome(keep=(images["sample_id"] == "b").to_numpy(), reason="why"),
        ]
        return [given[place] for place in order]

    with pytest.raises(BenchwrightError, match="rule confused: it gives two outcomes for the level 'dots', or one for"):
        run_rules(candidates(), [confused], SCHEMA)
