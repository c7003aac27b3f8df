"""The verb `audit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from benchwright.cli import console
from benchwright.cli.options import (
    Json,
    RawFiles,
    RecipeFile,
    benchmark_names,
    pairs_of,
    refuse_overwriting,
    sources_of,
    with_options,
)
from schemas.errors import UsageError
from scorers.options import Options


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(epilog="Example: benchwright audit uag-oops --source ~/data/oops --predictions runs/")(audit)


@with_options(Options)
def audit(
    name: Annotated[
        str,
        typer.Argument(help="Name of a benchmark.", show_default=False, autocompletion=benchmark_names),
    ],
    source: RawFiles,
    predictions: Annotated[
        list[str] | None,
        typer.Option(
            help="Predictions of the systems: a folder of them, a file, or NAME=PATH; without them rows alone "
            "are compared.",
            metavar="DIR|FILE|NAME=PATH",
        ),
    ] = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            help="Values of a parameter to try, of one that may have any, or in place of its usual ones.",
            metavar="RULE.PARAM=A,B,C",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Parameter of the benchmark as it is.", metavar="RULE.PARAM=VALUE"),
    ] = None,
    recipe: RecipeFile = None,
    out: Annotated[Path | None, typer.Option(help="Write the whole result there.", metavar="FILE.json")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace that file if it is there.")] = False,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Change each choice behind a benchmark by itself; say what that does to its rows and to its leaderboard."""
    import msgspec

    from benchwright.auditing.audit import audit as audit_recipe
    from benchwright.cli.audit_tables import show
    from builders.engine.registry import named_recipe
    from schemas.exchange import new_file

    refuse_overwriting(out, recipe)
    if out is not None and out.exists() and not force:
        raise UsageError(f"{out} is there already; --force replaces it")
    folder, given = sources_of(source)
    values = {key: text.split(",") for key, text in pairs_of(grid or []).items()}
    found = audit_recipe(
        named_recipe(name, recipe),
        folder,
        given,
        predictions,
        values,
        {name: value for name, value in options.items() if value is not None},  # type: ignore[arg-type]
        console.progress,
        pairs_of(settings or []),
    )
    if out is not None:
        with new_file(out) as draft:
            draft.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1))
    if as_json:
        console.as_json(found)
    else:
        show(found)
        if out is not None:
            console.say(f"-> {out}")
