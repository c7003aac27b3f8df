"""The ledger of a manifest as people ask for it: by rule, reason and action, each entry with its sentence."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from benchwright.explanation import sentences
from benchwright.reporting.address import row_address
from schemas.errors import unknown_name
from schemas.manifest import Manifest

ACTIONS = ("dropped", "changed", "noted")


def entries(
    manifest: Manifest, rule: str | None = None, reason: str | None = None, action: str | None = None
) -> pa.Table:
    """The rows that rules dropped, changed or noted, in the order of the rules; the columns of the ledger, and `why`.

    Args:
        manifest: the folder that a build wrote.
        rule: entries of one rule.
        reason: entries with one reason code.
        action: one of `ACTIONS`.

    Raises:
        UsageError: an unknown name, with the nearest ones; the manifest is one Parquet file alone.
        InputError: the ledger is missing, damaged, or was changed after the build.
    """
    ledger, identity = manifest.ledger(), manifest.identity
    declared = [code for text in identity.rules for code in text.reasons]
    known = {
        "rule": (rule, dict.fromkeys(count.rule for count in identity.counts)),
        "reason": (reason, dict.fromkeys([*declared, *ledger["reason"].unique().to_pylist()])),
        "action": (action, dict.fromkeys(ACTIONS)),
    }
    for column, (wanted, names) in known.items():
        if wanted is not None:
            if wanted not in names:
                raise unknown_name(column, wanted, list(filter(None, names)))
            ledger = ledger.filter(pc.equal(ledger[column], wanted))
    return ledger.append_column("why", pa.array(sentences(manifest, ledger), pa.string()))


def on_page(ledger: pa.Table, page: str) -> pa.Table:
    """The same with a column `page`: the address of each sample's row on a report; errors as of `row_address`."""
    samples = ledger["key"].unique().to_pylist()
    addresses = pa.array([row_address(page, sample) for sample in samples], pa.string())
    place = pc.index_in(ledger["key"], value_set=pa.array(samples, pa.string()))
    return ledger.append_column("page", addresses.take(place))


def flat(ledger: pa.Table) -> pa.Table:
    """The same with the values compared as one text, `n=2; least=3`, for formats whose cells are texts."""
    texts = ["; ".join(f"{name}={_number(value)}" for name, value in each.items()) for each in values_of(ledger)]
    place = ledger.schema.get_field_index("values")
    return ledger.set_column(place, "values", pa.array(texts, pa.string()))


def values_of(ledger: pa.Table) -> list[dict[str, Any]]:
    """The values compared of each entry, by name."""
    return [{value["name"]: value["value"] for value in each} for each in ledger["values"].to_pylist()]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.15g}"
