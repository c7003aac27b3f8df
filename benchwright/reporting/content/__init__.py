"""What a report says of a benchmark: sections that every family has, and its own."""

from __future__ import annotations

from pathlib import Path

from benchwright.auditing.result import Audit
from benchwright.checks.context import Context
from benchwright.checks.finding import Findings
from benchwright.reporting.blocks import Page, Row
from benchwright.reporting.content import activities, boxes, spans
from benchwright.reporting.content.claims import claims, judged
from benchwright.reporting.content.effects import effects
from benchwright.reporting.content.evidence import evidence_of
from benchwright.reporting.content.family import Family, Material
from benchwright.reporting.content.findings import findings as found
from benchwright.reporting.content.rules import rules
from benchwright.reporting.content.scores import scores
from benchwright.reporting.content.summary import facts, summary
from benchwright.reporting.content.table import row_table
from benchwright.reporting.content.values import values
from benchwright.reporting.content.words import systems_of, things
from schemas.errors import UsageError

FAMILIES: dict[str, Family] = {"activities": activities, "boxes": boxes, "spans": spans}
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

    Raises:
        UsageError: media or parts are given of which the page would show nothing.
    """
    refuse_idle(context, media, parts)
    manifest = context.manifest
    material = Material(context, audit, findings, systems_of(audit, tuple(context.runs)), media, parts)
    family = FAMILIES.get(context.kind)
    lines = judged(manifest)
    kept = family.rows(material) if family else _names(context)
    here = {row.name for row in kept}
    evidence = {
        finding: tuple(name for name in names if name in here)
        for finding, names in evidence_of(findings, manifest.table()).items()
    }
    columns = family.columns if family else ("Reason",)
    return Page(
        name=manifest.card.title if manifest.card is not None else manifest.identity.name,
        lead=family.lead(material) if family else f"{len(context.frame):,} {things(manifest.identity)}.",
        facts=facts(material),
        sections=(
            summary(material, lines),
            *claims(manifest, lines),
            rules(material),
            *effects(material),
            *(scores(material) or values(material)),
            *(family.sections(material) if family else ()),
            *found(material, evidence),
            row_table(manifest, kept, columns, family.numeric if family else frozenset(), evidence, material.systems),
        ),
        commands=_commands(material),
    )


def _commands(material: Material) -> tuple[str, ...]:
    """What computes the report again."""
    name, runs = material.context.manifest.identity.name, " --predictions runs/" * bool(material.systems)
    audit = (f"benchwright audit {name} --source raw/{runs} --out audit.json",) if material.audit else ()
    return (
        f"benchwright build {name} --source raw/",
        *audit,
        f"benchwright report manifests/{name}{runs}{' --audit audit.json' * bool(audit)} --out {name}.html",
    )


def _names(context: Context) -> list[Row]:
    """The kept rows of a benchmark of no known family."""
    frame = context.frame
    named = zip(frame["sample_id"].tolist(), frame["split"].tolist(), strict=True)
    return [Row(name, "kept", ("",), split) for name, split in named]


def refuse_idle(context: Context, media: Path | None, parts: object | None) -> None:
    """Refuse what would change nothing on the page, as whoever gives it expects to see it."""
    if media is not None and "file_name" not in context.frame:
        raise UsageError(f"{context.manifest.path}: its rows name no image files, of which thumbnails could be made")
    if parts is not None and (context.kind != "boxes" or not context.runs):
        raise UsageError("parts monitor the persons that systems detect: give predictions on a manifest of boxes")
