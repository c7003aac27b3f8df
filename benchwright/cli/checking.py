"""The verbs that examine a manifest: `verify`, `why`, `validate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli import console, words
from benchwright.cli.layout import Name, numeric
from benchwright.cli.options import Json, ManifestPath, RecipeFile

if TYPE_CHECKING:
    from schemas.claims import Judgement


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    app.command(epilog="Example: benchwright verify manifests/uag-oops")(verify)
    app.command(epilog='Example: benchwright why manifests/uag-oops "FailArmy After Dark (Ep. 10)93"')(why)
    app.command(epilog="Example: benchwright validate manifests/uag-oops")(validate)


def verify(manifest: ManifestPath, recipe: RecipeFile = None, as_json: Json = False) -> None:
    """Compare a manifest with the paper: each claim, the rebuilt value, the verdict and why."""
    from benchwright.verification import card_of, source_notes
    from benchwright.verification import verify as judge
    from builders.engine.registry import card_of as card_of_recipe
    from builders.engine.registry import named_recipe
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
    recipe: RecipeFile = None,
    as_json: Json = False,
) -> None:
    """Show what happened to one row, rule by rule."""
    from benchwright.cli.story_tables import show_story
    from benchwright.explanation import stories
    from builders.engine.registry import named_recipe
    from schemas.manifest import open_manifest

    opened = open_manifest(manifest)
    found = stories(opened, key, named_recipe(opened.identity.name, recipe).texts if recipe else ())
    if as_json:
        console.as_json(found)
    else:
        for story in found:
            show_story(story)


def validate(manifest: ManifestPath, as_json: Json = False) -> None:
    """Check a manifest against its own identity; exit 1 on errors."""
    from schemas.manifest import open_manifest
    from schemas.validation import validate as findings_of

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


def _remark(line: Judgement) -> str:
    return f"{line.where}: {line.reason}" if line.reason else line.where


def _digits(value: float | str | None) -> str:
    """A number, or a digest."""
    if isinstance(value, str):
        return Name(value)
    return console.number(value, 0 if isinstance(value, float) and value.is_integer() else 2)
