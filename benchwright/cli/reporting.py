"""The verb `report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from benchwright.cli import console
from benchwright.cli.options import (
    BenchmarkOrManifest,
    RecipeFile,
    SplitOption,
    SystemPredictions,
    refuse_overwriting,
    sources_if_given,
)
from schemas.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(
        epilog="Example: benchwright report manifests/uag-oops --predictions runs/ --audit audit.json "
        "--out uag-oops.html"
    )(report)


def report(
    name: BenchmarkOrManifest,
    out: Annotated[Path, typer.Option(help="Write the report there.", metavar="FILE", show_default=False)],
    to: Annotated[
        Literal["html", "markdown", "latex"] | None,
        typer.Option(
            help="A page, or an appendix with the figures in a folder beside it.", show_default="by the suffix, or html"
        ),
    ] = None,
    predictions: SystemPredictions = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            help="Raw files, to build a benchmark that is named, and to audit it where --audit is not given.",
            metavar="DIR|NAME=PATH",
        ),
    ] = None,
    audit: Annotated[
        Path | None, typer.Option(help="What `audit --out` wrote of the same manifest.", metavar="FILE.json")
    ] = None,
    findings: Annotated[
        Path | None, typer.Option(help="What `findings --json` printed of the same manifest.", metavar="FILE.json")
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(help="Another manifest, such as the training set, for findings.", metavar="MANIFEST"),
    ] = None,
    media: Annotated[
        Path | None, typer.Option(help="Folder of the images, for thumbnails of rows.", metavar="DIR")
    ] = None,
    parts: Annotated[
        Path | None,
        typer.Option(help="Detections of body parts, by which detectors of persons are monitored.", metavar="FILE"),
    ] = None,
    split: SplitOption = None,
    recipe: RecipeFile = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
) -> None:
    """Write what a benchmark's rules do, what is wrong with it, and its rows, as a page that people read."""
    from benchwright.auditing.result import read_audit
    from benchwright.checks.finding import read_findings
    from benchwright.checks.run import opened
    from benchwright.reporting.report import report as write_report
    from benchwright.reporting.report import target_of
    from schemas.manifest import open_manifest

    refuse_overwriting(out, audit, findings, parts, against, recipe)
    target = target_of(out, to, force)
    folder, given = sources_if_given(source, recipe)
    if media is not None and not media.is_dir():
        raise UsageError(f"{media}: no such folder; --media names the folder of the images")
    finished = None if audit is None else read_audit(audit)
    found = None if findings is None else read_findings(findings)
    manifest, variants = opened(name, folder, given, recipe)
    write_report(
        target,
        manifest,
        variants,
        predictions,
        finished,
        found,
        None if against is None else open_manifest(against),
        split,
        media,
        parts,
        console.progress,
    )
    console.say(f"-> {target.file}" + (f", figures in {target.figures}" if target.format != "html" else ""))
