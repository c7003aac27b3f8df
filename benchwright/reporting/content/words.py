"""How numbers, names and alternatives are written in reports."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright.auditing.result import Audit, Variant
from benchwright.reporting.blocks import Code, Text
from schemas.errors import counted
from schemas.identity import Identity
from scorers.score import digits

UNITS = {"percent": " %", "s": " s"}
_MOST_NAMED = 8


def number(value: float | None, unit: str = "") -> str:
    """A score as the tables of `score` print it, with its unit.

    >>> number(44.6189, "percent"), number(0.77182, "fraction"), number(None)
    ('44.62 %', '0.7718', '–')
    """
    return "–" if value is None else f"{bare(value, unit)}{UNITS.get(unit, '')}"


def bare(value: float, unit: str) -> str:
    """The same without its unit."""
    return f"{value:,.{digits(unit)}f}"


def signed(value: float | None) -> str:
    """
    >>> signed(-1.449), signed(0.0)
    ('−1.45', '+0.00')
    """
    return "–" if value is None else f"{value:+,.2f}".replace("-", "−")


def share(part: float, whole: float) -> str:
    """
    >>> share(1805, 4711)
    '38.3 %'
    """
    return f"{100 * part / whole:.1f} %" if whole else "–"


def listed(names: Sequence[str], most: int = _MOST_NAMED) -> str:
    """Names in a sentence; of too many the rest is counted.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], 2)
    ('a, b and c', 'a, b and 1 more')
    """
    shown = [*names] if len(names) <= most else [*names[:most], f"{len(names) - most:,} more"]
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1]))) if shown else "none"


def codes(names: Sequence[str], most: int = _MOST_NAMED) -> tuple[str | Code, ...]:
    """The same as a text with code."""
    parts: list[str | Code] = []
    for place, name in enumerate(names[:most]):
        parts += [", " if place else "", Code(name)]
    rest = len(names) - most
    return (*parts[bool(parts) :], f" and {rest:,} more" if rest > 0 else "")


def text(*parts: str | Code | Text) -> tuple[str | Code, ...]:
    """Parts of a sentence as one text."""
    return tuple(piece for part in parts for piece in ((part,) if isinstance(part, (str, Code)) else part))  # type: ignore[misc]


def plural(level: str) -> str:
    """The rows of a level.

    >>> plural("query"), plural("clip"), plural("persons")
    ('queries', 'clips', 'persons')
    """
    if level.endswith("s"):
        return level
    return f"{level[:-1]}ies" if level.endswith("y") and level[-2:-1] not in "aeiou" else f"{level}s"


def things(identity: Identity) -> str:
    """What a row of a manifest is, in the plural."""
    return plural(next(iter(identity.levels)))


def telling_level(identity: Identity) -> str:
    """The level whose size the rules decide: of the rows, or, where none of them is dropped, of what loses most."""
    root, *_ = identity.levels
    lost = {name: 1 - level.kept / level.candidates for name, level in identity.levels.items() if level.candidates}
    return root if lost.get(root) or not lost else max(lost, key=lambda name: lost[name])


def plain(key: str) -> str:
    """An alternative without signs, for the narrow labels of a chart.

    >>> plain("onset.pick=median")
    'onset pick median'
    """
    return key.replace("_", " ").replace(".", " ").replace("=", " ")


def rows_of(variant: Variant, identity: Identity) -> str:
    """Rows gained, lost and changed; of things in rows, too, level by level."""
    if len(identity.levels) == 1 or not variant.levels:
        return _counts(variant.gained, variant.lost, variant.changed) or "="
    found = {each.level: (each.added, each.removed, each.changed) for each in variant.levels}
    named = [f"{_counts(*counts)} {_noun(level, sum(counts))}" for level, counts in found.items() if any(counts)]
    return "; ".join(named) or "="


def _noun(level: str, count: int) -> str:
    return counted(count, plural(level)).partition(" ")[2]


def _counts(gained: int, lost: int, changed: int) -> str:
    counts = (("+", gained), ("−", lost), ("~", changed))
    return " ".join(f"{sign}{count:,}" for sign, count in counts if count)


def systems_of(audit: Audit | None, known: Sequence[str]) -> tuple[str, ...]:
    """The systems in the order of their colours: of more than five first those that change places most often."""
    names = audit.systems if audit is not None and audit.systems else list(known)
    if audit is None or len(names) <= 5:
        return tuple(names)
    moved = dict.fromkeys(names, 0)
    for variant in audit.variants:
        for effect in variant.effects.values():
            for pair in effect.pairs:
                moved[pair.a] += 1 if pair.state == "within noise" else 10
                moved[pair.b] += 1 if pair.state == "within noise" else 10
    return tuple(sorted(names, key=lambda name: -moved[name]))


def counted_systems(audit: Audit) -> str:
    return counted(len(audit.systems), "systems")
