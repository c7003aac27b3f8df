"""The rules of person detection: every alternative builds, the account adds up, small means strictly less."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.detection import persons as detection
from builders.detection.candidates import coco_candidates
from builders.engine.registry import find_recipe
from builders.engine.rules import Outcome
from builders.engine.run import Build
from schemas.detection import detection_schema
from schemas.errors import UsageError

BuildOf = Callable[..., Build]

RECIPES = ["coco-person", "voc-person", "densepose-person"]
ALTERNATIVES = [
    (name, f"{rule.name}__{parameter.name}", value)
    for name in RECIPES
    for rule in find_recipe(name).rules
    for parameter in rule.parameters
    for value in parameter.alternatives
    # VOC has no masks.
    if value != "mask" or name != "voc-person"
]
IDS = [f"{name}-{key}={str(value).lower()}" for name, key, value in ALTERNATIVES]


def adds_up(build: Build) -> bool:
    """Every candidate is kept or dropped by one rule, at both levels, and the ledger has an entry for each dropped."""
    dropped = build.ledger.filter(np.asarray(build.ledger["action"]) == "dropped")
    for name, level in build.identity.levels.items():
        fallen = level.candidates - level.kept
        assert fallen == sum(count.dropped for count in build.identity.counts if count.level == name)
        assert fallen == dropped["level"].to_pylist().count(name)
    rows = [row for table in build.splits.values() for row in table.to_pylist()]
    assert build.identity.levels["image"].kept == len(rows)
    assert build.identity.levels["objects"].kept == sum(len(row["objects"]) for row in rows)
    return True


@pytest.mark.parametrize(("name", "key", "value"), ALTERNATIVES, ids=IDS)
def test_every_alternative_builds_and_adds_up(build_of: BuildOf, name: str, key: str, value: object) -> None:
    build = build_of(name, **{key: value})
    assert build.identity.parameters[key.replace("__", ".")] == value
    assert adds_up(build)
    assert build.identity.levels["image"].kept > 0


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("on_small", ["drop_image", "drop_person", "ignore", "off"])
@pytest.mark.parametrize("required", [True, False])
def test_rules_add_up_together(build_of: BuildOf, name: str, on_small: str, required: bool) -> None:
    settings = {"small_person__on_small": on_small, "person_present__required": required}
    assert adds_up(build_of(name, small_person__min_area=7000, **settings))


@pytest.mark.parametrize("name", RECIPES)
def test_every_reason_makes_a_sentence(build_of: BuildOf, name: str) -> None:
    settings: dict[str, Any] = {"small_person__on_small": "drop_person"}
    if name == "voc-person":
        settings["voc__image_id"] = "first_digits_as_published"
    build = build_of(name, **settings)
    rules = {rule.name: rule for rule in find_recipe(name).rules}
    told = [
        rules[entry["rule"]].reasons[entry["reason"]].format(**{v["name"]: v["value"] for v in entry["values"]})
        for entry in build.ledger.to_pylist()
        if entry["reason"] != "via=parent"
    ]
    assert len(told) > 5
    assert not any("nan" in sentence for sentence in told)


def test_other_columns_of_a_benchmark_stand_behind_the_shared_ones() -> None:
    import pyarrow as pa

    extra = pa.field("mood", pa.string())
    record = detection_schema("x", 1, [extra]).field("objects").type.value_type
    assert record.field(record.num_fields - 1) == extra


@pytest.mark.parametrize("wrong", ["drop", "DROP_IMAGE", "", "0"])
def test_unknown_alternatives_are_refused_with_the_known(build_of: BuildOf, wrong: str) -> None:
    with pytest.raises(UsageError, match=r"expected drop_image \| drop_person \| ignore \| off"):
        build_of("coco-person", small_person__on_small=wrong)


@pytest.mark.parametrize("wrong", ["inf", "nan", "much"])
def test_the_least_area_is_a_finite_number(build_of: BuildOf, wrong: str) -> None:
    with pytest.raises(UsageError, match="expected a finite float"):
        build_of("coco-person", small_person__min_area=wrong)


PERSONS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from([0.0, 2246.999, 2247.0, 2247.001, 9000.0]), st.booleans()),
    max_size=8,
)


def tables(persons: list[tuple[int, float, bool]]) -> tuple[pd.DataFrame, pd.DataFrame]:
    persons = sorted(persons)
    images = pd.DataFrame({"sample_id": list("abcd")})
    objects = pd.DataFrame(
        {
            "parent": np.array([p[0] for p in persons], np.int64),
            "key": np.arange(len(persons)),
            "category": np.array(["person"] * len(persons), object),
            "area": np.array([p[1] for p in persons], np.float64),
            "crowd": np.array([p[2] for p in persons], bool),
            "ignored": np.zeros(len(persons), bool),
        }
    )
    return images, objects


def kept(outcome: Outcome, size: int) -> list[bool]:
    return [True] * size if outcome.keep is None else np.asarray(outcome.keep).tolist()


@settings(deadline=None, max_examples=50)
@given(PERSONS, st.booleans())
def test_the_ways_to_treat_small_persons_agree(persons: list[tuple[int, float, bool]], count_crowds: bool) -> None:
    images, objects = tables(persons)

    def outcome(on_small: str) -> Any:
        return detection.small_person(
            images, objects, on_small=on_small, min_area=2247.0, area="annotation", count_crowds=count_crowds
        )

    small = [area < 2247 and (count_crowds or not crowd) for _, area, crowd in sorted(persons)]
    owners = [image for image, *_ in sorted(persons)]
    by_image = [[s for owner, s in zip(owners, small, strict=True) if owner == image] for image in range(4)]
    assert kept(outcome("drop_image"), 4) == [not any(found) for found in by_image]
    alone, images_left = outcome("drop_person")
    assert kept(alone, len(small)) == [not s for s in small]
    assert kept(images_left, 4) == [not found or not all(found) for found in by_image]
    assert np.asarray(outcome("ignore").columns["ignored"]).tolist() == small
    assert kept(outcome("off"), 4) == [True] * 4


def test_candidates_of_objects_without_area_say_so(samples) -> None:
    from builders.raw.coco import read_instances

    path = samples / "coco/annotations/instances_val2014.json"
    found = coco_candidates(read_instances(path), "val2014")
    objects = found.children["objects"]
    assert objects.loc[objects["area"].isna(), "category"].tolist() == ["dog"]
    assert found.root["sample_id"].tolist()[:2] == ["701203", "700019"]
