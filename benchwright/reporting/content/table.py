"""The row table: kept rows as their family shows them, dropped ones with the rule and the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchwright.explanation import sentences
from benchwright.reporting.blocks import Code, Paragraph, Row, RowTable, Section
from benchwright.reporting.content.words import things
from schemas.manifest import Manifest

MOST_DROPPED = 20_000
"""Dropped rows in a page; of more an even choice by rule and reason."""


def row_table(
    manifest: Manifest,
    kept: Sequence[Row],
    columns: Sequence[str],
    numeric: frozenset[int],
    evidence: Mapping[str, Sequence[str]],
    systems: Sequence[str],
) -> Section:
    """The section of the row table.

    Args:
        manifest: whose ledger has the dropped rows.
        kept: the kept rows.
        columns: headings after the name.
        numeric: which of all columns hold numbers.
        evidence: by finding, the names of its rows.
        systems: names, in the order of their colours.
    """
    what, identity = things(manifest.identity), manifest.identity
    dropped, total = _dropped(manifest, len(columns))
    whole = {"kept": sum(split.rows for split in identity.splits.values()), **total}
    table = RowTable(
        thing=what,
        columns=(next(iter(identity.levels)).capitalize(), *columns),
        rows=(*kept, *dropped),
        evidence={name: tuple(rows) for name, rows in evidence.items()},
        total=whole,
        numeric=numeric,
        systems=tuple(systems),
    )
    gone = f" and {sum(total.values()):,} dropped {what}, each with its reason"
    none = ", none dropped" if manifest.has_ledger else ""
    said = f"{whole['kept']:,} kept{gone}. " if total else f"{whole['kept']:,} {what}{none}. "
    heading = f"All {sum(whole.values()):,} {what}"
    return Section(
        "rowtable",
        heading,
        f"All {what}",
        (Paragraph((said, Code("benchwright why"), " tells the whole story of one.")), table),
    )


def _dropped(manifest: Manifest, width: int) -> tuple[list[Row], dict[str, int]]:
    """The dropped rows, and how many there are by rule; none of a lone Parquet file."""
    if not manifest.has_ledger:
        return [], {}
    ledger = manifest.ledger()
    root = next(iter(manifest.identity.levels))
    ledger = ledger.filter(pc.and_(pc.equal(ledger["action"], "dropped"), pc.equal(ledger["level"], root)))
    total = {each["values"]: each["counts"] for each in ledger["rule"].value_counts().to_pylist()}
    chosen = evenly(ledger, MOST_DROPPED)
    named = zip(chosen["key"].to_pylist(), chosen["rule"].to_pylist(), sentences(manifest, chosen), strict=True)
    blank = ("",) * (width - 1)
    (split,) = manifest.splits if len(manifest.splits) == 1 else [""]
    return [Row(key, rule, (*blank, why), split) for key, rule, why in named], total


def evenly(ledger: pa.Table, most: int) -> pa.Table:
    """So many entries at most: of each rule and reason as many as of the others, as far as there are."""
    if len(ledger) <= most:
        return ledger
    pairs = pc.binary_join_element_wise(ledger["rule"], ledger["reason"], "\n").to_numpy()
    _, group = np.unique(pairs.astype(str), return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(group.max() + 1))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - starts[group[order]]
    first = np.argsort(place, kind="stable")[:most]
    return ledger.take(pa.array(np.sort(first)))
