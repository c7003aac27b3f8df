"""The verb `findings`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli import console
from benchwright.cli.layout import Column, numeric
from benchwright.cli.options import (
    BenchmarkOrManifest,
    Json,
    RecipeFile,
    SplitOption,
    SystemPredictions,
    pairs_of,
    refuse_overwriting,
    sources_if_given,
)
from schemas.errors import counted
from schemas.identity import written

if TYPE_CHECKING:
    from benchwright.checks.finding import Finding, Findings

_MOST = 20  # findings on the screen


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(epilog="Example: benchwright findings manifests/uag-oops --predictions runs/")(findings)


def findings(
    name: BenchmarkOrManifest,
    predictions: SystemPredictions = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            help="Raw files: of a benchmark that is named to build it, of a manifest for checks of its candidates.",
            metavar="DIR|NAME=PATH",
        ),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(help="Another manifest, such as the training set, to look for leaks.", metavar="MANIFEST"),
    ] = None,
    audit: Annotated[
        Path | None,
        typer.Option(help="What `audit --out` wrote of the same manifest, to take grades from.", metavar="FILE.json"),
    ] = None,
    thresholds: Annotated[
        list[str] | None,
        typer.Option("--set", help="Another threshold of a check.", metavar="CHECK.THRESHOLD=VALUE"),
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
    from benchwright.auditing.result import read_audit
    from benchwright.checks.run import findings as run_checks
    from benchwright.checks.run import opened
    from schemas.manifest import open_manifest
    from scorers.table_files import refuse_suffix, write_table

    refuse_overwriting(out, audit, against, recipe)
    if out is not None:
        refuse_suffix(out)
    folder, given = sources_if_given(source, recipe)
    manifest, variants = opened(name, folder, given, recipe)
    found = run_checks(
        manifest,
        predictions,
        None if against is None else open_manifest(against),
        split,
        variants=variants,
        audit=None if audit is None else read_audit(audit),
        thresholds=pairs_of(thresholds or []),
        progress=console.progress,
    )
    if out is not None:
        write_table(out, found.table(), for_people=True)
    if as_json:
        console.as_json(found)
    else:
        _show(found)
    grave = bool(found.failures) or any(each.severity == "high" for each in found.findings)
    raise typer.Exit(1 if strict and grave else 0)


def _show(found: Findings) -> None:
    """The gravest findings, each in a line and in a sentence; the others are counted."""
    shown, others = found.findings[:_MOST], found.findings[_MOST:]
    rows = [[each.severity, each.id, each.kind, each.numbers.get("count", ""), each.title] for each in shown]
    total = counted(sum(found.rows.values()), "rows")
    headings: list[str | Column] = ["severity", "finding", "about", numeric("count"), "what"]
    if rows:
        several = counted(len(found.findings), "findings")
        console.table(f"{found.benchmark}: {total}, {several} of {found.checks} checks", headings, rows)
    else:
        console.say(f"{found.benchmark}: {total}, {found.checks} checks found nothing")
    for each in shown:
        console.say(f"{each.id}: {each.statement}{_example(each)}{_choice(each)}")
    if others:
        console.say(f"and {counted(len(others), 'findings')} more, all of --json: {', '.join(e.id for e in others)}")
    by_need: dict[str, list[str]] = {}
    for name, need in found.not_checked.items():
        by_need.setdefault(need, []).append(name)
    for need, names in by_need.items():
        console.say(f"not checked, {need}: {', '.join(names)}")
    for failure in found.failures:
        console.complain(f"check {failure.id} failed: {failure.error}", "warning")


def _example(finding: Finding) -> str:
    """The first row, where not all are concerned."""
    whole = finding.numbers.get("count") == finding.numbers.get("of")
    return f" Such as {finding.rows[0]}." if finding.rows and not whole else ""


def _choice(finding: Finding) -> str:
    """What does without, and how much that matters."""
    if finding.parameter is None:
        return ""
    choice = f"{finding.parameter}={written(finding.alternative)}"
    return f" The choice {choice}: {finding.grade}." if finding.grade else f" The choice {choice} was not judged."
