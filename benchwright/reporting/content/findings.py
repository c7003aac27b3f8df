"""What is wrong with the benchmark: findings, the gravest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from benchwright.checks.finding import Finding
from benchwright.reporting.blocks import Block, FindingList, FindingNote, Paragraph, Section
from benchwright.reporting.content.family import Material
from benchwright.reporting.content.words import listed
from schemas.errors import counted
from schemas.identity import written

MOST = 20
"""Findings that are told; the rest is counted."""
_SEVERITIES = {
    "high": ("changes a conclusion", "change a conclusion"),
    "medium": ("limits what can be claimed", "limit what can be claimed"),
    "low": ("is good to know", "are good to know"),
}


def findings(material: Material, evidence: Mapping[str, Sequence[str]]) -> list[Section]:
    """The section: findings, what could not be checked, and checks that failed."""
    found = material.findings
    shown, rest = found.findings[:MOST], found.findings[MOST:]
    numbers = Counter(each.severity for each in found.findings)
    by_severity = [f"{n:,} {words[n != 1]}" for name, words in _SEVERITIES.items() if (n := numbers[name])]  # type: ignore[index]
    said = f"{counted(len(found.findings), 'findings')} of {counted(found.checks, 'checks')}"
    blocks: list[Block] = [Paragraph(f"{said}: {listed(by_severity)}." if by_severity else f"{said}.")]
    if shown:
        blocks.append(FindingList(tuple(_note(each, len(evidence.get(each.id, ()))) for each in shown)))
    if rest:
        blocks.append(Paragraph(f"{counted(len(rest), 'further findings')}: {listed([each.id for each in rest], 60)}."))
    lacks: dict[str, list[str]] = {}
    for name, need in found.not_checked.items():
        lacks.setdefault(need, []).append(name)
    blocks += [Paragraph(f"Not checked: {listed(names, 60)} ({need}).") for need, names in lacks.items()]
    blocks += [Paragraph(f"The check {each.id} failed: {each.error}.") for each in found.failures]
    return [Section("findings", "Findings", "Findings", tuple(blocks))]


def _note(finding: Finding, rows: int) -> FindingNote:
    value = "" if finding.alternative is None else f"={written(finding.alternative)}"
    return FindingNote(
        id=finding.id,
        severity=finding.severity,
        title=finding.title,
        statement=finding.statement,
        claim=finding.claim,
        other_choice=f"{finding.parameter}{value}" if finding.parameter and value else None,
        rows=rows,
    )
