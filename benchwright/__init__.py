"""Rebuild vision benchmarks from raw annotations, explain every row, score predictions.

The few stable functions; everything else may change between versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from builders.recipe import Recipe
    from schemas.manifest import Manifest

__all__ = ["build", "list_benchmarks", "open_manifest"]


def list_benchmarks() -> list[str]:
    """Names of all benchmarks that `build` knows, those of installed packages included."""
    from builders.registry import recipe_names

    return recipe_names()


def build(
    benchmark: str | Recipe,
    source: Path | str,
    out: Path | str = "manifests",
    *,
    settings: Mapping[str, object] | None = None,
    sources: Mapping[str, Path | str] | None = None,
) -> Manifest:
    """Build the manifest of a benchmark below `out`.

    Args:
        benchmark: a name of `list_benchmarks`, or a recipe of your own.
        source: folder below which the raw files lie.
        out: folder that holds the manifests.
        settings: `rule.parameter` -> value, where other than the default.
        sources: paths of single sources, by name, that do not lie below `source`.

    Raises:
        schemas.errors.BenchwrightError: anything wrong with the call or the raw files; the message says what and where.
    """
    from builders.build import build as build_recipe
    from builders.registry import find_recipe

    recipe = find_recipe(benchmark) if isinstance(benchmark, str) else benchmark
    given = {name: Path(path).expanduser() for name, path in (sources or {}).items()}
    return build_recipe(recipe, Path(source).expanduser(), Path(out).expanduser(), settings=settings, given=given)


def open_manifest(path: Path | str) -> Manifest:
    """Open the folder of a manifest, or one of its Parquet files alone.

    Raises:
        schemas.errors.InputError: no manifest is there, or it cannot be read.
    """
    from schemas.manifest import open_manifest as open_folder

    return open_folder(Path(path).expanduser())


def _refuse_foreign_packages() -> None:
    """Our packages bear common names; another one of the same name would fail far away and obscurely."""
    home = Path(__file__).resolve().parent.parent
    for name in ("builders", "manifests", "schemas", "scorers"):
        found = find_spec(name)
        place = Path(found.origin) if found and found.origin else None
        if place is None or place.resolve().parent.parent != home:
            raise ImportError(
                f"benchwright needs its own package {name!r} beside it in {home}, but Python finds "
                f"{place or 'none'}; remove or rename the other one, or take its folder off sys.path"
            )


_refuse_foreign_packages()
