"""Builds in memory: what `build` writes, from sources that are read once, with rules lifted, after any of them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright import export, score, why
from builders.engine.build import build
from builders.engine.recipe import Candidates, Recipe
from builders.engine.registry import BUNDLED, find_recipe
from builders.engine.rules import Outcome, rule
from builders.engine.run import Runs
from builders.engine.sources import MissingSourceError, Sources
from builders.engine.variants import Variants
from schemas.columns import column, table_schema
from schemas.errors import BenchwrightError, UsageError
from schemas.manifest import Manifest
from schemas.validation import validate

Opens = Callable[..., AbstractContextManager[Counter[Path]]]

OOPS = {
    "names.repair": [False, True],
    "agreement.max_notfound": [0, 2],
    "single_scene.by": ["published", "skip"],
    "onset.pick": ["earliest", "median"],
    "valid_span.lift": [False, True],
}
SAMPLES = Path(__file__).resolve().parents[2] / "samples"
SCHEMA = table_schema("invented", 1, [column(name, str, name) for name in ("sample_id", "split", "size")])


def same(one: Manifest, other: Manifest) -> bool:
    """Whether all is the same: identity, digests, metadata, rows, ledger."""
    metadata = one.table().schema.metadata == other.table().schema.metadata
    rows = one.table().equals(other.table()) and one.ledger().equals(other.ledger())
    return one.identity == other.identity and metadata and rows


@pytest.mark.parametrize("name", BUNDLED)
def test_it_is_what_a_build_writes(samples: Path, tmp_path: Path, name: str) -> None:
    manifest = Variants(find_recipe(name), samples).build()
    written = build(find_recipe(name), samples, tmp_path)
    assert same(manifest, written)
    assert validate(manifest) == validate(written)
    assert not manifest.path.exists()


def test_it_is_accepted_wherever_a_manifest_is(samples: Path, tmp_path: Path, write) -> None:
    manifest = Variants(find_recipe("uag-oops"), samples).build()
    written = build(find_recipe("uag-oops"), samples, tmp_path)
    spans = write(written)
    assert score(manifest, spans).signature == score(written, spans).signature
    dropped = manifest.ledger()["key"][0].as_py()
    assert why(manifest, dropped) == why(written, dropped)
    assert manifest.to_pandas().equals(written.to_pandas())
    assert export(manifest, "official", tmp_path / "a.json") == export(written, "official", tmp_path / "b.json")


def test_sources_are_read_once_for_all_settings(own_samples: Path, opens: Opens) -> None:
    variants = Variants(find_recipe("uag-oops"), own_samples)
    several = [dict(zip(OOPS, values, strict=True)) for values in itertools.product(*OOPS.values())]
    with opens(own_samples) as opened:
        found = list(variants.builds(reversed(several)))
    assert set(opened.values()) == {1}, opened
    assert sorted(map(repr, several)) == sorted(repr(settings) for settings, _ in found)
    for settings, manifest in found:
        assert isinstance(manifest, Manifest)
        assert same(manifest, Variants(find_recipe("uag-oops"), own_samples).build(settings))


@given(st.lists(st.fixed_dictionaries({key: st.sampled_from(values) for key, values in OOPS.items()}), max_size=6))
def test_the_order_of_runs_changes_nothing(several: list[dict[str, object]]) -> None:
    variants = Variants(find_recipe("uag-oops"), SAMPLES)
    for settings in several:
        assert same(variants.build(settings), built_alone(tuple(settings.items())))


@cache
def built_alone(settings: tuple[tuple[str, object], ...]) -> Manifest:
    """The manifest of these settings, built before any other."""
    return Variants(find_recipe("uag-oops"), SAMPLES).build(dict(settings))


class Counted:
    """A recipe that counts how often its parts run: `a` makes the size, `b` drops, `c` needs that it did."""

    def __init__(self, card: Any) -> None:
        self.ran: Counter[str] = Counter()
        invented = card()

        def read(sources: Sources, *, first: Annotated[str, "text of the first sample"] = "x") -> Candidates:
            self.ran["read"] += 1
            return Candidates(pd.DataFrame({"sample_id": ["1", "2", "3"], "split": "test", "text": [first, "y", None]}))

        @rule("a", cites="none")
        def a(rows: pd.DataFrame, *, again: bool = False) -> Outcome:
            self.ran["a"] += 1
            return Outcome(columns={"size": rows["text"] * (1 + again)})

        @rule("b", cites="none", reasons={"none": "it has no text"})
        def b(rows: pd.DataFrame) -> Outcome:
            self.ran["b"] += 1
            return Outcome(keep=rows["text"].notna(), reason="none")

        @rule("c", cites="none", reasons={"y": "it is y"})
        def c(rows: pd.DataFrame, *, y: Annotated[bool, "keep y"] = True) -> Outcome:
            self.ran["c"] += 1
            initials = [text[0] for text in rows["size"]]
            return Outcome(keep=[y or initial != "y" for initial in initials], reason="y")

        self.recipe = Recipe(invented, 1, "first version", "text", read, (a, b, c), SCHEMA)


def test_rules_that_settings_have_in_common_run_once(card, tmp_path: Path) -> None:
    counted = Counted(card)
    several = [{"a.again": again, "c.y": y} for y in (True, False) for again in (True, False)]
    rows = {repr(settings): manifest for settings, manifest in Variants(counted.recipe, tmp_path).builds(several)}
    assert {key: manifest.identity.splits["test"].rows for key, manifest in rows.items()} == {
        repr(settings): 2 if settings["c.y"] else 1 for settings in several
    }
    assert counted.ran == {"read": 1, "a": 2, "b": 2, "c": 4}


def test_only_a_parameter_of_the_reader_reads_again(card, tmp_path: Path) -> None:
    counted = Counted(card)
    variants = Variants(counted.recipe, tmp_path)
    for first in ("x", "x", "z", "z"):
        assert variants.build({"source.first": first}).table()["size"][0].as_py() == first
    assert counted.ran == {"read": 2, "a": 2, "b": 2, "c": 2}


def test_a_build_alone_keeps_the_candidates_at_most(card, tmp_path: Path) -> None:
    counted = Counted(card)
    runs = Runs(counted.recipe, Sources([], tmp_path), card(), kept=False)
    assert [runs.run({"c.y": y}).splits["test"].num_rows for y in (True, False)] == [2, 1]
    assert counted.ran == {"read": 1, "a": 2, "b": 2, "c": 2}


def test_a_lifted_rule_runs_but_drops_nothing(card, tmp_path: Path) -> None:
    manifest = Variants(Counted(card).recipe, tmp_path).build({"c.y": "false", "c.lift": "true"})
    assert manifest.table()["sample_id"].to_pylist() == ["1", "2"]
    assert manifest.identity.changed_parameters == ["c.y", "c.lift"]
    count = manifest.identity.counts[-1]
    assert (count.rule, count.dropped, count.noted) == ("c", 0, 1)
    entry = manifest.ledger().to_pylist()[-1]
    assert (entry["key"], entry["action"], entry["reason"]) == ("2", "noted", "y")
    assert validate(manifest) == []


def test_a_rule_whose_work_later_steps_need_cannot_be_lifted_which_is_said(card, tmp_path: Path) -> None:
    variants = Variants(Counted(card).recipe, tmp_path)
    found = variants.leave_one_out({"c.y": False})
    assert list(found) == ["a", "b", "c"]
    assert [found[name].table().num_rows for name in ("a", "c")] == [1, 2]  # type: ignore[union-attr]
    failure = str(found["b"])
    assert isinstance(found["b"], BenchwrightError)
    assert failure.startswith("b.lift: later steps cannot go on with the rows that stay: ")
    assert "rule c" in failure
    with pytest.raises(BenchwrightError, match=r"^b\.lift: .*rule c"):
        variants.build({"b.lift": True, "c.y": False})
    assert variants.build().table().num_rows == 2


def test_not_to_lift_is_the_default(samples: Path) -> None:
    variants = Variants(find_recipe("uag-ssbd"), samples)
    assert same(variants.build(), variants.build({"availability.lift": False}))


def test_only_rules_are_lifted(samples: Path, card, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown parameter of rule 'source' 'lift'"):
        Variants(Counted(card).recipe, tmp_path).build({"source.lift": True})
    with pytest.raises(UsageError, match=r"^availability.lift=perhaps: expected false \| true$"):
        Variants(find_recipe("uag-ssbd"), samples).build({"availability.lift": "perhaps"})

    def own(rows: pd.DataFrame, *, lift: bool = False) -> Outcome:
        return Outcome()

    with pytest.raises(TypeError, match="every rule has it already"):
        rule("own", cites="none")(own)


def test_a_missing_source_is_no_matter_of_lifting(samples: Path) -> None:
    variants = Variants(find_recipe("uag-oops"), samples)
    with pytest.raises(UsageError, match=r"^source 'inventory' not found"):
        variants.build({"names.lift": True, "end.of": "probed"})
    found = {
        repr(settings): type(result) for settings, result in variants.builds([{"end.of": "probed"}, {"no": 1}, {}])
    }
    assert found == {"{'end.of': 'probed'}": MissingSourceError, "{'no': 1}": UsageError, "{}": Manifest}


def test_rows_after_a_rule(samples: Path) -> None:
    variants = Variants(find_recipe("uag-oops"), samples)
    counts = {count.rule: count for count in variants.build().identity.counts}
    assert len(variants.rows()) == counts["names"].rows_in
    assert len(variants.rows("agreement")) == counts["agreement"].rows_in - counts["agreement"].dropped
    assert len(variants.rows("agreement", {"agreement.lift": True})) == counts["agreement"].rows_in
    rows = variants.rows()
    rows["sample_id"] = "changed"
    assert "changed" not in set(variants.rows()["sample_id"])
    people = Variants(find_recipe("jrdb-par"), samples).rows(level="persons")
    assert {"parent", "key"} <= set(people)
    with pytest.raises(UsageError, match="unknown rule 'agrement'; did you mean agreement"):
        variants.rows("agrement")
    with pytest.raises(UsageError, match="unknown level 'persons'"):
        variants.rows(level="persons")


def test_sources_are_those_that_these_settings_asked_for(samples: Path) -> None:
    variants = Variants(find_recipe("uag-oops"), samples)
    used = [set(variants.build({"single_scene.by": by}).identity.sources) for by in ("published", "skip", "published")]
    assert used[0] - used[1] == {"single_scene"}
    assert used[0] == used[2]


@pytest.mark.real_data
def test_masking_in_the_real_files(real_data: Path) -> None:
    """Lifting `agreement` alone wins nothing, as `single_scene` masks it: 651 rows more where both are lifted."""
    variants = Variants(find_recipe("uag-oops"), real_data)
    rules = ("agreement.lift", "single_scene.lift")
    several = [dict.fromkeys(names, True) for count in range(3) for names in itertools.combinations(rules, count)]
    rows = {tuple(settings): manifest.table().num_rows for settings, manifest in variants.builds(several)}  # type: ignore[union-attr]
    assert rows == {(): 1589, rules[:1]: 1589, rules[1:]: 2903, rules: 3554}
