"""The verb `findings`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli import console
from benchwright.cli.layout import Column, numeric
from benchwright.cli.options import Json, RecipeFile, SplitOption, refuse_overwriting, sources_of
from schemas.errors import UsageError, counted

if TYPE_CHECKING:
    from benchwright.checks.finding import Findings


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(epilog="Example: benchwright findings manifests/uag-oops --predictions runs/")(findings)


def findings(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME|MANIFEST",
            help="Folder of a manifest; with --source also the name of a benchmark.",
            show_default=False,
        ),
    ],
    predictions: Annotated[
        list[str] | None,
        typer.Option(
            help="Predictions of the systems: a folder of them, a file, or NAME=PATH.", metavar="DIR|FILE|NAME=PATH"
        ),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(help="Raw files, to build a benchmark that is named.", metavar="DIR|NAME=PATH"),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(help="Another manifest, such as the training set, to look for leaks.", metavar="MANIFEST"),
    ] = None,
    split: SplitOption = None,
    recipe: RecipeFile = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 if a finding is high, or a check fails.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="Write each row of evidence: .csv, .parquet or .json.", metavar="FILE")
    ] = None,
    as_json: Json = False,
) -> None:
    """Look for what is wrong with a benchmark: duplicates, leaks, odd truths, guesses that beat systems."""
    from benchwright.checks.run import built
    from benchwright.checks.run import findings as run_checks
    from builders.engine.registry import named_recipe, recipe_names
    from schemas.manifest import open_manifest
    from scorers.table_files import refuse_suffix, write_table

    refuse_overwriting(out)
    if out is not None:
        refuse_suffix(out)
    if source:
        folder, given = sources_of(source)
        manifest = built(named_recipe(name, recipe), folder, given)
    elif recipe is not None:
        raise UsageError("--recipe needs --source: the raw files to build from")
    elif name in recipe_names() and not Path(name).exists():
        raise UsageError(f"{name} is a benchmark: --source names its raw files; or name the folder of its manifest")
    else:
        manifest = open_manifest(name)
    other = None if against is None else open_manifest(against)
    found = run_checks(manifest, predictions, other, split, console.progress)
    if out is not None:
        write_table(out, found.table())
    if as_json:
        console.as_json(found)
    else:
        _show(found)
    grave = bool(found.failures) or any(each.severity == "high" for each in found.findings)
    raise typer.Exit(1 if strict and grave else 0)


def _show(found: Findings) -> None:
    rows = [[each.severity, each.id, each.kind, each.numbers.get("count", ""), each.title] for each in found.findings]
    total = counted(sum(found.rows.values()), "rows")
    headings: list[str | Column] = ["severity", "finding", "about", numeric("count"), "what"]
    if rows:
        console.table(
            f"{found.benchmark}: {total}, {counted(len(rows), 'findings')} of {found.checks} checks", headings, rows
        )
    else:
        console.say(f"{found.benchmark}: {total}, {found.checks} checks found nothing")
    for each in found.findings:
        such = (
            f" Such as {each.rows[0]}."
            if len(each.rows) > 0 and each.numbers.get("count") != each.numbers.get("of")
            else ""
        )
        console.say(f"{each.id}: {each.statement}{such}")
    by_need: dict[str, list[str]] = {}
    for name, need in found.not_checked.items():
        by_need.setdefault(need, []).append(name)
    for need, names in by_need.items():
        console.say(f"not checked, {need}: {', '.join(names)}")
    for failure in found.failures:
        console.complain(f"check {failure.id} failed: {failure.error}", "warning")
