"""What predictions are about and a split lacks: samples that a rule of the build dropped, or another split has."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow.compute as pc

from schemas.arrays import texts_of
from schemas.errors import counted
from schemas.manifest import Manifest
from scorers.names import Rows, left_out, quoted


def absent(manifest: Manifest, split: str) -> Mapping[str, str]:
    """Why a split lacks a sample: the sample ids that a rule dropped, and those of other splits, each with the reason.

    Of one split's file alone nobody knows it.

    Raises:
        InputError: the ledger or another split was changed after the build.
    """
    key = ("absent", split)
    if key not in manifest.derived:
        manifest.derived[key] = dropped_by_rule(manifest) | {
            name: f"of split {other}"
            for other in manifest.splits
            if other != split
            for name in manifest.table(other, ["sample_id"])["sample_id"].to_pylist()
        }
    reasons: dict[str, str] = manifest.derived[key]
    return reasons


def dropped_by_rule(manifest: Manifest) -> dict[str, str]:
    """The sample ids that the build dropped, each as `dropped by rule NAME`; none of one split's file alone."""
    if not manifest.has_ledger:
        return {}
    ledger = manifest.ledger()
    whole = pc.and_(pc.is_null(ledger["child_key"]), pc.is_in(ledger["action"], value_set=texts_of(["dropped"])))
    dropped = ledger.filter(whole)
    return {
        name: f"dropped by rule {rule}"
        for name, rule in zip(dropped["key"].to_pylist(), dropped["rule"].to_pylist(), strict=True)
    }


def by_reason(what: str, where: str, places: Rows, names: Sequence[str], reasons: Sequence[str]) -> list[str]:
    """A warning for each reason why things are left out, counted, with examples of their names.

    Args:
        what, where: the things, and what holds them: `predictions`, `of rows`.
        places: of the name and the reason of each; shape (things,).
        names, reasons: at these places.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    counts: Counter[str] = Counter()
    for place, count in zip(*map(np.ndarray.tolist, np.unique(places, return_counts=True)), strict=True):
        groups[reasons[place]].append(names[place])
        counts[reasons[place]] += count
    return [
        f"{counted(counts[reason], what, 'are')} {where} {reason} ({quoted(group)}) and {left_out(counts[reason])}"
        for reason, group in groups.items()
    ]
