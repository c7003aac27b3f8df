"""Compare a manifest with what the paper and the authors' files say."""

from __future__ import annotations

import hashlib

import msgspec

from benchwright.exporters.official import FORMATS, official
from schemas.cards import Card, Claim, ResultCard
from schemas.claims import Judgement, judge, measured
from schemas.errors import BenchwrightError, UsageError
from schemas.identity import Identity, written
from schemas.manifest import Manifest


def card_of(manifest: Manifest) -> Card:
    """The manifest's card; `UsageError` where it has none, as its recipe is neither bundled nor kept a card."""
    if manifest.card is None:
        name = manifest.identity.name
        raise UsageError(f"{manifest.path} has no card, and {name} is not bundled: name its file with --recipe FILE.py")
    return manifest.card


def verify(manifest: Manifest, card: Card | None = None) -> list[Judgement]:
    """Judge each claim of a card, then each published result file, byte for byte.

    Args:
        manifest: what was built.
        card: the manifest's own unless another is given.

    Raises:
        UsageError: the manifest has no card.
        InputError: the rows are not those that were built.
    """
    card = card or card_of(manifest)
    identity, table = manifest.identity, manifest.table()
    parameters = {name: written(value) for name, value in identity.parameters.items()}
    changed = [f"{name}={parameters[name]}" for name in identity.changed_parameters]
    causes = [f"built with {', '.join(changed)}"] * bool(changed)
    causes += ["built from other sources than the published files"] * bool(source_notes(identity, card))
    cause = "; ".join(causes)

    def value_of(claim: Claim) -> float | None:
        if claim.split and claim.split not in identity.splits:
            return None
        return identity.aggregates.get(claim.name) if claim.scope == "candidates" else measured(claim, table)

    judged = {c.name: judge(c, value_of(c), parameters=parameters, cause=cause) for c in card.claims}
    lines = [_of_whole_source(claim, judged) for claim in card.claims]
    return lines + [_judged_file(manifest, result, cause) for result in card.results]


def _of_whole_source(claim: Claim, judged: dict[str, Judgement]) -> Judgement:
    """The judgement of a claim, suspended where the source is not the one that the claim is about."""
    line = judged[claim.name]
    if not claim.whole or line.verdict == "not applicable" or judged[claim.whole].verdict == "reproduced":
        return line
    return msgspec.structs.replace(line, verdict="needs source", reason=claim.reason, as_expected=True)


def source_notes(identity: Identity, card: Card) -> list[str]:
    """Sources whose bytes are not those that the authors published: worth knowing, not a failure."""
    published = {source.name: source.sha256 for source in card.sources if source.sha256}
    return [
        f"{source.file} is not the published file: SHA-256 {source.sha256}, published {published[name]}"
        for name, source in identity.sources.items()
        if name in published and source.sha256 != published[name]
    ]


def _judged_file(manifest: Manifest, result: ResultCard, cause: str) -> Judgement:
    ours, reason = None, cause
    try:
        if manifest.identity.name in FORMATS:
            ours = hashlib.sha256(official(manifest, result.split or None)).hexdigest()
    except BenchwrightError as failure:
        reason = str(failure)
    same = ours == result.sha256
    return Judgement(
        claim=f"bytes of {result.file}",
        where="the authors' repository",
        paper=result.sha256,
        value=ours,
        unit="SHA-256",
        verdict="reproduced" if same else "differs",
        reason="" if same else reason,
        as_expected=same,
    )
