"""`why`: the fate of a row, rule by rule, whether it was kept, dropped or never seen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from benchwright.explanation import Part, Story, stories
from builders.engine.build import build
from builders.engine.recipe import Candidates, Recipe
from builders.engine.registry import BUNDLED, find_recipe
from builders.engine.rules import Outcome, rule
from schemas.cards import Card
from schemas.columns import column, table_schema
from schemas.errors import UsageError
from schemas.identity import RuleText
from schemas.manifest import Manifest

SNOW3 = "Snow Day, No Way! - Winter Wobbles (January 2020) _ SlipCity3"


SNOW9 = "Snow Day, No Way! - Winter Wobbles (January 2020) _ SlipCity9"


DAD11 = "Dad's Workshop Disasters - Don't Try This (June 2019)11"


NOBODY8 = "Nobody’s Perfect - Kitchen Mishaps (April 2022) _ SlipCity8"


def actions(story: Story) -> list[tuple[str, str]]:
    return [(step.rule, step.action) for step in story.steps]


def test_a_kept_clip_passed_every_rule_and_shows_its_row(sample_manifest) -> None:
    (story,) = stories(sample_manifest("uag-oops"), SNOW3)
    assert (story.key, story.level, story.fate) == (SNOW3, "clip", "kept")
    assert actions(story) == [
        ("names", "passed"),
        ("labelled", "passed"),
        ("agreement", "passed"),
        ("described", "passed"),
        ("single_scene", "passed"),
        ("description", "derived"),
        ("onset", "derived"),
        ("end", "derived"),
        ("valid_span", "passed"),
    ]
    assert story.row is not None
    assert story.row["start_s"] == 6.25
    assert story.steps[2].parameters == {"max_notfound": 0}
    assert story.steps[2].cites.startswith("Hasnat79/uag")


def test_a_dropped_clip_tells_the_rule_the_values_and_what_was_not_reached(sample_manifest) -> None:
    (story,) = stories(sample_manifest("uag-oops"), SNOW9)
    assert (story.fate, story.row) == ("dropped", None)
    assert actions(story)[:4] == [
        ("names", "passed"),
        ("labelled", "passed"),
        ("agreement", "dropped"),
        ("described", "not reached"),
    ]
    step = story.steps[2]
    assert step.sentence == "2 of 3 annotators saw no failure, more than 0"
    assert step.values == {"n_notfound": 2.0, "max_notfound": 0.0}


def test_a_clip_may_be_noted_before_it_is_dropped(sample_manifest) -> None:
    (story,) = stories(sample_manifest("uag-oops"), NOBODY8)
    assert [(step.rule, step.action) for step in story.steps if step.sentence] == [
        ("names", "noted"),
        ("described", "dropped"),
    ]
    assert story.steps[3].sentence == "its description is under a misread key (names.repair=true finds it)"


def test_a_value_compared_is_in_the_sentence(sample_manifest) -> None:
    manifest = sample_manifest("uag-oops", onset__pick="latest", valid_span__on_invalid="drop")
    (story,) = stories(manifest, SNOW3)
    assert story.steps[-1].sentence == "the span starts at 7.7531 s, not before its end at 7.75 s"
    # Of a dropped row, what was compared is all that is known.
    sentences = {step.rule: step.sentence for step in story.steps}
    assert (sentences["onset"], sentences["end"]) == ("", "end_s = duration_s = 7.75")


def given(story: Story) -> dict[str, tuple[str, str, dict]]:
    return {step.rule: (step.action, step.sentence, step.values) for step in story.steps}


def test_values_that_a_rule_gave_are_told_and_from_what(sample_manifest) -> None:
    (story,) = stories(sample_manifest("uag-oops", onset__pick="latest", valid_span__on_invalid="clip"), SNOW3)
    steps, onsets = given(story), story.row["onsets_s"]
    values = {"start_s": 7.7531, "onsets_s": onsets}
    assert steps["onset"] == ("derived", f"start_s = 7.7531, latest of {', '.join(map(str, onsets))}", values)
    # What a later rule changed is told as it was.
    assert story.row["start_s"] == 7.75
    assert steps["valid_span"][0] == "changed"
    assert steps["end"][1] == "end_s = duration_s = 7.75"


@pytest.mark.parametrize(
    ("name", "key", "rule", "sentence"),
    [
        ("uag-funqa", "test_2", "times", "start_s = 0.5 = 15 / 30, end_s = 6 = 180 / 30"),
        ("uag-funqa", "test_2", "frames", 'start_frame = 15, end_frame = 180, from "[0015,  0180]"'),
        ("uag-ssbd", "v_ArmFlapping_01_b_01", "time", "start_s = 9, end_s = 15"),
        ("densepose-person", "51001 of 810201", "parts", "category = person"),
    ],
)
def test_every_recipe_tells_what_it_computed(sample_manifest, name: str, key: str, rule: str, sentence: str) -> None:
    (story,) = stories(sample_manifest(name), key)
    assert given(story)[rule][:2] == ("derived", sentence)


@pytest.mark.parametrize("name", BUNDLED)
def test_places_of_given_sentences_are_columns_or_parameters(name: str) -> None:
    recipe = find_recipe(name)
    fields = [recipe.schema, *(f.type.value_type for f in recipe.schema if pa.types.is_list(f.type))]
    columns = {f.name for parent in fields if isinstance(parent, pa.Schema | pa.StructType) for f in parent}
    for step in recipe.rules:
        assert set(RuleText("", "", {}, step.gives).places) <= columns | {p.name for p in step.parameters}


def test_an_alias_names_every_row_that_it_fits(sample_manifest) -> None:
    (story,) = stories(sample_manifest("uag-funqa"), "H_A_7_0402_0655.mp4")
    assert (story.key, story.fate) == ("test_5", "kept")


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (SNOW9[:-1] + "8", f"no candidate is named {SNOW9[:-1] + '8'!r}; the nearest are 'Snow Day"),
        (SNOW9.upper(), f"; the nearest are {SNOW9!r}"),
        ("slipcity7", "; the nearest are 'Ladder Lessons - Best Slips of the Week (March 2021) _ SlipCity7'"),
        ("SlipCity7", "; the nearest are 'Ladder Lessons - Best Slips of the Week (March 2021) _ SlipCity7'"),
        ("\x1b[31m", r"no candidate is named '\x1b[31m'"),
        ("", "no candidate is named ''"),
    ],
)
def test_a_key_that_was_never_seen_suggests_the_nearest(sample_manifest, key: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        stories(sample_manifest("uag-oops"), key)
    assert said in str(caught.value)


def test_rules_of_an_older_recipe_show_bare_codes(sample_manifest) -> None:
    (story,) = stories(sample_manifest("uag-oops"), DAD11, [RuleText("another", "", {})])
    assert story.steps[4].sentence == "several scenes"
    assert story.steps[4].cites == ""


def test_a_manifest_without_sentences_is_explained_by_the_bundled_recipe(sample_manifest) -> None:
    manifest = sample_manifest("uag-oops")
    old = Manifest(manifest.path, msgspec.structs.replace(manifest.identity, rules=[]))
    assert stories(old, SNOW9) == stories(manifest, SNOW9)


@pytest.fixture(scope="module")
def recipe() -> Recipe:
    """Three images with objects; one image falls, and one object of another."""

    @rule("size", cites="our paper", reasons={"narrow": "{width:g} px"})
    def size(images: pd.DataFrame) -> Outcome:
        return Outcome(keep=images["width"] > 50, reason="narrow", values={"width": images["width"]})

    @rule("area", cites="our paper", level="objects", reasons={"small": "{area:g} px"})
    def area(objects: pd.DataFrame) -> Outcome:
        return Outcome(keep=objects["area"] > 2, reason="small", values={"area": objects["area"]})

    root = pd.DataFrame(
        {"sample_id": ["10", "20", "30"], "split": "test", "image_id": [10, 20, 30], "width": [90, 9, 90]}
    )
    objects = pd.DataFrame({"parent": [0, 0, 1, 2], "key": [7, 8, 7, 9], "area": [1.0, 5.0, 5.0, 5.0]})
    record = pa.struct([column("key", pa.int64(), "key")])
    schema = table_schema(
        "images",
        1,
        [
            column("sample_id", pa.string(), "name"),
            column("split", pa.string(), "split"),
            column("image_id", pa.int64(), "number"),
            column("objects", pa.list_(record), "what it holds"),
        ],
    )
    texts = dict.fromkeys(["title", "task", "citation", "licence", "access", "rows"], "invented")
    card = Card(name="images", splits=["test"], sources=[], claims=[], aliases=["image_id"], **texts)
    candidates = Candidates(root, {"objects": objects})
    return Recipe(card, 1, "first version", "image", lambda _: candidates, (area, size), schema)


@pytest.fixture(scope="module")
def images(recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    place = tmp_path_factory.mktemp("images")
    return build(recipe, place, place / "out")


def test_objects_tell_their_own_story_in_every_sample_they_fell_in(images: Manifest) -> None:
    manifest = images
    own, with_image = stories(manifest, "7")
    assert (own.key, own.level, own.fate) == ("7 of 10", "objects", "dropped")
    assert actions(own) == [("area", "dropped"), ("size", "not reached")]
    assert own.steps[0].sentence == "1 px"
    assert (with_image.key, with_image.fate) == ("7 of 20", "dropped")
    assert with_image.steps[1].sentence == "its sample was dropped: 9 px"


def test_a_thing_is_named_with_its_sample(images: Manifest) -> None:
    manifest = images
    (story,) = stories(manifest, "7 of 20")
    assert (story.key, story.fate) == ("7 of 20", "dropped")
    with pytest.raises(UsageError, match="no candidate is named '7 of 30'"):
        stories(manifest, "7 of 30")


def test_a_sample_tells_what_became_of_the_things_in_it(images: Manifest) -> None:
    manifest = images
    parts = {key: stories(manifest, key)[0].parts for key in ("10", "20")}
    assert parts == {"10": [Part("objects", "7", "area", "dropped", "1 px")], "20": []}


def test_a_person_left_out_one_kept_and_a_group(sample_manifest) -> None:
    manifest = sample_manifest("jrdb-par")
    (left_out,) = stories(manifest, "21 of bytes-cafe-2019-02-07_0/000015")
    assert (left_out.level, left_out.fate) == ("persons", "dropped")
    assert left_out.steps[0].sentence == "it has no social activity, only individual actions (1)"
    both = stories(manifest, "5 of bytes-cafe-2019-02-07_0/000015")
    assert [(story.level, story.fate) for story in both] == [("persons", "kept")]
    assert both[0].row["social"] == [{"id": 2, "difficult": False}]
    (group,) = stories(manifest, "4 of bytes-cafe-2019-02-07_0/000015")
    assert (group.level, group.fate) == ("groups", "kept")
    assert group.steps[0].sentence == "2 of its 3 members are kept; members 5, 6; shared activities 2"
    assert group.row == {"group_id": 4, "member_ids": [5, 6], "activities": [2]}


def test_a_key_of_very_many_samples_must_be_named_with_its_sample(recipe: Recipe, tmp_path: Path) -> None:
    root = pd.DataFrame(
        {"sample_id": [f"s{n}" for n in range(21)], "split": "test", "image_id": range(21), "width": 90}
    )
    objects = pd.DataFrame({"parent": range(21), "key": 7, "area": 1.0})
    many = replace(recipe, read=lambda _: Candidates(root, {"objects": objects}))
    manifest = build(many, tmp_path, tmp_path / "out")
    with pytest.raises(
        UsageError, match="21 samples hold '7'; name one of them, such as '7 of s0', '7 of s1', '7 of s2'"
    ):
        stories(manifest, "7")
    assert len(stories(manifest, "7 of s20")) == 1


def test_a_number_may_be_an_alias(images: Manifest) -> None:
    manifest = images
    (story,) = stories(manifest, "30")
    assert (story.key, story.level, story.fate) == ("30", "image", "kept")


REASONS = [
    ("uag-oops", {}, "agreement", "no_failure_seen", " of 3 annotators saw no failure, more than 0"),
    ("uag-oops", {}, "described", "misread_key", "its description is under a misread key"),
    ("uag-oops", {"agreement__max_notfound": 2}, "described", "no_description", "nobody described it"),
    ("uag-oops", {}, "single_scene", "several_scenes", "it has several scenes"),
    ("uag-oops", {"names__repair": True}, "single_scene", "scene_count_unknown", "nobody counted its scenes"),
    ("uag-oops", {"description__use": "first_known"}, "description", "dont_know", "both annotators wrote"),
    (
        "uag-oops",
        {"onset__pick": "latest", "valid_span__on_invalid": "drop"},
        "valid_span",
        "starts_at_end",
        "starts at",
    ),
    ("oops-uag-instruct", {}, "labelled", "no_transition_times", "no annotator was asked for its time of failure"),
    ("oops-uag-instruct", {}, "description", "dont_know", "both annotators wrote"),
    ("uag-ssbd", {}, "availability", "missing_as_published", "the authors could no longer download its video"),
]


@pytest.mark.real_data
@pytest.mark.parametrize(("name", "settings", "rule_name", "reason", "sentence"), REASONS)
def test_a_real_row_dropped_by_each_rule_is_explained(
    real_manifest, name: str, settings: dict[str, object], rule_name: str, reason: str, sentence: str
) -> None:
    manifest = real_manifest(name, **settings)
    where = (pc.field("rule") == rule_name) & (pc.field("reason") == reason) & (pc.field("action") == "dropped")
    key = manifest.ledger().filter(where)["key"][0].as_py()
    (story,) = stories(manifest, key)
    assert story.fate == "dropped"
    (step,) = [step for step in story.steps if step.action == "dropped"]
    assert step.rule == rule_name
    assert sentence in step.sentence
