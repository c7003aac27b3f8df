"""Arguments of the functions that the verbs are: their types, and checks with one wording."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from schemas.errors import UsageError, shown
from schemas.paths import home_filled

if TYPE_CHECKING:
    from builders.engine.recipe import Recipe
    from schemas.manifest import Manifest

    class DataFrame(Protocol):
        """A data frame of pandas or another library, or an Arrow table, which type checkers may know nothing of."""

        @property
        def columns(self) -> Any:
            """The names of the columns, or these themselves."""

        @property
        def shape(self) -> tuple[int, ...]:
            """Rows and columns."""

    AnyManifest = Manifest | Path | str
    Predictions: TypeAlias = Path | str | DataFrame | Mapping[Any, Any] | Sequence[Any]


def recipe_and_sources(
    benchmark: str | Recipe, source: Path | str, sources: Mapping[str, Path | str] | None
) -> tuple[Recipe, Path, dict[str, Path]]:
    """A recipe, the folder of its raw files, and the paths of single sources."""
    from builders.engine.recipe import Recipe
    from builders.engine.registry import find_recipe

    check("benchmark", benchmark, (str, Recipe), "a name of list_benchmarks(), or a Recipe")
    recipe = find_recipe(benchmark) if isinstance(benchmark, str) else benchmark
    return recipe, path_of("source", source), given_paths(sources)


def given_paths(sources: Mapping[str, Path | str] | None) -> dict[str, Path]:
    """The paths of single sources."""
    check("sources", sources, (Mapping, type(None)), 'paths by source, as {"videos": "folder"}')
    return {name: path_of(f"sources[{name!r}]", path) for name, path in (sources or {}).items()}


def check(name: str, value: object, kinds: type | tuple[type, ...], expected: str) -> None:
    """Refuse an argument of another type."""
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise UsageError(f"{name}={shown(value)}: expected {expected}")


def path_of(name: str, path: Path | str) -> Path:
    """A path with `~` filled in."""
    check(name, path, (str, os.PathLike), "a path")
    return home_filled(path)


def path_or(source: Any) -> object:
    """A path as one, with `~` filled in; anything else as it is."""
    return home_filled(source) if isinstance(source, (str, os.PathLike)) else source
