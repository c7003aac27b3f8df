"""Every alternative of every parameter of UAL-Bench builds: on the samples, and on the real files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from builders.engine.recipe import Candidates
from builders.engine.registry import card_of, find_recipe
from builders.engine.run import run
from builders.engine.sources import Sources

UAL_BENCH = ["charades-sta", "oops-uag-instruct", "uag-funqa", "uag-oops", "uag-ssbd"]
ALTERNATIVES = [
    (name, f"{rule.name}.{parameter.name}", value)
    for name in UAL_BENCH
    for rule in find_recipe(name).rules
    for parameter in rule.parameters
    for value in parameter.alternatives
]
IDS = [f"{name}-{key}={str(value).lower()}" for name, key, value in ALTERNATIVES]


@cache
def candidates(name: str, folder: Path) -> Candidates:
    """What the reader finds; read once, since no rule changes the tables that it is given."""
    recipe = find_recipe(name)
    return recipe.read(Sources(card_of(recipe).sources, folder))


def check(name: str, key: str, value: object, folder: Path, inventory: Callable[..., Path]) -> None:
    """Build with an inventory of the videos in which every third of each measure is unknown."""
    found = candidates(name, folder)
    videos = found.root["video"].drop_duplicates().tolist()
    thirds = [number % 3 for number in range(len(videos))]
    measured = inventory(
        video=videos,
        available=[(True, False, None)[third] for third in thirds],
        duration_s=[(300.0, 4.25, None)[third] for third in thirds],
        frame_rate=[(25.0, 30.0, None)[third] for third in thirds],
        n_scenes=[(1, 2, None)[third] for third in thirds],
    )
    recipe = replace(find_recipe(name), read=lambda _: found)
    card = card_of(recipe)
    declared = "inventory" in {source.name for source in card.sources}
    sources = Sources(card.sources, folder, {"inventory": measured} if declared else {})
    build = run(recipe, sources, {key: value}, card=card)
    assert build.identity.parameters[key] == value
    (root,) = build.identity.levels.values()
    assert root.candidates == len(found.root) == root.kept + sum(count.dropped for count in build.identity.counts)
    assert root.kept == sum(table.num_rows for table in build.splits.values()) > 0
    assert build.ledger["action"].to_pylist().count("dropped") == root.candidates - root.kept


@pytest.mark.parametrize(("name", "key", "value"), ALTERNATIVES, ids=IDS)
def test_on_the_samples(inventory, samples: Path, name: str, key: str, value: object) -> None:
    check(name, key, value, samples, inventory)


@pytest.mark.real_data
@pytest.mark.parametrize(("name", "key", "value"), ALTERNATIVES, ids=IDS)
def test_on_the_real_files(inventory, real_data: Path, name: str, key: str, value: object) -> None:
    check(name, key, value, real_data, inventory)
