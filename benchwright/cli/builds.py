"""Builds as the command line runs them: progress, tables, and `all`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from benchwright.cli import console
from benchwright.cli.catalogue import show_counts
from builders.engine.build import build
from builders.engine.recipe import Recipe, reader_options
from builders.engine.registry import card_of, find_recipe, recipe_names
from builders.engine.sources import Sources
from schemas.errors import BenchwrightError
from schemas.manifest import Manifest


def build_one(
    recipe: Recipe, folder: Path, given: dict[str, Path], out: Path, settings: Mapping[str, object], as_json: bool
) -> None:
    """Build one benchmark and print the counts per rule."""
    manifest = _built(recipe, folder, given, out, settings)
    if as_json:
        console.as_json({"path": str(manifest.path)} | msgspec.to_builtins(manifest.identity))
    else:
        show_counts(manifest.identity)
        console.say(f"{_summary(manifest)} -> {manifest.path}", "bold")
    _warn_of_empty(manifest)


def build_all(folder: Path, out: Path, as_json: bool) -> int:
    """Build every benchmark whose sources are below `folder`; say of the others what they lack.

    Returns:
        The exit code: 2 if sources were bad, or none was found at all, else 0.
    """
    lines = [_attempt(name, folder, out) for name in recipe_names()]
    if as_json:
        console.as_json([dict(zip(("name", "status", "detail", "identity"), line, strict=True)) for line in lines])
    else:
        console.table(f"Built from {folder}", ["benchmark", "status", "detail"], [line[:3] for line in lines])
    statuses = {line[1] for line in lines}
    return 0 if "built" in statuses and "failed" not in statuses else 2


def _attempt(name: str, folder: Path, out: Path) -> tuple[str, str, str, object]:
    """Name, status, detail and identity of one build of `all`."""
    try:
        recipe = find_recipe(name)
        missing = Sources(card_of(recipe).sources, folder, options=reader_options(recipe.settings({}))).missing()
        if missing:
            files = {source.name: source.files[0] for source in card_of(recipe).sources}
            return name, "lacks sources", ", ".join(files[source] for source in missing), None
        manifest = _built(recipe, folder, {}, out, {})
    except BenchwrightError as failure:
        return name, "failed", str(failure), None
    _warn_of_empty(manifest)
    return name, "built", _summary(manifest), manifest.identity


def _built(recipe: Recipe, folder: Path, given: dict[str, Path], out: Path, settings: Mapping[str, object]) -> Manifest:
    # Reading, nesting and writing are steps beside the rules.
    with console.progress(recipe.name, len(recipe.rules) + 3) as step:
        return build(recipe, folder, out, settings=settings, given=given, progress=step)


def _warn_of_empty(manifest: Manifest) -> None:
    """A split without rows is most often the wrong file."""
    identity = manifest.identity
    for name, split in identity.splits.items():
        if not split.rows:
            sources = ", ".join(source.file for source in identity.sources.values())
            console.complain(
                f"{identity.name}: split {name} has no rows; are these the right files: {sources}?", "warning"
            )


def _summary(manifest: Manifest) -> str:
    identity = manifest.identity
    candidates = next(iter(identity.levels.values())).candidates
    splits = ", ".join(f"{split.rows:,} {name}" for name, split in identity.splits.items())
    return f"{identity.name}: {candidates:,} candidates, {splits}"
