"""The verb `diff`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchwright.cli import console
from benchwright.cli.layout import Column, numeric
from benchwright.cli.options import Json, RecipeFile, refuse_overwriting, sources_if_given
from schemas.errors import counted

if TYPE_CHECKING:
    from benchwright.differences.result import Diff, LevelChange, Summary

_DIGEST = re.compile("[0-9a-f]{64}")
_REASONS = {"via=parent": "its sample was dropped"}
Compared = typer.Argument(
    help="Folder or Parquet file of a manifest, or a JSON file of the authors.", show_default=False
)


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(epilog="Example: benchwright diff manifests/uag-oops what-if/uag-oops --source ~/data/oops")(diff)


def diff(
    a: Annotated[Path, Compared],
    b: Annotated[Path, Compared],
    source: Annotated[
        list[str] | None,
        typer.Option(help="Raw files, to find out which parameter each row is due to.", metavar="DIR|NAME=PATH"),
    ] = None,
    split: Annotated[str | None, typer.Option(help="Split to compare.", show_default="all that both have")] = None,
    recipe: RecipeFile = None,
    rows: Annotated[
        Path | None, typer.Option(help="Write each row that differs: .parquet, .csv or .json.", metavar="FILE")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare two manifests row by row, and say what each difference is due to; exit 1 if rows differ."""
    from benchwright.differences.comparison import diff as compare
    from builders.engine.registry import load_recipe
    from scorers.table_files import refuse_suffix, write_table

    refuse_overwriting(rows, a, b, recipe)
    if rows is not None:
        refuse_suffix(rows)
    folder, given = sources_if_given(source)
    own = load_recipe(recipe) if recipe else None
    found = compare(a, b, source=folder, given=given, recipe=own, split=split, progress=console.progress)
    if rows is not None:
        write_table(rows, found.table(), for_people=True)
    if as_json:
        console.as_json(found.summary)
    else:
        _show(found)
    raise typer.Exit(1 if found.differ else 0)


def _show(found: Diff) -> None:
    summary = found.summary
    _show_identities(summary)
    _show_levels(summary)
    for level in summary.levels:
        _show_columns(level)
        if level.not_compared:
            console.say(f"columns of {level.level} rows that only one has: {', '.join(level.not_compared)}")
    for note in summary.notes:
        console.complain(note, "note")
    _show_causes(summary)


def _show_identities(summary: Summary) -> None:
    title = f"A {summary.a}, B {summary.b}"
    digests = [aspect for aspect in summary.identities if _DIGEST.fullmatch(aspect.a or aspect.b or "")]
    if rows := [[aspect.what, aspect.a, aspect.b] for aspect in summary.identities if aspect not in digests]:
        console.table(title, ["", "A", "B"], rows)
    else:
        same = "" if digests else ": what both say of themselves is the same"
        console.say(f"{title}{same}", "bold")
    for aspect in digests:
        for side, digest in (("A", aspect.a), ("B", aspect.b)):
            console.say(f"{aspect.what} of {side}: {digest or '-'}")


def _show_levels(summary: Summary) -> None:
    cells = [
        [x.level, x.a, x.b, x.common, x.removed, x.added, x.changed, "the same" if x.same_order else "another"]
        for x in summary.levels
    ]
    numbers = map(numeric, ("in A", "in B", "common", "removed", "added", "changed"))
    console.table(
        "Rows (removed: only in A; added: only in B; changed: in both, with other values)",
        ["level", *numbers, "order"],
        cells,
    )
    reasons = [
        [change, level.level, rule, _REASONS.get(reason, reason.replace("_", " ")), count]
        for level in summary.levels
        for change, rule, reason, count in level.reasons
    ]
    if reasons:
        headings: list[str | Column] = ["", "level", "dropped on the other side by", "reason", numeric("rows")]
        console.table("Rows removed and added, by the ledgers", headings, reasons)


def _show_columns(level: LevelChange) -> None:
    if not level.columns:
        return
    cells: list[list[Any]] = []
    for change in level.columns:
        key, a, b = change.example
        sizes = [_size(value) for value in (change.median, change.q95, change.largest)]
        cells.append([change.column, change.unit, change.rows, *sizes, f"{key}: {_written(a)} -> {_written(b)}"])
    numbers = map(numeric, ("rows", "median", "95th percentile", "largest"))
    console.table(
        f"Changed columns of {level.level} rows, with the sizes |B - A| of changes",
        ["column", "unit", *numbers, "such as"],
        cells,
    )


def _size(value: float | None) -> str:
    return "-" if value is None else f"{value:,.6g}"


def _written(value: object) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _show_causes(summary: Summary) -> None:
    if not summary.differ:
        console.say("no row differs")
        return
    if not summary.explained and not summary.unexplained:
        console.say("no row differs, but their order does, or their columns")
        return
    if summary.explained:
        causes = [[cause, count] for cause, count in summary.explained.items()]
        console.table("Rows that differ, by cause", ["due to", numeric("rows")], causes)
    because = f" ({summary.because})" if summary.because else ""
    console.say(f"unexplained: {counted(summary.unexplained, 'rows')}{because}")
