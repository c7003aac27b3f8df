"""Does the paper add up: each claim of the card beside what was rebuilt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchwright.reporting.blocks import Noted, Paragraph, Section, Table, Tone, Verdict
from benchwright.verification import verify
from schemas.claims import Judgement, source_notes
from schemas.errors import counted
from schemas.manifest import Manifest

_TONES: dict[str, Tone] = {"reproduced": "good", "differs": "change"}


def judged(manifest: Manifest) -> list[Judgement]:
    """The claims of the card; none without one."""
    return verify(manifest) if manifest.card is not None else []


def claims(manifest: Manifest, lines: Sequence[Judgement]) -> list[Section]:
    """The section; none of a benchmark that claims nothing."""
    if not lines or manifest.card is None:
        return []
    table = Table(
        caption="Printed numbers and the same rebuilt from the raw files",
        columns=("Claim", "Paper", "Rebuilt", "Verdict", "How to read it"),
        numeric=frozenset({1, 2}),
        rows=tuple(
            (
                Noted(f"{line.claim} ({line.unit})", line.where),
                _written(line.paper),
                _written(line.value),
                Verdict(line.verdict, _TONES.get(line.verdict, "note")),
                line.reason,
            )
            for line in lines
        ),
    )
    notes = [Paragraph(f"{note}.") for note in source_notes(manifest.identity, manifest.card)]
    return [Section("claims", "Does the paper add up?", "Claims", (Paragraph(_verdict(lines)), table, *notes))]


def _verdict(lines: Sequence[Judgement]) -> str:
    found: Counter[str] = Counter(line.verdict for line in lines)
    same = found["reproduced"]
    said = [
        f"{same:,} of {counted(len(lines), 'printed claims')} {'comes' if same == 1 else 'come'} out of a rebuild",
        counted(found["differs"], "others", "differ") if found["differs"] else "none differs",
    ]
    words = {
        "needs media": "can be computed from the videos or images alone",
        "needs source": "need a source that was not given",
        "not applicable": "hold of other settings or splits",
    }
    said += [f"{found[verdict]:,} {meaning}" for verdict, meaning in words.items() if found[verdict]]
    return "; ".join(said) + "."


def _written(value: float | str | None) -> str:
    """A number as `verify` prints it, a digest as it is."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"
