"""Texts of a report: plain, with what is to be quoted or clicked in them, and how much something matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tone = Literal["good", "note", "limit", "change"]
"""How much something matters: holds, good to know, limits what can be claimed, changes a conclusion."""
SIGNS: dict[Tone, str] = {"good": "✓", "note": "○", "limit": "●", "change": "▲"}
SEVERITIES: dict[str, tuple[Tone, str]] = {
    "high": ("change", "changes conclusions"),
    "medium": ("limit", "limits what can be claimed"),
    "low": ("note", "good to know"),
}


@dataclass(frozen=True)
class Code:
    """Text to be typed or quoted as it is: a command, a parameter, the id of a finding."""

    text: str


@dataclass(frozen=True)
class Link:
    """Text that leads to a section, or to the rows that a finding is of.

    Attributes:
        text: to click.
        section: id of the section.
        finding: id of the finding whose rows the table shows.
    """

    text: str
    section: str
    finding: str | None = None


Text = str | tuple[str | Code | Link, ...]


def plain(text: Text) -> str:
    """A text without what is to be quoted or clicked.

    >>> plain(("see ", Code("why"), " of ", Link("all", "rows")))
    'see why of all'
    """
    return text if isinstance(text, str) else "".join(part if isinstance(part, str) else part.text for part in text)
