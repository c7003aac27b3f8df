"""What a build remarked in its raw files, as findings."""

from __future__ import annotations

import re
from collections import Counter

from benchwright.checks.finding import Finding, severity_of
from schemas.identity import Identity

_LONGEST = 24  # characters
_INNER = frozenset(
    {"that", "which", "whose", "their", "the", "a", "of", "or", "and", "with", "do", "not", "from", "is"}
    | {"are", "at", "in", "on"}
)


def source_findings(identity: Identity) -> list[Finding]:
    """One finding per sentence of `Identity.findings`; its rows are the first names that the build kept."""
    of = max((level.candidates for level in identity.levels.values()), default=1)
    found: list[Finding] = []
    names = Counter[str]()
    for sentence, count in identity.findings.items():
        numbers = {"count": count, "of": max(of, count)}
        name = _slug(sentence)
        names[name] += 1
        found.append(
            Finding(
                id=f"source-{name}" if names[name] == 1 else f"source-{name}-{names[name]}",
                kind="source",
                severity=severity_of(numbers),
                title=f"{sentence[:1].upper()}{sentence[1:]}: {count:,}",
                statement=f"In the raw files the build found {sentence}: {count:,}.",
                numbers=numbers,
                rows=identity.examples.get(sentence, []),
                source="raw files",
            )
        )
    return found


def _slug(sentence: str) -> str:
    """The first words of a sentence as an id, so short that a table has room for it.

    >>> _slug("videos whose `count` differs from their behaviours"), _slug("boxes with decimals")
    ('videos-whose-count', 'boxes-with-decimals')
    """
    words = re.findall(r"[^\W_]+", re.sub(r"\(.*?\)", "", sentence.lower())) or ["remark"]
    several = [words[:count] for count in range(1, len(words) + 1)]
    short = [each for each in several if len("-".join(each)) <= _LONGEST] or several[:1]
    while len(short[-1]) > 1 and len(short) < len(several) and short[-1][-1] in _INNER:
        short.pop()
    return "-".join(short[-1])
