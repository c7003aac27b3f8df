"""Which recipes exist: the bundled ones, those of installed packages, and files that the user names."""

from __future__ import annotations

import importlib.util
import sys
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.cards import Card, card_named
from schemas.errors import UsageError, unknown_name

if TYPE_CHECKING:
    from builders.engine.recipe import Recipe

GROUP = "benchwright.recipes"
# Modules by name, so that listing the benchmarks imports none of them.
BUNDLED = {
    "charades-sta": "builders.charades_sta",
    "coco-person": "builders.detection.coco_person",
    "densepose-person": "builders.detection.densepose_person",
    "jrdb-par": "builders.jrdb_par.recipe",
    "oops-uag-instruct": "builders.oops.oops_uag_instruct",
    "uag-funqa": "builders.uag_funqa",
    "uag-oops": "builders.oops.uag_oops",
    "uag-ssbd": "builders.uag_ssbd",
    "voc-person": "builders.detection.voc_person",
}


def recipe_names() -> list[str]:
    """Names of all recipes, bundled ones first."""
    return [*BUNDLED, *(name for name in _installed() if name not in BUNDLED)]


def find_recipe(name: str) -> Recipe:
    """The recipe of a benchmark.

    Raises:
        UsageError: no recipe has this name, or a package's entry point fails or holds none of this name.
    """
    if name in BUNDLED:
        recipe: Recipe = import_module(BUNDLED[name]).RECIPE
        return recipe
    installed = _installed()
    if name not in installed:
        raise unknown_name("benchmark", name, recipe_names())
    where = f"entry point {name!r} of {GROUP}"
    try:
        found = installed[name].load()
    except Exception as failure:
        raise UsageError(f"{where}: fails with {type(failure).__name__}: {failure}") from failure
    recipe = _checked(found, where)
    if recipe.name != name:
        raise UsageError(f"{where}: its recipe is named {recipe.name!r}")
    return recipe


def load_recipe(path: Path) -> Recipe:
    """The `RECIPE` of a Python file; the file is run, so it must be one that the user trusts.

    Raises:
        UsageError: there is no such file, it fails, or it defines no `RECIPE`.
    """
    specification = importlib.util.spec_from_file_location(f"recipe_{path.stem}", path)
    if specification is None or specification.loader is None or not path.is_file():
        raise UsageError(f"{path}: expected a Python file that defines RECIPE")
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    try:
        specification.loader.exec_module(module)
    except Exception as failure:
        raise UsageError(f"{path}: fails with {type(failure).__name__}: {failure}") from failure
    return _checked(getattr(module, "RECIPE", None), str(path))


def card_of(recipe: Recipe) -> Card:
    """The card of a recipe, bundled or its own."""
    return card_named(recipe.card) if isinstance(recipe.card, str) else recipe.card


def _installed() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _checked(found: object, where: str) -> Recipe:
    from builders.engine.recipe import Recipe, check_recipe

    if not isinstance(found, Recipe):
        raise UsageError(f"{where}: RECIPE is {type(found).__name__}, expected a builders.engine.recipe.Recipe")
    check_recipe(found)
    return found
