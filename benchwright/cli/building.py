"""The verb `build`: one benchmark, or `all`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli import console, words
from benchwright.cli.catalogue import findings_of, show_counts
from benchwright.cli.options import (
    Json,
    RawFiles,
    RecipeFile,
    benchmark_names,
    pairs_of,
    refuse_overwriting,
    sources_of,
)
from schemas.errors import BenchwrightError, UsageError, counted
from schemas.paths import real_path

if TYPE_CHECKING:
    from builders.engine.recipe import Recipe
    from schemas.identity import Identity, Value
    from schemas.manifest import Manifest


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(epilog="Example: benchwright build uag-oops --source ~/data/oops --set onset.pick=median")(build)


def build(
    name: Annotated[
        str,
        typer.Argument(
            help="Name of a benchmark, manifest to build again, or `all`.",
            show_default=False,
            autocompletion=benchmark_names,
        ),
    ],
    source: RawFiles,
    out: Annotated[Path, typer.Option(help="Folder that holds the manifests.")] = Path("manifests"),
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Another value for a rule's parameter.", metavar="RULE.PARAM=VALUE"),
    ] = None,
    recipe: RecipeFile = None,
    trust_recipe: Annotated[
        bool, typer.Option("--trust-recipe", help="Run the recipe file that a manifest names: it is code.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Build a manifest from raw annotations, with an account of every row dropped or changed."""
    import msgspec

    refuse_overwriting(out)
    folder, given = sources_of(source)
    if name == "all":
        if settings or given or recipe:
            raise UsageError("`build all` takes no --set, NAME=PATH or --recipe: they belong to one benchmark")
        raise typer.Exit(_build_all(folder, out, as_json))
    found, parameters = _recipe_and_parameters(name, recipe, trust_recipe)
    manifest = _built(found, folder, given, out, {**parameters, **pairs_of(settings or [])})
    if as_json:
        console.as_json({"path": str(manifest.path)} | msgspec.to_builtins(manifest.identity))
    else:
        show_counts(manifest.identity)
        console.say(f"{manifest.identity.name}: {_summary(manifest)} -> {manifest.path}", "bold")
    _warn(manifest)


def _recipe_and_parameters(name: str, file: Path | None, trusted: bool) -> tuple[Recipe, dict[str, Value]]:
    """What to build, and with which parameters: of a manifest, those that it was built with."""
    from builders.engine.registry import named_recipe, recipe_names, recipe_of
    from schemas.manifest import open_manifest
    from schemas.manifest_folder import IDENTITY_FILE

    path = Path(name)
    if name in recipe_names() or not (path / IDENTITY_FILE).is_file():
        return named_recipe(name, file), {}
    identity = open_manifest(path).identity
    folders = [Path(), *real_path(path).parents]
    found = named_recipe(identity.name, file) if file else recipe_of(identity, folders, trusted=trusted)
    return found, {changed: identity.parameters[changed] for changed in identity.changed_parameters}


def _build_all(folder: Path, out: Path, as_json: bool) -> int:
    """Build every benchmark whose sources are below `folder`; say of the others what they lack.

    Returns:
        The exit code: 2 if sources were bad, or none was found at all, else 0.
    """
    from builders.engine.registry import recipe_names

    lines = [_attempt(name, folder, out) for name in recipe_names()]
    if as_json:
        console.as_json([dict(zip(("name", "status", "detail", "identity"), line, strict=True)) for line in lines])
    else:
        console.table(f"Built from {folder}", ["benchmark", "status", "detail"], [line[:3] for line in lines])
        console.explain(words.BUILDS, [line[1] for line in lines])
        for name, *_, identity in lines:
            for finding in findings_of(identity) if identity else ():
                console.say(f"{name}: {finding}")
    statuses = {line[1] for line in lines}
    return 0 if "built" in statuses and "failed" not in statuses else 2


def _attempt(name: str, folder: Path, out: Path) -> tuple[str, str, str, Identity | None]:
    """Name, status, detail and identity of one build of `all`."""
    from builders.engine.recipe import reader_options
    from builders.engine.registry import card_of, find_recipe
    from builders.engine.sources import Sources

    try:
        recipe = find_recipe(name)
        missing = Sources(card_of(recipe).sources, folder, options=reader_options(recipe.settings({}))).missing()
        if missing:
            card = card_of(recipe)
            files = {source.name: card.files_of(source)[0] for source in card.sources}
            return name, "lacks sources", ", ".join(files[source] for source in missing), None
        manifest = _built(recipe, folder, {}, out, {})
    except BenchwrightError as failure:
        return name, "failed", "; ".join(str(failure).split("\n")), None
    _warn(manifest)
    return name, "built", _summary(manifest), manifest.identity


def _built(recipe: Recipe, folder: Path, given: dict[str, Path], out: Path, settings: Mapping[str, object]) -> Manifest:
    from benchwright.checks.run import statements
    from builders.engine.build import build as build_manifest

    # Reading, nesting, looking at the rows and writing are steps beside the rules.
    with console.progress(recipe.name, len(recipe.rules) + 4) as step:
        return build_manifest(recipe, folder, out, settings=settings, given=given, progress=step, findings=statements)


def _warn(manifest: Manifest) -> None:
    """What the build warns of; a split without rows is most often the wrong file."""
    identity = manifest.identity
    for warning in identity.warnings:
        console.complain(f"{identity.name}: {warning.place}: {warning.message}", "warning")
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
    return f"{counted(candidates, 'candidates')}, {splits}"
