"""Rebuild vision benchmarks from raw annotations, explain every row, score predictions.

The few stable functions; everything else may change between versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from builders.engine.recipe import Recipe
    from schemas.manifest import Manifest
    from scorers.score import Comparison, Score

__all__ = ["build", "compare", "list_benchmarks", "open_manifest", "score"]


def list_benchmarks() -> list[str]:
    """Names of all benchmarks that `build` knows, those of installed packages included."""
    from builders.engine.registry import recipe_names

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
    from builders.engine.build import build as build_recipe
    from builders.engine.registry import find_recipe

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


def score(manifest: Manifest | Path | str, predictions: Path | str, **options: Any) -> Score:
    """Score a file of predictions, as the verb `score` does.

    Args:
        manifest: opened, or the folder of one.
        predictions: a file, or a folder where its form is one, in any form that the documentation lists.
        options: fields of `benchwright.request.Request`, such as `protocol="strict"` or `metrics=["AP50(person)"]`.

    Returns:
        Values by metric with their intervals, counts, baselines, warnings, and the signature to quote.

    Raises:
        schemas.errors.BenchwrightError: anything wrong with the call, the manifest or the predictions.
    """
    from benchwright.request import request_of, scorer_for

    opened, request = _opened(manifest), request_of(options)
    found: Score = scorer_for(opened, request).score_file(opened, Path(predictions).expanduser(), request)
    return found


def compare(manifest: Manifest | Path | str, a: Path | str, b: Path | str, **options: Any) -> Comparison:
    """Compare two runs on the same rows, as the verb `compare` does; arguments and errors as in `score`."""
    from benchwright.request import request_of, scorer_for

    opened, request = _opened(manifest), request_of(options)
    paths = Path(a).expanduser(), Path(b).expanduser()
    found: Comparison = scorer_for(opened, request).compare_files(opened, paths, request)
    return found


def _opened(manifest: Manifest | Path | str) -> Manifest:
    return open_manifest(manifest) if isinstance(manifest, (str, Path)) else manifest
