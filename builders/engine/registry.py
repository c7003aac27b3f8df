"""Which recipes exist: the bundled ones, those of installed packages, and files that the user names."""

from __future__ import annotations

import contextlib
import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module, invalidate_caches
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from schemas.cards import Card, card_named
from schemas.errors import UsageError, unknown_name
from schemas.identity import Identity, RecipeOrigin
from schemas.input.files import path_text
from schemas.user_code import is_beside, user_code

if TYPE_CHECKING:
    from builders.engine.recipe import Recipe

GROUP = "benchwright.recipes"
# Names of the modules that the recipe file loaded last has imported from its folder.
_BESIDE: set[str] = set()
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
        UsageError: no recipe has this name, or a package's entry point holds none of this name.
        BenchwrightError: a package fails; the message names file and line.
    """
    if name in BUNDLED:
        recipe: Recipe = import_module(BUNDLED[name]).RECIPE
        return recipe
    installed = _installed()
    if name not in installed:
        raise unknown_name("benchmark", name, recipe_names())
    entry = installed[name]
    where = f"entry point {name!r} of {GROUP}"
    with user_code(_file_of(entry), where):
        loaded = entry.load()
    found = _checked(loaded, where)
    if found.name != name:
        raise UsageError(f"{where}: its recipe is named {found.name!r}")
    package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else ""
    return replace(found, origin=RecipeOrigin(entry_point=entry.value, package=package))


def named_recipe(name: str, file: Path | None) -> Recipe:
    """The recipe of a benchmark, or of a file that must bear that name; errors as of `find_recipe`, `load_recipe`."""
    if file is None:
        return find_recipe(name)
    recipe = load_recipe(file)
    if recipe.name != name:
        raise UsageError(f"{file} defines the benchmark {recipe.name!r}, not {name!r}")
    return recipe


def load_recipe(path: Path, sha256: str = "") -> Recipe:
    """The `RECIPE` of a Python file; the file is run, so it must be one that the user trusts.

    It may import modules beside it while it is loaded, as a script may.

    Args:
        path: the file.
        sha256: of the file, where only that one may be run; modules that it imports are not checked.

    Raises:
        UsageError: there is no such file, it is another one, or it defines no `RECIPE`.
        BenchwrightError: it fails; the message names the line.
    """
    if path.suffix != ".py" or not path.is_file():
        raise UsageError(f"{path}: expected a Python file that defines RECIPE")
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if sha256 and digest != sha256:
        raise UsageError(f"{path} changed: its SHA-256 is {digest[:12]}..., that of the recipe was {sha256[:12]}...")
    module = ModuleType(f"recipe_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    with user_code(str(path)), _importable_beside(path.absolute()):
        exec(compile(content, str(path), "exec", dont_inherit=True), module.__dict__)
    found = _checked(vars(module).get("RECIPE"), str(path))
    return replace(found, origin=RecipeOrigin(file=path_text(path.name), sha256=digest))


def recipe_of(identity: Identity, folders: Sequence[Path], *, trusted: bool) -> Recipe:
    """The recipe that a manifest was built with, to build it again.

    Args:
        identity: what the manifest says of itself.
        folders: where to look for the file of a recipe, which is known by its name and SHA-256.
        trusted: whether the user agreed to run such a file, since it is code that somebody else may have written.

    Raises:
        UsageError: the recipe is not to be found, is not the same any more, or may not be run.
    """
    origin = identity.recipe
    if origin is None or not origin.file:
        if identity.name not in recipe_names():
            raise UsageError(f"{identity.name} is neither bundled nor installed; name its file with --recipe FILE.py")
        return find_recipe(identity.name)
    named = Path(origin.file).name  # no path: a manifest is untrusted
    found = next((folder / named for folder in folders if (folder / named).is_file()), None)
    if found is None:
        places = ", ".join(dict.fromkeys(map(str, folders[:2])))
        raise UsageError(f"the recipe file {named} is not in {places}; name it with --recipe FILE.py")
    if not trusted:
        advice = "read it, then allow it with --trust-recipe (its own bytes are checked, not modules that it imports)"
        raise UsageError(f"{identity.name} was built by the code in {found}, which is not run unasked: {advice}")
    return load_recipe(found, origin.sha256)


def card_of(recipe: Recipe) -> Card:
    """The card of a recipe, bundled or its own."""
    return card_named(recipe.card) if isinstance(recipe.card, str) else recipe.card


@contextlib.contextmanager
def _importable_beside(path: Path) -> Iterator[None]:
    """Let modules in the folder of a recipe be imported, anew even if those of another recipe had such names."""
    for name in _BESIDE:
        sys.modules.pop(name, None)
    _BESIDE.clear()
    before, folder = set(sys.modules), str(path.parent)
    sys.path.insert(0, folder)
    invalidate_caches()
    try:
        yield
    finally:
        if folder in sys.path:
            sys.path.remove(folder)
        added = {name: getattr(sys.modules[name], "__file__", None) for name in set(sys.modules) - before}
        _BESIDE.update(name for name, file in added.items() if file and is_beside(file, str(path)))


def _installed() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _file_of(entry: EntryPoint) -> str:
    """The file of an entry point's module, that of its package where it fails by itself, empty where there is none."""
    for name in (entry.module, entry.module.partition(".")[0]):
        with contextlib.suppress(Exception, SystemExit), contextlib.redirect_stdout(sys.stderr):
            found = find_spec(name)
            if found and found.origin:
                return found.origin
    return ""


def _checked(found: object, where: str) -> Recipe:
    from builders.engine.recipe import Recipe

    if not isinstance(found, Recipe):
        defined = "no RECIPE" if found is None else f"RECIPE as {type(found).__name__}"
        raise UsageError(f"{where}: found {defined}, expected RECIPE = Recipe(...)")
    return found
