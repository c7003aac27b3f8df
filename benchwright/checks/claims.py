"""Checks of what is printed about a benchmark, and of rules that do not do what they are said to do."""

from __future__ import annotations

import re

import msgspec
import numpy as np
import pandas as pd

from benchwright.checks.context import Context
from benchwright.checks.finding import Evidence, check
from benchwright.verification import verify

VERDICTS = ("differs", "needs media", "needs source")
_VERBS = {
    "differs": ("differs", "differ"),
    "needs media": ("needs the media themselves", "need the media themselves"),
    "needs source": ("needs a source that is not there", "need a source that is not there"),
}


@check(
    "claims",
    "claim",
    "any",
    "{count:,} of {of:,} printed numbers {count:is not that|are not those} of these rows, or cannot be checked",
    "Of {of:,} printed numbers {told}: {names}.",
    needs=["published"],
)
def claims(context: Context) -> Evidence | None:
    """Claims of the card that `verify` does not reproduce."""
    card = context.manifest.card
    if card is None or not card.claims or not context.manifest.has_ledger:  # one split alone has other numbers
        return None
    judged = verify(context.manifest, msgspec.structs.replace(card, results=[]))
    lines = [line for line in judged if line.verdict != "not applicable"]
    found = {verdict: [line.claim for line in lines if line.verdict == verdict] for verdict in VERDICTS}
    names = [name for each in found.values() for name in each]
    counts = {verdict.replace(" ", "_"): len(each) for verdict, each in found.items()}
    told = ", ".join(f"{len(each):,} {_VERBS[verdict][len(each) > 1]}" for verdict, each in found.items() if each)
    numbers = {"count": len(names), "of": len(lines), **counts, "told": told, "names": ", ".join(names)}
    return Evidence(numbers, names, claim=names[0] if len(names) == 1 else None) if names else None


@check(
    "characters-for-words",
    "claim",
    "spans",
    "A printed length in words is one in characters: {paper:g}",
    "{where} prints a mean length of {paper:g} words; the mean is {characters:.1f} characters, or {words:.1f} words.",
    needs=["published"],
)
def characters_for_words(context: Context) -> Evidence | None:
    """A claim that is counted in characters, of a text that has words."""
    card = context.manifest.card
    found = [each for each in (card.claims if card else []) if each.aggregate == "mean_characters"]
    if not found or found[0].column not in context.frame:
        return None
    claim, texts = found[0], context.frame[found[0].column].astype(str)
    words = texts.map(lambda each: len(each.split()))
    numbers = {"characters": float(texts.str.len().mean()), "words": float(words.mean())}
    numbers |= {"paper": claim.paper, "count": len(texts), "of": len(texts)}
    return Evidence({**numbers, "where": claim.where}, context.frame["sample_id"].tolist(), claim=claim.name)


@check(
    "misread-names",
    "rule",
    "any",
    "Rows lost as their name was misread: {count:,} of {of:,}",
    "{of:,} {of:name of a candidate is|names of candidates are} misread (UTF-8 as cp1252); {count:,} {count:is|are} "
    "dropped for that alone.",
    needs=["ledger"],
)
def misread_names(context: Context) -> Evidence | None:
    """Ledger entries with the reason `misread_key`."""
    if not context.ledger.num_rows:
        return None
    entries = context.ledger.select(["key", "action", "reason"]).to_pandas()
    entries = entries[entries["reason"] == "misread_key"]
    dropped = entries["key"][entries["action"] == "dropped"].drop_duplicates().tolist()
    parameter = "names.repair" if "names.repair" in context.manifest.identity.parameters else None
    numbers = {"count": len(dropped), "of": int(entries["key"].nunique())}
    return Evidence(numbers, dropped, parameter=parameter, alternative=parameter and True) if dropped else None


@check(
    "unapplied-rule",
    "claim",
    "any",
    "The rule {rule} drops nothing here; about {expected:,} rows would be expected to fall",
    "The rule {rule} drops none of {of:,} rows here, where {parameter} is {value}; in {other} it drops {share:.1f} % "
    "of {asked:,}, so that about {expected:,} are expected to fall here.",
    needs=["against"],
)
def unapplied_rule(context: Context) -> Evidence | None:
    """A rule of both benchmarks that a parameter switches off in one."""
    assert context.against is not None
    identity, other = context.manifest.identity, context.against.identity
    dropping = {count.rule: count for count in other.counts if count.dropped}
    idle = [count for count in identity.counts if count.rule in dropping and not count.dropped]
    off = {name.partition(".")[0]: name for name, each in identity.parameters.items() if each in ("skip", "all", False)}
    count = next((count for count in idle if count.rule in off), None)
    if count is None:
        return None
    there, parameter = dropping[count.rule], off[count.rule]
    expected = round(there.dropped / there.rows_in * count.rows_in)
    numbers = {"count": expected, "of": count.rows_in, "expected": expected, "asked": there.rows_in}
    words = {"rule": count.rule, "other": other.name, "parameter": parameter, "value": identity.parameters[parameter]}
    share = {"share": 100 * there.dropped / there.rows_in}
    names = context.frame["sample_id"].tolist()
    return Evidence({**numbers, **words, **share}, names, parameter=parameter, alternative="inventory")


@check(
    "nominal-frame-rate",
    "rule",
    "spans",
    "All times are frames at an assumed {rate:g} frames per second",
    "The times of all {of:,} rows are frame numbers divided by {rate:g}, which no file says of its video; not judged: "
    "needs an inventory of the videos.",
    columns=["frame_rate"],
)
def nominal_frame_rate(context: Context) -> Evidence | None:
    """One frame rate for all rows, where the recipe assumes it."""
    rates, parameters = context.frame["frame_rate"], context.manifest.identity.parameters
    if parameters.get("frame_rate.of") != "nominal" or rates.nunique() != 1:
        return None
    rows = context.frame["sample_id"].tolist()
    numbers = {"count": len(rows), "of": len(rows), "rate": float(rates.iloc[0])}
    return Evidence(numbers, rows, parameter="frame_rate.of", alternative="inventory")


@check(
    "mojibake",
    "text",
    "any",
    "{count:,} {count:row holds|rows hold} text that was misread",
    "{count:,} of {of:,} rows {count:holds|hold} text whose UTF-8 bytes were read as cp1252 or Latin-1, such as "
    "`{example}`.",
)
def mojibake(context: Context) -> Evidence | None:
    """Texts that give other, valid text when their bytes are read again as UTF-8."""
    frame = context.frame
    columns = [name for name in ("sample_id", "video", "sequence", "description", "file_name") if name in frame]
    misread = pd.DataFrame(
        {name: frame[name].map(lambda each: isinstance(each, str) and _misread(each)) for name in columns}
    )
    mask = misread.any(axis=1).to_numpy(bool)
    if not mask.any():
        return None
    column = columns[int(np.argmax(misread[mask].iloc[0].to_numpy()))]
    numbers = {"count": int(mask.sum()), "of": len(frame), "example": str(frame[column][mask].iloc[0])}
    return Evidence(numbers, frame["sample_id"][mask].tolist())


def _misread(text: str) -> bool:
    """Whether its characters are the bytes of UTF-8 text, or some that follow one another are.

    Of parts only those with the first byte of Latin, Greek or Cyrillic letters or of signs: capitals before a quotation
    mark look like others.

    >>> _misread("cafÃ©"), _misread("it’s the cafÃ© → there"), _misread("café"), _misread("“MENÜ”"), _misread("cafe")
    (True, True, False, False, False)
    """
    if text.isascii():
        return False
    return _is_other_text(text) or any(map(_is_other_text, re.findall(r"[ÂÃÄÅÎÏÐÑâ][^\x00-\x7f]+", text)))


def _is_other_text(text: str) -> bool:
    for encoding in ("cp1252", "latin-1"):
        try:
            return text.encode(encoding).decode("utf-8") != text
        except UnicodeError:
            continue
    return False
