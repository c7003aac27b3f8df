"""The verbs that examine a manifest: `verify`, `why`, `ledger`, `validate`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli import console, words
from benchwright.cli.layout import Name, named, numeric
from benchwright.cli.options import Json, ManifestPath, RecipeFile, refuse_overwriting, sources_of
from schemas.errors import counted

if TYPE_CHECKING:
    from schemas.claims import Judgement


Report = Annotated[
    str | None,
    typer.Option(help="The page that `report` wrote, to name each row's address on it.", metavar="FILE.html|URL"),
]


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    app.command(epilog="Example: benchwright verify manifests/uag-oops")(verify)
    app.command(
        epilog='Example: benchwright why manifests/uag-oops "FailArmy After Dark (Ep. 10)93" --source ~/data/oops'
    )(why)
    app.command(epilog="Example: benchwright ledger manifests/uag-oops --rule agreement --out ledger.csv")(ledger)
    app.command(epilog="Example: benchwright validate manifests")(validate)


def verify(manifest: ManifestPath, recipe: RecipeFile = None, as_json: Json = False) -> None:
    """Compare a manifest with the paper: each claim, the rebuilt value, the verdict and why."""
    from benchwright.verification import card_of
    from benchwright.verification import verify as judge
    from builders.engine.registry import card_of as card_of_recipe
    from builders.engine.registry import named_recipe
    from schemas.claims import source_notes
    from schemas.manifest import open_manifest

    opened = open_manifest(manifest)
    card = card_of_recipe(named_recipe(opened.identity.name, recipe)) if recipe else card_of(opened)
    lines = judge(opened, card)
    if as_json:
        console.as_json(lines)
    else:
        cells = [
            [f"{line.claim} ({line.unit})", _digits(line.paper), _digits(line.value), line.verdict, _remark(line)]
            for line in lines
        ]
        console.table(
            f"{card.title}: claims",
            ["claim", numeric("paper"), numeric("rebuilt"), "verdict", "where, and how to read it"],
            cells,
        )
        console.explain(words.VERDICTS, [line.verdict for line in lines])
    for note in source_notes(opened.identity, card):
        console.complain(note, "note")
    raise typer.Exit(0 if all(line.as_expected for line in lines) else 1)


def why(
    manifest: ManifestPath,
    key: Annotated[
        str, typer.Argument(help="A sample, kept or dropped, or what it holds: `12 of SAMPLE`.", show_default=False)
    ],
    source: Annotated[
        list[str] | None,
        typer.Option(help="Raw files, to try what other choices make of the row.", metavar="DIR|NAME=PATH"),
    ] = None,
    report: Report = None,
    recipe: RecipeFile = None,
    as_json: Json = False,
) -> None:
    """Show what happened to one row, rule by rule; with --source also what other choices would have done to it."""
    from benchwright.cli.story_tables import show_story
    from benchwright.explanation import on_page, stories
    from builders.engine.registry import named_recipe, recipe_of
    from schemas.manifest import open_manifest

    opened = open_manifest(manifest)
    own = named_recipe(opened.identity.name, recipe) if recipe else None
    found = stories(opened, key, own.texts if own else ())
    if report is not None:
        found = on_page(found, opened, report)
    if source:
        from benchwright.auditing.fates import with_alternatives

        known = own or recipe_of(opened.identity, [], trusted=False)
        found = with_alternatives(opened, found, known, *sources_of(source), progress=console.progress)
    if as_json:
        console.as_json(found)
    else:
        for story in found:
            show_story(story)
        if not source:
            console.say("--source DIR adds what other choices would have made of it", "dim")


def ledger(
    manifest: ManifestPath,
    rule: Annotated[str | None, typer.Option(help="Rows of one rule.", show_default="all")] = None,
    reason: Annotated[str | None, typer.Option(help="Rows with one reason.", show_default="all")] = None,
    action: Annotated[
        str | None, typer.Option(help="dropped, changed or noted.", metavar="ACTION", show_default="all")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the rows there.", metavar="FILE.parquet|csv|json", show_default=False)
    ] = None,
    report: Report = None,
    as_json: Json = False,
) -> None:
    """Show the rows that rules dropped, changed or noted, each with its reason and the values compared."""
    from benchwright.cli.story_tables import show_ledger
    from benchwright.entries import entries, flat, on_page
    from schemas.manifest import open_manifest
    from scorers.table_files import refuse_suffix, write_table

    refuse_overwriting(out)
    found = entries(open_manifest(manifest), rule, reason, action)
    found = found if report is None else on_page(found, report)
    if out is not None:
        write_table(out, found if refuse_suffix(out) == ".parquet" else flat(found), for_people=True)
    if as_json:
        console.as_json(flat(found).to_pylist())
    elif out is not None:
        console.say(f"{out}: {counted(len(found), 'rows')}")
    else:
        show_ledger(str(manifest), flat(found))


def validate(
    manifest: Annotated[
        Path, typer.Argument(help="Folder that a build wrote, or one that holds several.", show_default=False)
    ],
    as_json: Json = False,
) -> None:
    """Check a manifest, or all below a folder, against their own identities; exit 1 on errors."""
    from schemas.manifest import open_manifest
    from schemas.validation import manifests_below
    from schemas.validation import validate as findings_of

    if below := manifests_below(manifest):
        raise typer.Exit(_validate_all(manifest, below, as_json))
    opened = open_manifest(manifest)
    findings = findings_of(opened)
    if as_json:
        console.as_json(findings)
    elif findings:
        cells = [[finding.severity, finding.check, finding.place, finding.message] for finding in findings]
        console.table(f"{manifest}: findings", ["severity", "check", "where", "message"], cells)
        console.explain(words.FINDINGS, [finding.severity for finding in findings])
    else:
        console.say(f"{manifest}: nothing to report; content digest {opened.identity.content_digest}")
    raise typer.Exit(1 if any(finding.severity == "error" for finding in findings) else 0)


def _validate_all(folder: Path, below: list[Path], as_json: bool) -> int:
    """Check the manifests below a folder; 1 if any has an error."""
    from schemas.validation import validate_all

    with console.progress("validate", len(below)) as step:
        found = validate_all(below, step)
    if as_json:
        console.as_json([{"manifest": str(path), "findings": findings} for path, findings in found.items()])
    else:
        counts = {path: Counter(finding.severity for finding in findings) for path, findings in found.items()}
        rows = [[Name(path.relative_to(folder)), count["error"], count["warning"]] for path, count in counts.items()]
        headings = [named("manifest"), numeric("errors"), numeric("warnings")]
        console.table(f"{counted(len(below), 'manifests')} below {folder}", headings, rows)
        cells = [
            [Name(path.relative_to(folder)), finding.severity, finding.check, finding.place, finding.message]
            for path, findings in found.items()
            for finding in findings
        ]
        if cells:
            console.table("findings", [named("manifest"), "severity", "check", "where", "message"], cells)
            console.explain(words.FINDINGS, [severity for count in counts.values() for severity in count])
    return int(any(finding.severity == "error" for findings in found.values() for finding in findings))


def _remark(line: Judgement) -> str:
    return f"{line.where}: {line.reason}" if line.reason else line.where


def _digits(value: float | str | None) -> str:
    """A number, or a digest."""
    if isinstance(value, str):
        return Name(value)
    return console.number(value, 0 if isinstance(value, float) and value.is_integer() else 2)
