"""What a recipe's run does beyond the laws: tables that rules see, values in the ledger, and what it refuses."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from builders.engine.recipe import Candidates, Recipe
from builders.engine.rules import Outcome, rule
from builders.engine.run import Build, run
from builders.engine.sources import Sources
from schemas.cards import Claim, Source
from schemas.columns import column, table_schema
from schemas.errors import BenchwrightError, InputError, UsageError
from schemas.identity import Level
from schemas.ledger import LEDGER

RunRules = Callable[..., Build]

NAMES = [column("sample_id", pa.string(), "name"), column("split", pa.string(), "split")]
OBJECT = pa.struct([column("key", pa.int64(), "position"), column("area", pa.float64(), "area", required=False)])
OBJECTS = column("objects", pa.list_(pa.field("item", OBJECT, nullable=False)), "what is in the image")
IMAGES = table_schema("images", 1, [*NAMES, column("width", pa.int64(), "width", required=False), OBJECTS])
PLAIN = table_schema("images", 1, NAMES)


def images(size: int = 4, **columns: Any) -> pd.DataFrame:
    frame = pd.DataFrame({"sample_id": [f"image {n}" for n in range(size)], "split": "test", "width": 100})
    return frame.assign(**columns)


def objects(parents: list[int], areas: list[float] | None = None) -> pd.DataFrame:
    keys = range(len(parents))
    return pd.DataFrame({"parent": parents, "key": keys, "area": [1.0] * len(parents) if areas is None else areas})


SAME = rule("size", cites="x")(lambda _images: Outcome())


def values_of(build: Build) -> list[dict[str, float | None]]:
    return [{value["name"]: value["value"] for value in row} for row in build.ledger["values"].to_pylist()]


def test_objects_are_nested_in_reading_order_whatever_the_order_of_their_parents(run_rules: RunRules) -> None:
    build = run_rules(Candidates(images(), {"objects": objects([2, 0, 2, 3, 0])}), [], IMAGES)
    keys = [[thing["key"] for thing in row] for row in build.splits["test"]["objects"].to_pylist()]
    assert keys == [[1, 4], [], [0, 2], [3]]


@pytest.mark.parametrize("size", [0, 2])
def test_samples_without_objects_hold_empty_lists(run_rules: RunRules, size: int) -> None:
    build = run_rules(Candidates(images(size), {"objects": objects([])}), [], IMAGES)
    assert build.splits["test"]["objects"].to_pylist() == [[]] * size
    assert build.identity.levels == {"image": Level(size, size), "objects": Level(0, 0)}
    assert build.ledger.num_rows == 0
    assert build.ledger.schema.equals(LEDGER)


def test_an_object_rule_sees_the_images_that_are_left_by_their_level_name(run_rules: RunRules) -> None:
    @rule("first image", cites="x", reasons={"first": ""})
    def drop_first(images: pd.DataFrame) -> Outcome:
        return Outcome(keep=images["sample_id"] != "image 0", reason="first")

    @rule("relative area", cites="x", level="objects", reasons={"large": "{area:g} of {width:g}"})
    def small(objects: pd.DataFrame, image: pd.DataFrame) -> Outcome:
        width = image["width"].loc[objects["parent"]].to_numpy()
        return Outcome(keep=objects["area"] < width, reason="large", values={"area": objects["area"], "width": width})

    found = objects([1, 1, 0], [5.0, 50.0, 500.0])
    build = run_rules(Candidates(images(2, width=[10, 20]), {"objects": found}), [drop_first, small], IMAGES)
    assert build.splits["test"]["objects"].to_pylist() == [[{"key": 0, "area": 5.0}]]
    assert values_of(build)[-1] == {"area": 50.0, "width": 20.0}
    assert build.ledger["child_key"].to_pylist() == [None, "2", "1"]


def test_an_image_rule_sees_the_objects_that_are_left_and_the_sources(run_rules: RunRules) -> None:
    seen: list[object] = []

    @rule("small objects", cites="x", level="objects", reasons={"small": ""})
    def large(objects: pd.DataFrame) -> Outcome:
        return Outcome(keep=objects["area"] > 2, reason="small")

    @rule("not empty", cites="x", reasons={"empty": "it holds {objects:g} objects"})
    def not_empty(images: pd.DataFrame, objects: pd.DataFrame, sources: Sources) -> Outcome:
        seen.append(sources)
        count = objects["parent"].value_counts().reindex(images.index, fill_value=0)
        return Outcome(keep=count > 0, reason="empty", values={"objects": count})

    found = objects([0, 1, 1], [1.0, 1.0, 9.0])
    build = run_rules(Candidates(images(3), {"objects": found}), [large, not_empty], IMAGES)
    assert build.splits["test"]["sample_id"].to_pylist() == ["image 1"]
    assert [row["action"] for row in build.ledger.to_pylist()] == ["dropped"] * 4
    assert isinstance(seen[0], Sources)


def test_the_ledger_has_the_columns_that_manifests_ask_for() -> None:
    assert set(LEDGER.names) == set(LEDGER.names)
    assert all(field.metadata[b"about"] for field in LEDGER)


def test_unknown_values_are_nulls_in_the_ledger_and_numbers_of_all_kinds_are_numbers(run_rules: RunRules) -> None:
    @rule("any", cites="x", reasons={"any": ""})
    def drop_all(images: pd.DataFrame) -> Outcome:
        values = {
            "float": images["float"],
            "whole": images["whole"],
            "flag": images["flag"],
            "list": [1, 2],
            "one": np.int8(7),
        }
        return Outcome(keep=np.zeros(len(images), bool), reason="any", values=values)

    columns = {"float": [0.5, np.nan], "whole": pd.array([3, None], "Int64"), "flag": [True, False]}
    assert values_of(run_rules(Candidates(images(2, **columns)), [drop_all], PLAIN)) == [
        {"float": 0.5, "whole": 3.0, "flag": 1.0, "list": 1.0, "one": 7.0},
        {"float": None, "whole": None, "flag": 0.0, "list": 2.0, "one": 7.0},
    ]


def test_parameters_reach_the_rule_and_those_changed_are_named(run_rules: RunRules) -> None:
    @rule("size", cites="x", reasons={"narrow": ""})
    def size(images: pd.DataFrame, *, least: int = 1, most: float = 1e9) -> Outcome:
        return Outcome(keep=images["width"].between(least, most), reason="narrow")

    candidates = Candidates(images(3, width=[5, 50, 500]), findings={"odd files": 2})
    build = run_rules(candidates, [size], PLAIN, {"size.least": "50"})
    assert build.splits["test"]["sample_id"].to_pylist() == ["image 1", "image 2"]
    assert (build.identity.parameters, build.identity.changed_parameters) == (
        {"size.least": 50, "size.most": 1e9},
        ["size.least"],
    )
    assert build.identity.findings == {"odd files": 2}
    assert run_rules(candidates, [size], PLAIN, {"size.least": "1"}).identity.changed_parameters == []


def test_claims_on_candidates_are_measured_before_any_rule(run_rules: RunRules, card) -> None:
    @rule("none", cites="x", reasons={"any": ""})
    def drop_all(images: pd.DataFrame) -> Outcome:
        return Outcome(keep=np.zeros(len(images), bool), reason="any")

    claims = [
        Claim(name="images", where="x", paper=3, aggregate="rows", scope="candidates"),
        Claim(name="width", where="x", paper=3, aggregate="mean", scope="candidates", column="width", split="test"),
        Claim(name="kept", where="x", paper=0, aggregate="rows"),
    ]
    widths = pd.array([10, None, 30], "Int64")
    build = run_rules(Candidates(images(3, width=widths)), [drop_all], PLAIN, card=card(claims=claims))
    assert build.identity.aggregates == {"images": 3.0, "width": 20.0}


def test_names_that_stand_twice_are_an_input_error(run_rules: RunRules) -> None:
    with pytest.raises(InputError) as caught:
        run_rules(Candidates(images(4, sample_id=["a", "b", "a", "b"])), [], PLAIN)
    assert [problem.record for problem in caught.value.problems] == ["image 'a'", "image 'b'"]
    assert all(re.search(r"line \d+, reader$", problem.file) for problem in caught.value.problems)


@pytest.mark.parametrize("split", ["val", None])
def test_rows_of_a_split_that_the_card_does_not_name_are_not_lost_in_silence(run_rules: RunRules, split) -> None:
    with pytest.raises(
        BenchwrightError, match=r"line \d+, reader: .* sample .image 1. in .val.|row 1 .* the split (None|nan)"
    ):
        run_rules(Candidates(images(2, split=["test", split])), [], PLAIN)


def test_a_required_value_that_no_rule_sets_is_an_error(run_rules: RunRules) -> None:
    schema = table_schema("images", 1, [*NAMES, column("width", pa.float64(), "width")])
    with pytest.raises(InputError) as caught:
        run_rules(Candidates(images(2, width=[1.0, np.nan])), [], schema)
    (problem,) = caught.value.problems
    assert (problem.record, problem.field, problem.found) == ("sample 'image 1'", "width", "nothing (1 such rows)")


def test_a_reason_that_a_rule_does_not_declare_is_an_error_of_the_rule(run_rules: RunRules) -> None:
    @rule("size", cites="x", reasons={"narrow": ""})
    def size(images: pd.DataFrame) -> Outcome:
        return Outcome(keep=images["width"] > 1e3, reason="wide")

    with pytest.raises(BenchwrightError, match=r"rule size: it gives the reason 'wide' \(declared: narrow\)"):
        run_rules(Candidates(images()), [size], PLAIN)


def test_rules_of_unknown_levels_and_tables_are_usage_errors(run_rules: RunRules) -> None:
    @rule("a", cites="x", level="object")
    def of_level(objects: pd.DataFrame) -> Outcome:
        return Outcome()

    @rule("b", cites="x")
    def with_table(images: pd.DataFrame, objets: pd.DataFrame) -> Outcome:
        return Outcome()

    candidates = Candidates(images(), {"objects": objects([])})
    with pytest.raises(UsageError, match=r"py, line \d+, rule a: unknown level 'object'; did you mean objects\?"):
        run_rules(candidates, [of_level], IMAGES)
    with pytest.raises(UsageError, match=r"py, line \d+, rule b: unknown table 'objets'; did you mean objects\?"):
        run_rules(candidates, [with_table], IMAGES)


@pytest.mark.parametrize(
    ("part", "value", "said"),
    [
        ("rules", (SAME, SAME), "two rules are named 'size'"),
        ("rules", SAME, "its rules are the rule 'size' alone, expected a tuple of functions with @rule"),
        ("rules", (SAME, images), "its rules are with images, which has no @rule"),
        ("rules", None, "its rules are None, expected a tuple"),
        ("read", None, r"its reader is None, expected a function such as read\(sources\)"),
        ("read", SAME, "its reader is Rule"),
        ("schema", None, "its schema is None; make it with table_schema"),
        ("schema", pa.schema(NAMES), "its schema has no name; make it with table_schema"),
        ("schema", table_schema("images", 1, NAMES[:1]), "its schema has no column 'split'"),
        ("card", None, "its card: Expected `object`, got `null`"),
        ("version", "1", "its version is '1', expected a whole number"),
        ("level", None, "its level is None, expected a text"),
    ],
)
def test_a_recipe_that_cannot_be_run_is_refused_where_it_is_made(card, part: str, value: Any, said: str) -> None:
    parts = {"card": card(), "read": lambda _: Candidates(images()), "rules": (), "schema": PLAIN}
    texts = {"version": 1, "version_reason": "first version", "level": "image"}
    with pytest.raises((TypeError, ValueError), match=said):
        Recipe(**(parts | texts | {part: value}))


def test_the_same_sample_in_two_files_names_both(run_rules: RunRules) -> None:
    with pytest.raises(InputError) as caught:
        run_rules(Candidates(images(3, sample_id=["1", "2", "1"], file=["a.json", "a.json", "b.json"])), [], PLAIN)
    assert str(caught.value) == "b.json: image 1: found one that a.json has too, expected each image once"


def split_recipe(card: Any) -> Recipe:
    def read(sources: Sources, *, split: Annotated[str, "any"] = "test") -> Candidates:
        return Candidates(images(2, split=split))

    return Recipe(card, 1, "first version", "image", read, (), PLAIN)


@pytest.mark.parametrize("split", ["*", "", "../secret", "val-2014", "val.", "a b", "val\n", "val[0-9]"])
def test_a_split_is_named_by_letters_digits_and_underscores(card, split: str) -> None:
    """It becomes the name of a file, and stands in the names of those looked for."""
    with pytest.raises(UsageError, match=r"(?s)^source.split=.*: expected letters, digits and underscores"):
        split_recipe(card()).settings({"source.split": split})


@pytest.mark.parametrize("split", ["val2014", "person_val", "v1.5", "тест"])
def test_other_names_of_splits_are_taken(card, tmp_path: Path, split: str) -> None:
    invented = card()
    build = run(split_recipe(invented), Sources([], tmp_path), {"source.split": split}, card=invented)
    assert {name: table.num_rows for name, table in build.splits.items()} == {split: 2}


def test_the_findings_of_sources_stand_with_those_of_the_reader(card, tmp_path: Path) -> None:
    (tmp_path / "list_val.txt").write_text("x")
    invented = card(sources=[Source("list", ["list_{split}.txt"], "a list", "write it")])

    def read(sources: Sources, *, split: Annotated[str, "any"] = "test") -> Candidates:
        assert sources["list"].name == "list_val.txt"
        return Candidates(images(2, split=split), findings={"odd lines": 3})

    recipe = Recipe(invented, 1, "first version", "image", read, (), PLAIN)
    found = Sources(invented.sources, tmp_path, {"list": tmp_path / "list_val.txt"}, {"split": "test"})
    assert run(recipe, found, card=invented).identity.findings == {
        "odd lines": 3,
        "source files not named after the split test (list_val.txt)": 1,
    }
