"""What a report says of a benchmark: sections that every family has, and its own."""

from __future__ import annotations

from pathlib import Path

from benchwright.auditing.result import Audit
from benchwright.checks.context import Context
from benchwright.checks.finding import Findings
from benchwright.reporting.blocks import Page, Row, RowTable, Section


def content_of(
    context: Context,
    audit: Audit | None,  # noqa: ARG001 (until sections of it are there)
    findings: Findings,
    media: Path | None = None,  # noqa: ARG001
) -> Page:
    """The report of a benchmark.

    Args:
        context: the manifest, another one, and the predictions beside the truth, each read once.
        audit: of the same rows; null where none was made.
        findings: of the same rows.
        media: folder of the videos or images, for thumbnails; null without them.
    """
    identity = context.manifest.identity
    names = context.frame["sample_id"].tolist()
    splits = context.frame["split"].tolist()
    rows = tuple(Row(name, "kept", (), split) for name, split in zip(names, splits, strict=True))
    evidence = {each.id: tuple(each.rows) for each in findings.findings}
    table = RowTable("rows", ("name",), rows, evidence, {"kept": len(rows)})
    return Page(
        name=identity.name,
        lead="",
        facts=(("Content digest", identity.content_digest),),
        sections=(Section("rowtable", f"All {len(rows):,} rows", "All rows", (table,)),),
        commands=(f"benchwright report {identity.name}",),
    )
