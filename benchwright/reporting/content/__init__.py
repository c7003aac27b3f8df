"""What a report says of a benchmark: sections that every family has, and its own."""

from __future__ import annotations

from pathlib import Path

from benchwright.auditing.result import Audit
from benchwright.checks.context import Context
from benchwright.checks.finding import Findings
from benchwright.reporting.blocks import Page, Row, RowTable, Section
from benchwright.reporting.content import activities, boxes
from benchwright.reporting.content.evidence import evidence_of
from benchwright.reporting.content.family import Family, Material

FAMILIES: dict[str, Family] = {"activities": activities, "boxes": boxes}
"""By the kind of the scorer: `spans`, `boxes`, `activities`."""


def content_of(
    context: Context,
    audit: Audit | None,
    findings: Findings,
    media: Path | None = None,
    parts: object | None = None,
) -> Page:
    """The report of a benchmark.

    Args:
        context: the manifest, another one, and the predictions beside the truth, each read once.
        audit: of the same rows; null where none was made.
        findings: of the same rows.
        media: folder of the videos or images, for thumbnails; null without them.
        parts: detections of body parts by which detectors of persons are monitored; null without them.
    """
    identity = context.manifest.identity
    material = Material(context, audit, findings, tuple(context.runs), media, parts)
    family = FAMILIES.get(context.kind)
    rows = tuple(family.rows(material)) if family else _names(context)
    columns = ("name", *(family.columns if family else ()))
    evidence = evidence_of(findings, context.manifest.table())
    table = RowTable("rows", columns, rows, evidence, {"kept": len(rows)}, family.numeric if family else frozenset())
    return Page(
        name=identity.name,
        lead=family.lead(material) if family else "",
        facts=(("Content digest", identity.content_digest),),
        sections=(
            *(family.sections(material) if family else ()),
            Section("rowtable", f"All {len(rows):,} rows", "All rows", (table,)),
        ),
        commands=(f"benchwright report {identity.name}",),
    )


def _names(context: Context) -> tuple[Row, ...]:
    """The kept rows of a benchmark of no known family."""
    frame = context.frame
    named = zip(frame["sample_id"].tolist(), frame["split"].tolist(), strict=True)
    return tuple(Row(name, "kept", (), split) for name, split in named)
