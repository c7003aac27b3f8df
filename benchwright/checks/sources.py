"""What a build remarked in its raw files, as findings."""

from __future__ import annotations

import re

from benchwright.checks.finding import Finding, severity_of
from schemas.identity import Identity


def source_findings(identity: Identity) -> list[Finding]:
    """One finding per sentence of `Identity.findings`; its rows are the first names that the build kept."""
    of = max((level.candidates for level in identity.levels.values()), default=1)
    found = []
    for sentence, count in identity.findings.items():
        numbers = {"count": count, "of": max(of, count)}
        found.append(
            Finding(
                id=f"source-{_slug(sentence)}",
                kind="source",
                severity=severity_of(numbers),
                title=f"{sentence[:1].upper()}{sentence[1:]}: {count:,}",
                statement=f"The build found {count:,}: {sentence}.",
                numbers=numbers,
                rows=identity.examples.get(sentence, []),
                source="raw files",
            )
        )
    return found


def _slug(sentence: str) -> str:
    """A sentence as an id.

    >>> _slug("videos whose `count` differs from their behaviours")
    'videos-whose-count-differs-from-their-behaviours'
    """
    return "-".join(re.findall(r"[a-z0-9]+", sentence.lower()))
