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


BACKWARDS = {"index": [2, 1, 0]}


@pytest.mark.parametrize(
    ("part", "given"),
    [
        ("keep", {"keep": pd.Series([True, False, True], **BACKWARDS)}),
        ("touched", {"touched": pd.Series([True, False, True], **BACKWARDS)}),
        ("touched", {"touched": pd.Series([True, False, True], index=list("abc"))}),
        ("reason", {"keep": [True, False, True], "reason": pd.Series(["why"] * 3, **BACKWARDS)}),
        ("value 'size'", {"keep": [True, False, True], "values": {"size": pd.Series([1, 2, 3], **BACKWARDS)}}),
        ("column 'split'", {"columns": {"split": pd.Series(["test"] * 3, **BACKWARDS)}}),
    ],
)
def test_a_series_in_another_order_than_the_table_is_refused(
    run_rules: RunRules, part: str, given: dict[str, Any]
) -> None:
    @rule("confused", cites="none", reasons={"why": "for once"})
    def confused(images: pd.DataFrame) -> Outcome:
        reason = "why" if "columns" not in given else ""
        return Outcome(**{"reason": reason} | given)

    with pytest.raises(
        BenchwrightError, match=rf"line \d+, rule confused: its {part} is a Series with other row labels"
    ):
        run_rules(candidates(), [confused], SCHEMA)


def test_a_rule_that_works_on_sorted_rows_may_give_them_in_the_order_of_the_table(run_rules: RunRules) -> None:
    @rule("sorted", cites="none", level="dots", reasons={"small": ""})
    def by_size(dots: pd.DataFrame) -> Outcome:
        largest_last = dots.sort_values("size")
        return Outcome(keep=(largest_last["size"] >= 3).reindex(dots.index), reason="small")

    build = run_rules(candidates(), [by_size], SCHEMA)
    assert rows_of(build) == {"a": [1], "b": [], "c": []}


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_what_a_rule_edits_in_place_is_not_in_the_manifest(run_rules: RunRules) -> None:
    @rule("edits", cites="none", reasons={"none": ""})
    def edits(images: pd.DataFrame, dots: pd.DataFrame) -> Outcome:
        dots["size"] = 0.0
        dots.loc[0, "key"] = 9
        dots["extra"] = 1
        images["split"] = "train"
        images.drop(columns="split", inplace=True)
        return Outcome(keep=dots.groupby("parent").size().reindex(images.index, fill_value=0) > 0, reason="none")

    found = candidates()
    before = {"images": found.root.copy(), "dots": found.children["dots"].copy()}
    build = run_rules(found, [edits], SCHEMA)
    assert rows_of(build) == {"a": [1, 2], "b": [3]}
    assert [dot["size"] for row in build.splits["test"].to_pylist() for dot in row["dots"]] == [5.0, 1.0, 2.0]
    assert found.root.equals(before["images"])
    assert found.children["dots"].equals(before["dots"])


@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.parametrize("edit", ["drop", "sort"])
def test_rows_that_a_rule_drops_or_sorts_in_place_are_its_error(run_rules: RunRules, edit: str) -> None:
    @rule("edits", cites="none")
    def edits(images: pd.DataFrame, dots: pd.DataFrame) -> Outcome:
        if edit == "drop":
            dots.drop(index=0, inplace=True)
        else:
            dots.sort_values("size", inplace=True)
        return Outcome()

    with pytest.raises(
        BenchwrightError, match=r"line \d+, rule edits: it drops, adds or sorts rows of the table 'dots'"
    ):
        run_rules(candidates(), [edits], SCHEMA)


@pytest.mark.parametrize("given", [{"reason": "why"}, {"values": {"size": [1, 2, 3]}}, {"reason": ["why"] * 3}])
def test_reasons_and_values_of_no_row_are_refused(run_rules: RunRules, given: dict[str, Any]) -> None:
    @rule("forgets", cites="none", reasons={"why": "for once"})
    def forgets(images: pd.DataFrame) -> Outcome:
        return Outcome(columns={"split": "test"}, **given)

    with pytest.raises(
        BenchwrightError, match="rule forgets: it gives a reason or values, but neither keep nor touched"
    ):
        run_rules(candidates(), [forgets], SCHEMA)


@pytest.mark.parametrize("part", ["keep", "touched"])
@pytest.mark.parametrize(
    ("reason", "said"), [("nope", r"it gives the reason 'nope' \(declared: why\)"), ("why", "its sentence '{size:g}'")]
)
def test_a_reason_is_checked_where_no_row_gets_it(run_rules: RunRules, part: str, reason: str, said: str) -> None:
    @rule("never", cites="none", reasons={"why": "{size:g}"})
    def never(images: pd.DataFrame) -> Outcome:
        return Outcome(reason=reason, **{part: [part == "keep"] * len(images)})

    with pytest.raises(BenchwrightError, match=said):
        run_rules(candidates(), [never], SCHEMA)


def test_an_unknown_level_of_an_outcome_has_a_suggestion(run_rules: RunRules) -> None:
    @rule("lost", cites="none")
    def lost(images: pd.DataFrame) -> Outcome:
        return Outcome(level="dot")

    with pytest.raises(
        BenchwrightError, match="rule lost: it gives an outcome for the unknown level 'dot'; did you mean"
    ):
        run_rules(candidates(), [lost], SCHEMA)


def test_columns_may_hold_lists(run_rules: RunRules) -> None:
    @rule("lists", cites="none")
    def lists(images: pd.DataFrame) -> Outcome:
        return Outcome(columns={"spans": [[1], [1, 2], []]})

    assert rows_of(run_rules(candidates(), [lists], SCHEMA)) == {"a": [1, 2], "b": [3], "c": []}


def test_a_rule_gives_samples_no_other_names(run_rules: RunRules) -> None:
    @rule("renames", cites="none")
    def renames(images: pd.DataFrame) -> Outcome:
        return Outcome(columns={"sample_id": "a"})

    with pytest.raises(BenchwrightError, match="rule renames: it gives the column 'sample_id', by which the ledger"):
        run_rules(candidates(), [renames], SCHEMA)
