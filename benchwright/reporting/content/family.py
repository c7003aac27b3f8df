"""What the report of one family of benchmarks has beside what all have."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from benchwright.auditing.result import Audit
from benchwright.checks.context import Context
from benchwright.checks.finding import Findings
from benchwright.reporting.blocks import Row, Section


class Material(NamedTuple):
    """What a report is made of.

    Attributes:
        context: the manifest, another one, and the predictions beside the truth, each read once.
        audit: of the same rows; null where none was made.
        findings: of the same rows.
        systems: names of the systems, in the order of their colours.
        media: folder of the videos or images; null without them.
        parts: detections of body parts by which detectors of persons are monitored; null without them.
    """

    context: Context
    audit: Audit | None
    findings: Findings
    systems: tuple[str, ...] = ()
    media: Path | None = None
    parts: object | None = None


class Family(Protocol):
    """One module per family; `content.FAMILIES` names them by the kind of their scorer.

    Attributes:
        columns: headings of the row table after the name; in the last of them stands why a row was dropped.
        numeric: which of them hold numbers, by position, the name being 0.
    """

    columns: tuple[str, ...]
    numeric: frozenset[int]

    def lead(self, material: Material) -> str:
        """What the benchmark is, in a sentence."""

    def sections(self, material: Material) -> Sequence[Section]:
        """What its rows look like, as figures and tables."""

    def rows(self, material: Material) -> Sequence[Row]:
        """The kept rows as the row table shows them; the dropped ones are the same for all families."""
