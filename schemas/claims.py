"""Rebuild the printed numbers of a card from tables, and judge them."""

from __future__ import annotations

import math
from typing import Literal

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.arrays import integers
from schemas.cards import Card, Claim
from schemas.errors import BenchwrightError, printable
from schemas.identity import Identity, written

Verdict = Literal["reproduced", "differs", "needs source", "needs media", "not applicable"]


class Judgement(msgspec.Struct, frozen=True):
    """One line of `verify`: the claim, the paper's value, ours, the verdict and why."""

    claim: str
    where: str
    paper: float | str
    value: float | str | None
    unit: str
    verdict: Verdict
    reason: str
    as_expected: bool


def judged_claims(card: Card, identity: Identity, table: pa.Table) -> list[Judgement]:
    """Judge each claim of a card by the rows of all splits.

    Raises:
        BenchwrightError: as `measured`.
    """
    parameters = {name: written(value) for name, value in identity.parameters.items()}
    cause = cause_of(card, identity)

    def value_of(claim: Claim) -> float | None:
        if claim.split and claim.split not in identity.splits:
            return None
        return identity.aggregates.get(claim.name) if claim.scope == "candidates" else measured(claim, table)

    judged = {c.name: judge(c, value_of(c), parameters=parameters, cause=cause) for c in card.claims}
    return [_of_whole_source(claim, judged) for claim in card.claims]


def _of_whole_source(claim: Claim, judged: dict[str, Judgement]) -> Judgement:
    """The judgement of a claim, suspended where the source is not the one that the claim is about."""
    line = judged[claim.name]
    if not claim.whole or line.verdict == "not applicable" or judged[claim.whole].verdict == "reproduced":
        return line
    return msgspec.structs.replace(line, verdict="needs source", reason=claim.reason, as_expected=True)


def cause_of(card: Card, identity: Identity) -> str:
    """What sets a build apart from the authors': other parameters, other sources; empty for nothing."""
    changed = [f"{name}={written(identity.parameters[name])}" for name in identity.changed_parameters]
    causes = [f"built with {', '.join(changed)}"] * bool(changed)
    causes += ["built from other sources than the published files"] * bool(source_notes(identity, card))
    return "; ".join(causes)


def source_notes(identity: Identity, card: Card) -> list[str]:
    """Sources whose bytes are not those that the authors published: worth knowing, not a failure."""
    published = {source.name: source.sha256 for source in card.sources if source.sha256}
    return [
        f"{source.file} is not the published file: SHA-256 {source.sha256}, published {published[name]}"
        for name, source in identity.sources.items()
        if name in published and source.sha256 != published[name]
    ]


def measured(claim: Claim, table: pa.Table) -> float | None:
    """The number that `claim` describes, over the rows of `table`; None where there is nothing to average.

    Nulls are left out of means and of distinct counts. Lengths are of Unicode characters, or of the words between
    white space.

    Raises:
        BenchwrightError: the claim names a column that is not there, or that has no such aggregate.
    """
    try:
        return _measured(claim, table)
    except (pa.ArrowException, KeyError, TypeError) as failure:
        cause, columns = str(failure).partition("\n")[0], ", ".join(table.column_names)
        message = f"claim {claim.name!r}: {claim.aggregate} of {claim.column}: {cause} (columns: {columns})"
        raise BenchwrightError(printable(message)) from None


def _measured(claim: Claim, table: pa.Table) -> float | None:
    table = _rows_of(claim, table)
    if claim.aggregate == "rows":
        return float(table.num_rows)
    values = values_of(claim.column, table)
    if claim.aggregate == "items":
        return float(len(values))
    if claim.aggregate == "distinct":
        return float(pc.count_distinct(values).as_py())
    if claim.aggregate == "equal_counts":
        found = np.bincount(integers(values), minlength=len(claim.counts) + 1)[1:]
        return float(sum(found[: len(claim.counts)] == claim.counts))
    if claim.aggregate == "mean_characters":
        values = pc.utf8_length(values)
    elif claim.aggregate == "mean_words":
        values = pc.list_value_length(pc.utf8_split_whitespace(pc.utf8_trim_whitespace(values)))
    numbers = [value for value in values.to_pylist() if value is not None]
    return math.fsum(numbers) / len(numbers) if numbers else None


def values_of(path: str, table: pa.Table) -> pa.ChunkedArray | pa.Array:
    """A column, or by a path such as `persons.actions.id` the items of its lists and the fields of its records."""
    name, *fields = path.split(".")
    values = table[name]
    while fields or pa.types.is_list(values.type):
        values = pc.list_flatten(values) if pa.types.is_list(values.type) else pc.struct_field(values, fields.pop(0))
    return values


def _rows_of(claim: Claim, table: pa.Table) -> pa.Table:
    if claim.split:
        table = table.filter(pc.equal(table["split"], claim.split))
    for name, wanted in claim.only.items():
        text = table[name].cast(pa.string())
        starts = wanted.endswith("*")
        table = table.filter(pc.starts_with(text, wanted[:-1]) if starts else pc.equal(text, wanted))
    if claim.per:
        firsts = table.append_column("row", pa.array(range(table.num_rows), pa.int64()))
        rows = firsts.group_by(claim.per, use_threads=False).aggregate([("row", "min")])["row_min"]
        table = table.take(rows)
    return table


def judge(claim: Claim, value: float | None, *, parameters: dict[str, str], cause: str) -> Judgement:
    """Compare a rebuilt value with the printed one.

    Args:
        claim: the claim.
        value: what the build gives, None where it could not be computed.
        parameters: `rule.parameter` -> value of all parameters of this build.
        cause: what sets this build apart from the authors' (other parameters, other sources), empty for nothing.

    A value agrees when it prints like the paper's, rounded to its digits, or cut off after them (the reason says so).
    """
    verdict, reason = _verdict(claim, value, parameters, cause)
    return Judgement(
        claim=claim.name,
        where=claim.where,
        paper=claim.paper,
        value=value,
        unit=claim.unit,
        verdict=verdict,
        reason=reason,
        as_expected=verdict in (claim.expected, "reproduced", "needs source", "not applicable"),
    )


def _verdict(claim: Claim, value: float | None, parameters: dict[str, str], cause: str) -> tuple[Verdict, str]:
    if claim.media and any(parameters.get(name) != wanted for name, wanted in claim.settings.items()):
        return "needs media", claim.reason
    if value is None and claim.source:
        return "needs source", f"built without the source {claim.source!r}"
    if value is None:
        return "not applicable", "this build has no such values"
    agreement = _agreement(value, claim)
    if agreement is not None:
        return "reproduced", "; ".join(part for part in (agreement, claim.reason) if part)
    if claim.media and not claim.settings:
        return "needs media", claim.reason
    return "differs", claim.reason if claim.expected == "differs" or not cause else cause


def _agreement(value: float, claim: Claim) -> str | None:
    printed = f"{claim.paper:.{claim.digits}f}"
    if f"{value:.{claim.digits}f}" == printed:
        return ""
    cut = math.trunc(value * 10**claim.digits) / 10**claim.digits
    return "cut off, not rounded" if f"{cut:.{claim.digits}f}" == printed else None
