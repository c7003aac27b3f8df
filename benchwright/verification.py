"""Compare a manifest with what the paper and the authors' files say."""

from __future__ import annotations

import hashlib

import msgspec

from benchwright.exporters.official import FORMATS, official
from schemas.cards import Card, ResultCard
from schemas.claims import Judgement, cause_of, judged_claims
from schemas.errors import BenchwrightError, UsageError
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
    lines = judged_claims(card, manifest.identity, manifest.table())
    cause = cause_of(card, manifest.identity)
    return lines + [_judged_file(manifest, result, cause) for result in card.results]


def is_published(manifest: Manifest) -> bool:
    """Whether these are the rows that the paper speaks of: those of a bundled benchmark only if more of the card's
    numbers agree than differ.

    What is printed says nothing of rows of other files, or of other rules, that go by the same name.
    """
    identity, card = manifest.identity, manifest.card
    if card is None or identity.card is not None:
        return card is not None
    known = [claim for claim in card.claims if claim.expected != "differs"]
    lines = judged_claims(msgspec.structs.replace(card, claims=known), identity, manifest.table())
    verdicts = [line.verdict for line in lines]
    return verdicts.count("reproduced") > verdicts.count("differs")


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
