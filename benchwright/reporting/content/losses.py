"""Who is left out: what each rule drops of each level, and why, in words."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright.reporting.blocks import Beside, Block, Code, Figure, Key, Noted, Paragraph, Table
from benchwright.reporting.charts.bars import Fall, waterfall
from benchwright.reporting.content.words import plural, share
from benchwright.reporting.frames.losses import Step, reasons, steps
from builders.engine.ledger import VIA_PARENT
from schemas.identity import Identity
from schemas.manifest import Manifest

# Reasons beyond are folded away.
_OPEN = 8


def losses(manifest: Manifest, *beside: Block) -> tuple[Block, ...]:
    """A waterfall for each level that rules drop rows of, what stands beside them, and the reasons with examples."""
    identity = manifest.identity
    figures = tuple(_fall(identity, level, found) for level, found in steps(manifest).items() if found)
    whole = [level for level, found in steps(manifest).items() if not found]
    stay = " and ".join(f"all {identity.levels[level].candidates:,} {plural(level)}" for level in whole)
    said = [Paragraph(f"No rule drops anything of these levels: {stay} stay.")] if whole else []
    key = (Key((("kept", "stay"), ("gone", "dropped by this rule"))),) if figures else ()
    return (*said, *((Beside((*figures, *beside)),) if figures else beside), *key, *_reasons(manifest))


def _fall(identity: Identity, level: str, found: Sequence[Step]) -> Figure:
    before, kept = identity.levels[level].candidates, identity.levels[level].kept
    dropped = [
        Fall(
            step.rule,
            step.rows_in - step.dropped,
            step.dropped,
            f"−{step.dropped:,} ({share(step.dropped, step.rows_in)})",
        )
        for step in found
    ]
    first, last = Fall("candidates", before, 0, f"{before:,}"), Fall("kept", kept, 0, f"{kept:,}")
    falls = [first, *dropped, last]
    title = f"{kept:,} of {before:,} {plural(level)} stay" + (f" ({share(kept, before)})" if before else "")
    caption = f"{plural(level).capitalize()}, rule by rule; shares are of what the rule before left."
    told = "; ".join(f"{fall.name}: {fall.text}" for fall in falls)
    return Figure(title, waterfall(falls, f"{title}. {told}"), caption)


def _reasons(manifest: Manifest) -> tuple[Block, ...]:
    rows = tuple(
        (
            Noted(_named(each.code, next(iter(manifest.identity.levels))), (f"{each.level}, ", Code(each.rule))),
            f"{each.dropped:,}",
            each.example,
        )
        for each in reasons(manifest)
    )
    if not rows:
        return ()
    words = f"{len(rows)} reasons, each with its first example" if len(rows) > _OPEN else None
    columns = ("reason", "dropped", "for instance")
    return (Table("Why rows are dropped, from the ledger", columns, rows, frozenset({1}), words),)


def _named(code: str, root: str) -> str:
    return f"fell with its {root}" if code == VIA_PARENT else code.replace("_", " ")
