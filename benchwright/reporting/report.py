"""A report: what it is of is read or computed, put into words, and written as a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from benchwright.auditing.audit import audit_of
from benchwright.auditing.result import Audit
from benchwright.checks.context import Context
from benchwright.checks.finding import Findings
from benchwright.checks.grades import audited
from benchwright.checks.run import context_of, findings_in
from benchwright.reporting.blocks import Page
from benchwright.reporting.content import content_of, refuse_idle
from builders.engine.variants import Variants
from schemas.errors import UsageError, unknown_name
from schemas.exchange import new_file, new_folder
from schemas.manifest import Manifest
from scorers.leaderboard.sources import Sources
from scorers.task import Progress, silent

FORMATS = {"html": (".html", ".htm"), "markdown": (".md", ".markdown"), "latex": (".tex",)}
"""Names of formats, and the suffixes of their files."""


class Target(NamedTuple):
    """Where a report goes: the format, its file, and the folder of the figures that go beside it."""

    format: str
    file: Path
    figures: Path


def target_of(out: Path, to: str | None = None, force: bool = False) -> Target:
    """Where a report goes; refused before anything is computed.

    Args:
        out: the file.
        to: a name in `FORMATS`; by the suffix of the file unless it is given.
        force: whether what is there is replaced.

    Raises:
        UsageError: no such format, something is there, or figures cannot be drawn.
    """
    by_suffix = {suffix: name for name, each in FORMATS.items() for suffix in each}
    name = to or by_suffix.get(out.suffix.lower(), "html")
    if name not in FORMATS:
        raise unknown_name("format", name, list(FORMATS))
    if (meant := by_suffix.get(out.suffix.lower(), name)) != name:
        raise UsageError(f"{out} is named like {meant}, but the report is to be {name}")
    if to is None and out.suffix.lower() == ".pdf":
        raise UsageError(f"{out}: no report is a PDF file; print the page (.html) to one, or use .tex in a paper")
    target = Target(name, out, out.with_name(f"{out.stem}-{'pdf' if name == 'latex' else 'svg'}"))
    there = [path for path in (out, target.figures if name != "html" else out) if path.exists()]
    if there and not force:
        raise UsageError(f"{there[0]} is there already; --force replaces it")
    if name == "latex":
        from benchwright.reporting.pdf import refuse_without_matplotlib

        refuse_without_matplotlib()
    return target


def report(
    target: Target,
    manifest: Manifest,
    variants: Variants | None = None,
    predictions: Sources | None = None,
    audit: Audit | None = None,
    findings: Findings | None = None,
    against: Manifest | None = None,
    split: str | None = None,
    media: Path | None = None,
    parts: object | None = None,
    progress: Progress = silent,
) -> None:
    """Write the report of a benchmark.

    Args:
        target: where to.
        manifest: of the benchmark.
        variants: builds of the same, to make an audit if none is given.
        predictions: of the systems, as in `leaderboard`.
        audit: of the same rows.
        findings: of the same rows; looked for unless they are given.
        against: another manifest, for findings.
        split: of the predictions; that of the audit unless it is given.
        media: folder of videos or images, for thumbnails.
        parts: detections of body parts, by which detectors of persons are monitored.
        progress: of what takes long.

    Raises:
        BenchwrightError: the audit or the findings are of other rows or systems; anything wrong with the manifest or
            the predictions; the file cannot be written.
    """
    context = context_of(manifest, predictions, against, split or (audit.split if audit else None) or None, variants)
    refuse_idle(context, media, parts)
    if audit is not None:
        _refuse_other_audit(context, audit)
    elif variants is not None:
        audit = audit_of(variants, predictions, progress=progress)
        _refuse_other_audit(context, audit)
    if findings is None:
        findings = findings_in(context, audit, progress=progress)
    else:
        _refuse_other_findings(manifest, findings)
    write(content_of(context, audit, findings, media, parts), target)


def write(page: Page, target: Target) -> None:
    """Write a page and its figures, both or neither."""
    text, figures = _made(page, target)
    with new_file(target.file) as file:
        file.write_bytes(text.encode("utf-8", "backslashreplace"))
        if figures:
            with new_folder(target.figures) as folder:
                for name, content in figures.items():
                    (folder / name).write_bytes(content)


def _made(page: Page, target: Target) -> tuple[str, Mapping[str, bytes]]:
    """The text of a report, and the files of its figures by name."""
    if target.format == "markdown":
        from benchwright.reporting.markdown import markdown

        return markdown(page, target.figures.name)
    if target.format == "latex":
        from benchwright.reporting.latex import latex

        return latex(page, target.figures.name)
    from benchwright.reporting.html import html

    return html(page), {}


def _refuse_other_audit(context: Context, audit: Audit) -> None:
    audited(context, audit)
    if context.runs and audit.systems and set(context.runs) != set(audit.systems):
        theirs, ours = ", ".join(audit.systems), ", ".join(context.runs)
        raise UsageError(f"the audit is of the systems {theirs}, the predictions are of {ours}: name the same ones")


def _refuse_other_findings(manifest: Manifest, findings: Findings) -> None:
    digests = {name: each.digest for name, each in manifest.identity.splits.items()}
    if findings.benchmark != manifest.identity.name or findings.digests != digests:
        raise UsageError(f"the findings are of another build of {findings.benchmark} than {manifest.path}")
