"""The verbs that say what can be built, and build it: `list`, `show`, `build`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli import console
from benchwright.cli.options import Json, RecipeFile, pairs_of, refuse_overwriting
from schemas.errors import UsageError

if TYPE_CHECKING:
    from builders.engine.recipe import Recipe
    from schemas.identity import Value


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    app.command("list", epilog="Example: benchwright list --json")(list_benchmarks)
    app.command(epilog="Example: benchwright show uag-oops")(show)
    app.command(epilog="Example: benchwright build uag-oops --source ~/data/oops --set onset.pick=median")(build)


def list_benchmarks(as_json: Json = False) -> None:
    """List all benchmarks: rows, sources needed, licence."""
    from benchwright.cli.catalogue import line_of, overview

    rows = overview()
    if as_json:
        console.as_json(rows)
        return
    headings = ["name", "rows", "splits", "sources needed", "licence"]
    console.table("Benchmarks", headings, [line_of(row) for row in rows], right=[1], whole=[0, 3])


def show(
    name: Annotated[str, typer.Argument(help="Name of a benchmark, or path of a manifest.", show_default=False)],
    recipe: RecipeFile = None,
    as_json: Json = False,
) -> None:
    """Show a benchmark's card: sources, rules with parameters and citations, claims, columns."""
    from benchwright.cli.catalogue import show_benchmark, show_manifest
    from builders.engine.registry import named_recipe

    if Path(name).exists() and recipe is None:
        show_manifest(Path(name), as_json)
    else:
        show_benchmark(named_recipe(name, recipe), as_json)


def build(
    name: Annotated[
        str,
        typer.Argument(help="Name of a benchmark, manifest to build again, or `all`.", show_default=False),
    ],
    source: Annotated[
        list[str],
        typer.Option(help="Folder below which the raw files are; NAME=PATH names one source.", metavar="DIR|NAME=PATH"),
    ],
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
    from benchwright.cli.builds import build_all, build_one

    refuse_overwriting(out)
    folder, given = _sources(source)
    if name == "all":
        if settings or given or recipe:
            raise UsageError("`build all` takes no --set, NAME=PATH or --recipe: they belong to one benchmark")
        raise typer.Exit(build_all(folder, out, as_json))
    found, parameters = _recipe_and_parameters(name, recipe, trust_recipe)
    build_one(found, folder, given, out, {**parameters, **pairs_of(settings or [])}, as_json)


def _recipe_and_parameters(name: str, file: Path | None, trusted: bool) -> tuple[Recipe, dict[str, Value]]:
    """What to build, and with which parameters: of a manifest, those that it was built with."""
    from builders.engine.registry import named_recipe, recipe_names, recipe_of
    from schemas.manifest import open_manifest
    from schemas.manifest_folder import IDENTITY_FILE

    path = Path(name)
    if name in recipe_names() or not (path / IDENTITY_FILE).is_file():
        return named_recipe(name, file), {}
    identity = open_manifest(path).identity
    folders = [Path(), *path.resolve().parents]
    found = named_recipe(identity.name, file) if file else recipe_of(identity, folders, trusted=trusted)
    return found, {changed: identity.parameters[changed] for changed in identity.changed_parameters}


def _sources(texts: list[str]) -> tuple[Path, dict[str, Path]]:
    """The one folder to look in, and the sources named one by one."""
    if "" in texts:
        raise UsageError("--source is empty; expected a folder, or NAME=PATH")
    folders = [text for text in texts if "=" not in text or Path(text).exists()]
    if len(folders) > 1:
        raise UsageError(f"several source folders ({', '.join(folders)}): give one, and single files as NAME=PATH")
    given = {
        name: Path(path).expanduser()
        for name, path in pairs_of([text for text in texts if text not in folders]).items()
    }
    return Path(folders[0]) if folders else Path(), given
