"""Build a manifest: run a recipe on its sources and write the result in one step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from builders.engine.recipe import Recipe
from builders.engine.registry import card_of
from builders.engine.run import Progress, run, silent
from builders.engine.sources import Sources
from schemas.manifest import Manifest, manifest_in_memory
from schemas.manifest_folder import refuse_foreign_files, write_manifest


def build(
    recipe: Recipe,
    source: Path,
    out: Path,
    *,
    settings: Mapping[str, object] | None = None,
    given: Mapping[str, Path] | None = None,
    progress: Progress = silent,
    findings: Callable[[Manifest], Sequence[str]] | None = None,
) -> Manifest:
    """Build `out/<name>` from the raw files below `source`.

    Args:
        recipe: what to build.
        source: folder that holds the raw files, up to three folders deep.
        out: folder that holds the manifests.
        settings: `rule.parameter` -> value, where other than the default.
        given: paths of single sources that are not below `source`, by source name.
        progress: called with the name of each step before it starts.
        findings: says in sentences for the README what users should know of the rows.

    Raises:
        UsageError: unknown names or values, a missing source, a folder that cannot be written.
        InputError: raw files that break their format.
    """
    folder = out / recipe.name
    refuse_foreign_files(folder)
    card = card_of(recipe)
    result = run(recipe, Sources(card.sources, source, given), settings, card=card, progress=progress)
    found: Sequence[str] = []
    if findings is not None:
        progress("looking at the rows")
        found = findings(manifest_in_memory(result.identity, result.splits, result.ledger))
    progress("writing")
    identity = write_manifest(folder, result.identity, result.splits, result.ledger, card, found)
    return Manifest(folder, identity)
